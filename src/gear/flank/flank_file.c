/* Contact of flanks: what it remembers. */
#include "gear/flank/flank_types.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { touch_numbers = 17 };

/* Touches as numbers, one surface after the other, and back. */
static void pack_touch(const slip_flank_touch *t, double *n)
{
    const double numbers[touch_numbers] = {
        t->master,      t->row,       t->column,    t->at[0],        t->at[1],    t->depth,
        t->normal[0],   t->normal[1], t->normal[2], t->force[0],     t->force[1], t->force[2],
        t->clear_until, t->stiffness, t->damping,   t->normal_force, t->near};
    memcpy(n, numbers, sizeof numbers);
}

static void unpack_touch(const double *n, slip_flank_touch *t)
{
    *t = (slip_flank_touch){.master = (int)n[0],
                            .row = (int)n[1],
                            .column = (int)n[2],
                            .at = {n[3], n[4]},
                            .depth = n[5],
                            .normal = {n[6], n[7], n[8]},
                            .force = {n[9], n[10], n[11]},
                            .clear_until = n[12],
                            .stiffness = n[13],
                            .damping = n[14],
                            .normal_force = n[15],
                            .near = n[16] != 0};
}

static int64_t count_nodes(const slip_flank_contact *c, int body)
{
    int64_t count = 0;
    for (int s = 0; s < c->surface_count[body]; s++)
        count += c->surfaces[body][s].rows * c->surfaces[body][s].columns;
    return count;
}

/* The facet that a node followed has to be there. */
static int check_touches(const slip_flank_contact *c, int body, slip_h5 *file, const char *name,
                         const double *values, int64_t count)
{
    int status = slip_h5_check_finite(file, name, values, touch_numbers * count);
    for (int64_t i = 0; i < count && status >= 0; i++) {
        const double *n = values + touch_numbers * i;
        const slip_flank_surface *s = NULL;
        if (!(n[0] >= -1 && n[0] < c->surface_count[1 - body]) || n[0] != floor(n[0]))
            return slip_h5_fail_value(file, name, touch_numbers * i, n[0],
                                      "a surface of the other gear, or -1");
        if (n[0] >= 0)
            s = &c->surfaces[1 - body][(int)n[0]];
        if (!(n[1] >= 0 && n[1] <= (s ? s->rows - 2 : 0)) || n[1] != floor(n[1]))
            return slip_h5_fail_value(file, name, touch_numbers * i + 1, n[1],
                                      "a row of facets of that surface");
        if (!(n[2] >= 0 && n[2] <= (s ? s->columns - 2 : 0)) || n[2] != floor(n[2]))
            return slip_h5_fail_value(file, name, touch_numbers * i + 2, n[2],
                                      "a column of facets of that surface");
    }
    return status;
}

static void keep_body(slip_flank_contact *c, int mesh, int body, slip_keeper *k)
{
    static const char *const words[3] = {"touches", "last", "travel"};
    char name[3][60];
    for (int i = 0; i < 3; i++)
        if (mesh > 0)
            snprintf(name[i], sizeof name[i], "contact%d/%s%d", mesh + 1, words[i], body + 1);
        else
            snprintf(name[i], sizeof name[i], "contact/%s%d", words[i], body + 1);
    const int64_t count = count_nodes(c, body);
    SLIP_FREED double *touches = slip_alloc(touch_numbers * count, sizeof *touches);
    SLIP_FREED double *last = slip_alloc(3 * count, sizeof *last);
    double *n = touches, *x = last;
    if (!touches || !last)
        k->status = slip_fail_memory(k->ctx);
    for (int s = 0; k->status >= 0 && s < c->surface_count[body]; s++) {
        int size = c->surfaces[body][s].rows * c->surfaces[body][s].columns;
        for (int i = 0; i < size; i++, n += touch_numbers)
            pack_touch(&c->touches[body][s][i], n);
        memcpy(x, c->last[body][s], 3 * sizeof *x * (size_t)size);
        x += 3 * (size_t)size;
    }
    slip_keep(k, name[0], touches, touch_numbers * count);
    if (slip_kept_read(k))
        k->status = check_touches(c, body, k->file, name[0], touches, count);
    slip_keep_finite(k, name[1], last, 3 * count);
    slip_keep_finite(k, name[2], c->travel[body], c->surface_count[body]);
    n = touches;
    x = last;
    for (int s = 0; slip_kept_back(k) && s < c->surface_count[body]; s++) {
        int size = c->surfaces[body][s].rows * c->surfaces[body][s].columns;
        for (int i = 0; i < size; i++, n += touch_numbers)
            unpack_touch(n, &c->touches[body][s][i]);
        memcpy(c->last[body][s], x, 3 * sizeof *x * (size_t)size);
        x += 3 * (size_t)size;
    }
}

void slip_flank_contact_keep(slip_flank_contact *c, int mesh, slip_keeper *k)
{
    for (int body = 0; body < 2; body++)
        keep_body(c, mesh, body, k);
}
