/* Hertz: a cylinder pressed by a rigid plane, with the elements and the contact of the gears.
 *
 * The cylinder is a deep block whose upper side is the parabola y = -x^2/(2 R); one layer of elements,
 * Poisson's ratio 0, so that the plane problem is solved exactly along z. The plane comes down slowly, the
 * motion is damped, until all is at rest. For the force P per length that is found then, theory has the half
 * width a and the pressure p:
 *
 *     a^2 = 4 P R/(pi E),    p(x) = 2 P/(pi a) sqrt(1 - x^2/a^2). */
#include "test.h"

#include "fem/explicit/explicit.h"
#include "gear/flank/flank_contact.h"

#include <string.h>

static const double pi = 3.14159265358979323846;
static const double radius = 50, fine = 0.125, width = 0.25, approach = 0.03, ramp = 60;
enum { across = 33, down = 19 }; /* nodes */

/* Equal distances near the middle (or the top), then growing by a third each. */
static double spread(int k, int even)
{
    double x = 0, step = fine;
    for (int i = 0; i < k; i++) {
        if (i >= even)
            step *= 4.0 / 3;
        x += step;
    }
    return x;
}

static slip_mesh *make_block(slip_context *ctx)
{
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    slip_mesh *mesh = NULL;
    int *nodes, *bottom;
    assert_int_equal(slip_mesh_create(ctx, 3, across * down * 2, &mesh), SLIP_OK);
    for (int i = 0; i < across * down * 2; i++) { /* node ((column) down + row) 2 + layer, rows from below */
        int column = i / (2 * down) - across / 2, row = i / 2 % down;
        double x = (column < 0 ? -1 : 1) * spread(abs(column), 10), depth = spread(down - 1 - row, 8);
        double share = depth / spread(down - 1, 8);
        mesh->points[3 * i] = x;
        mesh->points[3 * i + 1] = -depth - (1 - share) * x * x / (2 * radius);
        mesh->points[3 * i + 2] = i % 2 * width;
    }
    int elements = (across - 1) * (down - 1);
    assert_int_equal(slip_mesh_add_group(ctx, mesh, &slip_cell_hex8, elements, &nodes), SLIP_OK);
    for (int e = 0; e < elements; e++)
        for (int k = 0; k < 8; k++)
            *nodes++ =
                ((e / (down - 1) + corner[k][0]) * down + e % (down - 1) + corner[k][1]) * 2 + corner[k][2];
    assert_int_equal(slip_mesh_add_set(ctx, mesh, "bottom", SLIP_SET_NODES, 2 * across, &bottom), SLIP_OK);
    for (int i = 0; i < 2 * across; i++)
        bottom[i] = i / 2 * down * 2 + i % 2;
    return mesh;
}

typedef struct press {
    slip_flank_contact *contact;
    double plane[12], reaction[12], *force;
    int node_count;
    slip_flank_totals totals;
} press;

static int press_down(void *user, slip_context *ctx, const slip_explicit *e, double *force,
                      slip_explicit_load *load)
{
    press *p = user;
    const slip_flank_pair pair = {{0, 0}};
    double s = fmin(slip_explicit_state_of(e).time / ramp, 1), height = -approach * s * s * (3 - 2 * s);
    const double *v = slip_explicit_state_of(e).velocity, *mass = slip_explicit_state_of(e).mass;
    (void)ctx;
    (void)load;
    for (int i = 0; i < 4; i++)
        p->plane[3 * i + 1] = height;
    static const double still[12] = {0}, heavy[4] = {1e30, 1e30, 1e30, 1e30};
    const slip_flank_state state[2] = {{slip_explicit_state_of(e).position, v, p->force},
                                       {p->plane, still, p->reaction}};
    const slip_flank_motion motion[2] = {{mass, force}, {heavy, still}};
    const double steps[2] = {slip_explicit_state_of(e).step_before, slip_explicit_state_of(e).step};
    memset(p->reaction, 0, sizeof p->reaction);
    memset(p->force, 0, 3 * sizeof(double) * (size_t)p->node_count);
    for (int i = 0; i < p->node_count; i++) /* damping, of the slowest motion about critical */
        for (int d = 0; d < 3; d++)
            force[3 * i + d] -= 0.15 * mass[i] * v[3 * i + d];
    if (slip_explicit_state_of(e).started)
        slip_flank_contact_resolve(p->contact, 1, &pair, state, motion, steps, &p->totals);
    for (int i = 0; i < 3 * p->node_count; i++)
        force[i] += p->force[i];
    return SLIP_OK;
}

static void press_cylinder(bool kinematic)
{
    slip_context *ctx = slip_context_create();
    slip_mesh *mesh = make_block(ctx);
    press p = {.plane = {-20, 0, -1, 20, 0, -1, -20, 0, 2, 20, 0, 2}, .node_count = mesh->node_count};
    p.force = calloc(3 * (size_t)mesh->node_count, sizeof(double));
    int top[2 * across], far[4] = {0, 1, 2, 3};
    for (int i = 0; i < 2 * across; i++)
        top[i] = ((i % across) * down + down - 1) * 2 + i / across;
    const slip_flank_surface upper = {2, across, top, true}, plane = {2, 2, far, false};
    const slip_flank_surface *const surfaces[2] = {&upper, &plane};
    slip_flank_options flanks = slip_flank_options_default();
    flanks.penalty = 2;
    flanks.kinematic = kinematic;
    flanks.two_pass = 1;
    flanks.margin = approach / 10;
    assert_int_equal(slip_flank_contact_create(ctx, &flanks, (const int[2]){1, 1}, surfaces, &p.contact),
                     SLIP_OK);
    slip_explicit_body body = {.name = "cylinder",
                               .mesh = mesh,
                               .rigid = slip_mesh_find(mesh, "bottom", SLIP_SET_NODES),
                               .young = 1,
                               .density = 1,
                               .inertia = 1e15};
    slip_explicit_options options = slip_explicit_options_default();
    options.force = press_down;
    options.user = &p;
    options.step = 0.03;
    options.threads = 1; /* too small for more */
    slip_explicit *e = NULL;
    if (slip_explicit_create(ctx, 1, &body, &options, &e) < 0 || slip_explicit_advance(ctx, e, 10000) < 0)
        fail_msg("%s", slip_context_message(ctx));
    slip_explicit_ledger ledger;
    assert_int_equal(slip_explicit_account(ctx, e, &ledger), SLIP_OK);
    assert_true(fabs(ledger.kinetic) < 1e-6 * ledger.strain);
    double load = p.totals.normal_force / width, a = sqrt(4 * load * radius / pi), error = 0, reach = 0;
    const slip_flank_touch *touch = slip_flank_contact_touches(p.contact, 0, 0);
    assert_true(a > 6 * fine && a < 10 * fine);
    for (int i = 0; i < across; i++) {
        double x = mesh->points[3 * top[i]], force = touch[i].force[1] + touch[across + i].force[1];
        if (fabs(x) > 9.5 * fine) {
            assert_true(force == 0);
            continue;
        }
        double theory = fabs(x) < a ? 2 * load / (pi * a) * sqrt(1 - x * x / (a * a)) : 0;
        error += fabs(-force / (fine * width) - theory) * fine / load;
        reach = force != 0 ? fmax(reach, fabs(x)) : reach;
    }
    assert_true(error < 0.02);
    assert_close(reach + fine / 2, a, fine);
    slip_explicit_destroy(e);
    slip_flank_contact_destroy(p.contact);
    slip_mesh_destroy(mesh);
    free(p.force);
    slip_context_destroy(ctx);
}

static void by_penalty(void **state)
{
    (void)state;
    press_cylinder(false);
}

static void without_a_penalty(void **state)
{
    (void)state;
    press_cylinder(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(by_penalty),
        cmocka_unit_test(without_a_penalty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
