/* The elliptic law: arcs of ellipses joined with horizontal tangents (elliptic law study).
 *
 * The two-piece function E(v1,v2,H1,H2,v) rises or falls from (v1,H1) to (v2,H2) along two quarter ellipses
 * that meet at the centre c = (v1+v2)/2, H = (H1+H2)/2. With the half widths b = (v2-v1)/2, a = (H2-H1)/2 and
 * y = (v-c)/b both of its branches are
 *
 *     E = H + a sgn(y) sqrt(|y| (2-|y|)),    dE/dv = (a/b) (1-|y|) / sqrt(|y| (2-|y|)),
 *
 * because 1 - (1-|y|)^2 = |y| (2-|y|), which also loses no digits next to y = 0, where the slope is infinite.
 * We call it an arch. The law consists of
 *
 *     outer       |v| >= B            +-h                        h = mu,  B = D + 2 D1
 *     fall        A <= |v| < B        +-E(A, B, q, h, |v|)       q = h + h D1/D
 *     centre      |v| < A             E(-A, A, -q, q, v)         A = D + D1
 *
 * and without a static peak, D1 = 0, of the centre and the outer parts only. An arch covers two pieces, one
 * on each side of its centre. An arch is analytic to |y| = 2; from there on it is held at H.
 *
 * The chart of an arch's centre: v = c + sgn(s) b (1-cos s) gives |y| = 1-cos s, |y|(2-|y|) = sin^2 s, thus
 * E = H + a sin s on both sides. */
#include "law/types.h"

/* Constants: the arches one after the other in ascending velocity, (break_count - 1)/2 of them. */
enum { centre, inverse_b, height, amplitude, slope_scale, arch_size };

static void add_arch(slip_law_kernel *kernel, int index, double c, double b, double h, double a)
{
    double *arch = kernel->constants + index * arch_size;
    arch[centre] = c;
    arch[inverse_b] = 1 / b;
    arch[height] = h;
    arch[amplitude] = a;
    arch[slope_scale] = a / b;
    kernel->breaks[2 * index + 1] = (slip_law_break){.velocity = c, .singular = true, .radius = b};
}

static void prepare(slip_law_kernel *kernel)
{
    const slip_law *law = &kernel->law;
    double h = law->mu, d = law->width, d1 = law->static_width, h1 = h * (d1 / d);
    double a_end = d + d1, b_end = d + 2 * d1, middle = d + 1.5 * d1;
    /* A peak so narrow that its breaks coincide in floating point is no higher than a rounding error. */
    if (!(a_end < middle && middle < b_end)) {
        add_arch(kernel, 0, 0, d, 0, h);
        kernel->breaks[0].velocity = -d;
        kernel->breaks[2].velocity = d;
        kernel->break_count = 3;
        return;
    }
    add_arch(kernel, 0, -middle, d1 / 2, -(h + h1 / 2), -h1 / 2);
    add_arch(kernel, 1, 0, a_end, 0, h + h1);
    add_arch(kernel, 2, middle, d1 / 2, h + h1 / 2, -h1 / 2);
    kernel->breaks[0].velocity = -b_end;
    kernel->breaks[2].velocity = -a_end;
    kernel->breaks[4].velocity = a_end;
    kernel->breaks[6].velocity = b_end;
    kernel->break_count = 7;
}

static void evaluate(const slip_law_kernel *kernel, int piece, double v, double *force, double *slope)
{
    double y, x, square, root;
    if (piece == 0 || piece == kernel->break_count) {
        *force = piece == 0 ? -kernel->law.mu : kernel->law.mu;
        *slope = 0;
        return;
    }
    const double *arch = kernel->constants + (piece - 1) / 2 * arch_size;
    y = (v - arch[centre]) * arch[inverse_b];
    x = fabs(y);
    square = x * (2 - x);
    if (square > 0) {
        root = sqrt(square);
        *force = arch[height] + arch[amplitude] * copysign(root, y);
        *slope = arch[slope_scale] * (1 - x) / root;
    } else {
        *force = arch[height];
        *slope = x == 0 && arch[slope_scale] != 0 ? copysign(INFINITY, arch[slope_scale]) : 0;
    }
}

static void chart(const slip_law_kernel *kernel, int at_break, double s, double *force, double *slope)
{
    const double *arch = kernel->constants + at_break / 2 * arch_size;
    *force = arch[height] + arch[amplitude] * sin(s);
    *slope = arch[amplitude] * cos(s);
}

static const slip_law_parameter_info parameters[] = {
    SLIP_LAW_PARAMETER_MU,
    {"width", "velocity D at which the force is fully developed", NAN, 0, 1, NULL},
    {"static_width", "width D1 of the static peak: largest force over mu is 1 + D1/D", 0, 0, 0, NULL},
    SLIP_LAW_PARAMETER_VISCOUS,
};

const slip_law_type slip_law_elliptic = {
    .info = {.name = "elliptic",
             .summary = "elliptic arcs; vertical at v = 0, exactly mu beyond a finite velocity",
             .formula = "mu sign(v) sqrt(1 - (1 - |v|/width)^2) for |v| < width, mu sign(v) beyond; with "
                        "static_width a peak mu (1 + static_width/width) at |v| = width + static_width",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .prepare = prepare,
    .evaluate = evaluate,
    .chart = chart,
    .fixed = (const char *const[]){"width", "static_width", NULL},
};
