/* The gear pair of the static modes switching study: natural frequencies with the bore held, and the
 * frequencies of the attachment modes (examples/gear-pair.yaml has the geometry, which was inferred). */
#include "published.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
enum { published_count = 3 };
static const double allowed = 0.03; /* of published frequencies */

typedef struct published_gear {
    const char *name;
    int kept; /* eigenmodes beside the attachment modes */
    int nodes, elements;
    double frequency[published_count]; /* kHz */
    double attachment;                 /* kHz, the order of */
} published_gear;

static const int published_modes[published_count] = {1, 50, 200};
static const published_gear gears[] = {{"pinion", 50, 103419, 86064, {22.9, 51.5, 112.5}, 350},
                                       {"wheel", 200, 208270, 173696, {5.5, 34.1, 60.6}, 300}};

static int find_frequencies(slip_context *ctx, const slip_gear_options *gear, const char *element,
                            double frequency[published_count])
{
    slip_gear_options own = *gear;
    slip_reduce_options options = slip_reduce_options_default();
    slip_reduced *body = NULL;
    own.element = element;
    own.modes = published_modes[published_count - 1];
    options.attachment = 0;
    int status = slip_gear_reduce(ctx, &own, &options, &body);
    for (int k = 0; status >= 0 && k < published_count; k++)
        frequency[k] = 1e-3 * slip_reduced_modes(body)[published_modes[k] - 1].frequency;
    slip_reduced_destroy(body);
    return status;
}

/* Frequencies of single attachment modes: stiffness and mass are the diagonals of G_r and M_r. */
static void say_attachment(const slip_reduced *body, const published_gear *p, const paper_printer *out)
{
    const slip_reduced_attachment r = slip_reduced_attachment_at(body, 0);
    double low = INFINITY, high = 0, sum = 0;
    for (int i = 0; i < r.size; i++) {
        const int at = i * (r.size + 1);
        const double frequency = 1e-3 * sqrt(r.flexibility[at] / r.mass[at]) / (2 * pi);
        low = fmin(low, frequency);
        high = fmax(high, frequency);
        sum += frequency;
    }
    paper_say(out,
              "  %d attachment modes beside %d eigenmodes: %.0f to %.0f kHz, %.0f on average (published: of "
              "the order of %.0f);",
              r.size, slip_reduced_mode_count(body), low, high, sum / r.size, p->attachment);
    paper_say(out, "  made orthogonal to each other: %.0f to %.0f kHz", 1e-3 * r.frequency[0],
              1e-3 * r.frequency[r.size - 1]);
}

static void say_counts(const slip_gear_counts *c, const published_gear *p, const paper_printer *out)
{
    paper_say(out, "%s", "");
    paper_say(out, "%s: %d nodes (published: %d, %+.1f %%), %d elements (published: %d, %+.1f %%)", p->name,
              c->nodes, p->nodes, 100.0 * (c->nodes - p->nodes) / p->nodes, c->elements, p->elements,
              100.0 * (c->elements - p->elements) / p->elements);
    paper_say(out, "  mode   published/kHz   fully integrated         incompatible modes");
}

/* The fully integrated bricks, which the example is set to, have to agree; the others are shown beside them.
 */
static void say_verdict(const published_gear *p, const double *full, const double *incompatible,
                        const paper_printer *out)
{
    const double *const found[2] = {full, incompatible};
    double worst[2] = {0};
    for (int which = 0; which < 2; which++)
        for (int k = 0; k < published_count; k++)
            worst[which] = fmax(worst[which], fabs(found[which][k] / p->frequency[k] - 1));
    paper_say(out,
              "  fully integrated, as the example is set: %s %.0f %% of the published (largest "
              "difference %.1f %%);",
              worst[0] <= allowed ? "all within" : "NOT within", 100 * allowed, 100 * worst[0]);
    paper_say(out, "  with incompatible modes, which are softer in bending: largest difference %.1f %%",
              100 * worst[1]);
}

static int run_gear(slip_context *ctx, const slip_gear_options *gear, const published_gear *p,
                    const char *folder, const paper_printer *out)
{
    slip_gear_counts counts;
    slip_reduce_options options = slip_reduce_options_default();
    slip_gear_options kept = *gear;
    slip_reduced *body = NULL;
    double full[published_count], incompatible[published_count];
    int status;
    TRY(slip_gear_mesh_size(ctx, gear, &counts));
    say_counts(&counts, p, out);
    TRY(find_frequencies(ctx, gear, "full", full));
    TRY(find_frequencies(ctx, gear, "incompatible", incompatible));
    for (int k = 0; k < published_count; k++)
        paper_say(out, "  %4d   %13.1f   %9.3f (%+.1f %%)       %9.3f (%+.1f %%)", published_modes[k],
                  p->frequency[k], full[k], 100 * (full[k] / p->frequency[k] - 1), incompatible[k],
                  100 * (incompatible[k] / p->frequency[k] - 1));
    say_verdict(p, full, incompatible, out);
    kept.modes = p->kept;
    TRY(slip_gear_reduce(ctx, &kept, &options, &body));
    say_attachment(body, p, out);
    TRY(slip_gear_plot_mesh(ctx, gear, folder, paper_picture, (void *)(uintptr_t)out));
    TRY(slip_reduced_plot(ctx, body, NULL, 4, folder, paper_picture, (void *)(uintptr_t)out));
done:
    slip_reduced_destroy(body);
    return status;
}

static int run_gears(slip_context *ctx, const char *figure, const char *folder, bool full,
                     const paper_printer *out)
{
    (void)full;
    slip_model *model = NULL;
    int status;
    TRY(slip_model_parse(ctx, slip_example_text("gear-pair"), "gear-pair.yaml", NULL, &model));
    paper_say(out, "Gear pair of the static modes switching study: natural frequencies, bore held");
    paper_say(out, "(its geometry is not published: module, profile shifts, width and bores were inferred");
    paper_say(out, " from the six published frequencies, so the agreement is no proof of the method)");
    for (int i = 0; i < slip_model_gear_count(model); i++) {
        const slip_gear_options *gear = slip_model_gear(model, i);
        if (!figure || strcmp(figure, gears[i].name) == 0)
            TRY(run_gear(ctx, gear, &gears[i], folder, out));
    }
done:
    slip_model_destroy(model);
    return status;
}

static const paper_figure figure_list[] = {{"pinion", "frequencies of the pinion beside the published ones"},
                                           {"wheel", "those of the wheel"},
                                           {NULL, NULL}};

const paper paper_gears = {
    "gear-modes",
    "natural frequencies of an elastic gear pair, attachment modes",
    figure_list,
    NULL,
    "T. Tamarozzi, P. Ziegler, P. Eberhard, W. Desmet: Static modes switching in gear contact "
    "simulation, 2013",
    .run = run_gears};
