/* Harmonic balance of forced motions, condensed on the coordinates of the contacts.
 *
 * The contacts of a linear structure M q'' + C q' + K q = f + R^T l depend on x = R q alone
 * (system/project.h), and act on it by the r forces l. The shapes T = M^-1 R^T (R M^-1 R^T)^-1, with R T = 1,
 * give a structure of r coordinates with the same response to fast changes of l,
 *
 *     Mx x'' + Cx x' + Kx x = p(t) + l,     Mx = T^T M T, likewise Cx, Kx,
 *
 * where the load p contains the response of the rest of the structure. In the frequency domain, with Z(h) = K
 * - (h w)^2 M + i h w C and Zx alike, harmonic h of a periodic motion obeys
 *
 *     X = R Z^-1 F + Y L,   Y = R Z^-1 R^T,   L = Zx X - P,                                             (1)
 *
 * exactly. Zx Y - 1 falls with the square of the frequency (with damping: with the frequency), so that P
 * falls faster than the harmonics of the motion, and a few harmonics suffice although friction forces jump
 * and impacts are impulses: these are treated in the time domain. There the system of r coordinates moves
 * under p by the method `event`, over one period, with all events at their times (alternating frequency and
 * time); its harmonics X are integrals between the events.
 *
 * Unknown are the state of the contacts at the start of the period, (x, x', z), and P. The map
 *
 *     (x, x', z, P)  ->  (the same one period later, P - Zx (X - R Z^-1 F) + Zx Y (Zx X - P))
 *
 * has the balanced motion as its fixed point, which is found and followed like that of shooting
 * (orbit/orbit.h). Its derivatives are exact where motions have a closed form and nothing is held
 * (slip_tangent_loads), else differences; they are kept up by rank-one updates (C. Broyden 1965) as long as
 * these predict it.
 *
 * A contact that sticks for the whole period does so at any place within a band, and the map has a fixed
 * point for each. Contacts and sliders that are held (system/hold.h) cannot slip, and their place moves by
 *
 *     x  ->  x - (middle of the friction force) / limit * (scale of x) ,
 *
 * so that the fixed point is the motion whose friction force is equally far from both limits, to which the
 * band shrinks where slip begins. The caller decides which are held (branch/hold.c).
 *
 * A contact that slips little, where its force would be beyond the limit by d, slips by a way s of the order
 * d^2, and by the difference of two such ways in a period: divided by the root of s, the map has a slope
 * there that does not vanish with d. */
#ifndef SLIP_STUDY_HARMONIC_H
#define SLIP_STUDY_HARMONIC_H

#include "study/orbit/orbit.h"

/* The compliance of the structure at its contacts, for one set of parameters and one period. */
typedef struct slip_seen {
    slip_arena arena;
    const slip_system *system; /* outlives it */
    int n, count, states;      /* coordinates; those of the contacts; states of laws */
    int harmonics;
    double frequency; /* 2 pi / period */
    double *rows, *mass, *damping, *stiffness;
    /* Of each harmonic from 0 on, complex numbers as pairs: Z^-1 F (n), Z^-1 R^T (n x count). */
    double *free, *response;
    double *seen, *compliance; /* R Z^-1 F (count), Y (count x count), likewise */
    slip_expression **waves;   /* 1, cos(w t), sin(w t), cos(2 w t), ... */
} slip_seen;

/* Finds the compliance at the contacts for each harmonic of the period, and the free motion. */
int slip_seen_create(slip_context *ctx, const slip_system *system, double period, int harmonics,
                     slip_seen **result);
void slip_seen_destroy(slip_seen *condensed);
SLIP_OWNED(slip_seen, slip_seen_destroy)

/* Numbers of P, and of X: of each coordinate of the contacts the mean, and cosine and sine of each harmonic.
 */
static inline int slip_seen_loads(const slip_seen *c)
{
    return c->count * (2 * c->harmonics + 1);
}
/* The image of P under the map, given the harmonics X of the contacts. */
void slip_seen_balance(const slip_seen *condensed, const double *p, const double *x, double *next);
/* The loads P for which given harmonics X of the contacts are balanced. False when out of memory. */
bool slip_seen_guess(const slip_seen *condensed, const double *x, double *p);
/* The harmonics of coordinate i of the structure: 2 harmonics + 1 numbers. */
void slip_seen_motion(const slip_seen *condensed, const double *p, const double *x, int i, double *motion);
/* The system of the contacts under p, with some of them held; `held` may be NULL. */
int slip_seen_system(slip_context *ctx, const slip_seen *condensed, const double *p, const bool *held,
                     slip_system **result);

/* The derivatives of the map by unknowns and parameter, over the scales, for what is held; what they were
 * updated with last. */
typedef struct slip_harmonic_slopes {
    bool *held;
    bool known;
    double time; /* of the start of the period */
    double *jacobian, *last, *image;
} slip_harmonic_slopes;

struct slip_harmonic_motion; /* map.c */

/* The map of a branch. */
typedef struct slip_harmonic_balance {
    slip_context *ctx;
    const slip_settings *settings;
    double tolerance;
    int harmonics, multiple; /* the load is harmonic `multiple` */
    slip_seen *here;         /* at the value p of the parameter */
    double p, range;
    void *user;
    /* The structure at another value; the caller's. */
    int (*condense)(void *user, double p, slip_seen **to);
    const bool *held; /* the caller's */
    slip_arena arena;
    int size;
    slip_harmonic_slopes kept[2], *slopes; /* those of what is held now, and of what was held before */
    bool begun, inherited; /* derivatives were asked for since the caller cleared `begun`; the first of them
                              were not found by differences there */
    double *scale, *next, *work;
    /* The last motion over a period, kept for repeated calls: its start and its image. */
    struct slip_harmonic_motion *seen;
    double seen_time, seen_p, *seen_at, *seen_image;
} slip_harmonic_balance;

/* To be called when what is held has changed. */
void slip_harmonic_hold(slip_harmonic_balance *balance);

int slip_harmonic_count(const slip_harmonic_balance *balance); /* unknowns, at `here` */
/* Fills the orbit, which is {0}, from a state of the whole system. */
int slip_harmonic_start(slip_harmonic_balance *balance, const slip_system *system, const slip_orbit *from,
                        slip_orbit *orbit);
/* As slip_arc_flow.map: `flow` has the whole system, its events and integrals. Over less than the period the
 * contacts move while the loads P are unchanged. */
int slip_harmonic_map(void *balance, slip_arc_flow *flow, double t, const double *x, double length,
                      const slip_arc *to);
void slip_harmonic_free(slip_harmonic_balance *balance);

#endif
