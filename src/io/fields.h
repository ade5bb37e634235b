/* Lines of input files that are split at commas: KEYWORD, NAME=VALUE, NAME or 1, 2.5, 3, */
#ifndef SLIP_IO_FIELDS_H
#define SLIP_IO_FIELDS_H

#include "io/scan.h"

enum { slip_field_size = 128, slip_fields_max = 64 };

/* Blanks around the fields are taken off; a comma at the end of the line starts no field. */
typedef struct slip_fields {
    int count;
    char field[slip_fields_max][slip_field_size];
    bool continues; /* the line ends with a comma, so the next line continues it */
} slip_fields;

/* Splits the line at the present position of the scan, which does not move. */
int slip_fields_split(const slip_scan *scan, slip_fields *line);

/* The value of NAME=VALUE after the first field, without regard to case; "" for NAME alone; NULL: missing. */
const char *slip_fields_parameter(const slip_fields *line, const char *name);

/* True where the field is a whole number without sign. */
bool slip_fields_whole(const char *field, int64_t *value);

bool slip_is_blank(char c); /* not a line end */

#endif
