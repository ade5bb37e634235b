/* Contact of flanks: what it remembers, in checkpoints. */
#include "gear/flank_types.h"

#include "io/hdf5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { touch_numbers = 17, name_size = 40 };

/* Touches as numbers, one surface after the other, and back. */
static void pack_touch(const slip_flank_touch *t, double *n)
{
    const double numbers[touch_numbers] = {
        t->master,    t->row,       t->column,    t->at[0],        t->at[1],    t->depth,
        t->normal[0], t->normal[1], t->normal[2], t->force[0],     t->force[1], t->force[2],
        t->rest,      t->stiffness, t->damping,   t->normal_force, t->near};
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
                            .rest = n[12],
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

int slip_flank_contact_write(slip_context *ctx, const slip_flank_contact *c, slip_h5 *file)
{
    int status = SLIP_OK;
    for (int body = 0; body < 2 && status >= 0; body++) {
        int64_t count = count_nodes(c, body), at = 0;
        char touches_name[name_size], last_name[name_size], travel_name[name_size];
        double *touches = slip_alloc(touch_numbers * count, sizeof *touches);
        double *last = slip_alloc(3 * count, sizeof *last);
        snprintf(touches_name, name_size, "contact/touches%d", body + 1);
        snprintf(last_name, name_size, "contact/last%d", body + 1);
        snprintf(travel_name, name_size, "contact/travel%d", body + 1);
        status = touches && last ? SLIP_OK : slip_fail_memory(ctx);
        for (int s = 0; s < c->surface_count[body] && status >= 0; s++) {
            int size = c->surfaces[body][s].rows * c->surfaces[body][s].columns;
            for (int i = 0; i < size; i++)
                pack_touch(&c->touches[body][s][i], touches + touch_numbers * (at + i));
            memcpy(last + 3 * at, c->last[body][s], 3 * sizeof *last * (size_t)size);
            at += size;
        }
        if (status >= 0)
            status = slip_h5_write(file, touches_name, touches, touch_numbers * count);
        if (status >= 0)
            status = slip_h5_write(file, last_name, last, 3 * count);
        if (status >= 0)
            status = slip_h5_write(file, travel_name, c->travel[body], c->surface_count[body]);
        free(touches);
        free(last);
    }
    return status;
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

static int read_body(slip_flank_contact *c, int body, slip_h5 *file)
{
    static const char *const names[3] = {"touches", "last", "travel"};
    const int64_t count = count_nodes(c, body);
    const int64_t expected[3] = {touch_numbers * count, 3 * count, c->surface_count[body]};
    double *values[3] = {0};
    int64_t at = 0;
    int status = SLIP_OK;
    for (int k = 0; k < 3; k++) {
        char name[name_size];
        snprintf(name, name_size, "contact/%s%d", names[k], body + 1);
        SLIP_TRY(slip_h5_read_exactly(file, name, expected[k], &values[k]));
        SLIP_TRY(k == 0 ? check_touches(c, body, file, name, values[k], count)
                        : slip_h5_check_finite(file, name, values[k], expected[k]));
    }
    for (int s = 0; s < c->surface_count[body]; s++) {
        int size = c->surfaces[body][s].rows * c->surfaces[body][s].columns;
        for (int i = 0; i < size; i++)
            unpack_touch(values[0] + touch_numbers * (at + i), &c->touches[body][s][i]);
        memcpy(c->last[body][s], values[1] + 3 * at, 3 * sizeof(double) * (size_t)size);
        c->travel[body][s] = values[2][s];
        at += size;
    }
done:
    for (int k = 0; k < 3; k++)
        free(values[k]);
    return status;
}

int slip_flank_contact_read(slip_flank_contact *c, slip_h5 *file)
{
    int status = SLIP_OK;
    for (int body = 0; body < 2 && status >= 0; body++)
        status = read_body(c, body, file);
    return status;
}
