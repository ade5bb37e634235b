/* A point in a plane: an area without a size. Its limit surface is an ellipse with the axes of the slip, and
 * it has no moment. Friction dissipates the most (Moreau's principle), so that it is the gradient of a
 * potential,
 *
 *     T = grad sqrt(a^2 x^2 + b^2 y^2) = (a^2 x, b^2 y)/s,   s = sqrt(a^2 x^2 + b^2 y^2),
 *
 * against the slip itself where a = b. A smooth law f(v) of one direction becomes f(s)/s (a^2 x, b^2 y). */
#include "law/types.h"
#include "patch/patch.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* T = h(s) (a^2 x, b^2 y) with h and h'(s)/s. */
static void fill(const slip_patch *patch, const double q[3], double h, double slope, double T[3],
                 double *derivative)
{
    const double own[2] = {patch->axes[0] * patch->axes[0] * q[0], patch->axes[1] * patch->axes[1] * q[1]};
    T[0] = h * own[0];
    T[1] = h * own[1];
    T[2] = 0;
    if (!derivative)
        return;
    memset(derivative, 0, 9 * sizeof *derivative);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            derivative[3 * i + j] =
                (i == j ? h * patch->axes[i] * patch->axes[i] : 0) + slope * own[i] * own[j];
}

void slip_patch_point_surface(const slip_patch *patch, const double q[3], double T[3], double *derivative)
{
    const double s = hypot(patch->axes[0] * q[0], patch->axes[1] * q[1]);
    if (s > 0)
        fill(patch, q, 1 / s, -1 / (s * s * s), T, derivative);
    else
        fill(patch, q, 0, 0, T, derivative);
}

void slip_patch_point_smooth(const slip_patch *patch, const double q[3], double T[3], double *derivative)
{
    const double s = hypot(patch->axes[0] * q[0], patch->axes[1] * q[1]);
    double force, slope;
    slip_law_force(&patch->smooth, 0, s, &force, &slope);
    /* at rest the law is a straight line; the square of s must not vanish */
    if (s > 1e-150)
        fill(patch, q, force / s, (slope - force / s) / (s * s), T, derivative);
    else
        fill(patch, q, slope, 0, T, derivative);
}

int slip_patch_create_point(slip_context *ctx, const slip_law *law, const double axes[2], slip_patch **result)
{
    slip_patch *patch = slip_alloc(1, sizeof *patch);
    int status;
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, patch));
    *patch = (slip_patch){.point = true, .size = 1, .integral = true, .static_ratio = 1, .reach = 1};
    memcpy(patch->axes, axes, sizeof patch->axes);
    SLIP_TRY(slip_law_prepare(ctx, law, &patch->smooth));
    if (patch->smooth.type->remember) {
        const bool exponent = patch->smooth.type == &slip_law_dahl && patch->smooth.law.exponent != 1;
        patch->epsilon = fmin(slip_law_velocity_scale(&patch->smooth), 1);
        patch->smooth.break_count = 0; /* |v| has its kink in one point of the plane, and no line */
        if (!patch->smooth.type->remember_plane || exponent)
            status = slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "law `%s`%s remembers the slip of one direction; in the plane expected one of "
                "dahl (with exponent 1), lugre, elastoplastic, boucwen, jenkins, or a law without memory: "
                "coulomb, tanh, arctan, sqrt, function",
                law->type, exponent ? " with another exponent than 1" : "");
        else if (axes[0] != axes[1])
            status = slip_fail(ctx, SLIP_ERROR_MODEL,
                               "law `%s`: mu is a list of two; in the plane laws with memory have one mu for "
                               "both axes",
                               law->type);
    } else if (!patch->smooth.type->info.set_valued) {
        double rest, slope;
        patch->epsilon = slip_law_velocity_scale(&patch->smooth);
        slip_law_force(&patch->smooth, 0, 0, &rest, &slope);
        if (rest != 0)
            status =
                slip_fail(ctx, SLIP_ERROR_MODEL,
                          "law `%s`: its force at rest is %g; expected 0 in the plane, where rest has no "
                          "direction",
                          law->type, rest);
        if (patch->smooth.break_count > 0)
            status =
                slip_fail(ctx, SLIP_ERROR_MODEL,
                          "law `%s`: it is not smooth at every velocity, and friction in the plane takes "
                          "`coulomb` or a smooth law: tanh, arctan, sqrt",
                          law->type);
    } else if (strcmp(law->type, "coulomb") != 0 || patch->smooth.law.viscous != 0) {
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "law `%s`%s: set-valued friction in the plane depends on the direction of the slip "
                      "alone; expected `coulomb`%s, or a smooth law: tanh, arctan, sqrt",
                      law->type, patch->smooth.law.viscous != 0 ? " with `viscous`" : "",
                      patch->smooth.law.viscous != 0 ? " and a `damping` for the viscous part"
                                                     : " with its static_ratio");
    } else if (!(fmin(axes[0], axes[1]) > 0)) {
        /* it would stick along one axis and be free along the other, which is not a mode of a point */
        status = slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "law `%s`: mu is 0 along one axis; expected two coefficients above 0, or, since this is "
            "friction of one direction, a `slip` along the other axis alone",
            law->type);
    } else {
        patch->static_ratio = patch->smooth.law.static_ratio;
    }
done:
    if (status < 0)
        free(patch); /* it owns nothing else yet */
    else
        *result = patch;
    return status;
}
