/* Every allocation of a study fails once: sweeps, diagrams, basins, exponents, periodic motions, modes,
 * statics, fits. */
#include "out_of_memory.h"

#define OSCILLATOR                                                                                           \
    "slipstick: 1\nparameters: {w: 1, mu: 0.3, d: 0.4}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\n"   \
    "stiffness: [[1]]\nforces: {x: cos(w*t)}\n"
#define RUBS(law) "contacts: {pad: {kind: friction, slip: x', law: {type: " law ", static_ratio: 1.3}}}\n"
#define STOP "contacts: {stop: {kind: unilateral, gap: d - x, restitution: 0.7}}\n"

/* Of these the lanes have closed forms, and of those they take steps. */
static const char pad[] = OSCILLATOR RUBS("coulomb, mu: mu") "simulate: {time: [0, 4*pi/w]}\n";
static const char late[] =
    OSCILLATOR RUBS("coulomb, mu: mu") "simulate: {time: [0, 6*pi/w], record: {from: 4*pi/w}}\n";
static const char stop[] = OSCILLATOR STOP "simulate: {time: [0, 4*pi/w]}\n";
static const char stribeck[] =
    OSCILLATOR RUBS("stribeck, mu: mu, velocity: 0.2") "simulate: {time: [0, 4*pi/w]}\n";

/* What two axes vary, and how. */
typedef struct over {
    slip_axis axes[2];
    int count;
} over;

static int parse(slip_context *ctx, const char *text, over *given)
{
    int status = SLIP_OK;
    char copy[100];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *rest = copy, *one; status >= 0 && (one = strtok_r(rest, " ", &rest)); given->count++)
        status = slip_axis_parse(ctx, one, &given->axes[given->count]);
    return status;
}

static int finish(slip_context *ctx, over *given, int status, slip_result **result, memory_answer *answer)
{
    for (int k = 0; k < 2; k++)
        slip_axis_free(&given->axes[k]);
    return memory_finish(ctx, status, result, answer);
}

/* Where a study keeps its journal. */
static const char *out(void)
{
    static char folder[test_path_size];
    return test_path(folder, memory_base, "out");
}

/* A study with the options that the model has. */
static int study(slip_context *ctx, slip_model *model, const char *name, memory_answer *answer)
{
    slip_result *result = NULL;
    return memory_finish(ctx, slip_study_run(ctx, model, name, &result), &result, answer);
}

static int sweep_by(slip_context *ctx, slip_model *model, const char *axes, const char *device, int carry,
                    const char *folder, memory_answer *answer)
{
    slip_sweep_options options = slip_sweep_options_default();
    slip_result *result = NULL;
    over given = {0};
    int status = parse(ctx, axes, &given);
    options.axes = given.axes;
    options.axis_count = given.count;
    options.device = device;
    options.carry = carry;
    options.folder = folder;
    if (status >= 0)
        status = slip_sweep(ctx, model, &options, &result);
    if (status >= 0 && folder)
        status = slip_result_save(ctx, result, folder);
    return finish(ctx, &given, status, &result, answer);
}
static int sweep(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return sweep_by(ctx, model, axes, "none", 0, NULL, answer);
}
static int sweep_carried(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return sweep_by(ctx, model, axes, "none", 1, NULL, answer);
}
static int sweep_together(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return sweep_by(ctx, model, axes, "cpu", 0, NULL, answer);
}
static int sweep_kept(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return sweep_by(ctx, model, axes, "none", 0, out(), answer);
}

/* In two parts, which are joined. */
static int sweep_parts(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    char folders[2][test_path_size];
    slip_sweep_options options = slip_sweep_options_default();
    over given = {0};
    int status = parse(ctx, axes, &given);
    options.axes = given.axes;
    options.axis_count = given.count;
    options.parts = 2;
    for (int k = 0; status >= 0 && k < 2; k++) {
        slip_result *part = NULL;
        options.part = k + 1;
        status = slip_sweep(ctx, model, &options, &part);
        if (status >= 0)
            status = slip_result_save(ctx, part, test_path(folders[k], out(), k ? "second" : "first"));
        slip_result_destroy(part);
    }
    slip_result *whole = NULL;
    if (status >= 0)
        status = slip_sweep_merge(ctx, 2, (const char *const[]){folders[0], folders[1]}, &whole);
    return finish(ctx, &given, status, &whole, answer);
}

static int diagram_by(slip_context *ctx, slip_model *model, const char *axes, const char *device,
                      const char *how, memory_answer *answer)
{
    slip_bifurcation_options options = slip_bifurcation_options_default();
    slip_result *result = NULL;
    over given = {0};
    int status = parse(ctx, axes, &given);
    options.axis = given.axes;
    options.transient = 8;
    options.points = 5;
    options.device = device;
    options.carry = !device;
    options.maxima = strcmp(how, "maxima") == 0 ? "x" : NULL;
    options.section = strcmp(how, "section") == 0 ? "x'" : NULL;
    options.period = strcmp(how, "period") == 0 ? "2*pi/w" : NULL;
    if (status >= 0)
        status = slip_bifurcation(ctx, model, &options, &result);
    return finish(ctx, &given, status, &result, answer);
}
static int diagram(slip_context *ctx, slip_model *model, const char *how, memory_answer *answer)
{
    return diagram_by(ctx, model, "w=2.6:2.7:2", NULL, how, answer);
}
static int diagram_alone(slip_context *ctx, slip_model *model, const char *how, memory_answer *answer)
{
    return diagram_by(ctx, model, "w=2.6:2.7:2", "none", how, answer);
}
static int diagram_together(slip_context *ctx, slip_model *model, const char *how, memory_answer *answer)
{
    return diagram_by(ctx, model, "w=2.6:2.7:2", "cpu", how, answer);
}

static int basin_by(slip_context *ctx, slip_model *model, const char *axes, const char *device, int refine,
                    int labels, memory_answer *answer)
{
    slip_basin_options options = slip_basin_options_default();
    slip_result *result = NULL;
    over given = {0};
    int status = parse(ctx, axes, &given);
    options.axes = given.axes;
    options.axis_count = given.count;
    options.device = device;
    options.refine = refine;
    options.labels = labels;
    if (status >= 0)
        status = slip_basin(ctx, model, &options, &result);
    return finish(ctx, &given, status, &result, answer);
}
static int basin(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return basin_by(ctx, model, axes, "none", 0, 0, answer);
}
static int basin_refined(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return basin_by(ctx, model, axes, "none", 1, 0, answer);
}
static int basin_labels(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return basin_by(ctx, model, axes, "none", 0, 1, answer);
}
static int basin_together(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return basin_by(ctx, model, axes, "cpu", 0, 0, answer);
}
static int labels_together(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return basin_by(ctx, model, axes, "cpu", 0, 1, answer);
}

static int exponents_by(slip_context *ctx, slip_model *model, const char *axes, const char *device,
                        memory_answer *answer)
{
    slip_lyapunov_options options = slip_lyapunov_options_default();
    slip_result *result = NULL;
    over given = {0};
    int status = parse(ctx, axes ? axes : "", &given);
    options.transient = 1;
    options.intervals = 64;
    options.interval = "0.5";
    options.axes = given.count > 0 ? given.axes : NULL;
    options.axis_count = given.count;
    options.device = device;
    if (status >= 0)
        status = slip_lyapunov(ctx, model, &options, &result);
    return finish(ctx, &given, status, &result, answer);
}
static int exponents(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return exponents_by(ctx, model, axes, "none", answer);
}
static int exponents_together(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return exponents_by(ctx, model, axes, "cpu", answer);
}

static int fit(slip_context *ctx, slip_model *model, const char *vary, memory_answer *answer)
{
    static const char events[] = "time,contact,from,to\n0.5,guide,slip-,slip+\n1.2,guide,slip+,slip-\n";
    static const char series[] = "t,x\n0,0.3\n0.2,0.1\n0.5,-0.25\n0.7,-0.05\n0.9,0.2\n1,0.23\n";
    char path[test_path_size];
    slip_fit_options options = slip_fit_options_default();
    slip_result *result = NULL;
    FILE *file = fopen(test_path(path, memory_base, "measured.csv"), "w");
    fputs(vary[0] == 'e' ? events : series, file);
    fclose(file);
    options.data = path;
    options.vary = (const char *const[]){vary + 1, NULL};
    options.series = NULL;
    options.iterations = 2;
    return memory_finish(ctx, slip_fit(ctx, model, &options, &result), &result, answer);
}

/* ---- Periodic motions. */

static int branch_by(slip_context *ctx, slip_model *model, const char *axes, const char *curve, int harmonics,
                     const char *resonance, memory_answer *answer)
{
    slip_branch_options options = slip_branch_options_default();
    slip_result *result = NULL;
    over given = {0};
    int status = parse(ctx, axes, &given);
    options.axis = given.axes;
    options.second = given.count > 1 ? &given.axes[1] : NULL;
    options.curve = curve;
    options.harmonics = harmonics;
    options.resonance = resonance;
    options.spacing = curve ? 1 : 0.2;
    options.points = curve ? 10 : 6;
    options.doublings = harmonics > 0 ? 0 : 1;
    if (status >= 0)
        status = slip_branch_follow(ctx, model, &options, &result);
    return finish(ctx, &given, status, &result, answer);
}
static int branch(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return branch_by(ctx, model, axes, NULL, 0, NULL, answer);
}
static int harmonics(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return branch_by(ctx, model, axes, NULL, 3, NULL, answer);
}
static int doublings(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return branch_by(ctx, model, axes, "PD", 0, NULL, answer);
}
static int resonance(slip_context *ctx, slip_model *model, const char *axes, memory_answer *answer)
{
    return branch_by(ctx, model, axes, NULL, 0, "x2", answer);
}

/* ---- Modes and statics. */

static int modes(slip_context *ctx, slip_model *model, const char *about, memory_answer *answer)
{
    slip_modes_options options = slip_modes_options_default();
    slip_result *result = NULL;
    options.about = about;
    return memory_finish(ctx, slip_modes_solve(ctx, model, &options, &result), &result, answer);
}
static int modes_over(slip_context *ctx, slip_model *model, const char *about, memory_answer *answer)
{
    slip_modes_options options = slip_modes_options_default();
    slip_result *result = NULL;
    options.about = about;
    options.parameter = "mu";
    options.low = 0.1;
    options.high = 1;
    options.points = 5;
    return memory_finish(ctx, slip_modes_solve(ctx, model, &options, &result), &result, answer);
}

static int follow(slip_context *ctx, slip_model *model, const char *also, memory_answer *answer)
{
    slip_continue_options options = slip_continue_options_default();
    slip_result *result = NULL;
    options.spacing = 0.1;
    options.restarts = also ? 2 : 0;
    options.also = also;
    options.also_low = 1;
    options.also_high = 3;
    return memory_finish(ctx, slip_continue(ctx, model, &options, &result), &result, answer);
}
static int map(slip_context *ctx, slip_model *model, const char *x, memory_answer *answer)
{
    slip_statics_map_options options = slip_statics_map_options_default();
    slip_result *result = NULL;
    options.x = x;
    options.y = "ft";
    options.x_range[0] = options.y_range[0] = 0.5;
    options.x_range[1] = options.y_range[1] = 1.5;
    options.points = 3;
    return memory_finish(ctx, slip_statics_map(ctx, model, &options, &result), &result, answer);
}

#define SHORT(end) SETTINGS("simulate.time=[0, " end "]", "simulate.record={points: 12}")

static const memory_job grids[] = {
    {"sweep", "stick-slip-belt", SHORT("5"), sweep, "vb=0.1:0.3:2", memory_whole},
    {"sweep of a start", "friction-damper", SHORT("5"), sweep, "w=0.8,0.9", memory_whole},
    {"sweep carried", "stick-slip-belt", SHORT("5"), sweep_carried, "vb=0.1:0.3:2 mu=0.2,0.3", memory_whole},
    {"sweep kept", "stick-slip-belt", SHORT("5"), sweep_kept, "vb=0.1:0.3:2", memory_whole},
    {"sweep in parts", "stick-slip-belt", SHORT("5"), sweep_parts, "vb=0.1:0.3:3", memory_pieces},
    {"sweep of statics", "one-point", SHORT("1"), sweep, "ft=0.5,1", memory_whole},
    {"lanes, friction", pad, NULL, sweep_together, "w=0.8:1.2:9", memory_whole},
    {"lanes, late records", late, NULL, sweep_together, "w=0.8:1.2:9", memory_whole},
    {"lanes, a stop", stop, NULL, sweep_together, "w=0.8:1.2:9", memory_whole},
    {"lanes, steps", stribeck, NULL, sweep_together, "w=0.8:1.2:9", memory_whole},
    {"diagram", "impact-diagram", SHORT("10"), diagram, "period", memory_whole},
    {"diagram of maxima", "impact-diagram", SHORT("10"), diagram, "maxima", memory_whole},
    {"diagram of a section", "impact-diagram", SHORT("10"), diagram, "section", memory_whole},
    {"diagram, none carried", "impact-diagram", SHORT("10"), diagram_alone, "period", memory_whole},
    {"diagram in lanes", "impact-diagram", SHORT("10"), diagram_together, "period", memory_whole},
    {"diagram in lanes, steps", stribeck, NULL, diagram_together, "period", memory_whole},
    {"basin", "belt-basins", NULL, basin, "x=-1:2:2 x'=-1:1:2", memory_whole},
    {"basin refined", "belt-basins", NULL, basin_refined, "x=-1:2:2 x'=-1:1:2", memory_whole},
    {"basin, labels", "belt-basins", NULL, basin_labels, "x=-1:2:2 x'=-1:1:2", memory_whole},
    {"basin of a load", pad, SETTINGS("simulate.steady={period: 2*pi/w}"), basin, "x=-1:2:2 x'=-1:1:2",
     memory_whole},
    {"basin in lanes", pad, SETTINGS("simulate.steady={period: 2*pi/w}"), basin_together,
     "x=-1:2:3 x'=-1:1:3", memory_whole},
    {"basin in lanes, steps", stribeck, SETTINGS("simulate.steady={period: 2*pi/w}"), basin_together,
     "x=-1:2:3 x'=-1:1:3", memory_whole},
    {"labels in lanes", pad, SETTINGS("simulate.steady={period: 2*pi/w}"), labels_together,
     "x=-1:2:3 x'=-1:1:3", memory_whole},
    {"exponents", "impact-diagram", SHORT("2"), exponents, NULL, memory_whole},
    {"exponents over axes", "impact-diagram", SHORT("2"), exponents, "w=2.6,2.7", memory_whole},
    {"exponents in lanes", "impact-diagram", SHORT("2"), exponents_together, "w=2.6,2.7", memory_whole},
    {"fit of series", "fit-coulomb", NULL, fit, "smu=0:2", memory_whole},
    {"fit of events", "fit-coulomb", SHORT("1"), fit, "emu=0:2", memory_whole},
    {"fit by smooth", "fit-lugre", SETTINGS("fit.series=[x]", "simulate.time=[0, 1]"), fit, "smu=0:2",
     memory_whole},
};
MEMORY_TESTS(grids)

static const memory_job motions[] = {
    {"orbit", "stick-slip-orbit", SHORT("20"), study, "orbit", memory_whole},
    {"orbit of a load", "friction-response", SHORT("60"), study, "orbit", memory_whole},
    {"branch", "impact-branch", NULL, branch, "w=2.2:2.1", memory_whole},
    {"branch of its own period", "stick-slip-orbit", SHORT("20"), branch, "mu=0.3:0.31", memory_whole},
    {"branch with resonance", "friction-response", SHORT("60"), resonance, "w=1.2:1.3", memory_whole},
    {"curve of doublings", "impact-diagram", SETTINGS("orbit={period: 2*pi/w}", "z=0.05"), doublings,
     "w=2.6585:2.6592 z=0.05:0.0501", memory_whole},
    {"harmonic balance", "friction-response", SHORT("60"), harmonics, "w=1.2:1.3", memory_whole},
};
MEMORY_TESTS(motions)

static const memory_job rests[] = {
    {"modes", "squeal", NULL, modes, "sliding", memory_whole},
    {"modes at rest", "quarter-car", NULL, modes, "rest", memory_whole},
    {"modes about statics", "one-point", NULL, modes, "static", memory_whole},
    {"modes over friction", "squeal", NULL, modes_over, "sliding", memory_whole},
    {"modes of energies", "double-pendulum", NULL, modes, "rest", memory_whole},
    {"statics", "one-point", NULL, memory_statics, NULL, memory_whole},
    {"statics of energies", "ladder", NULL, memory_statics, NULL, memory_whole},
    {"statics in the plane", "puck", NULL, memory_statics, NULL, memory_whole},
    {"path", "one-point", NULL, follow, NULL, memory_whole},
    {"path with others", "one-point", NULL, follow, "F", memory_whole},
    {"path of energies", "snap-through", SETTINGS("continue.range=[-0.2, 0.2]"), follow, NULL, memory_whole},
    {"map", "one-point", NULL, map, "F", memory_whole},
};
MEMORY_TESTS(rests)

int main(void)
{
    return memory_run_tests((const struct CMUnitTest[]){cmocka_unit_test(every_path_of_grids),
                                                        cmocka_unit_test(every_path_of_motions),
                                                        cmocka_unit_test(every_path_of_rests)},
                            3, 4);
}
