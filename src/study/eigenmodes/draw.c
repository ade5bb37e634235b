/* Pictures of eigenmodes: in the plane of eigenvalues, or frequency and growth over a parameter. */
#include "figure/album.h"
#include "study/eigenmodes/eigenmodes.h"
#include "study/view.h"

#include <math.h>

enum { notes_max = 40 };

typedef struct drawing {
    slip_album *album;
    const double *value, *mode, *frequency, *real;
    int64_t count;
    double low, high;
} drawing;

static bool is_inside(const drawing *d, double value)
{
    return !(value < d->low) && !(value > d->high);
}

/* A curve for each branch; how many there are. */
static int add_branches(drawing *d, const double *of)
{
    int branches = 0, drawn = 0;
    for (int64_t k = 0; k < d->count; k++)
        branches = (int)fmax(branches, d->mode[k]);
    for (int b = 1; b <= branches; b++) {
        slip_pen pen = slip_album_pen(d->album, d->count);
        for (int64_t k = 0; k < d->count; k++)
            if (d->mode[k] == b && is_inside(d, d->value[k]))
                slip_pen_to(&pen, d->value[k], of[k]);
        slip_pen_curve(&pen, NULL)->color = (b - 1) % 8 + 1;
        drawn += pen.count > 0;
    }
    return drawn;
}

/* A label beside the point of its branch that is nearest; of growth rates at zero. */
static void add_notes(drawing *d, const slip_result *result, bool growth)
{
    for (int64_t l = 0; l < result->label_count && l < notes_max; l++) {
        const slip_label *label = &result->labels[l];
        const int64_t best = slip_album_labelled(label, d->mode, d->value, d->count);
        if (best >= 0 && is_inside(d, label->value))
            slip_album_note(d->album, label->value, growth ? 0 : d->frequency[best],
                            slip_album_text(d->album, "%s%d", label->type, label->number));
    }
}

static int compose(drawing *d)
{
    slip_result *result = d->album->result;
    const char *parameter = slip_result_text(result, "parameter");
    slip_album_figure(d->album, "modes")->stacked = parameter != NULL;
    if (!parameter) { /* eigenvalues as points */
        slip_album_panel(d->album, "growth rate", "frequency");
        slip_album_curve(d->album, d->real, d->frequency, d->count, NULL)->style = SLIP_CURVE_POINTS;
        for (int growing = 1; growing >= 0; growing--) /* these have their numbers first */
            for (int k = 0; k < d->count; k++)
                if ((d->real[k] > 0) == growing)
                    slip_album_note(d->album, d->real[k], d->frequency[k],
                                    slip_album_text(d->album, "%d", (int)d->mode[k]));
        return SLIP_OK;
    }
    for (int growth = 0; growth < 2; growth++) {
        slip_album_panel(d->album, parameter, growth ? "growth rate" : "frequency");
        if (add_branches(d, growth ? d->real : d->frequency) == 0)
            return slip_fail(d->album->ctx, SLIP_ERROR_USAGE, "%s: there is no mode from %g to %g",
                             d->album->folder, d->low, d->high);
        add_notes(d, result, growth);
    }
    return SLIP_OK;
}

int slip_eigenmodes_draw(slip_album *a)
{
    drawing d = {.album = a, .low = a->options->from, .high = a->options->to};
    SLIP_PASS(slip_album_series(a, "value", &d.count, &d.value));
    SLIP_PASS(slip_album_series(a, "mode", &d.count, &d.mode));
    SLIP_PASS(slip_album_series(a, "frequency", &d.count, &d.frequency));
    SLIP_PASS(slip_album_series(a, "real", &d.count, &d.real));
    if (d.count == 0)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE, "%s: there is no mode to draw", a->folder);
    SLIP_PASS(slip_album_draw(a, compose(&d)));
    return slip_modes_draw_shapes(a->ctx, a->result, a->folder, a->options);
}
