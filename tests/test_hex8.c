/* The eight-node brick: patch test, rigid motions, bending, mass. */
#include "test.h"

#include "fem/element.h"
#include "fem/hex8.h"

/* A distorted brick: the corners of a box, each moved by up to a fifth. */
static void distorted(uint64_t *seed, double points[24])
{
    static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const double sides[3] = {2, 1, 0.7};
    for (int i = 0; i < 24; i++)
        points[i] = sides[i % 3] * (corner[i / 3][i % 3] + test_random(seed, -0.2, 0.2));
}

/* Forces of a linear displacement field are those of its constant stress on the element's surface; rotations
 * and translations need none. The energy is volume times energy density, for every shape: the patch test. */
static void linear_fields_have_constant_stress(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int turn = 0; turn < 40; turn++) {
        slip_hex8_material m = slip_hex8_material_make(210, 0.3, turn % 2);
        double points[24], k[576], u[24], slope[9], lumps[8], volume = 0, stress[48];
        distorted(&seed, points);
        slip_hex8_stiffness(&m, points, k);
        slip_element_lumps(slip_element_find(&slip_cell_hex8), points, lumps);
        for (int a = 0; a < 8; a++)
            volume += lumps[a];
        for (int i = 0; i < 9; i++)
            slope[i] = test_random(&seed, -1, 1);
        if (turn % 4 >= 2) /* a rotation */
            for (int i = 0; i < 3; i++)
                for (int j = 0; j <= i; j++)
                    slope[3 * i + j] = i == j ? 0 : -slope[3 * j + i];
        for (int a = 0; a < 8; a++)
            for (int i = 0; i < 3; i++) {
                u[3 * a + i] = 0.3;
                for (int j = 0; j < 3; j++)
                    u[3 * a + i] += slope[3 * i + j] * points[3 * a + j];
            }
        double expected[6], density = 0, trace = slope[0] + slope[4] + slope[8], work = 0;
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3;
            double shear = slope[3 * i + j] + slope[3 * j + i];
            expected[i] = m.lambda * trace + 2 * m.mu * slope[4 * i];
            expected[3 + i] = m.mu * shear;
            density += expected[i] * slope[4 * i] / 2 + expected[3 + i] * shear / 2;
        }
        slip_hex8_stress(&m, points, u, stress);
        for (int i = 0; i < 48; i++)
            assert_close(stress[i], expected[i % 6], 1e-11);
        for (int i = 0; i < 24; i++)
            for (int j = 0; j < 24; j++)
                work += u[i] * k[24 * i + j] * u[j] / 2;
        assert_close(work, volume * density, 1e-11);
    }
}

/* A beam of one brick in pure bending: with incompatible modes its energy is that of beam theory, without
 * them larger by a factor that grows with (length/height)^2. */
static void bending(void **state)
{
    (void)state;
    double length = 8, height = 1, width = 1, points[24], k[576], u[24] = {0}, energy[2] = {0};
    for (int a = 0; a < 8; a++) {
        bool x = a % 4 == 1 || a % 4 == 2, y = a % 4 >= 2, z = a >= 4;
        points[3 * a] = x ? length : 0;
        points[3 * a + 1] = y ? height : 0;
        points[3 * a + 2] = z ? width : 0;
        u[3 * a] = (x ? 1 : -1) * (y ? 1 : -1) * 0.5 * height * 0.5 * length; /* unit curvature */
    }
    for (int incompatible = 0; incompatible < 2; incompatible++) {
        slip_hex8_material m = slip_hex8_material_make(1, 0, incompatible);
        slip_hex8_stiffness(&m, points, k);
        for (int i = 0; i < 24; i++)
            for (int j = 0; j < 24; j++)
                energy[incompatible] += u[i] * k[24 * i + j] * u[j] / 2;
    }
    double theory = length * width * height * height * height / 12 / 2;
    assert_close_relative(energy[1], theory, 1e-12);
    assert_close_relative(energy[0], theory * (1 + length * length / (2 * height * height)), 1e-12);
}

/* The blocks of the fast kernel against the text book: K = integral of B^T D B, B of 6 x 24. */
static void stiffness_is_that_of_the_text_book(void **state)
{
    (void)state;
    uint64_t seed = 11;
    const double place = 1 / sqrt(3);
    for (int turn = 0; turn < 5; turn++) {
        slip_hex8_material m = slip_hex8_material_make(210, 0.3, false);
        double points[24], k[576], slow[576] = {0}, d[36] = {0};
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                d[6 * i + j] = i < 3 && j < 3 ? m.lambda + (i == j) * 2 * m.mu : (i == j) * m.mu;
        distorted(&seed, points);
        slip_hex8_stiffness(&m, points, k);
        for (int g = 0; g < 8; g++) {
            const double at[3] = {g & 1 ? place : -place, g & 2 ? place : -place, g & 4 ? place : -place};
            double value[8], slope[24], b[6][24] = {{0}};
            double volume = slip_hex8_gradient(points, at, value, slope);
            for (int a = 0; a < 8; a++)
                for (int i = 0; i < 3; i++) {
                    int next = (i + 1) % 3;
                    b[i][3 * a + i] = slope[3 * a + i];
                    b[3 + i][3 * a + i] = slope[3 * a + next];
                    b[3 + i][3 * a + next] = slope[3 * a + i];
                }
            for (int i = 0; i < 576; i++)
                for (int s = 0; s < 36; s++)
                    slow[i] += volume * b[s / 6][i / 24] * d[s] * b[s % 6][i % 24];
        }
        for (int i = 0; i < 576; i++)
            assert_close(k[i], slow[i], 1e-12 * k[0]);
    }
}

static void mass_of_bricks(void **state)
{
    (void)state;
    uint64_t seed = 7;
    double points[24], mass[64], lumps[8];
    distorted(&seed, points);
    slip_element_mass(slip_element_find(&slip_cell_hex8), points, mass);
    slip_element_lumps(slip_element_find(&slip_cell_hex8), points, lumps);
    for (int a = 0; a < 8; a++) {
        double sum = 0;
        for (int b = 0; b < 8; b++) {
            sum += mass[8 * a + b];
            assert_close(mass[8 * a + b], mass[8 * b + a], 1e-16);
        }
        assert_close(sum, lumps[a], 1e-15);
    }
    /* A box: corner times corner is volume/27 and halves along each edge. */
    for (int i = 0; i < 24; i++)
        points[i] = round(points[i] / (i % 3 == 0 ? 2 : i % 3 == 1 ? 1 : 0.7)) * (i % 3 + 1);
    slip_element_mass(slip_element_find(&slip_cell_hex8), points, mass);
    assert_close(mass[0], 6.0 / 27, 1e-15);
    assert_close(mass[1], 6.0 / 54, 1e-15);
    assert_close(mass[6], 6.0 / 216, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_fields_have_constant_stress),
        cmocka_unit_test(stiffness_is_that_of_the_text_book),
        cmocka_unit_test(bending),
        cmocka_unit_test(mass_of_bricks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
