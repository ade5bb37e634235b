/* Contact areas: every shape against slow and obvious quadrature, centres on edges and corners, tables,
 * messages. */
#include "patch_test.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* ---- twin: polygons as signed triangles from the instantaneous centre, linear pressure ---- */

typedef struct twin {
    const double *corners;
    int count;
    double p[3]; /* pressure p0 + p1 x + p2 y, not normalised */
} twin;

/* Integral of pressure times (1, ex, ey, r) over all triangles (c, corner, next corner); e is the unit vector
 * from c and r the distance. x = c + l (edge(t) - c) has the Jacobian l times twice the area. */
static void twin_sums(const twin *area, const double c[2], double out[4])
{
    slip_rule rule;
    slip_rule_legendre(&rule, 16);
    memset(out, 0, 4 * sizeof *out);
    for (int i = 0; i < area->count; i++) {
        const double *a = area->corners + 2 * i, *b = area->corners + 2 * ((i + 1) % area->count);
        double twice = (a[0] - c[0]) * (b[1] - c[1]) - (a[1] - c[1]) * (b[0] - c[0]);
        for (int n = 0; n < 16 * 200; n++) {
            double t = (n / 16 + (1 + rule.node[n % 16]) / 2) / 200, w = rule.weight[n % 16] / 400;
            double x = a[0] + t * (b[0] - a[0]) - c[0], y = a[1] + t * (b[1] - a[1]) - c[1], r = hypot(x, y);
            double p0 = area->p[0] + area->p[1] * c[0] + area->p[2] * c[1],
                   p1 = area->p[1] * x + area->p[2] * y;
            double first = w * twice * (p0 / 2 + p1 / 3), second = w * twice * (p0 / 3 + p1 / 4);
            if (!(r > 0))
                continue;
            out[0] += first;
            out[1] += first * x / r;
            out[2] += first * y / r;
            out[3] += second * r;
        }
    }
}

static void twin_forces(const twin *area, const double q[3], double T[3])
{
    double c[2] = {-q[1] / q[2], q[0] / q[2]}, s[4], sign = q[2] > 0 ? 1 : -1;
    twin_sums(area, c, s);
    T[0] = -sign * s[2] / s[0];
    T[1] = sign * s[1] / s[0];
    T[2] = sign * (s[3] + c[0] * s[1] + c[1] * s[2]) / s[0];
}

/* Random polygons that are star-shaped about some point, of either orientation, mostly not convex. */
static void random_polygons(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (int n = 0; n < 25; n++) {
        double corners[24], shift[2] = {test_random(&seed, -0.5, 0.5), test_random(&seed, -0.5, 0.5)};
        int count = 3 + n % 9;
        slip_patch_options o = slip_patch_options_default();
        slip_patch *patch;
        twin area = {corners, count, {1, 0, 0}};
        for (int i = 0; i < count; i++) {
            double angle = (n % 2 ? -1 : 1) * 2 * test_pi * (i + test_random(&seed, 0, 0.8)) / count;
            double radius = test_random(&seed, 0.3, 1.2);
            corners[2 * i] = shift[0] + radius * cos(angle);
            corners[2 * i + 1] = shift[1] + radius * sin(angle);
        }
        o.shape = "polygon";
        o.points = corners;
        o.point_count = count;
        o.size = 1;
        if (n % 3 == 0) {
            o.pressure = "linear";
            o.linear[0] = area.p[1] = 0.2;
            o.linear[1] = area.p[2] = -0.25;
        }
        patch = make_patch(&o);
        for (int k = 0; k < 8; k++) {
            double phi = test_random(&seed, 0, 2 * test_pi), d = test_random(&seed, 0, k < 5 ? 1 : 6);
            double q[3] = {d * cos(phi), d * sin(phi), k % 2 ? 1 : -1}, T[3], S[3];
            if (k == 0) { /* on a corner */
                q[0] = corners[1] * q[2];
                q[1] = -corners[0] * q[2];
            } else if (k == 1) { /* on an edge */
                q[0] = (corners[1] + corners[3]) / 2 * q[2];
                q[1] = -(corners[0] + corners[2]) / 2 * q[2];
            }
            slip_patch_integral(patch, q, T, NULL);
            twin_forces(&area, q, S);
            for (int i = 0; i < 3; i++)
                assert_close(T[i], S[i], 1e-10);
        }
        slip_patch_destroy(patch);
    }
}

/* ---- twin: ellipses in scaled polar coordinates, any pressure ---- */

typedef double (*pressure_function)(double x, double y);

static double hertz_24(double x, double y)
{
    return sqrt(fmax(0, 1 - x * x / 4 - y * y / 16));
}

static double parabolic_24(double x, double y)
{
    return 1 - x * x / 4 - y * y / 16;
}

static double wavy(double x, double y)
{
    return 3 + 0.5 * cos(3 * x) + 0.2 * x * y;
}

static double uniform_24(double x, double y)
{
    (void)x;
    (void)y;
    return 1;
}

/* Centre outside (the integrand is smooth): r = sin(t) takes the root at the edge away, equal steps around.
 */
static void ellipse_twin(pressure_function pressure, const double q[3], double T[3])
{
    double total = 0;
    slip_rule rule;
    slip_rule_legendre(&rule, 24);
    memset(T, 0, 3 * sizeof *T);
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < 200; k++) {
            double t = test_pi / 4 * (1 + rule.node[i]), phi = 2 * test_pi * k / 200, r = sin(t);
            double x = 2 * r * cos(phi), y = 4 * r * sin(phi),
                   weight = rule.weight[i] * r * cos(t) * pressure(x, y);
            double ux = q[0] - y * q[2], uy = q[1] + x * q[2], speed = hypot(ux, uy);
            total += weight;
            T[0] += weight * ux / speed;
            T[1] += weight * uy / speed;
            T[2] += weight * (x * uy - y * ux) / speed;
        }
    for (int i = 0; i < 3; i++)
        T[i] /= total;
}

static void ellipses(void **state)
{
    static const char *const names[4] = {"uniform", "hertz", "parabolic", "expression"};
    static const pressure_function twins[4] = {uniform_24, hertz_24, parabolic_24, wavy};
    uint64_t seed = 12;
    (void)state;
    for (int n = 0; n < 4; n++) {
        slip_patch_options o = slip_patch_options_default();
        slip_patch *patch;
        o.shape = "ellipse";
        o.semi_axes[0] = 2;
        o.semi_axes[1] = 4;
        o.pressure = names[n];
        o.expression = "3 + 0.5*cos(3*x) + 0.2*x*y";
        patch = make_patch(&o);
        for (int k = 0; k < 12; k++) {
            double phi = test_random(&seed, 0, 2 * test_pi), d = test_random(&seed, 7, 30);
            double q[3] = {d * cos(phi), d * sin(phi), k % 2 ? 1 : -1}, T[3], S[3];
            slip_patch_integral(patch, q, T, NULL);
            ellipse_twin(twins[n], q, S);
            for (int i = 0; i < 3; i++)
                assert_close(T[i], S[i], 1e-10 * (i == 2 ? 4 : 1));
        }
        slip_patch_destroy(patch);
    }
}

/* The same pressure as text and as a kind of its own, centre anywhere. */
static void expressions(void **state)
{
    static const char *const shapes[] = {"disc", "ellipse", "rectangle", "annulus"};
    static const char *const texts[] = {"1 - (x^2 + y^2)/4", "1 - x^2/4 - y^2",
                                        "(1 - x^2/2.25)*(1 - y^2/0.25)",
                                        "(sqrt(x^2+y^2) - 0.5)*(1 - sqrt(x^2+y^2))"};
    uint64_t seed = 13;
    (void)state;
    for (int n = 0; n < 4; n++) {
        slip_patch_options o = slip_patch_options_default();
        slip_patch *kind, *text;
        o.shape = shapes[n];
        o.radius = 2;
        o.semi_axes[0] = 2;
        o.semi_axes[1] = 1;
        o.sides[0] = 3;
        o.sides[1] = 1;
        o.inner = 0.5;
        o.outer = 1;
        o.pressure = "parabolic";
        kind = make_patch(&o);
        o.pressure = "expression";
        o.expression = texts[n];
        text = make_patch(&o);
        for (int k = 0; k < 6; k++) {
            double q[3], T[3], S[3];
            random_direction(&seed, q);
            slip_patch_integral(kind, q, T, NULL);
            slip_patch_integral(text, q, S, NULL);
            for (int i = 0; i < 3; i++)
                assert_close(T[i], S[i], 1e-11);
            assert_close_relative(slip_patch_pressure(kind, 0.6, 0.2), slip_patch_pressure(text, 0.6, 0.2),
                                  1e-12);
        }
        assert_true(slip_patch_pressure(kind, 5, 5) == 0);
        slip_patch_destroy(kind);
        slip_patch_destroy(text);
    }
}

/* A pressure with a kink: uniform on half of a disc, against the half disc's own symmetry: T of the two
 * halves adds. */
static void kinked_expression(void **state)
{
    slip_patch_options o = slip_patch_options_default();
    slip_patch *left, *right, *whole = make_patch(&o);
    double q[3] = {0.3, 0.2, 0.8}, L[3], R[3], W[3];
    (void)state;
    o.pressure = "expression";
    o.expression = "max(0, x)";
    right = make_patch(&o);
    o.expression = "max(0, -x)";
    left = make_patch(&o);
    o.expression = "abs(x)";
    slip_patch_destroy(whole);
    whole = make_patch(&o);
    slip_patch_integral(left, q, L, NULL);
    slip_patch_integral(right, q, R, NULL);
    slip_patch_integral(whole, q, W, NULL);
    for (int i = 0; i < 3; i++)
        assert_close(W[i], (L[i] + R[i]) / 2, 1e-11);
    slip_patch_destroy(left);
    slip_patch_destroy(right);
    slip_patch_destroy(whole);
}

/* ---- tables ---- */

/* A grid whose pressure is linear is a rectangle with linear pressure, in whatever order its rows come. */
static void grids(void **state)
{
    static const double xs[] = {-1, -0.3, 0.2, 1}, ys[] = {-0.5, 0.1, 0.5};
    double rows[36];
    slip_patch_options o = slip_patch_options_default(), r = o;
    slip_patch *grid, *rectangle;
    uint64_t seed = 14;
    (void)state;
    for (int i = 0; i < 12; i++) {
        int at = i * 5 % 12;
        rows[3 * i] = xs[at % 4];
        rows[3 * i + 1] = ys[at / 4];
        rows[3 * i + 2] = 3 * (1 + 0.4 * xs[at % 4] - 0.3 * ys[at / 4]);
    }
    o.shape = "table";
    o.points = rows;
    o.point_count = 12;
    o.size = 1;
    r.shape = "rectangle";
    r.sides[0] = 2;
    r.sides[1] = 1;
    r.pressure = "linear";
    r.linear[0] = 0.4;
    r.linear[1] = -0.3;
    grid = make_patch(&o);
    rectangle = make_patch(&r);
    assert_string_equal(slip_patch_describe(grid).treatment, "bilinear grid");
    assert_close(slip_patch_pressure(grid, 0.4, 0.3), slip_patch_pressure(rectangle, 0.4, 0.3), 1e-14);
    assert_close(grid->moments.c203, rectangle->moments.c203, 1e-12);
    assert_close(grid->moments.c110, rectangle->moments.c110, 1e-13);
    for (int n = 0; n < 60; n++) {
        double q[3], T[3], S[3], H[9], G[9];
        random_direction(&seed, q);
        if (n == 0) {
            q[0] = 0.1 * q[2]; /* on a corner of four cells */
            q[1] = -0.2 * q[2];
        }
        slip_patch_integral(grid, q, T, H);
        slip_patch_integral(rectangle, q, S, G);
        for (int i = 0; i < 3; i++)
            assert_close(T[i], S[i], 1e-12);
        for (int i = 0; i < 9; i++)
            assert_close(H[i], G[i], 1e-9);
    }
    slip_patch_destroy(grid);
    slip_patch_destroy(rectangle);
}

/* Three feet: the sum over them; a load that turns the body about one foot lies on a flat part of the
 * surface. */
static void point_loads(void **state)
{
    static const double rows[] = {1, 0, 2, -1, 1, 1, -1, -1, 1};
    slip_context *ctx = slip_context_create();
    slip_patch_options o = slip_patch_options_default();
    double q[3] = {0.2, -0.1, 0.5}, T[3] = {0, 0, 0}, S[3], ratio, found[3];
    slip_patch *patch;
    (void)state;
    o.shape = "table";
    o.points = rows;
    o.point_count = 3;
    o.size = 1;
    o.surface = "integral";
    patch = make_patch(&o);
    assert_string_equal(slip_patch_describe(patch).treatment, "point loads");
    for (int i = 0; i < 3; i++) {
        double x = rows[3 * i], y = rows[3 * i + 1], ux = q[0] - y * q[2], uy = q[1] + x * q[2],
               p = rows[3 * i + 2] / 4;
        T[0] += p * ux / hypot(ux, uy);
        T[1] += p * uy / hypot(ux, uy);
        T[2] += p * (x * uy - y * ux) / hypot(ux, uy);
    }
    slip_patch_integral(patch, q, S, NULL);
    for (int i = 0; i < 3; i++)
        assert_close(S[i], T[i], 1e-15);
    /* Turning about the foot at (1, 0), which adds a force of at most its share: u = -(T of the others +
     * small). */
    q[0] = 0;
    q[1] = -1;
    q[2] = 1;
    slip_patch_integral(patch, q, T, NULL);
    for (int i = 0; i < 3; i++)
        T[i] = -T[i];
    T[0] -= 0.1; /* a force through the foot: no moment about the origin from its x part */
    assert_int_equal(slip_patch_limit(ctx, patch, T, &ratio, found), SLIP_OK);
    assert_close(ratio, 1, 1e-9);
    assert_close(found[1], -found[2], 1e-8);
    assert_close(found[0], 0, 1e-8);
    slip_patch_destroy(patch);
    slip_context_destroy(ctx);
}

/* ---- sizes and messages ---- */

static void sizes(void **state)
{
    slip_patch_options o = slip_patch_options_default();
    static const double corners[] = {0, 0, 2, 0, 2, 2, 0, 2};
    static const double expected[] = {3, 5, 7, 2, 1.1283791670955126};
    static const char *const shapes[] = {"disc", "annulus", "ellipse", "rectangle", "polygon"};
    (void)state;
    o.radius = 3;
    o.inner = 1;
    o.outer = 5;
    o.semi_axes[0] = 1;
    o.semi_axes[1] = 7;
    o.sides[0] = 4;
    o.sides[1] = 1;
    o.points = corners;
    o.point_count = 4;
    for (int i = 0; i < COUNT(shapes); i++) {
        slip_patch *patch;
        o.shape = shapes[i];
        patch = make_patch(&o);
        assert_close_relative(slip_patch_describe(patch).size, expected[i], 1e-15);
        slip_patch_destroy(patch);
    }
}

static void expect(slip_patch_options o, const char *part)
{
    slip_context *ctx = slip_context_create();
    slip_patch *patch = NULL;
    assert_true(slip_patch_create(ctx, &o, &patch) < 0);
    assert_null(patch);
    if (!strstr(slip_context_message(ctx), part)) {
        print_error("`%s` is not in `%s`\n", part, slip_context_message(ctx));
        fail();
    }
    slip_context_destroy(ctx);
}

static void messages(void **state)
{
    static const double bow_tie[] = {0, 0, 1, 1, 1, 0, 0, 1}, spike[] = {0, 0, 2, 0, 1, 0, 1, 1};
    static const double twice[] = {0, 0, 0, 0, 1, 1}, negative[] = {0, 0, 1, 1, 0, -1},
                        single[] = {1, 1, 2, 1, 1, 3};
    slip_patch_options o = slip_patch_options_default(), p;
    (void)state;
#define WITH(change, part)                                                                                   \
    do {                                                                                                     \
        p = o;                                                                                               \
        change;                                                                                              \
        expect(p, part);                                                                                     \
    } while (0)
    WITH(p.shape = "disk", "did you mean `disc`?");
    WITH(p.radius = -1, "radius -1");
    WITH(p.size = 0, "size 0");
    WITH((p.shape = "annulus", p.inner = 2, p.outer = 1), "0 <= inner < outer");
    WITH(p.shape = "ellipse", "two positive numbers");
    WITH(p.shape = "rectangle", "two positive numbers");
    WITH(p.pressure = "unifrom", "did you mean `uniform`?");
    WITH((p.pressure = "linear", p.linear[0] = 1.5), "smallest value is -0.5");
    WITH((p.pressure = "expression", p.expression = "x"), "must not be negative");
    WITH((p.pressure = "expression", p.expression = "1/(x-x)"), "division by zero");
    WITH((p.pressure = "expression", p.expression = "1 + z"), "character 5");
    WITH((p.pressure = "expression", p.expression = "0"), "integral is 0");
    WITH(p.pressure = "expression", "needs a text");
    WITH((p.shape = "annulus", p.inner = 1, p.outer = 2, p.pressure = "hertz"), "disc and ellipse");
    WITH((p.shape = "polygon", p.points = bow_tie, p.point_count = 4), "meet");
    WITH((p.shape = "polygon", p.points = spike, p.point_count = 4), "turns back on itself at corner 2");
    WITH((p.shape = "polygon", p.points = twice, p.point_count = 3), "corners 1 and 2 are the same");
    WITH((p.shape = "polygon", p.points = twice, p.point_count = 2), "expected 3 to 256");
    WITH((p.shape = "table", p.points = negative, p.point_count = 2), "row 2");
    WITH((p.shape = "table", p.points = single, p.point_count = 2), "sits in one point");
    WITH((p.shape = "table", p.points = single, p.point_count = 2, p.size = 1), "sits in one point");
    WITH((p.shape = "table", p.points = single, p.point_count = 2, p.pressure = "hertz"), "its own pressure");
    WITH(p.surface = "exact", "expected integral or pade");
    WITH(p.order[0] = 2, "order [2, 0]");
    WITH((p.order[0] = 1, p.m = 0.5), "expected m > 0.5");
    WITH(p.b = 0, "b 0");
    WITH((p.fit = 1, p.m = 2), "either m and b or fit");
    WITH((p.surface = "integral", p.order[1] = 1), "order is [0, 1] and belongs to type pade");
    WITH(p.epsilon = -1, "epsilon -1");
    WITH(p.static_ratio = 0.9, "static_ratio 0.9");
    WITH(p.eta_prime = 1, "with epsilon");
    WITH((p.surface = "integral", p.table_tolerance = 1), "table tolerance 1");
#undef WITH
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_polygons), cmocka_unit_test(ellipses),
        cmocka_unit_test(expressions),     cmocka_unit_test(kinked_expression),
        cmocka_unit_test(grids),           cmocka_unit_test(point_loads),
        cmocka_unit_test(sizes),           cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
