/* Friction laws: values, slopes, breaks, charts, extensions, eta', and every error. */
#include "law/law.h"
#include "test.h"

#include <float.h>
#include <string.h>

static const long double pi_long = 3.14159265358979323846264338327950288L;

static double log_uniform(uint64_t *seed, double low, double high)
{
    return exp(test_random(seed, log(low), log(high)));
}

/* ---- slow and obvious twins, in long double ---- */

/* The two-piece elliptic function as it is written. */
static long double two_piece(long double v1, long double v2, long double h1, long double h2, long double v)
{
    long double va = (v1 + v2) / 2, ha = (h1 + h2) / 2, a = (h2 - h1) / 2, b = (v2 - v1) / 2;
    if (v <= va)
        return ha - a * sqrtl(1 - (v - v1) / b * ((v - v1) / b));
    return ha + a * sqrtl(1 - (v - v2) / b * ((v - v2) / b));
}

static long double elliptic_twin(const slip_law *law, long double v)
{
    long double h = law->mu, d = law->width, d1 = law->static_width;
    long double q = h + h * d1 / d, a = d + d1, b = d + 2 * d1;
    if (v <= -b)
        return -h;
    if (v <= -a)
        return -two_piece(a, b, q, h, -v);
    if (v < a)
        return two_piece(-a, a, -q, q, v);
    if (v < b)
        return two_piece(a, b, q, h, v);
    return h;
}

/* The law as the documentation writes it, viscous part included. */
static long double twin(const slip_law *law, long double v)
{
    long double shape = 0, sign = (v > 0) - (v < 0), mu = law->mu;
    if (strcmp(law->type, "coulomb") == 0)
        shape = mu * sign;
    else if (strcmp(law->type, "stribeck") == 0)
        shape =
            sign * mu *
            (1 + ((long double)law->static_ratio - 1) * expl(-powl(fabsl(v) / law->velocity, law->exponent)));
    else if (strcmp(law->type, "tanh") == 0)
        shape = mu * tanhl(v / law->velocity);
    else if (strcmp(law->type, "arctan") == 0)
        shape = mu * 2 / pi_long * atanl(v / law->velocity);
    else if (strcmp(law->type, "sqrt") == 0) {
        long double e = law->epsilon, r = v * v + e * e;
        shape = mu * v * (1 / sqrtl(r) + law->eta_prime * e * e * e / (r * r));
    } else if (strcmp(law->type, "elliptic") == 0)
        shape = elliptic_twin(law, v);
    else
        fail();
    return shape + law->viscous * v;
}

/* Central difference of order 6. */
static double twin_slope(const slip_law *law, long double v, long double step)
{
    long double d1 = twin(law, v + step) - twin(law, v - step);
    long double d2 = twin(law, v + 2 * step) - twin(law, v - 2 * step);
    long double d3 = twin(law, v + 3 * step) - twin(law, v - 3 * step);
    return (double)((45 * d1 - 9 * d2 + d3) / (60 * step));
}

/* ---- random laws ---- */

static const char *const smooth_and_set_valued[] = {"coulomb", "stribeck", "tanh",
                                                    "arctan",  "sqrt",     "elliptic"};
enum { type_count = 6 };

static slip_law random_law(const char *type, uint64_t *seed)
{
    slip_law law = slip_law_default(type);
    const slip_law_type *row = slip_law_find(type);
    double coin = test_random(seed, 0, 1);
    for (int i = 0; i < row->info.parameter_count; i++)
        *slip_law_parameter(&law, row->info.parameters[i].name) = log_uniform(seed, 0.05, 5);
    if (!isnan(law.static_ratio))
        law.static_ratio += 1;
    if (strcmp(type, "sqrt") == 0)
        *(coin < 0.5 ? &law.static_ratio : &law.eta_prime) = NAN;
    if (strcmp(type, "stribeck") == 0 && coin < 0.6)
        law.exponent = coin < 0.2 ? NAN : coin < 0.4 ? 1 : 3;
    if (strcmp(type, "elliptic") == 0 && coin < 0.3)
        law.static_width = NAN;
    return law;
}

/* The velocity over which the law changes. */
static double velocity_scale(const slip_law *law)
{
    if (!isnan(law->velocity))
        return law->velocity;
    if (!isnan(law->epsilon))
        return law->epsilon;
    return isnan(law->width) ? 1 : law->width + law->static_width;
}

static slip_law_kernel prepared(const slip_law *law)
{
    slip_law_kernel kernel;
    slip_context *ctx = slip_context_create();
    int status = slip_law_prepare(ctx, law, &kernel);
    if (status < 0)
        print_error("%s\n", slip_context_message(ctx));
    slip_context_destroy(ctx);
    assert_int_equal(status, SLIP_OK);
    return kernel;
}

static double break_distance(const slip_law_kernel *kernel, double v)
{
    double distance = INFINITY;
    for (int i = 0; i < kernel->break_count; i++)
        distance = fmin(distance, fabs(v - kernel->breaks[i].velocity));
    return distance;
}

static double force_at(const slip_law_kernel *kernel, double v)
{
    double force, slope;
    slip_law_force(kernel, slip_law_piece(kernel, v), v, &force, &slope);
    return force;
}

/* What the law's parameters say its largest force is, without the viscous part. */
static double largest_force(const slip_law_kernel *kernel)
{
    const slip_law *law = &kernel->law;
    double ratio = !isnan(law->static_ratio)   ? law->static_ratio
                   : !isnan(law->static_width) ? 1 + law->static_width / law->width
                                               : 1;
    return law->mu * ratio;
}

/* ---- values and slopes ---- */

static void values_and_slopes_match_the_formulas(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int trial = 0; trial < 1500 * type_count; trial++) {
        slip_law law = random_law(smooth_and_set_valued[trial % type_count], &seed);
        slip_law_kernel kernel = prepared(&law);
        double scale = velocity_scale(&kernel.law), height = largest_force(&kernel);
        for (int k = 0; k < 5; k++) {
            double v = test_random(&seed, -3 * scale, 3 * scale), force, slope;
            double room = fmin(break_distance(&kernel, v), scale);
            if (room < 1e-4 * scale)
                continue;
            slip_law_force(&kernel, slip_law_piece(&kernel, v), v, &force, &slope);
            assert_close(force, (double)twin(&kernel.law, v), 1e-13 * (height + fabs(force)) * scale / room);
            assert_close(slope, twin_slope(&kernel.law, v, 4e-3L * room),
                         1e-11 * (height / room + fabs(slope)) * scale / room);
        }
    }
}

static void public_call_agrees_with_the_kernel(void **state)
{
    slip_context *ctx = slip_context_create();
    uint64_t seed = 2;
    (void)state;
    for (int trial = 0; trial < 100 * type_count; trial++) {
        slip_law law = random_law(smooth_and_set_valued[trial % type_count], &seed);
        slip_law_kernel kernel = prepared(&law);
        double v = test_random(&seed, -10, 10), force, slope;
        assert_int_equal(slip_law_evaluate(ctx, &law, v, &force, &slope), SLIP_OK);
        assert_true(force == force_at(&kernel, v));
        assert_int_equal(slip_law_evaluate(ctx, &law, 0, &force, &slope), SLIP_OK);
        assert_true(force == 0);
        assert_true(!isnan(slope));
    }
    slip_context_destroy(ctx);
}

/* Computed independently of this program. */
static void elliptic_law_has_its_reference_values(void **state)
{
    static const double plain[][2] = {{0, 0.0},
                                      {0.0001, 0.05059486139915792},
                                      {0.01, 0.5043808085167396},
                                      {0.1, 1.5491933384829668},
                                      {0.4, 2.7712812921102037},
                                      {0.79, 3.199749990233612},
                                      {0.8, 3.2},
                                      {1.0, 3.2},
                                      {-0.4, -2.7712812921102037}};
    static const double peaked[][2] = {{0.1, 1.1135528725660044},
                                       {0.8, 2.7712812921102037},
                                       {1.6, 3.2},
                                       {1.7, 3.1745966692414833},
                                       {1.9, 2.929150262212918},
                                       {2.0, 2.4},
                                       {2.1, 1.8708497377870819},
                                       {2.3, 1.6254033307585167},
                                       {2.4, 1.6},
                                       {3, 1.6},
                                       {-1.9, -2.929150262212918},
                                       {-2.1, -1.8708497377870819}};
    slip_law law = slip_law_default("elliptic");
    slip_law_kernel kernel;
    (void)state;
    law.mu = 3.2;
    law.width = 0.8;
    kernel = prepared(&law);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_close(force_at(&kernel, plain[i][0]), plain[i][1], 1e-13);
    law.mu = 1.6;
    law.static_width = 0.8;
    kernel = prepared(&law);
    for (size_t i = 0; i < sizeof peaked / sizeof *peaked; i++)
        assert_close(force_at(&kernel, peaked[i][0]), peaked[i][1], 1e-13);
}

static void elliptic_law_keeps_its_digits_next_to_rest(void **state)
{
    slip_law law = slip_law_default("elliptic");
    slip_law_kernel kernel;
    (void)state;
    law.mu = 3;
    law.width = 0.7;
    kernel = prepared(&law);
    for (double v = 1e-300; v < 0.7; v *= 97) {
        long double x = v / 0.7L, force = 3 * sqrtl(x * (2 - x));
        assert_close_relative(force_at(&kernel, v), (double)force, 1e-15);
        assert_close_relative(force_at(&kernel, -v), -(double)force, 1e-15);
    }
}

static void laws_are_odd_and_dissipate(void **state)
{
    static const double extreme[] = {0, 1e-300, 1e-12, 1e12, 1e200, 1e300};
    uint64_t seed = 3;
    (void)state;
    for (int trial = 0; trial < 600 * type_count; trial++) {
        slip_law law = random_law(smooth_and_set_valued[trial % type_count], &seed);
        slip_law_kernel kernel = prepared(&law);
        for (int k = 0; k < 12; k++) {
            double v = k < 6 ? extreme[k] : log_uniform(&seed, 1e-6, 1e2), force, slope, mirrored, same;
            if (break_distance(&kernel, v) ==
                0) /* at a break the piece above holds, which is not symmetric */
                continue;
            slip_law_force(&kernel, slip_law_piece(&kernel, v), v, &force, &slope);
            slip_law_force(&kernel, slip_law_piece(&kernel, -v), -v, &mirrored, &same);
            assert_true(isfinite(force) && isfinite(slope));
            assert_true(force == -mirrored);
            assert_true(slope == same);
            assert_true(v * force >= 0);
            kernel.type->evaluate(&kernel, slip_law_piece(&kernel, v), v, &force, &slope);
            assert_true(fabs(force) <= largest_force(&kernel) * (1 + 1e-14));
        }
    }
}

static void zero_friction_is_no_force(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int trial = 0; trial < 10 * type_count; trial++) {
        slip_law law = random_law(smooth_and_set_valued[trial % type_count], &seed);
        slip_law_kernel kernel;
        law.mu = 0;
        law.viscous = 0;
        kernel = prepared(&law);
        for (double v = -6; v <= 6; v += 0.25) {
            double force, slope;
            slip_law_force(&kernel, slip_law_piece(&kernel, v), v, &force, &slope);
            assert_true(force == 0 && slope == 0);
        }
    }
}

/* ---- breaks and pieces ---- */

static void pieces_lie_between_sorted_breaks(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (int trial = 0; trial < 200 * type_count; trial++) {
        slip_law law = random_law(smooth_and_set_valued[trial % type_count], &seed);
        slip_law_kernel kernel = prepared(&law);
        for (int i = 0; i < kernel.break_count; i++) {
            double at = kernel.breaks[i].velocity;
            if (i > 0)
                assert_true(kernel.breaks[i - 1].velocity < at);
            assert_true(at == -kernel.breaks[kernel.break_count - 1 - i].velocity);
            assert_int_equal(slip_law_piece(&kernel, nextafter(at, -INFINITY)), i);
            assert_int_equal(slip_law_piece(&kernel, at), i + 1);
            assert_true(!kernel.breaks[i].singular || kernel.breaks[i].radius > 0);
            assert_true(!kernel.breaks[i].singular || kernel.type->chart);
        }
    }
}

static void laws_have_the_breaks_they_should(void **state)
{
    slip_law law = slip_law_default("elliptic");
    slip_law_kernel kernel;
    (void)state;
    law.mu = 2;
    law.width = 0.5;
    kernel = prepared(&law);
    assert_int_equal(kernel.break_count, 3);
    assert_true(kernel.breaks[0].velocity == -0.5 && !kernel.breaks[0].singular);
    assert_true(kernel.breaks[1].velocity == 0 && kernel.breaks[1].singular);
    assert_true(kernel.breaks[1].radius == 0.5);
    assert_true(kernel.breaks[2].velocity == 0.5 && !kernel.breaks[2].singular);
    law.static_width = 0.25;
    kernel = prepared(&law);
    assert_int_equal(kernel.break_count, 7);
    assert_true(kernel.breaks[3].velocity == 0 && kernel.breaks[3].radius == 0.75);
    assert_true(kernel.breaks[4].velocity == 0.75 && !kernel.breaks[4].singular);
    assert_true(kernel.breaks[5].velocity == 0.875 && kernel.breaks[5].singular);
    assert_true(kernel.breaks[5].radius == 0.125);
    assert_true(kernel.breaks[6].velocity == 1 && !kernel.breaks[6].singular);
    law.static_width = 1e-20; /* lost in rounding: as if it were not there */
    kernel = prepared(&law);
    assert_int_equal(kernel.break_count, 3);
    law = slip_law_default("tanh");
    law.mu = law.velocity = 1;
    assert_int_equal(prepared(&law).break_count, 0);
    law = slip_law_default("coulomb");
    law.mu = 1;
    kernel = prepared(&law);
    assert_int_equal(kernel.break_count, 1);
    assert_true(kernel.breaks[0].velocity == 0 && !kernel.breaks[0].singular);
}

/* Force and, at a regular break, slope have no jump. */
static void elliptic_law_is_continuous_at_its_breaks(void **state)
{
    uint64_t seed = 6;
    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        slip_law law = random_law("elliptic", &seed);
        slip_law_kernel kernel = prepared(&law);
        double q = largest_force(&kernel);
        for (int i = 0; i < kernel.break_count; i++) {
            double v = kernel.breaks[i].velocity, below, above, slope_below, slope_above;
            kernel.type->evaluate(&kernel, i, v, &below, &slope_below);
            kernel.type->evaluate(&kernel, i + 1, v, &above, &slope_above);
            assert_close(below, above, 1e-14 * q);
            if (kernel.breaks[i].singular) {
                assert_true(isinf(slope_below) && slope_below == slope_above);
                assert_true((slope_above > 0) == (v == 0)); /* up at rest, down behind the static peak */
            } else {
                assert_close(slope_below, slope_above, 1e-12 * q / kernel.breaks[1].radius);
            }
        }
        if (kernel.break_count == 7)
            assert_close(force_at(&kernel, kernel.breaks[4].velocity),
                         q + kernel.law.viscous * kernel.breaks[4].velocity, 1e-14 * q);
    }
}

/* ---- charts ---- */

static void check_chart(const slip_law_kernel *kernel, int at, double s)
{
    const slip_law_break *here = &kernel->breaks[at];
    double q = largest_force(kernel);
    double half = sin(s / 2), v = here->velocity + copysign(here->radius * 2 * half * half, s);
    double force, slope, direct, direct_slope, samples[7], difference;
    kernel->type->chart(kernel, at, s, &force, &slope);
    for (int k = -3; k <= 3; k++) {
        double ignored;
        kernel->type->chart(kernel, at, s + 1e-2 * k, &samples[k + 3], &ignored);
    }
    difference =
        (45 * (samples[4] - samples[2]) - 9 * (samples[5] - samples[1]) + samples[6] - samples[0]) / 0.6;
    assert_close(slope, difference, 1e-12 * q);
    /* v carries a rounding error that the infinite slope magnifies, the more the nearer s is to 0. */
    double rounding = 4 * DBL_EPSILON * fabs(here->velocity) / here->radius / fabs(s);
    kernel->type->evaluate(kernel, s < 0 ? at : at + 1, v, &direct, &direct_slope);
    assert_close(force, direct, (1e-14 + rounding) * q);
    assert_close(force, (double)elliptic_twin(&kernel->law, v), (1e-14 + rounding) * q);
    /* The chain rule: dF/ds = dF/dv dv/ds, dv/ds = radius |sin s|. */
    assert_close(slope, direct_slope * here->radius * fabs(sin(s)), (1e-13 + rounding / fabs(s)) * q);
}

static void charts_agree_with_the_law(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (int trial = 0; trial < 1000; trial++) {
        slip_law law = random_law("elliptic", &seed);
        slip_law_kernel kernel = prepared(&law);
        for (int at = 0; at < kernel.break_count; at++) {
            if (!kernel.breaks[at].singular)
                continue;
            for (int k = 0; k < 4; k++) {
                double s = log_uniform(&seed, 1e-3, 1.57);
                check_chart(&kernel, at, s);
                check_chart(&kernel, at, -s);
            }
        }
    }
}

/* ---- beyond the ends of the pieces ---- */

/* At a regular end of an arch the force is H + a sqrt(1-w^2), w the distance over the radius. */
static void elliptic_pieces_continue_analytically(void **state)
{
    uint64_t seed = 8;
    (void)state;
    for (int trial = 0; trial < 500; trial++) {
        slip_law law = random_law("elliptic", &seed);
        slip_law_kernel kernel = prepared(&law);
        double q = largest_force(&kernel);
        for (int piece = 1; piece < kernel.break_count; piece++) {
            /* Of the piece's two ends one is singular, the other one regular. */
            int singular = kernel.breaks[piece].singular ? piece : piece - 1;
            int regular = singular == piece ? piece - 1 : piece;
            double end = kernel.breaks[regular].velocity, radius = kernel.breaks[singular].radius;
            double outward = regular == piece ? 1 : -1, middle, top, a, slope;
            kernel.type->evaluate(&kernel, piece, end, &top, &slope);
            kernel.type->chart(&kernel, singular, 0, &middle, &slope);
            a = top - middle;
            for (double w = -0.04; w <= 0.04; w += 0.005) {
                double w2 = w * w, force;
                double series = 1 - w2 / 2 * (1 + w2 / 4 * (1 + w2 / 2 * (1 + w2 * 5 / 8)));
                double derivative = -w * (1 + w2 / 2 * (1 + w2 * 3 / 4 * (1 + w2 * 5 / 6)));
                kernel.type->evaluate(&kernel, piece, end + outward * w * radius, &force, &slope);
                assert_close(force, middle + a * series, 1e-12 * q);
                assert_close(slope * radius, outward * a * derivative, 1e-10 * q + 1e-14 * q * end / radius);
            }
        }
    }
}

static void stribeck_pieces_continue_analytically(void **state)
{
    slip_law law = slip_law_default("stribeck");
    (void)state;
    law.mu = 0.5;
    law.static_ratio = 1.8;
    law.velocity = 0.25;
    for (int n = 1; n <= 4; n++) {
        slip_law_kernel kernel;
        law.exponent = n;
        kernel = prepared(&law);
        for (double x = -0.05; x <= 0.05; x += 0.01) {
            double power = pow(x, n), force, slope, mirrored, same;
            double series = 1 - power * (1 - power / 2 * (1 - power / 3 * (1 - power / 4 * (1 - power / 5))));
            kernel.type->evaluate(&kernel, 1, 0.25 * x, &force, &slope);
            kernel.type->evaluate(&kernel, 0, -0.25 * x, &mirrored, &same);
            assert_close(force, 0.5 + 0.4 * series, 1e-10);
            assert_close(slope, -0.4 * n * pow(x, n - 1) * series / 0.25, 1e-9);
            assert_true(force == -mirrored && slope == same);
        }
        /* Far beyond the end the value of x = -1 is held, before an odd n makes the exponential explode. */
        double edge, far_out, slope;
        kernel.type->evaluate(&kernel, 1, -0.25, &edge, &slope);
        kernel.type->evaluate(&kernel, 1, -0.75, &far_out, &slope);
        assert_true(far_out == edge && slope == 0);
    }
}

static void no_piece_gives_nan_anywhere(void **state)
{
    uint64_t seed = 9;
    (void)state;
    for (int trial = 0; trial < 300 * type_count; trial++) {
        slip_law law = random_law(smooth_and_set_valued[trial % type_count], &seed);
        slip_law_kernel kernel = prepared(&law);
        for (int piece = 0; piece <= kernel.break_count; piece++) {
            for (int k = 0; k < 20; k++) {
                double v = log_uniform(&seed, 1e-9, k < 4 ? 1e300 : 1e2) * (k % 2 ? -1 : 1), force, slope;
                slip_law_force(&kernel, piece, k == 19 ? 0 : v, &force, &slope);
                assert_true(isfinite(force));
                assert_true(!isnan(slope));
            }
        }
    }
}

/* ---- eta' ---- */

static long double peaked_law(long double phi, long double eta_prime)
{
    long double v = tanl(phi), r = 1 + v * v;
    return v * (1 / sqrtl(r) + eta_prime / (r * r));
}

/* The largest value in (pi/6, pi/3), where the law has one hill, by golden section in v = tan(phi). */
static long double largest_value(long double eta_prime)
{
    const long double ratio = (sqrtl(5) - 1) / 2;
    long double low = pi_long / 6, high = pi_long / 3;
    for (int i = 0; i < 80; i++) {
        long double left = high - ratio * (high - low), right = low + ratio * (high - low);
        if (peaked_law(left, eta_prime) < peaked_law(right, eta_prime))
            low = left;
        else
            high = right;
    }
    return peaked_law((low + high) / 2, eta_prime);
}

static void eta_prime_has_its_reference_values(void **state)
{
    static const double reference[][2] = {{1.01, 1.1978978294285326827},
                                          {1.1, 1.5667213026034006906},
                                          {1.5, 2.9295335312202440922},
                                          {2.7, 6.7085189151810976603},
                                          {4.98, 13.762666980404474125}};
    (void)state;
    for (size_t i = 0; i < sizeof reference / sizeof *reference; i++) {
        assert_close(slip_law_eta_prime(reference[i][0]), reference[i][1], 1e-13);
        assert_close(slip_law_static_ratio(reference[i][1]), reference[i][0], 1e-13);
    }
}

static void eta_prime_makes_eta_the_maximum(void **state)
{
    uint64_t seed = 10;
    (void)state;
    for (int i = 0; i < 3000; i++) {
        double eta = i % 2 ? 1 + log_uniform(&seed, 1e-14, 49) : test_random(&seed, 1, 50);
        double eta_prime = slip_law_eta_prime(eta);
        assert_close_relative((double)largest_value(eta_prime), eta, 2e-15);
        assert_close_relative(slip_law_static_ratio(eta_prime), eta, 4e-15);
    }
}

/* Newton's method in long double on the polynomial in w = 3z - 1 from far above, where it is convex. */
static void eta_prime_solves_the_cubic(void **state)
{
    (void)state;
    for (double excess = 1e-12; excess < 2e9; excess *= 1.7) {
        double eta = 1 + excess;
        long double e2 = (long double)eta * eta, w = 4, eta_prime;
        for (int i = 0; i < 200; i++)
            w -= (((e2 - 1) * w + 4 * e2 - 3) * w * w - 3 * w - 1) /
                 ((3 * (e2 - 1) * w + 2 * (4 * e2 - 3)) * w - 3);
        eta_prime = powl((4 + w) / 3, 1.5L) / w;
        assert_close_relative(slip_law_eta_prime(eta), (double)eta_prime, 2e-15);
        long double z = (1 + w) / 3;
        assert_true(z > 1 / 3.0L && z <= (5 + sqrtl(13)) / 6);
        assert_close((double)(((9 * (e2 - 1) * z + 3 * e2) * z - 5 * e2) * z / e2 + 1), 0, 1e-16);
    }
}

static void eta_prime_at_the_ends(void **state)
{
    long double z = (5 + sqrtl(13)) / 6, limit = powl(1 + z, 1.5L) / (3 * z - 1);
    (void)state;
    assert_true(slip_law_eta_prime(1) == 0);
    assert_close(slip_law_eta_prime(nextafter(1, 2)), (double)limit, 1e-14);
    assert_true(isnan(slip_law_eta_prime(0.5)) && isnan(slip_law_eta_prime(NAN)));
    assert_true(isnan(slip_law_static_ratio(-1)) && isnan(slip_law_static_ratio(NAN)));
    assert_true(slip_law_static_ratio(0) == 1 && slip_law_static_ratio(1) == 1);
    assert_close(slip_law_eta_prime(nextafter(1, 2)), 1.149928883538984,
                 1e-14); /* 1.149929 in docs/laws.md */
    assert_true(slip_law_static_ratio(1.149928) == 1 && slip_law_static_ratio(1.14993) > 1);
    assert_true((double)largest_value(1.149928L) < 1 && (double)largest_value(1.14993L) > 1);
    assert_close_relative(slip_law_static_ratio(slip_law_eta_prime(1e100)), 1e100, 1e-14);
    for (double eta_prime = 0; eta_prime < (double)limit; eta_prime += 0.05)
        for (double phi = 0; phi < 1.57; phi += 0.01)
            assert_true(peaked_law(phi, eta_prime) < 1);
}

static void sqrt_law_peaks_at_mu_static_ratio(void **state)
{
    slip_law law = slip_law_default("sqrt");
    slip_law_kernel kernel, by_weight;
    double largest = 0;
    (void)state;
    law.mu = 0.3;
    law.epsilon = 1e-3;
    law.static_ratio = 2.7;
    kernel = prepared(&law);
    for (double v = 0; v < 3e-3; v += 1e-7)
        largest = fmax(largest, force_at(&kernel, v));
    assert_close(largest, 0.81, 1e-8);
    law.eta_prime = slip_law_eta_prime(2.7);
    law.static_ratio = NAN;
    by_weight = prepared(&law);
    assert_true(force_at(&by_weight, 7e-4) == force_at(&kernel, 7e-4));
    assert_close(by_weight.law.static_ratio, 2.7, 1e-14);
    law.eta_prime = NAN;
    kernel = prepared(&law);
    assert_true(kernel.law.eta_prime == 0 && kernel.law.static_ratio == 1);
}

/* ---- the table ---- */

static void table_describes_every_law(void **state)
{
    (void)state;
    assert_int_equal(slip_law_count(), 14);
    assert_null(slip_law_at(-1));
    assert_null(slip_law_at(slip_law_count()));
    for (int i = 0; i < slip_law_count(); i++) {
        const slip_law_info *info = slip_law_at(i);
        slip_law law = slip_law_default(info->name);
        assert_ptr_equal(info, &slip_law_find(info->name)->info);
        assert_true(strlen(info->summary) > 0 && strlen(info->formula) > 0);
        for (int k = 0; k < info->parameter_count; k++) {
            double *value = slip_law_parameter(&law, info->parameters[k].name);
            assert_non_null(value);
            assert_true(isnan(*value));
            assert_true(strlen(info->parameters[k].meaning) > 0);
        }
        assert_string_equal(info->parameters[info->parameter_count - 1].name, "viscous");
    }
    assert_null(slip_law_find("maxwell"));
    assert_null(slip_law_parameter(&(slip_law){0}, "colour"));
}

static void set_valued_laws_hold(void **state)
{
    slip_law law = slip_law_default("stribeck");
    slip_law_kernel kernel;
    (void)state;
    law.mu = 0.4;
    law.static_ratio = 1.5;
    law.velocity = 1;
    kernel = prepared(&law);
    assert_close(slip_law_hold(&kernel), 0.6, 1e-15);
    assert_true(kernel.law.exponent == 2 && kernel.law.viscous == 0);
    assert_close(force_at(&kernel, 1e-12), slip_law_hold(&kernel), 1e-15);
    law = slip_law_default("coulomb");
    law.mu = 0.4;
    kernel = prepared(&law);
    assert_close(slip_law_hold(&kernel), 0.4, 1e-16);
    law = slip_law_default("arctan");
    law.mu = law.velocity = 1;
    kernel = prepared(&law);
    assert_true(slip_law_hold(&kernel) == 0);
}

static void cubic(void *user, double v, double *force, double *slope)
{
    *force = *(double *)user * v * v * v;
    *slope = *(double *)user * 3 * v * v;
}

static void forgetful(void *user, double v, double *force, double *slope)
{
    (void)user;
    (void)slope;
    *force = v;
}

static void a_law_can_be_a_function(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_law law = slip_law_default("function");
    double factor = 2, force, slope;
    (void)state;
    law.function = cubic;
    law.user = &factor;
    law.viscous = 0.5;
    assert_int_equal(slip_law_evaluate(ctx, &law, 3, &force, &slope), SLIP_OK);
    assert_close(force, 55.5, 0);
    assert_close(slope, 54.5, 0);
    law.function = forgetful;
    assert_int_equal(slip_law_evaluate(ctx, &law, 3, &force, &slope), SLIP_OK);
    assert_true(isnan(slope));
    slip_context_destroy(ctx);
}

/* ---- errors ---- */

static void expect_error(const slip_law *law, const char *message)
{
    slip_context *ctx = slip_context_create();
    slip_law_kernel kernel;
    double force = 7, slope = 8;
    assert_int_equal(slip_law_prepare(ctx, law, &kernel), SLIP_ERROR_MODEL);
    assert_string_equal(slip_context_message(ctx), message);
    assert_int_equal(slip_law_evaluate(ctx, law, 1, &force, &slope), SLIP_ERROR_MODEL);
    assert_string_equal(slip_context_message(ctx), message);
    assert_true(force == 7 && slope == 8);
    slip_context_destroy(ctx);
}

static void unknown_types_get_a_suggestion(void **state)
{
    slip_law law = slip_law_default("tahn");
    (void)state;
    expect_error(&law, "unknown law `tahn`; did you mean `tanh`? the laws are coulomb, stribeck, tanh, "
                       "arctan, sqrt, elliptic, function, dahl, lugre, "
                       "elastoplastic, jenkins, iwan, boucwen, rate_state");
    law.type = "maxwell";
    expect_error(&law, "unknown law `maxwell`; the laws are coulomb, stribeck, tanh, arctan, sqrt, elliptic, "
                       "function, dahl, lugre, elastoplastic, jenkins, iwan, boucwen, rate_state");
    law.type = NULL;
    expect_error(&law, "the law has no type");
}

static void parameters_of_other_laws_are_refused(void **state)
{
    slip_law law = slip_law_default("sqrt");
    (void)state;
    law.mu = law.epsilon = law.exponent = 1;
    expect_error(&law, "law `sqrt`: there is no parameter `exponent`; its parameters are mu, epsilon, "
                       "static_ratio, eta_prime, viscous");
    law.exponent = NAN;
    law.static_width = 1;
    expect_error(&law, "law `sqrt`: there is no parameter `static_width`; did you mean `static_ratio`? its "
                       "parameters are mu, epsilon, static_ratio, eta_prime, viscous");
    law = slip_law_default("function");
    law.function = cubic;
    law.mu = 1;
    expect_error(&law, "law `function`: there is no parameter `mu`; its parameters are viscous");
    law = slip_law_default("tanh");
    law.mu = law.velocity = 1;
    law.function = cubic;
    expect_error(&law, "law `tanh`: a function was given; expected type `function`");
}

static void missing_parameters_are_named(void **state)
{
    slip_law law = slip_law_default("tanh");
    (void)state;
    expect_error(&law, "law `tanh`: mu (kinetic coefficient of friction) is missing; expected >= 0");
    law.mu = 1;
    expect_error(&law, "law `tanh`: velocity (velocity scale: the slope at v = 0 is mu/velocity) is missing; "
                       "expected > 0");
    law = slip_law_default("function");
    expect_error(&law, "law `function`: the function is missing");
}

static void both_weights_of_the_peak_are_one_too_many(void **state)
{
    slip_law law = slip_law_default("sqrt");
    (void)state;
    law.mu = law.epsilon = 1;
    law.static_ratio = 1.5;
    law.eta_prime = 2;
    expect_error(&law, "law `sqrt`: both static_ratio and eta_prime are given; expected one of them");
}

/* Every parameter of every law, one at a time: missing (NaN), infinite, below its range, at the end of it. */
static void every_parameter_is_checked(void **state)
{
    slip_context *ctx = slip_context_create();
    uint64_t seed = 11;
    (void)state;
    for (int i = 0; i < type_count; i++) {
        const slip_law_info *info = &slip_law_find(smooth_and_set_valued[i])->info;
        for (int k = 0; k < info->parameter_count; k++) {
            const slip_law_parameter_info *parameter = &info->parameters[k];
            const double bad[] = {INFINITY, -INFINITY, nextafter(parameter->minimum, -1)};
            slip_law good = random_law(info->name, &seed), law;
            slip_law_kernel kernel;
            if (strcmp(info->name, "sqrt") == 0)
                good.static_ratio = good.eta_prime = NAN;
            for (int b = 0; b < 3; b++) {
                law = good;
                *slip_law_parameter(&law, parameter->name) = bad[b];
                assert_int_equal(slip_law_prepare(ctx, &law, &kernel), SLIP_ERROR_MODEL);
                assert_non_null(strstr(slip_context_message(ctx), parameter->name));
                assert_non_null(strstr(slip_context_message(ctx), b < 2 ? "not finite" : "out of range"));
            }
            law = good;
            *slip_law_parameter(&law, parameter->name) = NAN;
            assert_int_equal(slip_law_prepare(ctx, &law, &kernel),
                             isnan(parameter->fallback) ? SLIP_ERROR_MODEL : SLIP_OK);
            *slip_law_parameter(&law, parameter->name) = parameter->minimum;
            assert_int_equal(slip_law_prepare(ctx, &law, &kernel),
                             parameter->open ? SLIP_ERROR_MODEL : SLIP_OK);
        }
    }
    slip_context_destroy(ctx);
}

static void values_out_of_range_are_shown(void **state)
{
    slip_law law = slip_law_default("tanh");
    (void)state;
    law.mu = 0.3;
    law.velocity = -1;
    expect_error(&law, "law `tanh`: velocity = -1 is out of range; expected > 0");
    law.velocity = INFINITY;
    expect_error(&law, "law `tanh`: velocity = inf is not finite; expected > 0");
    law.velocity = 1e-310;
    expect_error(&law, "law `tanh`: the parameters are too far apart; forces or slopes overflow");
    law = slip_law_default("coulomb");
    law.mu = 0.3;
    law.static_ratio = nextafter(1, 0); /* must not be shown as 1 */
    expect_error(&law, "law `coulomb`: static_ratio = 0.99999999999999989 is out of range; expected >= 1");
    law = slip_law_default("boucwen");
    law.stiffness = 1;
    law.beta = 1;
    law.gamma = -1.5; /* z' = a v + z v/2 while it slips on: nothing bounds z */
    expect_error(&law,
                 "law `boucwen`: beta + gamma = 1 + -1.5 is negative: nothing limits the force, which grows "
                 "without end as the contact slips; expected beta + gamma >= 0 (and gamma between -beta and "
                 "beta, else loops give energy)");
}

static void velocity_must_be_finite(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_law law = slip_law_default("coulomb");
    double force, slope;
    (void)state;
    law.mu = 1;
    assert_int_equal(slip_law_evaluate(ctx, &law, NAN, &force, &slope), SLIP_ERROR_USAGE);
    assert_int_equal(slip_law_evaluate(ctx, &law, INFINITY, &force, &slope), SLIP_ERROR_USAGE);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_slopes_match_the_formulas),
        cmocka_unit_test(public_call_agrees_with_the_kernel),
        cmocka_unit_test(elliptic_law_has_its_reference_values),
        cmocka_unit_test(elliptic_law_keeps_its_digits_next_to_rest),
        cmocka_unit_test(laws_are_odd_and_dissipate),
        cmocka_unit_test(zero_friction_is_no_force),
        cmocka_unit_test(pieces_lie_between_sorted_breaks),
        cmocka_unit_test(laws_have_the_breaks_they_should),
        cmocka_unit_test(elliptic_law_is_continuous_at_its_breaks),
        cmocka_unit_test(charts_agree_with_the_law),
        cmocka_unit_test(elliptic_pieces_continue_analytically),
        cmocka_unit_test(stribeck_pieces_continue_analytically),
        cmocka_unit_test(no_piece_gives_nan_anywhere),
        cmocka_unit_test(eta_prime_has_its_reference_values),
        cmocka_unit_test(eta_prime_makes_eta_the_maximum),
        cmocka_unit_test(eta_prime_solves_the_cubic),
        cmocka_unit_test(eta_prime_at_the_ends),
        cmocka_unit_test(sqrt_law_peaks_at_mu_static_ratio),
        cmocka_unit_test(table_describes_every_law),
        cmocka_unit_test(set_valued_laws_hold),
        cmocka_unit_test(a_law_can_be_a_function),
        cmocka_unit_test(unknown_types_get_a_suggestion),
        cmocka_unit_test(parameters_of_other_laws_are_refused),
        cmocka_unit_test(missing_parameters_are_named),
        cmocka_unit_test(both_weights_of_the_peak_are_one_too_many),
        cmocka_unit_test(every_parameter_is_checked),
        cmocka_unit_test(values_out_of_range_are_shown),
        cmocka_unit_test(velocity_must_be_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
