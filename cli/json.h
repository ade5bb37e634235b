/* The output of --json: an object that begins with its first entry, and is complete whenever the verb ends.
 */
#ifndef SLIP_CLI_JSON_H
#define SLIP_CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

enum { json_depth = 8 };

/* Without a file (no --json) all functions do nothing, so verbs need not test for it. */
typedef struct cli_json {
    FILE *file;
    int depth;
    bool filled;              /* the present object or list has an entry already */
    char closing[json_depth]; /* the closing bracket of each level, from the outermost */
} cli_json;

/* `key` is NULL in a list. Objects and lists stay open until json_end. */
void json_object(cli_json *json, const char *key);
void json_list(cli_json *json, const char *key);
void json_end(cli_json *json);
void json_text(cli_json *json, const char *key, const char *text);
void json_number(cli_json *json, const char *key, double number); /* null where it is not finite */
void json_flag(cli_json *json, const char *key, bool flag);

/* Writes a complete summary, which is JSON already, in place of entries. */
void json_whole(cli_json *json, const char *text);

/* Closes all open objects and lists. */
void json_finish(cli_json *json);

#endif
