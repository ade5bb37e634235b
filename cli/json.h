/* What --json prints: an object that is begun by its first entry and is whole whenever the verb ends. */
#ifndef SLIP_CLI_JSON_H
#define SLIP_CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

enum { json_depth = 8 };

/* Without a file (no --json) every call does nothing, so that verbs need not ask. */
typedef struct cli_json {
    FILE *file;
    int depth;
    bool filled;              /* the object or list at hand has an entry already */
    char closing[json_depth]; /* what ends each level, from the outermost */
} cli_json;

/* `key` is NULL in a list. Objects and lists stay open until json_end. */
void json_object(cli_json *json, const char *key);
void json_list(cli_json *json, const char *key);
void json_end(cli_json *json);
void json_text(cli_json *json, const char *key, const char *text);
void json_number(cli_json *json, const char *key, double number); /* null where it is not finite */
void json_flag(cli_json *json, const char *key, bool flag);

/* Instead of entries: a summary that is there as JSON already. */
void json_whole(cli_json *json, const char *text);

/* Closes whatever is open. */
void json_finish(cli_json *json);

#endif
