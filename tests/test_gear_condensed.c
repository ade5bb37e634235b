/* Gears with condensed residual parts by the exponential integrator: exact motion without contact, order,
 * balances, limits, symmetry, statics, and the nonlinear finite element model. */
#include "gear_test.h"

#include "base/context.h"
#include "flex/floating.h"
#include "gear/gear_condensed.h"
#include "gear/gear_kept.h"
#include "gear/gear_step.h"
#include "math/dense.h"
#include "slipstick/gear_run.h"

#include <string.h>

enum { modes = 30 };

typedef struct fixture {
    slip_context *ctx;
    slip_gear_options gears[2];
    slip_reduced *bodies[2];
} fixture;

static void choose_gears(slip_gear_options gears[2], int mode_count)
{
    for (int k = 0; k < 2; k++) {
        gears[k] = gear_small(k ? "wheel" : "pinion", k ? 15 : 12);
        gears[k].mesh = (slip_gear_mesh_options){6, 2, 4, 2, 3, 2};
        gears[k].modes = mode_count;
    }
}

static fixture *make_fixture(int mode_count)
{
    fixture *f = calloc(1, sizeof *f);
    slip_reduce_options options = slip_reduce_options_default();
    f->ctx = slip_context_create();
    choose_gears(f->gears, mode_count);
    for (int k = 0; k < 2; k++)
        if (slip_gear_reduce(f->ctx, &f->gears[k], &options, &f->bodies[k]) < 0)
            fail_msg("%s", slip_context_message(f->ctx));
    return f;
}

static void free_fixture(fixture *f)
{
    for (int k = 0; k < 2; k++)
        slip_reduced_destroy(f->bodies[k]);
    slip_context_destroy(f->ctx);
    free(f);
}

static int set_up(void **state)
{
    *state = make_fixture(modes);
    return 0;
}

static int tear_down(void **state)
{
    free_fixture(*state);
    return 0;
}

/* The pinion with 5 rad/s against the wheel at rest, as long as they touch and some more. */
static slip_gear_run_options impact(void)
{
    slip_gear_run_options o = slip_gear_run_options_default();
    o.side[0].speed = 5;
    o.penalty = 1e9;
    o.time = 1e-4;
    o.samples = 201;
    return o;
}

static slip_gear_result *run(const fixture *f, const slip_gear_run_options *o)
{
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_gear_result *r = NULL;
    if (slip_gear_run(f->ctx, f->gears, bodies, o, &r) != SLIP_OK)
        fail_msg("%s", slip_context_message(f->ctx));
    return r;
}

static double number(const slip_gear_result *r, const char *name)
{
    return slip_gear_result_number(r, name);
}

/* The largest difference of a series over its largest value. */
static double distance(const slip_gear_result *a, const slip_gear_result *b, const char *name)
{
    int64_t count, other;
    const double *x = slip_gear_result_series(a, name, &count), *y = slip_gear_result_series(b, name, &other);
    double worst = 0, largest = 0;
    assert_int_equal(count, other);
    for (int64_t i = 0; i < count; i++) {
        worst = fmax(worst, fabs(x[i] - y[i]));
        largest = fmax(largest, fabs(y[i]));
    }
    return worst / largest;
}

/* ---- Without contact. */

/* The equations of flex/floating.h by Runge and Kutta: theta, w, q, q' of one gear under a torque. */
static void slope_of(slip_floating *f, double damping, double torque, const double *x, double *dx)
{
    const double *q = x + 2, *rate = x + 2 + f->modes;
    double coupling[modes + 1], load[modes + 1] = {0}, along = 0, square = 0;
    slip_floating_terms t = slip_floating_inertia(f, x[1], q, rate, coupling, load);
    for (int i = 0; i < f->modes; i++) {
        load[i] -= f->square[i] * (q[i] + damping * rate[i]);
        along += coupling[i] * load[i];
        square += coupling[i] * coupling[i];
    }
    double turn = (torque + t.torque - along) / (t.moment - square);
    dx[0] = x[1];
    dx[1] = turn;
    for (int i = 0; i < f->modes; i++) {
        dx[2 + i] = rate[i];
        dx[2 + f->modes + i] = load[i] - turn * coupling[i];
    }
}

static void integrate(slip_floating *f, double damping, double torque, double time, int steps, double *x)
{
    int n = 2 + 2 * f->modes;
    double h = time / steps, k[4][2 * modes + 6], at[2 * modes + 6];
    for (int s = 0; s < steps; s++) {
        for (int stage = 0; stage < 4; stage++) {
            double share = stage == 0 ? 0 : stage == 3 ? 1 : 0.5;
            for (int i = 0; i < n; i++)
                at[i] = x[i] + (stage ? share * h * k[stage - 1][i] : 0);
            slope_of(f, damping, torque, at, k[stage]);
        }
        for (int i = 0; i < n; i++)
            x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

/* Gears too far apart to touch. At rest the linear motion is exact; at 500 rad/s the rest of the inertia
 * counts. */
static void free_flight(void **state)
{
    const fixture *f = *state;
    for (int turn = 0; turn < 2; turn++) {
        slip_gear_run_options o = impact();
        slip_floating *frame = NULL;
        double x[2 * modes + 6] = {0};
        o.distance = 0.09;
        o.time = 2e-4;
        o.side[0].torque = 30;
        o.side[0].damping = 1e-8;
        o.side[0].inertia = 2e-5;
        o.side[0].speed = x[1] = turn ? 500 : 0;
        slip_gear_result *r = run(f, &o);
        assert_int_equal(slip_floating_create(f->ctx, f->bodies[0], slip_reduced_mode_count(f->bodies[0]),
                                              o.side[0].inertia, &frame),
                         SLIP_OK);
        integrate(frame, 1e-8, 30, o.time, 8000, x);
        int64_t count;
        const double *angle = slip_gear_result_series(r, "pinion.angle", &count);
        double change = x[1] - (turn ? 500 : 0), tolerance = turn ? 1e-5 : 1e-8;
        assert_close(number(r, "final.pinion.speed"), x[1], tolerance * fabs(change));
        assert_close_relative(angle[count - 1] - angle[0], x[0], tolerance);
        assert_true(number(r, "steps") < 60 && number(r, "peak_force") == 0);
        assert_true(fabs(number(r, "momentum.pinion")) < 1e-11);
        assert_true(number(r, "energy.drift") < 1e-6);
        slip_floating_destroy(frame);
        slip_gear_result_destroy(r);
    }
}

/* ---- Accuracy. */

static void order_is_two(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.tolerance = 1e-7;
    slip_gear_result *exact = run(f, &o);
    double error[4];
    for (int i = 0; i < 4; i++) {
        o.step = 8e-7 / (1 << i);
        slip_gear_result *r = run(f, &o);
        assert_close(number(r, "steps"), o.time / o.step, 1);
        error[i] = distance(r, exact, "wheel.speed");
        slip_gear_result_destroy(r);
    }
    double order = log2(error[0] / error[3]) / 3;
    assert_true(order > 1.8 && order < 2.6);
    assert_true(error[3] < 2e-4);
    slip_gear_result_destroy(exact);
}

static void error_follows_the_tolerance(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.tolerance = 1e-7;
    slip_gear_result *exact = run(f, &o);
    double before = INFINITY;
    for (o.tolerance = 1e-3; o.tolerance > 5e-6; o.tolerance /= 10) {
        slip_gear_result *r = run(f, &o);
        double error = distance(r, exact, "wheel.speed");
        assert_true(error < 2 * o.tolerance && error < before / 3);
        assert_true(number(r, "energy.drift") < 2 * o.tolerance);
        assert_close_relative(number(r, "peak_force"), number(exact, "peak_force"), 5 * o.tolerance);
        assert_close_relative(number(r, "contact_time"), number(exact, "contact_time"), 4 * o.tolerance);
        for (int k = 0; k < 2; k++)
            assert_true(fabs(number(r, k ? "momentum.wheel" : "momentum.pinion")) < 1e-10);
        before = error;
        slip_gear_result_destroy(r);
    }
    slip_gear_result_destroy(exact);
}

/* The harder the flanks the larger the force and the shorter the contact, down to rigid ones. */
static void rigid_is_the_limit(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.tolerance = 1e-5;
    for (int pass = 0; pass < 3; pass++) {
        double force = 0, time = INFINITY, gap = INFINITY;
        o.two_pass = pass / 2.0;
        o.penalty = INFINITY;
        slip_gear_result *rigid = run(f, &o);
        assert_true(number(rigid, "energy.drift") < 1e-4);
        for (o.penalty = 1e8; o.penalty < 3e12; o.penalty *= 100) {
            slip_gear_result *r = run(f, &o);
            double away = fabs(number(r, "peak_force") / number(rigid, "peak_force") - 1);
            assert_true(number(r, "peak_force") > force && number(r, "contact_time") < time && away < gap);
            force = number(r, "peak_force");
            time = number(r, "contact_time");
            gap = away;
            slip_gear_result_destroy(r);
        }
        assert_true(gap < 1e-3 && time > number(rigid, "contact_time") * (1 - 1e-5));
        slip_gear_result_destroy(rigid);
    }
}

/* ---- Symmetry. */

static void mirrored_and_exchanged(void **state)
{
    fixture *f = *state;
    slip_gear_run_options o = impact();
    o.tolerance = 1e-6;
    slip_gear_result *first = run(f, &o);
    o.side[0].speed = -5;
    slip_gear_result *back = run(f, &o);
    int64_t count;
    const double *speed = slip_gear_result_series(first, "wheel.speed", &count);
    const double *mirrored = slip_gear_result_series(back, "wheel.speed", &count);
    for (int64_t i = 0; i < count; i++)
        assert_close(mirrored[i], -speed[i], 1e-4);
    assert_close_relative(number(back, "peak_force"), number(first, "peak_force"), 1e-5);
    /* The wheel named first: its space is where the pinion's tooth was. The other gear is turned until they
     * touch, so that other places of the facets meet: half the backlash away. */
    fixture other = {
        .ctx = f->ctx, .gears = {f->gears[1], f->gears[0]}, .bodies = {f->bodies[1], f->bodies[0]}};
    slip_gear_side side = o.side[0];
    o.side[0] = o.side[1];
    o.side[1] = side;
    o.side[1].speed = 5;
    o.phase = 0.5;
    slip_gear_result *exchanged = run(&other, &o);
    assert_close_relative(number(exchanged, "peak_force"), number(first, "peak_force"), 0.01);
    assert_close_relative(number(exchanged, "contact_time"), number(first, "contact_time"), 0.01);
    assert_true(distance(exchanged, first, "force") < 0.02);
    slip_gear_result_destroy(exchanged);
    slip_gear_result_destroy(back);
    slip_gear_result_destroy(first);
}

/* ---- Statics. */

/* Contact forces at given angles with the whole static flexibility; returns the moment on the first gear. */
static double static_moment(slip_context *ctx, slip_gear_pair *pair, slip_condensed *c, const double angle[2],
                            double *force)
{
    static double nodal[2][1000], u[1000], rows[100][modes + 2], depth[100];
    double moment = 0;
    int flank[2] = {-1, -1};
    memset(nodal, 0, sizeof nodal);
    for (int turn = 0; turn < 12; turn++) {
        slip_condensed_approach(c, angle, (double[]){INFINITY, INFINITY});
        for (int p = 0; p < c->pair_count; p++)
            for (int k = 0; k < 2; k++) {
                const slip_gear_wheel *g = &pair->gear[k];
                const double *row = g->rows[c->pairs[p].surface[k]];
                bool loaded = c->pairs[p].surface[k] == flank[k];
                for (int i = 0; i < g->size; i++) {
                    u[i] = 0;
                    for (int j = 0; loaded && j < g->size; j++) {
                        double sign = flank[k] % 2 && (i % 3 == 1) != (j % 3 == 1) ? -1 : 1;
                        double sum = sign * g->rest.flexibility[i * g->size + j];
                        for (int m = 0; m < g->modes; m++)
                            sum += row[i * g->modes + m] * row[j * g->modes + m] / g->frame->square[m];
                        u[i] += sum * nodal[k][j];
                    }
                }
                slip_gear_pair_place(pair, k, c->pairs[p].surface[k], u, 0, NULL);
            }
        assert_int_equal(slip_condensed_see(ctx, c), SLIP_OK);
        for (int s = 0; s < c->count; s++)
            depth[s] = c->node[s].depth;
        for (int k = 0; k < 2; k++) {
            const slip_gear_wheel *g = &pair->gear[k];
            double soft[modes + 2];
            for (int m = 0; m < g->modes; m++)
                soft[m] = 1 / g->frame->square[m];
            static double flat[100 * (modes + 2)];
            for (int s = 0; s < c->count; s++) {
                slip_condensed_row(c, &c->node[s], k, c->node[s].normal, rows[s]);
                memcpy(flat + s * g->modes, rows[s], sizeof(double) * (size_t)g->modes);
                double local[3];
                slip_condensed_direct(c, &c->node[s], k, c->node[s].normal, local);
                if (c->pairs[c->node[s].pair].surface[k] != flank[k])
                    continue;
                /* Without forces: what they displace is added back. */
                for (int i = 0; i < c->node[s].count[k]; i++)
                    for (int d = 0; d < 3; d++) {
                        int at = 3 * c->node[s].node[k][i] + d;
                        const double *row = g->rows[flank[k]];
                        for (int j = 0; j < g->size; j++) {
                            double sign = flank[k] % 2 && (at % 3 == 1) != (j % 3 == 1) ? -1 : 1;
                            double sum = sign * g->rest.flexibility[at * g->size + j];
                            for (int m = 0; m < g->modes; m++)
                                sum += row[at * g->modes + m] * row[j * g->modes + m] * soft[m];
                            depth[s] += c->node[s].share[k][i] * local[d] * sum * nodal[k][j];
                        }
                    }
            }
            assert_int_equal(slip_condensed_add_rows(ctx, c, g->modes, flat, soft), SLIP_OK);
            slip_condensed_add_flexibility(c, k, g->rest.flexibility, 1);
        }
        assert_int_equal(slip_condensed_solve(ctx, c, depth), SLIP_OK);
        memset(nodal, 0, sizeof nodal);
        moment = *force = 0;
        for (int s = 0; s < c->count; s++) {
            double local[3];
            if (!(c->force[s] > 0))
                continue;
            *force += c->force[s];
            moment += c->force[s] * slip_condensed_direct(c, &c->node[s], 0, c->node[s].normal, local);
            for (int k = 0; k < 2; k++) {
                flank[k] = c->pairs[c->node[s].pair].surface[k];
                slip_condensed_spread(c, &c->node[s], k, c->node[s].normal, c->force[s], nodal[k]);
            }
        }
    }
    return moment;
}

/* Pressed against a wheel that is held, with much damping, it comes to rest where statics says. */
static void comes_to_rest(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    const double torque = 20;
    o.time = 2e-3;
    o.tolerance = 1e-6;
    o.penalty = 1e10;
    o.side[0].speed = 0;
    o.side[0].torque = torque;
    o.side[1].driven = 1;
    for (int k = 0; k < 2; k++)
        o.side[k].damping = o.side[k].static_damping = 2e-5;
    slip_gear_result *r = run(f, &o);
    int64_t count;
    const double *moment = slip_gear_result_series(r, "pinion.moment", &count);
    const double *angle = slip_gear_result_series(r, "pinion.angle", &count);
    const double *force = slip_gear_result_series(r, "force", &count);
    const double *lost = slip_gear_result_series(r, "lost", &count);
    assert_close_relative(moment[count - 1], -torque, 1e-5);
    assert_true(number(r, "energy.drift") < 1e-4);
    assert_true(lost[count - 1] > 0);
    for (int64_t i = 1; i < count; i++)
        assert_true(lost[i] >= lost[i - 1] - 1e-9 * lost[count - 1]);
    /* The static solution: the angle at which the contact balances the torque, by secants. */
    slip_gear_pair *pair = NULL;
    slip_condensed *c = NULL;
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    assert_int_equal(slip_gear_pair_create(f->ctx, f->gears, bodies, &o, &pair), SLIP_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(slip_gear_pair_need_rest(f->ctx, pair, k), SLIP_OK);
    assert_int_equal(slip_condensed_create(f->ctx, pair, o.penalty, o.two_pass, &c), SLIP_OK);
    double start = pair->wheels[0].angle, held = pair->wheels[1].angle, pressed = 0;
    double low = start + 1e-5, high = start + 3e-4;
    for (int i = 0; i < 40 && high - low > 1e-11; i++) {
        double middle = (low + high) / 2;
        double found = static_moment(f->ctx, pair, c, (double[]){middle, held}, &pressed);
        *(-found < torque ? &low : &high) = middle;
    }
    assert_close_relative(angle[count - 1] - start, high - start, 1e-4);
    assert_close_relative(force[count - 1], pressed, 1e-4);
    slip_condensed_destroy(c);
    slip_gear_pair_destroy(pair);
    slip_gear_result_destroy(r);
}

/* ---- Longer runs. */

/* The wheel bounces between the flanks of the pinion: after the left ones the right ones touch. */
static void both_flanks_hit(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.time = 2.2e-3;
    slip_gear_result *r = run(f, &o);
    int64_t count, both = 0;
    const double *moment = slip_gear_result_series(r, "wheel.moment", &count);
    double least = 0, most = 0;
    for (int64_t i = 0; i < count; i++) {
        least = fmin(least, moment[i]);
        most = fmax(most, moment[i]);
        both += moment[i] != 0;
    }
    assert_true(least < -1 && most > 1 && both > 5);
    assert_true(number(r, "energy.drift") < 4e-4 && fabs(number(r, "momentum.wheel")) < 1e-9);
    assert_true(number(r, "last_contact") - number(r, "first_contact") > 5 * number(r, "contact_time"));
    slip_gear_result_destroy(r);
}

/* Driven at constant speed against a brake: teeth come and go, and on the mean the wheel follows. */
static void turns_under_load(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.time = test_cases(8) * 1e-3;
    o.penalty = 1e10;
    o.side[0].speed = 400;
    o.side[0].driven = 1;
    o.side[1].speed = -320;
    o.side[1].torque = 40;
    for (int k = 0; k < 2; k++)
        o.side[k].damping = o.side[k].static_damping = 1e-6;
    slip_gear_result *r = run(f, &o);
    int64_t count;
    const double *angle = slip_gear_result_series(r, "wheel.angle", &count);
    const double *work = slip_gear_result_series(r, "work", &count);
    const double *driver = slip_gear_result_series(r, "pinion.angle", &count);
    assert_close(driver[count - 1] - driver[0], 400 * o.time, 1e-12);
    assert_close(angle[count - 1] - angle[0], -320 * o.time, 0.01 + 100 * (8e-3 - o.time));
    /* A node that slides over a tip under load takes its energy with it. */
    assert_true(number(r, "energy.drift") < 1e-3 && fabs(number(r, "momentum.wheel")) < 1e-8);
    assert_true(isfinite(work[count - 1]) && number(r, "peak_force") > 40 / 0.0375);
    slip_gear_result_destroy(r);
}

static void friction_takes_energy(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    slip_law law = slip_law_default("tanh");
    o.phase = 0.4;
    slip_gear_result *smooth = run(f, &o);
    law.mu = 0.3;
    law.velocity = 0.1;
    o.friction = &law;
    double before = INFINITY, last = 0;
    for (o.tolerance = 1e-3; o.tolerance > 5e-6; o.tolerance /= 10) {
        slip_gear_result *r = run(f, &o);
        int64_t count;
        const double *lost = slip_gear_result_series(r, "lost", &count);
        const double *kinetic = slip_gear_result_series(r, "kinetic", &count);
        double drift = number(r, "energy.drift");
        assert_true(lost[count - 1] > 0.005 * kinetic[0] && lost[count - 1] < 0.2 * kinetic[0]);
        assert_true(drift < 3 * o.tolerance && drift < before);
        assert_true(fabs(number(r, "momentum.pinion")) < 1e-9);
        before = drift;
        last = number(r, "peak_force");
        slip_gear_result_destroy(r);
    }
    assert_true(fabs(last / number(smooth, "peak_force") - 1) > 1e-3);
    slip_gear_result_destroy(smooth);
}

/* ---- Other models. */

/* Relative difference of the contact force over the contact. */
static double force_error(const slip_gear_result *r, const slip_gear_result *reference)
{
    int64_t count;
    const double *force = slip_gear_result_series(reference, "force", &count);
    const double *ours = slip_gear_result_series(r, "force", NULL);
    double square = 0, difference = 0;
    for (int64_t i = 0; i < count; i++) {
        square += force[i] * force[i];
        difference += (force[i] - ours[i]) * (force[i] - ours[i]);
    }
    return sqrt(difference / square);
}

/* With modes enough that the inertia of the rest does not matter: the same as with all attachment modes, and
 * as the nonlinear finite element model of the same mesh. */
static void agrees_with_other_models(void **state)
{
    (void)state;
    fixture *f = make_fixture(100);
    slip_gear_run_options o = impact();
    o.time = 8e-5;
    slip_gear_result *condensed = run(f, &o);
    o.side[0].reduction = o.side[1].reduction = "all";
    o.step = 1e-8;
    slip_gear_result *all = run(f, &o);
    assert_close_relative(number(condensed, "peak_force"), number(all, "peak_force"), 0.01);
    assert_close_relative(number(condensed, "contact_time"), number(all, "contact_time"), 0.01);
    assert_true(force_error(condensed, all) < 0.01);
    o.method = "explicit";
    o.step = 0;
    o.threads = 1;
    slip_gear_result *full = run(f, &o);
    assert_close_relative(number(condensed, "peak_force"), number(full, "peak_force"), 0.03);
    assert_close_relative(number(condensed, "contact_time"), number(full, "contact_time"), 0.02);
    assert_true(force_error(condensed, full) < 0.05);
    slip_gear_result_destroy(full);
    slip_gear_result_destroy(all);
    slip_gear_result_destroy(condensed);
    free_fixture(f);
}

/* With few modes the inertia of the lowest residual vectors matters: without it the force is 7 % too high. */
static void few_modes_are_enough(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.time = 8e-5;
    slip_gear_result *condensed = run(f, &o);
    o.side[0].reduction = o.side[1].reduction = "all";
    o.step = 5e-9;
    slip_gear_result *all = run(f, &o);
    assert_close_relative(number(condensed, "peak_force"), number(all, "peak_force"), 0.01);
    assert_close_relative(number(condensed, "contact_time"), number(all, "contact_time"), 0.01);
    assert_true(force_error(condensed, all) < 0.01);
    slip_gear_result_destroy(all);
    slip_gear_result_destroy(condensed);
}

/* The residual part in two: each vector has unit mass and its stiffness, they do not see each other, and what
 * they have of the flexibility is not in the rest. */
static void check_split(const fixture *f, int mode_count)
{
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_gear_run_options o = impact();
    slip_gear_pair *pair = NULL;
    slip_arena arena = {0};
    o.side[0].modes = mode_count;
    slip_gear_kept kept, none;
    assert_int_equal(slip_gear_pair_create(f->ctx, f->gears, bodies, &o, &pair), SLIP_OK);
    assert_int_equal(slip_gear_pair_need_rest(f->ctx, pair, 0), SLIP_OK);
    const slip_gear_wheel *g = &pair->gear[0];
    double highest = 4 * sqrt(g->frame->square[g->modes - 1]);
    const double *flexibility = g->rest.flexibility;
    assert_int_equal(slip_gear_kept_make(f->ctx, &arena, g, highest, 1000, &kept), SLIP_OK);
    assert_true(kept.count > 2 && kept.count < g->size);
    assert_true(sqrt(kept.square[0]) > sqrt(g->frame->square[g->modes - 1]) / 2);
    assert_true(kept.square[kept.count - 1] <= highest * highest);
    for (int i = 0; i < g->size; i++)
        for (int j = 0; j < g->size; j++) {
            double sum = kept.flexibility[i * g->size + j];
            for (int k = 0; k < kept.count; k++)
                sum += kept.rows[i * kept.count + k] * kept.rows[j * kept.count + k] / kept.square[k];
            assert_close(sum, flexibility[i * g->size + j], 1e-12 * flexibility[0]);
        }
    /* The static answer to a force that moves one vector only is in that vector: G' G^-1 g = 0. */
    double *inverse = malloc(sizeof(double) * (size_t)(g->size * g->size));
    memcpy(inverse, flexibility, sizeof(double) * (size_t)(g->size * g->size));
    assert_true(slip_dense_invert_spd(g->size, inverse));
    for (int k = 0; k < kept.count; k++) {
        double z[1000] = {0}, mass = 0, stiffness = 0, turn = 0;
        for (int i = 0; i < g->size; i++)
            for (int j = 0; j < g->size; j++)
                z[i] += inverse[i * g->size + j] * kept.rows[j * kept.count + k];
        for (int i = 0; i < g->size; i++) {
            double rest = 0;
            for (int j = 0; j < g->size; j++) {
                mass += z[i] * g->rest.mass[i * g->size + j] * z[j];
                stiffness += z[i] * flexibility[i * g->size + j] * z[j];
                rest += kept.flexibility[i * g->size + j] * z[j];
            }
            turn += z[i] * g->rest.rotation[i];
            assert_close(rest, 0, 1e-6 * sqrt(kept.square[k] * flexibility[0]));
        }
        assert_close(mass, 1, 1e-6);
        assert_close_relative(stiffness, kept.square[k], 1e-6);
        assert_close(turn, kept.rotation[k], 1e-6 * sqrt(g->frame->moment));
    }
    free(inverse);
    assert_int_equal(slip_gear_kept_make(f->ctx, &arena, g, 0, 1000, &none), SLIP_OK);
    assert_true(none.count == 0 && none.flexibility == flexibility);
    slip_arena_free(&arena);
    slip_gear_pair_destroy(pair);
}

/* With all modes of the body its vectors are at hand; with fewer they have to be found. */
static void residual_part_is_split(void **state)
{
    check_split(*state, -1);
    check_split(*state, 15);
}

/* The largest force with fixed steps, keeping vectors up to a multiple of the modes' frequencies. */
static double peak_keeping(const fixture *f, double keep)
{
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_gear_run_options o = impact();
    slip_gear_step *step = NULL;
    double peak = 0;
    assert_int_equal(slip_gear_step_create(f->ctx, f->gears, bodies, &o, keep, &step), SLIP_OK);
    for (int i = 0; i < 300; i++) {
        slip_gear_change change;
        assert_int_equal(slip_gear_step_attempt(f->ctx, step, 2e-7, 1e-6, 1000), SLIP_OK);
        slip_gear_step_account(step, &change);
        peak = fmax(peak, step->next.force);
        assert_int_equal(slip_gear_step_accept(f->ctx, step), SLIP_OK);
    }
    slip_gear_step_destroy(step);
    return peak;
}

/* Without any inertia of the residual parts the force is that of the program before it had one; the more
 * vectors move, the less the next ones matter. */
static void vectors_matter_less_and_less(void **state)
{
    const fixture *f = *state;
    double none = peak_keeping(f, 0), low = peak_keeping(f, 2), high = peak_keeping(f, 4);
    assert_close_relative(none, 629.8585, 1e-4);
    assert_true(fabs(low / high - 1) < 0.3 * fabs(none / low - 1));
}

/* ---- Options. */

static void one_gear_without_residuals(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    slip_gear_result *both = run(f, &o);
    o.side[1].reduction = "none";
    slip_gear_result *one = run(f, &o);
    /* Its flank is harder. */
    assert_true(number(one, "contact_time") < number(both, "contact_time"));
    assert_true(number(one, "energy.drift") < 4e-4);
    o.penalty = INFINITY;
    slip_gear_result *rigid = run(f, &o);
    assert_true(number(rigid, "contact_time") < number(one, "contact_time"));
    slip_gear_result_destroy(rigid);
    slip_gear_result_destroy(one);
    slip_gear_result_destroy(both);
}

/* Amplitudes are nodal forces: their sum along the normal is the contact force, on both gears. */
static void history_is_nodal_forces(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.history = 1;
    for (int k = 0; k < 2; k++)
        o.side[k].static_damping = 0;
    slip_gear_result *r = run(f, &o);
    int64_t count;
    const double *force = slip_gear_result_series(r, "force", &count);
    for (int k = 0; k < 2; k++) {
        slip_gear_participation p = slip_gear_result_participation(r, k);
        assert_true(p.surface >= 0 && p.samples == count);
        assert_int_equal(p.size, slip_reduced_residual_at(f->bodies[k], 0).size);
        for (int64_t i = 0; i < count; i++) {
            double sum[3] = {0};
            for (int d = 0; d < p.size; d++)
                sum[d % 3] += p.amplitude[i * p.size + d];
            /* Normals of the nodes that touch differ by the turn from facet to facet. */
            assert_close(sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]), force[i],
                         0.01 * force[i]);
        }
    }
    slip_gear_result_destroy(r);
}

static void refuse(const fixture *f, const slip_gear_run_options *o, int status, const char *words)
{
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_gear_result *r = NULL;
    assert_int_equal(slip_gear_run(f->ctx, f->gears, bodies, o, &r), status);
    if (!strstr(slip_context_message(f->ctx), words))
        fail_msg("found `%s`, expected `%s`", slip_context_message(f->ctx), words);
    slip_gear_result_destroy(r);
}

static void no_number(void *user, double v, double *force, double *slope)
{
    int *left = user;
    *slope = 0;
    *force = --*left < 0 ? NAN : 0.1 * v;
}

static void bad_runs_are_refused(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.side[0].reduction = o.side[1].reduction = "none";
    o.method = "exponential";
    o.penalty = INFINITY;
    refuse(f, &o, SLIP_ERROR_MODEL, "rigid flanks (an infinite penalty) need the reduction condensed");
    o = impact();
    o.side[0].reduction = "all";
    o.method = "exponential";
    refuse(f, &o, SLIP_ERROR_MODEL, "expected condensed or none");
    o = impact();
    o.time = 1e-3;
    o.step = 2e-4;
    refuse(f, &o, SLIP_ERROR_MODEL, "above the stability limit");
    slip_law coulomb = slip_law_default("coulomb");
    coulomb.mu = 0.1;
    o = impact();
    o.friction = &coulomb;
    refuse(f, &o, SLIP_ERROR_MODEL, "set-valued");
    /* What is not a number stops the run with time and node; what was before is kept. */
    int left = 20000;
    slip_law law = slip_law_default("function");
    law.function = no_number;
    law.user = &left;
    o.friction = &law;
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_gear_result *r = NULL;
    assert_int_equal(slip_gear_run(f->ctx, f->gears, bodies, &o, &r), SLIP_ERROR_SOLVER);
    assert_non_null(strstr(slip_context_message(f->ctx), "t = "));
    assert_non_null(strstr(slip_context_message(f->ctx), "node"));
    int64_t count;
    slip_gear_result_series(r, "force", &count);
    assert_true(count > 1 && count < o.samples && number(r, "peak_force") > 0);
    slip_gear_result_destroy(r);
}

static void stop(void *user, const slip_progress *progress)
{
    (void)progress;
    slip_context_interrupt(user);
}

static void can_be_interrupted(void **state)
{
    const fixture *f = *state;
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_gear_run_options o = impact();
    slip_gear_result *r = NULL;
    slip_context *ctx = slip_context_create();
    o.time = 1;
    o.samples = 2000001;
    slip_context_set_progress(ctx, stop, ctx);
    assert_int_equal(slip_gear_run(ctx, f->gears, bodies, &o, &r), SLIP_INTERRUPTED);
    int64_t count;
    slip_gear_result_series(r, "force", &count);
    assert_true(count >= 1 && count < o.samples);
    slip_gear_result_destroy(r);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_flight),
        cmocka_unit_test(order_is_two),
        cmocka_unit_test(error_follows_the_tolerance),
        cmocka_unit_test(rigid_is_the_limit),
        cmocka_unit_test(mirrored_and_exchanged),
        cmocka_unit_test(comes_to_rest),
        cmocka_unit_test(both_flanks_hit),
        cmocka_unit_test(turns_under_load),
        cmocka_unit_test(friction_takes_energy),
        cmocka_unit_test(agrees_with_other_models),
        cmocka_unit_test(few_modes_are_enough),
        cmocka_unit_test(residual_part_is_split),
        cmocka_unit_test(vectors_matter_less_and_less),
        cmocka_unit_test(one_gear_without_residuals),
        cmocka_unit_test(history_is_nodal_forces),
        cmocka_unit_test(bad_runs_are_refused),
        cmocka_unit_test(can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
