/* Slipstick: elastic involute spur gears. SI units; angles of options in degrees. */
#ifndef SLIPSTICK_GEAR_H
#define SLIPSTICK_GEAR_H

#include "slipstick/model.h"
#include "slipstick/reduced.h"

SLIP_BEGIN_C

/* Numbers of elements of a gear's mesh. It does not grow: slip_gear_options, which it stands in, has room. */
typedef struct slip_gear_mesh_options {
    int flank;     /* along the involute; default 25 */
    int fillet;    /* along the fillet, from the flank's foot down; default 3 */
    int thickness; /* across a tooth; default 10 */
    int root;      /* between two teeth, on the root circle and the lower parts of both fillets; default 4 */
    int rim;       /* from the bore to the root; default 23 */
    int width;     /* layers along the axis; default 8 */
} slip_gear_mesh_options;

/* A gear. Start from slip_gear_options_default; teeth, module, width and bore have to be given. */
typedef struct slip_gear_options {
    const char *name;      /* for messages; default "gear" */
    int teeth;             /* at least 5 */
    double module;         /* metre */
    double width, bore;    /* face width and bore diameter, metre */
    double pressure_angle; /* degrees; default 20 */
    double profile_shift;  /* in modules; default 0 */
    double addendum;       /* in modules; default 1 */
    double dedendum;       /* in modules; default 1.25 */
    double fillet_radius;  /* of the tip of the generating rack, in modules; default 0.38 */
    double chamfer;        /* of the tooth tip, 45 degrees, metre; default 0 */
    double backlash;       /* by how much the teeth are thinner on the pitch circle, metre; default 0 */
    slip_gear_mesh_options mesh;
    double young, poisson, density; /* default 210e9 Pa, 0.3, 7850 kg/m^3 */
    const char *element; /* "incompatible" (default): bricks with incompatible modes, right in bending;
                          * "full": plain fully integrated ones */
    int modes; /* to keep; default 50. A pair of equal frequencies is not split: there may be one more */
    /* A mesh of one's own (.inp or .msh) instead of the outline above, of which nothing is needed then. */
    const char *mesh_file;     /* NULL (default): the mesh is made from the numbers above */
    const char *bore_set;      /* its set of nodes that is rigid; default "bore" */
    const char *const *flanks; /* its sets of nodes on which contact acts; NULL ends the list; NULL (default):
                                * all whose names end in _left or _right */
    double room[8];            /* for fields to come */
} slip_gear_options;

/* Returns the defaults above; fields that have to be given are 0. */
SLIP_API slip_gear_options slip_gear_options_default(void);

/* The gears of a model file, as long as the model is there; NULL for a number that is out of range. */
SLIP_API int slip_model_gear_count(const slip_model *model);
SLIP_API const slip_gear_options *slip_model_gear(const slip_model *model, int index);

/* What follows from the options. Lengths in metre, angles in radian. */
typedef struct slip_gear_geometry {
    double pitch_radius, base_radius, tip_radius, root_radius;
    double form_radius;   /* where the involute ends and the fillet begins */
    double tip_thickness; /* arc on the tip circle, without the chamfer */
    double least_shift;   /* the profile shift below which the foot is undercut */
} slip_gear_geometry;

/* Checks the options: fails with SLIP_ERROR_MODEL and the limit that was crossed. */
SLIP_API int slip_gear_measure(slip_context *ctx, const slip_gear_options *options,
                               slip_gear_geometry *geometry);

/* The distance of the axes at which two gears mesh without backlash, from their profile shifts, and the
 * working pressure angle (radian; may be NULL). The distance is in metre. Fails where module or pressure
 * angle differ, or no such distance exists. */
SLIP_API int slip_gear_distance(slip_context *ctx, const slip_gear_options *first,
                                const slip_gear_options *second, double *distance, double *angle);

/* The contact ratio of the outlines at this distance of the axes (0: that without backlash): how many pairs
 * of teeth touch on average. Below 1 a pair leaves contact before the next one comes, below 0 the teeth do
 * not reach each other. Fails as slip_gear_distance does, and where a tip would be inside the other's root.
 */
SLIP_API int slip_gear_contact_ratio(slip_context *ctx, const slip_gear_options *first,
                                     const slip_gear_options *second, double distance, double *ratio);

/* ---- Mesh. */

typedef struct slip_gear_counts {
    int nodes, elements;
    int flank_nodes; /* of one flank, the largest where they differ; 0 where there are none */
    int flanks;
} slip_gear_counts;
/* The size of the mesh that the options describe; the call makes that mesh. */
SLIP_API int slip_gear_mesh_size(slip_context *ctx, const slip_gear_options *options,
                                 slip_gear_counts *counts);

/* Writes the mesh, by the ending of the name: .vtu (ParaView) or .inp (Abaqus, CalculiX), with the sets bore,
 * front, back, tooth1_right, tooth1_left ... */
SLIP_API int slip_gear_save_mesh(slip_context *ctx, const slip_gear_options *options, const char *path);

/* Pictures NAME-mesh.png and .svg: the whole gear and a tooth. `written` may be NULL. */
SLIP_API int slip_gear_plot_mesh(slip_context *ctx, const slip_gear_options *options, const char *folder,
                                 slip_path_function written, void *user);

/* ---- Reduction. */

typedef struct slip_reduce_options {
    int attachment; /* also the residual attachment modes of the flanks; default 1 */
    int symmetry;   /* use that the gear is cyclic; default 1. 0 solves the whole gear at once, as for a mesh
                     * of one's own */
    int check;      /* confirm by the inertia of K - s M that no mode was missed; default 0, slow */
    double tolerance; /* of eigenvalues; default 1e-10 */
    double memory;    /* bytes that may be used; default 0: what the machine has free */
    int threads;      /* default 0: as many as there are processors */
    double room[8];   /* for fields to come */
} slip_reduce_options;
/* The defaults above. */
SLIP_API slip_reduce_options slip_reduce_options_default(void);

/* The reduced body of a gear; the caller's, for slip_reduced_destroy. options: NULL for the defaults. */
SLIP_API int slip_gear_reduce(slip_context *ctx, const slip_gear_options *gear,
                              const slip_reduce_options *options, slip_reduced **body);

/* The same with a file: where it was made with the same gear by this version of the program it is only read,
 * and *reused is 1; else it is written. reused may be NULL. *body is for slip_reduced_destroy. */
SLIP_API int slip_gear_reduce_file(slip_context *ctx, const slip_gear_options *gear,
                                   const slip_reduce_options *options, const char *path, slip_reduced **body,
                                   int *reused);

SLIP_END_C

#endif
