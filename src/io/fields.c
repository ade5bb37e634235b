#include "io/fields.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool slip_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int add_field(const slip_scan *scan, slip_fields *line, const char *start, const char *end)
{
    while (start < end && slip_is_blank(*start))
        start++;
    while (end > start && slip_is_blank(end[-1]))
        end--;
    if (end - start >= slip_field_size)
        return slip_scan_fail(scan, "found a word of more than %d bytes", slip_field_size - 1);
    if (line->count == slip_fields_max)
        return slip_scan_fail(scan, "found more than %d entries in a line", slip_fields_max);
    snprintf(line->field[line->count++], slip_field_size, "%.*s", (int)(end - start), start);
    return SLIP_OK;
}

int slip_fields_split(const slip_scan *scan, slip_fields *line)
{
    const char *at = scan->at, *end = at + strcspn(at, "\n");
    line->count = 0;
    line->continues = false;
    while (end > at && slip_is_blank(end[-1]))
        end--;
    if (end > at && end[-1] == ',') {
        line->continues = true;
        end--;
    }
    while (at <= end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        SLIP_PASS(add_field(scan, line, at, comma ? comma : end));
        if (!comma)
            break;
        at = comma + 1;
    }
    return SLIP_OK;
}

const char *slip_fields_parameter(const slip_fields *line, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 1; i < line->count; i++) {
        const char *field = line->field[i];
        const char *rest = field + length;
        if (strncasecmp(field, name, length) != 0)
            continue;
        while (slip_is_blank(*rest))
            rest++;
        if (*rest == 0)
            return rest;
        if (*rest != '=')
            continue;
        for (rest++; slip_is_blank(*rest);)
            rest++;
        return rest;
    }
    return NULL;
}

bool slip_fields_whole(const char *field, int64_t *value)
{
    int64_t number = 0;
    const char *at = field;
    for (; *at >= '0' && *at <= '9' && at - field < 15; at++)
        number = 10 * number + (*at - '0');
    *value = number;
    return at > field && *at == 0;
}
