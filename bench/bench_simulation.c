/* What other values of parameters and steps by the caller cost, on the published jack plane: reading the
 * model's text with another value, opening a simulation with other values, opening it as it is, and a
 * millisecond of a simulation whose load is changed before each. Best of many, as processor time, and over
 * the first row. bench_simulation          the table bench_simulation K N      only case K (0 to 3), N times:
 * for valgrind --tool=callgrind */
#include "measure.h"
#include "slipstick/slipstick.h"

#include <stdio.h>
#include <stdlib.h>

static slip_context *ctx;
static slip_model *model;
static slip_values *values;

static void read_text(int k)
{
    char setting[40];
    const char *const settings[] = {setting, NULL};
    slip_model *other = NULL;
    snprintf(setting, sizeof setting, "F=%.17g", 0.4 + 1e-6 * k);
    bench_check(ctx, slip_model_parse(ctx, slip_example_text("jack-plane"), "jack-plane", settings, &other));
    slip_model_destroy(other);
}

static void open_with(const slip_values *with)
{
    slip_simulation *s = NULL;
    bench_check(ctx, slip_simulation_open(ctx, model, with, NULL, &s));
    slip_simulation_close(s);
}

static void open_bound(int k)
{
    bench_check(ctx, slip_values_set(ctx, values, "F", 0.4 + 1e-6 * k));
    open_with(values);
}

static void open_plain(int k)
{
    (void)k;
    open_with(NULL);
}

static void step(int k)
{
    static slip_simulation *s;
    if (!s)
        bench_check(ctx, slip_simulation_open(ctx, model, NULL, NULL, &s));
    bench_check(ctx, slip_simulation_input(s, "F", 0.4 + 1e-6 * (k % 1000)));
    bench_check(ctx, slip_simulation_advance(ctx, s, slip_simulation_time(s) + 1e-3));
}

static const struct {
    const char *what;
    void (*run)(int k);
} cases[] = {{"read the text with another value", read_text},
             {"open a simulation with another value", open_bound},
             {"open a simulation as the model is", open_plain},
             {"change an input and advance 1 ms", step}};
enum { case_count = sizeof cases / sizeof cases[0], rounds = 20, times = 200 };

int main(int count, char **arguments)
{
    double best[case_count];
    ctx = slip_context_create();
    bench_check(ctx, slip_model_parse(ctx, slip_example_text("jack-plane"), "jack-plane", NULL, &model));
    bench_check(ctx, slip_values_create(ctx, model, &values));
    if (count > 2) {
        for (int k = 0; k < atoi(arguments[2]); k++)
            cases[atoi(arguments[1]) % case_count].run(k);
        return 0;
    }
    for (int i = 0; i < case_count; i++) {
        best[i] = 1e9;
        for (int round = 0; round < rounds; round++) {
            const double begin = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
            for (int k = 0; k < times; k++)
                cases[i].run(k);
            const double time = (bench_clock(CLOCK_PROCESS_CPUTIME_ID) - begin) / times;
            best[i] = time < best[i] ? time : best[i];
        }
        printf("  %-40s %10.2f us  %8.3f\n", cases[i].what, 1e6 * best[i], best[i] / best[0]);
    }
    slip_values_destroy(values);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return 0;
}
