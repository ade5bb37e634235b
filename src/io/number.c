#include "io/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* printf and strtod follow the decimal sign of the program that we are part of; files must not. */
static char decimal_sign(void)
{
    return localeconv()->decimal_point[0];
}

static const char *write_digits(char buffer[slip_number_size], int digits, double value)
{
    char sign = decimal_sign();
    snprintf(buffer, slip_number_size, "%.*g", digits, value);
    if (sign != '.') {
        char *at = strchr(buffer, sign);
        if (at)
            *at = '.';
    }
    return buffer;
}

const char *slip_number_write(char buffer[slip_number_size], double value)
{
    return write_digits(buffer, 17, value);
}

const char *slip_number_write_short(char buffer[slip_number_size], double value)
{
    return write_digits(buffer, 9, value);
}

const char *slip_number_write_narrow(char buffer[slip_number_size], double value)
{
    return write_digits(buffer, 13, value);
}

bool slip_number_read(const char *text, const char **end, double *value)
{
    char copy[512], *stop;
    size_t length = strspn(text, "+-.0123456789eEinfatyINFATY");
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    char *point = strchr(copy, '.');
    if (point)
        *point = decimal_sign();
    *value = strtod(copy, &stop);
    *end = text + (stop - copy);
    return stop != copy;
}

const char *slip_number_write_exact(char buffer[slip_number_size], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        const char *end;
        double back;
        write_digits(buffer, digits, value);
        if (slip_number_read(buffer, &end, &back) && back == value)
            break;
    }
    return buffer;
}
