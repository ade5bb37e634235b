/* Explicit dynamics: checkpoints. */
#include "fem/explicit/card.h"
#include "fem/explicit/types.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a of everything that the state depends on and that is not in the file. */
static void fingerprint(const slip_explicit *e, char text[24])
{
    uint64_t hash = 14695981039346656037u;
    const struct {
        const void *data;
        size_t size;
    } pieces[] = {{e->start, 3 * sizeof(double) * (size_t)e->node_count},
                  {e->mass, sizeof(double) * (size_t)e->node_count},
                  {e->held, sizeof(bool) * (size_t)e->node_count},
                  {&e->first_step, sizeof e->first_step}};
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
        for (size_t i = 0; i < pieces[k].size; i++)
            hash = (hash ^ ((const unsigned char *)pieces[k].data)[i]) * 1099511628211u;
    for (int p = 0; p < e->part_count; p++) {
        const slip_explicit_part *part = &e->parts[p];
        const double numbers[9] = {part->hourglass, part->lambda,    part->mu,
                                   part->centre[0], part->centre[1], part->torque,
                                   part->inertia,   part->driven,    part->leader};
        for (size_t i = 0; i < sizeof numbers; i++)
            hash = (hash ^ ((const unsigned char *)numbers)[i]) * 1099511628211u;
    }
    snprintf(text, 24, "%016" PRIx64, hash);
}

enum { scalars = 10 };

/* What the run computes with: whole counts that fit, times and steps that go forward. */
static int check_numbers(const slip_explicit *e, slip_h5 *file, const double *n)
{
    static const char name[] = "model/numbers";
    static const double counts_max = 1e15;
    SLIP_PASS(slip_h5_check_finite(file, name, n, scalars));
    SLIP_PASS(slip_h5_check_whole(file, name, n, 1, 0, counts_max));
    if (n[1] != 0 && n[1] != 1)
        return slip_h5_fail_value(file, name, 1, n[1], "0 or 1");
    for (int i = 4; i < 7; i++)
        if (!(n[i] >= slip_explicit_lowest * e->first_step && n[i] <= e->first_step))
            return slip_h5_fail_value(file, name, i, n[i], "a step up to the first one");
    if (!(n[7] >= 0))
        return slip_h5_fail_value(file, name, 7, n[7], "a number that is not negative");
    if (!(n[8] >= 0 && n[8] <= n[0]) || n[8] != floor(n[8]))
        return slip_h5_fail_value(file, name, 8, n[8], "a whole number up to that of the steps");
    if (!(n[9] >= 0 && n[9] <= counts_max) || n[9] != floor(n[9]))
        return slip_h5_fail_value(file, name, 9, n[9], "a whole number");
    return SLIP_OK;
}

/* A checkpoint is of one model: mesh, material, bodies and step. */
static void keep_mark(const slip_explicit *e, slip_keeper *k, const char *path)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    char mark[24], *found = NULL;
    if (!k->file || k->status < 0)
        return;
    fingerprint(e, mark);
    k->status = k->back ? slip_h5_read_text(k->file, "model", "mark", &arena, &found)
                        : slip_h5_write_text(k->file, "model", "mark", mark);
    if (slip_kept_back(k) && (!found || strcmp(found, mark) != 0))
        k->status =
            slip_fail(k->ctx, SLIP_ERROR_MODEL,
                      "%s: the checkpoint is of another model: mesh, material, bodies or step differ, "
                      "or it was written by "
                      "another version of the program; begin again without it",
                      path);
}

static void keep_numbers(slip_explicit *e, slip_keeper *k)
{
    double n[scalars] = {(double)e->steps_done,
                         e->started,
                         e->work,
                         e->lost,
                         e->step,
                         e->step_before,
                         e->weight,
                         e->time_from,
                         (double)e->steps_from,
                         (double)e->evaluations};
    slip_keep(k, "model/numbers", n, scalars);
    if (slip_kept_read(k))
        k->status = check_numbers(e, k->file, n);
    if (!slip_kept_back(k))
        return;
    e->steps_done = (int64_t)n[0];
    e->started = n[1] != 0;
    e->work = n[2];
    e->lost = n[3];
    e->step = n[4];
    e->step_before = n[5];
    e->weight = n[6];
    e->time_from = n[7];
    e->steps_from = (int64_t)n[8];
    e->evaluations = (int64_t)n[9];
}

void slip_explicit_keep(slip_explicit *e, slip_keeper *k, const char *path)
{
    SLIP_FREED double *turns = slip_alloc(3 * (int64_t)e->part_count, sizeof *turns);
    if (!turns)
        k->status = slip_fail_memory(k->ctx);
    if (!k->back && k->status >= 0)
        k->status = slip_explicit_fetch(k->ctx, e);
    if (k->back) /* the mark comes first: everything else may be of other sizes */
        keep_mark(e, k, path);
    keep_numbers(e, k);
    for (int p = 0; turns && p < e->part_count; p++) {
        turns[3 * p] = e->parts[p].angle;
        turns[3 * p + 1] = e->parts[p].speed;
        turns[3 * p + 2] = e->parts[p].impulse;
    }
    slip_keep_finite(k, "model/turns", turns, 3 * (int64_t)e->part_count);
    for (int p = 0; slip_kept_back(k) && p < e->part_count; p++) {
        e->parts[p].angle = turns[3 * p];
        e->parts[p].speed = turns[3 * p + 1];
        e->parts[p].impulse = turns[3 * p + 2];
    }
    slip_keep_finite(k, "model/position", e->position, 3 * (int64_t)e->node_count);
    slip_keep_finite(k, "model/velocity", e->velocity, 3 * (int64_t)e->node_count);
    if (!k->back)
        keep_mark(e, k, path);
    if (slip_kept_back(k))
        slip_explicit_card_leave(e);
}
