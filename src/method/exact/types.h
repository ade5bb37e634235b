/* Inside of the exact propagator. Matrices of one row for each quantity have `size` columns, one for each
 * entry of y; what is stored for speed is stored column by column, padded with zeros to even length. */
#ifndef SLIP_METHOD_EXACT_TYPES_H
#define SLIP_METHOD_EXACT_TYPES_H

#include "math/vector.h"
#include "method/exact/exact.h"
#include "method/method.h"

enum {
    slip_exact_degree = 9,     /* of the Taylor polynomials that conditions are bounded with */
    slip_exact_rungs = 12,     /* exp(A h 2^k), k below this, is kept once it was needed */
    slip_exact_bounds = 9,     /* and steps of h 2^k, k below this, are bounded */
    slip_exact_small = 8,      /* up to this size propagation is compiled for the size */
    slip_exact_ends_most = 6,  /* up to this size works are found from both ends (primitive.c) */
    slip_exact_narrow = 16,    /* and up to this one it has matrices; larger sets are wide (wide.c) */
    slip_exact_decaying = 160, /* up to this size decayed parts of the motion are removed (slow.c) */
    slip_exact_wide_top = 7,   /* of wide sets: the longest step is step 2^k */
    slip_exact_alignment =
        16, /* of matrices stored column by column: that of arenas and of pairs of numbers */
    slip_exact_sets_most = 64 /* mode sets that are kept */
};

/* t^p/p! cos wt and t^p/p! sin wt for p < powers, in pairs from entry `first` on; the polynomials t^p/p! for
 * frequency zero. */
typedef struct slip_exact_wave {
    double frequency;
    int powers, first;
} slip_exact_wave;

/* A function of time that switches, at the points of a table or where its expression does. It has entries of
 * its own: f = sum over its waves of Re P(t) e^(iwt), and the entries are Re and Im of P e^(iwt), P' e^(iwt),
 * P'' e^(iwt) and so on. Their rates are linear in them, too, and the next piece changes only their values,
 * not the equation. */
typedef struct slip_exact_piecewise {
    const slip_expression *expression; /* frozen */
    double constant;
    slip_exact_wave *waves;
    int wave_count;
} slip_exact_piecewise;

/* All functions of time of a system, as rows over the entries of s. Wave 0 has the polynomials. */
typedef struct slip_exact_loads {
    slip_exact_wave *waves;
    int wave_count;
    slip_exact_piecewise *piecewise;
    int piecewise_count;
    int most_powers;             /* of all waves */
    int first_form;              /* the slot of the first switch */
    const double *forms;         /* of the switches; NULL: there are none */
    int count;                   /* entries of s */
    double *generator;           /* G, row by row */
    double *forces;              /* one row for each coordinate */
    double *slip, *normal, *gap; /* one row for each contact: the parts that are functions of time */
} slip_exact_loads;

/* Rows over y with few non-zero entries: those of row i have the indices first[i] to first[i + 1] - 1. */
typedef struct slip_exact_sparse {
    int count, *first, *column;
    double *value;
} slip_exact_sparse;

typedef struct slip_exact_watch {
    int contact, sign, slider;
    slip_exact_condition condition;
    bool is_entry;         /* a gap that is an entry of y */
    slip_exact_sparse row; /* of a wide set, which has no matrices below */
    double *taylor; /* size x 10: column j has row A^j h^j / j!; these times y are the Taylor coefficients */
    double *bound;  /* slip_exact_bounds x padded: times |y| the largest remainder over a step of h 2^k */
} slip_exact_watch;

/* The gap of an open contact in the place of a coordinate (gap.c). */
typedef struct slip_exact_gap {
    int contact, place; /* index of the gap among z; its rate follows free_count entries later */
} slip_exact_gap;

typedef struct slip_exact_forms slip_exact_forms; /* work.c */

/* The equation for one set of contact modes, with the matrices that propagate and bound it. */
typedef struct slip_exact_set {
    slip_arena arena;
    unsigned char *modes, *clips; /* modes, then clips, of all contacts, */
    const signed char *sliders;   /* followed by the modes of the sliders */
    uint64_t hash;
    int64_t used; /* when it was last started */

    int size, padded;
    int shape; /* what propagation is compiled for: the size, or -size where the first two entries act on none
                  of the others */
    int free_count, *free; /* the coordinates in z */
    int held_count, *held; /* the contacts that stick: row . q is an entry of y */
    int gap_count;
    slip_exact_gap *gap_entries;
    double *gap_rows; /* two rows for each, gap and rate, over y with the earlier gaps in place */
    /* For a wide set: A and the rows of motion and contacts, and weights with |A| weights <= growth weights.
     * The matrices of narrow sets below, up to `late_terms`, do not exist then. */
    bool wide;
    slip_exact_sparse sparse, sparse_motion, sparse_contacts;
    double *weights, growth;
    double *generator; /* A, row by row */
    double *powers;    /* (A step)^k / k!, column by column, from k = 1 to 9; of larger systems k = 1 */
    double *ladder;    /* exp(A step 2^k), column by column, for k below `rungs` */
    int rungs, *reach;
    long double *last, *spare; /* the last of them, row by row; and room for the next */
    double rate, step;         /* step is a power of two; rate step <= 1/64 */
    int late_terms;            /* additional terms of the series: the largest power of t in a load */

    double *position, *velocity, *acceleration; /* n rows each */
    double *slip, *normal, *force, *gap;        /* a row for each contact */
    /* The same rows column by column: those of the first three, and those of the contacts. */
    int motion_rows, contact_rows; /* even numbers */
    double *motion, *contacts;
    slip_exact_watch *watches;
    int watch_count;
    bool watches_gaps;       /* that are entries of y */
    slip_exact_forms *forms; /* NULL: works were not asked for */
    double **turns; /* for extrema of each velocity: the columns of its Taylor series; NULL: not needed yet */
    int usual_level; /* the longest step of the last search is step 2^usual_level */

    /* The set without the fastest part of the motion (slow.c), and whether it was searched. For such a set:
     * the entries y_p = F y_f of the faster set and the others, and the decay rate of the fast part. */
    struct slip_exact_set *slow;
    bool slow_tried;
    int fast;
    const int *place, *kept;
    const double *follow, *weight;
    double decay;
} slip_exact_set;

/* Makes the next search begin with the longest possible step. */
static inline void slip_exact_forget_level(slip_exact_set *set)
{
    set->usual_level = set->wide ? slip_exact_wide_top : slip_exact_bounds - 1;
}

/* State of the search for an event, for one condition. */
typedef struct slip_exact_search {
    double c[slip_exact_degree + 1]; /* Taylor coefficients, in steps */
    double remainder;                /* of a wide set: over its longest step */
    double tolerance;
    int lead; /* number of leading coefficients that vanish, at a start from zero */
    int verdict, level;
    double root;
} slip_exact_search;

/* For a wide set at one y: (A step)^k y / k!, the same with |A| and |y|, and a bound of the sum of terms from
 * slip_exact_degree + 1 on over the longest step. */
typedef struct slip_exact_series {
    double *terms[slip_exact_degree + 1], *sizes[slip_exact_degree + 2], *remainder, *rows;
    double *anchor, anchor_at; /* of the running segment: y at a whole number of its longest steps */
    bool damped, skew;         /* whether the system is damped or has skew stiffness, for its works */
} slip_exact_series;

struct slip_exact {
    slip_arena arena;
    slip_context *ctx;
    const slip_system *system;
    slip_exact_loads loads;
    slip_exact_set **sets;
    int set_count;
    int64_t clock;
    unsigned char *key; /* modes and clips of all contacts, modes of all sliders */
    int key_size;
    const signed char *sliders; /* NULL: there are none */
    bool *ended;
    bool *from_zero;   /* of each contact: it slips from rest, or opens from touching */
    double *gap_sizes; /* of each contact: size of the terms of its gap since it opened, for rounding */
    /* The running segment; `whole`: its set before decayed parts were removed. */
    slip_exact_set *set, *whole;
    double t0;
    bool looked;     /* `searches` holds the expansions at the start of the segment */
    double leniency; /* factor of the rounding errors within which conditions count as zero at the start */
    const slip_exact_unknown *unknown; /* additional errors of each contact (slip_exact_forgive), or NULL */
    double *y0;
    double arrival, *arrived;  /* the last event found in it, and y there */
    double *seen_at, *seen;    /* the same for the last time that was evaluated */
    double *walked, walked_at; /* the same for slip_exact_walk */
    slip_exact_series *series; /* NULL where no set can be wide */
    /* Scratch: vectors of the largest size, and one search for each condition. */
    double *y, *moved, *term, *swap, *magnitude, *shown, *sums, *change, *changed;
    slip_exact_search *searches;
};

/* load.c */
int slip_exact_loads_create(slip_context *ctx, const slip_system *system, slip_arena *arena,
                            slip_exact_loads *loads);
/* SLIP_OK, SLIP_STEP_UNDEFINED where a function has no value, or SLIP_ERROR_MEMORY. */
int slip_exact_loads_at(const slip_exact_loads *loads, double t, double *s);

/* set.c: the equation for given modes. ladder.c: the matrices that propagate it. */
int slip_exact_set_create(slip_exact *exact, const unsigned char *key, slip_exact_set **set);
void slip_exact_set_destroy(slip_exact_set *set);
bool slip_exact_ladder_build(slip_exact_set *set);
void slip_exact_ladder_extend(slip_exact_set *set, int rung); /* up to and with this one */

/* exp(|A| step 2^k), for the bounds of conditions; the caller frees it. NULL when out of memory. */
double *slip_exact_growth_create(const slip_exact_set *set);

/* Columns of 10 numbers, one column for each entry of y: their product with y gives the Taylor coefficients
 * of row . y, in steps. Both rows are overwritten. NULL when out of memory. */
double *slip_exact_series_of_row(slip_exact_set *set, double *row, double *next);

/* Prepares the bounds of a condition, the row `row`; it and the scratch row `next` are overwritten. */
bool slip_exact_watch_build(slip_exact_set *set, slip_exact_watch *watch, const double *growth, double *row,
                            double *next);

/* gap.c: replaces coordinates by gaps of open contacts, in all rows of the set and of its multipliers
 * (yields), and in y at the start of a segment. */
bool slip_exact_gaps_build(slip_exact_set *set, const slip_system *system, double *yields, int yield_count);
void slip_exact_gaps_start(const slip_exact_set *set, double *y);

/* propagate.c: y to y(t + distance). `result` may not be `y`; the scratch vectors are overwritten. */
void slip_exact_propagate(const slip_exact *exact, const double *y, double distance, double *result);

/* The same over a rung, step 2^rung. */
void slip_exact_climb(const slip_exact *exact, int rung, const double *y, double *result);

/* wide.c: sparse rows of the dense ones, and their products with y. */
bool slip_exact_sparse_take(slip_arena *arena, int count, int size, const double *rows,
                            slip_exact_sparse *result);
void slip_exact_sparse_give(const slip_exact_sparse *rows, int size, double *dense);
void slip_exact_sparse_apply(const slip_exact_sparse *rows, const double *y, double *result);

/* Takes A and the rows of motion and contacts of a draft. False when out of memory. */
bool slip_exact_wide_build(slip_exact_set *set, int n, int contacts);
bool slip_exact_series_create(slip_exact *exact, int64_t largest);
void slip_exact_wide_propagate(const slip_exact *exact, const double *y, double distance, double *result);

/* Returns the stored time nearest to t, from which to propagate to t, and sets *y to the state there. */
double slip_exact_wide_nearest(const slip_exact *exact, double t, const double **y);

/* The series at y, with or without its bounds; then the Taylor coefficients of a condition, and |row| times
 * the sizes of an order. */
void slip_exact_series_fill(const slip_exact *exact, const double *y, bool bounds);
void slip_exact_series_expand(const slip_exact *exact, const slip_exact_watch *watch, double *c);
double slip_exact_sparse_size(const slip_exact_sparse *row, const double *sizes);

/* The same by the rows row A^k, in which large forces have cancelled: coefficients from the number `first`
 * on, and the sizes |row A^k| |y| step^k / k! up to order slip_exact_degree. */
void slip_exact_series_rows(const slip_exact *exact, const slip_exact_watch *watch, int first, double *c,
                            double *sizes);

/* primitive.c: of forms f, one every `stride` numbers, factors of y_i y_j for i <= j, finds forms x and r
 * with: integral of f over a time d = x at the end - x at the beginning + d r, where r is constant along the
 * motion. False where there are none, or the set is too large. */
bool slip_exact_primitive(const slip_exact_set *set, int forms, int stride, const double *form, double *x,
                          double *r);

/* exact.c: y at a time of the running segment; at both ends it is stored. */
const double *slip_exact_between(const slip_exact *exact, double t);
static inline const double *slip_exact_at(const slip_exact *exact, double t)
{
    return t == exact->arrival ? exact->arrived : t == exact->t0 ? exact->y0 : slip_exact_between(exact, t);
}

/* `rows` rows, an even number, column by column, times y. */
void slip_exact_show(int rows, int size, const double *columns, const double *y, double *result);

#endif
