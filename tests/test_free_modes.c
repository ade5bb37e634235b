/* Exact propagation of linear motion against brute force, and bodies with a free bore against the equations
 * they come from. */
#include "test.h"

#include "base/context.h"
#include "flex/free_modes.h"
#include "math/dense.h"
#include "slipstick/gear.h"

#include <string.h>

/* y'' + d y' + w^2 y = p0 + (p1 - p0) t/h by Runge and Kutta with many steps. */
static void brute(double square, double damping, double p0, double p1, double h, double x[2])
{
    const int count = 20000;
    double dt = h / count;
    for (int i = 0; i < count; i++) {
        double k[4][2], at[2] = {x[0], x[1]};
        for (int stage = 0; stage < 4; stage++) {
            double share = stage == 0 ? 0 : stage == 3 ? 1 : 0.5;
            for (int d = 0; d < 2 && stage; d++)
                at[d] = x[d] + share * dt * k[stage - 1][d];
            double p = p0 + (p1 - p0) * (i + share) / count;
            k[stage][0] = at[1];
            k[stage][1] = p - damping * at[1] - square * at[0];
        }
        for (int d = 0; d < 2; d++)
            x[d] += dt / 6 * (k[0][d] + 2 * k[1][d] + 2 * k[2][d] + k[3][d]);
    }
}

/* Slow and fast, without and with damping, at and beyond the critical one, and rigid. */
static void propagation_is_exact(void **state)
{
    (void)state;
    static const double square[] = {0, 1e-8, 0.1, 0.49, 0.51, 4, 100, 4, 4, 4, 0.09, 1e4};
    static const double damping[] = {0, 0, 0.01, 0, 0.1, 0, 1, 4, 4.000001, 9, 0.6, 3};
    enum { count = sizeof square / sizeof *square };
    slip_context *ctx = slip_context_create();
    slip_propagator *p = NULL;
    assert_int_equal(slip_propagator_create(ctx, count, &p), SLIP_OK);
    memcpy(p->square, square, sizeof square);
    memcpy(p->damping, damping, sizeof damping);
    for (int turn = 0; turn < 2; turn++) {
        double h = turn ? 0.03 : 1;
        slip_propagator_set(p, h);
        for (int i = 0; i < count; i++) {
            double y = 0.3, v = -0.7, p0 = 1.1, p1 = -2.3, x[2] = {y, v};
            brute(square[i], damping[i], p0, p1, h, x);
            double size = 1 + sqrt(square[i]);
            assert_close(p->yy[i] * y + p->yv[i] * v + p->y_begin[i] * p0 + p->y_end[i] * p1, x[0], 1e-9);
            assert_close(p->vy[i] * y + p->vv[i] * v + p->v_begin[i] * p0 + p->v_end[i] * p1, x[1],
                         1e-9 * size);
        }
    }
    slip_propagator_destroy(p);
    slip_context_destroy(ctx);
}

static slip_floating *make_frame(slip_context *ctx, slip_reduced **body)
{
    slip_gear_options gear = slip_gear_options_default();
    slip_reduce_options options = slip_reduce_options_default();
    slip_floating *frame = NULL;
    gear.teeth = 12;
    gear.module = 0.005;
    gear.width = 0.01;
    gear.bore = 0.03;
    gear.profile_shift = 0.4;
    gear.mesh = (slip_gear_mesh_options){3, 2, 2, 2, 2, 2};
    gear.modes = 20;
    options.attachment = 0;
    if (slip_gear_reduce(ctx, &gear, &options, body) < 0 ||
        slip_floating_create(ctx, *body, slip_reduced_mode_count(*body), 1e-5, &frame) < 0)
        fail_msg("%s", slip_context_message(ctx));
    return frame;
}

/* The modes of the frame take part and `more` vectors after them, damped by damping[0] and [1]. */
static void take_part(slip_context *ctx, slip_free_modes *m, const slip_floating *f, int more,
                      const double *square, const double *rotation, const double damping[2])
{
    slip_free_vector list[30];
    assert_true(f->modes + more <= 30);
    for (int i = 0; i < f->modes; i++)
        list[i] = (slip_free_vector){i, f->square[i], f->rotation[i], damping[0]};
    for (int i = 0; i < more; i++)
        list[f->modes + i] = (slip_free_vector){f->modes + i, square[i], rotation[i], damping[1]};
    assert_int_equal(slip_free_modes_set(ctx, m, f->moment, f->modes + more, list), SLIP_OK);
}

/* Vectors that take part after the modes: coordinates and momenta are inverse to each other, strain energy is
 * the sum of that of the coordinates, and damping the diagonal of V^T D V, which for equal damping is all. */
static void check_more(slip_context *ctx, const slip_floating *f)
{
    const double turn = 0.3 * sqrt(f->moment - slip_dense_dot(f->modes, f->rotation, f->rotation));
    const double top = f->square[f->modes - 1], square[3] = {2 * top, 3 * top, 5 * top};
    const double rotation[3] = {turn, 0, -2 * turn}, equal[2] = {1e-8, 1e-8}, other[2] = {1e-8, 3e-7};
    slip_free_modes *m = NULL;
    double y[30], q[30], p[30];
    assert_int_equal(slip_free_modes_create(ctx, f->modes + 3, false, &m), SLIP_OK);
    take_part(ctx, m, f, 3, square, rotation, equal);
    assert_true(m->size == f->modes + 3 && m->count == f->modes + 4 && m->count <= 30);
    for (int i = 0; i < m->count; i++)
        assert_close(m->damping[i], 1e-8 * m->square[i], 1e-14 * top);
    take_part(ctx, m, f, 3, square, rotation, other);
    for (int i = 0; i < m->count; i++) {
        memset(y, 0, sizeof y);
        y[i] = 1;
        double angle = slip_free_modes_expand(m, y, q), strain = 0, damping = 0;
        for (int k = 0; k < m->size; k++) {
            double own = k < f->modes ? f->square[k] : square[k - f->modes];
            strain += own * q[k] * q[k];
            damping += other[k >= f->modes] * own * q[k] * q[k];
        }
        assert_close(strain, m->square[i], 1e-9 * top);
        assert_close(damping, m->damping[i], 1e-16 * top);
        slip_free_modes_project(m, slip_free_modes_momenta(m, angle, q), q, p);
        for (int k = 0; k < m->count; k++)
            assert_close(p[k], i == k, 1e-9);
    }
    slip_free_modes_destroy(m);
}

/* Two bodies on one shaft, one after the other in q with a gap between them: turned against each other they
 * share one rotation, and the momenta are those of the sum. */
static void shafts_carry_several_bodies(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_reduced *body = NULL;
    slip_floating *f = make_frame(ctx, &body);
    const int n = f->modes, gap = 5, places = 2 * n + gap;
    slip_free_vector list[60];
    slip_free_modes *m = NULL;
    double y[61], q[65], back[61];
    assert_true(2 * n <= 60 && places <= 65);
    for (int i = 0; i < 2 * n; i++) {
        const int mode = i % n;
        list[i] =
            (slip_free_vector){i < n ? i : i + gap, f->square[mode], f->rotation[mode], i < n ? 1e-8 : 2e-8};
    }
    assert_int_equal(slip_free_modes_create(ctx, places, false, &m), SLIP_OK);
    assert_int_equal(slip_free_modes_set(ctx, m, 2 * f->moment, 2 * n, list), SLIP_OK);
    assert_int_equal(m->count, 2 * n + 1);
    for (int i = 0; i < m->count; i++) {
        memset(y, 0, sizeof y);
        y[i] = 1;
        double angle = slip_free_modes_expand(m, y, q), strain = 0, damping = 0;
        for (int k = 0; k < 2 * n; k++) {
            const double amplitude = q[list[k].place];
            strain += list[k].square * amplitude * amplitude;
            damping += list[k].damping * list[k].square * amplitude * amplitude;
        }
        assert_close(strain, m->square[i], 1e-9 * f->square[n - 1]);
        assert_close(damping, m->damping[i], 1e-16 * f->square[n - 1]);
        slip_free_modes_project(m, slip_free_modes_momenta(m, angle, q), q, back);
        for (int k = 0; k < m->count; k++)
            assert_close(back[k], i == k, 1e-9);
    }
    slip_free_modes_destroy(m);
    slip_floating_destroy(f);
    slip_reduced_destroy(body);
    slip_context_destroy(ctx);
}

/* V^T M V = 1 and V^T K V = diag(w^2), with M and K as the floating frame has them. */
static void free_modes_are_orthonormal(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_reduced *body = NULL;
    slip_floating *f = make_frame(ctx, &body);
    slip_free_modes *m = NULL;
    assert_int_equal(slip_free_modes_create(ctx, f->modes, false, &m), SLIP_OK);
    take_part(ctx, m, f, 0, NULL, NULL, (const double[]){0, 0});
    int n = m->count;
    assert_int_equal(n, f->modes + 1);
    assert_true(m->coupled > 0 && m->coupled < f->modes && m->square[0] == 0);
    double *v = calloc((size_t)(n * n), sizeof *v), *y = calloc((size_t)n, sizeof *y);
    double *p = calloc((size_t)n, sizeof *p), *load = calloc((size_t)n, sizeof *load);
    for (int i = 0; i < n; i++) {
        memset(y, 0, sizeof *y * (size_t)n);
        y[i] = 1;
        v[i * n] = slip_free_modes_expand(m, y, v + i * n + 1);
    }
    for (int i = 0; i < n; i++) {
        const double *a = v + i * n;
        double moment = f->moment * a[0];
        for (int k = 0; k < f->modes; k++) {
            moment += f->rotation[k] * a[k + 1];
            load[k] = a[k + 1] + f->rotation[k] * a[0];
        }
        slip_free_modes_project(m, moment, load, p); /* V^T M a */
        for (int k = 0; k < n; k++)
            assert_close(p[k], i == k, 1e-9);
        for (int k = 0; k < f->modes; k++)
            load[k] = f->square[k] * a[k + 1];
        slip_free_modes_project(m, 0, load, p); /* V^T K a */
        for (int k = 0; k < n; k++)
            assert_close(p[k], i == k ? m->square[i] : 0, 1e-9 * m->square[n - 1]);
    }
    slip_free_modes_turn(m, 0.7, y);
    assert_close(slip_free_modes_expand(m, y, load), 0.7, 1e-14);
    for (int k = 0; k < f->modes; k++)
        assert_close(load[k], 0, 1e-14);
    slip_free_modes_destroy(m);
    check_more(ctx, f);
    /* Driven: the modes themselves. */
    assert_int_equal(slip_free_modes_create(ctx, f->modes, true, &m), SLIP_OK);
    take_part(ctx, m, f, 0, NULL, NULL, (const double[]){0, 0});
    assert_int_equal(m->count, f->modes);
    for (int k = 0; k < f->modes; k++)
        y[k] = k + 1;
    assert_true(slip_free_modes_expand(m, y, load) == 0);
    slip_free_modes_project(m, 5, load, p);
    for (int k = 0; k < f->modes; k++)
        assert_true(p[k] == y[k] && load[m->order[k]] == y[k]);
    slip_free_modes_destroy(m);
    slip_floating_destroy(f);
    slip_reduced_destroy(body);
    free(v);
    free(y);
    free(p);
    free(load);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(propagation_is_exact),
        cmocka_unit_test(free_modes_are_orthonormal),
        cmocka_unit_test(shafts_carry_several_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
