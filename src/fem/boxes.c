/* The tree is that of halves along the longest side. Of the leaves from `first` to before `end` the box is
 * number k, those of the left half follow from k + 1 on, those of the right half behind them. */
#include "fem/boxes.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct leaf {
    double at;
    int part;
} leaf;

static int compare_leaves(const void *a, const void *b)
{
    const leaf *p = a, *q = b;
    return p->at != q->at ? (p->at > q->at) - (p->at < q->at) : (p->part > q->part) - (p->part < q->part);
}

static int middle(int first, int end)
{
    return first + (end - first) / 2;
}

static int right_of(int k, int first, int end)
{
    return k + 2 * (middle(first, end) - first);
}

static void divide(const double *centres, leaf *leaves, int first, int end)
{
    double widest = -1;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = first; i < end; i++) {
            low = fmin(low, centres[3 * (int64_t)leaves[i].part + k]);
            high = fmax(high, centres[3 * (int64_t)leaves[i].part + k]);
        }
        if (high - low > widest) {
            widest = high - low;
            axis = k;
        }
    }
    for (int i = first; i < end; i++)
        leaves[i].at = centres[3 * (int64_t)leaves[i].part + axis];
    qsort(leaves + first, (size_t)(end - first), sizeof *leaves, compare_leaves);
    if (end - first <= 2)
        return;
    divide(centres, leaves, first, middle(first, end));
    divide(centres, leaves, middle(first, end), end);
}

int slip_boxes_create(slip_context *ctx, int count, const double *centres, slip_boxes *boxes)
{
    SLIP_FREED leaf *leaves = slip_alloc(count, sizeof *leaves);
    SLIP_FREED int *order = slip_alloc(count, sizeof *order);
    *boxes = (slip_boxes){0};
    SLIP_PASS(slip_allocated(ctx, leaves && order));
    for (int i = 0; i < count; i++)
        leaves[i].part = i;
    if (count > 0)
        divide(centres, leaves, 0, count);
    for (int i = 0; i < count; i++)
        order[i] = leaves[i].part;
    boxes->count = count;
    SLIP_HAND(&boxes->order, order);
    return SLIP_OK;
}

void slip_boxes_free(slip_boxes *boxes)
{
    free(boxes->order);
    *boxes = (slip_boxes){0};
}

/* ---- in motion ---- */

typedef struct fitting {
    const slip_boxes *boxes;
    const void *user;
    void (*part)(const void *user, int part, double box[6]);
    double *bounds;
} fitting;

static void fit(const fitting *f, int k, int first, int end)
{
    double *box = f->bounds + 6 * (int64_t)k;
    if (end - first == 1) {
        f->part(f->user, f->boxes->order[first], box);
        return;
    }
    const int right = right_of(k, first, end);
    fit(f, k + 1, first, middle(first, end));
    fit(f, right, middle(first, end), end);
    for (int i = 0; i < 3; i++) {
        box[i] = fmin(box[6 + i], f->bounds[6 * (int64_t)right + i]);
        box[3 + i] = fmax(box[9 + i], f->bounds[6 * (int64_t)right + 3 + i]);
    }
}

void slip_boxes_fit(const slip_boxes *boxes, const void *user,
                    void (*part)(const void *user, int part, double box[6]), double *bounds)
{
    const fitting f = {boxes, user, part, bounds};
    if (boxes->count > 0)
        fit(&f, 0, 0, boxes->count);
}

typedef struct looking {
    const slip_boxes *boxes;
    const double *bounds, *place;
    double best;
    void *user;
    double (*look)(void *user, int part);
} looking;

static double distance_to(const double *box, const double place[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const double away = fmax(0, fmax(box[i] - place[i], place[i] - box[3 + i]));
        sum += away * away;
    }
    return sqrt(sum);
}

static void look_in(looking *l, int k, int first, int end)
{
    if (distance_to(l->bounds + 6 * (int64_t)k, l->place) > l->best)
        return;
    if (end - first == 1) {
        l->best = l->look(l->user, l->boxes->order[first]);
        return;
    }
    const int left = k + 1, right = right_of(k, first, end), mid = middle(first, end);
    const bool swap = distance_to(l->bounds + 6 * (int64_t)right, l->place) <
                      distance_to(l->bounds + 6 * (int64_t)left, l->place);
    if (swap)
        look_in(l, right, mid, end);
    look_in(l, left, first, mid);
    if (!swap)
        look_in(l, right, mid, end);
}

void slip_boxes_search(const slip_boxes *boxes, const double *bounds, const double place[3], double best,
                       void *user, double (*look)(void *user, int part))
{
    looking l = {boxes, bounds, place, best, user, look};
    if (boxes->count > 0)
        look_in(&l, 0, 0, boxes->count);
}
