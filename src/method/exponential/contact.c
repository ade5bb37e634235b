/* The contacts of a step: their directions, their laws at its end, what they do. */
#include "method/exponential/types.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Directions. */

static int refuse(const slip_exponential *x, int c, const char *what)
{
    return slip_fail(x->ctx, SLIP_ERROR_MODEL, "contact `%s`: method `exponential` %s",
                     x->system->contacts[c].name, what);
}

static int check_kind(const slip_exponential *x, int c)
{
    const slip_contact *contact = &x->system->contacts[c];
    bool constant = contact->has_gap ? contact->gap.row != NULL : true;
    for (int part = 0; part < contact->dimension && !contact->frictionless; part++)
        constant = constant && contact->slips[part].row;
    if (!constant)
        return refuse(
            x, c,
            "needs a gap and a slip that are linear in the coordinates with constant coefficients; use "
            "`event` or `moreau`");
    if (contact->has_gap && contact->restitution > 0)
        return refuse(
            x, c,
            "has no impacts, since its contact points yield, and so no restitution; leave that out, or use "
            "`event` or `moreau`");
    for (int k = 0; k < contact->law.break_count; k++)
        if (contact->law.breaks[k].singular)
            return refuse(x, c, "needs a law with a finite slope, such as coulomb or tanh; or use `event`");
    return SLIP_OK;
}

static double *add_row(slip_exponential *x, const double *row)
{
    double *to = x->rows + (int64_t)x->direction_count++ * x->n;
    if (row)
        memcpy(to, row, (size_t)x->n * sizeof *row);
    return to;
}

/* The step as laws with memory have it. */
static slip_memory_step memory_of(const slip_exponential *x, int c)
{
    const double *past = x->contacts[c].past;
    return (slip_memory_step){.system = x->system,
                              .work = x->work,
                              .h = x->h,
                              .part = 0.5,
                              .tuned = 1,
                              .at_end = true,
                              .lead = x->h > 0 && !isnan(past[0]) ? x->h / (x->h + x->before) : 0,
                              .past = past,
                              .before = x->now.v,
                              .room = x->memory_room};
}

static void memory_law(const void *user, double a, const double w[3], double T[3], double *derivative)
{
    const slip_exponential_contact *own = user;
    const slip_memory_step step = memory_of(own->of, own->number);
    double unwanted[9];
    (void)a;
    slip_memory_plane_force(&step, own->number, w, T, derivative ? derivative : unwanted);
}

static void add_slip(slip_exponential *x, int c)
{
    const slip_contact *contact = &x->system->contacts[c];
    slip_exponential_contact *own = &x->contacts[c];
    double slope;
    own->tangent = x->direction_count;
    if (contact->patch) {
        slip_plane *plane = &own->plane;
        *plane = (slip_plane){.surface = contact->patch->law,
                              .law = contact->state_count > 0 ? memory_law : NULL,
                              .user = own,
                              .set_valued = contact->set_valued,
                              .a = 1};
        own->of = x;
        own->number = c;
        own->rank = plane->rank = slip_system_patch_basis(x->system, x->work, c, plane->basis);
        for (int k = 0; k < own->rank; k++)
            slip_system_patch_along(x->system, x->work, c, plane->basis + 3 * k, add_row(x, NULL));
    } else {
        own->rank = 1;
        add_row(x, contact->slip.row);
        own->simple = slip_law_amounts_to_coulomb(&contact->law) && contact->varying_count == 0;
        if (own->simple) {
            own->hold = slip_law_hold(&contact->law);
            slip_law_force(&contact->law, 1, 0, &own->slide, &slope);
        }
    }
}

int slip_exponential_list(slip_exponential *x)
{
    const int most = 4 * x->contact_count;
    x->contacts = slip_arena_array(&x->arena, x->contact_count + 1, sizeof *x->contacts);
    x->rows = slip_arena_array(&x->arena, (int64_t)most * x->n + 1, sizeof *x->rows);
    x->solved = slip_arena_array(&x->arena, most + 1, sizeof *x->solved);
    SLIP_PASS(slip_allocated(x->ctx, x->contacts && x->rows && x->solved));
    for (int c = 0; c < x->contact_count; c++) {
        const slip_contact *contact = &x->system->contacts[c];
        slip_exponential_contact *own = &x->contacts[c];
        *own = (slip_exponential_contact){.normal = -1, .tangent = -1, .mode = SLIP_MODE_OPEN};
        SLIP_PASS(check_kind(x, c));
        if (contact->has_gap) {
            own->normal = x->direction_count;
            add_row(x, contact->gap.row);
        }
        if (contact->patch || !contact->frictionless)
            add_slip(x, c);
        own->belt = slip_arena_array(&x->arena, own->rank + 1, sizeof *own->belt);
        SLIP_PASS(slip_allocated(x->ctx, own->belt));
        x->iterate |= contact->normal_force || contact->varying_count > 0 ||
                      (contact->patch && !contact->set_valued) ||
                      (own->tangent >= 0 && !contact->patch && !own->simple);
        for (int part = 0; part < contact->dimension; part++)
            x->iterate |= contact->slips[part].rest != NULL;
    }
    x->iterate |= x->system->state_loads || x->coupling;
    return SLIP_OK;
}

/* Whether forces along a direction find some flexibility, beside that of motion. */
static bool yields(const slip_exponential *x, int direction)
{
    const int64_t m = x->direction_count;
    double motion = 0, highest = 0;
    for (int k = 0; k < x->heavy; k++) {
        motion += pow(x->modal[(int64_t)direction * x->heavy + k], 2);
        highest = fmax(highest, x->propagator->square[k]);
    }
    return x->flexibility[direction * (m + 1)] * highest > 1e-9 * motion &&
           x->flexibility[direction * (m + 1)] > 0;
}

/* The first direction whose forces find no flexibility but that of those before it, or -1; -2: out of memory.
 * Cholesky's method with unit diagonal. */
static int find_dependent(const slip_exponential *x)
{
    static const double least = 1e-10;
    const int64_t m = x->direction_count;
    SLIP_FREED double *a = slip_alloc(m * m + 1, sizeof *a);
    int found = a ? -1 : -2;
    for (int64_t i = 0; i < m && found == -1; i++) {
        if (!x->solved[i])
            continue;
        for (int64_t j = 0; j <= i && found == -1; j++) {
            double sum =
                x->flexibility[i * m + j] / sqrt(x->flexibility[i * (m + 1)] * x->flexibility[j * (m + 1)]);
            if (!x->solved[j])
                continue;
            for (int64_t k = 0; k < j; k++)
                sum -= a[i * m + k] * a[j * m + k];
            if (i == j && !(sum > least))
                found = (int)i;
            else
                a[i * m + j] = i == j ? sqrt(sum) : sum / a[j * m + j];
        }
    }
    return found;
}

/* Forces are unique where contact points yield each for itself. */
static int check_flexibility(const slip_exponential *x)
{
    const int found = find_dependent(x);
    int c = 0;
    if (found == -2)
        return slip_fail_memory(x->ctx);
    if (found < 0)
        return SLIP_OK;
    while (x->contacts[c].normal != found &&
           (found < x->contacts[c].tangent || found >= x->contacts[c].tangent + x->contacts[c].rank))
        c++;
    return refuse(
        x, c,
        "needs contact points that yield each for itself, and this one yields only together with others: "
        "the modes leave too little of the body to its contact points, or points depend on each other; take "
        "fewer modes, one pass, or `event` or `moreau`");
}

/* Whether the spring of a compliant contact is on coordinates without mass. */
static bool springs_on_light(const slip_exponential *x, const slip_contact *contact)
{
    bool reads = false;
    for (int i = 0; i < x->light && contact->compliant && contact->normal_force; i++)
        reads = reads || slip_expression_reads(contact->normal_force, slip_slot_coordinate(x->of_light[i]));
    return reads;
}

int slip_exponential_check_contacts(slip_exponential *x)
{
    for (int c = 0; c < x->contact_count; c++) {
        const slip_contact *contact = &x->system->contacts[c];
        slip_exponential_contact *own = &x->contacts[c];
        const bool smooth = contact->patch ? !contact->set_valued : !contact->law.type->info.set_valued;
        const bool remembers = contact->state_count > 0; /* its law is the spring along the slip */
        bool yielding = own->normal < 0 || yields(x, own->normal);
        for (int k = 0; k < own->rank && !remembers; k++)
            yielding = yielding && yields(x, own->tangent + k);
        own->known = own->normal < 0 && smooth && !remembers;
        if (!yielding && !own->known)
            return refuse(
                x, c,
                own->normal < 0
                    ? "takes friction that sticks where contact points yield, at bodies with `reduce: "
                      "{contact: "
                      "condensed}`; give this contact a smooth law such as tanh, or use `event` or `moreau`"
                    : "takes gaps where contact points yield, at bodies with `reduce: {modes: 20, contact: "
                      "condensed}`, or contacts with `normal: {stiffness: ...}`; for others use `event` or "
                      "`moreau`");
        if (springs_on_light(x, contact))
            return refuse(x, c,
                          "takes springs on contact points that have a mass, and those of this one yield by "
                          "themselves; leave `normal` out, or use `reduce: {contact: attachment}`");
        if (remembers && own->normal >= 0)
            return refuse(x, c,
                          "takes laws with memory where contact points have a mass; take a law without, or "
                          "`event` or `moreau` with `reduce: {contact: attachment}`");
        for (int k = 0; k < own->rank; k++)
            x->solved[own->tangent + k] = !own->known && !remembers;
        if (own->normal >= 0)
            x->solved[own->normal] = true;
    }
    SLIP_PASS(check_flexibility(x));
    for (int c = 0; c < x->contact_count; c++)
        for (int k = 0; k < x->contacts[c].rank; k++)
            x->solved[x->contacts[c].tangent + k] |= x->system->contacts[c].state_count > 0;
    return SLIP_OK;
}

/* ---- Before a step. */

static double rest_of_gap(slip_exponential *x, int c, double t)
{
    return slip_system_gap(x->system, x->work, c, t, x->zero);
}

void slip_exponential_meet(slip_exponential *x, double t)
{
    for (int c = 0; c < x->contact_count; c++) {
        slip_exponential_contact *own = &x->contacts[c];
        own->takes_part = own->normal < 0 ? !own->known
                                          : x->now.force[own->normal] > 0 ||
                                                x->free_place[own->normal] + rest_of_gap(x, c, t) < 0;
        own->turned = 0;
    }
    x->problem.memory.sure = false;
}

bool slip_exponential_overlaps(slip_exponential *x, double t)
{
    bool some = false;
    for (int c = 0; c < x->contact_count; c++) {
        slip_exponential_contact *own = &x->contacts[c];
        if (own->normal < 0 || own->takes_part)
            continue;
        const double rest = rest_of_gap(x, c, t), place = x->next.place[own->normal];
        if (place + rest < -4 * DBL_EPSILON * (fabs(place) + fabs(rest)))
            own->takes_part = some = true;
    }
    return some;
}

/* The slip of the counterpart, at the middle of the step. */
static void find_belt(slip_exponential *x, int c, double t)
{
    const slip_contact *contact = &x->system->contacts[c];
    slip_exponential_contact *own = &x->contacts[c];
    const double middle = t - 0.5 * x->h;
    if (contact->patch) {
        double slip[3];
        slip_system_patch_slip(x->system, x->work, c, middle, x->next.q, x->zero, slip);
        slip[2] *= contact->patch->size;
        slip_plane_divide(&own->plane, slip, own->belt, own->plane.across);
    } else if (own->tangent >= 0) {
        own->belt[0] = slip_system_slip(x->system, x->work, c, middle, x->next.q, x->zero);
    }
}

/* Friction as a function of the motion: slip velocities, and forces on the coordinates along these. */
static void find_known(const slip_exponential *x, int c, double t, const double *q, const double *v,
                       double normal, slip_patch_state *to)
{
    const slip_contact *contact = &x->system->contacts[c];
    double slope;
    if (contact->patch) {
        slip_system_patch_slip(x->system, x->work, c, t, q, v, to->slip);
        if (contact->state_count > 0)
            memory_law(&x->contacts[c], 1, to->slip, to->force, NULL);
        else
            slip_patch_evaluate(contact->patch->law, to->slip, to->force, NULL);
        for (int part = 0; part < 3; part++)
            to->force[part] *= -x->work->patch_mu[contact->vector] * normal;
    } else if (x->contacts[c].tangent >= 0) {
        const slip_memory_step step = memory_of(x, c);
        to->slip[0] = slip_system_slip(x->system, x->work, c, t, q, v);
        slip_memory_force(&step, c, to->slip[0], &to->force[0], &slope);
        to->force[0] *= -normal;
    }
}

/* Along its directions. */
static void take_known(slip_exponential *x, int c, double t, double normal)
{
    const slip_contact *contact = &x->system->contacts[c];
    slip_exponential_contact *own = &x->contacts[c];
    slip_patch_state state = {0};
    find_known(x, c, t, x->next.q, x->next.v, normal, &state);
    memcpy(own->slip, state.slip, sizeof own->slip);
    if (contact->patch)
        state.force[2] /= contact->patch->size;
    for (int k = 0; k < own->rank; k++) {
        double *force = &x->next.force[own->tangent + k];
        *force = contact->patch ? 0 : state.force[0];
        for (int part = 0; part < 3 && contact->patch; part++)
            *force += own->plane.basis[3 * k + part] * state.force[part];
    }
}

int slip_exponential_know(slip_exponential *x, double t)
{
    const slip_exponential_state *next = &x->next;
    if (!slip_system_tune(x->system, x->work, t, next->q, next->v))
        return slip_system_diagnose(x->ctx, x->system, x->work, t, next->q, next->v);
    for (int c = 0; c < x->contact_count; c++) {
        find_belt(x, c, t);
        if (!x->contacts[c].known)
            continue;
        const double normal = slip_system_normal_force(x->system, x->work, c, t, next->q, next->v);
        if (normal < 0)
            return slip_system_refuse_pull(x->ctx, &x->system->contacts[c], t);
        take_known(x, c, t, normal);
    }
    return SLIP_OK;
}

/* ---- The contact problem. */

static int put_row(slip_exponential *x, int direction, double initial, double span, slip_block block)
{
    x->problem.active[x->problem.m] = direction;
    x->problem.initial[x->problem.m] = initial;
    x->problem.blocks[x->problem.m] = block;
    x->problem.solution.states[x->problem.m] = x->problem.states[direction];
    x->problem.solution.p[x->problem.m] = x->next.force[direction] * span;
    return x->problem.m++;
}

/* A smooth law by its tangent at the slip velocity of the turn before. */
static slip_block smooth_block(slip_exponential *x, int c, double normal, int turn)
{
    enum { again = 12 };
    slip_exponential_contact *own = &x->contacts[c];
    const slip_memory_step step = memory_of(x, c);
    double force, slope;
    if (turn == again)
        own->turned = 0;
    slip_memory_force(&step, c, own->turned, &force, &slope);
    slope = fmax(slope, 0);
    return (slip_block){.kind = SLIP_BLOCK_LINEAR,
                        .normal = -1,
                        .slope = normal * slope,
                        .constant = normal * (force - slope * own->turned)};
}

/* `impulse`: of a normal force that is given; else `normal` is its row. */
static slip_block slip_block_of(slip_exponential *x, int c, int normal, double impulse, int turn)
{
    const slip_contact *contact = &x->system->contacts[c];
    slip_exponential_contact *own = &x->contacts[c];
    double hold = own->hold, slide = own->slide, slope;
    if (contact->patch) {
        slide = x->work->patch_mu[contact->vector];
        hold = slide * (contact->set_valued ? contact->patch->static_ratio : 1);
    } else if (!contact->law.type->info.set_valued) {
        return smooth_block(x, c, normal < 0 ? impulse : fmax(0, x->problem.solution.p[normal]), turn);
    } else if (!own->simple) {
        const slip_law_kernel *law = slip_contact_law(x->system, x->work, c);
        slip_law_force(law, 1, fabs(own->turned), &slide, &slope);
        hold = fmax(slip_law_hold(law), slide);
    }
    const double unit = normal < 0 ? impulse : 1;
    return (slip_block){.kind = contact->patch ? SLIP_BLOCK_PLANE : SLIP_BLOCK_FRICTION,
                        .normal = normal,
                        .hold = unit * hold,
                        .slide = unit * slide,
                        .plane = contact->patch ? &own->plane : NULL};
}

/* Whether its friction is one of the unknowns. In a step of no length a law with memory has the states that
 * it has, and its friction is known. */
static bool has_rows(const slip_exponential *x, int c)
{
    return x->contacts[c].rank > 0 && (x->h > 0 || x->system->contacts[c].state_count == 0);
}

static int collect(slip_exponential *x, int c, double t, double span, int turn)
{
    slip_exponential_contact *own = &x->contacts[c];
    int normal = -1;
    double impulse = 0;
    if (own->normal >= 0) {
        normal = put_row(x, own->normal, (x->free_place[own->normal] + rest_of_gap(x, c, t)) / span, span,
                         (slip_block){.kind = SLIP_BLOCK_NORMAL, .normal = -1});
    } else {
        impulse = span * slip_system_normal_force(x->system, x->work, c, t, x->next.q, x->next.v);
        if (impulse < 0)
            return slip_system_refuse_pull(x->ctx, &x->system->contacts[c], t);
    }
    if (!has_rows(x, c))
        return SLIP_OK;
    slip_block block = slip_block_of(x, c, normal, impulse, turn);
    own->plane.row = x->problem.m;
    x->problem.planes += block.kind == SLIP_BLOCK_PLANE;
    for (int k = 0; k < own->rank; k++) {
        const int d = own->tangent + k;
        put_row(x, d, (x->free_place[d] - x->now.place[d]) / span + (x->h > 0 ? own->belt[k] : 0), span,
                block);
        if (block.kind == SLIP_BLOCK_PLANE)
            block.kind = SLIP_BLOCK_PART;
    }
    return SLIP_OK;
}

static void note_slip(slip_exponential *x, int c, int row)
{
    const slip_contact *contact = &x->system->contacts[c];
    slip_exponential_contact *own = &x->contacts[c];
    memset(own->slip, 0, sizeof own->slip);
    if (!contact->patch) {
        own->slip[0] = own->turned = x->problem.solution.y[row];
        return;
    }
    for (int part = 0; part < 3; part++) {
        own->slip[part] = own->plane.across[part];
        for (int k = 0; k < own->rank; k++)
            own->slip[part] += x->problem.solution.y[row + k] * own->plane.basis[3 * k + part];
    }
    own->slip[2] /= contact->patch->size;
}

/* The states of a law with memory at the end of the step; in one of no length its friction. */
static void remember(slip_exponential *x, int c, double t)
{
    const slip_contact *contact = &x->system->contacts[c];
    const slip_exponential_contact *own = &x->contacts[c];
    const slip_memory_step step = memory_of(x, c);
    const double normal = own->normal >= 0
                              ? x->next.force[own->normal]
                              : slip_system_normal_force(x->system, x->work, c, t, x->next.q, x->next.v);
    if (normal == 0 && (own->normal >= 0 || contact->compliant))
        slip_system_forget(x->system, x->work, c, x->next.v);
    else if (x->h == 0)
        take_known(x, c, t, normal);
    else if (contact->patch)
        slip_memory_set_plane(&step, c, own->slip, x->next.v);
    else
        slip_memory_set(&step, c, own->slip[0], x->next.v);
}

int slip_exponential_solve(slip_exponential *x, double t, double span, int turn)
{
    x->problem.m = x->problem.planes = 0;
    for (int c = 0; c < x->contact_count; c++)
        if (x->contacts[c].takes_part)
            SLIP_PASS(collect(x, c, t, span, turn));
    for (int i = 0; i < x->problem.m; i++)
        for (int j = 0; j < x->problem.m; j++)
            x->problem.gram[i * x->problem.m + j] =
                x->gram[(int64_t)x->problem.active[i] * x->direction_count + x->problem.active[j]] /
                (span * span);
    const slip_contact_problem problem = {.m = x->problem.m,
                                          .gram = x->problem.gram,
                                          .initial = x->problem.initial,
                                          .rows = x->problem.blocks,
                                          .planes = x->problem.planes};
    x->step_residual =
        x->problem.m > 0 ? slip_contact_solve(&problem, &x->problem.solution, &x->problem.memory) : 0;
    for (int d = 0; d < x->direction_count; d++)
        if (x->solved[d])
            x->next.force[d] = 0;
    for (int i = 0; i < x->problem.m; i++) {
        x->next.force[x->problem.active[i]] = x->problem.solution.p[i] / span;
        x->problem.states[x->problem.active[i]] = x->problem.solution.states[i];
    }
    for (int c = 0, row = 0; c < x->contact_count; c++) {
        const slip_exponential_contact *own = &x->contacts[c];
        if (!own->takes_part)
            continue;
        row += own->normal >= 0;
        if (!has_rows(x, c))
            continue;
        note_slip(x, c, row);
        row += own->rank;
    }
    for (int c = 0; c < x->contact_count; c++)
        if (x->system->contacts[c].state_count > 0)
            remember(x, c, t);
    return SLIP_OK;
}

/* ---- Modes. */

static slip_mode mode_of(slip_exponential *x, int c)
{
    const slip_contact *contact = &x->system->contacts[c];
    slip_exponential_contact *own = &x->contacts[c];
    if (own->normal >= 0 && !(own->takes_part && x->problem.states[own->normal] == SLIP_BLOCK_ZERO))
        return SLIP_MODE_OPEN;
    if (own->rank == 0)
        return SLIP_MODE_CLOSED;
    if (contact->slider_count > 0) {
        const slip_memory_step step = memory_of(x, c);
        return slip_memory_slider_mode(&step, c, own->slip[0], x->next.v);
    }
    if (contact->patch)
        return !own->known && own->plane.stuck ? SLIP_MODE_STICK : SLIP_MODE_SLIP;
    if (!own->known && x->problem.states[own->tangent] == SLIP_BLOCK_ZERO)
        return SLIP_MODE_STICK;
    return own->slip[0] > 0 ? SLIP_MODE_SLIP_PLUS : own->slip[0] < 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_STICK;
}

void slip_exponential_find_modes(slip_exponential *x)
{
    for (int c = 0; c < x->contact_count; c++)
        x->contacts[c].next = mode_of(x, c);
}

int slip_exponential_tell(slip_exponential *x, const slip_observer *observer)
{
    int status = SLIP_OK;
    for (int c = 0; c < x->contact_count && status == SLIP_OK; c++) {
        slip_exponential_contact *own = &x->contacts[c];
        const slip_event event = {x->t + x->h, c, own->mode, own->next};
        const bool news = own->mode_known && own->mode != own->next;
        own->mode_known = true;
        if (!news)
            continue;
        x->events++;
        status = observer->event ? observer->event(observer->user, &event) : SLIP_OK;
    }
    return status;
}

/* ---- What is seen. */

static double between(const slip_exponential *x, int d, double share)
{
    return x->now.force[d] + share * (x->next.force[d] - x->now.force[d]);
}

/* Forces of an area, from those along its basis. */
static void spread(const slip_exponential *x, int c, double share, double force[3])
{
    const slip_exponential_contact *own = &x->contacts[c];
    for (int part = 0; part < 3; part++) {
        force[part] = 0;
        for (int k = 0; k < own->rank; k++)
            force[part] += between(x, own->tangent + k, share) * own->plane.basis[3 * k + part];
    }
    force[2] *= x->system->contacts[c].patch->size;
}

void slip_exponential_look(const slip_exponential *x, double t, double share, slip_sample *sample)
{
    for (int c = 0; c < x->contact_count; c++) {
        const slip_contact *contact = &x->system->contacts[c];
        const slip_exponential_contact *own = &x->contacts[c];
        const double normal = own->normal >= 0
                                  ? fmax(0, between(x, own->normal, share))
                                  : slip_system_normal_force(x->system, x->work, c, t, x->seen_q, x->seen_v);
        slip_patch_state state = {.slip = {own->slip[0], own->slip[1], own->slip[2]}};
        slip_mode mode = own->next;
        if (own->normal >= 0 && mode == SLIP_MODE_OPEN && share < 1 && own->mode_known)
            mode = normal > 0 ? own->mode : SLIP_MODE_OPEN;
        if ((mode == SLIP_MODE_STICK && contact->state_count == 0) || mode == SLIP_MODE_OPEN)
            memset(state.slip, 0, sizeof state.slip);
        if (own->known)
            find_known(x, c, t, x->seen_q, x->seen_v, normal, &state);
        else if (contact->patch)
            spread(x, c, share, state.force);
        else if (own->tangent >= 0)
            state.force[0] = between(x, own->tangent, share);
        if (sample->slip)
            sample->slip[c] = contact->patch ? slip_contact_slip_size(contact, state.slip) : state.slip[0];
        if (sample->normal)
            sample->normal[c] = normal;
        if (sample->force)
            sample->force[c] =
                contact->patch ? -slip_contact_force_size(contact, state.force) : state.force[0];
        if (sample->mode)
            sample->mode[c] = slip_shown_mode(contact, normal, mode);
        if (sample->patches && contact->patch)
            sample->patches[contact->vector] = state;
    }
}

void slip_exponential_contact_works(const slip_exponential *x, const slip_works *to)
{
    const int m = x->contact_count;
    for (int c = 0; c < m; c++) {
        const slip_exponential_contact *own = &x->contacts[c];
        double *done = &to->works[SLIP_WORK_CONTACTS + c], *taken = done + m, normal = 0, force = 0;
        if (own->normal >= 0) {
            const double mean = between(x, own->normal, 0.5);
            const double moved = x->next.place[own->normal] - x->now.place[own->normal];
            *done += mean * moved;
            *taken -= mean * (moved + slip_system_gap(x->system, x->work, c, x->t + x->h, x->zero) -
                              slip_system_gap(x->system, x->work, c, x->t, x->zero));
            normal = fmax(x->now.force[own->normal], x->next.force[own->normal]);
        } else {
            normal = slip_system_normal_force(x->system, x->work, c, x->t + x->h, x->next.q, x->next.v);
        }
        for (int k = 0; k < own->rank; k++) {
            const int d = own->tangent + k;
            const double mean = between(x, d, 0.5), moved = x->next.place[d] - x->now.place[d];
            *done += mean * moved;
            *taken -= mean * (moved + x->h * own->belt[k]);
            force = hypot(force, fmax(fabs(x->now.force[d]), fabs(x->next.force[d])));
        }
        to->forces[c] = fmax(to->forces[c], normal);
        to->forces[m + c] = fmax(to->forces[m + c], force);
    }
}
