/* Makes a model that was read ready to run: sets parameters, and checks what a motion needs. */
#include "model/model.h"
#include "model/read/read.h"
#include "model/tree.h"
#include "system/detector.h"
#include "system/structure/structure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fails where an energy is not defined at the start, or the mass matrix is not positive definite there. The
 * slots of velocities must be zero. */
static int check_structure(slip_context *ctx, const slip_system *system, slip_workspace *work, double t,
                           const double *q)
{
    char message[1000];
    if (!system->structure->diagnose)
        return SLIP_OK;
    work->slots[slip_slot_time()] = t;
    memcpy(work->slots + slip_slot_coordinate(0), q, (size_t)system->n * sizeof(double));
    if (system->structure->diagnose(ctx, system, work, t, q) == SLIP_OK)
        return SLIP_OK;
    snprintf(message, sizeof message, "%s", slip_context_message(ctx));
    return slip_fail(ctx, SLIP_ERROR_MODEL, "in the initial state: %s", message);
}

/* Whether nothing of the initial state has to be evaluated: gaps are rows times the coordinates. */
static bool starts_plain(const slip_system *system)
{
    bool plain = !system->structure->diagnose && system->detector_count == 0;
    for (int k = 0; k < system->gap_count && plain; k++) {
        const slip_gap_form *gap = &system->contacts[system->gaps[k]].gap;
        plain = gap->row && !gap->rest;
    }
    return plain;
}

/* Whether bodies with large sliding have moved: then an overlap is allowed, as steps may leave one. */
static bool has_moved(const slip_system *system, const double *q)
{
    bool moved = false;
    for (int64_t i = 0; i < slip_system_size(system); i++)
        moved = moved || q[i] != 0;
    return moved;
}

static int fail_gap(slip_context *ctx, const slip_model *model, int c, double gap, double t)
{
    const char *name = model->system->contacts[c].name;
    if (model->contact_texts[c].of_node)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "contact `%s`: its gap is %.9g in the initial state, at t = %.9g; expected 0 (closed) "
            "or more (open): begin with `initial: static`, or give the contact a `gap` that is "
            "added to the distance of its sides",
            name, gap, t);
    return slip_fail(ctx, SLIP_ERROR_MODEL,
                     "contact `%s`: its gap `%s` is %.9g in the initial state, at t = %.9g; expected 0 "
                     "(closed) or more (open)",
                     name, model->contact_texts[c].gap, gap, t);
}

int slip_model_check_initial(slip_context *ctx, const slip_model *model, double t, const double *q)
{
    const double rounding = 1e-9;
    const bool moved = model->system->detector_count > 0 && has_moved(model->system, q);
    SLIP_FREED_BY(slip_workspace_drop) slip_workspace *work = NULL;
    int status = SLIP_OK;
    if (!starts_plain(model->system))
        SLIP_PASS(slip_workspace_create(ctx, model->system, &work));
    SLIP_PASS(check_structure(ctx, model->system, work, t, q));
    if (model->system->detector_count > 0)
        slip_system_detect(model->system, work, q);
    for (int k = 0; k < model->system->gap_count && status >= 0; k++) {
        const int c = model->system->gaps[k];
        const double gap = slip_system_gap(model->system, work, c, t, q);
        if (!(gap >= -rounding) && slip_contact_near(model->system, work, c) &&
            !(moved && model->system->contacts[c].found > 0) && !model->system->contacts[c].yields)
            status = fail_gap(ctx, model, c, gap, t);
    }
    return status;
}

int slip_model_finish(slip_context *ctx, slip_model *model)
{
    int status = model->mass_given ? slip_system_finish(ctx, model->system) : SLIP_OK;
    model->finished = status >= 0;
    if (status == SLIP_ERROR_MODEL) { /* of the mass matrix: where is it? */
        const slip_model *from = model->origin ? model->origin : model;
        const bool energy = from->document && slip_tree_find(from->document, "energy");
        char *message = strdup(slip_context_message(ctx));
        status = message ? slip_model_fail_at(ctx, from, energy ? "energy" : "mass",
                                              energy ? "kinetic" : NULL, message)
                         : slip_fail_memory(ctx);
        free(message);
    }
    return status;
}

int slip_model_check_lumped(slip_context *ctx, const slip_model *model)
{
    if (model->gear_count == 0 && !model->system->structure->methods)
        return SLIP_OK;
    if (model->gear_count == 0)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "gears with `reduce: {contact: condensed}` or `reduce: none` are for `run` with the one "
            "method that moves them; expected `contact: attachment` or `none`");
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "a model of gears is not for this: `slipstick run` has its motion, `gear modes` its modes");
}

int slip_model_fail_at(slip_context *ctx, const slip_model *model, const char *section, const char *key,
                       const char *message)
{
    const slip_tree *node = model->document ? slip_read_child(model->document, section) : NULL;
    SLIP_FREED_BY(slip_problems_drop)
    slip_problems *problems = slip_problems_create(ctx, model->file ? model->file : "the model");
    node = node && key ? slip_read_child(node, key) : node;
    if (!problems)
        return SLIP_ERROR_MEMORY;
    if (node)
        slip_problem(problems, node, "%s%s%s: %s", section, key ? "." : "", key ? key : "", message);
    else
        slip_problem_at(problems, 0, 0, "%s%s%s: %s", section, key ? "." : "", key ? key : "", message);
    return slip_problems_report(problems, ctx);
}

int slip_reader_bind(slip_reader *r, const slip_model *model, const slip_values *values)
{
    SLIP_PASS(slip_model_allocate(r->ctx, &r->model));
    bool *set = slip_arena_array(&r->model->arena, model->parameter_count, sizeof *set);
    SLIP_PASS(slip_allocated(r->ctx, set));
    for (int i = 0; i < (int)model->parameter_count; i++)
        set[i] = slip_values_are_set(values, i);
    r->root = model->document;
    r->values = values;
    r->model->origin = model;
    r->model->in_motion = model->in_motion;
    r->model->parameter_set = set;
    r->model->document = model->document;
    r->model->file = model->file;
    return SLIP_OK;
}
