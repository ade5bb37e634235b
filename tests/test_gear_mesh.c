/* Involute gears: outline, plane mesh of a pitch, mesh of the whole gear. */
#include "test.h"

#include "gear/geometry/gear_mesh.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static slip_gear_options pinion(void)
{
    slip_gear_options o = slip_gear_options_default();
    o.name = "pinion";
    o.teeth = 18;
    o.module = 0.005;
    o.profile_shift = 0.5;
    o.width = 0.038;
    o.bore = 0.05;
    return o;
}

static slip_gear_options wheel(void)
{
    slip_gear_options o = slip_gear_options_default();
    o.name = "wheel";
    o.teeth = 37;
    o.module = 0.005;
    o.width = 0.038;
    o.bore = 0.059;
    o.mesh.flank = 24;
    return o;
}

/* The outline is where the rack that generates it ends: every point of the rack's round tip, in every
 * position of the rack, is outside of the fillet, and one of them is on it. */
static void fillet_is_the_envelope_of_the_rack(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    for (int which = 0; which < 3; which++) {
        slip_gear_options o = which == 0 ? pinion() : wheel();
        if (which == 2)
            o.profile_shift = 1; /* the centre of the rounding is above the pitch line */
        slip_profile p;
        assert_int_equal(slip_profile_make(ctx, &o, &p), SLIP_OK);
        double r = p.radii.pitch_radius, half = pi / p.teeth;
        for (int k = 1; k < 8; k++) {
            double beta = p.alpha + (pi / 2 - p.alpha) * k / 8;
            slip_profile_point at = slip_profile_fillet(&p, beta);
            double space = half - at.angle, nearest = INFINITY;
            for (int i = -15000; i <= 15000; i++) {
                double roll = space + i * 2e-5, x = p.tool[0] - r * roll, y = p.tool[1] + r;
                double cx = x * cos(roll) + y * sin(roll), cy = -x * sin(roll) + y * cos(roll);
                nearest = fmin(nearest, hypot(at.radius * sin(space) - cx, at.radius * cos(space) - cy));
            }
            assert_true(nearest > p.tool_radius * (1 - 1e-12));
            assert_true(nearest < p.tool_radius * (1 + 1e-5));
        }
        slip_profile_point foot = slip_profile_fillet(&p, p.alpha);
        assert_close(foot.angle, slip_profile_involute(&p, foot.radius).angle, 1e-14);
        assert_close(slip_profile_fillet(&p, pi / 2).radius, p.radii.root_radius, 1e-15);
    }
    slip_context_destroy(ctx);
}

/* Thickness on the pitch circle, and the string that unwinds from the base circle. */
static void flank_is_an_involute(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options o = pinion();
    o.backlash = 1e-4;
    slip_profile p;
    assert_int_equal(slip_profile_make(ctx, &o, &p), SLIP_OK);
    double r = p.radii.pitch_radius;
    assert_close(2 * r * slip_profile_involute(&p, r).angle,
                 o.module * (pi / 2 + 2 * 0.5 * tan(20 * pi / 180)) - 1e-4, 1e-16);
    slip_profile_point points[26];
    slip_profile_flank_points(&p, 25, points);
    double base = p.radii.base_radius, start = 0;
    for (int i = 0; i <= 25; i++) {
        double string = sqrt(points[i].radius * points[i].radius - base * base);
        double unwound = points[i].angle + string / base - acos(base / points[i].radius);
        if (i == 0)
            start = unwound;
        assert_close(unwound, start, 1e-14);
        if (i >= 2) { /* equal distances */
            double step[2];
            for (int k = 0; k < 2; k++) {
                const slip_profile_point *a = &points[i - 2 + k], *b = a + 1;
                step[k] = hypot(b->radius - a->radius,
                                2 * sqrt(a->radius * b->radius) * sin((a->angle - b->angle) / 2));
            }
            assert_close(step[1] / step[0], 1, 1e-3);
        }
    }
    slip_context_destroy(ctx);
}

static void distance_of_a_pair(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options a = pinion(), b = wheel();
    double distance, angle;
    assert_int_equal(slip_gear_distance(ctx, &a, &b, &distance, &angle), SLIP_OK);
    /* Without backlash the thicknesses on the working pitch circles fill the pitch. */
    slip_profile p, q;
    slip_profile_make(ctx, &a, &p);
    slip_profile_make(ctx, &b, &q);
    double r = distance * 18 / 55, s = distance * 37 / 55;
    double filled = 2 * r * slip_profile_involute(&p, r).angle + 2 * s * slip_profile_involute(&q, s).angle;
    assert_close(filled, 2 * pi * r / 18, 1e-15);
    assert_close(distance, 0.1398, 1e-4);
    assert_close(cos(angle), (p.radii.base_radius + q.radii.base_radius) / distance, 1e-15);
    a.profile_shift = 0;
    assert_int_equal(slip_gear_distance(ctx, &a, &b, &distance, &angle), SLIP_OK);
    assert_close(distance, 0.005 * 55 / 2, 1e-15);
    b.module = 0.004;
    assert_int_equal(slip_gear_distance(ctx, &a, &b, &distance, &angle), SLIP_ERROR_MODEL);
    slip_context_destroy(ctx);
}

static void bad_gears_are_refused(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_geometry g;
    struct {
        slip_gear_options o;
        const char *message;
    } cases[16];
    int count = 0;
#define CASE(change, text)                                                                                   \
    do {                                                                                                     \
        slip_gear_options o = pinion();                                                                      \
        change;                                                                                              \
        cases[count].o = o;                                                                                  \
        cases[count++].message = text;                                                                       \
    } while (0)
    CASE(o.teeth = 4, "teeth 4: expected 5 to");
    CASE(o.module = -1, "module -1: expected a positive");
    CASE((o.teeth = 10, o.profile_shift = 0), "undercut; expected at least 0.415");
    CASE(o.profile_shift = 1.4, "pointed below the tip radius");
    CASE(o.bore = 0.083, "bore 0.083 m: expected less than the root diameter, 0.0825 m");
    CASE(o.chamfer = 0.0012, "half the tip's thickness, 0.0010");
    CASE(o.fillet_radius = 0.5, "expected at most 0.47");
    CASE(o.pressure_angle = 60, "pressure_angle 60: expected 5 to 40");
    CASE(o.width = NAN, "width nan: expected");
    CASE(o.module = 1e-300, "module 1e-300: expected 1e-6 to 1e6");
    CASE(o.width = 1e-12, "width 1e-12: expected a hundredth of a module");
    CASE(o.width = 1e12, "width 1e+12: expected");
    CASE(o.bore = 1e-12, "bore 1e-12 m: expected at least a two-thousandth of the root diameter");
    CASE((o.pressure_angle = 40, o.profile_shift = 0), "dedendum 1.25: the teeth of the rack are pointed");
#undef CASE
    for (int i = 0; i < count; i++) {
        assert_int_equal(slip_gear_measure(ctx, &cases[i].o, &g), SLIP_ERROR_MODEL);
        if (!strstr(slip_context_message(ctx), cases[i].message))
            fail_msg("case %d: %s", i, slip_context_message(ctx));
    }
    slip_gear_options o = pinion();
    o.mesh.root = 3;
    slip_gear_mesh *mesh = NULL;
    assert_int_equal(slip_gear_mesh_create(ctx, &o, &mesh), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "mesh.root 3: expected an even number"));
    o.mesh.root = 4;
    o.mesh.flank = 0;
    assert_int_equal(slip_gear_mesh_create(ctx, &o, &mesh), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "mesh.flank 0: expected 1 to"));
    assert_null(mesh);
    slip_context_destroy(ctx);
}

static double area_of(const slip_section *s)
{
    double area = 0, c = cos(2 * pi / s->teeth), d = sin(2 * pi / s->teeth);
    for (int e = 0; e < s->quad_count; e++)
        for (int k = 0; k < 4; k++) {
            double p[2][2];
            for (int i = 0; i < 2; i++) {
                int node = s->quads[4 * e + (k + i) % 4];
                const double *o = &s->points[2 * (node % s->node_count)];
                bool next = node >= s->node_count;
                p[i][0] = next ? c * o[0] - d * o[1] : o[0];
                p[i][1] = next ? d * o[0] + c * o[1] : o[1];
            }
            area += (p[0][0] * p[1][1] - p[0][1] * p[1][0]) / 2;
        }
    return area;
}

/* Over a wide range of gears and numbers of elements: no element is folded, none has a corner of less than 20
 * degrees (of a coarse mesh with a chamfer: 10), and the area is that of the outline. */
static void meshes_are_sound(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    const double shifts[] = {-0.3, 0, 0.3, 0.6};
    const int teeth[] = {12, 18, 25, 37, 80, 200};
    const int every = test_sanitized ? 7
                      : test_all()   ? 1
                                     : 5; /* 5 and 7 meet all numbers of teeth, shifts and kinds */
    int made = 0;
    for (int i = 0; i < 6 * 4 * 4; i += every) {
        slip_gear_options o = pinion();
        o.teeth = teeth[i % 6];
        o.profile_shift = shifts[i / 6 % 4];
        o.bore = 0.5 * o.teeth * o.module;
        int kind = i / 24;
        if (kind == 1)
            o.mesh = (slip_gear_mesh_options){4, 1, 2, 2, 1, 1};
        if (kind == 2)
            o.mesh = (slip_gear_mesh_options){30, 8, 12, 8, 16, 1};
        if (kind == 3) {
            o.chamfer = 0.02 * o.module;
            o.fillet_radius = 0.2;
        }
        slip_gear_geometry g;
        if (slip_gear_measure(ctx, &o, &g) < 0)
            continue;
        slip_section *s = NULL;
        if (slip_section_create(ctx, &o, &s) < 0)
            fail_msg("%d teeth, shift %g: %s", o.teeth, o.profile_shift, slip_context_message(ctx));
        made++;
        if (slip_section_quality(s) < sin((kind == 3 || kind == 1 ? 10 : 20) * pi / 180))
            fail_msg("%d teeth, shift %g, kind %d: quality %g", o.teeth, o.profile_shift, kind,
                     slip_section_quality(s));
        double fine = 0, r0 = o.bore / 2;
        if (kind == 2) { /* ring up to the root, then the outline by the same points in polar form */
            slip_profile p;
            slip_profile_make(ctx, &o, &p);
            slip_profile_point points[402];
            slip_profile_foot_points(&p, 200, points);
            slip_profile_flank_points(&p, 200, points + 201);
            fine = p.radii.tip_radius * p.radii.tip_radius * points[401].angle - r0 * r0 * pi / o.teeth;
            for (int k = 0; k < 401; k++)
                fine += points[k].radius * points[k + 1].radius * sin(points[k].angle - points[k + 1].angle);
            assert_close(area_of(s) / fine, 1, 2e-3);
        }
        slip_section_destroy(s);
    }
    assert_true(made > 70 / every - 2);
    slip_context_destroy(ctx);
}

static void mesh_is_cyclic_with_ordered_sets(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    const struct {
        slip_gear_options o;
        int nodes, elements, flank;
    } gears[] = {{pinion(), 103419, 86064, 234}, {wheel(), 208270, 173696, 225}};
    for (int g = 0; g < 2; g++) {
        slip_gear_mesh *gear = NULL;
        assert_int_equal(slip_gear_mesh_create(ctx, &gears[g].o, &gear), SLIP_OK);
        const slip_mesh *mesh = gear->mesh;
        slip_profile p;
        slip_profile_make(ctx, &gears[g].o, &p);
        /* The published numbers, within 2 %. */
        assert_close((double)mesh->node_count / gears[g].nodes, 1, 0.02);
        assert_close((double)mesh->element_count / gears[g].elements, 1, 0.02);
        int teeth = gears[g].o.teeth;
        for (int tooth = 1; tooth <= teeth; tooth++) {
            char name[32];
            snprintf(name, sizeof name, "tooth%d_left", tooth);
            const slip_mesh_set *left = slip_mesh_find(mesh, name, SLIP_SET_NODES);
            snprintf(name, sizeof name, "tooth%d_right", tooth);
            const slip_mesh_set *right = slip_mesh_find(mesh, name, SLIP_SET_NODES);
            assert_non_null(left);
            assert_non_null(right);
            assert_int_equal(left->count, gears[g].flank);
            double middle = 2 * pi * (tooth - 1) / teeth;
            for (int i = 0; i < left->count; i++) {
                const double *a = &mesh->points[3 * left->items[i]], *b = &mesh->points[3 * right->items[i]];
                slip_profile_point flank = slip_profile_involute(&p, hypot(a[0], a[1]));
                assert_close(a[0], flank.radius * cos(middle + flank.angle), 1e-15);
                assert_close(b[1], flank.radius * sin(middle - flank.angle), 1e-15);
                assert_close(a[2], b[2], 0);
                assert_close(a[2], 0.038 * (i / (gears[g].flank / 9) - 4) / 8, 1e-17);
            }
        }
        const slip_mesh_set *bore = slip_mesh_find(mesh, "bore", SLIP_SET_NODES);
        assert_int_equal(bore->count, teeth * 14 * 9);
        for (int i = 0; i < bore->count; i++)
            assert_close(hypot(mesh->points[3 * bore->items[i]], mesh->points[3 * bore->items[i] + 1]),
                         gears[g].o.bore / 2, 1e-16);
        assert_int_equal(slip_mesh_find(mesh, "front", SLIP_SET_NODES)->count, mesh->node_count / 9);
        assert_int_equal(slip_mesh_find(mesh, "back", SLIP_SET_NODES)->count, mesh->node_count / 9);
        slip_gear_mesh_destroy(gear);
    }
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fillet_is_the_envelope_of_the_rack),
        cmocka_unit_test(flank_is_an_involute),
        cmocka_unit_test(distance_of_a_pair),
        cmocka_unit_test(bad_gears_are_refused),
        cmocka_unit_test(meshes_are_sound),
        cmocka_unit_test(mesh_is_cyclic_with_ordered_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
