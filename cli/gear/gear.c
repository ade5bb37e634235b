/* slipstick gear mesh|modes|reduce|run|select|cycle: elastic gears. */
#include "files.h"
#include "gear/cycle.h"
#include "gear/select.h"
#include "report.h"
#include "run/run.h"
#include "verb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { path_size = 4096, shown = 10, drawn_default = 4, drawn_max = 8 };

/* Data common to all words of `gear`. */
typedef struct gear_call {
    cli_job *job;
    slip_reduce_options reduce;
    FILE *table; /* of `modes` */
} gear_call;

static void say_written(void *user, const char *path)
{
    cli_job *job = user;
    terminal_clear(&job->terminal);
    printf("  wrote %s\n", path);
    json_text(&job->json, NULL, path);
}

static void show_note(void *user, slip_log_level level, const char *message)
{
    cli_job *job = user;
    terminal_clear(&job->terminal);
    if (level >= SLIP_LOG_WARNING)
        warn("%s", message);
    else if (level == SLIP_LOG_INFO)
        printf("  %s\n", message);
    fflush(stdout);
}

static void file_path(char *path, const cli_job *job, const char *name, const char *ending)
{
    snprintf(path, path_size, "%.3000s/%.500s%s", job->folder, name, ending);
}

/* ---- mesh ---- */

static int mesh_one(gear_call *call, const slip_gear_options *gear, int *code)
{
    (void)code;
    cli_job *job = call->job;
    static const char *const endings[] = {".vtu", ".inp"};
    slip_gear_counts counts;
    char path[path_size];
    int status = slip_gear_mesh_size(job->ctx, gear, &counts);
    if (status < 0)
        return status;
    printf("%s: %d nodes, %d elements, %d flanks of %d nodes\n", gear->name, counts.nodes, counts.elements,
           counts.flanks, counts.flank_nodes);
    json_number(&job->json, "nodes", counts.nodes);
    json_number(&job->json, "elements", counts.elements);
    json_number(&job->json, "flanks", counts.flanks);
    json_number(&job->json, "flank_nodes", counts.flank_nodes);
    json_list(&job->json, "files");
    for (int i = 0; i < 2; i++) {
        file_path(path, job, gear->name, endings[i]);
        status = slip_gear_save_mesh(job->ctx, gear, path);
        if (status < 0)
            return status;
        say_written(job, path);
    }
    if (!argument_given(job->arguments, "no-plot"))
        status = slip_gear_plot_mesh(job->ctx, gear, job->folder, say_written, job);
    json_end(&job->json);
    return status;
}

/* ---- modes ---- */

static void summarise_body(cli_json *json, const slip_reduced *body)
{
    json_number(json, "mass", slip_reduced_mass(body));
    json_number(json, "moment_of_inertia", slip_reduced_moment(body));
    json_list(json, "modes");
    for (int k = 0; k < slip_reduced_mode_count(body); k++) {
        const slip_reduced_mode *mode = &slip_reduced_modes(body)[k];
        json_object(json, NULL);
        json_number(json, "frequency_hz", mode->frequency);
        json_number(json, "nodal_diameter", mode->nodal_diameter >= 0 ? (double)mode->nodal_diameter : NAN);
        json_end(json);
    }
    json_end(json);
}

static void print_modes(const slip_reduced *body)
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
}

/* The modes to draw: `--draw 1,5,9`, else the lowest ones, one of each pair. */
static int choose_modes(const cli_job *job, const slip_reduced *body, int chosen[drawn_max], int *count)
{
    const char *text = argument_text(job->arguments, "draw", NULL);
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
            return fail_usage(job->arguments->verb,
                              "--draw: found `%s`, expected at most %d numbers from 1 to %d joined by commas",
                              argument_text(job->arguments, "draw", ""), drawn_max,
                              slip_reduced_mode_count(body));
        chosen[(*count)++] = (int)number - 1;
        text = *end ? end + 1 : NULL;
    }
    return exit_done;
}

/* A wrong --draw is found when the modes are known: then *code is not 0. */
static int draw_body(cli_job *job, const slip_reduced *body, int *code)
{
    int chosen[drawn_max], count, status = SLIP_OK;
    char path[path_size], ending[40];
    *code = choose_modes(job, body, chosen, &count);
    if (*code != exit_done)
        return SLIP_OK;
    for (int k = 0; k < count; k++) {
        snprintf(ending, sizeof ending, "-mode%03d.vtu", chosen[k] + 1);
        file_path(path, job, slip_reduced_name(body), ending);
        status = slip_reduced_save_vtu(job->ctx, body, chosen[k], path);
        if (status < 0)
            return status;
        say_written(job, path);
    }
    if (!argument_given(job->arguments, "no-plot"))
        status = slip_reduced_plot(job->ctx, body, chosen, count, job->folder, say_written, job);
    return status;
}

static int modes_one(gear_call *call, const slip_gear_options *gear, int *code)
{
    cli_job *job = call->job;
    slip_reduced *body = NULL;
    int status = slip_gear_reduce(job->ctx, gear, &call->reduce, &body);
    terminal_clear(&job->terminal);
    if (status < 0)
        return status;
    print_modes(body);
    summarise_body(&job->json, body);
    json_list(&job->json, "files");
    status = draw_body(job, body, code);
    json_end(&job->json);
    for (int k = 0; k < slip_reduced_mode_count(body); k++) {
        const slip_reduced_mode *m = &slip_reduced_modes(body)[k];
        fprintf(call->table, "%s,%d,%.17g,", slip_reduced_name(body), k + 1, m->frequency);
        if (m->nodal_diameter >= 0)
            fprintf(call->table, "%d", m->nodal_diameter);
        fprintf(call->table, "\n");
    }
    slip_reduced_destroy(body);
    return status;
}

/* ---- reduce ---- */

static void print_residual(const slip_reduced *body)
{
    for (int k = 0; k < slip_reduced_attachment_count(body); k++) {
        const slip_reduced_attachment r = slip_reduced_attachment_at(body, k);
        double sum = 0;
        for (int i = 0; i < r.size; i++)
            sum += sqrt(r.flexibility[i * (r.size + 1)] / r.mass[i * (r.size + 1)]) /
                   (2 * 3.14159265358979323846);
        printf(
            "  %d residual attachment modes%s%s: %.4g kHz each on average; orthogonalised %.4g to %.4g kHz\n",
            r.size, slip_reduced_attachment_count(body) > 1 ? " of " : "",
            slip_reduced_attachment_count(body) > 1 ? slip_reduced_surface_at(body, k).name : "",
            1e-3 * sum / r.size, 1e-3 * r.frequency[0], 1e-3 * r.frequency[r.size - 1]);
    }
}

static int reduce_one(gear_call *call, const slip_gear_options *gear, int *code)
{
    cli_job *job = call->job;
    slip_reduced *body = NULL;
    char path[path_size];
    int reused = 0;
    file_path(path, job, gear->name, ".h5");
    int status = slip_gear_reduce_file(job->ctx, gear, &call->reduce, path, &body, &reused);
    terminal_clear(&job->terminal);
    if (status < 0)
        return status;
    print_modes(body);
    print_residual(body);
    printf("  %s %s\n", reused ? "nothing changed: kept" : "wrote", path);
    summarise_body(&job->json, body);
    json_flag(&job->json, "kept", reused);
    json_list(&job->json, "files");
    json_text(&job->json, NULL, path);
    if (argument_given(job->arguments, "plot") || argument_given(job->arguments, "draw"))
        status = draw_body(job, body, code);
    json_end(&job->json);
    slip_reduced_destroy(body);
    return status;
}

/* ---- the verb ---- */

static int for_each(gear_call *call, int (*one)(gear_call *call, const slip_gear_options *gear, int *code))
{
    cli_job *job = call->job;
    int code = exit_done;
    json_object(&job->json, "gears");
    for (int i = 0; code == exit_done && i < slip_model_gear_count(job->model); i++) {
        const slip_gear_options *gear = slip_model_gear(job->model, i);
        json_object(&job->json, gear->name);
        const int status = one(call, gear, &code);
        json_end(&job->json);
        if (code == exit_done)
            code = report_status(job->ctx, status);
    }
    json_end(&job->json);
    return code;
}

static int mesh_all(gear_call *call)
{
    return for_each(call, mesh_one);
}

static int find_modes(gear_call *call)
{
    cli_file table;
    int code = file_begin(&table, call->job->folder, "modes.csv");
    if (code != exit_done)
        return code;
    call->reduce.attachment = 0;
    call->table = table.stream;
    fprintf(call->table, "gear,mode,frequency_hz,nodal_diameter\n");
    code = for_each(call, modes_one);
    const int kept = file_end(&table, code == exit_done);
    if (code == exit_done && kept == exit_done) {
        json_list(&call->job->json, "files");
        say_written(call->job, table.path);
        json_end(&call->job->json);
    }
    return code == exit_done ? kept : code;
}

static int reduce_all(gear_call *call)
{
    return for_each(call, reduce_one);
}

static int run_both(gear_call *call)
{
    return run_model(call->job, &call->reduce);
}

static int select_both(gear_call *call)
{
    return select_gears(call->job, &call->reduce);
}

static int cycle_both(gear_call *call)
{
    return run_cycle(call->job, &call->reduce);
}

static const struct {
    const char *name;
    int (*run)(gear_call *call);
} words[] = {{"mesh", mesh_all}, {"modes", find_modes},   {"reduce", reduce_all},
             {"run", run_both},  {"select", select_both}, {"cycle", cycle_both}};
enum { word_count = sizeof words / sizeof *words };

static int find_word(const char *name)
{
    int k = 0;
    while (k < word_count && strcmp(words[k].name, name) != 0)
        k++;
    return k;
}

static int read_options(cli_arguments *arguments, slip_reduce_options *reduce)
{
    double gigabytes = 0;
    *reduce = slip_reduce_options_default();
    reduce->check = argument_given(arguments, "check");
    reduce->symmetry = !argument_given(arguments, "whole");
    if (argument_number(arguments, "memory", &gigabytes) ||
        argument_count(arguments, "threads", 1, 1000, &reduce->threads))
        return exit_usage;
    if (!(gigabytes >= 0 && isfinite(gigabytes)))
        return fail_usage(arguments->verb, "--memory: found %g, expected a positive number of gigabytes",
                          gigabytes);
    reduce->memory = 1e9 * gigabytes;
    return exit_done;
}

static int run_word(cli_job *job)
{
    gear_call call = {.job = job};
    int code = read_options(job->arguments, &call.reduce);
    if (code != exit_done)
        return code;
    slip_context_set_log(job->ctx, show_note, job);
    if (slip_model_gear_count(job->model) == 0) {
        fprintf(stderr, "slipstick: %s has no gears; expected a section `gears`\n",
                job->arguments->operands[1]);
        return exit_model;
    }
    code = report_status(job->ctx, slip_folder_create(job->ctx, job->folder));
    return code == exit_done ? words[find_word(job->arguments->operands[0])].run(&call) : code;
}

/* Refuses options that the given word of `gear` does not use. */
static int check_words(cli_arguments *arguments, const char *what)
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

static int gear(cli_arguments *arguments)
{
    const char *what = arguments->operands[0];
    if (find_word(what) == word_count)
        return fail_usage(arguments->verb,
                          "unknown word `%s`, expected mesh, modes, reduce, run, select or cycle", what);
    if (check_words(arguments, what) != exit_done)
        return exit_usage;
    return run_job_on_model(arguments, 1, strcmp(what, "cycle") == 0 ? ".cycle" : ".run", run_word);
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder to write into; default: the file's name with .run"},
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
    {0}};

const cli_verb verb_gear = {
    .name = "gear",
    .summary = "elastic gears: mesh, natural frequencies, reduced bodies, contact",
    .operands = "mesh|modes|reduce|run|select|cycle FILE",
    .operand_minimum = 2,
    .operand_maximum = 2,
    .common = takes_model | has_summary,
    .options = options,
    .about = "gear mesh    writes the mesh of every gear of FILE as GEAR.vtu and GEAR.inp (ParaView;\n"
             "             Abaqus, CalculiX) and draws it.\n"
             "gear modes   finds its lowest natural frequencies with the bore held: modes.csv with\n"
             "             gear, mode, frequency_hz, nodal_diameter; mode shapes as pictures and VTU.\n"
             "gear reduce  also finds the residual attachment modes of the flanks, and writes the\n"
             "             reduced body GEAR.h5, which is kept while nothing changes.\n"
             "gear run     is `slipstick run`: lets two gears hit or drive each other as `flanks` and\n"
             "             `simulate` of FILE say. Reduced bodies are\n"
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
             "             leave), summary.json and pictures, in FILE.cycle.\n",
    .example = "slipstick new pair --template gear-pair\n"
               "slipstick gear mesh pair.yaml\n"
               "slipstick new impact --template gear-impact\n"
               "slipstick run impact.yaml\n"
               "slipstick gear select impact.yaml\n"
               "slipstick new mesh --template gear-cycle\n"
               "slipstick gear cycle mesh.yaml --torque 100 --points 20\n",
    .run = gear};
