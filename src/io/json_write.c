#include "io/json.h"

#include "io/number.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void append_string(slip_text *text, const char *value)
{
    slip_text_append_bytes(text, "\"", 1);
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if (c == '"' || c == '\\')
            slip_text_printf(text, "\\%c", c);
        else if (c == '\n')
            slip_text_append(text, "\\n");
        else if (c == '\t')
            slip_text_append(text, "\\t");
        else if (c < 0x20 || c == 0x7f)
            slip_text_printf(text, "\\u%04x", c);
        else
            slip_text_append_bytes(text, value, 1);
    }
    slip_text_append_bytes(text, "\"", 1);
}

/* ---- Looking for numbers instead. */

slip_json_writer slip_json_seeker(int count, slip_json_wanted *wanted)
{
    for (int k = 0; k < count; k++) {
        wanted[k].found = false;
        wanted[k].number = NAN;
        wanted[k].rest[0] = NULL;
        wanted[k].rest[1] = wanted[k].path; /* in the outermost object */
    }
    return (slip_json_writer){.wanted = wanted, .wanted_count = count};
}

static void see(slip_json_writer *writer, const char *key, double number)
{
    for (int k = 0; k < writer->wanted_count && key; k++) {
        slip_json_wanted *w = &writer->wanted[k];
        const char *rest = w->rest[writer->depth];
        if (!rest || (w->found && w->depth <= writer->depth) || strcmp(rest, key) != 0)
            continue;
        w->found = true;
        w->number = number;
        w->depth = writer->depth;
    }
}

static void see_group(slip_json_writer *writer, const char *key, bool object)
{
    see(writer, key, NAN);
    for (int k = 0; k < writer->wanted_count && writer->depth > 0; k++) {
        slip_json_wanted *w = &writer->wanted[k];
        const char *rest = w->rest[writer->depth];
        const size_t length = rest ? strcspn(rest, ".") : 0;
        const bool inside =
            rest && object && key && rest[length] && strncmp(rest, key, length) == 0 && !key[length];
        w->rest[writer->depth + 1] = inside ? rest + length + 1 : NULL;
    }
    writer->depth++;
}

/* ---- Text. */

static void new_line(slip_json_writer *writer)
{
    slip_text_append_bytes(writer->text, "\n", 1);
    for (int i = 0; i < writer->depth; i++)
        slip_text_append_bytes(writer->text, "  ", 2);
}

static void begin_value(slip_json_writer *writer, const char *key)
{
    if (writer->depth > 0) {
        if (writer->filled)
            slip_text_append_bytes(writer->text, ",", 1);
        new_line(writer);
    }
    if (key) {
        append_string(writer->text, key);
        slip_text_append_bytes(writer->text, ": ", 2);
    }
    writer->filled = true;
}

static void begin_group(slip_json_writer *writer, const char *key, const char *bracket)
{
    assert(writer->depth < slip_json_depth);
    if (!writer->text) {
        see_group(writer, key, *bracket == '{');
        return;
    }
    begin_value(writer, key);
    slip_text_append(writer->text, bracket);
    writer->depth++;
    writer->filled = false;
}

static void end_group(slip_json_writer *writer, const char *bracket)
{
    assert(writer->depth > 0);
    writer->depth--;
    if (!writer->text)
        return;
    if (writer->filled)
        new_line(writer);
    slip_text_append(writer->text, bracket);
    if (writer->depth == 0)
        slip_text_append_bytes(writer->text, "\n", 1);
    writer->filled = true;
}

void slip_json_object(slip_json_writer *writer, const char *key)
{
    begin_group(writer, key, "{");
}

void slip_json_list(slip_json_writer *writer, const char *key)
{
    begin_group(writer, key, "[");
}

void slip_json_end_object(slip_json_writer *writer)
{
    end_group(writer, "}");
}

void slip_json_end_list(slip_json_writer *writer)
{
    end_group(writer, "]");
}

void slip_json_number(slip_json_writer *writer, const char *key, double value)
{
    char buffer[slip_number_size];
    if (!writer->text) {
        see(writer, key, isfinite(value) ? value : NAN);
        return;
    }
    begin_value(writer, key);
    slip_text_append(writer->text, isfinite(value) ? slip_number_write(buffer, value) : "null");
}

void slip_json_integer(slip_json_writer *writer, const char *key, int64_t value)
{
    if (!writer->text) {
        see(writer, key, (double)value);
        return;
    }
    begin_value(writer, key);
    slip_text_printf(writer->text, "%" PRId64, value);
}

void slip_json_string(slip_json_writer *writer, const char *key, const char *value)
{
    if (!writer->text) {
        see(writer, key, NAN);
        return;
    }
    begin_value(writer, key);
    append_string(writer->text, value);
}

void slip_json_bool(slip_json_writer *writer, const char *key, bool value)
{
    if (!writer->text) {
        see(writer, key, value);
        return;
    }
    begin_value(writer, key);
    slip_text_append(writer->text, value ? "true" : "false");
}
