#include "model/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The tables. */

#define POSITIVE                                                                                             \
    {                                                                                                        \
        0, INFINITY, true                                                                                    \
    }
#define NOT_NEGATIVE                                                                                         \
    {                                                                                                        \
        0, INFINITY, false                                                                                   \
    }
#define ANY                                                                                                  \
    {                                                                                                        \
        -INFINITY, INFINITY, false                                                                           \
    }
#define FIELD(options, name, kind, ...)                                                                      \
    {                                                                                                        \
#name, SLIP_FIELD_##kind, offsetof(options, name), __VA_ARGS__                                       \
    }
#define TABLE(section, prefix, fields)                                                                       \
    {                                                                                                        \
        section, prefix, fields, sizeof fields / sizeof fields[0]                                            \
    }

static const char *const segments[] = {"auto", "exact", "rk", NULL};

static const slip_field of_simulate[] = {
    FIELD(slip_run_options, segments, WORD, ANY, segments, "how `event` moves between events", "`auto`",
          NULL),
    FIELD(slip_run_options, tolerance, NUMBER, {1e-14, 0.1, false}, NULL,
          "relative and absolute, of adaptive methods",
          "1e-8; with `steady` at most a hundredth of its tolerance, a thousandth where a law has memory",
          NULL),
    FIELD(slip_run_options, step, NUMBER, POSITIVE, NULL, "of fixed-step methods", "needed by those", NULL),
    FIELD(slip_run_options, theta, NUMBER, {0.5, 1, false}, NULL, "of `moreau`", "0.5", NULL),
};
const slip_fields slip_fields_simulate = TABLE("simulate", "simulate.", of_simulate);

static const slip_field of_record[] = {
    {"every", SLIP_FIELD_NUMBER, offsetof(slip_run_options, record_every), POSITIVE, NULL,
     "time between records", "by `points`", NULL},
    {"points",
     SLIP_FIELD_LONG,
     offsetof(slip_run_options, record_points),
     {2, 1e9, false},
     NULL,
     "so many records, both ends included",
     "2001",
     NULL},
    {"steps", SLIP_FIELD_FLAG, offsetof(slip_run_options, record_steps), ANY, NULL, "every accepted step",
     "`false`", NULL},
    {"from", SLIP_FIELD_NUMBER, offsetof(slip_run_options, record_from), ANY, NULL,
     "nothing is recorded before this time", "the start", NULL},
    {"events", SLIP_FIELD_FLAG, offsetof(slip_run_options, record_events), ANY, NULL,
     "the states before and after each event too", "`true`", NULL},
};
const slip_fields slip_fields_record = TABLE("simulate.record", "record.", of_record);

static const char *const own_period[] = {"auto", NULL};
static const slip_field of_steady[] = {
    {"period", SLIP_FIELD_NUMBER, offsetof(slip_run_options, steady_period), POSITIVE, own_period,
     "of the load; the run goes period by period until the motion is known to repeat. `auto`: the motion has "
     "a period of its "
     "own, which is found at the end of `time`",
     "must be given", "period: 2*pi/w"},
    {"tolerance",
     SLIP_FIELD_NUMBER,
     offsetof(slip_run_options, steady_tolerance),
     {1e-14, 0.1, false},
     NULL,
     "largest relative error of the motion that repeats",
     "1e-8",
     NULL},
    {"within",
     SLIP_FIELD_LONG,
     offsetof(slip_run_options, steady_within),
     {1, 1e9, false},
     NULL,
     "gives up after so many periods",
     "200",
     NULL},
};
const slip_fields slip_fields_steady = TABLE("simulate.steady", "steady.", of_steady);

static const slip_field of_continue[] = {
    FIELD(slip_continue_options, start, NUMBER, ANY, NULL,
          "value at which the paths start; inside the range: both ways", "`low`", NULL),
    FIELD(slip_continue_options, spacing, NUMBER, {1e-6, 1, false}, NULL,
          "largest distance of points, over the range", "0.005", NULL),
    FIELD(slip_continue_options, restarts, COUNT, {0, 10000, false}, NULL,
          "values at which paths are sought that are not connected to the start", "8", NULL),
    FIELD(slip_continue_options, quantity, TEXT, ANY, NULL,
          "what the picture shows: a coordinate, or `CONTACT.normal`, `.tangential`, `.gap`, `.slip`",
          "the largest normal force", NULL),
};
const slip_fields slip_fields_continue = TABLE("continue", "continue.", of_continue);

static const slip_field of_bifurcation[] = {
    FIELD(slip_bifurcation_options, period, EXPRESSION, POSITIVE, NULL,
          "a point at every multiple of this time, an expression of parameters", "that of `steady`", NULL),
    FIELD(slip_bifurcation_options, section, TEXT, ANY, NULL,
          "or wherever this expression of t, coordinates, velocities and parameters passes zero upwards",
          "none", NULL),
    FIELD(slip_bifurcation_options, maxima, TEXT, ANY, NULL, "or at every maximum of this coordinate", "none",
          NULL),
    FIELD(slip_bifurcation_options, transient, LONG, {8, 1e9, false}, NULL,
          "returns that are left out at each value, at most", "200", NULL),
    FIELD(slip_bifurcation_options, points, LONG, {1, 1e9, false}, NULL,
          "returns that are kept at each value, at most", "100", NULL),
    FIELD(slip_bifurcation_options, tolerance, NUMBER, {1e-14, 0.1, false}, NULL,
          "relative: returns that differ by less are the same", "1e-7", NULL),
    FIELD(slip_bifurcation_options, carry, FLAG, ANY, NULL,
          "each value starts from the state that the last one ended with, up and back", "`true`", NULL),
};
const slip_fields slip_fields_bifurcation = TABLE("bifurcation", "bifurcation.", of_bifurcation);

static const char *const orbit_from[] = {"run", "initial", NULL};
static const slip_field of_orbit[] = {
    FIELD(slip_orbit_options, period, EXPRESSION, POSITIVE, own_period,
          "of the load, an expression of parameters; or `auto`: the motion has a period of its own, which is "
          "found",
          "that of `steady`, else `auto`", NULL),
    FIELD(slip_orbit_options, multiple, COUNT, {1, 1000, false}, NULL,
          "periods of the load after which the motion repeats", "1", NULL),
    FIELD(slip_orbit_options, guess, NUMBER, POSITIVE, NULL, "of `auto`: the period, roughly",
          "the first return", NULL),
    FIELD(slip_orbit_options, from, WORD, ANY, orbit_from,
          "where the search starts: the end of the run, or its start", "`run`", NULL),
    FIELD(slip_orbit_options, arcs, COUNT, {1, 32, false}, NULL, "into which the period is cut",
          "as many as it takes", NULL),
    FIELD(slip_orbit_options, tolerance, NUMBER, {1e-14, 0.1, false}, NULL, "of the motion, as of a run",
          "that of the run, at most 1e-10", NULL),
};
const slip_fields slip_fields_orbit = TABLE("orbit", "orbit.", of_orbit);

static const char *const branch_curves[] = {"LP", "PD", "NS", "BP", "GR", "SL", "PR", NULL};
static const slip_field of_branch[] = {
    FIELD(slip_branch_options, start, NUMBER, ANY, NULL,
          "value of the parameter at the motion that is found first",
          "the model's, where that is in the range, else its first", NULL),
    FIELD(slip_branch_options, spacing, NUMBER, {1e-6, 1, false}, NULL,
          "largest distance of points, over the range and the motion", "0.05", NULL),
    FIELD(slip_branch_options, points, COUNT, {1, 1000000, false}, NULL, "most points in each direction",
          "400", NULL),
    FIELD(slip_branch_options, doublings, COUNT, {0, 10, false}, NULL,
          "how many times branches that double the period are followed too", "0", NULL),
    FIELD(slip_branch_options, curve, WORD, ANY, branch_curves,
          "labels that are followed over both parameters of `over`", "none", NULL),
    FIELD(slip_branch_options, resonance, TEXT, ANY, NULL,
          "coordinate whose phase resonances are labelled `PR`", "none", NULL),
    FIELD(slip_branch_options, harmonics, COUNT, {0, 60, false}, NULL,
          "of harmonic balance, which is taken in place of shooting", "0: shooting", NULL),
};
const slip_fields slip_fields_branch = TABLE("branch", "branch.", of_branch);

static const slip_field of_lyapunov[] = {
    FIELD(slip_lyapunov_options, interval, EXPRESSION, POSITIVE, NULL,
          "time after which the vectors are made orthogonal again, an expression of parameters",
          "the period of `steady`, else a fiftieth of the span of `time`", NULL),
    FIELD(slip_lyapunov_options, transient, NUMBER, NOT_NEGATIVE, NULL,
          "time before the exponents are looked at", "the span of `time`, else 200 intervals", NULL),
    FIELD(slip_lyapunov_options, intervals, LONG, {64, 1e9, false}, NULL, "how many are averaged", "2000",
          NULL),
};
const slip_fields slip_fields_lyapunov = TABLE("lyapunov", "lyapunov.", of_lyapunov);

static const slip_field of_fit[] = {
    FIELD(slip_fit_options, data, TEXT, ANY, NULL,
          "the CSV file with what was measured, beside the model file", "must be given, unless `--data` is",
          NULL),
    FIELD(slip_fit_options, confidence, NUMBER, {0.01, 0.999999, false}, NULL,
          "of the intervals of the parameters", "0.95", NULL),
    FIELD(slip_fit_options, iterations, COUNT, {1, 100000, false}, NULL, "at most so many", "50", NULL),
};
const slip_fields slip_fields_fit = TABLE("fit", "fit.", of_fit);

static const slip_field of_basin[] = {
    FIELD(slip_basin_options, period, EXPRESSION, POSITIVE, NULL, "of the load, an expression of parameters",
          "that of `simulate.steady`; none where the model does not change with time", NULL),
    FIELD(slip_basin_options, section, TEXT, ANY, NULL,
          "a coordinate: where there is no period, motions are compared where it has a maximum",
          "the first that moves", NULL),
    FIELD(slip_basin_options, tolerance, NUMBER, {1e-12, 0.01, false}, NULL,
          "largest relative error of the motion to which a start leads", "1e-6", NULL),
    FIELD(slip_basin_options, within, LONG, {1, 1e9, false}, NULL,
          "gives up after so many periods; where there is none, times the span of `simulate.time`", "500",
          NULL),
    FIELD(slip_basin_options, refine, COUNT, {0, 12, false}, NULL,
          "how often cells between different attractors are halved", "0", NULL),
};
const slip_fields slip_fields_basin = TABLE("basin", "basin.", of_basin);

static const char *const elements[] = {"incompatible", "full", NULL};

static const slip_field of_gear[] = {
    FIELD(slip_gear_options, teeth, COUNT, {5, 1e6, false}, NULL, "number of teeth", "must be given",
          "teeth: 18"),
    FIELD(slip_gear_options, module, NUMBER, POSITIVE, NULL, "metre", "must be given", "module: 0.005"),
    FIELD(slip_gear_options, width, NUMBER, POSITIVE, NULL, "face width, metre", "must be given",
          "width: 0.04"),
    FIELD(slip_gear_options, bore, NUMBER, POSITIVE, NULL, "diameter of the bore, metre", "must be given",
          "bore: 0.05"),
    FIELD(slip_gear_options, pressure_angle, NUMBER, POSITIVE, NULL, "degrees", "20", NULL),
    FIELD(slip_gear_options, profile_shift, NUMBER, ANY, NULL, "in modules", "0", NULL),
    FIELD(slip_gear_options, addendum, NUMBER, POSITIVE, NULL, "of the generating rack, in modules", "1",
          NULL),
    FIELD(slip_gear_options, dedendum, NUMBER, POSITIVE, NULL, "of the generating rack, in modules", "1.25",
          NULL),
    FIELD(slip_gear_options, fillet_radius, NUMBER, NOT_NEGATIVE, NULL,
          "of the tip of the generating rack, in modules", "0.38", NULL),
    FIELD(slip_gear_options, chamfer, NUMBER, NOT_NEGATIVE, NULL, "of the tooth tip, 45 degrees, metre", "0",
          NULL),
    FIELD(slip_gear_options, backlash, NUMBER, ANY, NULL,
          "by how much the teeth are thinner on the pitch circle, metre", "0", NULL),
    FIELD(slip_gear_options, element, WORD, ANY, elements,
          "`incompatible` is right in bending, `full` are plain fully integrated bricks", "`incompatible`",
          NULL),
    FIELD(slip_gear_options, modes, COUNT, {1, 1e6, false}, NULL, "number of eigenmodes to keep", "50", NULL),
};
const slip_fields slip_fields_gear = TABLE("gears", "", of_gear);

static const slip_field of_mesh[] = {
    FIELD(slip_gear_mesh_options, flank, COUNT, {1, 1e6, false}, NULL, "elements along the involute", "25",
          NULL),
    FIELD(slip_gear_mesh_options, fillet, COUNT, {1, 1e6, false}, NULL, "elements along the fillet", "3",
          NULL),
    FIELD(slip_gear_mesh_options, thickness, COUNT, {1, 1e6, false}, NULL, "elements across a tooth", "10",
          NULL),
    FIELD(slip_gear_mesh_options, root, COUNT, {1, 1e6, false}, NULL, "elements along the root circle", "4",
          NULL),
    FIELD(slip_gear_mesh_options, rim, COUNT, {1, 1e6, false}, NULL, "elements from the root to the bore",
          "23", NULL),
    FIELD(slip_gear_mesh_options, width, COUNT, {1, 1e6, false}, NULL, "elements across the face", "8", NULL),
};
const slip_fields slip_fields_gear_mesh = TABLE("gears.mesh", "", of_mesh);

static const slip_field of_material[] = {
    FIELD(slip_gear_options, young, NUMBER, POSITIVE, NULL, "Pa", "210e9", NULL),
    FIELD(slip_gear_options, poisson, NUMBER, ANY, NULL, "more than -1 and less than 0.5", "0.3", NULL),
    FIELD(slip_gear_options, density, NUMBER, POSITIVE, NULL, "kg/m^3", "7850", NULL),
};
const slip_fields slip_fields_gear_material = TABLE("gears.material", "", of_material);

static const char *const reductions[] = {"none", "all", "switch", "switch_teeth", "condensed", NULL};

static const slip_field of_side[] = {
    {"static", SLIP_FIELD_WORD, offsetof(slip_gear_side, reduction), ANY, reductions,
     "[reduction](gears.md#which-reduction)", "`condensed`", NULL},
    FIELD(slip_gear_side, speed, NUMBER, ANY, NULL, "of the bore at the start, rad/s", "0", NULL),
    {"drive", SLIP_FIELD_FLAG, offsetof(slip_gear_side, driven), ANY, NULL,
     "it keeps that speed whatever acts", "`false`", NULL},
    FIELD(slip_gear_side, torque, NUMBER, ANY, NULL, "on the bore, N m; not with `drive`", "0", NULL),
    FIELD(slip_gear_side, inertia, NUMBER, NOT_NEGATIVE, NULL,
          "of what turns with the bore and is not meshed, kg m^2", "0", NULL),
};
const slip_fields slip_fields_gear_side = TABLE("gears in motion", "", of_side);

static const slip_field of_damping[] = {
    {"modes", SLIP_FIELD_NUMBER, offsetof(slip_gear_side, damping), NOT_NEGATIVE, NULL,
     "of the eigenmodes, times their stiffness, s", "1e-10", NULL},
    {"static", SLIP_FIELD_NUMBER, offsetof(slip_gear_side, static_damping), NOT_NEGATIVE, NULL,
     "of the attachment modes, times their stiffness, s", "1e-7", NULL},
};
const slip_fields slip_fields_gear_damping = TABLE("gears.damping", "", of_damping);

static const slip_field of_flanks[] = {
    FIELD(slip_gear_run_options, two_pass, NUMBER, {0, 1, false}, NULL,
          "weight of the pass with the first gear's nodes", "0.5", NULL),
    FIELD(slip_gear_run_options, distance, NUMBER, POSITIVE, NULL, "of the axes, metre",
          "that without backlash", NULL),
    FIELD(slip_gear_run_options, phase, NUMBER, ANY, NULL,
          "of the first tooth before the line of centres, pitches", "0", NULL),
};
const slip_fields slip_fields_flanks = TABLE("flanks", "", of_flanks);

static const char *const gear_methods[] = {"rk4", "exponential", "explicit", NULL};

static const char *const gear_starts[] = {"static", NULL};

static const slip_field of_gear_simulate[] = {
    FIELD(slip_gear_run_options, method, WORD, ANY, gear_methods,
          "`exponential` goes with `condensed` and `none`, `rk4` with all but `condensed`, `explicit` is the "
          "nonlinear finite element model",
          "by the reductions", NULL),
    FIELD(slip_gear_run_options, step, NUMBER, POSITIVE, NULL, "s",
          "`rk4`: 1e-8; else chosen; both lower where contact or friction needs it", NULL),
    FIELD(slip_gear_run_options, tolerance, NUMBER, {1e-12, 0.1, false}, NULL,
          "of `exponential` alone, relative to the largest contact force", "1e-4", NULL),
    FIELD(slip_gear_run_options, initial, WORD, ANY, gear_starts,
          "of reduced gears, from static equilibrium: one gear has `drive`, the other one a "
          "`torque`, and "
          "presses its flanks",
          "undeformed, about to touch", NULL),
    FIELD(slip_gear_run_options, samples, COUNT, {2, 1e6, false}, NULL, "recorded at equal distances", "1000",
          NULL),
    FIELD(slip_gear_run_options, history, FLAG, ANY, NULL, "also the participation of the attachment modes",
          "`false`", NULL),
    FIELD(
        slip_gear_run_options, hourglass, NUMBER, NOT_NEGATIVE, NULL,
        "of `explicit` alone; 0: fully integrated bricks; more: one point, with this stiffness of the other "
        "patterns",
        "0", NULL),
    FIELD(slip_gear_run_options, frames, COUNT, {0, 10000, false}, NULL,
          "frames of the motion, from start to end, as VTU files and pictures with stress; of reduced gears "
          "no more than `samples`",
          "0", NULL),
};
const slip_fields slip_fields_gear_simulate =
    TABLE("gears in motion: simulate", "simulate.", of_gear_simulate);

const slip_fields *const slip_fields_all[] = {
    &slip_fields_simulate,      &slip_fields_record,        &slip_fields_steady,
    &slip_fields_continue,      &slip_fields_bifurcation,   &slip_fields_basin,
    &slip_fields_orbit,         &slip_fields_branch,        &slip_fields_lyapunov,
    &slip_fields_fit,           &slip_fields_gear,          &slip_fields_gear_mesh,
    &slip_fields_gear_material, &slip_fields_gear_side,     &slip_fields_gear_damping,
    &slip_fields_flanks,        &slip_fields_gear_simulate, NULL};

/* ---- Reading. */

bool slip_read_field_keys(slip_reader *r, const slip_tree *node, const char *what,
                          const slip_fields *const *tables, const char *const *others)
{
    enum { most = 64 };
    const char *keys[most] = {NULL};
    const int before = r->problems->count;
    int count = 0;
    for (; *tables; tables++)
        for (int i = 0; i < (*tables)->count && count < most - 1; i++)
            keys[count++] = (*tables)->list[i].name;
    for (; others && *others && count < most - 1; others++)
        keys[count++] = *others;
    return slip_read_keys(r, node, what, keys) && r->problems->count == before;
}

static bool read_word(slip_reader *r, const slip_tree *node, const char *what, const slip_field *field,
                      const char **to)
{
    const char *word;
    char problem[100];
    if (!slip_read_word(r, node, what, &word))
        return false;
    for (int i = 0; field->words && field->words[i]; i++)
        if (strcmp(word, field->words[i]) == 0) {
            *to = field->words[i];
            return true;
        }
    if (!field->words) {
        *to = word;
        return true;
    }
    snprintf(problem, sizeof problem, "%.80s: unknown word", what);
    slip_problem_unknown(r->problems, node, problem, word, field->words);
    return false;
}

static bool read_count(slip_reader *r, const slip_tree *node, const char *what, const slip_field *field,
                       int64_t *to)
{
    int64_t count;
    if (!slip_read_count_in(r, node, what, (int64_t)field->range.low, &count))
        return false;
    if ((double)count > field->range.high) {
        slip_problem(r->problems, node, "%s: found %lld, expected at most %.0f", what, (long long)count,
                     field->range.high);
        return false;
    }
    *to = count;
    return true;
}

/* A word in place of a number. */
static bool is_word(const slip_tree *node, const slip_field *field)
{
    return field->words && node->kind == SLIP_TREE_SCALAR && strcmp(node->text, field->words[0]) == 0;
}

static bool read_field(slip_reader *r, const slip_tree *node, const char *what, const slip_field *field,
                       void *to)
{
    void *place = (char *)to + field->offset;
    int64_t count = 0;
    double number;
    bool flag = false;
    switch (field->kind) {
    case SLIP_FIELD_NUMBER:
        if (is_word(node, field)) {
            *(double *)place = INFINITY;
            return true;
        }
        return slip_read_number_in(r, node, what, field->range, place);
    case SLIP_FIELD_COUNT:
        if (!read_count(r, node, what, field, &count))
            return false;
        *(int *)place = (int)count;
        return true;
    case SLIP_FIELD_LONG:
        return read_count(r, node, what, field, place);
    case SLIP_FIELD_EXPRESSION:
        return (is_word(node, field) || slip_read_number_in(r, node, what, field->range, &number)) &&
               slip_read_word(r, node, what, place);
    case SLIP_FIELD_FLAG:
        if (!slip_read_flag(r, node, what, &flag))
            return false;
        *(int *)place = flag;
        return true;
    default:
        return read_word(r, node, what, field, place);
    }
}

bool slip_read_fields(slip_reader *r, const slip_tree *node, const slip_fields *table, bool required,
                      void *to)
{
    bool good = true;
    for (int i = 0; i < table->count && !slip_problems_full(r->problems); i++) {
        const slip_field *field = &table->list[i];
        const bool needed = required && field->example;
        const slip_tree *value =
            needed ? slip_read_required(r, node, table->section, field->name, field->example)
                   : slip_read_child(node, field->name);
        char what[100];
        snprintf(what, sizeof what, "%s%s", table->prefix, field->name);
        good = (value ? read_field(r, value, what, field, to) : !needed) && good;
    }
    return good;
}

/* ---- Options of callers. */

int slip_fields_check(slip_context *ctx, const slip_fields *table, const void *of)
{
    for (int i = 0; i < table->count; i++) {
        const slip_field *f = &table->list[i];
        const slip_range *range = &f->range;
        const void *at = (const char *)of + f->offset;
        const double value = f->kind == SLIP_FIELD_NUMBER  ? *(const double *)at
                             : f->kind == SLIP_FIELD_COUNT ? *(const int *)at
                             : f->kind == SLIP_FIELD_LONG  ? (double)*(const int64_t *)at
                                                           : NAN;
        const bool given = f->kind == SLIP_FIELD_NUMBER ? !isnan(value) : value >= 0;
        if (!given || ((range->low_open ? value > range->low : value >= range->low) && value <= range->high))
            continue;
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         isinf(range->high) ? "%s%s: found %g, expected %s %g"
                                            : "%s%s: found %g, expected %s %g and at most %g",
                         table->prefix, f->name, value, range->low_open ? "more than" : "at least",
                         range->low, range->high);
    }
    return SLIP_OK;
}

void slip_fields_list(slip_text *text, const char *prefix, const slip_fields *table, const void *of)
{
    for (int i = 0; i < table->count; i++) {
        const slip_field *f = &table->list[i];
        const void *at = (const char *)of + f->offset;
        if (f->kind == SLIP_FIELD_NUMBER && !isnan(*(const double *)at))
            slip_text_printf(text, "%s%s: %.17g\n", prefix, f->name, *(const double *)at);
        else if (f->kind == SLIP_FIELD_COUNT || f->kind == SLIP_FIELD_FLAG)
            slip_text_printf(text, "%s%s: %d\n", prefix, f->name, *(const int *)at);
        else if (f->kind == SLIP_FIELD_LONG)
            slip_text_printf(text, "%s%s: %lld\n", prefix, f->name, (long long)*(const int64_t *)at);
        else if (f->kind != SLIP_FIELD_NUMBER && *(const char *const *)at)
            slip_text_printf(text, "%s%s: %s\n", prefix, f->name, *(const char *const *)at);
    }
}
