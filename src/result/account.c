/* Works are those that the method reports, of closed forms or of impulses; else powers are integrated over
 * each step by a Gauss rule. With M q'' + C q' + K q = f + sum W_c lambda_c,
 *
 *     d/dt (q' . M q' + q . K q)/2 = q' . f - q' . C q' + sum lambda_c . (W_c . q'),
 *
 * and impacts remove kinetic energy between steps. The residual of this balance at the end is the error of
 * the motion and of its events. Quadrature nodes are inside the step, since laws and loads may jump at its
 * ends. */
#include "result/account.h"

#include "math/vector.h"
#include "system/detector.h"
#include "system/field.h"
#include "system/structure/structure.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rules: of powers, and of the fundamental. */
enum { few = 3, many = 7 };
static const double few_nodes[] = {-0.7745966692414834, 0, 0.7745966692414834},
                    few_weights[] = {0.55555555555555558, 0.88888888888888884, 0.55555555555555558},
                    many_nodes[] = {-0.94910791234275849, -0.74153118559939446, -0.40584515137739718, 0,
                                    0.40584515137739718,  0.74153118559939446,  0.94910791234275849},
                    many_weights[] = {0.1294849661688697, 0.27970539148927664, 0.38183005050511892,
                                      0.4179591836734694, 0.38183005050511892, 0.27970539148927664,
                                      0.1294849661688697};
static const double two_pi = 6.283185307179586476925;

int slip_account_create(slip_context *ctx, slip_account *a, slip_arena *arena, const slip_system *system,
                        int n, int contact_count, double period, double from, double end)
{
    const int64_t m = contact_count;
    const int patches = system ? system->patch_count : 0;
    const int64_t size = n + (system ? system->field_size : 0);
    double *numbers = slip_arena_array(
        arena, 3 * (int64_t)n + 2 * size + (9 + 2 * few) * m + SLIP_WORK_CONTACTS + 1, sizeof *numbers);
    *a = (slip_account){
        .n = n, .moving = n, .contact_count = contact_count, .system = system, .period = period};
    SLIP_PASS(slip_allocated(
        ctx, numbers && slip_maxima_create(&a->forces, arena, 2 * contact_count, 2 * contact_count)));
    double **const of_coordinates[] = {&a->cosine, &a->sine, &a->loads, &a->sample.q, &a->sample.v};
    for (int k = 0; k < 5; k++, numbers += k <= 3 ? n : size)
        *of_coordinates[k] = numbers;
    a->done = numbers + SLIP_WORK_CONTACTS;
    a->taken = a->done + m;
    a->impulse = a->taken + m;
    a->sample.slip = a->impulse + m;
    a->at_ends = a->sample.slip + m;
    a->at_nodes = a->at_ends + 4 * m;
    a->normal = a->forces.q;
    a->force = a->normal + m;
    a->works = (slip_works){.from = from, .end = end, .works = numbers, .forces = a->normal};
    if (patches > 0) {
        a->sample.patches = slip_arena_array(arena, patches, sizeof *a->sample.patches);
        SLIP_PASS(slip_allocated(ctx, a->sample.patches));
    }
    if (!system)
        return SLIP_OK;
    if (system->field) {
        a->seen_q = slip_arena_array(arena, size, sizeof *a->seen_q);
        a->seen_v = slip_arena_array(arena, size, sizeof *a->seen_v);
        SLIP_PASS(slip_allocated(ctx, a->seen_q && a->seen_v));
    }
    a->moving = slip_system_coordinates(system);
    a->mass = system->mass;
    if (a->moving < n) {
        double *mass = slip_arena_array(arena, (int64_t)n * n, sizeof *mass);
        SLIP_PASS(slip_allocated(ctx, mass));
        for (int i = 0; i < a->moving; i++)
            memcpy(mass + i * n, system->mass + i * n, (size_t)n * sizeof *mass);
        a->mass = mass;
    }
    a->loaded = system->force_count > 0 || system->force_function;
    a->damped = slip_system_damped(system);
    a->skew = slip_system_skew(system);
    if (system->structure->energies || system->field)
        SLIP_PASS(slip_account_prepare(ctx, a));
    return system->field ? slip_field_open_elastic(ctx, system, a->work, 0) : SLIP_OK;
}

int slip_account_prepare(slip_context *ctx, slip_account *a)
{
    return a->system && !a->work ? slip_workspace_create(ctx, a->system, &a->work) : SLIP_OK;
}

void slip_account_free(slip_account *a)
{
    slip_workspace_destroy(a->work);
}

/* ---- Powers. */

static void add_loads(slip_account *a, double t, double weight)
{
    const slip_sample *s = &a->sample;
    const slip_system *system = a->system;
    if (system->structure->powers) {
        double driven, dissipated;
        system->structure->powers(system, a->work, t, s->q, s->v, &driven, &dissipated);
        a->works.works[SLIP_WORK_LOADS] += weight * driven;
        a->works.works[SLIP_WORK_DAMPING] += weight * dissipated;
    }
    if (a->loaded)
        a->works.works[SLIP_WORK_LOADS] += weight * slip_dot(a->moving, a->loads, s->v);
    if (a->skew)
        a->works.works[SLIP_WORK_LOADS] += 0.5 * weight *
                                           (slip_system_form(a->n, s->q, system->stiffness, s->v) -
                                            slip_system_form(a->n, s->v, system->stiffness, s->q));
    if (a->damped)
        a->works.works[SLIP_WORK_DAMPING] += weight * slip_system_form(a->n, s->v, system->damping, s->v);
    if (system->field) {
        a->works.works[SLIP_WORK_LOADS] += weight * slip_field_power(system, a->work, t, s->v + a->n);
        a->works.works[SLIP_WORK_DAMPING] += weight * slip_field_dissipation(system, a->work, s->v + a->n);
    }
}

static void add_contact(slip_account *a, int c, double t, double weight)
{
    const slip_sample *s = &a->sample;
    const slip_contact_state state = {.slip = s->slip[c], .normal = s->normal[c], .force = s->force[c]};
    double power[2];
    slip_system_contact_power(a->system, a->work, c, t, s->q, s->v, &state, s->patches, power);
    a->done[c] += weight * power[0];
    a->taken[c] += weight * power[1];
}

/* ---- Largest forces. */

typedef struct probe {
    slip_account *account;
    const slip_step *step;
    int contact;
    bool normal;
} probe;

static double magnitude(void *user, double t)
{
    const probe *p = user;
    double *values = p->account->at_nodes + 2 * few * p->account->contact_count; /* a row of its own */
    slip_sample sample = {0};
    *(p->normal ? &sample.normal : &sample.force) = values;
    p->step->sample(p->step->self, t, &sample);
    return fabs(values[p->contact]);
}

/* The same at an end of the step, for all contacts at once. */
static double at_end(const probe *p, bool last)
{
    slip_account *a = p->account;
    double *values = a->at_ends + 2 * last * a->contact_count;
    if (!a->ends_known[last]) {
        slip_sample sample = {.force = values, .normal = values + a->contact_count};
        p->step->sample(p->step->self, last ? p->step->t1 : p->step->t0, &sample);
        a->ends_known[last] = true;
    }
    return fabs(values[(p->normal ? a->contact_count : 0) + p->contact]);
}

/* Whether f falls from x = 0 on, by the parabola through it and its values at x1 < x2. */
static bool falls(double f0, double x1, double f1, double x2, double f2)
{
    const double d1 = (f1 - f0) / x1, d2 = (f2 - f1) / (x2 - x1);
    return d1 < 0 && d1 - (d2 - d1) / x2 * x1 < 0.5 * d1;
}

/* If the largest value is at the node next to an end of the step, evaluates the force at that end. */
static void look_at_end(probe *p, const double *f, bool last, double *largest)
{
    const double middle = 0.5 * (p->step->t0 + p->step->t1);
    const double near = f[last ? 2 : 0], end = last ? p->step->t1 : p->step->t0;
    if (near + (near - f[1]) <= *largest)
        return;
    const double there = at_end(p, last);
    *largest = fmax(*largest, there);
    if (!falls(there, 1 + few_nodes[0], near, 1, f[1]))
        *largest = fmax(*largest, slip_largest_inside(magnitude, p, fmin(end, middle), fmax(end, middle)));
}

static void find_largest(probe *p, const double *values, double *largest)
{
    const double middle = 0.5 * (p->step->t0 + p->step->t1), half = 0.5 * (p->step->t1 - p->step->t0);
    const int m = p->account->contact_count;
    const double f[few] = {fabs(values[p->contact]), fabs(values[m + p->contact]),
                           fabs(values[2 * m + p->contact])};
    const int best = f[1] >= f[0] ? (f[2] > f[1] ? 2 : 1) : f[2] > f[0] ? 2 : 0;
    const double reach = f[best] - fmin(fmin(f[0], f[1]), f[2]);
    /* A force that the law limits stays constant over whole steps, and needs no search. */
    if (reach > 8 * DBL_EPSILON * f[best] && half > 0) {
        if (best != 1)
            look_at_end(p, f, best > 0, largest);
        else if (f[1] + reach > *largest)
            *largest = fmax(*largest, slip_largest_inside(magnitude, p, middle + half * few_nodes[0],
                                                          middle + half * few_nodes[2]));
    }
    *largest = fmax(*largest, f[best]);
}

/* ---- A step. */

static __attribute__((noinline)) void add_fundamental(slip_account *a, const slip_step *step)
{
    const double middle = 0.5 * (step->t0 + step->t1), half = 0.5 * (step->t1 - step->t0);
    a->covered += 2 * half;
    for (int k = 0; k < many; k++) {
        const double t = middle + half * many_nodes[k], turns = t / a->period;
        const double angle = two_pi * (turns - floor(turns)), weight = half * many_weights[k];
        const double with_cosine = weight * cos(angle), with_sine = weight * sin(angle);
        step->state(step->self, t, a->sample.q, a->sample.v);
        for (int i = 0; i < a->n; i++) {
            a->cosine[i] += with_cosine * a->sample.q[i];
            a->sine[i] += with_sine * a->sample.q[i];
        }
    }
}

/* Energies at a state; frame: see system/structure/structure.h. */
static inline void energies_at(slip_account *a, double t, const double *q, const double *v, double *kinetic,
                               double *potential, double *frame)
{
    const slip_system *system = a->system;
    slip_energies_now now;
    *frame = 0;
    if (!system->structure->energies) {
        *kinetic = 0.5 * slip_system_form(a->n, v, a->mass, v);
        *potential = 0.5 * slip_system_form(a->n, q, system->stiffness, q);
        if (system->field && a->leap > 0)
            slip_field_add_lumped_energies(system, a->work, a->leap, q, v, kinetic, potential);
        else if (system->field)
            slip_field_add_energies(system, a->work, q, v, kinetic, potential);
        return;
    }
    system->structure->energies(system, a->work, t, q, v, &now);
    *kinetic = now.kinetic;
    *potential = now.potential;
    *frame = now.frame;
}

void slip_account_start(slip_account *a, double t, const double *q, const double *v)
{
    slip_energies *e = &a->energies;
    if (!a->system)
        return;
    energies_at(a, t, q, v, &e->kinetic[0], &e->potential[0], &e->frame[0]);
    e->kinetic[1] = e->kinetic[0];
    e->potential[1] = e->potential[0];
    e->frame[1] = e->frame[0];
    e->largest = fabs(e->kinetic[0] + e->potential[0]);
    a->started = true;
}

/* The first step, or the first one after an impact. */
static __attribute__((noinline)) void start_energy(slip_account *a, const slip_step *step)
{
    slip_energies *e = &a->energies;
    double kinetic, potential, frame;
    a->leap = step->leap;
    if (a->started) {
        energies_at(a, step->t0, step->q0, step->v0, &kinetic, &potential, &frame);
        e->impacts += e->kinetic[1] - e->frame[1] - (kinetic - frame);
    } else {
        slip_account_start(a, step->t0, step->q0, step->v0);
    }
    a->struck = false;
}

static inline void end_energy(slip_account *a, double t, const double *q, const double *v)
{
    slip_energies *e = &a->energies;
    energies_at(a, t, q, v, &e->kinetic[1], &e->potential[1], &e->frame[1]);
    const double energy = fabs(e->kinetic[1] + e->potential[1]);
    e->largest = energy > e->largest ? energy : e->largest;
}

/* Energies of central differences depend on the step (`leap`): if that changes, they jump, which is recorded.
 */
static __attribute__((noinline)) void change_leap(slip_account *a, const slip_step *step)
{
    double energy[2][2], frame;
    for (int k = 0; k < 2; k++) {
        a->leap = k == 0 ? a->leap : step->leap;
        energies_at(a, step->t0, step->q0, step->v0, &energy[k][0], &energy[k][1], &frame);
    }
    a->shift += energy[1][1] - energy[0][1];
}

/* Methods that take fields have no impacts between steps. */
static __attribute__((noinline)) void see_energy(slip_account *a, const slip_step *step)
{
    enum { every = 16, every_leap = 64 };
    if (step->leap != a->leap)
        change_leap(a, step);
    const size_t size = (size_t)slip_system_size(a->system) * sizeof *a->seen_q;
    a->seen_at = step->t1;
    memcpy(a->seen_q, step->q1, size);
    memcpy(a->seen_v, step->v1, size);
    if (a->steps++ % (a->leap > 0 ? every_leap : every) == 0)
        end_energy(a, step->t1, step->q1, step->v1);
}

void slip_account_ledger(slip_account *a, const slip_step *step, double t)
{
    slip_energies *e = &a->energies;
    double *works = a->works.works;
    slip_ledger now;
    if (a->known == 0 && step->ledger(step->self, step->t0, &a->before)) {
        a->known = 1;
        e->kinetic[0] = a->before.kinetic;
        e->potential[0] = a->before.potential;
        e->largest = fmax(fabs(e->kinetic[0] + e->potential[0]), a->before.rounding);
    }
    if (a->known == 0 || !step->ledger(step->self, t, &now))
        return;
    e->kinetic[1] = now.kinetic;
    e->potential[1] = now.potential;
    e->largest = fmax(e->largest, fabs(now.kinetic + now.potential));
    works[SLIP_WORK_LOADS] = now.loads - a->before.loads;
    works[SLIP_WORK_DAMPING] = now.damping - a->before.damping;
    a->off = fmax(a->off, fabs(now.kinetic + now.potential - e->kinetic[0] - e->potential[0] -
                               works[SLIP_WORK_LOADS] + works[SLIP_WORK_DAMPING]));
}

static inline void add_energy(slip_account *a, const slip_step *step)
{
    if (step->ledger) {
        slip_account_ledger(a, step, step->t1);
        return;
    }
    if (!a->started || (a->struck && !a->seen_q))
        start_energy(a, step);
    if (a->seen_q)
        see_energy(a, step);
    else
        end_energy(a, step->t1, step->q1, step->v1);
}

/* Adds the powers at the sample at time t, times `weight`. */
static void add_powers(slip_account *a, double t, double weight)
{
    add_loads(a, t, weight);
    for (int c = 0; c < a->contact_count; c++)
        add_contact(a, c, t, weight);
}

static void find_forces(slip_account *a, const slip_step *step)
{
    a->ends_known[0] = a->ends_known[1] = false;
    for (int c = 0; c < a->contact_count; c++) {
        probe p = {a, step, c, false};
        find_largest(&p, a->at_nodes, &a->force[c]);
        p.normal = true;
        find_largest(&p, a->at_nodes + few * a->contact_count, &a->normal[c]);
    }
}

/* Evaluates a sample inside the step: its forces as row k, and its powers unless works are reported. */
static void add_sample(slip_account *a, const slip_step *step, int k, double t, double weight)
{
    a->sample.force = a->at_nodes + k * a->contact_count;
    a->sample.normal = a->at_nodes + (few + k) * a->contact_count;
    step->sample(step->self, t, &a->sample);
    if (step->field)
        step->field(step->self, t, NULL, 0, a->sample.q, a->sample.v);
    if (a->work && !step->told && a->system->detector_count > 0)
        slip_system_detect(a->system, a->work, a->sample.q);
    if (a->system && !step->told && weight > 0 &&
        (!a->loaded || step->loads(step->self, t, a->sample.q, a->sample.v, a->loads)))
        add_powers(a, t, weight);
}

/* Evaluates samples of a step for its largest forces and, unless the method reports works, its powers. Steps
 * of closed forms are long, so their powers are integrated by the finer rule. */
static __attribute__((noinline)) void add_samples(slip_account *a, const slip_step *step)
{
    const double middle = 0.5 * (step->t0 + step->t1), half = 0.5 * (step->t1 - step->t0);
    const bool is_long = step->forces != NULL;
    for (int k = 0; k < many && is_long && !step->told; k++)
        add_sample(a, step, 0, middle + half * many_nodes[k], half * many_weights[k]);
    for (int k = 0; k < few; k++)
        add_sample(a, step, k, middle + half * few_nodes[k], is_long ? 0 : half * few_weights[k]);
    find_forces(a, step);
}

void slip_account_step(slip_account *a, const slip_step *step)
{
    if (a->system)
        add_energy(a, step);
    if (!isnan(a->period))
        add_fundamental(a, step);
    if (step->forces && step->told)
        slip_maxima_forces(&a->forces, step);
    else if (!step->told || step->larger)
        add_samples(a, step);
    a->started = true;
}

void slip_account_impulse(slip_account *a, int contact, double impulse)
{
    a->impulse[contact] = fmax(a->impulse[contact], impulse);
    a->struck = true;
}

slip_energies slip_account_energies(slip_account *a)
{
    if (a->started && a->seen_q)
        end_energy(a, a->seen_at, a->seen_q, a->seen_v);
    slip_energies e = a->energies;
    e.loads = a->works.works[SLIP_WORK_LOADS] + e.frame[1] - e.frame[0];
    e.damping = a->works.works[SLIP_WORK_DAMPING];
    double drift =
        e.kinetic[1] - e.kinetic[0] + e.potential[1] - e.potential[0] - e.loads + e.damping + e.impacts;
    drift -= a->shift;
    for (int c = 0; c < a->contact_count; c++)
        drift -= a->done[c];
    e.balance = drift == 0 ? 0 : drift / e.largest;
    e.start = a->known != 0 ? e.kinetic[0] + e.potential[0] : NAN;
    e.end = e.start + drift;
    e.drift = a->known != 0 ? (a->off > 0 ? a->off / e.largest : 0) : NAN;
    return e;
}

void slip_account_keep(slip_account *a, slip_keeper *k)
{
    slip_energies *e = &a->energies;
    double n[] = {a->started,
                  e->kinetic[0],
                  e->kinetic[1],
                  e->potential[0],
                  e->potential[1],
                  e->largest,
                  a->before.loads,
                  a->before.damping,
                  a->works.works[SLIP_WORK_LOADS],
                  a->works.works[SLIP_WORK_DAMPING],
                  a->known,
                  a->off};
    slip_keep_finite(k, "record/energies", n, sizeof n / sizeof *n);
    slip_keep(k, "record/largest_normal", a->normal, a->system ? a->system->contact_count : 0);
    slip_keep(k, "record/largest_force", a->force, a->system ? a->system->contact_count : 0);
    if (!slip_kept_back(k))
        return;
    a->started = n[0] != 0;
    e->kinetic[0] = n[1], e->kinetic[1] = n[2];
    e->potential[0] = n[3], e->potential[1] = n[4];
    e->largest = n[5];
    a->before.loads = n[6], a->before.damping = n[7];
    a->works.works[SLIP_WORK_LOADS] = n[8], a->works.works[SLIP_WORK_DAMPING] = n[9];
    a->known = n[10], a->off = n[11];
}

void slip_account_fundamental(const slip_account *a, int i, double *amplitude, double *lag)
{
    /* A sin(wt - lag) = A cos(lag) sin(wt) - A sin(lag) cos(wt). */
    double in_phase = 2 * a->sine[i] / a->covered, behind = -2 * a->cosine[i] / a->covered;
    *amplitude = hypot(in_phase, behind);
    *lag = atan2(behind, in_phase);
    if (*lag < 0)
        *lag += two_pi;
    if (*lag >= two_pi)
        *lag = 0;
}
