/* Energy and momentum balance of a step of reduced gears, and states inside it. */
#include "gear/condensed/gear_step.h"

#include <math.h>
#include <string.h>

/* ---- Energy that is lost. */

/* For a coordinate y'' + d y' + w^2 y = p with p linear over the step, the energy lost is the work of the
 * load less the change of energy:
 *
 *     int p dy = [p y] - (p1 - p0)/h int y dt,    w^2 int y dt = h (p0 + p1)/2 - [y'] - d [y]. */
static double lost_in_modes(const slip_gear_step *s, const slip_gear_state *b)
{
    const slip_gear_state *a = &s->now;
    const slip_propagator *p = s->propagator;
    double sum = 0, h = b->time - a->time;
    if (!(h > 0))
        return 0;
    for (int i = 0; i < s->count; i++) {
        if (!(p->damping[i] > 0))
            continue;
        double constant = s->torque[i] + s->inertia[i], square = p->square[i];
        double p0 = a->press[i] + b->rub[i] + constant, p1 = b->press[i] + b->rub[i] + constant;
        double area =
            (h * (p0 + p1) / 2 - (b->v[i] - a->v[i]) - p->damping[i] * (b->y[i] - a->y[i])) / square;
        sum += p1 * b->y[i] - p0 * a->y[i] - (p1 - p0) / h * area -
               (b->v[i] * b->v[i] - a->v[i] * a->v[i] + square * (b->y[i] * b->y[i] - a->y[i] * a->y[i])) / 2;
    }
    return sum;
}

/* Minus the work of friction on the coordinates and on shafts that are driven. */
static double lost_by_friction(const slip_gear_step *s, const slip_gear_state *b)
{
    const slip_gear_state *a = &s->now;
    double sum = 0;
    for (int i = 0; i < s->count; i++)
        sum -= b->rub[i] * (b->y[i] - a->y[i]);
    for (int k = 0; k < s->shaft_count; k++)
        sum -= s->shaft[k].modes->driven ? b->rubbing[k] * (b->angle[k] - a->angle[k]) : 0;
    return sum;
}

static double along(const slip_gear_load *l, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < l->count; i++)
        for (int d = 3 * l->nodes[i]; d < 3 * l->nodes[i] + 3; d++)
            sum += a[d] * b[d];
    return sum;
}

/* The strain energy of a flank at both ends of the step, and the energy lost: the work of the normal forces n
 * less the change of strain energy, which is taken by damping and friction. With t e' = f - e
 *
 *     int n.G de = [n.G e] - (n1 - n0).G int e dt/h,    int e dt = h (f0 + f1)/2 - t [e]. */
static double lost_in_flank(slip_gear_step *s, int k, slip_gear_load *l)
{
    const slip_gear_wheel *g = s->gear[k].wheel;
    double h = s->propagator->step, time = s->gear[k].side->static_damping;
    double *product = s->displacement, *x = l->old_press, *rise = l->old_rub, lost = 0;
    const double *flexibility = s->gear[k].kept.flexibility;
    bool jumps = slip_gear_step_lag(s, k).jumps;
    const double *press = jumps ? l->press[1] : l->press[0], *rub = jumps ? l->held[1] : l->held[0];
    if (!flexibility || l->count == 0)
        return 0;
    slip_condensed_multiply(g->size, flexibility, l->flank, l->count, l->nodes, l->lagged[1], l->count,
                            l->nodes, product);
    l->strain[1] = along(l, l->lagged[1], product) / 2;
    l->cross = along(l, l->lagged[0], product) / 2;
    if (!(time > 0) && !s->rub.on)
        return 0;
    lost = along(l, l->press[1], product) - (l->strain[1] - l->strain[0]);
    for (int i = 0; i < l->count; i++)
        for (int d = 3 * l->nodes[i]; d < 3 * l->nodes[i] + 3; d++) {
            rise[d] = l->press[1][d] - press[d];
            x[d] = (press[d] + rub[d] + l->press[1][d] + l->held[1][d]) / 2 -
                   time * (l->lagged[1][d] - l->lagged[0][d]) / h;
        }
    slip_condensed_multiply(g->size, flexibility, l->flank, l->count, l->nodes, x, l->count, l->nodes,
                            product);
    lost -= along(l, rise, product);
    slip_condensed_multiply(g->size, flexibility, l->flank, l->count, l->nodes, l->lagged[0], l->count,
                            l->nodes, product);
    return lost - along(l, press, product);
}

void slip_gear_step_account(slip_gear_step *s, slip_gear_change *change)
{
    *change = slip_gear_step_change(s, &s->next);
    change->flanks = 0;
    for (int k = 0; k < s->gear_count; k++)
        for (int i = 0; i < s->gear[k].load_count; i++)
            change->flanks += lost_in_flank(s, k, &s->gear[k].loads[i]);
    change->lost += change->flanks;
}

slip_floating_account slip_gear_step_measure(const slip_gear_step *s, const slip_gear_state *at, int k)
{
    const slip_step_gear *own = &s->gear[k];
    const slip_step_shaft *shaft = &s->shaft[own->shaft];
    const double *q = at->q + own->first_mode, *rate = at->rate + own->first_mode, w = at->speed[own->shaft];
    const double *rotation = shaft->modes->rotation + (own->first_mode - shaft->first_mode),
                 *square = shaft->modes->own + (own->first_mode - shaft->first_mode);
    const int modes = own->wheel->modes;
    slip_floating_account account = slip_floating_measure(own->wheel->frame, w, q, rate);
    for (int i = modes; i < modes + own->load_count * own->kept.count; i++) {
        double momentum = rotation[i] * rate[i];
        account.momentum += momentum;
        account.kinetic += rate[i] * rate[i] / 2 + w * momentum;
        account.strain += square[i] * q[i] * q[i] / 2;
    }
    return account;
}

static double momentum_of(const slip_gear_step *s, const slip_gear_state *at, int shaft)
{
    double sum = 0;
    for (int g = 0; g < s->gear_count; g++)
        sum += s->gear[g].shaft == shaft ? slip_gear_step_measure(s, at, g).momentum : 0;
    return sum;
}

double slip_gear_step_impulse(const slip_gear_step *s, const slip_gear_state *b, int shaft, double *momentum)
{
    const slip_gear_state *a = &s->now;
    const double h = b->time - a->time,
                 contact = h * ((a->moment[shaft] + b->moment[shaft]) / 2 + b->rubbing[shaft]);
    *momentum = momentum_of(s, b, shaft);
    /* A drive provides the change of momentum that contact does not. */
    return s->shaft[shaft].modes->driven ? *momentum - momentum_of(s, a, shaft)
                                         : contact + h * s->shaft[shaft].torque;
}

slip_gear_change slip_gear_step_change(slip_gear_step *s, const slip_gear_state *b)
{
    const slip_gear_state *a = &s->now;
    const double h = b->time - a->time;
    slip_gear_change change = {.lost = lost_in_modes(s, b) + lost_by_friction(s, b)};
    for (int k = 0; k < s->shaft_count; k++) {
        double momentum, torque = s->shaft[k].torque;
        if (!s->shaft[k].modes->driven)
            change.work += torque * (b->angle[k] - a->angle[k]);
        else
            change.work += a->speed[k] * (slip_gear_step_impulse(s, b, k, &momentum) -
                                          h * ((a->moment[k] + b->moment[k]) / 2 + b->rubbing[k]));
    }
    return change;
}

/* ---- To the next step. */

int slip_gear_step_accept(slip_context *ctx, slip_gear_step *s)
{
    slip_gear_state old = s->now;
    memcpy(s->press_before, s->now.press, sizeof(double) * (size_t)s->count);
    s->earlier = s->before;
    s->before = s->propagator->step;
    s->now = s->next;
    s->next = old;
    memcpy(s->next.angle, s->now.angle, sizeof(double) * (size_t)s->shaft_count);
    memcpy(s->next.speed, s->now.speed, sizeof(double) * (size_t)s->shaft_count);
    for (int k = 0; k < s->gear_count; k++)
        for (int i = s->gear[k].load_count - 1; i >= 0; i--) {
            slip_gear_load *l = &s->gear[k].loads[i];
            double *past = l->past;
            l->past = l->press[0];
            l->press[0] = l->press[1];
            l->press[1] = past;
            slip_swap(&l->held[0], &l->held[1]);
            slip_swap(&l->rubbed, &l->rub[0]);
            slip_swap(&l->rub[0], &l->rub[1]);
            slip_swap(&l->bearing[0], &l->bearing[1]);
            slip_swap(&l->lagged[0], &l->lagged[1]);
            l->normal[0] = l->normal[1];
            l->normal[1] = l->normal[2];
            l->strain[0] = l->strain[1];
        }
    return slip_gear_step_leave(ctx, s);
}

/* ---- In between. */

double slip_gear_step_between(slip_gear_step *s, double time, slip_propagator *p, slip_gear_state *at)
{
    const slip_gear_state *a = &s->now, *b = &s->next;
    double x = time / s->propagator->step, left = 1 - x, strain = 0;
    slip_propagator_set(p, time);
    for (int i = 0; i < s->count; i++) {
        double constant = s->torque[i] + s->inertia[i];
        double p0 = a->press[i] + b->rub[i] + constant, p1 = b->press[i] + b->rub[i] + constant;
        double here = left * p0 + x * p1;
        at->press[i] = left * a->press[i] + x * b->press[i];
        at->rub[i] = b->rub[i];
        at->y[i] = p->yy[i] * a->y[i] + p->yv[i] * a->v[i] + p->y_begin[i] * p0 + p->y_end[i] * here;
        at->v[i] = p->vy[i] * a->y[i] + p->vv[i] * a->v[i] + p->v_begin[i] * p0 + p->v_end[i] * here;
    }
    for (int k = 0; k < s->shaft_count; k++) {
        const slip_step_shaft *shaft = &s->shaft[k];
        at->angle[k] = slip_free_modes_expand(shaft->modes, at->y + shaft->first, at->q + shaft->first_mode);
        at->speed[k] =
            slip_free_modes_expand(shaft->modes, at->v + shaft->first, at->rate + shaft->first_mode);
        if (shaft->modes->driven) {
            at->speed[k] = a->speed[k];
            at->angle[k] = a->angle[k] + time * a->speed[k];
        }
        at->moment[k] = left * a->moment[k] + x * b->moment[k];
        at->rubbing[k] = b->rubbing[k];
    }
    for (int g = 0; g < s->gear_count; g++)
        for (int i = 0; i < s->gear[g].load_count; i++) {
            const slip_gear_load *l = &s->gear[g].loads[i];
            strain += left * left * l->strain[0] + 2 * x * left * l->cross + x * x * l->strain[1];
        }
    for (int m = 0; m < s->mesh_count; m++)
        at->normal[m] = left * a->normal[m] + x * b->normal[m];
    at->time = a->time + time;
    at->force = left * a->force + x * b->force;
    at->depth = left * a->depth + x * b->depth;
    at->touching =
        at->force > 0 ? (x < 0.5 && a->touching > 0) || b->touching == 0 ? a->touching : b->touching : 0;
    at->spring = left * left * a->spring + 2 * x * left * sqrt(a->spring * b->spring) + x * x * b->spring;
    return strain;
}
