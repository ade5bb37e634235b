/* Eigenmodes and flexibility of a cyclic body, wave by wave (see sector.h).
 *
 * The body's lowest modes are the lowest of all waves. How many of them a wave has is not known before: each
 * starts with its share and is asked for more as long as its last one is below the last one that is wanted.
 *
 * A load on one sector alone is the sum of all waves with the same amplitude: its response there is the mean
 * over the N harmonics, of which h and N - h are conjugate. So the flexibility between loaded nodes of a
 * sector is
 *
 *     G = (1/N) sum over h of  (1 or 2)  Re of the wave's K^-1,
 *
 * and the same sum of X^T M X, X = K^-1 of the loads, gives the inner products of the responses over the
 * whole body, K^-1 M K^-1. In sector p the same load moves the nodes by the sum of all Re(exp(i p phi) X).
 * With a mid-plane each is half the sum of a symmetric and an antisymmetric part. */
#ifndef SLIP_FLEX_CYCLIC_H
#define SLIP_FLEX_CYCLIC_H

#include "flex/sector.h"

typedef struct slip_cyclic_options {
    int modes;         /* wanted; a pair of equal ones is not split, so that there may be one more */
    double tolerance;  /* of eigenvalues, as in slip_eigen_options; default 1e-10 */
    const int *loaded; /* nodes of the sector's mesh whose flexibility is wanted */
    int loaded_count;
    int reach;  /* how many sectors further on their flexibility is wanted too; default 0 */
    int field;  /* a direction 3 i + d of loaded node i: its response in the whole body is kept; default -1 */
    bool check; /* count eigenvalues by the inertia of K - s M: none was missed; slow */
    int threads;      /* waves at a time; default 0: as many as there are processors */
    const char *name; /* of the body, for messages; default "body" */
    double memory;    /* bytes that may be used; default 0: what the machine has free */
} slip_cyclic_options;
slip_cyclic_options slip_cyclic_options_default(void);

typedef struct slip_cyclic_mode {
    double eigenvalue; /* square of the angular frequency */
    int harmonic;      /* nodal diameters */
    bool antisymmetric;
    /* w on the nodes of the sector's mesh, 3 numbers each, scaled to modal mass 1 of the whole body: sector p
     * moves by Re(w exp(i p phi)) in its own frame. imaginary is NULL for real waves. */
    double *real, *imaginary;
    double rotation,
        spread; /* products with M (e_z x X) and M (x, y, 0) over the whole body, held nodes too */
} slip_cyclic_mode;

typedef struct slip_cyclic {
    slip_arena arena;
    const slip_sector *sector;
    int mode_count;
    slip_cyclic_mode *modes; /* ascending */
    int loaded_count;
    int *loaded;
    /* Between directions of the loaded nodes, 3 loaded_count square: symmetric and antisymmetric part, NULL
     * where there is no mid-plane for the latter. */
    double *flexibility[2], *inner[2];
    int reach;
    double *coupling[2]; /* the same between them in sector p and loads in sector 0, p = 1 ... reach */
    /* K^-1 of M (e_z x X) and of M (x, y, 0) at the loaded nodes: 3 loaded_count; the same in every sector.
     */
    double *rotation, *spread;
    /* Between modes, mode_count square: products of one with M times e_z x the other, and with M times the
     * other without its part along the axis. */
    double *coriolis, *softening;
    /* Of the response to options.field: for each sector 3 node_count numbers in its frame; symmetric and
     * antisymmetric part. NULL where not asked for. */
    double *field[2];
    int64_t solves;
    double residual; /* of the eigenvalue problems, the largest */
} slip_cyclic;

/* Modes of the whole body, and its flexibility at the loaded nodes, from the waves of its sector. */
int slip_cyclic_create(slip_context *ctx, const slip_sector *sector, const slip_cyclic_options *options,
                       slip_cyclic **cyclic);
void slip_cyclic_destroy(slip_cyclic *cyclic);
SLIP_OWNED(slip_cyclic, slip_cyclic_destroy)

/* The response to the load options.field: the displacement of a node of the sector's mesh in the frame of
 * sector p; `mirrored`: of the node's image above the mid-plane. */
void slip_cyclic_response(const slip_cyclic *cyclic, int sector, int node, bool mirrored, double value[3]);

/* A node on a list: number on the list of loaded ones, and whether its image above the mid-plane is meant. */
typedef struct slip_cyclic_node {
    int loaded;
    bool mirrored;
} slip_cyclic_node;

/* The flexibility K^-1 (inner: K^-1 M K^-1) between `count` nodes of a sector, 3 count square, in its own
 * frame. */
void slip_cyclic_flexibility(const slip_cyclic *cyclic, bool inner, int count, const slip_cyclic_node *nodes,
                             double *matrix);

/* The displacement of nodes of sector p, 1 to reach, by unit loads on those of sector 0, each in its own
 * frame: row i is of node i / 3 in sector p. */
void slip_cyclic_coupling(const slip_cyclic *cyclic, int p, int count, const slip_cyclic_node *nodes,
                          double *matrix);

#endif
