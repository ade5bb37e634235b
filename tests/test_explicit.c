/* Explicit dynamics: the kernel, patch test, waves, momentum, energy, threads, checkpoints, errors. */
#include "brick_test.h"
#include "test_folder.h"

#include "fem/explicit/explicit.h"
#include "fem/explicit/kernel.h"
#include "fem/hex8.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- The kernel. */

enum { lanes = slip_lanes };

/* A distorted brick in each lane, and displaced nodes. */
typedef struct bricks {
    double points[lanes][24], moved[lanes][24]; /* nodes as in hex8 */
    double reference[36 * lanes], position[24 * lanes], force[24 * lanes], energy[lanes];
    slip_brick_batch batch;
} bricks;

static void make_bricks(bricks *b, uint64_t *seed, double displacement)
{
    static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int l = 0; l < lanes; l++)
        for (int i = 0; i < 24; i++) {
            b->points[l][i] = (1 + i % 3) * (corner[i / 3][i % 3] + test_random(seed, -0.2, 0.2));
            b->moved[l][i] = b->points[l][i] + test_random(seed, -displacement, displacement);
        }
}

static void load_bricks(bricks *b, double hourglass, bool energy)
{
    for (int l = 0; l < lanes; l++) {
        double points[24], tangents[36];
        for (int i = 0; i < 24; i++) {
            points[i] = b->points[l][3 * slip_brick_order[i / 3] + i % 3];
            b->position[i * lanes + l] = b->moved[l][3 * slip_brick_order[i / 3] + i % 3];
        }
        (hourglass > 0 ? slip_brick_means : slip_brick_tangents)(points, tangents);
        for (int i = 0; i < 36; i++)
            b->reference[i * lanes + l] = tangents[i];
    }
    b->batch =
        (slip_brick_batch){b->reference, 3, 2, hourglass, b->position, b->force, energy ? b->energy : NULL};
}

/* The force on node a, direction d (hex8's numbering), of a lane. */
static double force_of(const bricks *b, int lane, int a, int d)
{
    int k = 0;
    while (slip_brick_order[k] != a)
        k++;
    return b->force[(3 * k + d) * lanes + lane];
}

/* The slow and obvious twin: matrices at each Gauss point. Returns the energy. */
static double twin(const double points[24], const double moved[24], double lambda, double mu,
                   double force[24])
{
    double energy = 0;
    memset(force, 0, 24 * sizeof *force);
    for (int g = 0; g < 8; g++) {
        double value[8], slope[24], F[3][3] = {{0}}, E[3][3], trace = 0;
        const double at[3] = {(g & 1 ? 1 : -1) / sqrt(3), (g & 2 ? 1 : -1) / sqrt(3),
                              (g & 4 ? 1 : -1) / sqrt(3)};
        double volume = slip_hex8_gradient(points, at, value, slope);
        for (int a = 0; a < 8; a++)
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    F[i][k] += moved[3 * a + i] * slope[3 * a + k];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                E[i][k] = i == k ? -0.5 : 0;
                for (int m = 0; m < 3; m++)
                    E[i][k] += F[m][i] * F[m][k] / 2;
            }
        for (int i = 0; i < 3; i++)
            trace += E[i][i];
        energy += volume * lambda / 2 * trace * trace;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                double P = lambda * trace * F[i][k];
                energy += volume * mu * E[i][k] * E[i][k];
                for (int m = 0; m < 3; m++)
                    P += 2 * mu * F[i][m] * E[m][k];
                for (int a = 0; a < 8; a++)
                    force[3 * a + i] += volume * P * slope[3 * a + k];
            }
    }
    return energy;
}

/* The same of one point with hourglass control: mean slopes, and the patterns written out. */
static double twin_one(const double points[24], const double moved[24], double lambda, double mu,
                       double hourglass, double force[24])
{
    static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    double b[24] = {0}, volume = 0, F[3][3] = {{0}}, E[3][3], trace = 0, square = 0, energy = 0;
    for (int g = 0; g < 8; g++) {
        double value[8], slope[24];
        const double at[3] = {corner[g][0] / sqrt(3), corner[g][1] / sqrt(3), corner[g][2] / sqrt(3)};
        double part = slip_hex8_gradient(points, at, value, slope);
        volume += part;
        for (int i = 0; i < 24; i++)
            b[i] += part * slope[i];
    }
    for (int i = 0; i < 24; i++) {
        b[i] /= volume;
        square += b[i] * b[i];
    }
    for (int a = 0; a < 8; a++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                F[i][k] += moved[3 * a + i] * b[3 * a + k];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            E[i][k] = i == k ? -0.5 : 0;
            for (int m = 0; m < 3; m++)
                E[i][k] += F[m][i] * F[m][k] / 2;
        }
    trace = E[0][0] + E[1][1] + E[2][2];
    energy = volume * lambda / 2 * trace * trace;
    memset(force, 0, 24 * sizeof *force);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double P = lambda * trace * F[i][k];
            energy += volume * mu * E[i][k] * E[i][k];
            for (int m = 0; m < 3; m++)
                P += 2 * mu * F[i][m] * E[m][k];
            for (int a = 0; a < 8; a++)
                force[3 * a + i] += volume * P * b[3 * a + k];
        }
    double kappa = hourglass * (lambda + 2 * mu) * volume * square / 72;
    for (int alpha = 0; alpha < 4; alpha++) {
        double gamma[8], h[3] = {0};
        for (int a = 0; a < 8; a++) {
            const double *c = corner[a];
            gamma[a] = alpha == 0   ? c[0] * c[1]
                       : alpha == 1 ? c[0] * c[2]
                       : alpha == 2 ? c[1] * c[2]
                                    : c[0] * c[1] * c[2];
            for (int k = 0; k < 3; k++)
                h[k] += gamma[a] * points[3 * a + k];
        }
        for (int a = 0; a < 8; a++) /* orthogonal to all linear fields */
            gamma[a] -= h[0] * b[3 * a] + h[1] * b[3 * a + 1] + h[2] * b[3 * a + 2];
        for (int i = 0; i < 3; i++) {
            double q = 0;
            for (int a = 0; a < 8; a++)
                q += gamma[a] * moved[3 * a + i];
            energy += kappa * q * q / 2;
            for (int a = 0; a < 8; a++)
                force[3 * a + i] += kappa * q * gamma[a];
        }
    }
    return energy;
}

static void kernels_equal_their_twin(void **state)
{
    (void)state;
    uint64_t seed = 2;
    slip_brick_kernel kernels[4];
    slip_brick_kernel_list(kernels);
    for (int turn = 0; turn < 20; turn++) {
        bricks b;
        double first[24 * lanes], expected[24], hourglass = turn % 4 < 2 ? 0 : 0.3;
        make_bricks(&b, &seed, turn % 2 ? 0.4 : 1e-3);
        for (int k = 0; kernels[k]; k++) {
            load_bricks(&b, hourglass, k % 2 == 0);
            kernels[k](&b.batch);
            if (k == 0)
                memcpy(first, b.force, sizeof first);
            assert_memory_equal(first, b.force, sizeof first); /* same bits whatever the width */
        }
        load_bricks(&b, hourglass, true);
        kernels[0](&b.batch);
        for (int l = 0; l < lanes; l++) {
            double energy = hourglass > 0 ? twin_one(b.points[l], b.moved[l], 3, 2, hourglass, expected)
                                          : twin(b.points[l], b.moved[l], 3, 2, expected);
            assert_close(b.energy[l], energy, 1e-12);
            for (int i = 0; i < 24; i++)
                assert_close(force_of(&b, l, i / 3, i % 3), expected[i], 1e-12);
        }
    }
}

/* The force is the gradient of the energy, in both kinds. */
static void forces_are_the_gradient_of_the_energy(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int kind = 0; kind < 2; kind++) {
        bricks b;
        double power[lanes] = {0}, direction[lanes][24], energy[2][lanes], h = 1e-6;
        make_bricks(&b, &seed, 0.3);
        load_bricks(&b, kind * 0.4, true);
        slip_brick_kernel_choose()(&b.batch);
        for (int l = 0; l < lanes; l++)
            for (int i = 0; i < 24; i++) {
                direction[l][i] = test_random(&seed, -1, 1);
                power[l] += force_of(&b, l, i / 3, i % 3) * direction[l][i];
            }
        for (int side = 0; side < 2; side++) {
            for (int l = 0; l < lanes; l++)
                for (int i = 0; i < 24; i++)
                    b.moved[l][i] += (side ? 2 : -1) * h * direction[l][i];
            load_bricks(&b, kind * 0.4, true);
            slip_brick_kernel_choose()(&b.batch);
            memcpy(energy[side], b.energy, sizeof b.energy);
        }
        for (int l = 0; l < lanes; l++)
            assert_close_relative((energy[1][l] - energy[0][l]) / (2 * h), power[l], 1e-7);
    }
}

/* Turned by any angle about any axis: no force. */
static void rigid_rotation_has_no_stress(void **state)
{
    (void)state;
    uint64_t seed = 4;
    bricks b;
    make_bricks(&b, &seed, 0);
    for (int l = 0; l < lanes; l++)
        for (int a = 0; a < 8; a++) {
            double *x = b.moved[l] + 3 * a;
            for (int axis = 0; axis < 3; axis++) {
                double angle = (l + 1) * (axis + 0.7), p = x[axis], q = x[(axis + 1) % 3];
                x[axis] = cos(angle) * p - sin(angle) * q;
                x[(axis + 1) % 3] = sin(angle) * p + cos(angle) * q;
            }
        }
    for (int kind = 0; kind < 2; kind++) {
        load_bricks(&b, kind * 0.5, true);
        slip_brick_kernel_choose()(&b.batch);
        for (int i = 0; i < 24 * lanes; i++)
            assert_close(b.force[i], 0, 1e-12);
        for (int l = 0; l < lanes; l++)
            assert_close(b.energy[l], 0, 1e-25);
    }
}

/* hourglass = 1 gives a cube in the pattern xi eta (an element of a bent beam) the energy of its stretched
 * fibres, (lambda
 * + 2 mu)/2 times the integral of the squared strain; full integration has the shear that does not belong
 * there too. */
static void hourglass_stiffness(void **state)
{
    (void)state;
    static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const double side = 2, amplitude = 1e-5, strain = 2 * amplitude / side;
    for (int kind = 0; kind < 2; kind++) {
        bricks b;
        for (int l = 0; l < lanes; l++)
            for (int i = 0; i < 24; i++) {
                const double *c = corner[i / 3];
                b.points[l][i] = side * c[i % 3];
                b.moved[l][i] = b.points[l][i] + (i % 3 == 0) * amplitude * (2 * c[0] - 1) * (2 * c[1] - 1);
            }
        load_bricks(&b, kind, true);
        slip_brick_kernel_choose()(&b.batch);
        double fibres = (3 + 2 * 2) / 2.0 * strain * strain / 3 * side * side * side;
        double shear = 2 / 2.0 * strain * strain / 3 * side * side * side;
        assert_close_relative(b.energy[0], kind ? fibres : fibres + shear, 1e-8);
    }
}

/* For small displacements: the stiffness of the linear brick. */
static void small_strains_are_linear(void **state)
{
    (void)state;
    uint64_t seed = 6;
    bricks b;
    slip_hex8_material m = {.lambda = 3, .mu = 2};
    make_bricks(&b, &seed, 1e-6);
    load_bricks(&b, 0, false);
    slip_brick_kernel_choose()(&b.batch);
    for (int l = 0; l < lanes; l++) {
        double k[576];
        slip_hex8_stiffness(&m, b.points[l], k);
        for (int i = 0; i < 24; i++) {
            double sum = 0;
            for (int j = 0; j < 24; j++)
                sum += k[24 * i + j] * (b.moved[l][j] - b.points[l][j]);
            assert_close(force_of(&b, l, i / 3, i % 3), sum, 2e-10); /* of 1e-5; the rest is quadratic */
        }
    }
}

/* ---- Models. */

static slip_explicit_body body_of(const slip_mesh *mesh, const char *rigid)
{
    return (slip_explicit_body){.name = "bar",
                                .mesh = mesh,
                                .rigid = rigid ? slip_mesh_find(mesh, rigid, SLIP_SET_NODES) : NULL,
                                .young = 200,
                                .poisson = 0.3,
                                .density = 2};
}

/* Distorted elements of a body that is strained evenly and turned: no force inside, the energy is volume
 * times density. 11 x 10 x 9 elements are two blocks and spare lanes. */
static void check_patch(double hourglass)
{
    slip_context *ctx = slip_context_create();
    const int counts[3] = {11, 10, 9};
    const double size[3] = {2, 1.5, 1}, A[3][3] = {{1.1, 0.3, 0}, {-0.2, 0.9, 0.1}, {0.05, 0, 1.2}};
    slip_mesh *mesh = brick_box(ctx, counts, size, 0.2);
    slip_explicit_body body = body_of(mesh, NULL);
    body.hourglass = hourglass;
    slip_explicit_options options = {.safety = 0.9, .threads = 1};
    slip_explicit *e = NULL;
    assert_int_equal(slip_explicit_create(ctx, 1, &body, &options, &e), SLIP_OK);
    int n = mesh->node_count;
    double *x = calloc(3 * (size_t)n, sizeof *x), *f = calloc(3 * (size_t)n, sizeof *f), energy, mass = 0;
    for (int i = 0; i < n; i++) {
        mass += slip_explicit_state_of(e).mass[i];
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < 3; k++)
                x[3 * i + d] += A[d][k] * mesh->points[3 * i + k];
    }
    slip_explicit_elastic(e, x, f, &energy);
    slip_hex8_material m = slip_hex8_material_make(200, 0.3, false);
    double density = 0, trace = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double strain = i == k ? -0.5 : 0;
            for (int q = 0; q < 3; q++)
                strain += A[q][i] * A[q][k] / 2;
            density += m.mu * strain * strain;
            trace += i == k ? strain : 0;
        }
    assert_close_relative(energy, 3 * (density + m.lambda / 2 * trace * trace), 1e-12);
    assert_close_relative(mass, 6.0, 1e-12);
    for (int i = 0; i < n; i++)
        if (fabs(mesh->points[3 * i]) < 0.99 && fabs(mesh->points[3 * i + 1]) < 0.74 &&
            fabs(mesh->points[3 * i + 2]) < 0.49)
            for (int d = 0; d < 3; d++)
                assert_close(f[3 * i + d], 0, 1e-12);
    free(x);
    free(f);
    slip_explicit_destroy(e);
    slip_mesh_destroy(mesh);
    slip_context_destroy(ctx);
}

static void patch_test(void **state)
{
    (void)state;
    check_patch(0);
    check_patch(0.5);
}

/* A force of 1 in all on one end of the bar. */
static int pull_end(void *user, slip_context *ctx, const slip_explicit *e, double *force,
                    slip_explicit_load *load)
{
    const slip_mesh_set *set = user;
    (void)ctx;
    (void)e;
    (void)load;
    for (int i = 0; i < set->count; i++) /* a 1 x 1 section: corners carry a quarter each */
        force[3 * set->items[i]] += 1e-3 / set->count;
    return SLIP_OK;
}

/* A bar without lateral strain, pulled at its end from t = 0 on: a front with c = sqrt(E/rho) and behind it
 * the velocity stress/(rho c). */
static void front_in_a_bar(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    const int counts[3] = {200, 1, 1};
    const double size[3] = {20, 1, 1};
    slip_mesh *mesh = brick_box(ctx, counts, size, 0);
    slip_explicit_body body = body_of(mesh, NULL);
    body.poisson = 0;
    slip_explicit_options options = {.safety = 0.9, .threads = 1};
    options.force = pull_end;
    options.user = (void *)slip_mesh_find(mesh, "high", SLIP_SET_NODES);
    slip_explicit *e = NULL;
    assert_int_equal(slip_explicit_create(ctx, 1, &body, &options, &e), SLIP_OK);
    const double c = sqrt(200.0 / 2), plateau = 1e-3 / (2 * c);
    const double *v = slip_explicit_state_of(e).velocity;
    int watched[2] = {4 * 150, 4 * 50}; /* nodes at 5 and 15 from the end */
    double arrived[2] = {0};
    while (slip_explicit_state_of(e).time < 1.7) {
        assert_int_equal(slip_explicit_advance(ctx, e, 1), SLIP_OK);
        for (int k = 0; k < 2; k++)
            if (arrived[k] == 0 && v[3 * watched[k]] > plateau / 2)
                arrived[k] = slip_explicit_state_of(e).time;
    }
    assert_close_relative(10 / (arrived[1] - arrived[0]), c, 0.01);
    assert_close_relative(arrived[0], 0.5, 0.03);
    double mean = 0;
    for (int i = 120; i < 180; i++)
        mean += v[3 * 4 * i] / 60;
    assert_close_relative(mean, plateau, 0.02);
    slip_explicit_destroy(e);
    slip_mesh_destroy(mesh);
    slip_context_destroy(ctx);
}

/* ---- A turning body with a rigid end that is driven. */

typedef struct machine {
    slip_context *ctx;
    slip_mesh *mesh;
    slip_explicit_body body;
    slip_explicit_options options;
    slip_explicit *e;
} machine;

static void make_machine(machine *m, int threads)
{
    const int counts[3] = {14, 9, 9};
    const double size[3] = {2, 1, 1};
    m->ctx = slip_context_create();
    m->mesh = brick_box(m->ctx, counts, size, 0.2);
    m->body = body_of(m->mesh, "low");
    m->body.centre[0] = 3;
    m->body.centre[1] = -1;
    m->body.angle = 0.7;
    m->body.speed = 1;
    m->body.inertia = 0.5;
    m->body.torque = 0.5;
    m->options = slip_explicit_options_default();
    m->options.threads = threads;
    assert_int_equal(slip_explicit_create(m->ctx, 1, &m->body, &m->options, &m->e), SLIP_OK);
}

static void drop_machine(machine *m)
{
    slip_explicit_destroy(m->e);
    slip_mesh_destroy(m->mesh);
    slip_context_destroy(m->ctx);
}

/* Large rotations and vibrations: angular momentum grows by the torque, energy by its work. */
static void momentum_and_energy(void **state)
{
    (void)state;
    machine m;
    slip_explicit_ledger first, now;
    make_machine(&m, 1);
    assert_int_equal(slip_explicit_account(m.ctx, m.e, &first), SLIP_OK);
    double momentum = slip_explicit_momentum(m.e, 0), strain = 0;
    assert_close(first.strain, 0, 1e-12);
    for (int k = 1; k <= 20; k++) {
        assert_int_equal(slip_explicit_advance(m.ctx, m.e, 25), SLIP_OK);
        assert_int_equal(slip_explicit_account(m.ctx, m.e, &now), SLIP_OK);
        assert_close_relative(slip_explicit_momentum(m.e, 0),
                              momentum + 0.5 * slip_explicit_state_of(m.e).time, 1e-12);
        assert_close_relative(now.total, first.total, 1e-3);
        strain = fmax(strain, now.strain);
    }
    assert_true(slip_explicit_rotor_of(m.e, 0).angle > 2 && strain > 0.02 * first.total);
    assert_true(now.work > 0.1 * first.total);
    drop_machine(&m);
}

static void threads_give_the_same_bits(void **state)
{
    (void)state;
    machine one;
    make_machine(&one, 1);
    assert_int_equal(slip_explicit_advance(one.ctx, one.e, 20), SLIP_OK);
    for (int threads = 2; threads <= 3; threads++) {
        machine many;
        make_machine(&many, threads);
        assert_int_equal(slip_explicit_advance(many.ctx, many.e, 20), SLIP_OK);
        assert_memory_equal(slip_explicit_state_of(one.e).position, slip_explicit_state_of(many.e).position,
                            3 * sizeof(double) * (size_t)one.mesh->node_count);
        assert_true(slip_explicit_rotor_of(one.e, 0).angle == slip_explicit_rotor_of(many.e, 0).angle);
        drop_machine(&many);
    }
    drop_machine(&one);
}

static int save(machine *m, const char *path)
{
    slip_h5 *file = NULL;
    int status;
    SLIP_TRY(slip_h5_create(m->ctx, path, &file));
    slip_keeper keeper = {.ctx = m->ctx, .file = file};
    slip_explicit_keep(m->e, &keeper, path);
    SLIP_TRY(keeper.status);
    status = slip_h5_commit(file);
    file = NULL;
done:
    slip_h5_close(file);
    return status;
}

static int restore(machine *m, const char *path)
{
    slip_h5 *file = NULL;
    int status;
    SLIP_TRY(slip_h5_open(m->ctx, path, &file));
    slip_keeper keeper = {.ctx = m->ctx, .file = file, .back = true};
    slip_explicit_keep(m->e, &keeper, path);
    status = keeper.status;
done:
    slip_h5_close(file);
    return status;
}

static void checkpoints(void **state)
{
    (void)state;
    machine one, two, other;
    char folder[test_path_size], path[test_path_size];
    test_folder_make(folder);
    test_path(path, folder, "checkpoint");
    make_machine(&one, 1);
    make_machine(&two, 1);
    assert_int_equal(slip_explicit_advance(one.ctx, one.e, 10), SLIP_OK);
    assert_int_equal(save(&one, path), SLIP_OK);
    assert_int_equal(slip_explicit_advance(one.ctx, one.e, 10), SLIP_OK);
    assert_int_equal(restore(&two, path), SLIP_OK);
    assert_int_equal(slip_explicit_advance(two.ctx, two.e, 10), SLIP_OK);
    slip_explicit_ledger ledgers[2];
    assert_int_equal(slip_explicit_account(one.ctx, one.e, &ledgers[0]), SLIP_OK);
    assert_int_equal(slip_explicit_account(two.ctx, two.e, &ledgers[1]), SLIP_OK);
    assert_memory_equal(&ledgers[0], &ledgers[1], sizeof *ledgers);
    assert_memory_equal(slip_explicit_state_of(one.e).velocity, slip_explicit_state_of(two.e).velocity,
                        3 * sizeof(double) * (size_t)one.mesh->node_count);
    /* Another model. */
    make_machine(&other, 1);
    other.body.torque = 2;
    slip_explicit_destroy(other.e);
    assert_int_equal(slip_explicit_create(other.ctx, 1, &other.body, &other.options, &other.e), SLIP_OK);
    assert_int_equal(restore(&other, path), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(other.ctx), "the checkpoint is of another model"));
    unlink(path);
    assert_int_equal(restore(&two, path), SLIP_ERROR_IO);
    test_folder_remove(folder);
    drop_machine(&one);
    drop_machine(&two);
    drop_machine(&other);
}

/* ---- Limits and errors. */

/* The largest eigenvalue of one free brick, by many turns with its matrix. */
static void limit_is_that_of_the_matrix(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    const int counts[3] = {1, 1, 1};
    const double size[3] = {2, 1, 0.8};
    slip_mesh *mesh = brick_box(ctx, counts, size, 0);
    slip_explicit_body body = body_of(mesh, NULL);
    slip_explicit_options options = {.safety = 0.9, .threads = 1};
    slip_explicit *e = NULL;
    assert_int_equal(slip_explicit_create(ctx, 1, &body, &options, &e), SLIP_OK);
    slip_hex8_material m = slip_hex8_material_make(200, 0.3, false);
    double points[24], k[576], z[24], largest = 0;
    for (int a = 0; a < 8; a++)
        memcpy(points + 3 * a, mesh->points + 3 * slip_mesh_nodes(mesh, 0)[a], 3 * sizeof(double));
    slip_hex8_stiffness(&m, points, k);
    for (int i = 0; i < 24; i++)
        z[i] = sin(1 + i * i);
    for (int turn = 0; turn < 5000; turn++) {
        double next[24] = {0}, square = 0;
        for (int i = 0; i < 24; i++)
            for (int j = 0; j < 24; j++)
                next[i] += k[24 * i + j] * z[j] / (2 * 1.6 / 8);
        for (int i = 0; i < 24; i++)
            square += next[i] * next[i];
        largest = sqrt(square);
        for (int i = 0; i < 24; i++)
            z[i] = next[i] / largest;
    }
    double limit = 2 / sqrt(largest);
    assert_true(slip_explicit_state_of(e).limit < limit && slip_explicit_state_of(e).limit > 0.985 * limit);
    assert_close_relative(slip_explicit_state_of(e).step, 0.9 * slip_explicit_state_of(e).limit, 1e-15);
    double found = slip_explicit_state_of(e).limit;
    slip_explicit_destroy(e);
    options.step = 1.01 * found;
    assert_int_equal(slip_explicit_create(ctx, 1, &body, &options, &e), SLIP_ERROR_MODEL);
    char expected[80];
    snprintf(expected, sizeof expected, "is above the stability limit: expected at most %g s", found);
    assert_non_null(strstr(slip_context_message(ctx), expected));
    assert_null(e);
    slip_mesh_destroy(mesh);
    slip_context_destroy(ctx);
}

typedef struct trouble {
    int64_t calls;
    bool stiff;
} trouble;

static int make_trouble(void *user, slip_context *ctx, const slip_explicit *e, double *force,
                        slip_explicit_load *load)
{
    trouble *t = user;
    (void)ctx;
    if (++t->calls < 6)
        return SLIP_OK;
    if (t->stiff)
        load->eigenvalue = 8 / (slip_explicit_state_of(e).step * slip_explicit_state_of(e).step);
    else
        force[3 * 200 + 1] = NAN;
    return SLIP_OK;
}

static void troubles_are_named(void **state)
{
    (void)state;
    for (int stiff = 0; stiff < 2; stiff++) {
        machine m;
        trouble t = {.stiff = stiff};
        make_machine(&m, 1);
        slip_explicit_destroy(m.e);
        m.options.force = make_trouble;
        m.options.user = &t;
        assert_int_equal(slip_explicit_create(m.ctx, 1, &m.body, &m.options, &m.e), SLIP_OK);
        assert_int_equal(slip_explicit_advance(m.ctx, m.e, 100), SLIP_ERROR_SOLVER);
        char expected[120];
        double h = slip_explicit_state_of(m.e).step;
        if (stiff) /* one call starts the run: the sixth is at the fifth time, 4 h */
            snprintf(expected, sizeof expected, "t = %g s: the outer forces have become too stiff", 4 * h);
        else
            snprintf(expected, sizeof expected, "t = %g s: the velocity of node 201 of bar is no longer",
                     5 * h);
        if (!strstr(slip_context_message(m.ctx), expected))
            fail_msg("%s; expected %s", slip_context_message(m.ctx), expected);
        drop_machine(&m);
    }
}

static void bad_bodies_are_refused(void **state)
{
    (void)state;
    machine m;
    make_machine(&m, 1);
    struct {
        slip_explicit_body body;
        const char *message;
    } cases[6];
    int count = 0;
#define CASE(change, text)                                                                                   \
    do {                                                                                                     \
        slip_explicit_body b = m.body;                                                                       \
        change;                                                                                              \
        cases[count].body = b;                                                                               \
        cases[count++].message = text;                                                                       \
    } while (0)
    CASE(b.young = 0, "bar: young 0: expected a positive number");
    CASE(b.poisson = 0.5, "bar: poisson 0.5: expected a number between -1 and 0.5");
    CASE(b.density = NAN, "bar: density nan: expected");
    CASE(b.rigid = NULL, "bar: torque 0.5: expected 0, since no nodes are rigid");
    CASE(b.hourglass = -0.1, "bar: hourglass -0.1: expected a number of at least 0");
    CASE(b.inertia = -1, "bar: inertia -1: expected a number of at least 0");
#undef CASE
    for (int i = 0; i < count; i++) {
        slip_explicit *e = NULL;
        assert_int_equal(slip_explicit_create(m.ctx, 1, &cases[i].body, &m.options, &e), SLIP_ERROR_MODEL);
        if (!strstr(slip_context_message(m.ctx), cases[i].message))
            fail_msg("%s", slip_context_message(m.ctx));
        assert_null(e);
    }
    m.mesh->groups[0].nodes[0] = m.mesh->groups[0].nodes[1];
    slip_explicit *e = NULL;
    assert_int_equal(slip_explicit_create(m.ctx, 1, &m.body, &m.options, &e), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(m.ctx), "bar: element 1 of the mesh is inside out"));
    drop_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_equal_their_twin),
        cmocka_unit_test(forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(rigid_rotation_has_no_stress),
        cmocka_unit_test(hourglass_stiffness),
        cmocka_unit_test(small_strains_are_linear),
        cmocka_unit_test(patch_test),
        cmocka_unit_test(front_in_a_bar),
        cmocka_unit_test(momentum_and_energy),
        cmocka_unit_test_of_numbers(threads_give_the_same_bits),
        cmocka_unit_test(checkpoints),
        cmocka_unit_test(limit_is_that_of_the_matrix),
        cmocka_unit_test(troubles_are_named),
        cmocka_unit_test(bad_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
