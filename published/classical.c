/* Classical cases of systems with friction and impact, as periodic motions and their branches: a table of
 * numbers beside what closed forms and independent computations say.  */
#include "published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEN_HARTOG                                                                                           \
    "slipstick: 1\nparameters: {mu: 0.5, w: 0.7}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"         \
    "forces: {x: cos(w*t)}\ncontacts: {c: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}}\n"       \
    "simulate: {time: [0, 200]}\norbit: {period: 2*pi/w}\n"
#define BALL                                                                                                 \
    "slipstick: 1\nparameters: {A: 0.78, r: 0.8}\ncoordinates: [x]\nmass: [[1]]\nforces: {x: -1}\n"          \
    "contacts: {table: {kind: unilateral, gap: x - A*cos(t), restitution: r}}\n"                             \
    "simulate: {initial: {x: 2.0476, x': 2.6776}}\norbit: {period: 2*pi, from: initial}\n"

#define LAW "law: {type: stribeck, mu: 0.5, static_ratio: 2, velocity: 0.5, exponent: 1}}"
#define TWO_BLOCKS                                                                                           \
    "slipstick: 1\nparameters: {vb: 0.5}\ncoordinates: [x1, x2]\nmass: {diagonal: [1, 1]}\n"                 \
    "stiffness: [[2.2, -1.2], [-1.2, 2.2]]\ncontacts:\n"                                                     \
    "  a: {kind: friction, slip: x1' - vb, " LAW "\n"                                                        \
    "  b: {kind: friction, slip: x2' - vb, normal_force: 1.3, " LAW "\n"                                     \
    "simulate: {time: [0, 40], initial: {x1: 0.78284, x1': vb, x2: 0.60188, x2': -0.64522}}\n"               \
    "orbit: {period: auto, guess: 3.68, from: initial}\n"

typedef struct classical_case {
    const char *figure, *what;
    const char *text;    /* of the model, or */
    const char *example; /* of the library */
    const char *setting; /* may be NULL */
    const char *over;    /* NULL: a motion, whose number is `name` */
    const char *label;   /* of the branch: its value; NULL: the series `name` at the first point */
    const char *name;
    double expected;
} classical_case;

static const classical_case cases[] = {
    {"den-hartog", "amplitude, mu = 0.5, w = 0.7", DEN_HARTOG, NULL, NULL, "w=0.7:0.71", NULL, "x.max",
     1.744253936248881},
    {"den-hartog", "first harmonic", DEN_HARTOG, NULL, NULL, "w=0.7:0.71", NULL, "x.amplitude",
     1.77953369398206},
    {"den-hartog", "its lag", DEN_HARTOG, NULL, NULL, "w=0.7:0.71", NULL, "x.lag", 0.6738493793192064},
    {"den-hartog", "largest multiplier", DEN_HARTOG, NULL, NULL, "w=0.7:0.71", NULL, "multiplier",
     0.2618207024687648},
    {"den-hartog", "mu from which on it stops, w = 0.7", DEN_HARTOG, NULL, NULL, "mu=0.5:0.8", "SL", NULL,
     0.7220709759221042},
    {"impact", "w at which it grazes the stop", NULL, "impact-branch", NULL, "w=2.2:1.6", "GR", NULL,
     1.729885745753515},
    {"impact", "w of the fold with one impact", NULL, "impact-branch", NULL, "w=2.2:1.6", "LP", NULL,
     1.8929790976609646},
    {"ball", "least A of one bounce a period, r = 0.8", BALL, NULL, NULL, "A=0.1:1.9", "LP", NULL,
     0.34906585039886584},
    {"ball", "A of the first doubling", BALL, NULL, NULL, "A=0.1:1.9", "PD", NULL, 1.070836468247907},
    {"belt", "period of the stick-slip cycle, vb = 0.6", NULL, "stick-slip-orbit", NULL, NULL, NULL, "period",
     6.758548507326905},
    {"belt", "period of the stick-slip cycle, vb = 1.3", NULL, "stick-slip-orbit", "vb=1.3", NULL, NULL,
     "period", 6.3437834752003},
    {"two-blocks", "period of stick-slip of both, vb = 0.5", TWO_BLOCKS, NULL, NULL, NULL, NULL, "period",
     3.6773776424509554}};

/* The number of a case; its result goes to a folder. */
static int find_number(slip_context *ctx, const classical_case *c, const slip_model *model,
                       const char *folder, double *value)
{
    slip_branch_options options = slip_branch_options_default();
    slip_axis axis = {0};
    slip_result *result = NULL;
    int64_t count = 0;
    int status = SLIP_OK;
    *value = NAN;
    options.axis = &axis;
    if (c->over)
        status = slip_axis_parse(ctx, c->over, &axis);
    if (status >= 0)
        status = c->over ? slip_branch_follow(ctx, model, &options, &result)
                         : slip_orbit_find(ctx, model, NULL, &result);
    for (int64_t k = status < 0 ? -1 : slip_result_label_count(result) - 1; k >= 0 && c->label; k--)
        if (strcmp(slip_result_label(result, k)->type, c->label) == 0)
            *value = slip_result_label(result, k)->value;
    if (status >= 0 && !c->label)
        *value =
            c->over ? slip_result_series(result, c->name, &count)[0] : slip_result_number(result, c->name);
    if (status >= 0)
        status = slip_result_save(ctx, result, folder);
    slip_result_destroy(result);
    slip_axis_free(&axis);
    return status;
}

static int run_classical(slip_context *ctx, const char *figure, const char *folder, bool full,
                         const paper_printer *out)
{
    const size_t size = strlen(folder) + 64;
    char *path = malloc(size);
    int status = path ? SLIP_OK : paper_fail_memory();
    (void)full;
    paper_say(out, "  %-10s  %-42s %20s %20s %9s", "case", "what", "found", "expected", "off by");
    for (size_t k = 0; k < sizeof cases / sizeof *cases && status >= 0; k++) {
        const classical_case *c = &cases[k];
        const char *const settings[] = {c->setting, NULL};
        slip_model *model = NULL;
        double value;
        if (figure && strcmp(c->figure, figure) != 0)
            continue;
        snprintf(path, size, "%s/classical-%s-%d", folder, c->figure, (int)k);
        status = slip_model_parse(ctx, c->text ? c->text : slip_example_text(c->example), c->figure, settings,
                                  &model);
        if (status >= 0)
            status = find_number(ctx, c, model, path, &value);
        slip_model_destroy(model);
        if (status >= 0)
            paper_say(out, "  %-10s  %-42s %20.15g %20.15g %9.1e", c->figure, c->what, value, c->expected,
                      fabs(value - c->expected));
    }
    free(path);
    return status;
}

static const paper_figure figure_list[] = {
    {"den-hartog", "forced oscillator with dry friction: amplitude, lag, multiplier, where it stops"},
    {"impact", "impact oscillator: grazing and fold"},
    {"ball", "ball on a table: bounds of one bounce a period"},
    {"belt", "block on a belt with a falling law: periods of stick-slip"},
    {"two-blocks", "two blocks on a belt: period of stick-slip"},
    {NULL, NULL}};

const paper paper_classical = {
    "classical",
    "classical cases of friction and impact, beside closed forms",
    figure_list,
    NULL,
    "J. P. Den Hartog: Forced vibrations with combined Coulomb and viscous friction, 1931, and others",
    .run = run_classical};
