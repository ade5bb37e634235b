/* Explicit dynamics: forces, steps, energy. The theory is in the header. */
#include "base/threads.h"
#include "fem/explicit/card.h"
#include "fem/explicit/types.h"

#include <math.h>
#include <string.h>

/* ---- Elastic forces. */

static void load_corners(const int *corners, const double *x, double *position)
{
    for (int k = 0; k < 8; k++)
        for (int lane = 0; lane < slip_lanes; lane++) {
            const double *from = x + 3 * corners[k * slip_lanes + lane];
            for (int d = 0; d < 3; d++)
                position[(3 * k + d) * slip_lanes + lane] = from[d];
        }
}

static void add_corners(const int *corners, int lanes, const double *force, double *f)
{
    for (int lane = 0; lane < lanes; lane++)
        for (int k = 0; k < 8; k++) {
            double *to = f + 3 * corners[k * slip_lanes + lane];
            for (int d = 0; d < 3; d++)
                to[d] -= force[(3 * k + d) * slip_lanes + lane];
        }
}

/* x, f: of the block's nodes, three numbers each, overwritten. Returns the energy where it is wanted. */
static double block_forces(const slip_explicit *e, const slip_explicit_block *block, const double *position,
                           bool with_energy, double *x, double *f)
{
    double corner[24 * slip_lanes], force[24 * slip_lanes], energy[slip_lanes], sum = 0;
    const int *nodes = e->local_nodes + block->local;
    for (int i = 0; i < block->local_count; i++)
        memcpy(x + 3 * i, position + 3 * (size_t)nodes[i], 3 * sizeof *x);
    memset(f, 0, 3 * sizeof *f * (size_t)block->local_count);
    for (int b = 0; b < block->batch_count; b++) {
        size_t batch = (size_t)(block->batch + b);
        int lanes = b < block->batch_count - 1 ? slip_lanes : block->last_lanes;
        const int *corners = e->corners + batch * 8 * slip_lanes;
        slip_brick_batch work = {.reference = e->reference + batch * slip_brick_reference * slip_lanes,
                                 .lambda = e->parts[block->part].lambda,
                                 .mu = e->parts[block->part].mu,
                                 .hourglass = e->parts[block->part].hourglass,
                                 .position = corner,
                                 .force = force,
                                 .energy = with_energy ? energy : NULL};
        load_corners(corners, x, corner);
        e->kernel(&work);
        add_corners(corners, lanes, force, f);
        for (int lane = 0; with_energy && lane < lanes; lane++)
            sum += energy[lane];
    }
    return sum;
}

void slip_explicit_elastic(slip_explicit *e, const double *position, double *force, double *energy)
{
#pragma omp parallel for num_threads(e->threads) schedule(static)
    for (int b = 0; b < e->block_count; b++) {
        const slip_explicit_block *block = &e->blocks[b];
        double *x = e->scratch + (size_t)e->scratch_size * (size_t)slip_thread_number();
        double *f = x + e->scratch_size / 2;
        e->block_energy[b] = block_forces(e, block, position, energy != NULL, x, f);
        memcpy(e->local_forces + 3 * block->local, f, 3 * sizeof *f * (size_t)block->local_count);
    }
#pragma omp parallel for num_threads(e->threads) schedule(static)
    for (int i = 0; i < e->node_count; i++) {
        double sum[3] = {0};
        for (int64_t c = e->copy_start[i]; c < e->copy_start[i + 1]; c++)
            for (int d = 0; d < 3; d++)
                sum[d] += e->local_forces[3 * e->copies[c] + d];
        memcpy(force + 3 * (size_t)i, sum, sizeof sum);
    }
    if (energy) {
        *energy = 0;
        for (int b = 0; b < e->block_count; b++)
            *energy += e->block_energy[b];
    }
}

static int all_forces(slip_context *ctx, slip_explicit *e, double *energy, slip_explicit_load *load)
{
    *load = (slip_explicit_load){0};
    e->evaluations++;
    if (slip_explicit_on_card(e))
        return slip_explicit_card_forces(ctx, e, energy, load);
    slip_explicit_elastic(e, e->position, e->force, energy);
    return e->options.force ? e->options.force(e->options.user, ctx, e, e->force, load) : SLIP_OK;
}

int slip_explicit_forces(slip_context *ctx, slip_explicit *e, slip_explicit_load *load)
{
    return all_forces(ctx, e, NULL, load);
}

/* ---- The limit on the way. */

static bool too_stiff(const slip_explicit *e, const slip_explicit_load *load)
{
    return e->step * (e->step * (e->eigenvalue + load->eigenvalue) + 2 * load->damping) > 4;
}

/* h^2 lambda + 2 h delta = 4. */
static double limit_of(const slip_explicit *e, double eigenvalue, double damping)
{
    return 4 / (damping + sqrt(damping * damping + 4 * (e->eigenvalue + eigenvalue)));
}

static int refuse(slip_context *ctx, const slip_explicit *e, const slip_explicit_load *load)
{
    return slip_fail(
        ctx, SLIP_ERROR_SOLVER,
        "t = %g s: the outer forces have become too stiff for the step of %g s: expected at most %g s",
        slip_explicit_now(e), e->step, limit_of(e, load->eigenvalue, load->damping));
}

/* Lowers the step so far that the external forces may still become twice as stiff. */
static void lower_step(slip_explicit *e, const slip_explicit_load *load)
{
    e->time_from = slip_explicit_now(e);
    e->steps_from = e->steps_done;
    e->step = e->options.safety * limit_of(e, 2 * load->eigenvalue, 2 * load->damping);
}

/* Computes the forces and checks the step against their stiffness. A step chosen by the program is lowered,
 * down to slip_explicit_lowest. */
static int stable_forces(slip_context *ctx, slip_explicit *e, slip_explicit_load *load)
{
    const double step = e->step, from = e->time_from;
    const int64_t steps = e->steps_from;
    int status = all_forces(ctx, e, NULL, load);
    const slip_explicit_load first = *load;
    while (status >= 0 && too_stiff(e, load)) {
        if (e->options.step == 0)
            lower_step(e, load);
        if (e->options.step > 0 || !(e->step >= slip_explicit_lowest * e->first_step)) {
            e->step = step;
            e->time_from = from;
            e->steps_from = steps;
            return refuse(ctx, e, &first);
        }
        status = all_forces(ctx, e, NULL, load);
    }
    return status;
}

/* ---- Steps. */

/* v += factor f/m; x += step v. The sums of squares of the velocities are left in chunk_sums. */
static void push(slip_explicit *e, double factor, double step)
{
    int chunks = (e->node_count + slip_explicit_chunk - 1) / slip_explicit_chunk;
#pragma omp parallel for num_threads(e->threads) schedule(static)
    for (int c = 0; c < chunks; c++) {
        int end = (c + 1) * slip_explicit_chunk;
        double sum = 0;
        for (int i = c * slip_explicit_chunk; i < end && i < e->node_count; i++) {
            double *v = e->velocity + 3 * (size_t)i, *x = e->position + 3 * (size_t)i;
            const double *f = e->force + 3 * (size_t)i;
            if (e->held[i])
                continue;
            for (int d = 0; d < 3; d++) {
                v[d] += factor * f[d] / e->mass[i];
                x[d] += step * v[d];
                sum += v[d] * v[d];
            }
        }
        e->chunk_sums[c] = sum;
    }
}

/* Computes the moment of each shaft and stores it in its leader. */
void slip_explicit_find_moments(slip_explicit *e)
{
    for (int k = 0; k < e->part_count; k++)
        e->parts[k].moment =
            slip_explicit_leads(e, k) ? slip_explicit_shaft_moment(e, k, e->position, e->force) : 0;
}

/* The moment of torque and drive on the shaft of a leader. A drive balances all other moments. */
double slip_explicit_outer_moment(const slip_explicit *e, int leader)
{
    double torque = 0;
    if (e->parts[leader].driven)
        return -e->parts[leader].moment;
    for (int k = leader; k < e->part_count; k++)
        torque += e->parts[k].leader == leader ? e->parts[k].torque : 0;
    return torque;
}

double slip_explicit_acceleration(const slip_explicit *e, int body)
{
    const int leader = e->parts[body].leader;
    return e->parts[leader].driven
               ? 0
               : (e->parts[leader].moment + slip_explicit_outer_moment(e, leader)) / e->parts[leader].inertia;
}

/* Sets positions and velocities of the rigid nodes of a body from its angle and speed. */
static void carry(slip_explicit *e, int part)
{
    const slip_explicit_part *p = &e->parts[part];
    slip_explicit_turn(e, part, p->angle, e->position);
    for (int i = 0; i < p->rigid_count; i++) {
        size_t node = 3 * (size_t)e->rigid_nodes[p->rigid + i];
        e->velocity[node] = -p->speed * (e->position[node + 1] - p->centre[1]);
        e->velocity[node + 1] = p->speed * (e->position[node] - p->centre[0]);
    }
}

/* The kinetic energy of the header uses the mean of the velocities before and after the forces act, and so
 * must the work of torques. */
static void turn(slip_explicit *e, int leader, double factor, double step)
{
    slip_explicit_part *p = &e->parts[leader];
    if (!slip_explicit_leads(e, leader))
        return;
    double outer = slip_explicit_outer_moment(e, leader), share = step > 0 ? factor : 0;
    e->work += share / 2 * outer * p->speed;
    if (!p->driven)
        p->speed += factor * (p->moment + outer) / p->inertia;
    e->work += share / 2 * outer * p->speed;
    p->impulse += share * outer;
    for (int k = leader; k < e->part_count; k++) {
        slip_explicit_part *own = &e->parts[k];
        if (own->leader != leader)
            continue;
        own->speed = p->speed;
        own->angle += step * own->speed;
        if (step > 0)
            carry(e, k);
    }
}

/* Moves velocities (and positions where step > 0) on. Rigid parts first: they need the old positions. */
void slip_explicit_move(slip_explicit *e, double factor, double step)
{
    slip_explicit_find_moments(e);
    for (int k = 0; k < e->part_count; k++)
        turn(e, k, factor, step);
    push(e, factor, step);
}

static bool all_finite(const slip_explicit *e)
{
    int chunks = (e->node_count + slip_explicit_chunk - 1) / slip_explicit_chunk;
    double sum = 0;
    for (int c = 0; c < chunks; c++)
        sum += e->chunk_sums[c];
    for (int k = 0; k < e->part_count; k++)
        sum += e->parts[k].speed * e->parts[k].speed;
    return isfinite(sum);
}

/* Names the first node whose velocity is not finite. */
static int fail_infinite(slip_context *ctx, slip_explicit *e)
{
    const int status = slip_explicit_fetch(ctx, e);
    if (status < 0)
        return status;
    for (int k = 0; k < e->part_count; k++) {
        const slip_explicit_part *p = &e->parts[k];
        for (int i = p->first_node; i < p->first_node + p->node_count; i++)
            for (int d = 0; d < 3; d++)
                if (!isfinite(e->velocity[3 * (size_t)i + (size_t)d] *
                              e->velocity[3 * (size_t)i + (size_t)d]))
                    return slip_fail(
                        ctx, SLIP_ERROR_SOLVER,
                        "t = %g s: the velocity of node %d of %s is no longer a finite number; the "
                        "elements there are crushed, or the step (%g s, limit at the start %g s) is "
                        "too large",
                        slip_explicit_now(e), i - p->first_node + 1, p->name, e->step, e->limit);
    }
    return slip_fail(ctx, SLIP_ERROR_SOLVER, "t = %g s: the speed of a body is no longer a finite number",
                     slip_explicit_now(e));
}

/* The time for which the present forces act: the mean of the previous and the next step. */
static double next_weight(const slip_explicit *e)
{
    return (e->step_before + e->step) / 2;
}

/* The work of the present torques over half of that time, with the velocity before it. */
static double work_now(const slip_explicit *e)
{
    double work = 0;
    for (int k = 0; k < e->part_count; k++) /* moments are those of these forces */
        if (slip_explicit_leads(e, k))
            work += next_weight(e) / 2 * slip_explicit_outer_moment(e, k) * e->parts[k].speed;
    return work;
}

void slip_explicit_begin_work(slip_explicit *e)
{
    slip_explicit_find_moments(e);
    e->work = -work_now(e);
    e->lost = 0;
}

/* Converts velocities at t = 0 to those half a step before. */
static int start(slip_context *ctx, slip_explicit *e)
{
    slip_explicit_load load;
    if (e->started)
        return SLIP_OK;
    int status = stable_forces(ctx, e, &load);
    if (status >= 0) {
        e->step_before = e->weight = e->step;
        slip_explicit_move(e, -e->step / 2, 0);
        slip_explicit_begin_work(e);
        e->started = true;
    }
    return status;
}

/* Advances the state by the present forces, on the processor or on the card. */
static int move_on(slip_context *ctx, slip_explicit *e)
{
    bool bad = false;
    int status = SLIP_OK;
    if (slip_explicit_on_card(e))
        status = slip_explicit_card_move(ctx, e, e->weight, e->step, &bad);
    else
        slip_explicit_move(e, e->weight, e->step);
    if (status < 0)
        return status;
    e->step_before = e->step;
    e->steps_done++;
    return bad || (!slip_explicit_on_card(e) && !all_finite(e)) ? fail_infinite(ctx, e) : SLIP_OK;
}

int slip_explicit_advance(slip_context *ctx, slip_explicit *e, int64_t steps)
{
    int status = SLIP_OK;
    bool bad;
    slip_explicit_load load;
    SLIP_PASS(start(ctx, e));
    if (e->card)
        SLIP_PASS(slip_explicit_card_take(ctx, e));
    if (e->card && !e->options.force) {
        SLIP_PASS(slip_explicit_card_run(ctx, e, steps, &bad));
        return bad ? fail_infinite(ctx, e) : SLIP_OK;
    }
    for (int64_t k = 0; k < steps; k++) {
        if (slip_interrupted(ctx))
            return slip_fail(ctx, SLIP_INTERRUPTED, "interrupted at t = %g s", slip_explicit_now(e));
        SLIP_PASS(stable_forces(ctx, e, &load));
        e->weight = next_weight(e);
        e->lost += e->weight * load.lost;
        SLIP_PASS(status = move_on(ctx, e));
    }
    return status;
}

int slip_explicit_advance_to(slip_context *ctx, slip_explicit *e, double time)
{
    int status = start(ctx, e);
    const double step = e->step, from = slip_explicit_now(e), left = time - from;
    if (status < 0)
        return status;
    e->time_from = from;
    e->steps_from = e->steps_done;
    e->step = left;
    status = slip_explicit_advance(ctx, e, 1);
    if (e->step != left)
        return status;
    e->step = step;
    if (e->steps_done > e->steps_from) {
        e->time_from = time;
        e->steps_from = e->steps_done;
    }
    return status;
}

int slip_explicit_fetch(slip_context *ctx, slip_explicit *e)
{
    return slip_explicit_card_fetch(ctx, e);
}

/* ---- Energy and momentum. */

double slip_explicit_momentum(const slip_explicit *e, int body)
{
    const slip_explicit_part *p = &e->parts[body];
    double sum = p->rigid_count > 0 ? p->inertia * p->speed : 0;
    if (slip_explicit_on_card(e))
        return p->momentum;
    for (int i = p->first_node; i < p->first_node + p->node_count; i++) {
        const double *x = e->position + 3 * (size_t)i, *v = e->velocity + 3 * (size_t)i;
        if (!e->held[i])
            sum += e->mass[i] * ((x[0] - p->centre[0]) * v[1] - (x[1] - p->centre[1]) * v[0]);
    }
    return sum;
}

/* Twice v_{n-1/2} M v_{n+1/2}/2 of the nodes that are not rigid, and the moments on those that are. */
static int sum_up(slip_context *ctx, slip_explicit *e, double *twice)
{
    const double weight = next_weight(e);
    if (slip_explicit_on_card(e))
        return slip_explicit_card_account(ctx, e, weight, twice);
    *twice = 0;
    slip_explicit_find_moments(e);
    for (int i = 0; i < e->node_count; i++)
        for (int d = 0; d < 3 && !e->held[i]; d++) {
            double v = e->velocity[3 * (size_t)i + (size_t)d];
            *twice += v * (e->mass[i] * v + weight * e->force[3 * (size_t)i + (size_t)d]);
        }
    return SLIP_OK;
}

/* v_{n-1/2} M v_{n+1/2}/2 from the forces at x_n. */
static double kinetic_energy(const slip_explicit *e, double twice)
{
    const double weight = next_weight(e);
    for (int k = 0; k < e->part_count; k++) {
        const slip_explicit_part *p = &e->parts[k];
        if (!slip_explicit_leads(e, k))
            continue;
        double moment = p->moment + slip_explicit_outer_moment(e, k);
        twice += p->speed * (p->inertia * p->speed + weight * moment);
    }
    return twice / 2;
}

int slip_explicit_account(slip_context *ctx, slip_explicit *e, slip_explicit_ledger *ledger)
{
    slip_explicit_load load;
    double twice;
    *ledger = (slip_explicit_ledger){0};
    SLIP_PASS(start(ctx, e));
    SLIP_PASS(all_forces(ctx, e, &ledger->strain, &load));
    if (e->options.step > 0 && too_stiff(e, &load)) /* a chosen step is lowered in the next step */
        SLIP_PASS(refuse(ctx, e, &load));
    SLIP_PASS(sum_up(ctx, e, &twice));
    ledger->kinetic = kinetic_energy(e, twice);
    ledger->load = load.energy;
    ledger->work = e->work + work_now(e);
    ledger->lost = e->lost + next_weight(e) * load.lost_before;
    ledger->total = ledger->kinetic + ledger->strain + ledger->load + ledger->lost - ledger->work;
    return SLIP_OK;
}
