#include "model/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The tables. */

static const char *const segments[] = {"auto", "exact", "rk", NULL};

static const slip_field of_simulate[] = {
    SLIP_FIELD(slip_run_options, segments, WORD, SLIP_ANY, segments, "how `event` moves between events",
               "`auto`", NULL),
    SLIP_FIELD(
        slip_run_options, tolerance, NUMBER, {1e-14, 0.1, false}, NULL,
        "relative and absolute, of adaptive methods",
        "1e-8; with `steady` at most a hundredth of its tolerance, a thousandth where a law has memory",
        NULL),
    SLIP_FIELD(slip_run_options, step, NUMBER, SLIP_POSITIVE, NULL, "of fixed-step methods",
               "needed by those", NULL),
    SLIP_FIELD(slip_run_options, theta, NUMBER, {0.5, 1, false}, NULL, "of `moreau`", "0.5", NULL),
};
const slip_fields slip_fields_simulate = SLIP_FIELDS("simulate", "simulate.", of_simulate);

static const slip_field of_record[] = {
    SLIP_FIELD_AS(slip_run_options, "every", record_every, NUMBER, SLIP_POSITIVE, NULL,
                  "time between records", "by `points`", NULL),
    SLIP_FIELD_AS(slip_run_options, "points", record_points, LONG, {2, 1e9, false}, NULL,
                  "so many records, both ends included", "2001", NULL),
    SLIP_FIELD_AS(slip_run_options, "steps", record_steps, FLAG, SLIP_ANY, NULL, "every accepted step",
                  "`false`", NULL),
    SLIP_FIELD_AS(slip_run_options, "from", record_from, NUMBER, SLIP_ANY, NULL,
                  "nothing is recorded before this time", "the start", NULL),
    SLIP_FIELD_AS(slip_run_options, "events", record_events, FLAG, SLIP_ANY, NULL,
                  "the states before and after each event too", "`true`", NULL),
};
const slip_fields slip_fields_record = SLIP_FIELDS("simulate.record", "record.", of_record);

static const char *const own_period[] = {"auto", NULL};
static const slip_field of_steady[] = {
    SLIP_FIELD_AS(slip_run_options, "period", steady_period, NUMBER, SLIP_POSITIVE, own_period,
                  "of the load; the run goes period by period until the motion is known to repeat. `auto`: "
                  "the motion has "
                  "a period of its "
                  "own, which is found at the end of `time`",
                  "must be given", "period: 2*pi/w"),
    SLIP_FIELD_AS(slip_run_options, "tolerance", steady_tolerance, NUMBER, {1e-14, 0.1, false}, NULL,
                  "largest relative error of the motion that repeats", "1e-8", NULL),
    SLIP_FIELD_AS(slip_run_options, "within", steady_within, LONG, {1, 1e9, false}, NULL,
                  "gives up after so many periods", "200", NULL),
};
const slip_fields slip_fields_steady = SLIP_FIELDS("simulate.steady", "steady.", of_steady);

static const char *const elements[] = {"incompatible", "full", NULL};

static const slip_field of_gear[] = {
    SLIP_FIELD(slip_gear_options, teeth, COUNT, {5, 1e6, false}, NULL, "number of teeth", "must be given",
               "teeth: 18"),
    SLIP_FIELD(slip_gear_options, module, NUMBER, SLIP_POSITIVE, NULL, "metre", "must be given",
               "module: 0.005"),
    SLIP_FIELD(slip_gear_options, width, NUMBER, SLIP_POSITIVE, NULL, "face width, metre", "must be given",
               "width: 0.04"),
    SLIP_FIELD(slip_gear_options, bore, NUMBER, SLIP_POSITIVE, NULL, "diameter of the bore, metre",
               "must be given", "bore: 0.05"),
    SLIP_FIELD(slip_gear_options, pressure_angle, NUMBER, SLIP_POSITIVE, NULL, "degrees", "20", NULL),
    SLIP_FIELD(slip_gear_options, profile_shift, NUMBER, SLIP_ANY, NULL, "in modules", "0", NULL),
    SLIP_FIELD(slip_gear_options, addendum, NUMBER, SLIP_POSITIVE, NULL, "of the generating rack, in modules",
               "1", NULL),
    SLIP_FIELD(slip_gear_options, dedendum, NUMBER, SLIP_POSITIVE, NULL, "of the generating rack, in modules",
               "1.25", NULL),
    SLIP_FIELD(slip_gear_options, fillet_radius, NUMBER, SLIP_NOT_NEGATIVE, NULL,
               "of the tip of the generating rack, in modules", "0.38", NULL),
    SLIP_FIELD(slip_gear_options, chamfer, NUMBER, SLIP_NOT_NEGATIVE, NULL,
               "of the tooth tip, 45 degrees, metre", "0", NULL),
    SLIP_FIELD(slip_gear_options, backlash, NUMBER, SLIP_ANY, NULL,
               "by how much the teeth are thinner on the pitch circle, metre", "0", NULL),
    SLIP_FIELD(slip_gear_options, element, WORD, SLIP_ANY, elements,
               "`incompatible` is right in bending, `full` are plain fully integrated bricks",
               "`incompatible`", NULL),
    SLIP_FIELD(slip_gear_options, modes, COUNT, {1, 1e6, false}, NULL, "number of eigenmodes to keep", "50",
               NULL),
};
const slip_fields slip_fields_gear = SLIP_FIELDS("gears", "", of_gear);

static const slip_field of_mesh[] = {
    SLIP_FIELD(slip_gear_mesh_options, flank, COUNT, {1, 1e6, false}, NULL, "elements along the involute",
               "25", NULL),
    SLIP_FIELD(slip_gear_mesh_options, fillet, COUNT, {1, 1e6, false}, NULL, "elements along the fillet", "3",
               NULL),
    SLIP_FIELD(slip_gear_mesh_options, thickness, COUNT, {1, 1e6, false}, NULL, "elements across a tooth",
               "10", NULL),
    SLIP_FIELD(slip_gear_mesh_options, root, COUNT, {1, 1e6, false}, NULL, "elements along the root circle",
               "4", NULL),
    SLIP_FIELD(slip_gear_mesh_options, rim, COUNT, {1, 1e6, false}, NULL,
               "elements from the root to the bore", "23", NULL),
    SLIP_FIELD(slip_gear_mesh_options, width, COUNT, {1, 1e6, false}, NULL, "elements across the face", "8",
               NULL),
};
const slip_fields slip_fields_gear_mesh = SLIP_FIELDS("gears.mesh", "", of_mesh);

static const slip_field of_material[] = {
    SLIP_FIELD(slip_gear_options, young, NUMBER, SLIP_POSITIVE, NULL, "Pa", "210e9", NULL),
    SLIP_FIELD(slip_gear_options, poisson, NUMBER, SLIP_ANY, NULL, "more than -1 and less than 0.5", "0.3",
               NULL),
    SLIP_FIELD(slip_gear_options, density, NUMBER, SLIP_POSITIVE, NULL, "kg/m^3", "7850", NULL),
};
const slip_fields slip_fields_gear_material = SLIP_FIELDS("gears.material", "", of_material);

static const char *const reductions[] = {"none", "all", "switch", "switch_teeth", "condensed", NULL};

static const slip_field of_side[] = {
    SLIP_FIELD_AS(slip_gear_side, "static", reduction, WORD, SLIP_ANY, reductions,
                  "[reduction](gears.md#which-reduction)", "`condensed`", NULL),
    SLIP_FIELD(slip_gear_side, speed, NUMBER, SLIP_ANY, NULL, "of the bore at the start, rad/s", "0", NULL),
    SLIP_FIELD_AS(slip_gear_side, "drive", driven, FLAG, SLIP_ANY, NULL, "it keeps that speed whatever acts",
                  "`false`", NULL),
    SLIP_FIELD(slip_gear_side, torque, NUMBER, SLIP_ANY, NULL, "on the bore, N m; not with `drive`", "0",
               NULL),
    SLIP_FIELD(slip_gear_side, inertia, NUMBER, SLIP_NOT_NEGATIVE, NULL,
               "of what turns with the bore and is not meshed, kg m^2", "0", NULL),
};
const slip_fields slip_fields_gear_side = SLIP_FIELDS("gears in motion", "", of_side);

static const slip_field of_damping[] = {
    SLIP_FIELD_AS(slip_gear_side, "modes", damping, NUMBER, SLIP_NOT_NEGATIVE, NULL,
                  "of the eigenmodes, times their stiffness, s", "1e-10", NULL),
    SLIP_FIELD_AS(slip_gear_side, "static", static_damping, NUMBER, SLIP_NOT_NEGATIVE, NULL,
                  "of the attachment modes, times their stiffness, s", "1e-7", NULL),
};
const slip_fields slip_fields_gear_damping = SLIP_FIELDS("gears.damping", "", of_damping);

static const slip_field of_flanks[] = {
    SLIP_FIELD(slip_gear_run_options, two_pass, NUMBER, {0, 1, false}, NULL,
               "weight of the pass with the first gear's nodes", "0.5", NULL),
    SLIP_FIELD(slip_gear_run_options, distance, NUMBER, SLIP_POSITIVE, NULL, "of the axes, metre",
               "that without backlash", NULL),
    SLIP_FIELD(slip_gear_run_options, phase, NUMBER, SLIP_ANY, NULL,
               "of the first tooth before the line of centres, pitches", "0", NULL),
};
const slip_fields slip_fields_flanks = SLIP_FIELDS("flanks", "", of_flanks);

static const char *const gear_methods[] = {"rk4", "exponential", "explicit", NULL};

static const char *const gear_starts[] = {"static", NULL};

static const slip_field of_gear_simulate[] = {
    SLIP_FIELD(
        slip_gear_run_options, method, WORD, SLIP_ANY, gear_methods,
        "`exponential` goes with `condensed` and `none`, `rk4` with all but `condensed`, `explicit` is the "
        "nonlinear finite element model",
        "by the reductions", NULL),
    SLIP_FIELD(slip_gear_run_options, step, NUMBER, SLIP_POSITIVE, NULL, "s",
               "`rk4`: 1e-8; else chosen; both lower where contact or friction needs it", NULL),
    SLIP_FIELD(slip_gear_run_options, tolerance, NUMBER, {1e-12, 0.1, false}, NULL,
               "of `exponential` alone, relative to the largest contact force", "1e-4", NULL),
    SLIP_FIELD(
        slip_gear_run_options, initial, WORD, SLIP_ANY, gear_starts,
        "from static equilibrium: one gear has `drive`, the other one a `torque`, and presses its flanks",
        "undeformed, about to touch", NULL),
    SLIP_FIELD(slip_gear_run_options, samples, COUNT, {2, 1e6, false}, NULL, "recorded at equal distances",
               "1000", NULL),
};
const slip_fields slip_fields_gear_simulate =
    SLIP_FIELDS("gears in motion: simulate", "simulate.", of_gear_simulate);

static const slip_field of_gear_record[] = {
    SLIP_FIELD(slip_gear_run_options, history, FLAG, SLIP_ANY, NULL,
               "also the participation of the attachment modes; of trains by `exponential` and `explicit`",
               "`false`", NULL),
    SLIP_FIELD(
        slip_gear_run_options, hourglass, NUMBER, SLIP_NOT_NEGATIVE, NULL,
        "of `explicit` alone; 0: fully integrated bricks; more: one point, with this stiffness of the other "
        "patterns",
        "0", NULL),
    SLIP_FIELD(slip_gear_run_options, frames, COUNT, {0, 10000, false}, NULL,
               "frames of the motion, from start to end, as VTU files and pictures with stress", "0", NULL),
};
const slip_fields slip_fields_gear_record =
    SLIP_FIELDS("gears of any number: simulate", "simulate.", of_gear_record);

const slip_fields *const slip_fields_all[] = {
    &slip_fields_simulate,  &slip_fields_record,        &slip_fields_steady,      &slip_fields_gear,
    &slip_fields_gear_mesh, &slip_fields_gear_material, &slip_fields_gear_side,   &slip_fields_gear_damping,
    &slip_fields_flanks,    &slip_fields_gear_simulate, &slip_fields_gear_record, NULL};

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
    if (!field->words)
        return slip_read_word(r, node, what, to);
    const int found = slip_read_choice(r, node, what, NULL, field->words);
    *to = found < 0 ? *to : field->words[found];
    return found >= 0;
}

static bool read_count(slip_reader *r, const slip_tree *node, const char *what, const slip_field *field,
                       int64_t *to)
{
    int64_t count;
    if (!slip_read_count_in(r, node, what, (int64_t)field->range.low, &count))
        return false;
    if ((double)count > field->range.high)
        return slip_problem(r->problems, node, "%s: found %lld, expected at most %.0f", what,
                            (long long)count, field->range.high);
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
        if (value)
            snprintf(what, sizeof what, "%s%s", table->prefix, field->name);
        good = (value ? read_field(r, value, what, field, to) : !needed) && good;
    }
    return good;
}

/* ---- Checks and lists of options. */

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
