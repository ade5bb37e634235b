/* slipstick statics: all static equilibria. */
#include "job.h"
#include "report.h"
#include "show/pictures.h"
#include "verb.h"

#include "slipstick/statics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { contacts_shown = 60, ends_shown = 12, name_size = 80 };

/* "stick|slip-" */
static const char *modes_text(unsigned char modes, char *text, size_t size)
{
    text[0] = 0;
    for (int mode = SLIP_MODE_OPEN; mode <= SLIP_MODE_CLOSED; mode++)
        if (modes & (1 << mode)) {
            const size_t length = strlen(text);
            snprintf(text + length, size - length, "%s%s", length > 0 ? "|" : "",
                     slip_mode_name((slip_mode)mode));
        }
    return text;
}

/* A slip of more than one dimension: its parts, where they are not all zero. */
static void print_plane(const char *name, const double *plane)
{
    static const char *const parts[6] = {"slip_x", "slip_y", "spin", "force_x", "force_y", "moment"};
    bool first = true;
    for (int k = 0; k < 6; k++) {
        if (plane[k] == 0)
            continue;
        printf(first ? "    %-20s %s %.9g" : "%s, %s %.9g", first ? name : "", parts[k], plane[k]);
        first = false;
    }
    if (!first)
        printf("\n");
}

static void print_state(const slip_statics *statics, const slip_statics_state *state,
                        const unsigned char *modes)
{
    char text[64];
    for (int i = 0; i < slip_statics_coordinate_count(statics); i++)
        printf("    %-20s %18.12g\n", slip_statics_coordinate_name(statics, i), state->q[i]);
    printf("    %-20s %-18s %15s %15s %15s %15s\n", "contact", "mode", "normal", "tangential", "gap", "slip");
    const int count = slip_statics_contact_count(statics);
    for (int c = 0; c < count && c < contacts_shown; c++)
        printf("    %-20s %-18s %15.9g %15.9g %15.9g %15.9g\n", slip_statics_contact_name(statics, c),
               modes_text(modes[c], text, sizeof text), state->normal[c], state->tangential[c], state->gap[c],
               state->slip[c]);
    for (int c = 0; c < count && c < contacts_shown; c++)
        print_plane(slip_statics_contact_name(statics, c), state->plane + 6 * c);
    if (count > contacts_shown)
        printf("    ... (%d contacts in all; solutions.json has them)\n", count);
}

/* Bodies, and the force in all of their contact points. */
static void print_bodies(const slip_statics *statics, const slip_statics_solution *s)
{
    double normal = 0, tangential = 0;
    for (int c = 0; c < slip_statics_contact_count(statics); c++) {
        normal += s->state.normal[c];
        tangential += s->state.tangential[c];
    }
    printf("    %-39s %15.9g %15.9g\n", "all contact points", normal, tangential);
    printf("    %-20s %18s %15s %31s\n", "body", "max displacement", "strain energy",
           "force of supports x, y");
    for (int b = 0; b < s->body_count; b++) {
        const double *reaction = s->bodies[b].reaction;
        printf("    %-20s %18.9g %15.9g %15.9g %15.9g", s->bodies[b].name, s->bodies[b].max_displacement,
               s->bodies[b].strain_energy, reaction[0], reaction[1]);
        if (reaction[2] != 0) /* in space */
            printf(" %15.9g", reaction[2]);
        printf("\n");
    }
}

/* Prints a part of a continuum, with its contact modes. */
static void print_part(const slip_statics *statics, const slip_statics_part *part, int number)
{
    printf("    part %d, of dimension %d%s:", number, part->dimension, part->unbounded ? ", unbounded" : "");
    for (int c = 0; c < slip_statics_contact_count(statics) && c < contacts_shown; c++)
        printf("%s %s %s", c > 0 ? "," : "", slip_statics_contact_name(statics, c),
               slip_mode_name(part->modes[c]));
    printf("\n");
}

static void print_continuum(const slip_statics *statics, const slip_statics_solution *s)
{
    printf(" a continuum of dimension %d%s:\n", s->dimension,
           s->end_count == 0   ? (s->unbounded ? " unbounded; one of its states" : "; one of its states")
           : !s->unbounded     ? " between these"
           : s->end_count == 1 ? " unbounded from here"
                               : " unbounded from these");
    for (int k = 0; k < s->part_count && s->part_count > 1; k++)
        print_part(statics, &s->parts[k], k + 1);
    if (s->end_count == 0)
        print_state(statics, &s->state, s->modes);
    for (int e = 0; e < s->end_count && e < ends_shown; e++) {
        print_state(statics, &s->ends[e], s->modes);
        if (e + 1 < s->end_count)
            printf("    and\n");
    }
    if (s->end_count > ends_shown)
        printf("    ... (%d corners in all; solutions.json has them)\n", s->end_count);
}

static void print_solution(const slip_statics *statics, int index)
{
    const slip_statics_solution *s = slip_statics_at(statics, index);
    if (s->dimension > 0) {
        printf("\n%d.", index + 1);
        print_continuum(statics, s);
        return;
    }
    printf("\n%d. determinant %s", index + 1, s->stability > 0 ? "+" : s->stability < 0 ? "-" : "of no sign");
    if (s->mode_sets > 1)
        printf(", on the boundary of %d sets of modes", s->mode_sets);
    printf("\n");
    print_state(statics, &s->state, s->modes);
    if (s->body_count > 0)
        print_bodies(statics, s);
}

static void print_solutions(const slip_statics *statics)
{
    const int count = slip_statics_count(statics);
    int64_t sets, starts;
    slip_statics_searched(statics, &sets, &starts);
    printf("%d static solution%s", count, count == 1 ? "" : "s");
    if (slip_statics_complete(statics))
        printf("; every set of modes was tried: there are no others\n");
    else if (sets > 0)
        printf(" found by Newton's method for %s%lld set%s of modes from %lld places; there may be others\n",
               sets == 1 ? "" : "each of ", (long long)sets, sets == 1 ? "" : "s", (long long)starts);
    else
        printf(" found by %s; there may be others\n",
               starts > 0 ? "Newton's method from several places" : "continuation and restarts");
    for (int k = 0; k < count; k++)
        print_solution(statics, k);
}

/* Everything after the solving. */
static int keep(cli_job *job, slip_result *result, bool bodies)
{
    int pictures = 0, code = report_status(job->ctx, slip_result_save(job->ctx, result, job->folder));
    if (code == exit_done && bodies)
        code = report_status(job->ctx, slip_export(job->ctx, job->folder, "vtu", NULL));
    if (code != exit_done)
        return code;
    json_whole(&job->json, slip_result_summary(job->ctx, result));
    fflush(stdout);
    if (!argument_given(job->arguments, "no-plot") && slip_result_number(result, "count") > 0 &&
        !draw_pictures(job->ctx, job->folder, &pictures))
        code = exit_interrupted;
    printf("\nResults in %s\n", job->folder);
    return code;
}

static int solve(cli_job *job)
{
    cli_arguments *arguments = job->arguments;
    slip_statics_options options = slip_statics_options_default();
    slip_statics *statics = NULL;
    slip_result *result = NULL;
    double restarts = options.restarts;
    int code = argument_number(arguments, "restarts", &restarts);
    if (code != exit_done)
        return code;
    if (!(restarts >= 0 && restarts <= 1e6))
        return fail_usage(arguments->verb, "--restarts: found %g, expected 0 to 1e6", restarts);
    options.restarts = (int)restarts;
    code = job_ended(job, slip_statics_solve(job->ctx, job->model, &options, &statics));
    if (code == exit_done)
        code = report_status(job->ctx, slip_statics_result(job->ctx, statics, &result));
    if (code == exit_done) {
        print_solutions(statics);
        code =
            keep(job, result, slip_statics_count(statics) > 0 && slip_statics_at(statics, 0)->body_count > 0);
    }
    slip_result_destroy(result);
    slip_statics_destroy(statics);
    return code;
}

/* ---- --map x=a:b,y=c:d */

/* One half of the option, "name=low:high". */
static bool read_axis(char *text, const char **name, double range[2])
{
    char *equals = strchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    if (!equals || !colon)
        return false;
    *equals = *colon = 0;
    *name = text;
    return read_number(equals + 1, &range[0]) && read_number(colon + 1, &range[1]);
}

static int draw_map(cli_job *job)
{
    cli_arguments *arguments = job->arguments;
    slip_statics_map_options options = slip_statics_map_options_default();
    const char *text = argument_text(arguments, "map", "");
    char *copy = malloc(strlen(text) + 1), *comma;
    double points = options.points;
    slip_result *result = NULL;
    int code = argument_number(arguments, "points", &points);
    if (!copy)
        return fail_memory();
    strcpy(copy, text);
    comma = strchr(copy, ',');
    if (comma)
        *comma = 0;
    if (code == exit_done && (!comma || !read_axis(copy, &options.x, options.x_range) ||
                              !read_axis(comma + 1, &options.y, options.y_range)))
        code = fail_usage(arguments->verb,
                          "--map: found `%s`, expected two parameters with their ranges, such as "
                          "fn=-1:1,ft=-3:3",
                          text);
    if (code == exit_done && !(points >= 2 && points <= 2000))
        code = fail_usage(arguments->verb, "--points: found %g, expected 2 to 2000", points);
    if (code == exit_done) {
        options.points = (int)points;
        code = job_ended(job, slip_statics_map(job->ctx, job->model, &options, &result));
    }
    code = keep_result(job, result, job->folder, false, NULL, code);
    free(copy);
    return code;
}

static int run(cli_arguments *arguments)
{
    const bool map = argument_given(arguments, "map");
    return run_job_on_model(arguments, 0, map ? ".map" : ".statics", map ? draw_map : solve);
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder for the results"},
    {"restarts", 0, "N",
     "random starts where not every set of modes can be tried,\nor has one solution; default 30"},
    {"map", 0, "X=A:B,Y=C:D", "instead: counts the solutions over two parameters\nand draws a map"},
    {"points", 0, "N", "of the map along each axis; default 101"},
    {"no-plot", 0, NULL, "draws no pictures"},
    {0}};

const cli_verb verb_statics = {
    .name = "statics",
    .summary = "finds every static solution of a model with contacts",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .options = options,
    .about = "Finds the static equilibria of the model FILE: velocities and the rates of states are\n"
             "zero, and the time is the first of `simulate.time` (or 0). The slip of a contact is read\n"
             "as a displacement, counted from the initial coordinates. A contact whose slip is driven\n"
             "(by a belt) slides steadily. With friction there can be one equilibrium, several, none,\n"
             "or a continuum, which counts as one solution with ends. All are listed with the modes of\n"
             "the contacts, the forces, and the sign of the determinant of the set of contact modes\n"
             "(`-`: an unstable solution between two others).\n"
             "In a linear model with up to 8 contacts every set of modes is tried. With more contacts\n"
             "continuation and restarts are used, and for other models Newton's method from several\n"
             "starts for every set of modes: the list may then be incomplete, which the program says.\n"
             "\n"
             "The results go to a folder, called like FILE with `.statics` (of a map `.map`) for its\n"
             "ending: solutions.json, result.h5, summary.json, model.yaml and, for elastic bodies, a\n"
             "VTU file of each solution for ParaView and a picture; of a map counts.csv.\n",
    .example = "slipstick new point --template one-point\n"
               "slipstick statics point.yaml\n"
               "slipstick statics point.yaml --map fn=-1:1,ft=-3:3 -o point.map\n",
    .run = run};
