/* A step: the structure under its loads and the mean of the contact forces. */
#include "math/vector.h"
#include "method/exponential/types.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Most repetitions of a step, and what of the largest force may change by the last, in tolerances. */
enum { turns_most = 40 };
static const double settle = 1e-3;

/* ---- Loads. */

/* f at t, q and v to p and f_e. */
static int find_loads(slip_exponential *x, double t, slip_exponential_state *at)
{
    const int64_t h = x->heavy;
    if (!slip_system_loads(x->system, x->work, t, at->q, at->v, x->loads))
        return slip_system_diagnose(x->ctx, x->system, x->work, t, at->q, at->v);
    for (int i = 0; i < x->light; i++)
        at->follow[i] = x->loads[x->of_light[i]];
    for (int64_t j = 0; j < h; j++) {
        x->sum[j] = x->loads[x->of_heavy[j]];
        for (int i = 0; i < x->light; i++)
            x->sum[j] += x->carry[i * h + j] * at->follow[i];
    }
    for (int64_t k = 0; k < h; k++)
        at->load[k] = slip_dot(h, x->vectors + k * h, x->sum) -
                      (x->coupling ? slip_dot(h, x->coupling + k * h, at->rate) : 0);
    return SLIP_OK;
}

/* p + R^T l. */
static void add_forces(const slip_exponential *x, const slip_exponential_state *at, double *sum)
{
    memcpy(sum, at->load, (size_t)x->heavy * sizeof *sum);
    for (int d = 0; d < x->direction_count; d++)
        for (int k = 0; k < x->heavy && at->force[d] != 0; k++)
            sum[k] += x->modal[(int64_t)d * x->heavy + k] * at->force[d];
}

/* ---- Coordinates. */

/* Those that follow, from loads, forces and those with a mass. `to` has the latter. */
static void follow(const slip_exponential *x, const double *loads, const double *forces, double factor,
                   double *to)
{
    for (int i = 0; i < x->light; i++) {
        double sum = slip_dot(x->light, x->answer + (int64_t)i * x->light, loads);
        for (int d = 0; d < x->direction_count; d++)
            sum += x->give[(int64_t)d * x->light + i] * forces[d];
        sum *= factor;
        for (int j = 0; j < x->heavy; j++)
            sum += x->carry[(int64_t)i * x->heavy + j] * to[x->of_heavy[j]];
        to[x->of_light[i]] = sum;
    }
}

static void expand(const slip_exponential *x, const double *y, double *q)
{
    for (int i = 0; i < x->heavy; i++)
        q[x->of_heavy[i]] = 0;
    for (int k = 0; k < x->heavy; k++)
        for (int i = 0; i < x->heavy; i++)
            q[x->of_heavy[i]] += x->vectors[(int64_t)k * x->heavy + i] * y[k];
}

/* Velocities of what follows: those of the step between the two states. */
static void follow_rates(const slip_exponential *x, double *v)
{
    double rate;
    for (int i = 0; i < x->light; i++) {
        rate = 0;
        for (int l = 0; l < x->light; l++)
            rate += x->answer[(int64_t)i * x->light + l] * (x->next.follow[l] - x->now.follow[l]);
        for (int d = 0; d < x->direction_count; d++)
            rate += x->give[(int64_t)d * x->light + i] * (x->next.force[d] - x->now.force[d]);
        rate = x->h > 0 ? rate / x->h : 0;
        for (int j = 0; j < x->heavy; j++)
            rate += x->carry[(int64_t)i * x->heavy + j] * v[x->of_heavy[j]];
        v[x->of_light[i]] = rate;
    }
}

static void see(const slip_exponential *x, slip_exponential_state *at)
{
    expand(x, at->y, at->q);
    expand(x, at->rate, at->v);
    follow(x, at->follow, at->force, 1, at->q);
    follow_rates(x, at->v);
    for (int d = 0; d < x->direction_count; d++)
        at->place[d] =
            slip_dot(x->heavy, x->modal + (int64_t)d * x->heavy, at->y) +
            slip_dot(x->light, x->give + (int64_t)d * x->light, at->follow) +
            slip_dot(x->direction_count, x->flexibility + (int64_t)d * x->direction_count, at->force);
}

/* ---- A step. */

/* R Y R^T/2 + G for a step, or G alone for none. */
static void find_gram(slip_exponential *x, double h)
{
    const slip_propagator *p = x->propagator;
    const int64_t m = x->direction_count, n = x->heavy;
    if (h == x->gram_step)
        return;
    x->gram_step = h;
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b <= a; b++) {
            double sum = 0;
            for (int64_t k = 0; k < n && h > 0; k++)
                sum += x->modal[a * n + k] * (p->y_begin[k] + p->y_end[k]) * x->modal[b * n + k];
            x->gram[a * m + b] = 0.5 * sum + x->flexibility[a * m + b];
            x->gram[b * m + a] = 0.5 * sum + x->flexibility[b * m + a];
        }
}

/* The coordinates at the end of the step, with the forces that are there now. */
static void propagate(slip_exponential *x)
{
    const slip_propagator *p = x->propagator;
    const slip_exponential_state *now = &x->now;
    slip_exponential_state *next = &x->next;
    memset(x->sum, 0, (size_t)x->heavy * sizeof *x->sum);
    for (int d = 0; d < x->direction_count; d++) {
        const double mean = 0.5 * (now->force[d] + next->force[d]);
        for (int k = 0; k < x->heavy && mean != 0; k++)
            x->sum[k] += x->modal[(int64_t)d * x->heavy + k] * mean;
    }
    for (int k = 0; k < x->heavy; k++) {
        next->y[k] = p->yy[k] * now->y[k] + p->yv[k] * now->rate[k] +
                     p->y_begin[k] * (now->load[k] + x->sum[k]) + p->y_end[k] * (next->load[k] + x->sum[k]);
        next->rate[k] = p->vy[k] * now->y[k] + p->vv[k] * now->rate[k] +
                        p->v_begin[k] * (now->load[k] + x->sum[k]) +
                        p->v_end[k] * (next->load[k] + x->sum[k]);
    }
}

/* The places at the end of the step without the forces there that are looked for. */
static void free_places(slip_exponential *x)
{
    const int64_t m = x->direction_count;
    for (int64_t d = 0; d < m; d++) {
        x->free_place[d] = x->next.place[d];
        for (int64_t k = 0; k < m; k++)
            if (x->solved[k])
                x->free_place[d] -= x->gram[d * m + k] * x->next.force[k];
    }
}

/* The largest change of numbers, over the largest of them. */
static double relative_change(int64_t n, const double *from, const double *to)
{
    double size = 0, change = 0;
    for (int64_t i = 0; i < n; i++) {
        size = fmax(size, fabs(to[i]));
        change = fmax(change, fabs(to[i] - from[i]));
    }
    return change > 0 ? change / (size + DBL_MIN) : 0;
}

/* One repetition; *change: of forces and loads, over the largest. */
static int repeat(slip_exponential *x, double t, int turn, double *change)
{
    slip_exponential_state *next = &x->next;
    const double span = x->h > 0 ? x->h : 1;
    memcpy(x->old, next->force, (size_t)x->direction_count * sizeof *x->old);
    memcpy(x->old_load, next->load, (size_t)x->heavy * sizeof *x->old_load);
    SLIP_PASS(find_loads(x, t, next));
    SLIP_PASS(slip_exponential_know(x, t));
    if (x->h > 0)
        propagate(x);
    see(x, next);
    free_places(x);
    if (turn == 0)
        slip_exponential_meet(x, t);
    SLIP_PASS(slip_exponential_solve(x, t, span, turn));
    if (x->h > 0)
        propagate(x);
    see(x, next);
    *change = fmax(relative_change(x->direction_count, x->old, next->force),
                   relative_change(x->heavy, x->old_load, next->load));
    return SLIP_OK;
}

/* What linear extrapolation from the step before misses. */
static void find_defect(slip_exponential *x)
{
    double miss = 0, size = 0;
    add_forces(x, &x->now, x->sum);
    for (int d = 0; d < x->heavy; d++) {
        double end = x->next.load[d];
        for (int k = 0; k < x->direction_count; k++)
            end += x->modal[(int64_t)k * x->heavy + d] * x->next.force[k];
        const double slope = x->before > 0 ? (x->sum[d] - x->past[d]) / x->before : 0;
        miss += pow(end - x->sum[d] - slope * x->h, 2);
        size += end * end;
    }
    x->defect = x->before > 0 ? sqrt(miss) : 0;
    x->size = sqrt(size);
}

int slip_exponential_attempt(slip_exponential *x, double h)
{
    slip_exponential_state *next = &x->next;
    const double t = x->t + h;
    double change = 0;
    x->h = h;
    if (h > 0)
        slip_propagator_set(x->propagator, h);
    find_gram(x, h);
    /* from where it is */
    memcpy(next->y, x->now.y, (size_t)x->heavy * sizeof(double));
    memcpy(next->rate, x->now.rate, (size_t)x->heavy * sizeof(double));
    memcpy(next->force, x->now.force, (size_t)x->direction_count * sizeof(double));
    memcpy(next->q, x->now.q, (size_t)x->n * sizeof(double));
    memcpy(next->v, x->now.v, (size_t)x->n * sizeof(double));
    x->settled = false;
    for (int turn = 0; turn < turns_most && !x->settled; turn++) {
        SLIP_PASS(repeat(x, t, turn, &change));
        const bool more = slip_exponential_overlaps(x, t);
        x->settled = !more && (!x->iterate || (turn > 0 && change <= settle * x->options.tolerance));
    }
    slip_exponential_find_modes(x);
    find_defect(x);
    if (!isfinite(x->size))
        return slip_fail(x->ctx, SLIP_ERROR_SOLVER, "the motion is not finite at t = %.9g", t);
    return SLIP_OK;
}

int slip_exponential_begin(slip_exponential *x, const double *q, const double *v)
{
    const int64_t n = x->n, h = x->heavy;
    slip_exponential_state *now = &x->now;
    memcpy(now->q, q, (size_t)n * sizeof *q);
    memcpy(now->v, v, (size_t)n * sizeof *v);
    memset(now->y, 0, (size_t)h * sizeof *now->y);
    memset(now->rate, 0, (size_t)h * sizeof *now->rate);
    memset(now->force, 0, (size_t)x->direction_count * sizeof *now->force);
    memset(x->problem.states, 0, (size_t)x->direction_count * sizeof *x->problem.states);
    /* y = V^T M q */
    for (int64_t k = 0; k < h; k++)
        for (int64_t i = 0; i < h; i++) {
            const double *mass = x->system->mass + x->of_heavy[i] * n;
            for (int64_t j = 0; j < h; j++) {
                now->y[k] += x->vectors[k * h + i] * mass[x->of_heavy[j]] * q[x->of_heavy[j]];
                now->rate[k] += x->vectors[k * h + i] * mass[x->of_heavy[j]] * v[x->of_heavy[j]];
            }
        }
    for (int d = 0; d < x->direction_count; d++)
        now->place[d] = slip_dot(n, x->rows + d * n, q);
    /* The forces that belong to this place: a step of no length, from which slip counts. */
    SLIP_PASS(slip_exponential_attempt(x, 0));
    for (int c = 0; c < x->contact_count; c++) /* nothing happens in it */
        x->contacts[c].next = x->contacts[c].mode_known ? x->contacts[c].mode : x->contacts[c].next;
    slip_exponential_accept(x);
    x->before = 0;
    return SLIP_OK;
}

void slip_exponential_accept(slip_exponential *x)
{
    const slip_exponential_state state = x->now;
    add_forces(x, &x->now, x->past);
    x->before = x->h;
    x->t += x->h;
    x->now = x->next;
    x->next = state;
    x->residual = fmax(x->residual, x->step_residual);
    x->length.scale = fmax(x->length.scale, x->size);
    for (int c = 0; c < x->contact_count; c++) {
        slip_exponential_contact *own = &x->contacts[c];
        own->mode = own->next;
        memcpy(own->past, own->slip, sizeof own->past);
        own->past[0] = own->mode == SLIP_MODE_OPEN ? NAN : own->past[0];
    }
}

void slip_exponential_between(const slip_exponential *x, double share, double *q, double *v, double *a)
{
    const slip_propagator *p = x->viewer;
    const slip_exponential_state *now = &x->now, *next = &x->next;
    double *y = x->sum, load, rate, place;
    if (share > 0)
        slip_propagator_set(x->viewer, share * x->h);
    memset(y, 0, (size_t)x->heavy * sizeof *y);
    for (int d = 0; d < x->direction_count; d++)
        for (int k = 0; k < x->heavy; k++)
            y[k] += 0.5 * (now->force[d] + next->force[d]) * x->modal[(int64_t)d * x->heavy + k];
    for (int i = 0; i < x->heavy; i++) {
        q[x->of_heavy[i]] = v[x->of_heavy[i]] = 0;
        if (a)
            a[x->of_heavy[i]] = 0;
    }
    for (int i = 0; i < x->light && a; i++)
        a[x->of_light[i]] = 0;
    for (int k = 0; k < x->heavy; k++) {
        load = now->load[k] + share * (next->load[k] - now->load[k]) + y[k];
        place = share > 0 ? p->yy[k] * now->y[k] + p->yv[k] * now->rate[k] +
                                p->y_begin[k] * (now->load[k] + y[k]) + p->y_end[k] * load
                          : now->y[k];
        rate = share > 0 ? p->vy[k] * now->y[k] + p->vv[k] * now->rate[k] +
                               p->v_begin[k] * (now->load[k] + y[k]) + p->v_end[k] * load
                         : now->rate[k];
        load -= x->propagator->damping[k] * rate + x->propagator->square[k] * place;
        for (int i = 0; i < x->heavy; i++) {
            const double entry = x->vectors[(int64_t)k * x->heavy + i];
            q[x->of_heavy[i]] += entry * place;
            v[x->of_heavy[i]] += entry * rate;
            if (a)
                a[x->of_heavy[i]] += entry * load;
        }
    }
    for (int i = 0; i < x->light; i++) {
        double sum = 0;
        for (int l = 0; l < x->light; l++)
            sum += x->answer[(int64_t)i * x->light + l] *
                   (now->follow[l] + share * (next->follow[l] - now->follow[l]));
        for (int d = 0; d < x->direction_count; d++)
            sum += x->give[(int64_t)d * x->light + i] *
                   (now->force[d] + share * (next->force[d] - now->force[d]));
        for (int j = 0; j < x->heavy; j++)
            sum += x->carry[(int64_t)i * x->heavy + j] * q[x->of_heavy[j]];
        q[x->of_light[i]] = sum;
    }
    follow_rates(x, v);
    for (int i = x->moving; i < x->n; i++) { /* states */
        const double change = next->v[i] - now->v[i];
        q[i] = 0;
        v[i] = now->v[i] + share * change;
        if (a)
            a[i] = x->h > 0 ? change / x->h : 0;
    }
}
