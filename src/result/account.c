/* Powers are integrated over each step by a Gauss rule with as many nodes as the method says that the step
 * deserves. With M q'' + C q' + K q = f + sum W_c lambda_c,
 *
 *     d/dt (q' . M q' + q . K q)/2 = q' . f - q' . C q' + sum lambda_c . (W_c . q'),
 *
 * and impacts take kinetic energy between steps. What is left of this balance at the end is the error of the
 * motion and of its events. Nodes are inside the step, where laws and loads are those of the step: its ends
 * may be jumps. */
#include "result/account.h"
#include "result/maxima.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { most_nodes = 7 };
static const double gauss_node[most_nodes][most_nodes] = {
    {0},
    {-0.57735026918962573, 0.57735026918962573},
    {-0.7745966692414834, 0, 0.7745966692414834},
    {-0.86113631159405257, -0.33998104358485626, 0.33998104358485626, 0.86113631159405257},
    {-0.90617984593866396, -0.53846931010568311, 0, 0.53846931010568311, 0.90617984593866396},
    {-0.93246951420315205, -0.66120938646626448, -0.2386191860831969, 0.2386191860831969, 0.66120938646626448,
     0.93246951420315205},
    {-0.94910791234275849, -0.74153118559939446, -0.40584515137739718, 0, 0.40584515137739718,
     0.74153118559939446, 0.94910791234275849}};
static const double gauss_weight[most_nodes][most_nodes] = {
    {2},
    {1, 1},
    {0.55555555555555558, 0.88888888888888884, 0.55555555555555558},
    {0.34785484513745385, 0.65214515486254609, 0.65214515486254609, 0.34785484513745385},
    {0.23692688505618908, 0.47862867049936647, 0.56888888888888889, 0.47862867049936647, 0.23692688505618908},
    {0.17132449237917036, 0.36076157304813861, 0.46791393457269104, 0.46791393457269104, 0.36076157304813861,
     0.17132449237917036},
    {0.1294849661688697, 0.27970539148927664, 0.38183005050511892, 0.4179591836734694, 0.38183005050511892,
     0.27970539148927664, 0.1294849661688697}};
static const double two_pi = 6.283185307179586476925;

static bool is_symmetric(int n, const double *matrix)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (matrix[i * n + j] != matrix[j * n + i])
                return false;
    return true;
}

static bool is_zero(int64_t count, const double *values)
{
    for (int64_t i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

int slip_account_create(slip_context *ctx, slip_account *a, slip_arena *arena, const slip_system *system,
                        int n, int contact_count, double period)
{
    const int64_t m = contact_count;
    const int patches = system ? system->patch_count : 0;
    double *numbers = slip_arena_array(arena, 6 * (int64_t)n + (7 + 2 * most_nodes) * m + 1, sizeof *numbers);
    *a = (slip_account){.n = n, .contact_count = contact_count, .system = system, .period = period};
    if (!numbers)
        return slip_fail_memory(ctx);
    double **const of_coordinates[] = {&a->cosine, &a->sine, &a->sample.q, &a->sample.v, &a->loads, &a->zero};
    for (int k = 0; k < 6; k++, numbers += n)
        *of_coordinates[k] = numbers;
    double **const of_contacts[] = {&a->force, &a->normal, &a->impulse, &a->done, &a->taken, &a->sample.slip};
    for (int k = 0; k < 6; k++, numbers += m)
        *of_contacts[k] = numbers;
    a->at_nodes = numbers;
    for (int c = 0; c < contact_count; c++)
        a->force[c] = a->normal[c] = -1;
    if (patches > 0) {
        a->sample.patches = slip_arena_array(arena, patches, sizeof *a->sample.patches);
        if (!a->sample.patches)
            return slip_fail_memory(ctx);
    }
    if (!system)
        return SLIP_OK;
    a->loaded = system->force_count > 0 || system->force_function;
    a->damped = !is_zero((int64_t)n * n, system->damping);
    a->twisted = !is_symmetric(n, system->stiffness);
    return slip_workspace_create(ctx, system, &a->work);
}

void slip_account_free(slip_account *a)
{
    slip_workspace_destroy(a->work);
}

static inline double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* a . M b */
static inline double product(int n, const double *a, const double *matrix, const double *b)
{
    double sum = 0;
    if (n == 1) /* without loops */
        return a[0] * matrix[0] * b[0];
    for (int i = 0; i < n; i++)
        sum += a[i] * dot(n, matrix + (int64_t)i * n, b);
    return sum;
}

/* ---- Powers. */

static void add_loads(slip_account *a, const double *loads, double weight)
{
    const slip_sample *s = &a->sample;
    const slip_system *system = a->system;
    if (a->loaded)
        a->energies.loads += weight * dot(a->n, loads, s->v);
    if (a->twisted)
        a->energies.loads +=
            0.5 * weight *
            (product(a->n, s->q, system->stiffness, s->v) - product(a->n, s->v, system->stiffness, s->q));
    if (a->damped)
        a->energies.damping += weight * product(a->n, s->v, system->damping, s->v);
}

static void add_patch(slip_account *a, int c, double t, double weight)
{
    const slip_patch_form *form = a->system->contacts[c].patch;
    const slip_patch_state *patch = &a->sample.patches[form->index];
    double belt[3];
    slip_system_patch_slip(a->system, a->work, c, t, a->sample.q, a->zero, belt);
    for (int part = 0; part < 3; part++) {
        a->done[c] += weight * patch->force[part] * (patch->slip[part] - belt[part]);
        a->taken[c] -= weight * patch->force[part] * patch->slip[part];
    }
}

/* The part of the slip velocity that is the coordinates'. */
static double own_slip(const slip_account *a, int c, double t, double slip)
{
    const slip_slip_form *form = &a->system->contacts[c].slip;
    if (!form->row)
        return slip - slip_system_slip(a->system, a->work, c, t, a->sample.q, a->zero);
    return form->rest || form->constant != 0 ? dot(a->n, form->row, a->sample.v) : slip;
}

static void add_contact(slip_account *a, int c, double t, double weight, double force, double normal)
{
    const slip_contact *contact = &a->system->contacts[c];
    if (contact->patch) {
        add_patch(a, c, t, weight);
        return;
    }
    if (force != 0) {
        const double slip = a->sample.slip[c];
        a->done[c] += weight * force * own_slip(a, c, t, slip);
        a->taken[c] -= weight * force * slip;
    }
    if (contact->kind == SLIP_CONTACT_UNILATERAL && normal != 0) {
        const double rate = dot(a->n, contact->gap.row, a->sample.v);
        a->done[c] += weight * normal * rate;
        a->taken[c] -=
            weight * normal *
            (contact->gap.rest ? slip_system_gap_rate(a->system, a->work, c, t, a->sample.v) : rate);
    }
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
    double *values = p->account->at_nodes + 2 * most_nodes * p->account->contact_count; /* a row of its own */
    slip_sample sample = {0};
    *(p->normal ? &sample.normal : &sample.force) = values;
    p->step->sample(p->step->self, t, &sample);
    return fabs(values[p->contact]);
}

/* Whether f falls from x = 0 on, by the parabola through it and its values at x1 < x2. */
static bool falls(double f0, double x1, double f1, double x2, double f2)
{
    const double d1 = (f1 - f0) / x1, d2 = (f2 - f1) / (x2 - x1);
    return d1 < 0 && d1 - (d2 - d1) / x2 * x1 < 0.5 * d1;
}

/* The largest of the values at the nodes is the last one towards an end of the step: what is there? */
static void look_at_end(probe *p, int count, const double *node, const double *f, bool last, double *largest)
{
    const double middle = 0.5 * (p->step->t0 + p->step->t1), half = 0.5 * (p->step->t1 - p->step->t0);
    const double near = f[last ? count - 1 : 0], next = f[last ? count - 2 : 1];
    const double x1 = 1 + node[0], x2 = 1 + node[1];
    const double end = last ? p->step->t1 : p->step->t0,
                 inside = last ? middle + half * node[count - 2] : middle + half * node[1];
    if (near + (near - next) <= *largest)
        return;
    const double there = magnitude(p, end);
    *largest = fmax(*largest, there);
    if (!falls(there, x1, near, x2, next))
        *largest = fmax(*largest, slip_largest_inside(magnitude, p, fmin(end, inside), fmax(end, inside)));
}

static void find_largest(probe *p, int count, const double *values, double *largest)
{
    const double *node = gauss_node[count - 1];
    const double middle = 0.5 * (p->step->t0 + p->step->t1), half = 0.5 * (p->step->t1 - p->step->t0);
    double f[most_nodes] = {0}, lowest = INFINITY;
    int best = 0;
    for (int k = 0; k < count; k++) {
        f[k] = fabs(values[k * p->account->contact_count + p->contact]);
        lowest = fmin(lowest, f[k]);
        if (f[k] > f[best])
            best = k;
    }
    /* A force that the law limits stays constant over whole steps, and needs no search. */
    if (f[best] - lowest <= 8 * DBL_EPSILON * f[best] || !(half > 0)) {
        *largest = fmax(*largest, f[best]);
        return;
    }
    if (best == 0 || best == count - 1) {
        look_at_end(p, count, node, f, best > 0, largest);
    } else if (f[best] + fmax(f[best] - f[best - 1], f[best] - f[best + 1]) > *largest) {
        *largest = fmax(*largest, slip_largest_inside(magnitude, p, middle + half * node[best - 1],
                                                      middle + half * node[best + 1]));
    }
    *largest = fmax(*largest, f[best]);
}

/* ---- A step. */

static void add_fundamental(slip_account *a, double t, double weight)
{
    double turns = t / a->period, angle = two_pi * (turns - floor(turns));
    double with_cosine = weight * cos(angle), with_sine = weight * sin(angle);
    for (int i = 0; i < a->n; i++) {
        a->cosine[i] += with_cosine * a->sample.q[i];
        a->sine[i] += with_sine * a->sample.q[i];
    }
}

static void add_energy(slip_account *a, const slip_step *step)
{
    const slip_system *system = a->system;
    slip_energies *e = &a->energies;
    if (!a->started) {
        e->kinetic[0] = e->kinetic[1] = 0.5 * product(a->n, step->v0, system->mass, step->v0);
        e->potential[0] = 0.5 * product(a->n, step->q0, system->stiffness, step->q0);
        e->largest = fabs(e->kinetic[0] + e->potential[0]);
    } else if (a->struck) {
        const double after = 0.5 * product(a->n, step->v0, system->mass, step->v0);
        e->impacts += e->kinetic[1] - after;
    }
    e->kinetic[1] = 0.5 * product(a->n, step->v1, system->mass, step->v1);
    e->potential[1] = 0.5 * product(a->n, step->q1, system->stiffness, step->q1);
    e->largest = fmax(e->largest, fabs(e->kinetic[1] + e->potential[1]));
    a->struck = false;
}

/* The powers at the sample, which is of time t and stands for a time `weight`. */
static void add_powers(slip_account *a, double t, double weight, const double *loads)
{
    add_loads(a, loads, weight);
    for (int c = 0; c < a->contact_count; c++)
        add_contact(a, c, t, weight, a->sample.force[c], a->sample.normal[c]);
}

/* A step that has means. */
static void add_means(slip_account *a, const slip_step *step)
{
    a->sample.force = a->at_nodes;
    a->sample.normal = a->at_nodes + a->contact_count;
    add_powers(a, 0.5 * (step->t0 + step->t1), step->t1 - step->t0, step->mean(step->self, &a->sample));
    for (int c = 0; c < a->contact_count; c++) {
        const double force = fabs(a->sample.force[c]), normal = fabs(a->sample.normal[c]);
        a->force[c] = force > a->force[c] ? force : a->force[c];
        a->normal[c] = normal > a->normal[c] ? normal : a->normal[c];
    }
}

static void find_forces(slip_account *a, const slip_step *step, int count)
{
    for (int c = 0; c < a->contact_count; c++) {
        probe p = {a, step, c, false};
        find_largest(&p, count, a->at_nodes, &a->force[c]);
        p.normal = true;
        find_largest(&p, count, a->at_nodes + most_nodes * a->contact_count, &a->normal[c]);
    }
}

/* A step by its samples: powers where it has no means, and the fundamental. */
static void add_samples(slip_account *a, const slip_step *step, bool powers, bool fundamental)
{
    const int count = fundamental ? most_nodes : step->nodes, m = a->contact_count;
    const double middle = 0.5 * (step->t0 + step->t1), half = 0.5 * (step->t1 - step->t0);
    for (int k = 0; k < count; k++) {
        const double t = middle + half * gauss_node[count - 1][k], weight = half * gauss_weight[count - 1][k];
        a->sample.force = a->at_nodes + k * m;
        a->sample.normal = a->at_nodes + (most_nodes + k) * m;
        step->sample(step->self, t, &a->sample);
        if (powers &&
            (!a->loaded || slip_system_loads(a->system, a->work, t, a->sample.q, a->sample.v, a->loads)))
            add_powers(a, t, weight, a->loads);
        if (fundamental)
            add_fundamental(a, t, weight);
    }
    if (!step->mean)
        find_forces(a, step, count);
}

void slip_account_step(slip_account *a, const slip_step *step)
{
    const bool fundamental = !isnan(a->period);
    if (a->system)
        add_energy(a, step);
    if (a->system && step->mean)
        add_means(a, step);
    if (fundamental || !step->mean)
        add_samples(a, step, a->system && !step->mean, fundamental);
    a->covered += step->t1 - step->t0;
    a->started = true;
}

void slip_account_impulse(slip_account *a, int contact, double impulse)
{
    a->impulse[contact] = fmax(a->impulse[contact], impulse);
    a->struck = true;
}

slip_energies slip_account_energies(const slip_account *a)
{
    slip_energies e = a->energies;
    double drift =
        e.kinetic[1] - e.kinetic[0] + e.potential[1] - e.potential[0] - e.loads + e.damping + e.impacts;
    for (int c = 0; c < a->contact_count; c++)
        drift -= a->done[c];
    e.balance = drift == 0 ? 0 : drift / e.largest;
    return e;
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
