/* Numbers as text, the same in every locale. */
#ifndef SLIP_IO_NUMBER_H
#define SLIP_IO_NUMBER_H

#include <stdbool.h>

enum { slip_number_size = 32 };

/* 17 significant digits, so that reading gives the same bits. Also for inf and nan. */
const char *slip_number_write(char buffer[slip_number_size], double value);

/* The first of 15, 16 or 17 digits that gives the same bits when read: 0.1, not 0.10000000000000001. */
const char *slip_number_write_exact(char buffer[slip_number_size], double value);

/* 13 digits: at most 20 characters, whatever the exponent. */
const char *slip_number_write_narrow(char buffer[slip_number_size], double value);

/* Nine digits: enough for a picture. */
const char *slip_number_write_short(char buffer[slip_number_size], double value);

/* Reads the number at the start of `text`; *end: first character after it. False if there is none. */
bool slip_number_read(const char *text, const char **end, double *value);

#endif
