/* Opening and closing a flow. */
#include "method/flow/jumps.h"
#include "method/flow/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(slip_flow *flow, int64_t count, bool *complete)
{
    double *memory = slip_arena_array(&flow->arena, count, sizeof(double));
    *complete &= memory != NULL;
    return memory;
}

static bool allocate(slip_flow *flow)
{
    int64_t n = flow->n, count = flow->contact_count, contacts = count + 1;
    int64_t m = 2 * n + 1 + 2 * contacts + 4 * flow->system->patch_count + slip_flow_work_count(flow);
    bool complete = true;
    flow->q = numbers(flow, n, &complete);
    flow->v = numbers(flow, n, &complete);
    flow->charts.side = numbers(flow, contacts, &complete);
    flow->charts.far = numbers(flow, contacts, &complete);
    flow->ends.slip0 = numbers(flow, contacts, &complete);
    flow->ends.slip1 = numbers(flow, contacts, &complete);
    flow->ends.rate0 = numbers(flow, contacts, &complete);
    flow->ends.rate1 = numbers(flow, contacts, &complete);
    flow->charts.speed = numbers(flow, contacts, &complete);
    flow->charts.product = numbers(flow, contacts, &complete);
    flow->ends.a0 = numbers(flow, n, &complete);
    flow->ends.a1 = numbers(flow, n, &complete);
    flow->a_last = numbers(flow, n, &complete);
    flow->scratch.row = numbers(flow, n, &complete);
    flow->scratch.response = numbers(flow, n, &complete);
    flow->scratch.basis = numbers(flow, 2 * n * n, &complete);
    flow->scratch.block = numbers(flow, 2 * n * n + n + n * contacts, &complete);
    flow->scratch.y = numbers(flow, m, &complete);
    flow->scratch.inside = numbers(flow, m, &complete);
    flow->decision.normal_seen = numbers(flow, contacts, &complete);
    flow->failure.q = numbers(flow, n, &complete);
    flow->sizes.usual = numbers(flow, n, &complete);
    flow->failure.v = numbers(flow, n, &complete);
    flow->modes = slip_arena_array(&flow->arena, contacts, sizeof *flow->modes);
    flow->mode_known = slip_arena_array(&flow->arena, contacts, sizeof *flow->mode_known);
    flow->branches = slip_arena_array(&flow->arena, contacts, sizeof *flow->branches);
    flow->areas.of = slip_arena_array(&flow->arena, contacts, sizeof *flow->areas.of);
    flow->charts.hold = slip_arena_array(&flow->arena, contacts, sizeof *flow->charts.hold);
    flow->charts.slot = slip_arena_array(&flow->arena, contacts, sizeof *flow->charts.slot);
    flow->gaps.now = numbers(flow, contacts, &complete);
    flow->gaps.from = numbers(flow, contacts, &complete);
    flow->gaps.largest = numbers(flow, contacts, &complete);
    flow->gaps.open = slip_arena_array(&flow->arena, contacts, sizeof *flow->gaps.open);
    flow->gaps.slot = slip_arena_array(&flow->arena, contacts, sizeof *flow->gaps.slot);
    return complete && flow->areas.of && flow->modes && flow->mode_known && flow->branches &&
           flow->charts.hold && flow->charts.slot && flow->gaps.open && flow->gaps.slot;
}

static void prepare_contacts(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        const slip_law_kernel *law = slip_contact_law(flow->system, flow->work, c);
        bool singular = false;
        for (int k = 0; k < contact->state_count && law->type->state_size; k++)
            flow->sizes.usual[contact->state + k] = law->type->state_size(law);
        for (int k = 0; k < law->break_count; k++)
            singular |= law->breaks[k].singular;
        flow->has_breaks |= flow->kind->adaptive && law->break_count > 0;
        flow->switching |= slip_contact_switches(&flow->system->contacts[c]);
        /* Charts need a constant row of slip: one that vanishes at an instant would stop their clock. */
        flow->charts.slot[c] = singular && flow->system->contacts[c].slip.row ? flow->charts.slots++ : -1;
        flow->branches[c] = (slip_branch){.chart = -1};
        flow->charts.hold[c] = flow->gaps.slot[c] = -1;
        flow->modes[c] = SLIP_MODE_STICK;
    }
    flow->switching |= flow->areas.count > 0;
    flow->has_breaks |= flow->switching;
    flow->watched = flow->has_breaks || (flow->jumps && flow->jumps->state_count > 0);
    for (int c = 0; c < flow->contact_count; c++)
        flow->watched |= flow->kind->adaptive && flow->system->contacts[c].normal_force;
    /* The creep at |s| = release is r s^2 / 2, below 1 % of the tolerance. */
    flow->charts.release = fmin(fmax(sqrt(0.02 * flow->options.tolerance), 1e-8), 1e-3);
    flow->charts.hold_below = 0.1 * flow->charts.release;
}

int slip_flow_gap_most(const slip_flow *flow)
{
    return flow->system->gap_count;
}

int slip_flow_make_stepper(slip_flow *flow, const slip_stepper_type *kind, const slip_ode *equation, int m,
                           slip_stepper **stepper)
{
    slip_ode ode = *equation;
    ode.m = m;
    ode.integrals = kind->integrates && equation != &slip_flow_charted_ode ? slip_flow_work_count(flow) : 0;
    ode.user = flow;
    /* a multistep method used in place of an explicit one gets a tenth of the tolerance, see smooth.c */
    double tolerance =
        flow->options.tolerance * (kind == &slip_stepper_cvode && kind != flow->kind ? 0.1 : 1);
    int status = slip_stepper_create(flow->ctx, kind, &ode, tolerance, flow->options.step, stepper);
    for (int i = 0; status == SLIP_OK && i < flow->n; i++)
        (*stepper)->absolute[flow->n + i] =
            flow->sizes.usual[i] > 0 ? flow->options.tolerance * flow->sizes.usual[i]
                                     : fmin(flow->options.tolerance, slip_flow_velocity_resolution(flow, i));
    if (status == SLIP_OK)
        slip_flow_resolve_presliding(flow, *stepper);
    /* where nothing may end a step, its end is evaluated only when an observer asks for it */
    if (status == SLIP_OK)
        (*stepper)->lazy = kind->knows_rate && !flow->watched;
    const int charted = equation == &slip_flow_charted_ode ? 2 * flow->n + 1 + flow->charts.slots : 0;
    for (int k = 2 * flow->n; status == SLIP_OK && k < charted; k++)
        (*stepper)->absolute[k] *=
            flow->areas.count > 0 ? 1e-2 : 1e-4; /* time and s next to a singular break are small numbers */
    return status;
}

/* 1/frequency of the structure's own vibration; infinite where it has none. */
static double structure_time(const slip_flow *flow)
{
    const int n = flow->n;
    double scale = INFINITY;
    for (int i = 0; i < n; i++) {
        const double *row = flow->work->mass_structure + i * 2 * n;
        double of_q = 0, of_v = 0;
        for (int j = 0; j < n; j++) {
            of_q += fabs(row[j]);
            of_v += fabs(row[n + j]);
        }
        scale = fmin(scale, fmin(1 / sqrt(of_q), 1 / of_v));
    }
    return scale;
}

int slip_flow_open(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                   const slip_stepper_type *kind, double t, const double *q, const double *v,
                   slip_flow **result)
{
    SLIP_FREED_BY(slip_flow_drop) slip_flow *flow = calloc(1, sizeof *flow);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, flow));
    flow->ctx = ctx;
    flow->system = flow->given = system;
    flow->options = *options;
    flow->kind = kind;
    flow->n = system->n;
    flow->moving = slip_system_coordinates(system);
    flow->contact_count = (int)system->contact_count;
    SLIP_PASS(slip_allocated(ctx, allocate(flow)));
    if (kind->adaptive)
        SLIP_PASS(slip_flow_jumps_create(flow));
    SLIP_PASS(slip_workspace_create(ctx, flow->system, &flow->work));
    SLIP_PASS(slip_allocated(ctx, slip_flow_works_create(flow)));
    if (kind->adaptive && system->patch_count > 0)
        SLIP_PASS(slip_flow_patch_create(flow));
    slip_system_tune(flow->system, flow->work, t, q, v);
    prepare_contacts(flow);
    SLIP_PASS(slip_flow_sliders_create(flow));
    SLIP_PASS(slip_flow_look_create(flow));
    if (flow->switching)
        SLIP_PASS(slip_flow_switch_create(flow));
    SLIP_PASS(slip_flow_make_stepper(flow, kind, slip_flow_plain_ode(flow),
                                     2 * flow->n + slip_flow_gap_most(flow), &flow->plain));
    flow->plain->ode.integrals = 0; /* until an observer asks for works */
    flow->impacts.struck = flow->arrived = -1;
    flow->t = flow->opened_at = t;
    flow->decision.time = NAN;
    flow->impacts.least_flight = 1e-13;
    slip_system_place(flow->system, flow->work, t, q);
    slip_system_fill(flow->system, flow->work);
    flow->sizes.structure_time = structure_time(flow);
    memcpy(flow->q, q, (size_t)flow->n * sizeof(double));
    memcpy(flow->v, v, (size_t)flow->n * sizeof(double));
    if (options->memory) {
        memcpy(flow->modes, options->memory->modes, (size_t)flow->contact_count * sizeof *flow->modes);
        memcpy(flow->mode_known, options->memory->known,
               (size_t)flow->contact_count * sizeof *flow->mode_known);
    }
    SLIP_PASS(slip_flow_scale_create(flow));
    SLIP_PASS(slip_flow_patch_group(flow));
    flow->tangent = options->tangent;
    if (flow->tangent)
        SLIP_PASS(slip_tangent_attach(flow->tangent, flow));
    SLIP_HAND(result, flow);
    return SLIP_OK;
}

void slip_flow_close(slip_flow *flow)
{
    if (!flow)
        return;
    slip_stepper_destroy(flow->plain);
    slip_stepper_destroy(flow->charted);
    slip_stepper_destroy(flow->stiff);
    slip_modes_destroy(flow->decision.modes);
    slip_impact_destroy(flow->impacts.solver);
    slip_flow_jumps_destroy(flow->jumps);
    slip_workspace_destroy(flow->work);
    slip_arena_free(&flow->arena);
    free(flow);
}

void slip_flow_state(const slip_flow *flow, double *t, double *q, double *v)
{
    *t = flow->t;
    memcpy(q, flow->q, (size_t)flow->n * sizeof(double));
    memcpy(v, flow->v, (size_t)flow->n * sizeof(double));
}

void slip_flow_keep(const slip_flow *flow, slip_method_memory *memory)
{
    memcpy(memory->modes, flow->modes, (size_t)flow->contact_count * sizeof *memory->modes);
    memcpy(memory->known, flow->mode_known, (size_t)flow->contact_count * sizeof *memory->known);
    memcpy(memory->gaps, flow->gaps.now, (size_t)flow->contact_count * sizeof *memory->gaps);
}

void slip_flow_counters(const slip_flow *flow, slip_method_counters *counters)
{
    const slip_stepper *steppers[] = {flow->plain, flow->charted, flow->stiff};
    *counters = (slip_method_counters){
        .steps = flow->steps, .events = flow->events, .accumulations = flow->impacts.accumulations};
    counters->evaluations = flow->work->evaluations;
    counters->resolution = flow->kind->adaptive ? flow->options.tolerance : 0;
    if (flow->kind == &slip_stepper_dopri && flow->charts.slots == 4 * flow->areas.count)
        counters->resolution = slip_flow_resolution(flow);
    for (int k = 0; k < 3; k++)
        if (steppers[k]) {
            counters->rejected += steppers[k]->rejected;
            counters->jacobians += steppers[k]->jacobians;
        }
}
