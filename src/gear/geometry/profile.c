/* The outline of a tooth. The theory is in the header. */
#include "gear/geometry/profile.h"

#include <math.h>
#include <stdbool.h>

static const double pi = 3.14159265358979323846;

static double involute(double angle)
{
    return tan(angle) - angle;
}

slip_profile_point slip_profile_involute(const slip_profile *profile, double radius)
{
    double base = profile->radii.base_radius;
    double here = acos(fmin(base / radius, 1));
    return (slip_profile_point){radius, profile->half_thickness + involute(profile->alpha) - involute(here)};
}

slip_profile_point slip_profile_fillet(const slip_profile *profile, double beta)
{
    double r = profile->radii.pitch_radius;
    double p = profile->tool[0] + profile->tool[1] * cos(beta) / sin(beta);
    double x = profile->tool[0] + profile->tool_radius * cos(beta) - p;
    double y = profile->tool[1] - profile->tool_radius * sin(beta) + r;
    return (slip_profile_point){hypot(x, y), pi / profile->teeth - p / r - atan2(x, y)};
}

static int refuse(slip_context *ctx, const slip_gear_options *o, const char *field, double value,
                  const char *expected)
{
    return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: %s %.10g: expected %s", o->name, field, value, expected);
}

static int check_numbers(slip_context *ctx, const slip_gear_options *o)
{
    const struct {
        const char *name;
        double value;
        bool zero; /* allowed */
    } positive[] = {
        {"module", o->module, false},     {"width", o->width, false},
        {"bore", o->bore, false},         {"addendum", o->addendum, false},
        {"dedendum", o->dedendum, false}, {"fillet_radius", o->fillet_radius, true},
        {"chamfer", o->chamfer, true},    {"backlash", o->backlash, true},
    };
    if (o->teeth < 5 || o->teeth > 10000)
        return refuse(ctx, o, "teeth", o->teeth, "5 to 10000");
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) {
        double value = positive[i].value;
        if (!isfinite(value) || value < 0 || (value == 0 && !positive[i].zero))
            return refuse(ctx, o, positive[i].name, value,
                          positive[i].zero ? "zero or a positive number" : "a positive number");
    }
    /* Beyond these, elements are slivers, and rounding errors all that is left. */
    if (!(o->module >= 1e-6 && o->module <= 1e6))
        return refuse(ctx, o, "module", o->module, "1e-6 to 1e6");
    if (!(o->width >= 1e-2 * o->module && o->width <= 1e4 * o->module))
        return refuse(ctx, o, "width", o->width, "a hundredth of a module to 10000 modules");
    if (!(o->pressure_angle >= 5 && o->pressure_angle <= 40))
        return refuse(ctx, o, "pressure_angle", o->pressure_angle, "5 to 40 degrees");
    if (!isfinite(o->profile_shift))
        return refuse(ctx, o, "profile_shift", o->profile_shift, "a number");
    return SLIP_OK;
}

/* Radii, tool and thickness; nothing is checked. */
static void derive(const slip_gear_options *o, slip_profile *profile)
{
    double m = o->module, alpha = o->pressure_angle * pi / 180;
    slip_gear_geometry *g = &profile->radii;
    *profile = (slip_profile){.teeth = o->teeth, .alpha = alpha, .chamfer = o->chamfer};
    g->pitch_radius = m * o->teeth / 2;
    g->base_radius = g->pitch_radius * cos(alpha);
    g->tip_radius = g->pitch_radius + m * (o->addendum + o->profile_shift);
    g->root_radius = g->pitch_radius - m * (o->dedendum - o->profile_shift);
    profile->half_thickness =
        (m * (pi / 2 + 2 * o->profile_shift * tan(alpha)) - o->backlash) / (2 * g->pitch_radius);
    double rho = m * o->fillet_radius, depth = m * o->dedendum - rho;
    profile->tool_radius = rho;
    profile->tool[0] = m * pi / 4 - depth * tan(alpha) - rho / cos(alpha) + o->backlash / 2;
    profile->tool[1] = m * o->profile_shift - depth;
    g->least_shift =
        o->dedendum - o->fillet_radius * (1 - sin(alpha)) - o->teeth / 2.0 * sin(alpha) * sin(alpha);
    g->form_radius = slip_profile_fillet(profile, alpha).radius;
    g->tip_thickness = 2 * g->tip_radius * slip_profile_involute(profile, g->tip_radius).angle;
}

/* Whether the outline goes up and never back: without that it is no outline of a tooth. */
static bool fillet_rises(const slip_profile *profile)
{
    enum { steps = 64 };
    slip_profile_point before = slip_profile_fillet(profile, pi / 2);
    for (int i = 1; i <= steps; i++) {
        slip_profile_point here =
            slip_profile_fillet(profile, pi / 2 + (profile->alpha - pi / 2) * i / steps);
        if (!(here.radius > before.radius) || !(here.angle < before.angle))
            return false;
        before = here;
    }
    return true;
}

static int check_shape(slip_context *ctx, const slip_gear_options *o, const slip_profile *profile)
{
    const slip_gear_geometry *g = &profile->radii;
    if (o->profile_shift < g->least_shift)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "%s: profile_shift %.10g with %d teeth: the foot is undercut; expected at least %.10g", o->name,
            o->profile_shift, o->teeth, g->least_shift);
    if (profile->tool[0] < 0 &&
        o->fillet_radius * (1 / cos(profile->alpha) - tan(profile->alpha)) < -profile->tool[0] / o->module)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: dedendum %.10g: the teeth of the rack are pointed above it; expected at most "
                         "%.10g, or a smaller pressure_angle (%.10g)",
                         o->name, o->dedendum, (pi / 4 + o->backlash / (2 * o->module)) / tan(profile->alpha),
                         o->pressure_angle);
    if (profile->tool[0] < 0)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "%s: fillet_radius %.10g: the tip of the rack is not wide enough for it; expected at "
            "most %.10g",
            o->name, o->fillet_radius,
            o->fillet_radius +
                profile->tool[0] / o->module / (1 / cos(profile->alpha) - tan(profile->alpha)));
    if (g->tip_thickness <= 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: the teeth are pointed below the tip radius %.10g m; expected a smaller "
                         "profile_shift (%.10g), addendum (%.10g) or backlash",
                         o->name, g->tip_radius, o->profile_shift, o->addendum);
    if (2 * o->chamfer >= g->tip_thickness)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: chamfer %.10g m: expected less than half the tip's thickness, %.10g m", o->name,
                         o->chamfer, g->tip_thickness / 2);
    if (g->tip_radius - o->chamfer <= g->form_radius || !fillet_rises(profile))
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "%s: nothing is left of the involute between its foot at radius %.10g m and the tip at "
            "%.10g m",
            o->name, g->form_radius, g->tip_radius - o->chamfer);
    if (o->bore >= 2 * g->root_radius)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: bore %.10g m: expected less than the root diameter, %.10g m", o->name, o->bore,
                         2 * g->root_radius);
    if (o->bore < 1e-3 * g->root_radius)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: bore %.10g m: expected at least a two-thousandth of the root diameter, %.10g m",
                         o->name, o->bore, 1e-3 * g->root_radius);
    return SLIP_OK;
}

int slip_profile_make(slip_context *ctx, const slip_gear_options *options, slip_profile *profile)
{
    SLIP_PASS(check_numbers(ctx, options));
    derive(options, profile);
    return check_shape(ctx, options, profile);
}

void slip_profile_flank_points(const slip_profile *profile, int count, slip_profile_point *points)
{
    /* The length of an involute from its base circle is base tan^2 / 2, tan = sqrt((R/base)^2 - 1). */
    double base = profile->radii.base_radius, top = profile->radii.tip_radius - profile->chamfer;
    double foot = profile->radii.form_radius;
    double low = foot * foot / (base * base) - 1, high = top * top / (base * base) - 1;
    for (int i = 0; i <= count; i++) {
        double roll = low + (high - low) * i / count; /* squared */
        double radius = i == 0 ? foot : i == count ? top : base * sqrt(1 + fmax(roll, 0));
        points[i] = slip_profile_involute(profile, radius);
    }
}

void slip_profile_foot_points(const slip_profile *profile, int count, slip_profile_point *points)
{
    enum { chords = 512 };
    double length[chords + 1], half_pitch = pi / profile->teeth;
    slip_profile_point root = slip_profile_fillet(profile, pi / 2);
    double land = root.radius * (half_pitch - root.angle), step = (profile->alpha - pi / 2) / chords;
    slip_profile_point before = root;
    length[0] = land;
    for (int i = 1; i <= chords; i++) {
        slip_profile_point here = slip_profile_fillet(profile, pi / 2 + step * i);
        double radial = here.radius - before.radius;
        double around = 2 * sqrt(here.radius * before.radius) * sin((before.angle - here.angle) / 2);
        length[i] = length[i - 1] + hypot(radial, around);
        before = here;
    }
    int chord = 0;
    for (int i = 0; i <= count; i++) {
        double wanted = length[chords] * i / count;
        if (wanted <= land) {
            points[i] = (slip_profile_point){root.radius, half_pitch - wanted / root.radius};
            continue;
        }
        while (chord < chords - 1 && length[chord + 1] < wanted)
            chord++;
        double inside = (wanted - length[chord]) / (length[chord + 1] - length[chord]);
        points[i] =
            slip_profile_fillet(profile, i == count ? profile->alpha : pi / 2 + step * (chord + inside));
    }
}

/* ---- Public. */

slip_gear_options slip_gear_options_default(void)
{
    return (slip_gear_options){
        .name = "gear",
        .pressure_angle = 20,
        .addendum = 1,
        .dedendum = 1.25,
        .fillet_radius = 0.38,
        .mesh = {.flank = 25, .fillet = 3, .thickness = 10, .root = 4, .rim = 23, .width = 8},
        .young = 210e9,
        .poisson = 0.3,
        .density = 7850,
        .element = "incompatible",
        .modes = 50,
        .bore_set = "bore",
    };
}

/* The angle with inv(angle) = value >= 0, by Newton's method from above the root (inv is convex). */
static double involute_inverse(double value)
{
    double angle = value < 0.1 ? cbrt(3 * value) : atan(value + pi / 2);
    for (int i = 0; i < 50 && angle > 0; i++) {
        double slope = tan(angle) * tan(angle), change = (involute(angle) - value) / slope;
        angle -= change;
        if (fabs(change) <= 1e-16 * angle)
            break;
    }
    return angle;
}

int slip_gear_distance(slip_context *ctx, const slip_gear_options *first, const slip_gear_options *second,
                       double *distance, double *angle)
{
    SLIP_NEED(ctx, first, second, distance);
    slip_profile one, two;
    SLIP_PASS(slip_profile_make(ctx, first, &one));
    SLIP_PASS(slip_profile_make(ctx, second, &two));
    if (first->module != second->module || first->pressure_angle != second->pressure_angle)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "%s and %s: module %.10g and %.10g m, pressure_angle %.10g and %.10g: gears that mesh "
            "have the same",
            first->name, second->name, first->module, second->module, first->pressure_angle,
            second->pressure_angle);
    double shifts = first->profile_shift + second->profile_shift, teeth = first->teeth + second->teeth;
    double working = involute(one.alpha) + 2 * shifts / teeth * tan(one.alpha);
    if (working <= 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s and %s: profile_shift %.10g and %.10g: no distance at which the gears mesh; "
                         "expected a sum above %.10g",
                         first->name, second->name, first->profile_shift, second->profile_shift,
                         -involute(one.alpha) * teeth / (2 * tan(one.alpha)));
    working = involute_inverse(working);
    *distance = (one.radii.base_radius + two.radii.base_radius) / cos(working);
    if (angle)
        *angle = working;
    return SLIP_OK;
}

/* Closer than that a tip is inside the other gear's root wherever it passes, which the flanks do not see. */
static int check_distance(slip_context *ctx, const slip_profile profile[2], double distance)
{
    const slip_gear_geometry *a = &profile[0].radii, *b = &profile[1].radii;
    const double least = fmax(a->tip_radius + b->root_radius, a->root_radius + b->tip_radius);
    if (distance <= least)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "found distance %.10g m, expected more than %.10g m: closer the tip of a gear is "
                         "inside the root of the other",
                         distance, least);
    return SLIP_OK;
}

int slip_gear_contact_ratio(slip_context *ctx, const slip_gear_options *first,
                            const slip_gear_options *second, double distance, double *ratio)
{
    SLIP_NEED(ctx, first, second, ratio);
    const slip_gear_options *const gears[2] = {first, second};
    slip_profile profile[2];
    double without_backlash, path = 0, base = 0;
    SLIP_PASS(slip_gear_distance(ctx, first, second, &without_backlash, NULL));
    for (int k = 0; k < 2; k++) {
        SLIP_PASS(slip_profile_make(ctx, gears[k], &profile[k]));
        base += profile[k].radii.base_radius;
        path += sqrt(fmax(0, pow(profile[k].radii.tip_radius - profile[k].chamfer, 2) -
                                 pow(profile[k].radii.base_radius, 2)));
    }
    if (distance > 0)
        SLIP_PASS(check_distance(ctx, profile, distance));
    else
        distance = without_backlash;
    /* Length of the path of contact on the line of action over the base pitch. */
    *ratio = (path - sqrt(fmax(0, distance * distance - base * base))) /
             (2 * pi * profile[0].radii.base_radius / first->teeth);
    return SLIP_OK;
}
