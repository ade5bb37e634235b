/* slipstick gear mesh|modes|reduce|run|select|cycle: elastic gears. */
#include "files.h"
#include "gear_cycle.h"
#include "gear_run.h"
#include "gear_select.h"
#include "interrupt.h"
#include "report.h"
#include "terminal.h"
#include "verb.h"

#include "slipstick/slipstick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { path_size = 4096, shown = 10, drawn_default = 4, drawn_max = 8 };

/* What all of them have. */
typedef struct gear_call {
    const cli_arguments *arguments;
    slip_context *ctx;
    cli_terminal terminal;
    slip_model *model;
    const char *folder;
    slip_reduce_options options;
} gear_call;

static void say_written(void *user, const char *path)
{
    terminal_clear(user);
    printf("  wrote %s\n", path);
}

static void show_note(void *user, slip_log_level level, const char *message)
{
    gear_call *call = user;
    terminal_clear(&call->terminal);
    if (level >= SLIP_LOG_WARNING)
        warn("%s", message);
    else if (level == SLIP_LOG_INFO && !argument_given(call->arguments, "quiet"))
        printf("  %s\n", message);
    fflush(stdout);
}

static void file_path(char *path, const gear_call *call, const char *name, const char *ending)
{
    snprintf(path, path_size, "%.3000s/%.500s%s", call->folder, name, ending);
}

/* ---- mesh ---- */

static int mesh_one(gear_call *call, const slip_gear_options *gear)
{
    static const char *const endings[] = {".vtu", ".inp"};
    slip_gear_counts counts;
    char path[path_size];
    int status = slip_gear_count(call->ctx, gear, &counts);
    if (status < 0)
        return status;
    printf("%s: %d nodes, %d elements, %d flanks of %d nodes\n", gear->name, counts.nodes, counts.elements,
           counts.flanks, counts.flank_nodes);
    for (int i = 0; i < 2; i++) {
        file_path(path, call, gear->name, endings[i]);
        status = slip_gear_write_mesh(call->ctx, gear, path);
        if (status < 0)
            return status;
        say_written(&call->terminal, path);
    }
    return argument_given(call->arguments, "no-plot")
               ? SLIP_OK
               : slip_gear_draw_mesh(call->ctx, gear, call->folder, say_written, &call->terminal);
}

/* ---- modes ---- */

static int print_modes(const slip_reduced *body)
{
    const slip_reduced_mode *modes = slip_reduced_modes(body);
    const int count = slip_reduced_mode_count(body);
    printf("%s: mass %.6g kg, moment of inertia %.6g kg m^2, %d modes\n", slip_reduced_name(body),
           slip_reduced_mass(body), slip_reduced_moment(body), count);
    printf("  mode  frequency/Hz  nodal diameters\n");
    for (int k = 0; k < count; k++) {
        if (k == shown && count > shown + 1) {
            printf("   ...\n");
            k = count - 1;
        }
        printf("  %4d  %12.3f", k + 1, modes[k].frequency);
        if (modes[k].nodal_diameter >= 0)
            printf("  %15d%s", modes[k].nodal_diameter, modes[k].antisymmetric ? "  antisymmetric" : "");
        printf("\n");
    }
    return 0;
}

/* The modes to draw: `--draw 1,5,9`, else the lowest ones, one of each pair. */
static int choose_modes(const gear_call *call, const slip_reduced *body, int chosen[drawn_max], int *count)
{
    const char *text = argument_text(call->arguments, "draw", NULL);
    const slip_reduced_mode *modes = slip_reduced_modes(body);
    *count = 0;
    for (int k = 0; !text && k < slip_reduced_mode_count(body) && *count < drawn_default; k++)
        if (k == 0 || modes[k].frequency > modes[k - 1].frequency * (1 + 1e-6))
            chosen[(*count)++] = k;
    while (text) {
        char *end;
        const long number = strtol(text, &end, 10);
        if (end == text || (*end && *end != ',') || number < 1 || number > slip_reduced_mode_count(body) ||
            *count == drawn_max)
            return fail_usage(call->arguments->verb,
                              "--draw: found `%s`, expected at most %d numbers from 1 to %d joined by commas",
                              argument_text(call->arguments, "draw", ""), drawn_max,
                              slip_reduced_mode_count(body));
        chosen[(*count)++] = (int)number - 1;
        text = *end ? end + 1 : NULL;
    }
    return exit_done;
}

static int draw_body(gear_call *call, const slip_reduced *body, int *code)
{
    int chosen[drawn_max], count;
    char path[path_size], ending[40];
    *code = choose_modes(call, body, chosen, &count);
    if (*code != exit_done)
        return SLIP_OK;
    for (int k = 0; k < count; k++) {
        snprintf(ending, sizeof ending, "-mode%03d.vtu", chosen[k] + 1);
        file_path(path, call, slip_reduced_name(body), ending);
        int status = slip_reduced_write_vtu(call->ctx, body, chosen[k], path);
        if (status < 0)
            return status;
        say_written(&call->terminal, path);
    }
    return argument_given(call->arguments, "no-plot")
               ? SLIP_OK
               : slip_reduced_draw(call->ctx, body, chosen, count, call->folder, say_written,
                                   &call->terminal);
}

static int write_table(gear_call *call, slip_reduced *const *bodies, int count)
{
    cli_file table;
    int code = file_begin(&table, call->folder, "modes.csv");
    if (code != exit_done)
        return code;
    FILE *file = table.stream;
    fprintf(file, "gear,mode,frequency_hz,nodal_diameter\n");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < slip_reduced_mode_count(bodies[i]); k++) {
            const slip_reduced_mode *m = &slip_reduced_modes(bodies[i])[k];
            fprintf(file, "%s,%d,%.17g,", slip_reduced_name(bodies[i]), k + 1, m->frequency);
            if (m->nodal_diameter >= 0)
                fprintf(file, "%d", m->nodal_diameter);
            fprintf(file, "\n");
        }
    code = file_end(&table, true);
    if (code == exit_done)
        say_written(&call->terminal, table.path);
    return code;
}

static int run_modes(gear_call *call)
{
    const int count = slip_model_gear_count(call->model);
    slip_reduced **bodies = calloc((size_t)count, sizeof *bodies);
    int code = bodies ? exit_done : fail_memory(), done = 0;
    call->options.attachment = 0;
    for (; code == exit_done && done < count; done++) {
        int status =
            slip_gear_reduce(call->ctx, slip_model_gear(call->model, done), &call->options, &bodies[done]);
        terminal_clear(&call->terminal);
        if (status >= 0) {
            print_modes(bodies[done]);
            status = draw_body(call, bodies[done], &code);
        }
        if (code == exit_done)
            code = report_status(call->ctx, status);
    }
    if (code == exit_done)
        code = write_table(call, bodies, count);
    for (int i = 0; bodies && i < count; i++)
        slip_reduced_destroy(bodies[i]);
    free(bodies);
    return code;
}

/* ---- reduce ---- */

static void print_residual(const slip_reduced *body)
{
    for (int k = 0; k < slip_reduced_residual_count(body); k++) {
        const slip_reduced_residual r = slip_reduced_residual_at(body, k);
        double sum = 0;
        for (int i = 0; i < r.size; i++)
            sum += sqrt(r.flexibility[i * (r.size + 1)] / r.mass[i * (r.size + 1)]) /
                   (2 * 3.14159265358979323846);
        printf(
            "  %d residual attachment modes%s%s: %.4g kHz each on average; orthogonalised %.4g to %.4g kHz\n",
            r.size, slip_reduced_residual_count(body) > 1 ? " of " : "",
            slip_reduced_residual_count(body) > 1 ? slip_reduced_surface_at(body, k).name : "",
            1e-3 * sum / r.size, 1e-3 * r.frequency[0], 1e-3 * r.frequency[r.size - 1]);
    }
}

static int reduce_one(gear_call *call, const slip_gear_options *gear, int *code)
{
    slip_reduced *body = NULL;
    char path[path_size];
    int reused = 0;
    file_path(path, call, gear->name, ".h5");
    int status = slip_gear_reduce_file(call->ctx, gear, &call->options, path, &body, &reused);
    terminal_clear(&call->terminal);
    if (status < 0)
        return status;
    print_modes(body);
    print_residual(body);
    printf("  %s %s\n", reused ? "nothing changed: kept" : "wrote", path);
    if (argument_given(call->arguments, "plot") || argument_given(call->arguments, "draw"))
        status = draw_body(call, body, code);
    slip_reduced_destroy(body);
    return status;
}

/* ---- the verb ---- */

static int for_each(gear_call *call, bool mesh)
{
    int code = exit_done;
    for (int i = 0; code == exit_done && i < slip_model_gear_count(call->model); i++) {
        const slip_gear_options *gear = slip_model_gear(call->model, i);
        int status = mesh ? mesh_one(call, gear) : reduce_one(call, gear, &code);
        if (code == exit_done)
            code = report_status(call->ctx, status);
    }
    return code;
}

static int run_call(gear_call *call, const char *what)
{
    if (slip_model_gear_count(call->model) == 0) {
        fprintf(stderr, "slipstick: %s has no gears; expected a section `gears`\n",
                call->arguments->operands[1]);
        return exit_model;
    }
    const int made = report_status(call->ctx, slip_folder_make(call->ctx, call->folder));
    if (made != exit_done)
        return made;
    if (strcmp(what, "modes") == 0)
        return run_modes(call);
    if (strcmp(what, "run") == 0)
        return run_gears(call->ctx, call->arguments, call->model, &call->options, &call->terminal,
                         call->folder);
    if (strcmp(what, "select") == 0)
        return select_gears(call->ctx, call->arguments, call->model, &call->options, &call->terminal,
                            call->folder);
    if (strcmp(what, "cycle") == 0)
        return run_cycle(call->ctx, call->arguments, call->model, &call->options, &call->terminal,
                         call->folder);
    return for_each(call, strcmp(what, "mesh") == 0);
}

/* Options that not every word reads. */
static int check_words(const cli_arguments *arguments, const char *what)
{
    static const struct {
        const char *option, *words;
    } owned[] = {{"draw", "modes reduce"}, {"plot", "reduce"},      {"resume", "run"},
                 {"restart", "run"},       {"tolerance", "select"}, {"torque", "cycle"},
                 {"points", "cycle"},      {"cycles", "cycle"},     {"facets", "cycle"}};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (argument_given(arguments, owned[i].option) && !strstr(owned[i].words, what))
            return fail_usage(arguments->verb, "found `--%s` with `gear %s`, it is for `gear %s`",
                              owned[i].option, what,
                              strchr(owned[i].words, ' ') ? "modes` and `gear reduce" : owned[i].words);
    return exit_done;
}

static int gear(const cli_arguments *arguments)
{
    const char *what = arguments->operands[0];
    static const char *const verbs_of_gear[] = {"mesh", "modes", "reduce", "run", "select", "cycle"};
    bool known = false;
    for (size_t i = 0; i < sizeof verbs_of_gear / sizeof *verbs_of_gear; i++)
        known = known || strcmp(what, verbs_of_gear[i]) == 0;
    if (!known)
        return fail_usage(arguments->verb,
                          "unknown word `%s`, expected mesh, modes, reduce, run, select or cycle", what);
    if (check_words(arguments, what) != exit_done)
        return exit_usage;
    gear_call call = {.arguments = arguments, .ctx = slip_context_create()};
    const char **settings = argument_list(arguments, "set");
    char *own = folder_name(arguments->operands[1], ".run");
    double gigabytes = 0, threads = 0;
    int code = call.ctx && settings && own ? exit_done : fail_memory();
    call.folder = argument_text(arguments, "output", own);
    call.options = slip_reduce_options_default();
    call.options.check = argument_given(arguments, "check");
    call.options.symmetry = !argument_given(arguments, "whole");
    if (code == exit_done)
        code = argument_number(arguments, "memory", &gigabytes);
    if (code == exit_done && !(gigabytes >= 0 && isfinite(gigabytes)))
        code = fail_usage(arguments->verb, "--memory: found %g, expected a positive number of gigabytes",
                          gigabytes);
    if (code == exit_done)
        code = argument_number(arguments, "threads", &threads);
    if (code == exit_done && argument_given(arguments, "threads") &&
        !(threads >= 1 && threads <= 1000 && threads == floor(threads)))
        code = fail_usage(arguments->verb, "`--threads`: found %g, expected a whole number from 1 to 1000",
                          threads);
    call.options.memory = 1e9 * gigabytes;
    call.options.threads = (int)threads;
    if (code == exit_done) {
        terminal_open(&call.terminal, call.ctx, argument_given(arguments, "quiet"));
        slip_context_set_log(call.ctx, show_note, &call);
        code = report_status(call.ctx,
                             slip_model_load_with(call.ctx, arguments->operands[1], settings, &call.model));
    }
    if (code == exit_done)
        code = check_folder(call.folder);
    if (code == exit_done) {
        interrupt_begin(call.ctx);
        code = run_call(&call, what);
        interrupt_end();
        terminal_clear(&call.terminal);
    }
    slip_model_destroy(call.model);
    free(settings);
    free(own);
    slip_context_destroy(call.ctx);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder to write into; default: the file's name with .run"},
    {"set", 's', "NAME=VALUE", "overrides a parameter, or any field by its path;\nmay be repeated"},
    {"draw", 'd', "K,L,...", "modes to draw and to write as VTU; default: the lowest 4"},
    {"check", 'c', NULL, "confirms that no mode was missed, by the inertia of\nK - s M; slow"},
    {"whole", 'w', NULL, "solves the whole gear, without its symmetry"},
    {"memory", 'm', "GB", "most memory that a gear may need; default: what is\nfree"},
    {"threads", 't', "N", "to use; default: as many as there are processors"},
    {"resume", 'r', NULL, "run, method explicit: goes on from the checkpoint"},
    {"restart", 0, NULL, "run, method explicit: forgets the checkpoint"},
    {"tolerance", 0, "X", "select: change of the speed that does not matter;\ndefault: 0.005"},
    {"torque", 0, "T", "cycle: on the second gear, N m; default: that of the model"},
    {"points", 0, "N", "cycle: in a mesh cycle; default 60"},
    {"cycles", 0, "N", "cycle: how many; default 1"},
    {"facets", 0, NULL, "cycle: flanks are the facets of the meshes, not involutes"},
    {"plot", 'p', NULL, "reduce: draws modes and an attachment shape too"},
    {"no-plot", 'n', NULL, "no pictures"},
    {"quiet", 'q', NULL, "no progress and no notes; run, cycle: no table either"},
    {0}};

const cli_verb verb_gear = {
    .name = "gear",
    .summary = "elastic gears: mesh, natural frequencies, reduced bodies, contact",
    .operands = "mesh|modes|reduce|run|select|cycle FILE",
    .operand_minimum = 2,
    .operand_maximum = 2,
    .options = options,
    .about = "gear mesh    writes the mesh of every gear of FILE as GEAR.vtu and GEAR.inp (ParaView;\n"
             "             Abaqus, CalculiX) and draws it.\n"
             "gear modes   finds its lowest natural frequencies with the bore held: modes.csv with\n"
             "             gear, mode, frequency_hz, nodal_diameter; mode shapes as pictures and VTU.\n"
             "gear reduce  also finds the residual attachment modes of the flanks, and writes the\n"
             "             reduced body GEAR.h5, which is kept while nothing changes.\n"
             "gear run     lets two gears hit or drive each other as `flanks` and `simulate` of FILE\n"
             "             say: model.yaml, result.h5, summary.json and pictures. Reduced bodies are\n"
             "             made where there are none of these gears. Methods: exponential (for\n"
             "             `static: condensed`, the default), rk4 (for the others) and explicit, the\n"
             "             nonlinear finite element model, which keeps a checkpoint to --resume from.\n"
             "             `simulate.frames` asks for frames: VTU files and pictures with stress.\n"
             "             Ctrl-C ends the run and keeps what was computed.\n"
             "gear select  finds how many modes and which penalty the run needs: with a low penalty it\n"
             "             adds eigenmodes until the speed of the second gear no longer changes, then\n"
             "             raises the penalty, and adds modes where they matter again. Prints the\n"
             "             table that led there; also in select.csv.\n"
             "gear cycle   turns two gears through a mesh cycle, at rest under a torque on the second\n"
             "             one: loaded transmission error, mesh stiffness, load sharing: a table,\n"
             "             cycle.csv, cycle-changes.csv (pairs of teeth that come into contact and\n"
             "             leave), cycle.json and pictures.\n",
    .example = "slipstick new pair --template gear-pair\n"
               "slipstick gear mesh pair.yaml\n"
               "slipstick new impact --template gear-impact\n"
               "slipstick gear run impact.yaml\n"
               "slipstick gear select impact.yaml\n"
               "slipstick new mesh --template gear-cycle\n"
               "slipstick gear cycle mesh.yaml --torque 100\n",
    .run = gear};
