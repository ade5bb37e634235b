/* Several areas of one rigid body: with the slip q of the first one, that of part i is G_i q, and all forces
 * along q add up to sum of w_i G_i^T T_i(G_i q). It is a surface as any other, the Minkowski sum of theirs.
 */
#include "patch/patch.h"

#include <string.h>

void slip_patch_sum_prepare(slip_patch *sum, int count, slip_patch_part *parts)
{
    memset(sum, 0, sizeof *sum);
    sum->part_count = count;
    sum->parts = parts;
}

static void add_part(const slip_patch_part *part, const double q[3], double T[3], double *derivative)
{
    const double *G = part->map;
    double own[3], force[3], D[9], DG[9];
    for (int i = 0; i < 3; i++)
        own[i] = G[3 * i] * q[0] + G[3 * i + 1] * q[1] + G[3 * i + 2] * q[2];
    slip_patch_surface(part->patch, own, force, derivative ? D : NULL);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            T[i] += part->weight * G[3 * k + i] * force[k];
    if (!derivative)
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            DG[3 * i + j] = 0;
            for (int k = 0; k < 3; k++)
                DG[3 * i + j] += D[3 * i + k] * G[3 * k + j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                derivative[3 * i + j] += part->weight * G[3 * k + i] * DG[3 * k + j];
}

void slip_patch_linear(const slip_patch *patch, double A[9])
{
    memset(A, 0, 9 * sizeof *A);
    if (patch->point)
        A[0] = patch->axes[0] * patch->axes[0], A[4] = patch->axes[1] * patch->axes[1];
    else if (patch->part_count == 0)
        slip_patch_matrix(&patch->moments, patch->integral ? 1 : patch->pade.b, A);
    for (int n = 0; n < patch->part_count; n++) {
        const slip_patch_part *part = &patch->parts[n];
        double own[9];
        slip_patch_linear(part->patch, own);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++)
                    for (int l = 0; l < 3; l++)
                        A[3 * i + j] +=
                            part->weight * part->map[3 * k + i] * own[3 * k + l] * part->map[3 * l + j];
    }
}

void slip_patch_sum_evaluate(const slip_patch *sum, const double q[3], double T[3], double *derivative)
{
    memset(T, 0, 3 * sizeof *T);
    if (derivative)
        memset(derivative, 0, 9 * sizeof *derivative);
    for (int k = 0; k < sum->part_count; k++)
        add_part(&sum->parts[k], q, T, derivative);
}

void slip_patch_surface(const slip_patch *patch, const double q[3], double T[3], double *derivative)
{
    if (patch->part_count > 0)
        slip_patch_sum_evaluate(patch, q, T, derivative);
    else if (patch->point)
        slip_patch_point_surface(patch, q, T, derivative);
    else if (!patch->integral)
        slip_pade_evaluate(&patch->pade, q, T, derivative);
    else if (patch->table)
        slip_patch_table_evaluate(patch->table, q, T, derivative);
    else
        slip_patch_integral_direct(patch, q, T, derivative);
}

void slip_patch_matrix(const slip_patch_moments *c, double b, double A[9])
{
    const double value[9] = {1, 0, -b * c->c011, 0, 1, b * c->c101, -c->c010, c->c100, b * c->c00_1};
    memcpy(A, value, sizeof value);
}
