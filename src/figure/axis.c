/* Strings, numbers and axes of gnuplot scripts. */
#include "figure/axis.h"

#include "base/memory.h"
#include "io/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words. */

static const char *const greek[][2] = {
    {"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"},  {"epsilon", "ε"}, {"zeta", "ζ"},
    {"eta", "η"},   {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},      {"nu", "ν"},
    {"xi", "ξ"},    {"rho", "ρ"},   {"sigma", "σ"}, {"tau", "τ"},    {"phi", "φ"},     {"varphi", "φ"},
    {"chi", "χ"},   {"psi", "ψ"},   {"omega", "ω"}, {"Gamma", "Γ"},  {"Delta", "Δ"},   {"Theta", "Θ"},
    {"Phi", "Φ"},   {"Psi", "Ψ"},   {"Omega", "Ω"}, {"pi", "π"}};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The letter of a word of so many letters; NULL: it names none. */
static const char *letter_of(const char *word, size_t length)
{
    for (size_t k = 0; k < sizeof greek / sizeof *greek; k++)
        if (strlen(greek[k][0]) == length && strncmp(word, greek[k][0], length) == 0)
            return greek[k][1];
    return NULL;
}

/* "^2", "^-1"; returns how many bytes it took. */
static size_t print_power(slip_text *text, const char *at)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    size_t length = at[1] == '-' ? 2 : 1;
    if (!is_digit(at[length]))
        return 0;
    slip_text_append(text, at[1] == '-' ? "⁻" : "");
    for (; is_digit(at[length]); length++)
        slip_text_append(text, raised[at[length] - '0']);
    return length;
}

/* "2e-05" as "2·10⁻⁵"; returns how many bytes it took: none of other numbers. */
static size_t print_exponent(slip_text *text, const char *at)
{
    const size_t mantissa = strspn(at, "0123456789.");
    if (at[mantissa] != 'e')
        return 0;
    const size_t sign = mantissa + 1 + (at[mantissa + 1] == '+'), length = sign + (at[sign] == '-'),
                 end = length + strspn(at + length, "0123456789");
    const int power = atoi(at + mantissa + 1);
    const bool plain = power == 0 || (mantissa == 1 && *at == '0'), one = mantissa == 1 && *at == '1';
    char raised[16];
    if (end == length || end > length + 3 || is_letter(at[end]))
        return 0;
    if (plain || !one)
        slip_text_append_bytes(text, at, mantissa);
    if (plain)
        return end;
    slip_text_append(text, one ? "10" : "·10");
    snprintf(raised, sizeof raised, "^%d", power);
    if (power != 1)
        print_power(text, raised);
    return end;
}

/* Marks that mean something where they stand; returns how many bytes it took. */
static size_t print_mark(slip_text *text, const char *at, char before, bool in_unit)
{
    const bool name_before = is_letter(before) || is_digit(before) || before == '_' || before == ']';
    if (*at == '^')
        return print_power(text, at);
    if (*at == '\'' && name_before && !is_letter(at[1])) {
        const size_t count = strspn(at, "'");
        for (size_t k = 0; k < count; k++)
            slip_text_append(text, "′");
        return count;
    }
    if (is_digit(*at) && !name_before && before != '.')
        return print_exponent(text, at);
    if (*at == '-' && ((is_digit(at[1]) && !name_before) || (at[1] == ' ' && before == ' '))) {
        slip_text_append(text, "−");
        return 1;
    }
    if (*at == '*' && in_unit) {
        slip_text_append(text, "·");
        return 1;
    }
    return 0;
}

void slip_script_print(slip_text *text, const char *string)
{
    char before = 0;
    bool in_unit = false;
    for (const char *at = string; *at;) {
        size_t taken = 0;
        in_unit = *at == '[' ? true : *at == ']' ? false : in_unit;
        if (is_letter(*at)) {
            while (is_letter(at[taken]))
                taken++;
            const char *letter = is_letter(before) || is_digit(before) ? NULL : letter_of(at, taken);
            if (letter)
                slip_text_append(text, letter);
            else
                slip_text_append_bytes(text, at, taken);
        } else {
            taken = print_mark(text, at, before, in_unit);
            if (taken == 0)
                slip_text_append_bytes(text, at, taken = 1);
        }
        before = at[taken - 1];
        at += taken;
    }
}

int slip_script_length(const char *string)
{
    char room[1000];
    slip_text text = {.data = room, .capacity = sizeof room, .fixed = true};
    int count = 0;
    slip_script_print(&text, string);
    for (size_t k = 0; k < text.length; k++)
        count += ((unsigned char)text.data[k] & 0xc0) != 0x80; /* bytes that begin a character */
    return count;
}

/* ---- Strings. Double quotes are kinder to names with primes, but gnuplot runs what stands in backquotes
 * there, so anything out of the ordinary goes into single quotes, where nothing is special. */

static void write_name(slip_text *text, const char *at)
{
    const bool plain = !strpbrk(at, "\\\"`$\n\r");
    slip_text_append(text, plain ? "\"" : "'");
    for (; *at; at++) {
        if (*at == '\n' || *at == '\r')
            slip_text_append(text, " ");
        else if (*at == '\'' && !plain)
            slip_text_append(text, "''");
        else
            slip_text_append_bytes(text, at, 1);
    }
    slip_text_append(text, plain ? "\"" : "'");
}

static void write_printed(slip_text *text, const char *string)
{
    SLIP_FREED_BY(slip_text_free) slip_text printed = {0};
    slip_script_print(&printed, string);
    write_name(text, printed.data ? printed.data : "");
    text->failed = text->failed || printed.failed;
}

/* printf would write a decimal comma in some countries. */
static void write_number(slip_text *text, double value)
{
    char buffer[slip_number_size];
    slip_text_append(text, slip_number_write_short(buffer, value));
}

void slip_script_write(slip_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "%");
        slip_text_append_bytes(text, at, plain);
        at += plain;
        if (!*at)
            break;
        switch (at[1]) {
        case 's':
            slip_text_append(text, va_arg(args, const char *));
            break;
        case 'd':
            slip_text_printf(text, "%d", va_arg(args, int));
            break;
        case 'l':
            slip_text_printf(text, "%" PRId64, va_arg(args, int64_t));
            break;
        case 'n':
            write_number(text, va_arg(args, double));
            break;
        case 'p':
            write_number(text, round(va_arg(args, double) * 1e4) / 1e4);
            break;
        case 'q':
            write_printed(text, va_arg(args, const char *));
            break;
        case 'f':
            write_name(text, va_arg(args, const char *));
            break;
        default: /* %% */
            slip_text_append(text, "%");
        }
        at += 2;
    }
    va_end(args);
}

void slip_script_text(slip_text *text, const char *what, const char *string)
{
    if (string && string[0])
        slip_script_write(text, "    set %s %q\n", what, string);
    else
        slip_script_write(text, "    unset %s\n", what);
}

void slip_script_margins(slip_text *text, double left, double right, double bottom, double top)
{
    slip_script_write(text,
                      "    set lmargin at screen %p; set rmargin at screen %p\n"
                      "    set bmargin at screen %p; set tmargin at screen %p\n",
                      left, right, bottom, top);
}

/* ---- Ranges. */

void slip_range_widen(slip_axis_range *r, const double *values, const double *beside, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        /* A run that went to infinity still has a picture. */
        if (!(fabs(values[i]) < 1e150) || (r->log && !(values[i] > 0)) || !isfinite(beside[i]))
            continue;
        if (i > 0 && values[i] < values[i - 1])
            r->rising = false;
        r->low = values[i] < r->low ? values[i] : r->low;
        r->high = values[i] > r->high ? values[i] : r->high;
    }
}

slip_axis_range slip_range_of(const double *values, int64_t count)
{
    slip_axis_range r = {INFINITY, -INFINITY, true, false};
    slip_range_widen(&r, values, values, count);
    return r;
}

slip_axis_range slip_range_finish(slip_axis_range r, bool tight)
{
    if (!(r.low <= r.high))
        return r.log ? (slip_axis_range){0.1, 10, false, true} : (slip_axis_range){-1, 1, false, false};
    if (r.log) {
        double factor = tight ? 1 : fmax(pow(r.high / r.low, 0.06), 1.1);
        return (slip_axis_range){r.low / factor, r.high * factor, r.rising, true};
    }
    const double size = r.high - r.low, largest = fmax(fabs(r.low), fabs(r.high)), nothing = 1e-290;
    if (!(size > fmax(1e-7 * largest, nothing))) {
        const double room = largest > nothing ? 0.1 * largest : 1; /* next to zero powers of ten are none */
        return (slip_axis_range){r.low - room, r.high + room, r.rising, false};
    }
    if (!tight) {
        r.low -= 0.06 * size;
        r.high += 0.06 * size;
    }
    return r;
}

double slip_range_step(slip_axis_range r, double parts)
{
    if (r.log)
        return 10;
    double rough = (r.high - r.low) / fmin(fmax(parts, 3), 10), power = pow(10, floor(log10(rough)));
    double lead = rough / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

int slip_range_power(slip_axis_range r, double step)
{
    const double first = ceil(r.low / step) * step, last = floor(r.high / step) * step;
    const double least = first * last > 0 ? fmin(fabs(first), fabs(last)) : step,
                 most = fmax(fabs(first), fabs(last));
    return least < 0.999e-4 || most > 0.999e6 ? (int)floor(log10(most * (1 + 1e-9))) : 0;
}

/* Numbers with powers of ten: all with the same one or, on a logarithmic axis, the powers from `first` on. */
static void write_tics(slip_text *text, int first, int last, int by, double step, int power)
{
    char number[40];
    for (int k = first; k <= last; k += by) {
        snprintf(number, sizeof number, "%.6ge%d", power ? k * step / pow(10, power) : 1, power ? power : k);
        slip_script_write(text, k > first ? ", %q %s" : "(%q %s", number, number);
    }
    slip_text_append(text, ")\n");
}

void slip_script_axis(slip_text *text, const char *axis, slip_axis_range r, double step, bool numbered)
{
    const int power = r.log || !numbered ? 0 : slip_range_power(r, step);
    slip_script_write(text, "    set format %s \"%s\"\n", axis, numbered ? "%g" : "");
    if (r.log)
        slip_script_write(text, "    set logscale %s\n", axis);
    slip_script_write(text, "    set %srange [%n:%n]; set %stics ", axis, r.low, r.high, axis);
    if (power != 0)
        write_tics(text, (int)ceil(r.low / step), (int)floor(r.high / step), 1, step, power);
    else if (!r.log)
        slip_script_write(text, "%n\n", step);
    else if (numbered && floor(log10(r.high)) > ceil(log10(r.low)))
        write_tics(text, (int)ceil(log10(r.low) - 1e-9), (int)floor(log10(r.high) + 1e-9),
                   1 + (int)(log10(r.high / r.low) / 8), 0, 0); /* at most about eight */
    else
        slip_text_append(text, "autofreq\n");
}

/* Blue, green, yellow: even steps of lightness, also in print and for colour-blind eyes (after viridis). */
void slip_scale_colour(double value, double rgb[3])
{
    static const double stops[6][3] = {{0.267, 0.005, 0.329}, {0.254, 0.265, 0.530}, {0.164, 0.471, 0.558},
                                       {0.135, 0.659, 0.518}, {0.478, 0.821, 0.318}, {0.993, 0.906, 0.144}};
    double at = 5 * fmin(fmax(value, 0), 1);
    int k = at < 5 ? (int)at : 4;
    for (int c = 0; c < 3; c++)
        rgb[c] = stops[k][c] + (at - k) * (stops[k + 1][c] - stops[k][c]);
}
