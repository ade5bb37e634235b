/* Interval arithmetic on tapes: every value of the tape as an interval, with an interval for its rate beside
 * it (R. E. Moore, R. B. Kearfott, M. J. Cloud: Introduction to interval analysis, SIAM 2009, chapters 5 and
 * 6). Results are widened by a few units of rounding, more than any operation or library function is off. */
#include "math/expression/interval.h"
#include "math/expression/node.h"

#include <float.h>
#include <math.h>

static const double half_pi = 1.57079632679489661923, two_pi = 6.28318530717958647693;
static const slip_interval everything = {-INFINITY, INFINITY}, nothing = {0, 0};

static slip_interval widened(double low, double high)
{
    const double slack = 4 * DBL_EPSILON;
    if (!(low <= high)) /* also where one is not a number */
        return everything;
    return (slip_interval){low - slack * fabs(low) - DBL_TRUE_MIN, high + slack * fabs(high) + DBL_TRUE_MIN};
}

static slip_interval hull(slip_interval a, slip_interval b)
{
    return (slip_interval){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static slip_interval clipped(slip_interval a, double low, double high)
{
    return (slip_interval){fmin(fmax(a.low, low), high), fmax(fmin(a.high, high), low)};
}

static bool has_zero(slip_interval a)
{
    return a.low <= 0 && a.high >= 0;
}

static bool is_zero(slip_interval a)
{
    return a.low == 0 && a.high == 0;
}

static slip_interval sum(slip_interval a, slip_interval b)
{
    if (is_zero(a))
        return b;
    return is_zero(b) ? a : widened(a.low + b.low, a.high + b.high);
}

static slip_interval negative(slip_interval a)
{
    return (slip_interval){-a.high, -a.low};
}

/* Zero times infinity is zero: an end that is infinite stands for large numbers. */
static double product_of_ends(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static slip_interval product(slip_interval a, slip_interval b)
{
    double p = product_of_ends(a.low, b.low), q = product_of_ends(a.low, b.high),
           r = product_of_ends(a.high, b.low), s = product_of_ends(a.high, b.high);
    if (is_zero(a) || is_zero(b))
        return nothing;
    return widened(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static slip_interval scaled(slip_interval a, double factor)
{
    return product(a, (slip_interval){factor, factor});
}

static slip_interval reciprocal(slip_interval a)
{
    return has_zero(a) ? everything : widened(1 / a.high, 1 / a.low);
}

static slip_interval quotient(slip_interval a, slip_interval b)
{
    return is_zero(a) && !is_zero(b) ? nothing : product(a, reciprocal(b));
}

static slip_interval square(slip_interval a)
{
    double low = a.low * a.low, high = a.high * a.high;
    return widened(has_zero(a) ? 0 : fmin(low, high), fmax(low, high));
}

static slip_interval rising(double (*f)(double), slip_interval a)
{
    return widened(f(a.low), f(a.high));
}

/* Does the interval contain a point of phase + 2 pi k? To rounding: rather yes. */
static bool has_phase(slip_interval a, double phase)
{
    double slack = 8 * DBL_EPSILON * (fabs(a.low) + fabs(a.high) + 1);
    return phase + two_pi * ceil((a.low - slack - phase) / two_pi) <= a.high + slack;
}

static slip_interval sine(slip_interval a, double phase)
{
    double first, last;
    if (!(a.high - a.low < two_pi) || fabs(a.low) > 1e15)
        return (slip_interval){-1, 1};
    first = phase == 0 ? sin(a.low) : cos(a.low);
    last = phase == 0 ? sin(a.high) : cos(a.high);
    slip_interval result = widened(fmin(first, last), fmax(first, last));
    if (has_phase(a, half_pi - phase))
        result.high = 1;
    if (has_phase(a, -half_pi - phase))
        result.low = -1;
    return clipped(result, -1, 1);
}

static slip_interval cosine(slip_interval a)
{
    return sine(a, half_pi);
}

/* ---- Powers. */

static slip_interval whole_power(slip_interval a, int exponent)
{
    double low = pow(a.low, exponent), high = pow(a.high, exponent);
    if (exponent < 0)
        return has_zero(a) ? everything : widened(fmin(low, high), fmax(low, high));
    if (exponent % 2 != 0)
        return widened(low, high);
    return widened(has_zero(a) && exponent > 0 ? 0 : fmin(low, high), fmax(low, high));
}

/* a > 0: monotonic in either operand, so that the corners bound it. From zero on, for exponents above zero.
 */
static slip_interval real_power(slip_interval a, slip_interval b)
{
    if (a.high < 0 || (a.low <= 0 && !(b.low > 0)))
        return everything;
    a.low = fmax(a.low, 0);
    double p = pow(a.low, b.low), q = pow(a.low, b.high), r = pow(a.high, b.low), s = pow(a.high, b.high);
    return widened(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static slip_interval power_rate(slip_interval a, slip_interval a1, slip_interval b, slip_interval b1,
                                slip_interval value)
{
    const slip_interval one_less = sum(b, (slip_interval){-1, -1});
    slip_interval by_base = nothing, by_exponent = nothing;
    if (!is_zero(a1))
        by_base = product(product(b, one_less.low == 0 && one_less.high == 0 ? (slip_interval){1, 1}
                                                                             : real_power(a, one_less)),
                          a1);
    if (!is_zero(b1))
        by_exponent = a.low > 0 ? product(product(value, rising(log, a)), b1) : everything;
    return sum(by_base, by_exponent);
}

/* ---- One operation: value and rate. */

typedef struct enclosure {
    slip_interval value, rate;
} enclosure;

/* A comparison: 1, 0, or both with an unknown rate. */
static enclosure truth(bool always, bool never)
{
    if (always || never)
        return (enclosure){{always, always}, nothing};
    return (enclosure){{0, 1}, everything};
}

static enclosure compared(slip_op op, slip_interval a, slip_interval b)
{
    switch (op) {
    case SLIP_OP_LESS:
        return truth(a.high < b.low, a.low >= b.high);
    case SLIP_OP_LESS_EQUAL:
        return truth(a.high <= b.low, a.low > b.high);
    case SLIP_OP_GREATER:
        return truth(a.low > b.high, a.high <= b.low);
    case SLIP_OP_GREATER_EQUAL:
        return truth(a.low >= b.high, a.high < b.low);
    case SLIP_OP_EQUAL:
        return truth(a.low == b.high && a.high == b.low, a.high < b.low || a.low > b.high);
    default:
        return truth(a.high < b.low || a.low > b.high, a.low == b.high && a.high == b.low);
    }
}

/* floor and ceil; mod(a, b) = a - b floor(a / b). */
static enclosure stepped(double (*f)(double), slip_interval a)
{
    double low = f(a.low), high = f(a.high);
    return (enclosure){{low, high}, low == high ? nothing : everything};
}

static enclosure modulo(enclosure a, enclosure b)
{
    enclosure level = stepped(floor, quotient(a.value, b.value));
    slip_interval whole = level.value;
    enclosure result;
    if (whole.low != whole.high || !isfinite(whole.low)) {
        double most = fmax(fabs(b.value.low), fabs(b.value.high));
        return (enclosure){{b.value.low < 0 ? -most : 0, b.value.high > 0 ? most : 0}, everything};
    }
    result.value = sum(a.value, negative(scaled(b.value, whole.low)));
    result.rate = sum(a.rate, negative(scaled(b.rate, whole.low)));
    return result;
}

static enclosure chosen(enclosure condition, enclosure yes, enclosure no)
{
    if (!has_zero(condition.value))
        return yes;
    if (is_zero(condition.value))
        return no;
    return (enclosure){hull(yes.value, no.value), everything};
}

/* min(a, b); max by signs. */
static enclosure smaller(enclosure a, enclosure b)
{
    if (a.value.high < b.value.low)
        return a;
    if (b.value.high < a.value.low)
        return b;
    return (enclosure){{fmin(a.value.low, b.value.low), fmin(a.value.high, b.value.high)},
                       hull(a.rate, b.rate)};
}

static enclosure opposite(enclosure a)
{
    return (enclosure){negative(a.value), negative(a.rate)};
}

static enclosure magnitude(enclosure a)
{
    if (a.value.low >= 0)
        return a;
    if (a.value.high <= 0)
        return opposite(a);
    return (enclosure){{0, fmax(-a.value.low, a.value.high)}, hull(a.rate, negative(a.rate))};
}

static enclosure signed_unit(slip_interval a)
{
    if (a.low > 0 || a.high < 0 || is_zero(a))
        return (enclosure){{(a.low > 0) - (a.high < 0), (a.low > 0) - (a.high < 0)}, nothing};
    return (enclosure){{-1, 1}, everything};
}

static enclosure length_of(enclosure a, enclosure b)
{
    enclosure x = magnitude(a), y = magnitude(b);
    double most = hypot(fmax(fabs(a.rate.low), fabs(a.rate.high)), fmax(fabs(b.rate.low), fabs(b.rate.high)));
    return (enclosure){widened(hypot(x.value.low, y.value.low), hypot(x.value.high, y.value.high)),
                       widened(-most, most)};
}

static enclosure angle_of(enclosure a, enclosure b)
{
    slip_interval radius = sum(square(a.value), square(b.value));
    slip_interval value = {-2 * half_pi, 2 * half_pi};
    bool jumps = b.value.low <= 0 && has_zero(a.value);
    if (b.value.low > 0)
        value = rising(atan, quotient(a.value, b.value));
    if (jumps)
        return (enclosure){value, everything};
    return (enclosure){value,
                       quotient(sum(product(b.value, a.rate), negative(product(a.value, b.rate))), radius)};
}

/* ---- Tables. */

/* a + b x + c x^2 + d x^3 over x: its ends, and where its slope is zero inside. */
static slip_interval cubic_range(const double *k, slip_interval x)
{
    const double ends[2] = {x.low, x.high}, root = sqrt(fmax(k[2] * k[2] - 3 * k[3] * k[1], 0));
    const double q = -(k[2] + copysign(root, k[2])), turns[2] = {q / (3 * k[3]), k[1] / q};
    slip_interval range = {INFINITY, -INFINITY};
    double size = 0;
    for (int i = 0; i < 4; i++) {
        const double at = i < 2 ? ends[i] : turns[i - 2];
        if (i > 1 && !(at > x.low && at < x.high))
            continue;
        range = hull(range, (slip_interval){k[0] + at * (k[1] + at * (k[2] + at * k[3])),
                                            k[0] + at * (k[1] + at * (k[2] + at * k[3]))});
        size = fmax(size, fabs(k[0]) + fabs(at) * (fabs(k[1]) + fabs(at) * (fabs(k[2]) + fabs(at * k[3]))));
    }
    return widened(range.low - 8 * DBL_EPSILON * size, range.high + 8 * DBL_EPSILON * size);
}

/* One piece, also beyond its ends. */
static enclosure piece_range(const slip_interpolant *table, int piece, slip_interval a)
{
    const double *c = table->piece[piece], slope[4] = {c[1], 2 * c[2], 3 * c[3], 0};
    const double from = table->x[piece > 0 ? piece - 1 : 0];
    if (c[1] == 0 && c[2] == 0 && c[3] == 0)
        return (enclosure){{c[0], c[0]}, nothing};
    if (!isfinite(a.low) || !isfinite(a.high))
        return (enclosure){everything, everything};
    const slip_interval x = {a.low - from, a.high - from};
    return (enclosure){cubic_range(c, x), cubic_range(slope, x)};
}

/* The values and slopes of a table over an interval of its argument; slopes are infinite across a jump. */
static enclosure table_range(const slip_interpolant *table, slip_interval a)
{
    const int first = slip_interpolant_find(table, a.low), last = slip_interpolant_find(table, a.high);
    enclosure result = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    for (int k = first; k <= last; k++) {
        const slip_interval part = {fmax(a.low, slip_interpolant_low(table, k)),
                                    fmin(a.high, slip_interpolant_high(table, k))};
        const enclosure one = piece_range(table, k, part);
        result = (enclosure){hull(result.value, one.value), hull(result.rate, one.rate)};
    }
    if (last > first && table->between == SLIP_BETWEEN_HOLD)
        result.rate = everything;
    return result;
}

static enclosure tabled(const slip_interpolant *table, enclosure a, enclosure piece, bool frozen)
{
    enclosure result;
    if (!frozen)
        result = table_range(table, a.value);
    else if (piece.value.low == piece.value.high && piece.value.low >= 0 && piece.value.low <= table->count)
        result = piece_range(table, (int)piece.value.low, a.value);
    else
        return (enclosure){everything, everything};
    result.rate = is_zero(a.rate) ? nothing : product(result.rate, a.rate);
    return result;
}

/* A function of one operand: its range, and the range of its derivative. */
static bool of_one(slip_op op, slip_interval a, slip_interval *value, slip_interval *slope)
{
    const slip_interval one = {1, 1};
    switch (op) {
    case SLIP_OP_SQRT:
        *value = rising(sqrt, clipped(a, 0, INFINITY));
        *slope = reciprocal(scaled(*value, 2));
        return true;
    case SLIP_OP_CBRT:
        *value = rising(cbrt, a);
        *slope = reciprocal(scaled(square(*value), 3));
        return true;
    case SLIP_OP_EXP:
        *value = *slope = clipped(rising(exp, a), 0, INFINITY);
        return true;
    case SLIP_OP_LOG:
        *value = a.low > 0 ? rising(log, a) : everything;
        *slope = reciprocal(a);
        return true;
    case SLIP_OP_LOG10:
        *value = a.low > 0 ? rising(log10, a) : everything;
        *slope = reciprocal(scaled(a, 2.302585092994045684));
        return true;
    case SLIP_OP_SIN:
        *value = sine(a, 0);
        *slope = cosine(a);
        return true;
    case SLIP_OP_COS:
        *value = cosine(a);
        *slope = negative(sine(a, 0));
        return true;
    case SLIP_OP_TAN:
        *value = rising(tan, a);
        if (has_phase(a, half_pi) || has_phase(a, -half_pi) || !(a.high - a.low < 2 * half_pi))
            *value = everything;
        *slope = sum(one, square(*value));
        return true;
    case SLIP_OP_ASIN:
    case SLIP_OP_ACOS: {
        slip_interval inside = clipped(a, -1, 1), rest = sum(one, negative(square(inside)));
        *value = op == SLIP_OP_ASIN ? rising(asin, inside) : negative(rising(asin, inside));
        if (op == SLIP_OP_ACOS)
            *value = sum(*value, widened(half_pi, half_pi));
        *slope = reciprocal(rising(sqrt, clipped(rest, 0, INFINITY)));
        if (op == SLIP_OP_ACOS)
            *slope = negative(*slope);
        return true;
    }
    case SLIP_OP_ATAN:
        *value = rising(atan, a);
        *slope = reciprocal(sum(one, square(a)));
        return true;
    case SLIP_OP_SINH:
    case SLIP_OP_COSH: {
        enclosure size = magnitude((enclosure){a, nothing});
        slip_interval up = rising(sinh, a), even = rising(cosh, size.value);
        *value = op == SLIP_OP_SINH ? up : even;
        *slope = op == SLIP_OP_SINH ? even : up;
        return true;
    }
    case SLIP_OP_TANH:
        *value = clipped(rising(tanh, a), -1, 1);
        *slope = clipped(sum(one, negative(square(*value))), 0, 1);
        return true;
    case SLIP_OP_ERF:
        *value = clipped(rising(erf, a), -1, 1);
        *slope = scaled(clipped(rising(exp, negative(square(a))), 0, 1), 1.128379167095512574);
        return true;
    default:
        return false;
    }
}

static enclosure operate(const slip_operation *o, const enclosure *v, const slip_interpolants *tables)
{
    const enclosure a = v[o->a], b = v[o->b];
    enclosure result;
    slip_interval slope;
    if (of_one(o->op, a.value, &result.value, &slope)) {
        result.rate = is_zero(a.rate) ? nothing : product(slope, a.rate);
        return result;
    }
    switch (o->op) {
    case SLIP_OP_ADD:
        return (enclosure){sum(a.value, b.value), sum(a.rate, b.rate)};
    case SLIP_OP_SUBTRACT:
        return (enclosure){sum(a.value, negative(b.value)), sum(a.rate, negative(b.rate))};
    case SLIP_OP_MULTIPLY:
        return (enclosure){o->a == o->b ? square(a.value) : product(a.value, b.value),
                           sum(product(a.rate, b.value), product(a.value, b.rate))};
    case SLIP_OP_DIVIDE:
        result.value = quotient(a.value, b.value);
        result.rate = quotient(sum(a.rate, negative(product(result.value, b.rate))), b.value);
        return result;
    case SLIP_OP_NEGATE:
        return opposite(a);
    case SLIP_OP_POWER:
        result.value = real_power(a.value, b.value);
        result.rate = power_rate(a.value, a.rate, b.value, b.rate, result.value);
        return result;
    case SLIP_OP_INTEGER_POWER:
        result.value = whole_power(a.value, o->c);
        result.rate =
            is_zero(a.rate) ? nothing : product(scaled(whole_power(a.value, o->c - 1), o->c), a.rate);
        return result;
    case SLIP_OP_IF:
        return chosen(a, b, v[o->c]);
    case SLIP_OP_DEFINED:
        /* where the form holds it is defined; what it becomes elsewhere does not matter */
        if (isfinite(a.value.low) && isfinite(a.value.high))
            return a;
        return (enclosure){hull(a.value, b.value), hull(a.rate, b.rate)};
    case SLIP_OP_MINIMUM:
        return smaller(a, b);
    case SLIP_OP_MAXIMUM:
        return opposite(smaller(opposite(a), opposite(b)));
    case SLIP_OP_MOD:
        return modulo(a, b);
    case SLIP_OP_INTERPOLANT_PIECE:
    case SLIP_OP_INTERPOLANT:
        return tabled(tables->list[o->c], a, b, o->op == SLIP_OP_INTERPOLANT_PIECE);
    case SLIP_OP_HYPOT:
        return length_of(a, b);
    case SLIP_OP_ATAN2:
        return angle_of(a, b);
    case SLIP_OP_ABS:
        return magnitude(a);
    case SLIP_OP_SIGN:
        return signed_unit(a.value);
    case SLIP_OP_STEP:
        return truth(a.value.low >= 0, a.value.high < 0);
    case SLIP_OP_FLOOR:
        return stepped(floor, a.value);
    case SLIP_OP_CEIL:
        return stepped(ceil, a.value);
    default:
        return compared(o->op, a.value, b.value);
    }
}

int slip_expression_bounds_scratch(const slip_expression *expression)
{
    return 2 * expression->value_count;
}

void slip_expression_bounds(const slip_expression *expression, const double *slots, int time,
                            slip_interval during, slip_interval *scratch, slip_interval *value,
                            slip_interval *rate)
{
    _Static_assert(sizeof(enclosure) == 2 * sizeof(slip_interval), "two intervals for each value");
    enclosure *values = (enclosure *)(void *)scratch, *next = values;
    for (int i = 0; i < expression->constant_count; i++)
        *next++ = (enclosure){{expression->constants[i], expression->constants[i]}, nothing};
    for (int i = 0; i < expression->slot_count; i++) {
        const int slot = expression->slots[i];
        *next++ =
            slot == time ? (enclosure){during, {1, 1}} : (enclosure){{slots[slot], slots[slot]}, nothing};
    }
    for (int i = 0; i < expression->operation_count; i++) {
        enclosure result = operate(&expression->operations[i], values, &expression->tables);
        if (isnan(result.value.low) || isnan(result.value.high))
            result.value = everything;
        if (isnan(result.rate.low) || isnan(result.rate.high))
            result.rate = everything;
        *next++ = result;
    }
    *value = next[-1].value;
    *rate = next[-1].rate;
}
