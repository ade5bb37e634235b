/* Impacts with friction of more than one dimension: Coulomb's law for the impulses of a point in a plane or
 * of an area,
 *
 *     P_t = -mu P_n t(z),   s+ = L z with L > 0,   or s+ = 0 and P_t within mu P_n times the limit surface,
 *
 * with s+ the slip velocity after the impact. With what all other contacts do given, 1/P_n is linear in t,
 * and so is s+/P_n = b - K t: the direction z follows as that of slip that starts from rest does
 * (law/patch_slide.c). Contacts that slide at the same time take turns until no direction changes. */
#include "method/impact_types.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

void slip_impact_plane_prepare(slip_impact *impact, int k, double t, const double *q, const double *v)
{
    const slip_system *system = impact->system;
    const int c = impact->try.contact[k], n = system->n;
    const slip_patch_form *form = system->contacts[c].patch;
    double *rows = impact->rows + (impact->width * k + 1) * n,
           *responses = impact->responses + (impact->width * k + 1) * n;
    plane *own = &impact->try.planes[k];
    double slip[3], across[3], size = 0, rest = 0;
    slip_system_patch_slip(system, impact->work, c, t, q, v, slip);
    slip[2] *= form->size;
    memset(own, 0, sizeof *own);
    own->law = form->law;
    own->rank = slip_system_patch_basis(system, impact->work, c, own->basis);
    memcpy(across, slip, sizeof across);
    impact->try.friction[k] =
        system->contacts[c].varying_count > 0 ? impact->work->patch_mu[form->index] : form->impact_mu;
    for (int j = 0; j < own->rank; j++) {
        const double *vector = own->basis + 3 * j;
        for (int i = 0; i < n; i++) {
            rows[j * n + i] = 0;
            for (int part = 0; part < 3; part++)
                rows[j * n + i] += vector[part] * (part == 2 ? form->size : 1) *
                                   slip_system_patch_row(system, impact->work, c, part)[i];
        }
        slip_system_response(system, impact->work, rows + j * n, responses + j * n);
        own->slip[j] = slip_impact_dot(3, vector, slip);
        for (int part = 0; part < 3; part++)
            across[part] -= own->slip[j] * vector[part];
    }
    for (int part = 0; part < 3; part++) {
        size += fabs(slip[part]);
        rest += fabs(across[part]);
    }
    own->turns = rest <= 1e-12 * size;
    for (int j = 0; j < own->rank; j++)
        own->direction[j] = own->slip[j] == 0 && j == 0 ? 1 : own->slip[j];
    if (!own->turns) { /* it slides on as before */
        double T[3];
        slip_patch_surface(own->law, slip, T, NULL);
        for (int j = 0; j < own->rank; j++)
            own->friction[j] = slip_impact_dot(3, own->basis + 3 * j, T);
    }
}

/* Along z, of any length. */
static void aim(plane *own, const double *z)
{
    double q[3] = {0, 0, 0}, T[3], length = sqrt(slip_impact_dot(own->rank, z, z));
    for (int j = 0; j < own->rank; j++) {
        own->direction[j] = z[j] / length;
        for (int part = 0; part < 3; part++)
            q[part] += own->direction[j] * own->basis[3 * j + part];
    }
    slip_patch_surface(own->law, q, T, NULL);
    for (int j = 0; j < own->rank; j++)
        own->friction[j] = slip_impact_dot(3, own->basis + 3 * j, T);
}

/* The slip velocity of contact k after the impulses that were found. */
static void slip_after(const slip_impact *impact, int k, double slip[3])
{
    const attempt *try = &impact->try;
    const int n = impact->system->n, width = impact->width;
    for (int j = 0; j < try->planes[k].rank; j++) {
        const double *row = impact->rows + (width * k + 1 + j) * n;
        slip[j] = try->planes[k].slip[j];
        for (int other = 0; other < try->count; other++) {
            const double *responses = impact->responses + width * other * n;
            const plane *with = &try->planes[other];
            slip[j] += slip_impact_dot(n, row, responses) * try->normal[other];
            if (!with->law)
                slip[j] += slip_impact_dot(n, row, responses + n) * try->tangential[other];
            for (int l = 0; with->law && l < with->rank; l++)
                slip[j] += slip_impact_dot(n, row, responses + (1 + l) * n) * with->tangential[l];
        }
    }
}

/* s+/P_n where contact k slides along z. */
static bool slip_along(slip_impact *impact, int k, const double *z, double slip[3])
{
    aim(&impact->try.planes[k], z);
    if (!slip_impact_find(impact) || !(fabs(impact->try.normal[k]) > 0))
        return false;
    slip_after(impact, k, slip);
    for (int j = 0; j < impact->try.planes[k].rank; j++)
        slip[j] /= impact->try.normal[k];
    return true;
}

/* The direction of contact k, with those of all others as they are: b and K from slip along the basis, and
 * against its first vector. */
static bool turn(slip_impact *impact, int k, double *change)
{
    plane *own = &impact->try.planes[k];
    const int rank = own->rank;
    double slip[4][3], b[3], K[9], z[3], L, before[3], friction[9], T[3];
    memcpy(before, own->direction, sizeof before);
    memcpy(z, own->direction, sizeof z);
    for (int l = 0; l <= rank; l++) {
        double along[3] = {0, 0, 0};
        along[l < rank ? l : 0] = l < rank ? 1 : -1;
        if (!slip_along(impact, k, along, slip[l]))
            return false;
    }
    for (int j = 0; j < rank; j++)
        b[j] = 0.5 * (slip[0][j] + slip[rank][j]);
    for (int j = 0; j < rank; j++) {
        double right[3];
        for (int l = 0; l < rank; l++) {
            slip_patch_surface(own->law, own->basis + 3 * l, T, NULL);
            for (int m = 0; m < rank; m++)
                friction[rank * l + m] = slip_impact_dot(3, own->basis + 3 * m, T);
            right[l] = b[j] - slip[l][j];
        }
        if (!slip_dense_solve(rank, friction, right))
            return false;
        memcpy(K + rank * j, right, (size_t)rank * sizeof *right);
    }
    L = sqrt(slip_impact_dot(rank, z, z));
    for (int j = 0; j < rank; j++)
        z[j] /= L;
    if (!slip_patch_slide(own->law, rank, own->basis, K, b, 1, z, &L))
        return false;
    aim(own, z);
    *change = 0;
    for (int j = 0; j < rank; j++)
        *change = fmax(*change, fabs(own->direction[j] - before[j]));
    return true;
}

bool slip_impact_plane_find(slip_impact *impact)
{
    enum { rounds = 60 };
    double most = 1, change;
    for (int round = 0; round < rounds && most > 1e-13; round++) {
        int sliding = 0;
        most = 0;
        for (int k = 0; k < impact->try.count; k++) {
            if (impact->try.roles[k] != SLIDING || !impact->try.planes[k].turns)
                continue;
            if (!turn(impact, k, &change))
                return false;
            most = fmax(most, change);
            sliding++;
        }
        if (sliding < 2)
            break;
    }
    return slip_impact_find(impact);
}

bool slip_impact_plane_obeys(slip_impact *impact, int k, double size, double impulses, bool strict)
{
    const plane *own = &impact->try.planes[k];
    const role r = impact->try.roles[k];
    double slip[3], length, ratio, z[3], hold;
    slip_context *ctx;
    bool within;
    if (r != STICKING && r != SLIDING)
        return true;
    slip_after(impact, k, slip);
    length = sqrt(slip_impact_dot(own->rank, slip, slip));
    if (r == SLIDING)
        return (!own->turns || slip_impact_dot(own->rank, slip, own->direction) > -1e-10 * size) &&
               !(strict && length < 1e-10 * size);
    if (!own->turns || length > 1e-9 * size)
        return false;
    ctx = slip_context_create();
    if (!ctx)
        return false;
    hold = impact->try.friction[k] * impact->try.normal[k] * (1 + 1e-10) + 1e-12 * impulses;
    within = slip_patch_limit_within(ctx, own->law, own->rank, own->basis, own->tangential, &ratio, z) >= 0 &&
             ratio <= hold;
    slip_context_destroy(ctx);
    return within;
}
