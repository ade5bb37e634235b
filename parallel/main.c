/* slipstick-parallel: eigenmodes and static displacements of elastic bodies that one machine has no room for.
 * All processes read the model; the first one writes. */
#include "slipstick/slipstick.h"
#include "solve.h"

#include <errno.h>
#include <math.h>
#include <slepcsys.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { exit_done, exit_usage, exit_model, exit_solver, exit_file };

static const char help[] =
    "Usage: mpirun -n COUNT slipstick-parallel modes|statics FILE [OPTIONS]\n\n"
    "modes: natural frequencies of the elastic bodies of the model FILE, or of one of its gears, held as "
    "they\n"
    "are, without contacts. statics: displacements of the bodies under their loads, without contacts. The\n"
    "processes share the matrices: PETSc puts them together, MUMPS factors them, SLEPc finds the modes.\n\n"
    "  -gear NAME      the body of this gear, held at its bore, in place of the section `bodies`\n"
    "  -modes COUNT    how many frequencies; default 20\n"
    "  -output DIR     folder for modes.csv or displacements.csv; default: FILE with .parallel for its "
    "ending\n"
    "  -compare        finds the same by the library alone, on the first process, and says how far apart "
    "the\n"
    "                  two are, relatively; beyond 1e-9 the exit code is 3\n\n"
    "Other options are those of PETSc and SLEPc, such as -log_view, -st_mat_mumps_icntl_4 2, -eps_view.";

typedef struct task {
    slip_context *ctx;
    slip_model *model;
    slip_pieces *pieces;
    slip_pieces_counts counts;
    const char *gear; /* NULL: the bodies */
    char folder[PETSC_MAX_PATH_LEN];
    int modes;
    bool first, compare; /* first: this process writes */
} task;

/* ---- What is written. */

static FILE *open_table(const task *t, const char *name)
{
    char path[PETSC_MAX_PATH_LEN + 40];
    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    FILE *file = mkdir(t->folder, 0777) < 0 && errno != EEXIST ? NULL : fopen(path, "w");
    if (!file)
        fprintf(stderr, "slipstick-parallel: cannot write %s: %s\n", path, strerror(errno));
    return file;
}

static int close_table(const task *t, FILE *file)
{
    if (fclose(file) != 0) {
        fprintf(stderr, "slipstick-parallel: cannot write to %s: %s\n", t->folder, strerror(errno));
        return exit_file;
    }
    printf("Results in %s\n", t->folder);
    return exit_done;
}

static int say_difference(double worst)
{
    printf("largest relative difference to the library alone: %.3g\n", worst);
    return worst <= 1e-9 ? exit_done : exit_solver;
}

static int say_failure(const task *t, int status)
{
    fprintf(stderr, "slipstick-parallel: %s\n", slip_context_message(t->ctx));
    return status == SLIP_ERROR_SOLVER || status == SLIP_ERROR_MEMORY ? exit_solver
           : status == SLIP_ERROR_IO                                  ? exit_file
           : status == SLIP_ERROR_USAGE                               ? exit_usage
                                                                      : exit_model;
}

/* ---- Modes. */

/* The same frequencies by the library alone: its Lanczos on one machine. */
static int own_frequencies(const task *t, double *frequencies)
{
    slip_reduce_options how = slip_reduce_options_default();
    slip_gear_options gear = {0};
    slip_reduced *body = NULL;
    slip_result *result = NULL;
    int64_t count = 0;
    int status;
    if (t->gear) {
        for (int k = 0; k < slip_model_gear_count(t->model); k++)
            if (strcmp(slip_model_gear(t->model, k)->name, t->gear) == 0)
                gear = *slip_model_gear(t->model, k);
        gear.modes = t->modes;
        how.attachment = 0;
        how.tolerance = 1e-13;
        status = slip_gear_reduce(t->ctx, &gear, &how, &body);
        for (int k = 0; status >= 0 && k < t->modes; k++)
            frequencies[k] = slip_reduced_modes(body)[k].frequency;
        slip_reduced_destroy(body);
        return status;
    }
    status = slip_modes_solve(t->ctx, t->model, NULL, &result);
    const double *found = status >= 0 ? slip_result_series(result, "frequency", &count) : NULL;
    for (int k = 0; k < t->modes; k++)
        frequencies[k] = found && k < count ? found[k] : NAN;
    slip_result_destroy(result);
    return status;
}

static int compare_modes(const task *t, const double *frequencies)
{
    double *own = calloc((size_t)t->modes, sizeof *own), worst = 0;
    int status = own ? own_frequencies(t, own) : -1, code = exit_solver;
    if (own && status < 0)
        code = say_failure(t, status);
    for (int k = 0; status >= 0 && k < t->modes; k++) {
        const bool rigid = own[k] < 1e-6 * own[t->modes - 1];
        const double apart = fabs(frequencies[k] - own[k]) / (rigid ? own[t->modes - 1] : own[k]);
        worst = apart <= worst ? worst : apart; /* what is no number is told */
    }
    if (status >= 0)
        code = say_difference(worst);
    free(own);
    return code;
}

static PetscErrorCode find_modes(const task *t, int *code)
{
    double *frequencies, residual;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc1(t->modes, &frequencies));
    PetscCall(solve_modes(t->pieces, t->modes, frequencies, &residual));
    if (t->first) {
        FILE *file = open_table(t, "modes.csv");
        *code = file ? exit_done : exit_file;
        printf("%6s %18s\n", "mode", "frequency");
        if (file)
            fprintf(file, "mode,frequency\n");
        for (int k = 0; k < t->modes && file; k++) {
            printf("%6d %18.12g\n", k + 1, frequencies[k]);
            fprintf(file, "%d,%.17g\n", k + 1, frequencies[k]);
        }
        printf("largest residual %.3g\n", residual);
        if (file)
            *code = close_table(t, file);
        if (*code == exit_done && t->compare)
            *code = compare_modes(t, frequencies);
    }
    PetscCall(PetscFree(frequencies));
    PetscFunctionReturn(0);
}

/* ---- Statics. */

static double at_node(const task *t, const double *displacements, int64_t node, int direction)
{
    const int64_t unknown = slip_pieces_unknown(t->pieces, node, direction);
    return unknown < 0 ? 0 : displacements[unknown];
}

static int compare_statics(const task *t, const double *displacements)
{
    const int d = t->counts.dimension;
    double *own = calloc((size_t)(d * t->counts.nodes), sizeof *own), worst = 0, largest = 0;
    const int status = own ? slip_bodies_displacements(t->ctx, t->model, NULL, own) : SLIP_ERROR_MEMORY;
    int code = status < 0 ? say_failure(t, status) : exit_done;
    for (int64_t c = 0; status >= 0 && c < d * t->counts.nodes; c++) {
        worst = fmax(worst, fabs(own[c] - at_node(t, displacements, c / d, (int)(c % d))));
        largest = fmax(largest, fabs(own[c]));
    }
    if (status >= 0)
        code = say_difference(largest > 0 ? worst / largest : worst);
    free(own);
    return code;
}

static int write_displacements(const task *t, const double *displacements)
{
    static const char *const heads[] = {"", "", "x,y,ux,uy", "x,y,z,ux,uy,uz"};
    const int d = t->counts.dimension;
    double largest = 0;
    int64_t where = 0;
    FILE *file = open_table(t, "displacements.csv");
    if (!file)
        return exit_file;
    fprintf(file, "node,%s\n", heads[d]);
    for (int64_t node = 0; node < t->counts.nodes; node++) {
        double place[3], sum = 0;
        slip_pieces_place(t->pieces, node, place);
        fprintf(file, "%lld", (long long)node + 1);
        for (int k = 0; k < d; k++)
            fprintf(file, ",%.17g", place[k]);
        for (int k = 0; k < d; k++) {
            const double u = at_node(t, displacements, node, k);
            sum += u * u;
            fprintf(file, ",%.17g", u);
        }
        fprintf(file, "\n");
        where = sum > largest ? node : where;
        largest = fmax(largest, sum);
    }
    printf("largest displacement %.12g, at node %lld\n", sqrt(largest), (long long)where + 1);
    return close_table(t, file);
}

static PetscErrorCode find_statics(const task *t, int *code)
{
    double *load, *displacements;
    PetscFunctionBeginUser;
    PetscCall(PetscMalloc2(t->counts.unknowns, &load, t->counts.unknowns, &displacements));
    const int status = slip_pieces_force(t->ctx, t->pieces, load);
    if (status < 0) {
        *code = t->first ? say_failure(t, status) : exit_model;
    } else {
        PetscCall(solve_statics(t->pieces, load, displacements));
        if (t->first) {
            *code = write_displacements(t, displacements);
            if (*code == exit_done && t->compare)
                *code = compare_statics(t, displacements);
        }
    }
    PetscCall(PetscFree2(load, displacements));
    PetscFunctionReturn(0);
}

/* ---- All of it. */

static PetscErrorCode read_options(task *t, const char *file)
{
    char gear[200];
    PetscInt modes = 20;
    PetscBool given, compare = PETSC_FALSE;
    PetscMPIInt rank;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    t->first = rank == 0;
    PetscCall(PetscOptionsGetString(NULL, NULL, "-gear", gear, sizeof gear, &given));
    if (given)
        PetscCall(PetscStrallocpy(gear, (char **)&t->gear));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-modes", &modes, NULL));
    t->modes = (int)modes;
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-compare", &compare, NULL));
    t->compare = compare;
    PetscCall(PetscOptionsGetString(NULL, NULL, "-output", t->folder, sizeof t->folder, &given));
    if (!given) {
        const char *ending = strrchr(file, '.');
        const size_t length = ending && !strchr(ending, '/') ? (size_t)(ending - file) : strlen(file);
        snprintf(t->folder, sizeof t->folder, "%.*s.parallel", (int)length, file);
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode work(const char *verb, const char *file, int *code)
{
    task t = {.ctx = slip_context_create()};
    int status;
    PetscFunctionBeginUser;
    PetscCall(read_options(&t, file));
    status = slip_model_load(t.ctx, file, &t.model);
    if (status >= 0)
        status = slip_pieces_create(t.ctx, t.model, t.gear, &t.pieces);
    t.counts = slip_pieces_size(t.pieces);
    *code = exit_model;
    if (status < 0) {
        if (t.first)
            *code = say_failure(&t, status);
    } else if (t.modes < 1 || t.modes > t.counts.unknowns / 2) {
        if (t.first)
            fprintf(stderr, "slipstick-parallel: found %d modes, expected 1 to %lld\n", t.modes,
                    (long long)t.counts.unknowns / 2);
        *code = exit_usage;
    } else {
        *code = exit_done;
        if (t.first)
            printf("%lld nodes, %lld elements, %lld unknowns\n", (long long)t.counts.nodes,
                   (long long)t.counts.elements, (long long)t.counts.unknowns);
        PetscCall(strcmp(verb, "modes") == 0 ? find_modes(&t, code) : find_statics(&t, code));
    }
    PetscCall(PetscFree(t.gear));
    slip_pieces_destroy(t.pieces);
    slip_model_destroy(t.model);
    slip_context_destroy(t.ctx);
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    int code = exit_usage, first = 0;
    if (argc < 3 || (strcmp(argv[1], "modes") != 0 && strcmp(argv[1], "statics") != 0)) {
        fprintf(stderr, "%s\n", help);
        return exit_usage;
    }
    if (SlepcInitialize(&argc, &argv, NULL, help) != 0)
        return exit_solver;
    const PetscErrorCode failed = work(argv[1], argv[2], &code);
    if (failed)
        MPI_Abort(PETSC_COMM_WORLD, exit_solver);
    /* the exit code of the first process is that of all */
    MPI_Bcast(&code, 1, MPI_INT, first, PETSC_COMM_WORLD);
    SlepcFinalize();
    return code;
}
