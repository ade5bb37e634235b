/* Eigenmodes of random models with contacts against a twin: differences of the constrained acceleration,
 * whose first-order matrix has the same eigenvalues, and zeros for what contacts hold. */
#include "math/dense.h"
#include "model_test.h"
#include "study/eigenmodes/eigenmodes.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static uint64_t seed = 1;

static double random_between(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

/* Acceleration of all n, with the modes of the point. */
static void accelerate(const slip_eigenmodes *at, slip_workspace *work, const double *q, const double *v,
                       double *a)
{
    const slip_system *system = at->model->system;
    assert_true(slip_system_acceleration(system, work, at->point.branches, at->point.t, q, v, a));
    assert_true(slip_system_constrain(system, work, at->point.branches, at->point.t, q, v, a));
}

/* Eigenvalues of the matrix of central differences: positions of coordinates, then all n velocities. */
static int twin(const slip_eigenmodes *at, double complex *values)
{
    const slip_system *system = at->model->system;
    const int n = system->n, places = slip_system_coordinates(system), size = places + n;
    slip_workspace *work = NULL;
    double *numbers = calloc((size_t)(2 * size * size + 2 * size + 4 * n), sizeof(double));
    double *a = numbers, *vectors = a + size * size, *re = vectors + size * size, *im = re + size,
           *q = im + size, *v = q + n, *high = v + n, *low = high + n;
    assert_int_equal(slip_workspace_create(ctx, system, &work), SLIP_OK);
    for (int i = 0; i < places; i++)
        a[i * size + places + i] = 1;
    for (int j = 0; j < size; j++) {
        const double step = 1e-5;
        memcpy(q, at->point.q, sizeof(double) * (size_t)n);
        memcpy(v, at->point.v, sizeof(double) * (size_t)n);
        double *moved = j < places ? &q[j] : &v[j - places], centre = *moved;
        *moved = centre + step;
        accelerate(at, work, q, v, high);
        *moved = centre - step;
        accelerate(at, work, q, v, low);
        for (int i = 0; i < n; i++)
            a[(places + i) * size + j] = (high[i] - low[i]) / (2 * step);
    }
    assert_int_equal(slip_dense_eigenvectors_any(size, a, re, im, vectors), SLIP_OK);
    for (int k = 0; k < size; k++)
        values[k] = re[k] + I * im[k];
    slip_workspace_destroy(work);
    free(numbers);
    return size;
}

/* Every eigenvalue of one list that is not close to zero stands in the other one. */
static void compare(const char *text, const char *about)
{
    slip_modes_options options = slip_modes_options_default();
    slip_model *model = parse_with(text, NULL);
    slip_eigenmodes at = {0};
    double complex values[64];
    options.about = about;
    if (slip_eigenmodes_find(ctx, model, &options, NAN, &at) != SLIP_OK) {
        print_error("%s\n%s\n", text, slip_context_message(ctx));
        fail();
    }
    const int size = twin(&at, values);
    const slip_vibration *found = &at.vibration;
    for (int k = 0; k < found->count; k++) {
        const double complex s = found->modes[k].real + I * found->modes[k].imaginary;
        double least = INFINITY;
        for (int i = 0; i < size; i++)
            least = fmin(least, cabs(values[i] - s));
        if (!(least <= 2e-4 * (cabs(s) < 1 ? 1 : cabs(s)) || cabs(s) < 0.02))
            print_error("%s\nmode %d: %g %+g i is not in the twin's list, nearest %g\n", text, k + 1,
                        creal(s), cimag(s), least);
        assert_true(least <= 2e-4 * (cabs(s) < 1 ? 1 : cabs(s)) || cabs(s) < 0.02);
    }
    for (int i = 0; i < size; i++) {
        double least = INFINITY;
        if (cimag(values[i]) < 0)
            continue;
        for (int k = 0; k < found->count; k++)
            least = fmin(least, cabs(values[i] - (found->modes[k].real + I * found->modes[k].imaginary)));
        if (!(least <= 2e-4 * (cabs(values[i]) < 1 ? 1 : cabs(values[i])) || cabs(values[i]) < 0.02))
            print_error("%s\nthe twin's %g %+g i is not among the modes, nearest %g\n", text,
                        creal(values[i]), cimag(values[i]), least);
        assert_true(least <= 2e-4 * (cabs(values[i]) < 1 ? 1 : cabs(values[i])) || cabs(values[i]) < 0.02);
    }
    slip_eigenmodes_free(&at);
    slip_model_destroy(model);
}

/* A mass matrix and forces from energies, a state, friction on a belt whose slip depends on the place. */
static void energies_on_a_belt(void **state)
{
    (void)state;
    for (int k = 0; k < test_cases(24); k++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {a: %g, b: %g, c: %g, d: %g, mu: %g, N: %g}\n"
                 "coordinates: [x, y, p]\nstates: {z: {rate: 0.3*x - 0.7*z + 0.2*p', initial: 0}}\n"
                 "energy: {kinetic: x'^2 + y'^2/2 + (1 + a*cos(p))*p'^2 + b*x'*p'*cos(p) + c*x*y',\n"
                 "  potential: 3*x^2 + 2*y^2 + 5*p^2 + d*x*y + 0.3*x*p^2 - 2*cos(p + x/3), dissipation: "
                 "0.1*x'^2 + "
                 "0.05*p'^2}\n"
                 "forces: {y: 0.4*z - 0.2*x', p: 0.3}\n"
                 "contacts:\n"
                 "  belt: {kind: friction, slip: (1 + 0.3*sin(p))*x' + 0.2*y' - 1.5 + 0.2*x, normal_force: N "
                 "+ 0.4*y + "
                 "0.1*x^2,\n    law: {type: stribeck, mu: mu, static_ratio: 1.4, velocity: 2}}\n",
                 random_between(-0.5, 0.5), random_between(-0.5, 0.5), random_between(-0.5, 0.5),
                 random_between(-1, 1), random_between(0.1, 0.8), random_between(0.5, 3));
        compare(text, "sliding");
    }
}

/* Rigid gaps: one curved that slides, one in a plane, and a pad that sticks. */
static void rigid_contacts(void **state)
{
    (void)state;
    for (int k = 0; k < test_cases(24); k++) {
        char text[1500];
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {a: %g, b: %g, mu: %g, nu: %g}\ncoordinates: [x, y, z, w, p]\n"
            "mass: [[2, 0, 0, 0, 0.1], [0, 2, 0.2, 0, 0], [0, 0.2, 1, 0, 0], [0, 0, 0, 3, 0], [0.1, 0, 0, 0, "
            "1]]\n"
            "stiffness: [[9, a, 1, 0, 1], [a, 7, b, 1, 0], [1, b, 8, -2, 0], [0, 1, -2, 12, 1], [1, 0, 0, 1, "
            "6]]\n"
            "damping: {diagonal: [0.1, 0, 0.2, 0, 0.1]}\nforces: {y: -9, z: -7, w: 0.1}\n"
            "contacts:\n"
            "  cam: {kind: unilateral, gap: y - 0.3*x^2 + 0.2*x, slip: x' + 0.1*w' - 1, law: {type: coulomb, "
            "mu: "
            "mu}}\n"
            "  foot: {kind: unilateral, gap: z, slip: [p' - 0.5, w' + 0.7], law: {type: coulomb, mu: nu}}\n",
            random_between(-1, 1), random_between(-1, 1), random_between(0.05, 0.4),
            random_between(0.05, 0.4));
        compare(text, "sliding");
    }
}

/* What sticks is held, beside a law with memory that slides. */
static void stick_and_memory(void **state)
{
    (void)state;
    for (int k = 0; k < test_cases(24); k++) {
        char text[1500];
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {a: %g, s: %g}\ncoordinates: [x, y, z]\n"
            "mass: {diagonal: [1, 2, 1.5]}\nstiffness: [[9, a, 1], [a, 7, -1], [1, -1, 8]]\n"
            "forces: {y: 0.2, z: -0.3*z^3}\n"
            "contacts:\n"
            "  pad: {kind: friction, slip: x' + 0.5*y', normal_force: 2, law: {type: coulomb, mu: 0.9}}\n"
            "  belt: {kind: friction, slip: z' - 0.4, normal_force: 1 + 0.2*y, law: {type: lugre, mu: 0.3,\n"
            "    static_ratio: 1.5, velocity: 0.5, stiffness: s, damping: 0.4, viscous: 0.1}}\n",
            random_between(-1, 1), random_between(1, 20));
        compare(text, "rest");
    }
}

/* Coefficients that depend on the place, and a law with memory whose normal force is that of a gap. */
static void varying_laws(void **state)
{
    (void)state;
    for (int k = 0; k < test_cases(24); k++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {a: %g, s: %g, b: %g}\ncoordinates: [x, y, z, w]\n"
                 "mass: {diagonal: [1, 2, 1.5, 1]}\n"
                 "stiffness: [[9, a, 1, 0.5], [a, 7, -1, 1], [1, -1, 8, 2], [0.5, 1, 2, 9]]\n"
                 "forces: {y: -3, w: -4}\n"
                 "contacts:\n"
                 "  seat: {kind: unilateral, gap: y, slip: x' - 0.6, law: {type: lugre, mu: 0.3,\n"
                 "    static_ratio: 1.5, velocity: 0.5, stiffness: s, damping: 0.4, viscous: 0.1}}\n"
                 "  belt: {kind: unilateral, gap: w, slip: z' - 0.4, law: {type: coulomb, mu: 0.4 + b*x + "
                 "0.1*z}}\n",
                 random_between(-1, 1), random_between(1, 20), random_between(-0.3, 0.3));
        compare(text, "rest");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_on_a_belt),
        cmocka_unit_test(rigid_contacts),
        cmocka_unit_test(stick_and_memory),
        cmocka_unit_test(varying_laws),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
