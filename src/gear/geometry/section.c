/* The plane mesh of one pitch of a gear. The theory is in the header. */
#include "gear/geometry/section.h"

#include "gear/geometry/smooth.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static int check_counts(slip_context *ctx, const slip_gear_options *o)
{
    const slip_gear_mesh_options *m = &o->mesh;
    const struct {
        const char *name;
        int value, least;
    } counts[] = {{"flank", m->flank, 1},         {"fillet", m->fillet, 1}, {"root", m->root, 2},
                  {"thickness", m->thickness, 2}, {"rim", m->rim, 1},       {"width", m->width, 1}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value < counts[i].least || counts[i].value > 1000)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: mesh.%s %d: expected %d to 1000 elements", o->name,
                             counts[i].name, counts[i].value, counts[i].least);
    if (m->root % 2 != 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: mesh.root %d: expected an even number, so that both sides of a tooth are alike",
                         o->name, m->root);
    double nodes =
        (double)o->teeth *
        ((m->rim + 1.0) * (m->thickness + m->root) + (m->fillet + m->flank + 1.0) * (m->thickness + 1.0)) *
        (m->width + 1.0);
    if (nodes > 1e8)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: mesh: %.3g nodes: expected at most 1e8", o->name, nodes);
    return SLIP_OK;
}

int slip_gear_measure(slip_context *ctx, const slip_gear_options *options, slip_gear_geometry *geometry)
{
    SLIP_NEED(ctx, options, geometry);
    slip_profile profile;
    int status = slip_profile_make(ctx, options, &profile);
    if (status >= 0)
        status = check_counts(ctx, options);
    if (status >= 0)
        *geometry = profile.radii;
    return status;
}

static void place(slip_section *s, int node, double radius, double angle)
{
    s->points[2 * node] = radius * cos(angle);
    s->points[2 * node + 1] = radius * sin(angle);
}

/* A row of the tooth: an arc between both sides. */
static void place_arc(slip_section *s, int row, slip_profile_point side)
{
    int thickness = s->counts.thickness;
    for (int c = 0; c <= thickness; c++)
        place(s, slip_section_tooth(s, row, c), side.radius, side.angle * (2.0 * c / thickness - 1));
}

/* The outline: arcs of the tooth, and the nodes of the space. */
static void place_outline(slip_section *s, const slip_profile *profile, slip_profile_point *foot,
                          slip_profile_point *flank)
{
    const slip_gear_mesh_options *m = &s->counts;
    int half = m->root / 2;
    slip_profile_foot_points(profile, half + m->fillet, foot);
    slip_profile_flank_points(profile, m->flank, flank);
    for (int k = 0; k < m->fillet; k++)
        place_arc(s, k, foot[half + k]);
    for (int k = 0; k <= m->flank; k++)
        place_arc(s, slip_section_flank_row(s, k), flank[k]);
    if (profile->chamfer > 0) {
        double tip = profile->radii.tip_radius;
        slip_profile_point side = slip_profile_involute(profile, tip);
        side.angle -= profile->chamfer / tip;
        place_arc(s, s->tooth_rows, side);
    }
    for (int k = 1; k < m->root; k++) {
        slip_profile_point p = foot[abs(half - k)];
        place(s, slip_section_rim(s, m->rim, m->thickness + k), p.radius,
              k < half ? p.angle : 2 * pi / s->teeth - p.angle);
    }
}

/* The ratio of one row's height to that of the next, so that `count` rows fill `depth` and the one at the
 * root is as high as elements are wide there; at most 1.3, and 1 where the rows are high enough anyway. */
static double grading(double depth, double first, int count)
{
    double low = 1, high = 1.3;
    for (int i = 0; i < 60; i++) {
        double q = (low + high) / 2, sum = 0, height = first;
        for (int k = 0; k < count; k++, height *= q)
            sum += height;
        *(sum < depth ? &low : &high) = q;
    }
    return low;
}

/* Straight lines from equal angles on the bore to the nodes at the root. */
static void place_rim(slip_section *s, double bore_radius)
{
    const slip_gear_mesh_options *m = &s->counts;
    double pitch = 2 * pi / s->teeth, root = 0, width = 0;
    for (int c = 0; c < s->columns; c++) {
        const double *p = &s->points[2 * slip_section_rim(s, m->rim, c)];
        root += hypot(p[0], p[1]) / s->columns;
    }
    width = root * pitch / s->columns;
    double q = grading(root - bore_radius, width, m->rim), total = 0;
    for (int row = 0; row < m->rim; row++)
        total += pow(q, m->rim - 1 - row);
    for (int c = 0; c < s->columns; c++) {
        double angle = pitch * (c - m->thickness / 2.0) / s->columns, done = 0;
        const double *top = &s->points[2 * slip_section_rim(s, m->rim, c)];
        const double bottom[2] = {bore_radius * cos(angle), bore_radius * sin(angle)};
        for (int row = 0; row < m->rim; row++) {
            double *p = &s->points[2 * slip_section_rim(s, row, c)];
            for (int k = 0; k < 2; k++)
                p[k] = bottom[k] + done / total * (top[k] - bottom[k]);
            done += pow(q, m->rim - 1 - row);
        }
    }
}

static void number_quads(slip_section *s)
{
    const slip_gear_mesh_options *m = &s->counts;
    int *quad = s->quads;
    for (int row = 0; row < m->rim; row++)
        for (int c = 0; c < s->columns; c++, quad += 4) {
            quad[0] = slip_section_rim(s, row, c);
            quad[1] = slip_section_rim(s, row + 1, c);
            quad[2] = slip_section_rim(s, row + 1, c + 1);
            quad[3] = slip_section_rim(s, row, c + 1);
        }
    for (int row = 0; row < s->tooth_rows; row++)
        for (int c = 0; c < m->thickness; c++, quad += 4) {
            quad[0] = slip_section_tooth(s, row, c);
            quad[1] = slip_section_tooth(s, row + 1, c);
            quad[2] = slip_section_tooth(s, row + 1, c + 1);
            quad[3] = slip_section_tooth(s, row, c + 1);
        }
}

/* Nodes on the outline and on the bore stay where they are. */
static void mark_outline(const slip_section *s, bool *fixed)
{
    const slip_gear_mesh_options *m = &s->counts;
    for (int c = 0; c < s->columns; c++)
        fixed[slip_section_rim(s, 0, c)] = true;
    for (int c = m->thickness; c < s->columns; c++)
        fixed[slip_section_rim(s, m->rim, c)] = true;
    for (int row = 0; row <= s->tooth_rows; row++)
        fixed[slip_section_tooth(s, row, 0)] = fixed[slip_section_tooth(s, row, m->thickness)] = true;
    for (int c = 0; c <= m->thickness; c++)
        fixed[slip_section_tooth(s, s->tooth_rows, c)] = true;
}

/* The node that is the mirror image of one, and in which pitch: 0, or -1 for one in the pitch before. */
static void mirror_lists(const slip_section *s, int *partner, int *pitch)
{
    const slip_gear_mesh_options *m = &s->counts;
    for (int row = 0; row <= m->rim; row++)
        for (int c = 0; c < s->columns; c++) {
            int image = m->thickness - c, node = slip_section_rim(s, row, c);
            pitch[node] = image < 0 ? -1 : 0;
            partner[node] = slip_section_rim(s, row, image < 0 ? image + s->columns : image);
        }
    for (int row = 1; row <= s->tooth_rows; row++)
        for (int c = 0; c <= m->thickness; c++)
            partner[slip_section_tooth(s, row, c)] = slip_section_tooth(s, row, m->thickness - c);
}

/* Makes the mesh its own mirror image to the last bit as far as rounding allows: the mean of each node and
 * the image of its partner. */
static int make_symmetric(slip_context *ctx, slip_section *s)
{
    int status = SLIP_OK;
    int *partner = slip_alloc(s->node_count, sizeof *partner),
        *pitch = slip_alloc(s->node_count, sizeof *pitch);
    double turn_x = cos(2 * pi / s->teeth), turn_y = -sin(2 * pi / s->teeth);
    SLIP_TRY(slip_allocated(ctx, partner && pitch));
    mirror_lists(s, partner, pitch);
    for (int i = 0; i < s->node_count; i++) {
        double *p = &s->points[2 * i], *o = &s->points[2 * partner[i]];
        if (partner[i] < i)
            continue;
        double x = o[0], y = o[1];
        if (pitch[i]) { /* the partner is one pitch back */
            x = turn_x * o[0] - turn_y * o[1];
            y = turn_y * o[0] + turn_x * o[1];
        }
        x = p[0] = (p[0] + x) / 2;
        y = p[1] = (p[1] - y) / 2;
        o[0] = x;
        o[1] = -y;
        if (pitch[i]) {
            o[0] = turn_x * x - turn_y * y;
            o[1] = -turn_y * x - turn_x * y;
        }
        if (partner[i] == i && !pitch[i])
            p[1] = 0;
    }
done:
    free(partner);
    free(pitch);
    return status;
}

double slip_section_quality(const slip_section *s)
{
    double cosine = cos(2 * pi / s->teeth), sine = sin(2 * pi / s->teeth), worst = 1;
    for (int e = 0; e < s->quad_count; e++) {
        double p[4][2];
        for (int k = 0; k < 4; k++) {
            int node = s->quads[4 * e + k];
            const double *o = &s->points[2 * (node % s->node_count)];
            bool next = node >= s->node_count;
            p[k][0] = next ? cosine * o[0] - sine * o[1] : o[0];
            p[k][1] = next ? sine * o[0] + cosine * o[1] : o[1];
        }
        for (int k = 0; k < 4; k++) {
            const double *a = p[k], *b = p[(k + 1) % 4], *d = p[(k + 3) % 4];
            double area = (b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]);
            worst = fmin(worst, area / (hypot(b[0] - a[0], b[1] - a[1]) * hypot(d[0] - a[0], d[1] - a[1])));
        }
    }
    return worst;
}

static int allocate(slip_context *ctx, const slip_gear_options *o, slip_section **section)
{
    slip_section *s = *section = slip_alloc(1, sizeof *s);
    SLIP_PASS(slip_allocated(ctx, s));
    s->counts = o->mesh;
    s->teeth = o->teeth;
    s->tooth_rows = o->mesh.fillet + o->mesh.flank + (o->chamfer > 0);
    s->columns = o->mesh.thickness + o->mesh.root;
    s->node_count = (o->mesh.rim + 1) * s->columns + s->tooth_rows * (o->mesh.thickness + 1);
    s->quad_count = o->mesh.rim * s->columns + s->tooth_rows * o->mesh.thickness;
    s->points = slip_arena_array(&s->arena, 2 * (int64_t)s->node_count, sizeof *s->points);
    s->quads = slip_arena_array(&s->arena, 4 * (int64_t)s->quad_count, sizeof *s->quads);
    return s->points && s->quads ? SLIP_OK : slip_fail_memory(ctx);
}

int slip_section_create(slip_context *ctx, const slip_gear_options *options, slip_section **section)
{
    int status;
    slip_profile profile;
    slip_profile_point *points = NULL;
    bool *fixed = NULL;
    *section = NULL;
    SLIP_TRY(slip_profile_make(ctx, options, &profile));
    SLIP_TRY(check_counts(ctx, options));
    SLIP_TRY(allocate(ctx, options, section));
    slip_section *s = *section;
    int foot_count = options->mesh.fillet + options->mesh.root / 2 + 1;
    points = slip_alloc(foot_count + options->mesh.flank + 1, sizeof *points);
    fixed = slip_alloc(s->node_count, sizeof *fixed);
    SLIP_TRY(slip_allocated(ctx, points && fixed));
    place_outline(s, &profile, points, points + foot_count);
    place_rim(s, options->bore / 2);
    number_quads(s);
    mark_outline(s, fixed);
    SLIP_TRY(slip_mesh_smooth(ctx, &(slip_smoothing){.node_count = s->node_count,
                                                     .quad_count = s->quad_count,
                                                     .quads = s->quads,
                                                     .fixed = fixed,
                                                     .pitch = 2 * pi / s->teeth,
                                                     .points = s->points}));
    SLIP_TRY(make_symmetric(ctx, s));
    if (!(slip_section_quality(s) > 0))
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "%s: mesh: an element folds; expected more elements along fillet or root",
                           options->name);
done:
    free(points);
    free(fixed);
    if (status < 0) {
        slip_section_destroy(*section);
        *section = NULL;
    }
    return status;
}

SLIP_DESTROY(slip_section)
