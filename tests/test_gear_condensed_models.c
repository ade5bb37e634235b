/* Gears with condensed attachment vectors against statics, in longer runs, against other models and the
 * nonlinear finite element model; how their attachment vectors are split. */
#include "condensed_test.h"

#include "gear/body/gear_kept.h"
#include "gear/condensed/gear_condensed.h"
#include "gear/condensed/gear_step.h"
#include "math/dense.h"

#include <string.h>

/* ---- Statics. */

/* Contact forces at given angles with the whole static flexibility; returns the moment on the first gear. */
static double static_moment(slip_context *ctx, slip_gear_pair *pair, slip_condensed *c, const double angle[2],
                            double *force)
{
    static double nodal[2][1000], u[1000], rows[100][modes + 2], depth[100];
    const slip_condensed_mesh *mesh = &c->mesh[0];
    double moment = 0;
    int flank[2] = {-1, -1};
    memset(nodal, 0, sizeof nodal);
    for (int turn = 0; turn < 12; turn++) {
        slip_condensed_approach(c, 0, angle, (double[]){INFINITY, INFINITY});
        for (int p = 0; p < mesh->pair_count; p++)
            for (int k = 0; k < 2; k++) {
                const slip_gear_wheel *g = pair->gear[k];
                const double *row = g->rows[mesh->pairs[p].surface[k]];
                bool loaded = mesh->pairs[p].surface[k] == flank[k];
                for (int i = 0; i < g->size; i++) {
                    u[i] = 0;
                    for (int j = 0; loaded && j < g->size; j++) {
                        double sign = flank[k] % 2 && (i % 3 == 1) != (j % 3 == 1) ? -1 : 1;
                        double sum = sign * g->remainder.flexibility[i * g->size + j];
                        for (int m = 0; m < g->modes; m++)
                            sum += row[i * g->modes + m] * row[j * g->modes + m] / g->frame->square[m];
                        u[i] += sum * nodal[k][j];
                    }
                }
                slip_gear_pair_place(pair, k, mesh->pairs[p].surface[k], u, 0, NULL);
            }
        assert_int_equal(slip_condensed_list_candidates(ctx, c), SLIP_OK);
        for (int s = 0; s < c->count; s++)
            depth[s] = c->node[s].depth;
        for (int k = 0; k < 2; k++) {
            const slip_gear_wheel *g = pair->gear[k];
            double soft[modes + 2];
            for (int m = 0; m < g->modes; m++)
                soft[m] = 1 / g->frame->square[m];
            static double flat[100 * (modes + 2)];
            for (int s = 0; s < c->count; s++) {
                slip_condensed_row(c, &c->node[s], k, c->node[s].normal, rows[s]);
                memcpy(flat + s * g->modes, rows[s], sizeof(double) * (size_t)g->modes);
                double local[3];
                slip_condensed_direct(c, &c->node[s], k, c->node[s].normal, local);
                if (slip_condensed_flank(c, &c->node[s], k) != flank[k])
                    continue;
                /* Without forces: what they displace is added back. */
                for (int i = 0; i < c->node[s].count[k]; i++)
                    for (int d = 0; d < 3; d++) {
                        int at = 3 * c->node[s].node[k][i] + d;
                        const double *row = g->rows[flank[k]];
                        for (int j = 0; j < g->size; j++) {
                            double sign = flank[k] % 2 && (at % 3 == 1) != (j % 3 == 1) ? -1 : 1;
                            double sum = sign * g->remainder.flexibility[at * g->size + j];
                            for (int m = 0; m < g->modes; m++)
                                sum += row[at * g->modes + m] * row[j * g->modes + m] * soft[m];
                            depth[s] += c->node[s].share[k][i] * local[d] * sum * nodal[k][j];
                        }
                    }
            }
            assert_int_equal(slip_condensed_add_rows(ctx, c, g->modes, flat, soft), SLIP_OK);
            slip_condensed_add_flexibility(c, 0, k, g->remainder.flexibility, 1);
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
                flank[k] = slip_condensed_flank(c, &c->node[s], k);
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
    slip_result *r = run(f, &o);
    int64_t count;
    const double *moment = slip_result_series(r, "pinion.moment", &count);
    const double *angle = slip_result_series(r, "pinion.angle", &count);
    const double *force = slip_result_series(r, "force", &count);
    const double *lost = slip_result_series(r, "lost", &count);
    assert_close_relative(moment[count - 1], -torque, 1e-5);
    assert_true(number(r, "energy.drift") < 1e-4);
    assert_true(lost[count - 1] > 0);
    for (int64_t i = 1; i < count; i++)
        assert_true(lost[i] >= lost[i - 1] - 1e-9 * lost[count - 1]);
    /* The static solution: the angle at which the contact balances the torque, by secants. */
    slip_gear_pair *pair = NULL;
    slip_condensed *c = NULL;
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    assert_int_equal(slip_gear_pair_create(f->ctx, f->gears, bodies, &o, NULL, &pair), SLIP_OK);
    for (int k = 0; k < 2; k++)
        assert_int_equal(slip_gear_pair_need_remainder(f->ctx, pair, k), SLIP_OK);
    const slip_gear_meshing mesh = {.gear = {0, 1}, .options = &o};
    assert_int_equal(slip_condensed_create(f->ctx, 1, &mesh, &pair, &c), SLIP_OK);
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
    slip_result_destroy(r);
}

/* ---- Longer runs. */

/* The wheel bounces between the flanks of the pinion: after the left ones the right ones touch. */
static void both_flanks_hit(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.time = 2.2e-3;
    slip_result *r = run(f, &o);
    int64_t count, both = 0;
    const double *moment = slip_result_series(r, "wheel.moment", &count);
    double least = 0, most = 0;
    for (int64_t i = 0; i < count; i++) {
        least = fmin(least, moment[i]);
        most = fmax(most, moment[i]);
        both += moment[i] != 0;
    }
    assert_true(least < -1 && most > 1 && both > 5);
    assert_true(number(r, "energy.drift") < 4e-4 && fabs(number(r, "momentum.wheel")) < 1e-9);
    assert_true(number(r, "last_contact") - number(r, "first_contact") > 5 * number(r, "contact_time"));
    slip_result_destroy(r);
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
    slip_result *r = run(f, &o);
    int64_t count;
    const double *angle = slip_result_series(r, "wheel.angle", &count);
    const double *work = slip_result_series(r, "work", &count);
    const double *driver = slip_result_series(r, "pinion.angle", &count);
    assert_close(driver[count - 1] - driver[0], 400 * o.time, 1e-12);
    assert_close(angle[count - 1] - angle[0], -320 * o.time, 0.01 + 100 * (8e-3 - o.time));
    /* A node that slides over a tip under load takes its energy with it. */
    assert_true(number(r, "energy.drift") < 1e-3 && fabs(number(r, "momentum.wheel")) < 1e-8);
    assert_true(isfinite(work[count - 1]) && number(r, "peak_force") > 40 / 0.0375);
    slip_result_destroy(r);
}

static void friction_takes_energy(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    slip_law law = slip_law_default("tanh");
    o.phase = 0.4;
    slip_result *smooth = run(f, &o);
    law.mu = 0.3;
    law.velocity = 0.1;
    o.friction = &law;
    double before = INFINITY, last = 0;
    for (o.tolerance = 1e-3; o.tolerance > 5e-6; o.tolerance /= 10) {
        slip_result *r = run(f, &o);
        int64_t count;
        const double *lost = slip_result_series(r, "lost", &count);
        const double *kinetic = slip_result_series(r, "kinetic", &count);
        double drift = number(r, "energy.drift");
        assert_true(lost[count - 1] > 0.005 * kinetic[0] && lost[count - 1] < 0.2 * kinetic[0]);
        assert_true(drift < 3 * o.tolerance && drift < before);
        assert_true(fabs(number(r, "momentum.pinion")) < 1e-9);
        before = drift;
        last = number(r, "peak_force");
        slip_result_destroy(r);
    }
    assert_true(fabs(last / number(smooth, "peak_force") - 1) > 1e-3);
    slip_result_destroy(smooth);
}

/* ---- Other models. */

/* Relative difference of the contact force over the contact. */
static double force_error(const slip_result *r, const slip_result *reference)
{
    int64_t count;
    const double *force = slip_result_series(reference, "force", &count);
    const double *ours = slip_result_series(r, "force", NULL);
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
    slip_result *condensed = run(f, &o);
    o.side[0].reduction = o.side[1].reduction = "all";
    o.step = 1e-8;
    slip_result *all = run(f, &o);
    assert_close_relative(number(condensed, "peak_force"), number(all, "peak_force"), 0.01);
    assert_close_relative(number(condensed, "contact_time"), number(all, "contact_time"), 0.01);
    assert_true(force_error(condensed, all) < 0.01);
    o.method = "explicit";
    o.step = 0;
    o.threads = 1;
    slip_result *full = run(f, &o);
    assert_close_relative(number(condensed, "peak_force"), number(full, "peak_force"), 0.03);
    assert_close_relative(number(condensed, "contact_time"), number(full, "contact_time"), 0.02);
    assert_true(force_error(condensed, full) < 0.05);
    slip_result_destroy(full);
    slip_result_destroy(all);
    slip_result_destroy(condensed);
    free_fixture(f);
}

/* With few modes the inertia of the lowest attachment vectors matters: without it the force is 7 % too high.
 */
static void few_modes_are_enough(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.time = 8e-5;
    slip_result *condensed = run(f, &o);
    o.side[0].reduction = o.side[1].reduction = "all";
    o.step = 5e-9;
    slip_result *all = run(f, &o);
    assert_close_relative(number(condensed, "peak_force"), number(all, "peak_force"), 0.01);
    assert_close_relative(number(condensed, "contact_time"), number(all, "contact_time"), 0.01);
    assert_true(force_error(condensed, all) < 0.01);
    slip_result_destroy(all);
    slip_result_destroy(condensed);
}

/* The attachment vectors in two: each vector has unit mass and its stiffness, they do not see each other, and
 * what they have of the flexibility is not in the rest. */
static void check_split(const fixture *f, int mode_count)
{
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_gear_run_options o = impact();
    slip_gear_pair *pair = NULL;
    slip_arena arena = {0};
    o.side[0].modes = mode_count;
    slip_gear_kept kept, none;
    assert_int_equal(slip_gear_pair_create(f->ctx, f->gears, bodies, &o, NULL, &pair), SLIP_OK);
    assert_int_equal(slip_gear_pair_need_remainder(f->ctx, pair, 0), SLIP_OK);
    const slip_gear_wheel *g = pair->gear[0];
    double highest = 4 * sqrt(g->frame->square[g->modes - 1]);
    const double *flexibility = g->remainder.flexibility;
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
                mass += z[i] * g->remainder.mass[i * g->size + j] * z[j];
                stiffness += z[i] * flexibility[i * g->size + j] * z[j];
                rest += kept.flexibility[i * g->size + j] * z[j];
            }
            turn += z[i] * g->remainder.rotation[i];
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
    gear_pair_group pair;
    assert_int_equal(slip_gear_step_create(f->ctx, gear_group(&pair, f->gears, bodies, &o), keep, &step),
                     SLIP_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_to_rest),
        cmocka_unit_test(both_flanks_hit),
        cmocka_unit_test(turns_under_load),
        cmocka_unit_test(friction_takes_energy),
        cmocka_unit_test_of_numbers(agrees_with_other_models),
        cmocka_unit_test(few_modes_are_enough),
        cmocka_unit_test(residual_part_is_split),
        cmocka_unit_test(vectors_matter_less_and_less),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
