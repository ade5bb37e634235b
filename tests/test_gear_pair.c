/* Two reduced gears: frames of their flanks, attachment vectors for fewer modes, inertia of the floating
 * frame. */
#include "gear_test.h"

#include "flex/reduced.h"
#include "gear/body/gear_pair.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static slip_gear_options small_gear(const char *name, int teeth)
{
    slip_gear_options o = gear_small(name, teeth);
    o.modes = 30;
    o.mesh = (slip_gear_mesh_options){4, 1, 3, 2, 2, 2};
    return o;
}

typedef struct bench {
    slip_context *ctx;
    slip_gear_options gears[2];
    slip_reduced *bodies[2];
} bench;

static void set_up(bench *b)
{
    slip_reduce_options o = slip_reduce_options_default();
    b->ctx = slip_context_create();
    for (int k = 0; k < 2; k++) {
        b->gears[k] = small_gear(k ? "wheel" : "pinion", k ? 15 : 12);
        assert_int_equal(slip_gear_reduce(b->ctx, &b->gears[k], &o, &b->bodies[k]), SLIP_OK);
    }
}

static void tear_down(bench *b)
{
    for (int k = 0; k < 2; k++)
        slip_reduced_destroy(b->bodies[k]);
    slip_context_destroy(b->ctx);
}

static slip_gear_pair *make_pair(bench *b, int modes)
{
    slip_gear_run_options o = slip_gear_run_options_default();
    slip_gear_pair *pair = NULL;
    o.side[0].modes = o.side[1].modes = modes;
    o.side[0].speed = 5;
    const slip_reduced *const bodies[2] = {b->bodies[0], b->bodies[1]};
    if (slip_gear_pair_create(b->ctx, b->gears, bodies, &o, NULL, &pair) < 0)
        fail_msg("%s", slip_context_message(b->ctx));
    for (int k = 0; k < 2; k++)
        assert_int_equal(slip_gear_pair_need_remainder(b->ctx, pair, k), SLIP_OK);
    return pair;
}

/* ---- Frames. */

/* Flanks without displacement are where the mesh of the gear, turned as a whole, has them. */
static void check_places(bench *b, slip_gear_pair *pair, int k, const double *still)
{
    slip_gear_mesh *mesh = NULL;
    const slip_gear_wheel *g = pair->gear[k];
    assert_int_equal(slip_gear_mesh_create(b->ctx, &b->gears[k], &mesh), SLIP_OK);
    slip_flank_surface *surfaces = calloc((size_t)g->flanks, sizeof *surfaces);
    assert_int_equal(slip_tooth_surfaces(b->ctx, mesh, surfaces), SLIP_OK);
    double c = cos(pair->wheels[k].angle), s = sin(pair->wheels[k].angle);
    for (int f = 0; f < g->flanks; f++) {
        slip_gear_pair_place(pair, k, f, still, 2, still);
        for (int i = 0; i < g->nodes; i++) {
            const double *x = mesh->mesh->points + 3 * surfaces[f].nodes[i];
            const double *found = pair->position[k] + 3 * (f * g->nodes + i);
            const double *velocity = pair->velocity[k] + 3 * (f * g->nodes + i);
            double place[3] = {c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]};
            for (int d = 0; d < 3; d++)
                assert_close(found[d], place[d] + (d == 0) * pair->wheels[k].centre[0], 1e-14);
            assert_close(velocity[0], -2 * place[1], 1e-13);
            assert_close(velocity[1], 2 * place[0], 1e-13);
            assert_close(velocity[2], 0, 0);
        }
    }
    free(surfaces);
    slip_gear_mesh_destroy(mesh);
}

/* The velocity is the rate of the place, and forces come back into the frame that displacements are in. */
static void check_motion(slip_gear_pair *pair, int k, int flank)
{
    const slip_gear_wheel *g = pair->gear[k];
    size_t size = (size_t)g->size, first = (size_t)flank * size;
    double *u = calloc(4 * size, sizeof *u), *v = u + size, *before = v + size, *moved = before + size;
    double angle[2] = {pair->wheels[0].angle, pair->wheels[1].angle}, step = 1e-6, speed = 3;
    uint64_t seed = 5;
    for (size_t i = 0; i < size; i++) {
        u[i] = test_random(&seed, -1e-4, 1e-4);
        v[i] = test_random(&seed, -1, 1);
    }
    for (int side = -1; side <= 1; side += 2) {
        double at[2] = {angle[0], angle[1]};
        at[k] += side * step * speed;
        for (size_t i = 0; i < size; i++)
            moved[i] = u[i] + side * step * v[i];
        slip_gear_pair_turn(pair, at);
        slip_gear_pair_place(pair, k, flank, moved, speed, v);
        if (side < 0)
            memcpy(before, pair->position[k] + first, sizeof(double) * size);
    }
    for (size_t i = 0; i < size; i++)
        moved[i] = (pair->position[k][first + i] - before[i]) / (2 * step);
    slip_gear_pair_turn(pair, angle);
    slip_gear_pair_place(pair, k, flank, u, speed, v);
    double power = 0, own = 0;
    for (size_t i = 0; i < size; i++) {
        assert_close(pair->velocity[k][first + i], moved[i], 1e-9);
        pair->force[k][first + i] = test_random(&seed, -1, 1);
        power += pair->force[k][first + i] * pair->velocity[k][first + i];
    }
    slip_gear_pair_pull_nodes(pair, k, flank, g->nodes, NULL, before);
    for (int i = 0; i < g->size; i += 3) {
        double x = g->points[flank][i] + u[i], y = g->points[flank][i + 1] + u[i + 1];
        own += before[i] * (v[i] - speed * y) + before[i + 1] * (v[i + 1] + speed * x) +
               before[i + 2] * v[i + 2];
    }
    assert_close(own, power, 1e-12);
    free(u);
}

static void flanks_are_where_the_mesh_has_them(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    slip_gear_pair *pair = make_pair(&b, -1);
    double *still = calloc((size_t)pair->gear[0]->size, sizeof *still), angle[2];
    for (int k = 0; k < 2; k++)
        angle[k] = pair->wheels[k].angle;
    slip_gear_pair_turn(pair, angle);
    assert_true(pair->pair_count > 1);
    for (int k = 0; k < 2; k++) {
        check_places(&b, pair, k, still);
        for (int p = 0; p < 2; p++)
            check_motion(pair, k, pair->pairs[p].surface[k]);
    }
    free(still);
    slip_gear_pair_destroy(pair);
    tear_down(&b);
}

/* ---- Residuals. */

typedef struct totals {
    double *flexibility, *mass, *rotation, *spread;
} totals;

/* What the modes in use and the rest give together on a flank. */
static totals whole_response(const slip_gear_pair *pair, int k, int flank)
{
    const slip_gear_wheel *g = pair->gear[k];
    const slip_reduced_mode *mode = slip_reduced_modes(g->body);
    size_t size = (size_t)g->size, n = (size_t)g->modes;
    double *rows = calloc(size * n, sizeof *rows);
    slip_reduced_rows_of(g->body, g->surface[flank], g->modes, rows);
    totals t = {.flexibility = calloc(size * size, sizeof(double)),
                .mass = calloc(size * size, sizeof(double)),
                .rotation = calloc(size, sizeof(double)),
                .spread = calloc(size, sizeof(double))};
    for (size_t i = 0; i < size; i++) {
        double one = flank % 2 && i % 3 == 1 ? -1 : 1;
        t.rotation[i] = (flank % 2 ? -one : one) * g->remainder.rotation[i];
        t.spread[i] = one * g->remainder.spread[i];
        for (size_t m = 0; m < n; m++) {
            double square = pow(2 * pi * mode[m].frequency, 2);
            t.rotation[i] += rows[i * n + m] * mode[m].rotation / square;
            t.spread[i] += rows[i * n + m] * mode[m].spread / square;
        }
        for (size_t j = 0; j < size; j++) {
            double sign = flank % 2 && j % 3 == 1 ? -one : one;
            t.flexibility[i * size + j] = sign * g->remainder.flexibility[i * size + j];
            t.mass[i * size + j] = sign * g->remainder.mass[i * size + j];
            for (size_t m = 0; m < n; m++) {
                double square = pow(2 * pi * mode[m].frequency, 2), both = rows[i * n + m] * rows[j * n + m];
                t.flexibility[i * size + j] += both / square;
                t.mass[i * size + j] += both / square / square;
            }
        }
    }
    free(rows);
    return t;
}

static void compare(const double *found, const double *expected, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(expected[i]));
    assert_true(largest > 0);
    for (size_t i = 0; i < count; i++)
        assert_close(found[i], expected[i], 1e-10 * largest);
}

static void release(totals *t)
{
    free(t->flexibility);
    free(t->mass);
    free(t->rotation);
    free(t->spread);
}

/* However many modes are in use, together with the rest they are the direct flexibility of the mesh, on right
 * and on left flanks of any tooth. */
static void modes_that_are_left_out_go_into_the_rest(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    slip_gear_pair *few = make_pair(&b, 7), *all = make_pair(&b, -1);
    assert_true(few->gear[0]->modes < all->gear[0]->modes);
    for (int k = 0; k < 2; k++)
        for (int flank = 0; flank < 8; flank += 3) {
            size_t size = (size_t)few->gear[k]->size;
            totals one = whole_response(few, k, flank), other = whole_response(all, k, flank);
            compare(one.flexibility, other.flexibility, size * size);
            compare(one.mass, other.mass, size * size);
            compare(one.rotation, other.rotation, size);
            compare(one.spread, other.spread, size);
            release(&one);
            release(&other);
        }
    slip_gear_pair_destroy(few);
    slip_gear_pair_destroy(all);
    tear_down(&b);
}

/* ---- Floating frame. */

enum { most = 40 };

typedef struct motion {
    double angle, speed, q[most], rate[most];
} motion;

static motion slope_of(slip_floating *f, const motion *m)
{
    double p[most] = {0}, load[most] = {0}, along = 0, square = 0;
    slip_floating_terms t = slip_floating_inertia(f, m->speed, m->q, m->rate, p, load);
    motion d = {.angle = m->speed};
    for (int k = 0; k < f->modes; k++) {
        load[k] -= f->square[k] * m->q[k];
        along += p[k] * load[k];
        square += p[k] * p[k];
    }
    d.speed = (t.torque - along) / (t.moment - square);
    for (int k = 0; k < f->modes; k++) {
        d.q[k] = m->rate[k];
        d.rate[k] = load[k] - d.speed * p[k];
    }
    return d;
}

static motion moved(const motion *m, const motion *d, double h)
{
    motion to = {.angle = m->angle + h * d->angle, .speed = m->speed + h * d->speed};
    for (int k = 0; k < most; k++) {
        to.q[k] = m->q[k] + h * d->q[k];
        to.rate[k] = m->rate[k] + h * d->rate[k];
    }
    return to;
}

static double drift_of_energy(slip_floating *f, int steps, double *momentum)
{
    motion m = {.speed = 3000};
    for (int k = 0; k < f->modes; k++) {
        m.q[k] = 1e-5 * cos(k);
        m.rate[k] = 1e-5 * sqrt(f->square[k]) * sin(k);
    }
    slip_floating_account first = slip_floating_measure(f, m.speed, m.q, m.rate);
    double h = 2e-4 / steps;
    for (int i = 0; i < steps; i++) {
        motion a = slope_of(f, &m), at = moved(&m, &a, h / 2), b = slope_of(f, &at);
        at = moved(&m, &b, h / 2);
        motion c = slope_of(f, &at);
        at = moved(&m, &c, h);
        motion d = slope_of(f, &at);
        m = moved(&m, &a, h / 6);
        m = moved(&m, &b, h / 3);
        m = moved(&m, &c, h / 3);
        m = moved(&m, &d, h / 6);
    }
    slip_floating_account last = slip_floating_measure(f, m.speed, m.q, m.rate);
    *momentum = fabs(last.momentum - first.momentum) / first.momentum;
    assert_true(fabs(m.speed - 3000) > 1e-3); /* the vibration does act on the rotation */
    return fabs(last.kinetic + last.strain - first.kinetic - first.strain) / first.strain;
}

/* A body that turns freely and vibrates keeps energy and angular momentum; what it does not keep is the
 * error of the steps, which falls with their fourth or a higher power. */
static void free_motion_keeps_energy_and_momentum(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    for (int k = 0; k < 2; k++) {
        slip_floating *f = NULL;
        double momentum[2];
        assert_int_equal(slip_floating_create(b.ctx, b.bodies[k], 30, 1e-4, &f), SLIP_OK);
        double coarse = drift_of_energy(f, 400, &momentum[0]), fine = drift_of_energy(f, 800, &momentum[1]);
        assert_true(fine < coarse / 14 && fine < 1e-3);
        assert_true(momentum[1] < 1e-9);
        slip_floating_destroy(f);
    }
    tear_down(&b);
}

static void bodies_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    bench b;
    slip_gear_run_options o = slip_gear_run_options_default();
    slip_reduce_options reduce = slip_reduce_options_default();
    slip_gear_pair *pair = NULL;
    slip_reduced *whole = NULL;
    set_up(&b);
    const slip_reduced *swapped[2] = {b.bodies[1], b.bodies[0]};
    assert_int_equal(slip_gear_pair_create(b.ctx, b.gears, swapped, &o, NULL, &pair), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(b.ctx), "pinion"));
    assert_int_equal(slip_gear_pair_create(b.ctx, b.gears, NULL, &o, NULL, &pair), SLIP_ERROR_MODEL);
    o.side[1].modes = 31;
    const slip_reduced *bodies[2] = {b.bodies[0], b.bodies[1]};
    assert_int_equal(slip_gear_pair_create(b.ctx, b.gears, bodies, &o, NULL, &pair), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(b.ctx), "wheel: found 31 modes"));
    o.side[1].modes = -1;
    reduce.symmetry = 0;
    assert_int_equal(slip_gear_reduce(b.ctx, &b.gears[0], &reduce, &whole), SLIP_OK);
    bodies[0] = whole;
    assert_int_equal(slip_gear_pair_create(b.ctx, b.gears, bodies, &o, NULL, &pair), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(b.ctx), "reduced with symmetry"));
    slip_reduced_destroy(whole);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flanks_are_where_the_mesh_has_them),
        cmocka_unit_test_of_numbers(modes_that_are_left_out_go_into_the_rest),
        cmocka_unit_test(free_motion_keeps_energy_and_momentum),
        cmocka_unit_test(bodies_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
