/* Strings, numbers and axes of gnuplot scripts. */
#include "figure/axis.h"

#include "io/number.h"

#include <math.h>
#include <string.h>

/* ---- Strings. Double quotes are kinder to names with primes, but gnuplot runs what stands in backquotes
 * there, so anything out of the ordinary goes into single quotes, where nothing is special. */

void slip_script_quote(slip_text *text, const char *string)
{
    bool plain = !strpbrk(string, "\\\"`$\n\r");
    slip_text_append(text, plain ? "\"" : "'");
    for (; *string; string++) {
        if (*string == '\n' || *string == '\r')
            slip_text_append(text, " ");
        else if (*string == '\'' && !plain)
            slip_text_append(text, "''");
        else
            slip_text_append_bytes(text, string, 1);
    }
    slip_text_append(text, plain ? "\"" : "'");
}

void slip_script_text(slip_text *text, const char *what, const char *string)
{
    if (string && string[0]) {
        slip_text_printf(text, "    set %s ", what);
        slip_script_quote(text, string);
        slip_text_append(text, "\n");
    } else {
        slip_text_printf(text, "    unset %s\n", what);
    }
}

/* ---- Ranges. */

void slip_range_widen(slip_axis_range *r, const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        /* A run that went to infinity still has a picture. */
        if (!(fabs(values[i]) < 1e150) || (r->log && !(values[i] > 0)))
            continue;
        if (i > 0 && values[i] < values[i - 1])
            r->rising = false;
        r->low = values[i] < r->low ? values[i] : r->low;
        r->high = values[i] > r->high ? values[i] : r->high;
    }
}

/* Room around the curves; a constant, up to what the tics of an axis can tell apart, gets a range of its own
 * size, nothing at all gets -1 to 1. */
slip_axis_range slip_range_finish(slip_axis_range r, bool tight)
{
    double size;
    if (!(r.low <= r.high))
        return r.log ? (slip_axis_range){0.1, 10, false, true} : (slip_axis_range){-1, 1, false, false};
    if (r.log) {
        double factor = tight ? 1 : fmax(pow(r.high / r.low, 0.06), 1.1);
        return (slip_axis_range){r.low / factor, r.high * factor, r.rising, true};
    }
    size = r.high - r.low;
    if (!(size > 1e-7 * fmax(fabs(r.low), fabs(r.high)))) {
        double room = r.low != 0 || r.high != 0 ? 0.1 * fmax(fabs(r.low), fabs(r.high)) : 1;
        return (slip_axis_range){r.low - room, r.high + room, r.rising, false};
    }
    if (!tight) {
        r.low -= 0.06 * size;
        r.high += 0.06 * size;
    }
    return r;
}

/* 1, 2 or 5 times a power of ten, for at most so many parts (3 to 10). */
double slip_range_step(slip_axis_range r, double parts)
{
    if (r.log)
        return 10;
    double rough = (r.high - r.low) / fmin(fmax(parts, 3), 10), power = pow(10, floor(log10(rough)));
    double lead = rough / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

/* printf would write a decimal comma in some countries. */
void slip_script_number(slip_text *text, double value)
{
    char buffer[slip_number_size];
    slip_text_append(text, slip_number_write_short(buffer, value));
}

void slip_script_screen(slip_text *text, const char *what, double place)
{
    slip_text_append(text, what);
    slip_script_number(text, round(place * 1e4) / 1e4);
}

void slip_script_axis(slip_text *text, const char *axis, slip_axis_range r, double step)
{
    if (r.log)
        slip_text_printf(text, "    set logscale %s\n", axis);
    slip_text_printf(text, "    set %srange [", axis);
    slip_script_number(text, r.low);
    slip_text_append(text, ":");
    slip_script_number(text, r.high);
    slip_text_printf(text, "]; set %stics ", axis);
    slip_script_number(text, step);
    slip_text_append(text, "\n");
}
