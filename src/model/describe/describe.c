/* Describes a model, as it was read, for the user. */
#include "model/describe/describe.h"

#include "flex/plane_motion.h"
#include "gear/train/train.h"
#include "math/expression/freeze.h"
#include "method/exact/exact.h"
#include "method/method.h"
#include "model/study.h"
#include "slipstick/basin.h"
#include "slipstick/sweep.h"
#include "system/massless/massless.h"
#include "system/structure/energy.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double two_pi = 6.283185307179586476925;

enum { matrix_shown = 8, label_width = 13 };

void slip_describe_label(slip_text *text, const char *label)
{
    slip_text_printf(text, "%-*s ", label_width, label);
}

void slip_describe_line(slip_text *text, const char *label, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    slip_describe_label(text, label);
    slip_text_vprintf(text, format, args);
    va_end(args);
}

void slip_describe_more(slip_text *text, int64_t count)
{
    if (count > slip_describe_most)
        slip_describe_line(text, "", "... (%lld in all)\n", (long long)count);
}

static void describe_coordinates(slip_text *text, const slip_system *system)
{
    const int count = slip_system_coordinates(system);
    slip_describe_label(text, "coordinates");
    for (int i = 0; i < count && i < slip_describe_most; i++)
        slip_text_printf(text, "%s%s", i > 0 ? ", " : "", system->names[i]);
    if (count > slip_describe_most)
        slip_text_printf(text, ", ... (%d in all)", count);
    slip_text_append(text, "\n");
}

static void describe_names(slip_text *text, const slip_model *model)
{
    const slip_system *system = model->system;
    slip_describe_line(text, "title", "%s\n", model->title[0] ? model->title : "(none)");
    if (!model->of_bodies && model->gear_count == 0)
        describe_coordinates(text, system);
    for (int64_t i = 0; i < model->parameter_count && i < slip_describe_most; i++)
        slip_describe_line(text, i == 0 ? "parameters" : "", "%s = %.9g\n", model->parameters[i].name,
                           model->parameters[i].value);
    slip_describe_more(text, model->parameter_count);
}

/* Warns where a run lasts longer than a table of an input, whose end values are used then. */
static void describe_inputs(slip_text *text, const slip_model *model)
{
    const double start = isnan(model->simulate.start) ? 0 : model->simulate.start, end = model->simulate.end;
    for (int64_t i = 0; i < model->inputs.count && i < slip_describe_most; i++) {
        const slip_interpolant *table = model->inputs.list[i];
        const double first = table->x[0], last = table->x[table->count - 1];
        slip_describe_line(text, i == 0 ? "inputs" : "",
                           "%s: %d points from %.9g to %.9g, between them %s%s\n", table->name, table->count,
                           first, last, slip_between_names[table->between],
                           start < first || end > last ? "; the end values beyond" : "");
    }
    slip_describe_more(text, model->inputs.count);
}

/* ---- matrices ---- */

/* Entries right-aligned in columns of equal width. */
static void describe_small(slip_text *text, const char *name, int n, int stride, const double *matrix)
{
    int widths[matrix_shown] = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int length = snprintf(NULL, 0, "%.6g", matrix[i * stride + j]);
            widths[j] = length > widths[j] ? length : widths[j];
        }
    for (int i = 0; i < n; i++) {
        slip_describe_line(text, i == 0 ? name : "", "[");
        for (int j = 0; j < n; j++)
            slip_text_printf(text, "%s%*.6g", j > 0 ? "  " : " ", widths[j], matrix[i * stride + j]);
        slip_text_append(text, " ]\n");
    }
}

/* The entries of coordinates. */
static void describe_matrix(slip_text *text, const char *name, const slip_system *system,
                            const double *matrix)
{
    const int n = slip_system_coordinates(system), stride = system->n;
    int64_t used = 0, all = (int64_t)n * n;
    for (int64_t i = 0; i < all; i++)
        used += matrix[i / n * stride + i % n] != 0;
    if (used > 0 && n <= matrix_shown) {
        describe_small(text, name, n, stride, matrix);
        return;
    }
    slip_describe_label(text, name);
    if (used == 0)
        slip_text_append(text, "zero\n");
    else
        slip_text_printf(text, "%d x %d, %lld of %lld entries are not zero\n", n, n, (long long)used,
                         (long long)all);
}

/* Warns of a kinetic energy that jumps with the coordinates: velocities would have to jump to conserve
 * momenta, which no method does. Functions with corners only are accepted. */
static void describe_jumps(slip_text *text, const slip_expression *kinetic, int n)
{
    static const char *const corners[] = {"abs(", "min(", "max("};
    SLIP_FREED_BY(slip_switches_free) slip_switches switches = {0};
    SLIP_FREED_BY(slip_expression_drop) slip_expression *frozen = NULL;
    if (slip_expression_freeze(kinetic, slip_slot_time(), 1 + 2 * n, true, 0, &switches, &frozen) ==
        SLIP_ERROR_MEMORY)
        text->failed = true;
    for (int64_t k = 0; k < switches.count; k++) {
        const slip_switch *one = &switches.list[k];
        bool corner = one->table != NULL;
        for (int i = 0; i < 3; i++)
            corner = corner || strncmp(one->text, corners[i], 4) == 0;
        if (corner || !one->reads_state)
            continue;
        slip_describe_line(
            text, "",
            "warning: where `%s` switches the mass may jump, and velocities do not follow: write it "
            "as a smooth function\n",
            one->text);
    }
}

static void describe_energy(slip_text *text, const slip_energy *energy, int n)
{
    const slip_expression *const energies[] = {energy->kinetic, energy->potential, energy->dissipation};
    static const char *const names[] = {"kinetic", "potential", "dissipation"};
    for (int k = 0; k < 3; k++)
        if (energies[k]) {
            slip_describe_line(text, names[k], "%s\n", slip_expression_text(energies[k]));
            if (k == 0)
                describe_jumps(text, energies[k], n);
        }
}

/* A note, not an error: a load that follows the motion has no potential. */
static void describe_symmetry(slip_text *text, const slip_system *system)
{
    const int n = system->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double a = system->stiffness[i * n + j], b = system->stiffness[j * n + i];
            if (fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b)))
                continue;
            slip_describe_line(text, "", "note: not symmetric: %.9g of %s on %s, %.9g of %s on %s\n", a,
                               system->names[j], system->names[i], b, system->names[i], system->names[j]);
            return;
        }
}

/* The loads on coordinates, or the rates of states; returns how many there are. */
static int64_t describe_loads(slip_text *text, const slip_system *system, const char *name, bool states)
{
    const int first = slip_system_coordinates(system);
    int64_t count = 0;
    for (int64_t i = 0; i < system->force_count; i++) {
        const slip_force_term *term = &system->forces[i];
        if (term->structural || term->of_contact || (term->coordinate >= first) != states)
            continue;
        if (count++ >= slip_describe_most)
            continue;
        slip_describe_line(text, count == 1 ? name : "", "%s%s: %s\n", system->names[term->coordinate],
                           states ? "'" : "", slip_expression_text(term->expression));
    }
    slip_describe_more(text, count);
    return count;
}

static void describe_forces(slip_text *text, const slip_system *system)
{
    if (describe_loads(text, system, "forces", false) == 0 && !system->force_function)
        slip_describe_line(text, "forces", "none\n");
    if (system->force_function)
        slip_describe_line(text, system->force_count == 0 ? "forces" : "", "a C function\n");
}

/* ---- outputs ---- */

static void describe_outputs(slip_text *text, const slip_model *model)
{
    const slip_outputs *outputs = &model->outputs;
    const int base = outputs->series_count - outputs->count, states = outputs->state_count;
    int shown = 0;
    for (int k = states; k < outputs->count && k < states + slip_describe_most; k++) {
        const char *unit = outputs->units[base + k];
        slip_describe_line(text, k == states ? "outputs" : "", "%s: %s%s%s\n", outputs->list[k].name,
                           outputs->list[k].expression ? slip_expression_text(outputs->list[k].expression)
                                                       : "displacement of the node there",
                           unit ? ", in " : "", unit ? unit : "");
    }
    slip_describe_more(text, outputs->count - states);
    for (int k = 0; k < base + states && shown < slip_describe_most; k++)
        if (outputs->units[k]) {
            if (shown == 0)
                slip_describe_label(text, "units");
            slip_text_printf(text, "%s%s %s", shown > 0 ? ", " : "", outputs->names[k], outputs->units[k]);
            shown++;
        }
    slip_text_append(text, shown > 0 ? "\n" : "");
}

/* ---- simulate ---- */

static void describe_initial(slip_text *text, const slip_model *model)
{
    int shown = 0;
    slip_describe_label(text, "initial");
    if (model->initial_static) {
        slip_text_append(text, "a static solution, at rest\n");
        return;
    }
    for (int i = 0; i < 2 * model->system->n && shown <= slip_describe_most; i++) {
        double value = i % 2 == 0 ? model->initial_q[i / 2] : model->initial_v[i / 2];
        if (value == 0)
            continue;
        if (shown == slip_describe_most)
            slip_text_append(text, ", ...");
        else
            slip_text_printf(text, "%s%s%s = %.9g", shown > 0 ? ", " : "", model->system->names[i / 2],
                             i % 2 == 0 || i / 2 >= slip_system_coordinates(model->system) ? "" : "'", value);
        shown++;
    }
    slip_text_append(text, shown > 0 ? "; all else 0\n" : "all 0\n");
}

static void describe_record(slip_text *text, const slip_run_options *simulate)
{
    slip_describe_label(text, "record");
    if (simulate->record_steps > 0)
        slip_text_append(text, "every accepted step");
    else if (!isnan(simulate->record_every))
        slip_text_printf(text, "every %.9g", simulate->record_every);
    else if (simulate->record_points > 0)
        slip_text_printf(text, "%lld points", (long long)simulate->record_points);
    else
        slip_text_append(text, "2001 points (default)");
    if (!isnan(simulate->record_from))
        slip_text_printf(text, ", from t = %.9g", simulate->record_from);
    slip_text_append(text, simulate->record_events == 0 ? ", without events\n" : "\n");
}

static void describe_steady(slip_text *text, const slip_run_options *simulate)
{
    bool given = !isnan(simulate->steady_tolerance);
    if (isnan(simulate->steady_period))
        return;
    slip_describe_label(text, "steady");
    if (isinf(simulate->steady_period)) {
        slip_text_append(text, "a period of its own, found at the end\n");
        return;
    }
    slip_text_printf(text, "period %.9g, tolerance %.3g%s, within %lld periods%s\n", simulate->steady_period,
                     given ? simulate->steady_tolerance : 1e-8, given ? "" : " (default)",
                     (long long)(simulate->steady_within > 0 ? simulate->steady_within : 200),
                     simulate->steady_within > 0 ? "" : " (default)");
}

/* How `event` will move between events, and why. */
static void describe_segments(slip_text *text, const slip_model *model)
{
    const char *asked = model->simulate.segments, *given = model->simulate.method;
    char reason[300];
    int applies;
    if (strcmp(given ? given : slip_method_default(model->system), "event") != 0)
        return;
    slip_describe_label(text, "segments");
    if (asked && strcmp(asked, "rk") == 0)
        slip_text_append(text, "Dormand-Prince steps, as asked for\n");
    else if ((applies = slip_exact_applies(slip_system_moving(model->system), reason, sizeof reason)) < 0)
        text->failed = true;
    else if (!applies)
        slip_text_printf(text, "Dormand-Prince steps, for closed forms do not exist: %s\n", reason);
    else
        slip_text_printf(text, "closed forms%s\n",
                         slip_exact_is_wide(slip_system_moving(model->system))
                             ? ", of many unknowns: by series instead of matrices"
                             : "");
}

static void describe_simulate(slip_text *text, const slip_model *model)
{
    const slip_run_options *simulate = &model->simulate;
    const double steady = isnan(simulate->steady_tolerance) ? 1e-8 : simulate->steady_tolerance;
    const char *method = simulate->method ? simulate->method : slip_method_default(model->system);
    slip_describe_line(text, "method", "%s%s%s%s\n", method, simulate->method ? "" : " (default)",
                       simulate->segments ? ", segments " : "", simulate->segments ? simulate->segments : "");
    describe_segments(text, model);
    slip_describe_label(text, "time");
    if (isnan(simulate->end))
        slip_text_append(text, "not given\n");
    else
        slip_text_printf(text, "%.9g to %.9g\n", isnan(simulate->start) ? 0 : simulate->start, simulate->end);
    describe_initial(text, model);
    slip_describe_line(
        text, "tolerance", "%.3g%s\n",
        isnan(simulate->tolerance)
            ? slip_method_default_tolerance(model->system, method, simulate->steady_period, steady)
            : simulate->tolerance,
        isnan(simulate->tolerance) ? " (default)" : "");
    if (!isnan(simulate->step))
        slip_describe_line(text, "step", "%.9g\n", simulate->step);
    if (!isnan(simulate->theta))
        slip_describe_line(text, "theta", "%.9g\n", simulate->theta);
    describe_record(text, simulate);
    describe_steady(text, simulate);
}

/* ---- bodies ---- */

/* The lines, the first of them behind the name, the others below it. */
static void describe_lines(slip_text *text, const char *name, const slip_text *lines)
{
    const char *line = lines->data ? lines->data : "";
    text->failed = text->failed || lines->failed;
    while (*line) {
        const size_t length = strcspn(line, "\n") + 1;
        slip_describe_label(text, name);
        slip_text_append_bytes(text, line, length);
        line += length;
        name = "";
    }
}

static void describe_plane(slip_text *text, const slip_plane *plane)
{
    slip_text lines = {0};
    for (int i = 0; i < slip_plane_body_count(plane); i++) {
        slip_text_clear(&lines);
        slip_plane_describe_body(plane, i, &lines);
        describe_lines(text, i == 0 ? "bodies" : "", &lines);
    }
    slip_describe_line(text, "unknowns", "%lld\n", (long long)slip_plane_unknown_count(plane));
    for (int i = 0; i < slip_plane_surface_count(plane); i++) {
        slip_text_clear(&lines);
        slip_plane_describe_surface(plane, i, &lines);
        describe_lines(text, i == 0 ? "contacts" : "", &lines);
    }
    slip_text_free(&lines);
    if (slip_plane_surface_count(plane) == 0)
        slip_describe_line(text, "contacts", "none\n");
}

/* Bodies in motion: what they are made of, and their coordinates. */
static void describe_bodies(slip_text *text, const slip_model *bodies)
{
    const slip_plane_motion *motion = bodies->motion;
    slip_text lines = {0};
    for (int b = 0; b < motion->body_count; b++) {
        const double *square = motion->square + motion->first[b];
        const int count = motion->first[b + 1] - motion->first[b];
        int rigid = 0;
        while (rigid < count && square[rigid] == 0)
            rigid++;
        slip_text_clear(&lines);
        slip_plane_describe_body(bodies->plane, b, &lines);
        if (bodies->moves[b].turn)
            slip_text_printf(&lines, "turns with %s, inertia %.9g\n", bodies->moves[b].turn,
                             motion->turn_inertia[b]);
        if (!motion->bodies[b]) {
            slip_text_printf(&lines, "%lld unknowns, whole\n", (long long)motion->masses[b]->size);
            describe_lines(text, b == 0 ? "bodies" : "", &lines);
            continue;
        }
        slip_text_printf(&lines, "%lld unknowns, moved by %d coordinates", (long long)motion->bodies[b]->size,
                         count);
        if (rigid > 0)
            slip_text_printf(&lines, ", of which %d move it as a whole", rigid);
        const int moving = motion->bodies[b]->moving;
        if (moving < count)
            slip_text_printf(&lines, ", of which %d follow their forces without inertia", count - moving);
        if (rigid < moving)
            slip_text_printf(&lines, "; natural frequencies %.6g to %.6g rad/s", sqrt(square[rigid]),
                             sqrt(square[moving - 1]));
        slip_text_append(&lines, "\n");
        describe_lines(text, b == 0 ? "bodies" : "", &lines);
    }
    slip_text_free(&lines);
    for (int b = 0; bodies->train && b < bodies->train->body_count; b++) {
        const slip_train_body *body = &bodies->train->bodies[b];
        slip_describe_line(text, b + motion->body_count == 0 ? "bodies" : "",
                           "%s: gear of %d teeth, turns with %s", body->name, body->gear.teeth, body->turns);
        if (!body->reduced) {
            slip_text_append(text, "; whole\n");
            continue;
        }
        const slip_reduced_mode *modes = slip_reduced_modes(body->reduced);
        slip_text_printf(text, ", moment of inertia %.6g; %d modes, natural frequencies %.6g to %.6g rad/s; ",
                         slip_reduced_moment(body->reduced), body->modes, two_pi * modes[0].frequency,
                         two_pi * modes[body->modes - 1].frequency);
        if (body->condensed)
            slip_text_append(text, "flanks follow the contact forces\n");
        else
            slip_text_printf(text, "%d attachment vectors of flanks\n", body->count - body->modes);
        char why[300];
        if (slip_train_lacks_modes(body, why, sizeof why))
            slip_describe_line(text, "", "%s: %s\n", body->name, why);
    }
}

/* What decides the coordinates that have no mass. */
static void describe_massless(slip_text *text, const slip_system *system)
{
    static const char *const deciders[] = {
        [SLIP_STATIC] = "springs decide where it is",
        [SLIP_DAMPED] = "dampers decide its velocity",
        [SLIP_CREEPING] = "its velocity is the one at which a law takes the force that is left"};
    const slip_massless *of = system->massless;
    for (int i = 0, shown = 0; of && i < of->coordinates && shown < slip_describe_most; i++) {
        if (of->weight[i] == SLIP_HEAVY)
            continue;
        slip_describe_line(text, shown++ == 0 ? "without mass" : "", "%s: %s", system->names[i],
                           deciders[of->weight[i]]);
        for (int c = 0; c < system->contact_count; c++)
            if (of->contacts[c].coordinate == i)
                slip_text_printf(text, of->weight[i] == SLIP_CREEPING ? " (`%s`)" : ", and friction of `%s`",
                                 system->contacts[c].name);
        slip_text_append(text, "\n");
    }
}

static void describe_motion(slip_text *text, const slip_model *model)
{
    if (model->bodies)
        describe_bodies(text, model->bodies);
    describe_inputs(text, model);
    if (model->system->energy)
        describe_energy(text, model->system->energy, model->system->n);
    if (model->system->varying_mass) {
        slip_describe_line(text, "mass", "depends on the coordinates\n");
    } else if (model->mass_given) {
        describe_matrix(text, "mass", model->system, model->system->mass);
    } else {
        slip_describe_line(text, "mass", "none: for statics only\n");
    }
    describe_massless(text, model->system);
    describe_matrix(text, "damping", model->system, model->system->damping);
    describe_matrix(text, "stiffness", model->system, model->system->stiffness);
    describe_symmetry(text, model->system);
    describe_forces(text, model->system);
    describe_loads(text, model->system, "states", true);
    slip_describe_contacts(text, model);
    describe_outputs(text, model);
    describe_simulate(text, model);
}

/* Describes the section `continue`; false if there is none. */
static bool describe_continue(slip_text *text, const slip_model *model)
{
    const slip_continue_options *c = slip_model_section(model, &slip_study_continue);
    if (!c->parameter)
        return false;
    slip_describe_line(text, "continue", "%s from %.9g to %.9g", c->parameter, c->low, c->high);
    if (!isnan(c->start))
        slip_text_printf(text, ", start at %.9g", c->start);
    if (c->also)
        slip_text_printf(text, "; also %s from %.9g to %.9g", c->also, c->also_low, c->also_high);
    slip_text_append(text, "\n");
    return true;
}

static void describe_axes(slip_text *text, const char *name, const slip_axis *axes, int count)
{
    for (int k = 0; k < count; k++) {
        const slip_axis *axis = &axes[k];
        slip_describe_line(text, k == 0 ? name : "", "%s from %.9g to %.9g, %lld values%s\n", axis->name,
                           axis->from, axis->to, (long long)axis->count,
                           axis->logarithmic ? " by equal ratios" : "");
    }
}

const char *slip_model_describe(slip_context *ctx, const slip_model *model)
{
    if (!ctx || !model)
        return NULL;
    const slip_sweep_options *sweep = slip_model_section(model, &slip_study_sweep);
    const slip_basin_options *basin = slip_model_section(model, &slip_study_basin);
    slip_text *text = slip_context_text(ctx);
    slip_text_clear(text);
    describe_names(text, model);
    if (model->gear_count > 0)
        slip_describe_gears(text, model);
    else if (model->plane)
        describe_plane(text, model->plane);
    else if (!model->of_bodies)
        describe_motion(text, model);
    const bool followed = describe_continue(text, model);
    describe_axes(text, "sweep", sweep->axes, sweep->axis_count);
    describe_axes(text, "basin", basin->axes, basin->axis_count);
    if (!model->plane && model->system->n > 0 && (model->initial_static || followed || !model->mass_given)) {
        slip_describe_label(text, "statics");
        slip_describe_statics(text, model);
    }
    if (!text->failed)
        return text->data;
    slip_fail_memory(ctx);
    return NULL;
}
