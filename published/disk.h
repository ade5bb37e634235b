/* The disk on a belt: runs of the example and the periodic motion they end in. */
#ifndef SLIP_PUBLISHED_DISK_H
#define SLIP_PUBLISHED_DISK_H

#include "published.h"

#include <stdbool.h>

/* Changes to examples/disk-on-belt.yaml. Start from disk_case_default. */
typedef struct disk_case {
    double static_ratio; /* NAN: eta_prime instead */
    double eta_prime;    /* of a smooth law */
    double epsilon;      /* > 0: a smooth law by method `smooth`; 0: set-valued by `event` */
    const char *surface; /* as in the model file; NULL: that of the example */
    bool physical;       /* in SI units, see disk_scales */
    double x, phi, v, w; /* initial state; NAN: that of the example */
    double from, end;    /* recorded span, dimensionless */
    const char *name;    /* of the run folder; NULL: none */
} disk_case;

disk_case disk_case_default(void);
int disk_run(slip_context *ctx, const disk_case *which, const char *folder, slip_result **result);

/* Units of the model in SI: lengths by the disk's radius, masses by its mass, time by its frequency. */
typedef struct disk_units {
    double length, time;
} disk_units;
extern const disk_units disk_scales;

/* A periodic motion: where it begins and ends among the records, and how often the disk sticks in it. */
typedef struct disk_orbit {
    double period;
    int slips;            /* passages of the section in a period */
    int stick_phases;     /* -1 where the law is smooth and has none */
    int64_t first, count; /* records of the last period */
    double x, phi;        /* coordinates at an instant of stick */
} disk_orbit;

/* Finds the periodic motion at the end of a run. Fails where the motion does not repeat. */
int disk_orbit_find(const slip_result *result, disk_orbit *orbit);

/* ---- The parts. */
int disk_law(slip_context *ctx, const char *folder, const paper_printer *out);
int disk_attractors(slip_context *ctx, const char *folder, const paper_printer *out);
int disk_integral(slip_context *ctx, const char *folder, const paper_printer *out);
int disk_units_part(slip_context *ctx, const char *folder, const paper_printer *out);
int disk_epsilon(slip_context *ctx, const char *folder, const paper_printer *out);

#endif
