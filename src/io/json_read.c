#include "io/json.h"

#include "io/number.h"

#include <math.h>
#include <string.h>

typedef struct reader {
    slip_context *ctx;
    slip_arena *arena;
    const char *name, *text, *at, *end; /* the text is followed by a zero */
    int depth;
} reader;

static int fail_at(reader *r, const char *expected)
{
    int line = 1, column = 1;
    for (const char *c = r->text; c < r->at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return slip_fail(r->ctx, SLIP_ERROR_IO, "%s:%d:%d: not valid JSON: expected %s", r->name, line, column,
                     expected);
}

static void skip_space(reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

static bool take(reader *r, char c)
{
    skip_space(r);
    if (r->at >= r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | (code >> 6));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | (code >> 12));
        *to++ = (char)(0x80 | ((code >> 6) & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | (code >> 18));
        *to++ = (char)(0x80 | ((code >> 12) & 0x3f));
        *to++ = (char)(0x80 | ((code >> 6) & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

static bool read_hex4(reader *r, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = r->at < r->end && *r->at ? strchr(digits, *r->at) : NULL;
        if (!digit)
            return false;
        *code = *code * 16 + (unsigned)((digit - digits) & 15);
    }
    return true;
}

/* \uXXXX, or two of them that make one character outside the basic plane. */
static bool read_unicode(reader *r, char **to)
{
    unsigned code, low;
    if (!read_hex4(r, &code))
        return false;
    if (code >= 0xd800 && code < 0xdc00) {
        if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u')
            return false;
        r->at += 2;
        if (!read_hex4(r, &low) || low < 0xdc00 || low > 0xdfff)
            return false;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        return false;
    }
    if (code == 0)
        return false; /* our strings end at a zero */
    *to = put_utf8(*to, code);
    return true;
}

static bool read_escape(reader *r, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->end ? *r->at++ : 0;
    const char *found = c ? strchr(from, c) : NULL;
    if (c == 'u')
        return read_unicode(r, to);
    if (!found)
        return false;
    *(*to)++ = into[found - from];
    return true;
}

static int read_string(reader *r, const char **string)
{
    const char *stop = r->at;
    if (!take(r, '"'))
        return fail_at(r, "a string in double quotes");
    /* No escape is shorter than the bytes that it stands for, so the raw length is room enough. */
    for (stop = r->at; stop < r->end && *stop != '"'; stop++)
        stop += *stop == '\\' && stop + 1 < r->end;
    char *to = slip_arena_alloc(r->arena, (size_t)(stop - r->at) + 1);
    SLIP_PASS(slip_allocated(r->ctx, to));
    *string = to;
    while (r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < 0x20)
            return fail_at(r, "no control character in a string");
        if (*r->at != '\\') {
            *to++ = *r->at++;
            continue;
        }
        r->at++;
        if (!read_escape(r, &to))
            return fail_at(r, "a valid escape after the backslash");
    }
    *to = 0;
    return take(r, '"') ? SLIP_OK : fail_at(r, "the string's closing quote");
}

static int read_value(reader *r, slip_json *value);

static int read_group(reader *r, slip_json *group, char closing)
{
    const slip_json **tail = &group->child;
    if (++r->depth > slip_json_depth)
        return fail_at(r, "less deep nesting");
    r->at++;
    if (!take(r, closing)) {
        do {
            int status = SLIP_OK;
            slip_json *item = slip_arena_alloc(r->arena, sizeof *item);
            SLIP_PASS(slip_allocated(r->ctx, item));
            if (closing == '}') {
                skip_space(r);
                status = read_string(r, &item->key);
                if (status == SLIP_OK && !take(r, ':'))
                    status = fail_at(r, "':' after the key");
            }
            if (status == SLIP_OK)
                status = read_value(r, item);
            if (status < 0)
                return status;
            *tail = item;
            tail = &item->next;
        } while (take(r, ','));
        if (!take(r, closing))
            return fail_at(r, closing == '}' ? "',' or '}'" : "',' or ']'");
    }
    r->depth--;
    return SLIP_OK;
}

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static int read_value(reader *r, slip_json *value)
{
    skip_space(r);
    if (r->at >= r->end)
        return fail_at(r, "a value, found the end");
    if (*r->at == '{' || *r->at == '[') {
        bool object = *r->at == '{';
        value->type = object ? SLIP_JSON_OBJECT : SLIP_JSON_LIST;
        return read_group(r, value, object ? '}' : ']');
    }
    if (*r->at == '"') {
        value->type = SLIP_JSON_STRING;
        return read_string(r, &value->string);
    }
    if (take_word(r, "null"))
        return SLIP_OK;
    if (take_word(r, "true") || take_word(r, "false")) {
        value->type = SLIP_JSON_BOOL;
        value->number = r->at[-2] == 'u'; /* tr-u-e, fal-s-e */
        return SLIP_OK;
    }
    value->type = SLIP_JSON_NUMBER;
    if (!strchr("-0123456789", *r->at) || !slip_number_read(r->at, &r->at, &value->number) ||
        !isfinite(value->number))
        return fail_at(r, "a value");
    return SLIP_OK;
}

int slip_json_parse(slip_context *ctx, slip_arena *arena, const char *name, const char *text, size_t length,
                    const slip_json **json)
{
    reader r = {.ctx = ctx, .arena = arena, .name = name, .text = text, .at = text, .end = text + length};
    slip_json *root = slip_arena_alloc(arena, sizeof *root);
    *json = NULL;
    SLIP_PASS(slip_allocated(ctx, root));
    SLIP_PASS(read_value(&r, root));
    skip_space(&r);
    if (r.at < r.end)
        return fail_at(&r, "nothing after the value");
    *json = root;
    return SLIP_OK;
}

static const slip_json *find_bytes(const slip_json *object, const char *key, size_t length)
{
    if (!object || object->type != SLIP_JSON_OBJECT)
        return NULL;
    for (const slip_json *item = object->child; item; item = item->next)
        if (strlen(item->key) == length && memcmp(item->key, key, length) == 0)
            return item;
    return NULL;
}

const slip_json *slip_json_find(const slip_json *object, const char *key)
{
    return find_bytes(object, key, strlen(key));
}

const slip_json *slip_json_find_path(const slip_json *json, const char *path)
{
    while (json) {
        const slip_json *whole = slip_json_find(json, path);
        const size_t length = strcspn(path, ".");
        if (whole || !path[length]) /* a key may have dots of its own: "seat.z" */
            return whole;
        json = find_bytes(json, path, length);
        path += length + 1;
    }
    return NULL;
}

double slip_json_get(const slip_json *object, const char *key)
{
    const slip_json *item = slip_json_find(object, key);
    return item && item->type == SLIP_JSON_NUMBER ? item->number : NAN;
}

bool slip_json_is(const slip_json *object, const char *key)
{
    const slip_json *found = slip_json_find(object, key);
    return found && found->type == SLIP_JSON_BOOL && found->number != 0;
}
