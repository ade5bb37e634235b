/* Pairs of flanks. The rule is in the header. */
#include "gear/flank/tooth_pairs.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* A wheel seen from its centre: the angle of tooth 0 from the direction towards the other, and how far a
 * tooth's middle may be from there. */
typedef struct view {
    int teeth;
    double pitch, first, reach, radius; /* radius: of the working pitch circle, negative for the second */
} view;

static view look(const slip_tooth_wheel wheels[2], int which)
{
    const slip_tooth_wheel *w = &wheels[which], *other = &wheels[1 - which];
    double dx = other->centre[0] - w->centre[0], dy = other->centre[1] - w->centre[1], a = hypot(dx, dy);
    double r = w->tip_radius, s = other->tip_radius;
    view v = {
        .teeth = w->teeth, .pitch = 2 * pi / w->teeth, .first = remainder(w->angle - atan2(dy, dx), 2 * pi)};
    double cosine = (r * r + a * a - s * s) / (2 * r * a);
    v.reach = cosine < 1 ? acos(fmax(cosine, -1)) + v.pitch / 2 : -1;
    v.radius = (which ? -a : a) * w->teeth / (w->teeth + other->teeth);
    return v;
}

static int wrap(int k, int teeth)
{
    return ((k % teeth) + teeth) % teeth;
}

int slip_tooth_pairs_find(const slip_tooth_wheel wheels[2], slip_flank_pair pairs[slip_tooth_pairs_max])
{
    view a = look(wheels, 0), b = look(wheels, 1);
    if (!isfinite(a.first + a.reach) || !isfinite(b.first + b.reach))
        return 0;
    int count = 0, low = (int)ceil((-a.reach - a.first) / a.pitch),
        high = (int)floor((a.reach - a.first) / a.pitch);
    for (int i = low; i <= high; i++) {
        double y = a.radius * (a.first + i * a.pitch);
        for (int left = 0; left < 2; left++) {
            /* The tooth j of the second gear with 0 < y_j - y <= pitch (left), or -pitch <= y_j - y < 0. Its
             * y falls with j. */
            double place = (y / b.radius - b.first) / b.pitch;
            int j = left ? (int)ceil(place) - 1 : (int)floor(place) + 1;
            if (fabs(b.first + j * b.pitch) > b.reach || count == slip_tooth_pairs_max)
                continue;
            pairs[count++] = (slip_flank_pair){{2 * wrap(i, a.teeth) + left, 2 * wrap(j, b.teeth) + left}};
        }
    }
    return count;
}

int slip_tooth_surfaces(slip_context *ctx, const slip_gear_mesh *gear, slip_flank_surface *surfaces)
{
    const slip_section *s = gear->section;
    for (int k = 0; k < 2 * s->teeth; k++) {
        char name[slip_gear_flank_name_size];
        slip_gear_flank_name(k, name);
        const slip_mesh_set *set = slip_mesh_find(gear->mesh, name, SLIP_SET_NODES);
        if (!set)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "the gear's mesh has no set of nodes `%s`", name);
        surfaces[k] = (slip_flank_surface){.rows = s->counts.width + 1,
                                           .columns = s->counts.flank + 1,
                                           .nodes = set->items,
                                           .flipped = k % 2};
    }
    return SLIP_OK;
}

int slip_tooth_check_apart(slip_context *ctx, const slip_flank_totals *totals, const slip_flank_pair *pairs,
                           double tolerance)
{
    if (totals->deepest_pair < 0 || totals->deepest <= tolerance)
        return SLIP_OK;
    const int *surface = pairs[totals->deepest_pair].surface;
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "the gears are one inside the other at the start: the %s flanks of tooth %d of the first and "
        "tooth %d of the second overlap by %g m; expected axes further apart, or teeth with backlash",
        surface[0] % 2 ? "left" : "right", surface[0] / 2 + 1, surface[1] / 2 + 1, totals->deepest);
}
