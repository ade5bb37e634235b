/* Eigenmodes and flexibility of a cyclic body, wave by wave (see sector.h).
 *
 * The lowest eigenmodes of the body are the lowest ones of all waves. How many of them belong to one wave is
 * not known in advance: each wave computes its share first, and more as long as its highest eigenvalue is
 * below the highest wanted one of the body.
 *
 * A load on one sector is the sum of all waves with equal amplitudes. The response there is the mean of the
 * responses of the N harmonics, of which h and N - h are conjugate. So the flexibility between loaded nodes
 * of a sector is
 *
 *     G = (1/N) sum over h of  (1 or 2)  Re of the wave's K^-1,
 *
 * and the same sum of X^T M X, X = K^-1 of the loads, gives the inner products of the responses over the
 * whole body, K^-1 M K^-1. In sector p the same load moves the nodes by the sum of all Re(exp(i p phi) X).
 * For a body cut at its mid-plane each is half the sum of a symmetric and an antisymmetric part. */
#ifndef SLIP_FLEX_CYCLIC_H
#define SLIP_FLEX_CYCLIC_H

#include "flex/sector.h"

typedef struct slip_cyclic_options {
    int modes;         /* number of eigenmodes; one more if a pair of equal eigenvalues would be split */
    double tolerance;  /* of eigenvalues, as in slip_eigen_options; default 1e-10 */
    const int *loaded; /* nodes of the sector's mesh whose flexibility is wanted */
    int loaded_count;
    int reach;   /* flexibility also between loaded nodes of sectors up to `reach` apart; default 0 */
    int field;   /* load 3 i + d, direction d of loaded node i, whose response in the whole body is stored;
                    default -1: none */
    bool check;  /* verify that no eigenvalue was missed, by Sylvester's law of inertia on K - s M; slow */
    int threads; /* number of waves solved in parallel; default 0: as many as processors */
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
        spread; /* scalar products with M (e_z x X) and M (x, y, 0) over the whole body, with held nodes */
} slip_cyclic_mode;

typedef struct slip_cyclic {
    slip_arena arena;
    const slip_sector *sector;
    int mode_count;
    slip_cyclic_mode *modes; /* ascending */
    int loaded_count;
    int *loaded;
    /* K^-1 and K^-1 M K^-1 between the directions of the loaded nodes, 3 loaded_count square: symmetric and
     * antisymmetric part; the latter NULL without a mid-plane. */
    double *flexibility[2], *inner[2];
    int reach;
    double *coupling[2]; /* K^-1 between loaded nodes of sector p and loads in sector 0, p = 1 ... reach */
    /* K^-1 of M (e_z x X) and of M (x, y, 0) at the loaded nodes: 3 loaded_count; the same in every sector.
     */
    double *rotation, *spread;
    /* Between modes, mode_count square: coriolis, Phi^T M (e_z x Phi); softening, Phi^T M Phi without the
     * components along the axis. */
    double *coriolis, *softening;
    /* The response to options.field: for each sector 3 node_count numbers in its frame; symmetric and
     * antisymmetric part. NULL where options.field is -1. */
    double *field[2];
    int64_t solves;
    double residual; /* largest residual of the eigenvalue problems */
} slip_cyclic;

/* Computes eigenmodes of the whole body and its flexibility at the loaded nodes from the waves of its sector.
 * The sector must outlive the result. */
int slip_cyclic_create(slip_context *ctx, const slip_sector *sector, const slip_cyclic_options *options,
                       slip_cyclic **cyclic);
void slip_cyclic_destroy(slip_cyclic *cyclic);
SLIP_OWNED(slip_cyclic, slip_cyclic_destroy)

/* The response to the load options.field: the displacement of a node of the sector's mesh in the frame of
 * sector p; `mirrored`: of the node's image above the mid-plane. */
void slip_cyclic_response(const slip_cyclic *cyclic, int sector, int node, bool mirrored, double value[3]);

/* A loaded node, by its index in `loaded`, or (mirrored) its image above the mid-plane. */
typedef struct slip_cyclic_node {
    int loaded;
    bool mirrored;
} slip_cyclic_node;

/* The flexibility K^-1 (inner: K^-1 M K^-1) between `count` nodes of a sector, 3 count square, in its own
 * frame. */
void slip_cyclic_flexibility(const slip_cyclic *cyclic, bool inner, int count, const slip_cyclic_node *nodes,
                             double *matrix);

/* The displacement of nodes of sector p, 1 to reach, by unit loads on nodes of sector 0, each in the frame of
 * its sector: row i is direction i % 3 of node i / 3 in sector p. */
void slip_cyclic_coupling(const slip_cyclic *cyclic, int p, int count, const slip_cyclic_node *nodes,
                          double *matrix);

#endif
