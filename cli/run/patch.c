/* slipstick patch: moments, best approximations, limit surface of contact areas. */
#include "files.h"
#include "job.h"
#include "report.h"
#include "show/pictures.h"
#include "verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_line(void *user, const char *line)
{
    cli_job *job = user;
    terminal_clear(&job->terminal);
    printf("%s\n", line);
}

/* Everything for areas with their names. */
static int study(cli_job *job, int count, const slip_patch *const *patches, const char *const *names)
{
    slip_result *result = NULL;
    const int code =
        job_ended(job, slip_patch_study(job->ctx, count, patches, names, print_line, job, &result));
    return keep_result(job, result, job->folder, false, NULL, code);
}

/* ---- an area given by options ---- */

/* Numbers separated by commas, or by colons between pairs; `count` of them. */
static bool read_list(const char *text, double *numbers, int count)
{
    char item[64];
    for (int i = 0; i < count; i++) {
        const size_t length = strcspn(text, ",:");
        if (length >= sizeof item)
            return false;
        memcpy(item, text, length);
        item[length] = '\0';
        if (!read_number(item, &numbers[i]) || (text[length] == '\0') != (i == count - 1))
            return false;
        text += length + (text[length] != '\0');
    }
    return true;
}

static int read_pair(cli_arguments *arguments, const char *name, double pair[2])
{
    const char *text = argument_text(arguments, name, NULL);
    if (!text || read_list(text, pair, 2))
        return exit_done;
    return fail_usage(arguments->verb, "`--%s` needs two numbers such as 2,1, not `%s`", name, text);
}

/* "0,0:1,0:1,2". *points is allocated. */
static int read_points(cli_arguments *arguments, slip_patch_options *area, double **points)
{
    const char *text = argument_text(arguments, "points", NULL);
    int count = 1;
    if (!text)
        return exit_done;
    for (const char *at = text; *at; at++)
        count += *at == ':';
    *points = malloc(2 * (size_t)count * sizeof **points);
    if (!*points)
        return fail_memory();
    if (!read_list(text, *points, 2 * count))
        return fail_usage(arguments->verb, "`--points` needs corners such as 0,0:1,0:0,1, not `%s`", text);
    area->points = *points;
    area->point_count = count;
    return exit_done;
}

/* Shapes with the options that say how large they are: a wrong pair is a mistake, not to be ignored. */
static const struct shape {
    const char *name, *dimensions[3];
} shapes[] = {{"disc", {"radius"}},     {"annulus", {"inner", "outer"}}, {"ellipse", {"semi-axes"}},
              {"rectangle", {"sides"}}, {"polygon", {"points"}},         {"table", {"file"}}};
enum { shape_count = sizeof shapes / sizeof shapes[0] };

static bool belongs(const struct shape *shape, const char *option)
{
    for (int k = 0; k < 3 && shape->dimensions[k]; k++)
        if (strcmp(shape->dimensions[k], option) == 0)
            return true;
    return false;
}

static int check_dimensions(cli_arguments *arguments, const char *name)
{
    const struct shape *shape = NULL;
    for (int k = 0; k < shape_count; k++)
        if (strcmp(shapes[k].name, name) == 0)
            shape = &shapes[k];
    if (!shape)
        return exit_done; /* the library says which there are */
    for (int k = 0; k < 3 && shape->dimensions[k]; k++)
        if (!argument_given(arguments, shape->dimensions[k]) && strcmp(name, "disc") != 0)
            return fail_usage(arguments->verb, "`--area %s` needs `--%s`", name, shape->dimensions[k]);
    for (int k = 0; k < shape_count; k++)
        for (int d = 0; d < 3 && shapes[k].dimensions[d]; d++)
            if (argument_given(arguments, shapes[k].dimensions[d]) &&
                !belongs(shape, shapes[k].dimensions[d]))
                return fail_usage(arguments->verb, "`--%s` is of shape %s, not of %s",
                                  shapes[k].dimensions[d], shapes[k].name, name);
    return exit_done;
}

/* A name, "linear:PX,PY", or an expression in x and y. */
static int read_pressure(cli_arguments *arguments, slip_patch_options *area)
{
    static const char *const names[] = {"uniform", "hertz", "parabolic", NULL};
    static const char linear[] = "linear:";
    const char *text = argument_text(arguments, "pressure", "uniform");
    for (int k = 0; names[k]; k++)
        if (strcmp(text, names[k]) == 0) {
            area->pressure = names[k];
            return exit_done;
        }
    if (strncmp(text, linear, sizeof linear - 1) == 0) {
        area->pressure = "linear";
        if (read_list(text + sizeof linear - 1, area->linear, 2))
            return exit_done;
        return fail_usage(arguments->verb, "`--pressure linear:` needs two numbers, as in linear:0.5,0");
    }
    area->pressure = "expression";
    area->expression = text;
    return exit_done;
}

/* Without --order there is no approximation of the user's own. */
static int read_surface(cli_arguments *arguments, slip_patch_options *area)
{
    double order[2] = {0, 0};
    const int code = read_pair(arguments, "order", order);
    if (code != exit_done)
        return code;
    argument_number(arguments, "m", &area->m);
    if (argument_number(arguments, "b", &area->b) != exit_done)
        return arguments->code;
    if (!argument_given(arguments, "order")) {
        if (argument_given(arguments, "m") || argument_given(arguments, "b"))
            return fail_usage(arguments->verb, "`--m` and `--b` need `--order N1,N2`");
        area->surface = "integral";
        return exit_done;
    }
    for (int k = 0; k < 2; k++) {
        if (order[k] != 0 && order[k] != 1)
            return fail_usage(arguments->verb, "`--order` needs two numbers that are 0 or 1, such as 0,1");
        area->order[k] = (int)order[k];
    }
    return exit_done;
}

static int read_area(cli_arguments *arguments, slip_patch_options *area, double **points)
{
    static const char *const names[] = {"radius", "inner", "outer", "size"};
    double *const values[] = {&area->radius, &area->inner, &area->outer, &area->size};
    area->shape = argument_text(arguments, "area", "disc");
    area->file = argument_text(arguments, "file", NULL);
    int code = check_dimensions(arguments, area->shape);
    for (int k = 0; k < 4 && code == exit_done; k++)
        code = argument_number(arguments, names[k], values[k]);
    if (code == exit_done)
        code = read_pair(arguments, "semi-axes", area->semi_axes);
    if (code == exit_done)
        code = read_pair(arguments, "sides", area->sides);
    if (code == exit_done)
        code = read_points(arguments, area, points);
    if (code == exit_done)
        code = read_pressure(arguments, area);
    if (code == exit_done)
        code = read_surface(arguments, area);
    return code;
}

static int study_area(cli_job *job)
{
    cli_arguments *arguments = job->arguments;
    slip_patch_options area = slip_patch_options_default();
    slip_patch *patch = NULL;
    double *points = NULL;
    char *own = folder_name(argument_text(arguments, "area", ""), ".patch");
    int code = own ? read_area(arguments, &area, &points) : fail_memory();
    job->folder = argument_text(arguments, "output", own);
    if (code == exit_done)
        code = check_folder(job->folder);
    if (code == exit_done)
        code = report_status(job->ctx, slip_patch_create(job->ctx, &area, &patch));
    if (code == exit_model)
        code = exit_usage; /* there is no model: what is wrong was typed here */
    if (code == exit_done)
        code = study(job, 1, (const slip_patch *const[]){patch}, &area.shape);
    slip_patch_destroy(patch);
    free(points);
    free(own);
    return code;
}

/* ---- the areas of a model ---- */

static int study_model(cli_job *job)
{
    const int contacts = slip_model_contact_count(job->model);
    const slip_patch **patches = malloc(((size_t)contacts + 1) * sizeof *patches);
    const char **names = malloc(((size_t)contacts + 1) * sizeof *names);
    int count = 0, code = patches && names ? exit_done : fail_memory();
    for (int k = 0; k < contacts && code == exit_done; k++) {
        names[count] = slip_model_contact_name(job->model, k);
        patches[count] = slip_model_patch(job->model, k);
        count += patches[count] != NULL;
    }
    if (code == exit_done)
        code = count > 0 ? study(job, count, patches, names)
                         : fail_usage(job->arguments->verb, "`%s` has no contact of kind patch",
                                      job->arguments->operands[0]);
    free(patches);
    free(names);
    return code;
}

/* ---- both ---- */

static const char *const area_options[] = {"area",  "radius", "inner", "outer",    "semi-axes",
                                           "sides", "points", "file",  "pressure", "size",
                                           "order", "m",      "b",     NULL};

static int check_source(cli_arguments *arguments)
{
    const bool model = arguments->operand_count > 0;
    if (!model && argument_given(arguments, "set"))
        return fail_usage(arguments->verb, "`--set` needs a model FILE");
    if (!model && !argument_given(arguments, "area"))
        return fail_usage(arguments->verb, "expected a model FILE, or an area such as `--area disc`");
    for (int k = 0; model && area_options[k]; k++)
        if (argument_given(arguments, area_options[k]))
            return fail_usage(arguments->verb, "`--%s` is for an area without a model FILE", area_options[k]);
    return exit_done;
}

static int patch(cli_arguments *arguments)
{
    const int code = check_source(arguments);
    if (code != exit_done)
        return code;
    return arguments->operand_count > 0 ? run_job_on_model(arguments, 0, ".patch", study_model)
                                        : run_job(arguments, study_area);
}

static const cli_option options_list[] = {
    {"output", 'o', "DIR", "folder for pictures and tables"},
    {"area", 'a', "SHAPE", "disc, annulus, ellipse, rectangle, polygon or table"},
    {"radius", 0, "R", "of a disc; default 1"},
    {"inner", 0, "R", "inner radius of an annulus"},
    {"outer", 0, "R", "outer radius of an annulus"},
    {"semi-axes", 0, "A,B", "of an ellipse, along x and y"},
    {"sides", 0, "A,B", "of a rectangle, along x and y"},
    {"points", 0, "X,Y:X,Y:...", "corners of a polygon"},
    {"file", 0, "FILE", "of a table: x, y, pressure in each line"},
    {"pressure", 'p', "PRESSURE",
     "uniform (default), hertz, parabolic, linear:PX,PY, or an\nexpression in x and y"},
    {"size", 0, "L", "characteristic length; default as in model files"},
    {"order", 0, "N1,N2", "an approximation of your own beside the best ones"},
    {"m", 0, "M", "its m; default 2"},
    {"b", 0, "B", "its b; default 1"},
    {"no-plot", 0, NULL, "draws no pictures"},
    {0}};

const cli_verb verb_patch = {
    .name = "patch",
    .summary = "moments, best approximations, limit surface of a contact area",
    .operands = "FILE | --area SHAPE",
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .options = options_list,
    .about = "Looks at every contact of kind patch of the model FILE, or at one area given by\n"
             "options. Prints its moments, the loads that it holds, and the best approximation of\n"
             "each order with its errors. Draws, as PNG and SVG: the limit surface in space, force\n"
             "and moment against the direction of motion for the integral model and the\n"
             "approximations, and the pressure. The numbers are there as CSV files too, and the\n"
             "gnuplot script stays in the folder. Unless -o names it, the folder is called like\n"
             "FILE or SHAPE, with `.patch` for its ending.\n"
             "\n"
             "Directions: (vx, vy) = cos(theta) (cos(phi), sin(phi)), spin times size = sin(theta).\n",
    .example = "slipstick new belt --template disk-on-belt\n"
               "slipstick patch belt.yaml\n"
               "slipstick patch --area disc --radius 0.5 --pressure hertz\n"
               "slipstick patch --area rectangle --sides 2,1 --pressure linear:0.5,0 -o block\n"
               "slipstick patch --area polygon --points 0,0:3,0:3,1:1,1:1,2:0,2\n",
    .run = patch};
