#include "json.h"

#include <math.h>

static void write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < 32)
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    fputc('"', file);
}

static void open_level(cli_json *json, char opening, char closing)
{
    fputc(opening, json->file);
    json->closing[json->depth++] = closing;
    json->filled = false;
}

static void new_line(const cli_json *json)
{
    fprintf(json->file, "\n%*s", 2 * json->depth, "");
}

/* Begins an entry; false where there is nothing to write to. */
static bool begin(cli_json *json, const char *key)
{
    if (!json->file)
        return false;
    if (json->depth == 0)
        open_level(json, '{', '}');
    if (json->filled)
        fputc(',', json->file);
    new_line(json);
    if (key) {
        write_text(json->file, key);
        fputs(": ", json->file);
    }
    json->filled = true;
    return true;
}

void json_object(cli_json *json, const char *key)
{
    if (begin(json, key))
        open_level(json, '{', '}');
}

void json_list(cli_json *json, const char *key)
{
    if (begin(json, key))
        open_level(json, '[', ']');
}

void json_end(cli_json *json)
{
    if (!json->file)
        return;
    const char closing = json->closing[--json->depth];
    if (json->filled)
        new_line(json);
    fputc(closing, json->file);
    json->filled = true;
}

void json_text(cli_json *json, const char *key, const char *text)
{
    if (begin(json, key))
        write_text(json->file, text);
}

void json_number(cli_json *json, const char *key, double number)
{
    if (begin(json, key))
        fprintf(json->file, isfinite(number) ? "%.17g" : "null", number);
}

void json_flag(cli_json *json, const char *key, bool flag)
{
    if (begin(json, key))
        fputs(flag ? "true" : "false", json->file);
}

void json_whole(cli_json *json, const char *text)
{
    if (json->file)
        fputs(text, json->file);
}

void json_finish(cli_json *json)
{
    const bool open = json->depth > 0;
    while (json->depth > 0)
        json_end(json);
    if (open)
        fputc('\n', json->file);
}
