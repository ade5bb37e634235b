/* The contacts in one fixed step: which of them take part, their rows of the contact problem, their modes. */
#include "math/vector.h"
#include "method/fixed/fixed.h"
#include "system/detector.h"

#include <math.h>
#include <string.h>

/* ---- Before the first step. */

static int refuse(const slip_fixed *f, int c)
{
    const slip_contact *contact = &f->system->contacts[c];
    if (contact->of_structure)
        return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                         "contact `%s`: method `%s` takes the forces of flanks as known in a step, which "
                         "would have to be as short as those of `rk4`; use `event`, `smooth` or `rk4`",
                         contact->name, f->rules->name);
    if (contact->dimension > 1 && f->rules->middle)
        return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                         "contact `%s`: method `%s` has no slip of more than one dimension; use `event`, "
                         "`smooth`, `moreau` or "
                         "`midpoint_stabilised`",
                         contact->name, f->rules->name);
    for (int k = 0; k < contact->law.break_count; k++)
        if (contact->law.breaks[k].singular)
            return slip_fail(
                f->ctx, SLIP_ERROR_MODEL,
                "contact `%s`: law `%s` has an infinite slope, and method `%s` needs a finite one; "
                "use `event` or `smooth`, or the law `coulomb` or `tanh`",
                contact->name, contact->law.type->info.name, f->rules->name);
    return SLIP_OK;
}

int slip_fixed_add_direction(slip_fixed *f, int contact, bool normal, const double *row)
{
    slip_fixed_direction *d = &f->directions[f->direction_count];
    *d = (slip_fixed_direction){.contact = contact, .normal = normal, .row = row, .pin = -1};
    if (!row) {
        d->row = f->rows_now + f->direction_count * f->n;
        d->support_count = f->n;
        f->varying = true;
    }
    for (int i = 0; i < f->n && row; i++)
        if (row[i] != 0) {
            d->pin = i;
            d->support_count++;
        }
    if (d->support_count != 1)
        d->pin = -1;
    return f->direction_count++;
}

void slip_fixed_add_tail(slip_fixed *f, int direction, const slip_tail *tail)
{
    const bool found = f->system->contacts[f->directions[direction].contact].found > 0;
    if (found)
        f->directions[direction].pin = -1; /* its row varies */
    if (tail->count == 0 && !(found && f->system->field))
        return;
    f->directions[direction].tail = tail;
    f->directions[direction].pin = -1;
}

static int add_contact(slip_fixed *f, int c)
{
    const slip_contact *contact = &f->system->contacts[c];
    slip_fixed_contact *own = &f->contacts[c];
    const bool unilateral = contact->has_gap;
    *own = (slip_fixed_contact){.normal = -1, .tangent = -1, .mode = SLIP_MODE_OPEN, .active = !unilateral};
    if (unilateral)
        own->normal = slip_fixed_add_direction(f, c, true, slip_contact_gap(f->system, f->work, c)->row);
    if (unilateral)
        slip_fixed_add_tail(f, own->normal, &slip_contact_gap(f->system, f->work, c)->tail);
    if (contact->yields) {
        own->spring = contact->spring;
        f->iterate |= contact->spring[1] != 1 || contact->spring[2] != 0;
    }
    own->friction = contact->dimension > 1 ? &slip_fixed_vector : &slip_fixed_line;
    return own->friction->add(f, c);
}

static int add_line(slip_fixed *f, int c)
{
    const slip_contact *contact = &f->system->contacts[c];
    const slip_law_kernel *law = &contact->law;
    const slip_slip_form *slip = slip_contact_slips(f->system, f->work, c);
    slip_fixed_contact *own = &f->contacts[c];
    const bool unilateral = own->normal >= 0, rubs = !unilateral || !contact->frictionless;
    double slope;
    if (rubs)
        own->tangent = slip_fixed_add_direction(f, c, false, slip->row);
    if (rubs)
        slip_fixed_add_tail(f, own->tangent, &slip->tail);
    own->simple = !rubs || (slip_law_amounts_to_coulomb(law) && contact->varying_count == 0);
    if (rubs && own->simple) {
        own->hold = slip_law_hold(law);
        slip_law_force(law, 1, 0, &own->slide, &slope);
    }
    f->iterate |= !own->simple || contact->normal_force || contact->slip.rest;
    f->constant_rows &= !unilateral && own->simple && !contact->normal_force && !contact->slip.rest;
    return SLIP_OK;
}

int slip_fixed_prepare(slip_fixed *f)
{
    f->constant_rows = !f->rules->middle; /* there the shift is the velocity at the beginning */
    f->iterate = f->system->state_loads;
    for (int c = 0; c < f->contact_count; c++) {
        int status = refuse(f, c);
        if (status < 0 || (status = add_contact(f, c)) < 0)
            return status;
    }
    f->varying |= f->system->varying_mass;
    f->iterate |= f->varying;
    f->constant_rows &= !f->varying;
    for (int d = 0; d < f->direction_count; d++)
        f->states[d] = SLIP_BLOCK_ZERO;
    return slip_fixed_patch_group(f);
}

/* ---- Which contacts take part in a step. */

/* The tolerance of a nonlinear gap; a function of its own, since that of linear gaps runs in inner loops. */
static __attribute__((noinline)) double varying_tolerance(const slip_fixed *f, int c, const double *q,
                                                          const double *v)
{
    return 1e-12 * (slip_system_gap_size(f->system, f->work, c, f->t0, q) +
                    f->matrices.h * slip_system_gap_rate_size(f->system, f->work, c, f->t0, q, v));
}

double slip_fixed_gap_tolerance(const slip_fixed *f, int c, const double *q, const double *v)
{
    const slip_gap_form *gap = slip_contact_gap(f->system, f->work, c);
    if (!gap->row)
        return varying_tolerance(f, c, q, v);
    const double field = gap->tail.count > 0 ? slip_fixed_field_size(f->field, false) +
                                                   f->matrices.h * slip_fixed_field_size(f->field, true)
                                             : 0;
    return 1e-12 * (fabs(gap->constant) + slip_dot_size(f->n, gap->row, q) + field +
                    f->matrices.h * slip_dot_size(f->n, gap->row, v));
}

void slip_fixed_activate(slip_fixed *f)
{
    f->impacts.plastic = false;
    if (f->constant_rows)
        return;
    for (int c = 0; c < f->contact_count; c++) {
        slip_fixed_contact *own = &f->contacts[c];
        double gap;
        if (own->normal < 0)
            continue;
        gap = slip_system_gap(f->system, f->work, c, f->t0, f->q0);
        own->gap_rate = slip_system_gap_rate(f->system, f->work, c, f->t0, f->q0, f->v0);
        own->gap = gap;
        own->active = slip_contact_near(f->system, f->work, c);
        if (own->spring || !own->active) /* for a spring, collecting its row tells whether it touches */
            continue;
        if (f->rules->impulsive)
            gap += 0.5 * f->matrices.h * own->gap_rate;
        own->active = gap <= slip_fixed_gap_tolerance(f, c, f->q0, f->v0);
    }
}

/* ---- Rows. */

static double rest_rate(slip_fixed *f, int c, double t)
{
    return f->system->contacts[c].gap.rest ? slip_system_gap_rate(f->system, f->work, c, t, f->at_q, f->zero)
                                           : 0;
}

static double slip_rest(slip_fixed *f, int c, double t, const double *q, const double *v)
{
    const slip_slip_form *form = &f->system->contacts[c].slip;
    return form->rest ? slip_system_slip(f->system, f->work, c, t, q, slip_fixed_only_states(f, v))
                      : form->constant;
}

static double point_time(const slip_fixed *f)
{
    return f->t0 + f->theta * f->matrices.h;
}

/* The shift in y = W . v_1 + shift, the velocity for which the law is solved. */
static double slip_shift(slip_fixed *f, int c, const double *row)
{
    if (!f->rules->middle)
        return slip_rest(f, c, f->t0 + f->matrices.h, f->end_q, f->v);
    return slip_dot(f->n, row, f->v0) + 2 * slip_rest(f, c, point_time(f), f->at_q, f->at_v);
}

static double gap_shift(slip_fixed *f, int c, const double *row)
{
    const slip_fixed_contact *own = &f->contacts[c];
    if (f->rules->middle)
        return slip_dot(f->n, row, f->v0) + 2 * rest_rate(f, c, point_time(f));
    if (!f->rules->impulsive)
        return rest_rate(f, c, f->t0 + f->matrices.h);
    return rest_rate(f, c, f->t0 + f->matrices.h) + slip_fixed_restitution(f, c) * fmin(own->gap_rate, 0);
}

int slip_fixed_add_row(slip_fixed *f, int direction, double shift, slip_block row)
{
    f->problem.active[f->problem.m] = direction;
    f->problem.shift[f->problem.m] = shift;
    f->problem.rows[f->problem.m] = row;
    f->problem.solution.states[f->problem.m] = f->states[direction];
    f->problem.solution.p[f->problem.m] = f->impulses[direction];
    f->problem.m++;
    return f->groups.now->m++;
}

/* Adds the row of the gap of a contact; returns its number, or -1 if it is compliant and does not touch. */
static int add_normal(slip_fixed *f, int c)
{
    const int d = f->contacts[c].normal;
    const slip_block block = {.kind = SLIP_BLOCK_NORMAL, .normal = -1};
    double shift, give;
    if (!f->contacts[c].spring)
        return slip_fixed_add_row(f, d, gap_shift(f, c, f->directions[d].row), block);
    if (!slip_fixed_spring_row(f, c, &shift, &give)) {
        f->states[d] = SLIP_BLOCK_OPEN;
        return -1;
    }
    f->problem.give[f->problem.m] = give;
    return slip_fixed_add_row(f, d, shift, block);
}

/* A smooth law around the slip velocity x found last, by its tangent: with x = theta y + rest, force L and
 * impulse scale S, p = -S (L + slope (theta y + rest - x)). That is Newton's method. Far from the root of a
 * narrow law it may oscillate; then it restarts at zero, from where it is monotone for laws whose slope
 * decreases. If it has not converged after that, the chord from zero is used. */
static slip_block smooth_row(const slip_fixed *f, int c, double scale, double x, double rest, int turn)
{
    enum { again = 10, chord = 60 };
    double force, slope;
    if (turn == again)
        x = 0;
    const slip_memory_step step = slip_fixed_memory(f, f->theta);
    slip_memory_force(&step, c, x, &force, &slope);
    if (turn > chord && x != 0)
        slope = force / x;
    slope = slope > 0 ? slope : 0;
    return (slip_block){.kind = SLIP_BLOCK_LINEAR,
                        .normal = -1,
                        .slope = scale * slope * f->theta,
                        .constant = scale * (force + slope * (rest - x))};
}

static slip_block tangent_row(slip_fixed *f, int c, int normal, double scale, double shift, int turn)
{
    const slip_contact *contact = &f->system->contacts[c];
    const slip_fixed_contact *own = &f->contacts[c];
    double hold = own->hold, slide = own->slide, slope, x, rest;
    if (own->struck) {
        hold = slide = slip_impact_mu(f->system, f->work, c);
    } else if (!own->simple) {
        rest = slip_rest(f, c, point_time(f), f->at_q, f->at_v);
        x = slip_fixed_moves(f, SLIP_FIXED_POINT, own->tangent, f->at_v) + rest;
        if (!contact->law.type->info.set_valued)
            return smooth_row(
                f, c,
                normal >= 0
                    ? fmax(0, f->impulses[own->normal] - (contact->impact_friction ? 0 : own->impact_part))
                    : scale,
                x,
                rest + (1 - f->theta) * slip_fixed_moves(f, SLIP_FIXED_START, own->tangent, f->v0) -
                    f->theta * shift,
                turn);
        const slip_law_kernel *law = slip_contact_law(f->system, f->work, c);
        slip_law_force(law, 1, fabs(x), &slide, &slope);
        hold = fmax(slip_law_hold(law), slide);
    }
    if (normal < 0)
        return (slip_block){
            .kind = SLIP_BLOCK_FRICTION, .normal = -1, .hold = scale * hold, .slide = scale * slide};
    return (slip_block){.kind = SLIP_BLOCK_FRICTION,
                        .normal = normal,
                        .hold = hold,
                        .slide = slide,
                        .offset = contact->impact_friction ? 0 : own->impact_part};
}

/* Adds the row of friction along a line. `impulse`: the given normal impulse; with a gap the normal impulse
 * is an unknown, row `normal`. */
static void collect_line(slip_fixed *f, int c, int normal, double impulse, int turn)
{
    const slip_fixed_contact *own = &f->contacts[c];
    if (own->tangent < 0)
        return;
    const double shift = slip_shift(f, c, f->directions[own->tangent].row);
    const slip_block row = tangent_row(f, c, normal, impulse, shift, turn);
    slip_fixed_add_row(f, own->tangent, shift, row);
    /* A contact that stuck sticks if it can, whatever an iteration with other belt speeds has found. */
    if (row.hold > row.slide && own->mode == SLIP_MODE_STICK)
        f->problem.solution.states[f->problem.m - 1] = SLIP_BLOCK_ZERO;
}

static int collect_contact(slip_fixed *f, int c, int turn)
{
    slip_fixed_contact *own = &f->contacts[c];
    double force = 1;
    int normal = -1;
    if (!own->active) {
        own->friction->leave(f, c);
        return SLIP_OK;
    }
    if (own->normal >= 0) {
        normal = add_normal(f, c);
        if (normal < 0) {
            own->friction->leave(f, c);
            return SLIP_OK;
        }
    } else {
        force = slip_system_normal_force(f->system, f->work, c, point_time(f), f->at_q, f->at_v);
        if (force < 0)
            return slip_system_refuse_pull(f->ctx, &f->system->contacts[c], point_time(f));
    }
    own->friction->collect(f, c, normal, force * f->matrices.h, turn);
    return SLIP_OK;
}

int slip_fixed_collect(slip_fixed *f, int turn)
{
    bool planes = false;
    if (f->rows_ready)
        return SLIP_OK;
    f->problem.m = 0;
    f->problem.memory.sure &= turn > 0;
    if (!slip_system_tune(f->system, f->work, point_time(f), f->at_q, f->at_v))
        return slip_system_diagnose(f->ctx, f->system, f->work, point_time(f), f->at_q, f->at_v);
    for (int g = 0; g < f->groups.count; g++) {
        slip_fixed_group *group = &f->groups.list[g];
        slip_fixed_begin_rows(f, group);
        for (int k = 0; k < group->count; k++)
            SLIP_PASS(collect_contact(f, f->groups.contacts[group->first + k], turn));
        planes |= group->planes > 0;
    }
    if (f->problem.m > 0)
        slip_fixed_gather_gram(f);
    if (planes)
        slip_fixed_patch_join(f, turn);
    f->rows_ready = f->constant_rows;
    return SLIP_OK;
}

/* Whether contact c is open at the end of the step. */
static bool is_open(slip_fixed *f, int c)
{
    const slip_contact *contact = &f->system->contacts[c];
    if (contact->has_gap)
        return !f->contacts[c].active;
    return contact->compliant &&
           slip_system_normal_force(f->system, f->work, c, f->t0 + f->matrices.h, f->end_q, f->v) == 0;
}

static void remember_line(slip_fixed *f, int c)
{
    const double a = f->theta;
    const int tangent = f->contacts[c].tangent;
    const slip_memory_step step = slip_fixed_memory(f, a);
    slip_memory_set(&step, c,
                    a * slip_fixed_moves(f, SLIP_FIXED_END, tangent, f->v) +
                        (1 - a) * slip_fixed_moves(f, SLIP_FIXED_START, tangent, f->v0) +
                        slip_rest(f, c, point_time(f), f->at_q, f->at_v),
                    f->v);
}

void slip_fixed_remember_states(slip_fixed *f)
{
    for (int c = 0; c < f->contact_count; c++) {
        if (f->system->contacts[c].state_count == 0)
            continue;
        if (is_open(f, c)) {
            slip_system_forget(f->system, f->work, c, f->v);
            continue;
        }
        f->contacts[c].friction->remember(f, c);
    }
}

/* ---- Solving. */

/* The coordinate of a row that an impulse along the row moves most, among those not pinned by another row; -1
 * where there is none. The rounding error of the velocity along the row is divided by the entry of that
 * coordinate, which must not be small. */
static int best_to_pin(const slip_fixed *f, int direction)
{
    const double *row = f->directions[direction].row, *response = f->matrices.responses + direction * f->n;
    double largest = 0;
    int choice = -1;
    for (int i = 0; i < f->n; i++)
        if (!f->pinned[i] && fabs(row[i] * response[i]) > largest) {
            largest = fabs(row[i] * response[i]);
            choice = i;
        }
    return choice;
}

/* A row of a spring moves though its state is ZERO. */
static bool is_held(const slip_fixed *f, int k)
{
    return f->problem.solution.states[k] == SLIP_BLOCK_ZERO && !(f->problem.give && f->problem.give[k] > 0);
}

/* Makes W . v = -shift exact for each row in state ZERO with a coordinate that is in no other such row:
 * rounding must not let a sticking body creep. */
static void pin(slip_fixed *f)
{
    bool several = false;
    for (int k = 0; k < f->problem.m; k++) {
        const slip_fixed_direction *d = &f->directions[f->problem.active[k]];
        if (!is_held(f, k))
            continue;
        several |= d->pin < 0 && !d->tail;
        if (d->pin >= 0)
            f->v[d->pin] = 0 - f->problem.shift[k] / d->row[d->pin]; /* never -0 */
    }
    if (!several)
        return;
    memset(f->pinned, 0, (size_t)f->n * sizeof(bool));
    for (int k = 0; k < f->problem.m; k++)
        if (is_held(f, k) && f->directions[f->problem.active[k]].pin >= 0)
            f->pinned[f->directions[f->problem.active[k]].pin] = true;
    for (int k = 0; k < f->problem.m; k++) {
        const slip_fixed_direction *d = &f->directions[f->problem.active[k]];
        double rest = f->problem.shift[k];
        if (!is_held(f, k) || d->pin >= 0 || d->tail)
            continue;
        const int choice = best_to_pin(f, f->problem.active[k]);
        for (int i = 0; i < f->n && choice >= 0; i++) {
            rest += i != choice ? d->row[i] * f->v[i] : 0;
            f->pinned[i] |= d->row[i] != 0;
        }
        if (choice >= 0)
            f->v[choice] = 0 - rest / d->row[choice];
    }
}

void slip_fixed_solve(slip_fixed *f)
{
    const int n = f->n, m = f->problem.m;
    for (int k = 0; k < m; k++)
        f->problem.initial[k] =
            slip_fixed_moves(f, SLIP_FIXED_FREE, f->problem.active[k], f->free) + f->problem.shift[k];
    f->step_residual = m > 0 ? slip_fixed_solve_rows(f) : 0;
    for (int i = 0; i < n; i++)
        f->v[i] = f->free[i];
    if (m < f->direction_count)
        memset(f->impulses, 0, (size_t)f->direction_count * sizeof(double));
    for (int k = 0; k < m; k++) {
        const double p = f->problem.solution.p[k],
                     *response = f->matrices.responses + f->problem.active[k] * n;
        f->impulses[f->problem.active[k]] = p;
        f->states[f->problem.active[k]] = f->problem.solution.states[k];
        for (int i = 0; i < n; i++)
            f->v[i] += response[i] * p;
    }
    pin(f);
    if (f->field)
        f->rules->whole->answer(f);
}

bool slip_fixed_unsolved(const slip_fixed *f, double residual, double part)
{
    double size = slip_largest(f->problem.m, f->problem.initial);
    return residual > part * size;
}

int slip_fixed_check(slip_fixed *f)
{
    if (!slip_fixed_unsolved(f, f->step_residual, 1e-6))
        return SLIP_OK;
    int worst = 0;
    double largest = -1;
    for (int g = 0; g < f->groups.count; g++) {
        const slip_fixed_group *group = &f->groups.list[g];
        const slip_contact_problem problem = slip_fixed_problem(f, group);
        const double *p = f->problem.solution.p + group->row,
                     residual = group->m > 0 ? slip_contact_residual(&problem, p) : -1;
        if (residual > largest) {
            largest = residual;
            worst = group->row + slip_contact_worst(&problem, p);
        }
    }
    return slip_fail(
        f->ctx, SLIP_ERROR_SOLVER,
        "contact `%s`: at t = %.9g the contact laws were not solved within a step of `%s` (residual "
        "%.3g); friction and normal force may contradict each other there: try a smaller "
        "`simulate.step`, less friction, or `impact_friction: coulomb`",
        f->system->contacts[f->directions[f->problem.active[worst]].contact].name, f->t0, f->rules->name,
        f->step_residual);
}

/* ---- Modes. */

int slip_fixed_change(slip_fixed *f, int c, slip_mode mode, bool forced, const slip_observer *observer)
{
    slip_fixed_contact *own = &f->contacts[c];
    slip_event event = {f->t, c, own->mode, mode};
    bool known = own->mode_known;
    own->mode = mode;
    own->mode_known = true;
    if (!known || (event.from == mode && !forced))
        return SLIP_OK;
    f->events++;
    return observer->event ? observer->event(observer->user, &event) : SLIP_OK;
}

static slip_mode mode_of_line(slip_fixed *f, int c)
{
    double slip;
    switch (f->states[f->contacts[c].tangent]) {
    case SLIP_BLOCK_ZERO:
        return SLIP_MODE_STICK;
    case SLIP_BLOCK_PLUS:
        return SLIP_MODE_SLIP_PLUS;
    case SLIP_BLOCK_MINUS:
        return SLIP_MODE_SLIP_MINUS;
    default:
        slip = slip_system_slip(f->system, f->work, c, f->t, f->q, f->v);
        if (f->system->contacts[c].law.type->sliders) {
            const slip_memory_step step = slip_fixed_memory(f, f->theta);
            return slip_memory_slider_mode(&step, c, slip, f->v);
        }
        return slip > 0 ? SLIP_MODE_SLIP_PLUS : slip < 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_STICK;
    }
}

static void turn_line(const slip_fixed *f, int d, double t, const double *q, double *row)
{
    slip_system_direction(f->system, f->work, f->directions[d].contact, t, q, f->zero, row,
                          f->rows_now + f->direction_count * f->n);
}

static void leave_line(slip_fixed *f, int c)
{
    (void)f;
    (void)c;
}

const slip_fixed_friction slip_fixed_line = {.add = add_line,
                                             .turn = turn_line,
                                             .collect = collect_line,
                                             .leave = leave_line,
                                             .remember = remember_line,
                                             .mode = mode_of_line,
                                             .view = slip_fixed_line_view,
                                             .work = slip_fixed_line_work};

static slip_mode tangent_mode(slip_fixed *f, int c)
{
    return f->system->contacts[c].frictionless ? SLIP_MODE_CLOSED : f->contacts[c].friction->mode(f, c);
}

/* In a method whose steps contain impacts: whether most of the impulse was that of an impact, and the contact
 * opens. */
static bool bounces(const slip_fixed *f, int c)
{
    const slip_fixed_contact *own = &f->contacts[c];
    return f->rules->impulsive && slip_fixed_restitution(f, c) > 0 && slip_fixed_approaches(f, c) &&
           own->impact_part > 0.5 * f->impulses[own->normal];
}

int slip_fixed_report(slip_fixed *f, const slip_observer *observer)
{
    int status = SLIP_OK;
    for (int c = 0; c < f->contact_count && status == SLIP_OK; c++) {
        slip_fixed_contact *own = &f->contacts[c];
        slip_mode mode = SLIP_MODE_OPEN;
        bool forced = false;
        if (slip_fixed_goes_on(f, own)) {
            own->held_before = own->mode == SLIP_MODE_STICK;
            continue;
        }
        own->held_before = own->mode_known && own->mode == SLIP_MODE_STICK;
        if (f->rules->impulsive && own->normal >= 0 && own->active && own->impact_part > 0 &&
            observer->impulse)
            observer->impulse(observer->user, c, own->impact_part);
        if (own->normal < 0) {
            mode = tangent_mode(f, c);
            /* for a smooth law the sign of the slip velocity gives the mode, not the state of the row */
            if (own->tangent >= 0)
                own->reported =
                    f->states[own->tangent] != SLIP_BLOCK_SMOOTH ? f->states[own->tangent] : SLIP_BLOCK_OPEN;
        } else if (own->active && f->states[own->normal] == SLIP_BLOCK_ZERO && !(forced = bounces(f, c)))
            mode = tangent_mode(f, c);
        if (mode != own->mode || forced || !own->mode_known)
            status = slip_fixed_change(f, c, mode, forced, observer);
    }
    return status;
}
