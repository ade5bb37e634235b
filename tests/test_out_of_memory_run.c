/* Every allocation of a run fails once: by each method, of each kind of model, and step by step. */
#include "out_of_memory.h"

#define SPAN(end) SETTINGS("simulate.time=[0, " end "]", "simulate.record={points: 12}")
#define BRIEF(name, end)                                                                                     \
    {                                                                                                        \
        "run " name, name, SPAN(end), memory_run, NULL, memory_whole                                         \
    }
#define BY(name, end, by, step)                                                                              \
    {                                                                                                        \
        by " " name, name,                                                                                   \
            SETTINGS("simulate.time=[0, " end "]", "simulate.record={points: 12}", "simulate.step=" step),   \
            memory_run, by, memory_whole                                                                     \
    }

static int segments(slip_context *ctx, slip_model *model, const char *how, memory_answer *answer)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.segments = how;
    options.record_steps = 1;
    return memory_finish(ctx, slip_run(ctx, model, &options, &result), &result, answer);
}

static int residual(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    slip_result *result = NULL;
    double largest = NAN;
    (void)unused;
    int status = slip_run(ctx, model, NULL, &result);
    if (status >= 0)
        status = slip_run_residual(ctx, model, result, &largest);
    answer_number(answer, largest);
    return memory_finish(ctx, status, &result, answer);
}

/* ---- Stepped by the caller. */

static int step(slip_context *ctx, slip_model *model, const char *until, memory_answer *answer)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    slip_saved_state *saved = NULL;
    slip_values *values = NULL, *copy = NULL;
    double q[20], v[20], states[20];
    int status = slip_values_create(ctx, model, &values);
    if (status >= 0)
        status = slip_values_set(ctx, values, "m", 1.1);
    if (status >= 0)
        status = slip_values_copy(ctx, values, &copy);
    if (status >= 0)
        status = slip_simulation_open(ctx, model, copy, &options, &s);
    if (status >= 0)
        status = slip_simulation_advance(ctx, s, 0.01);
    if (status >= 0)
        status = slip_simulation_save(ctx, s, &saved);
    if (status >= 0)
        status = slip_simulation_advance_until(ctx, s, 0.02, until);
    if (status >= 0)
        status = slip_simulation_input(s, "m", 1.2);
    if (status >= 0)
        status = slip_simulation_advance(ctx, s, 0.03);
    if (status >= 0)
        status = slip_simulation_restore(ctx, s, saved);
    if (status >= 0) {
        slip_simulation_state(s, q, v);
        slip_simulation_states(s, states);
        status = slip_simulation_set_state(ctx, s, 0.02, q, v);
    }
    if (status >= 0 && slip_model_state_count(model) > 0)
        status = slip_simulation_set_states(ctx, s, states);
    if (status >= 0)
        status = slip_simulation_advance(ctx, s, 0.04);
    for (int k = 0; status >= 0 && k < slip_model_coordinate_count(model); k++)
        answer_number(answer, slip_simulation_number(s, slip_model_coordinate_name(model, k)));
    slip_saved_state_destroy(saved);
    slip_simulation_close(s);
    slip_values_destroy(values);
    slip_values_destroy(copy);
    return status;
}

static int derivatives(slip_context *ctx, slip_model *model, const char *parameter, memory_answer *answer)
{
    slip_simulation *s = NULL;
    slip_derivatives wanted = slip_derivatives_default();
    double by_state[16 * 16], by_parameter[16], by_start[16], by_end[16];
    int status = slip_simulation_open(ctx, model, NULL, NULL, &s);
    const size_t n = (size_t)slip_simulation_state_size(s);
    wanted.by_state = by_state;
    wanted.by_start = by_start;
    wanted.by_end = by_end;
    wanted.parameters = (const char *const[]){parameter, NULL};
    wanted.by_parameter = by_parameter;
    if (status >= 0)
        status = slip_simulation_differentiate(ctx, s, 4, &wanted);
    if (status >= 0) {
        answer_bytes(answer, by_state, n * n * sizeof *by_state);
        answer_bytes(answer, by_parameter, n * sizeof *by_parameter);
        answer_bytes(answer, by_start, n * sizeof *by_start);
        answer_bytes(answer, by_end, n * sizeof *by_end);
    }
    slip_simulation_close(s);
    return status;
}

/* ---- Several methods side by side. */

static int see_row(void *user, const slip_compare_row *row)
{
    memory_answer *answer = user;
    answer_text(answer, row->method);
    answer_text(answer, row->message);
    answer_number(answer, row->difference ? row->difference[0] : NAN);
    answer_number(answer, row->residual);
    return 0;
}

static int compare(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    static const char *const methods[] = {"event", "moreau", "midpoint", NULL};
    (void)unused;
    return slip_compare(ctx, model, methods, NULL, see_row, answer);
}

/* An area that lifts off and lands, and one of a table. */
static const char lifts[] =
    "slipstick: 1\ncoordinates: [x, z, phi]\nmass: {diagonal: [1, 1, 0.5]}\nforces: {z: -1, x: 0.2}\n"
    "contacts:\n  pad: {kind: patch, gap: z, slip: {x: x', spin: phi'}, area: {shape: disc, radius: 0.5}, "
    "law: {type: coulomb, mu: 0.3}}\n"
    "simulate: {time: [0, 1], initial: {z: 0.1, x': 1, phi': 1}, record: {points: 12}}\n";

static const memory_job lumped[] = {
    BRIEF("stick-slip-belt", "5"),
    BRIEF("stribeck-belt", "5"),
    BRIEF("blocks-on-belt", "5"),
    BRIEF("jack-plane", "3"),
    BRIEF("disk-on-belt", "5"),
    BRIEF("end-stops", "3"),
    BRIEF("bouncing-ball", "6"),
    BRIEF("impact-oscillator", "5"),
    BRIEF("friction-damper", "5"),
    BRIEF("orbit-damper", "5"),
    BRIEF("friction-response", "5"),
    BRIEF("harmonic-balance", "3"),
    BRIEF("puck", "1.5"),
    BRIEF("incline", "2"),
    BRIEF("cross-slope", "1"),
    BRIEF("curling-stone", "0.5"),
    BRIEF("spinning-block", "0.1"),
    BRIEF("brake-pad", "1e-3"),
    BRIEF("heated-brake", "1"),
    BRIEF("quarter-car", "2"),
    BRIEF("linear", "5"),
    BRIEF("squeal", "5"),
    BRIEF("two-masses", "2"),
    BRIEF("rubber-ball", "1"),
    BRIEF("fit-coulomb", "1"),
    BRIEF("fit-lugre", "0.5"),
    BRIEF("quakes", "1e6"),
    BRIEF("fault", "1e6"),
    BRIEF("oscillator", "1"),
    BRIEF("pid-hunting", "1"),
    BRIEF("one-point", "1"),
    BRIEF("double-pendulum", "2"),
    BRIEF("ladder", "0.1"),
    BRIEF("rocking-block", "0.6"),
    BRIEF("rolling-disc", "0.05"),
    BRIEF("snap-through", "2"),
    BRIEF("top", "0.1"),
    BRIEF("woodpecker", "0.1"),
    BRIEF("painleve-rod", "0.1"),
    {"area that lands", lifts, NULL, memory_run, NULL, memory_whole},
    {"area that lands, steps", lifts, SETTINGS("simulate.step=0.05"), memory_run, "moreau", memory_whole},
    {"steady bolted-joint", "bolted-joint", NULL, memory_run, NULL, memory_whole},
    {"steady coulomb-oscillator", "coulomb-oscillator", NULL, memory_run, NULL, memory_whole},
    {"steady elliptic-static", "elliptic-static", NULL, memory_run, NULL, memory_whole},
    {"steady elliptic", "elliptic", NULL, memory_run, NULL, memory_whole},
    {"steady own period", "stick-slip-belt", SETTINGS("simulate.steady={period: auto}"), memory_run, NULL,
     memory_whole},
    BY("elliptic", "2", "smooth", "1"),
    BY("oscillator", "1", "smooth", "1"),
    BY("elliptic", "2", "rk4", "0.05"),
    BY("two-masses", "2", "moreau", "0.05"),
    BY("puck", "0.5", "moreau", "0.01"),
    BY("friction-damper", "0.5", "moreau", "0.01"),
    BY("brake-pad", "1e-3", "moreau", "1e-4"),
    BY("bouncing-ball", "2", "moreau", "0.01"),
    BY("double-pendulum", "1", "moreau", "0.05"),
    BY("two-masses", "2", "midpoint", "0.05"),
    BY("impact-oscillator", "2", "midpoint", "0.05"),
    BY("two-masses", "2", "midpoint_stabilised", "0.05"),
    {"segments rk", "stick-slip-belt", SPAN("5"), segments, "rk", memory_whole},
    {"segments exact", "stick-slip-belt", SPAN("5"), segments, "exact", memory_whole},
    {"segments of a ball", "bouncing-ball", SPAN("5"), segments, "exact", memory_whole},
    {"residual", "jack-plane", SPAN("5"), residual, NULL, memory_whole},
    {"residual of a gap", "bouncing-ball", SPAN("2"), residual, NULL, memory_whole},
    {"residual in the plane", "puck", SPAN("1"), residual, NULL, memory_whole},
    {"compare", "two-masses", SETTINGS("simulate.time=[0, 1]", "simulate.step=0.05"), compare, NULL,
     memory_whole},
    {"simulation", "fit-coulomb", NULL, step, "x'", memory_whole},
    {"simulation in the plane", "rolling-disc", NULL, step, "t - 0.015", memory_whole},
    {"simulation with states", "heated-brake", NULL, step, "t - 0.015", memory_whole},
    {"derivatives", "stick-slip-belt", NULL, derivatives, "vb", memory_whole},
    {"derivatives of bounces", "bouncing-ball", NULL, derivatives, "g", memory_whole},
    {"derivatives by steps", "stribeck-belt", NULL, derivatives, "vb", memory_whole},
    {"derivatives in the plane", "orbit-damper", NULL, derivatives, "mu", memory_whole},
};

MEMORY_TESTS(lumped)

int main(void)
{
    return memory_run_tests((const struct CMUnitTest[]){cmocka_unit_test(every_path_of_lumped)}, 1, 4);
}
