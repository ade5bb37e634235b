/* Gaps of open contacts as coordinates.
 *
 * The gap row . q + rest(t) to a floor far from zero is a small difference of large numbers: in a low flight
 * all its digits cancel. To be as accurate as its rate and second derivative, the gap replaces one of the
 * coordinates in it: with g . y the gap and h . y = g A y its rate, y_k becomes g . y and its rate y_(r+k)
 * becomes h . y. Every row w over y is then
 *
 *     w_k -> w_k / g_k,   w_j -> w_j - w_k g_j / g_k,   likewise for the rate,
 *
 * and the two rows of A are those of the new entries: (y_k)' = y_(r+k), (y_(r+k))' = h A y. Of gaps that are
 * linearly dependent (a body between two stops) the first ones become entries; the others are combinations of
 * these, in which large numbers have cancelled, too. */
#include "method/exact/types.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* a - b, or zero where they cancel but for rounding: the rounding error would couple independent entries. */
static inline double difference(double a, double b)
{
    const double sum = a - b;
    return fabs(sum) <= 4 * DBL_EPSILON * (fabs(a) + fabs(b)) ? 0 : sum;
}

/* rate = row A */
static void differentiate(const slip_exact_set *set, const double *row, double *rate)
{
    const int size = set->size;
    for (int j = 0; j < size; j++) {
        double sum = 0, large = 0;
        for (int i = 0; i < size; i++) {
            const double part = row[i] * set->generator[i * size + j];
            sum += part;
            large += fabs(part);
        }
        rate[j] = fabs(sum) <= 4 * DBL_EPSILON * large ? 0 : sum;
    }
}

/* Converts `count` rows over y to rows over the entries in which row . y has replaced y_k. */
static void replace(int size, int k, const double *row, int count, double *rows)
{
    for (int i = 0; i < count; i++, rows += size) {
        const double factor = rows[k] / row[k];
        if (rows[k] == 0)
            continue;
        for (int j = 0; j < size; j++)
            if (j != k)
                rows[j] = difference(rows[j], factor * row[j]);
        rows[k] = factor;
    }
}

/* The coordinate that a gap can replace, or -1: the one with the largest entry in its row, weighted by the
 * masses. */
static int find_place(const slip_exact_set *set, const slip_system *system, const double *row)
{
    double best = 0, largest = 0;
    int place = -1;
    for (int i = 0; i < set->free_count; i++) {
        const int at = set->free[i] * (system->n + 1);
        const double weight = fabs(row[i]) * sqrt(system->inverse_mass[at]);
        bool taken = false;
        for (int e = 0; e < set->gap_count; e++)
            taken |= set->gap_entries[e].place == i;
        largest = fmax(largest, weight);
        if (!taken && weight > best) {
            best = weight;
            place = i;
        }
    }
    return best > 1e-3 * largest ? place : -1;
}

/* A block of rows over y: of the motion, of the contacts, of the multipliers of limits, or A. */
typedef struct block {
    double *rows;
    int count;
} block;

static void take(slip_exact_set *set, int contact, int place, const block blocks[4])
{
    const int size = set->size, r = set->free_count;
    double *row = set->gap_rows + 2 * set->gap_count * size, *rate = row + size, *curve = row + 2 * size,
           *entry = set->generator + place * size;
    set->gap_entries[set->gap_count++] = (slip_exact_gap){.contact = contact, .place = place};
    memcpy(row, set->gap + contact * size, (size_t)size * sizeof(double));
    differentiate(set, row, rate);
    differentiate(set, rate, curve);
    memcpy(entry + r * size, curve, (size_t)size * sizeof(double));
    for (int k = 0; k < 4; k++) {
        replace(size, place, row, blocks[k].count, blocks[k].rows);
        replace(size, place + r, rate, blocks[k].count, blocks[k].rows);
    }
    memset(entry, 0, (size_t)size * sizeof(double));
    entry[r + place] = 1;
}

bool slip_exact_gaps_build(slip_exact_set *set, const slip_system *system, double *yields, int yield_count)
{
    const int contacts = (int)system->contact_count;
    const block blocks[4] = {{set->position, 3 * system->n},
                             {set->slip, 4 * contacts},
                             {yields, yield_count},
                             {set->generator, set->size}};
    int most = 0;
    for (int k = 0; k < system->gap_count; k++)
        most += set->modes[system->gaps[k]] == SLIP_MODE_OPEN;
    most = most < set->free_count ? most : set->free_count;
    if (most == 0)
        return true;
    set->gap_entries = slip_arena_array(&set->arena, most, sizeof *set->gap_entries);
    set->gap_rows = slip_arena_array(&set->arena, (2 * (int64_t)most + 1) * set->size, sizeof(double));
    if (!set->gap_entries || !set->gap_rows)
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < system->gap_count && set->gap_count < most; k++) {
            const int c = system->gaps[k];
            const bool first = set->clips[c] & SLIP_EXACT_FIRST;
            if (set->modes[c] != SLIP_MODE_OPEN || first == (pass > 0))
                continue;
            const int place = find_place(set, system, set->gap + c * set->size);
            if (place >= 0)
                take(set, c, place, blocks);
        }
    return true;
}

void slip_exact_gaps_start(const slip_exact_set *set, double *y)
{
    for (int e = 0; e < set->gap_count; e++) {
        const double *row = set->gap_rows + 2 * e * set->size, *rate = row + set->size;
        const int place = set->gap_entries[e].place;
        double gap = 0, speed = 0, large = 0;
        for (int j = 0; j < set->size; j++) {
            gap += row[j] * y[j];
            speed += rate[j] * y[j];
            large += fabs(rate[j] * y[j]);
        }
        y[place] = gap;
        y[place + set->free_count] = fabs(speed) <= 4 * DBL_EPSILON * large ? 0 : speed;
    }
}

void slip_exact_gaps(slip_exact *exact, const double *gaps)
{
    const slip_exact_set *set = exact->set;
    exact->looked = false;
    for (int e = 0; e < set->gap_count; e++)
        exact->y0[set->gap_entries[e].place] = gaps[set->gap_entries[e].contact];
}
