/* Static equilibrium by dynamic relaxation: steps of central differences of which each keeps only a part of
 * the velocities,
 *
 *     v_{n+1/2} = b v_{n-1/2} + h M^-1 f(x_n),    b = (k + 8)/(k + 11),
 *
 * k being the number of steps since the last restart. A restart sets all velocities to zero; it happens when
 * the power of the forces becomes negative. This is Nesterov's accelerated gradient descent with restarts
 * (O'Donoghue and Candes, Found. Comput. Math. 15, 2015), whose damping adapts to the lowest frequency. The
 * step is three quarters of the limit, so that h^2 omega^2 < 2 (1 + b) also at k = 0. Added inertia of a
 * shaft only delays convergence, so it is limited to that of the shaft's bodies. */
#include "fem/explicit/types.h"

#include <math.h>

/* Convergence: the share of the torques that may be out of balance; the larger share that is accepted where
 * rounding prevents further progress. */
static const double enough = 1e-8, bearable = 1e-5;
static const double share_of_limit = 0.75;
enum { steps_most = 1000000, stalled_after = 20000 };

/* The properties of the bodies that relaxation changes and restores. */
typedef struct kept {
    double inertia, speed;
    bool driven;
} kept;

static double *find_speed(slip_explicit *e, kept *was, int body)
{
    return &was[e->parts[body].leader].speed;
}

/* Of all nodes of the bodies on a shaft. */
static double inertia_of(const slip_explicit *e, int leader)
{
    double sum = 0;
    for (int k = leader; k < e->part_count; k++)
        for (int i = 0; e->parts[k].leader == leader && i < e->parts[k].node_count; i++) {
            const double *x = e->start + 3 * (size_t)(e->parts[k].first_node + i);
            sum += e->mass[e->parts[k].first_node + i] * (x[0] * x[0] + x[1] * x[1]);
        }
    return sum;
}

static void hold_shafts(slip_explicit *e, const bool *held, kept *was)
{
    for (int k = 0; k < e->part_count; k++) {
        slip_explicit_part *p = &e->parts[k];
        was[k] = (kept){p->inertia, p->speed, p->driven};
        p->driven = p->driven || held[k];
        p->inertia = slip_explicit_leads(e, k) ? fmin(p->inertia, inertia_of(e, k)) : p->inertia;
    }
}

/* Velocities times a factor. */
static void slow_down(slip_explicit *e, double factor)
{
    for (size_t i = 0; i < 3 * (size_t)e->node_count; i++)
        e->velocity[i] *= factor;
    for (int k = 0; k < e->part_count; k++)
        e->parts[k].speed *= factor;
}

/* Adds the centrifugal load m w^2 r of a rotation with the start speed. */
static void add_rotation(slip_explicit *e, kept *was)
{
    for (int k = 0; k < e->part_count; k++) {
        const slip_explicit_part *p = &e->parts[k];
        const double square = pow(*find_speed(e, was, k), 2);
        for (int i = p->first_node; square > 0 && i < p->first_node + p->node_count; i++)
            for (size_t d = 0; d < 2; d++)
                e->force[3 * (size_t)i + d] +=
                    e->mass[i] * square * (e->position[3 * (size_t)i + d] - p->centre[d]);
    }
}

/* Returns the power of all forces; *left: the imbalance, as a moment. */
static double look(slip_explicit *e, double *left)
{
    double power = 0;
    *left = 0;
    slip_explicit_find_moments(e);
    for (int k = 0; k < e->part_count; k++) {
        const slip_explicit_part *p = &e->parts[k];
        double sum = 0, arm = 0;
        for (int i = p->first_node; i < p->first_node + p->node_count; i++) {
            const double *f = e->force + 3 * (size_t)i, *v = e->velocity + 3 * (size_t)i,
                         *x = e->start + 3 * (size_t)i;
            if (e->held[i])
                continue;
            power += f[0] * v[0] + f[1] * v[1] + f[2] * v[2];
            sum += f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
            arm = fmax(arm, x[0] * x[0] + x[1] * x[1]);
        }
        *left = fmax(*left, sqrt(sum * arm));
        if (!slip_explicit_leads(e, k) || p->driven)
            continue;
        const double moment = p->moment + slip_explicit_outer_moment(e, k);
        power += moment * p->speed;
        *left = fmax(*left, fabs(moment));
    }
    return power;
}

static int relax(slip_context *ctx, slip_explicit *e, kept *was, double torque, double *left)
{
    double least = INFINITY, now = INFINITY;
    int64_t since = 0, of_least = 0, n = 0;
    for (; !(now <= enough * torque) && n < steps_most && n < of_least + stalled_after; n++, since++) {
        slip_explicit_load load;
        if (slip_interrupted(ctx))
            return slip_fail(ctx, SLIP_INTERRUPTED, "interrupted before the bodies came to rest");
        slow_down(e, (double)(since + 8) / (double)(since + 11));
        SLIP_PASS(slip_explicit_forces(ctx, e, &load));
        add_rotation(e, was);
        const double power = look(e, &now);
        if (now < least / 2) {
            least = now;
            of_least = n;
        }
        if (power < 0) {
            slow_down(e, 0);
            since = -1;
        } else {
            slip_explicit_move(e, e->step, e->step);
        }
    }
    *left = now / torque;
    if (!(*left <= bearable))
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "initial: static: the bodies do not come to rest: after %lld steps %.2g of the "
                         "torque is not balanced; expected flanks that hold it, or a larger torque",
                         (long long)n, *left);
    return SLIP_OK;
}

/* Sets the velocities, half a step old, of bodies that rotate without deforming further. */
static void turn_on(slip_explicit *e, kept *was)
{
    for (int k = 0; k < e->part_count; k++) {
        slip_explicit_part *p = &e->parts[k];
        const double speed = *find_speed(e, was, k), half = e->step / 2 * speed * speed;
        p->inertia = was[k].inertia;
        p->driven = was[k].driven;
        p->speed = speed;
        p->impulse = 0;
        for (int i = p->first_node; i < p->first_node + p->node_count; i++) {
            const double *x = e->position + 3 * (size_t)i, r[2] = {x[0] - p->centre[0], x[1] - p->centre[1]},
                         back = e->held[i] ? 0 : half;
            double *v = e->velocity + 3 * (size_t)i;
            v[0] = -speed * r[1] + back * r[0];
            v[1] = speed * r[0] + back * r[1];
            v[2] = 0;
        }
    }
}

int slip_explicit_rest(slip_context *ctx, slip_explicit *e, const bool *held, double *left)
{
    const double step = e->step;
    SLIP_FREED kept *was = slip_alloc(e->part_count, sizeof *was);
    slip_explicit_load load;
    double torque = 0;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, was));
    for (int k = 0; k < e->part_count; k++)
        torque = fmax(torque, fabs(e->parts[k].torque));
    if (!(torque > 0))
        SLIP_PASS(slip_fail(ctx, SLIP_ERROR_MODEL,
                            "initial: static: found no torque on the shafts, expected loads that press the "
                            "flanks"));
    hold_shafts(e, held, was);
    slow_down(e, 0);
    e->started = true;
    e->step = e->step_before = share_of_limit * e->limit;
    status = relax(ctx, e, was, torque, left);
    e->step = e->step_before = e->weight = step;
    turn_on(e, was);
    SLIP_PASS(status);
    SLIP_PASS(status = slip_explicit_forces(ctx, e, &load));
    slip_explicit_begin_work(e);
    return status;
}
