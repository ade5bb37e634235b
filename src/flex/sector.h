/* One sector of a cyclic body, for one nodal diameter at a time.
 *
 * A body of N equal sectors moves in waves: with displacements in each sector's own frame, those of sector p
 * are Re(w exp(i p phi)), phi = 2 pi h / N, for harmonics h from 0 to N/2. The nodes of an element that lie
 * in the next sector have the displacement R w exp(i phi), R the rotation by one pitch. That leaves a
 * Hermitian problem for w = a + i b, which is solved as a real one for (a, b):
 *
 *     |w|_K^2 = [a]^T K [a] + [b]^T K [b],  where [.] of the next sector's nodes is R (a cos phi - b sin phi)
 * and R (a sin phi + b cos phi).
 *
 * Its eigenvalues come in pairs, as those of the whole body do. For h = 0 and h = N/2 waves are real: b is
 * left out. A body that is symmetric about its mid-plane is cut there. On the plane symmetric motions have no
 * displacement normal to it, antisymmetric ones none within it. */
#ifndef SLIP_FLEX_SECTOR_H
#define SLIP_FLEX_SECTOR_H

#include "fem/solid.h"
#include "math/eigen.h"
#include "math/factor.h"

typedef struct slip_sector_mesh {
    int sectors;          /* N */
    int node_count;       /* of one sector, or of its half below the mid-plane */
    const double *points; /* x, y, z of its nodes; the axis is z */
    int element_count;
    const int *elements; /* eight nodes each; + node_count: the same node of the next sector. No element may
                          * have a node and its image: a sector is two elements wide at least */
    const bool *held;
    const bool *middle; /* nodes on the mid-plane z = 0, below which the mesh ends; NULL: the mesh is whole */
} slip_sector_mesh;

typedef struct slip_sector {
    slip_arena arena;
    slip_sector_mesh mesh; /* its arrays belong to the caller and must outlive the sector */
    slip_solid_options options;
    double *stiffness; /* 576 for each element */
    double *mass;      /* 64 for each element */
} slip_sector;

int slip_sector_create(slip_context *ctx, const slip_sector_mesh *mesh, const slip_solid_options *options,
                       slip_sector **sector);
void slip_sector_destroy(slip_sector *sector);
SLIP_OWNED(slip_sector, slip_sector_destroy)

/* Mass of the whole body and its moment of inertia about the axis. */
void slip_sector_inertia(const slip_sector *sector, double *mass, double *moment);

/* The problem of one harmonic: assembled and factored. */
typedef struct slip_wave {
    const slip_sector *sector;
    slip_context *ctx;
    int harmonic;
    bool antisymmetric; /* at the mid-plane */
    bool complex;       /* the unknowns are a, then b; else only a */
    int64_t part;       /* number of unknowns of a (and of b) */
    int64_t size;
    int64_t *unknown; /* of direction d of node k: [3 k + d]; -1 where held */
    slip_sparse *stiffness, *mass;
    slip_factor *factor;
} slip_wave;

int slip_wave_create(slip_context *ctx, const slip_sector *sector, int harmonic, bool antisymmetric,
                     slip_wave **wave);
/* The same with the symbolic factorisation only, to estimate memory. */
int slip_wave_plan(slip_context *ctx, const slip_sector *sector, int harmonic, bool antisymmetric,
                   slip_wave **wave);
void slip_wave_destroy(slip_wave *wave);
SLIP_OWNED(slip_wave, slip_wave_destroy)

/* The eigenvalue problem of a wave, for slip_eigen_lowest. */
slip_eigen_problem slip_wave_problem(slip_wave *wave);

/* The ratio of w^T M w of the whole body to that by the mass matrix of the wave: the number of sectors (half
 * of it for complex waves), twice that with a mid-plane. */
double slip_wave_weight(const slip_wave *wave);

/* The inertia load on the unknowns by a rotation: load = M (e_z x X) or, with `spread`, M (x, y, 0), with the
 * motion of held nodes included. Only for symmetric waves of harmonic 0. */
void slip_wave_inertia_load(const slip_wave *wave, bool spread, double *load);

/* y = e_z x x at every node. */
void slip_wave_turn(const slip_wave *wave, const double *x, double *y);

/* *count: number of eigenvalues of the wave below `bound`, by Sylvester's law of inertia on K - bound M. */
int slip_wave_count(slip_context *ctx, const slip_wave *wave, double bound, int64_t *count);

#endif
