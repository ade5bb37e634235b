#include "gear/run.h"

#include <math.h>
#include <stdio.h>

static const double drift_to_tell = 0.02;
enum { label_width = 14, name_size = 200 };

static void label(const char *text)
{
    printf("%-*s ", label_width, text);
}

static void print_contact(const slip_result *result)
{
    const double first = slip_result_number(result, "first_contact");
    label("contact");
    if (isnan(first)) {
        printf("none\n");
        return;
    }
    printf("%.6g s in all, from %.6g s to %.6g s\n", slip_result_number(result, "contact_time"), first,
           slip_result_number(result, "last_contact"));
    label("peak force");
    printf("%.6g N\n", slip_result_number(result, "peak_force"));
}

static void print_speeds(const slip_model *model, const slip_result *result)
{
    char name[name_size];
    printf("\n%-*s %15s %15s\n", label_width, "speed in rad/s", "at the start", "at the end");
    for (int i = 0; i < 2; i++) {
        const char *gear = slip_model_gear(model, i)->name;
        int64_t count = 0;
        snprintf(name, sizeof name, "%.100s.speed", gear);
        const double *speed = slip_result_series(result, name, &count);
        printf("%-*s %15.6g %15.6g\n", label_width, gear, speed[0], speed[count - 1]);
    }
}

static void print_ledger(const slip_model *model, const slip_result *result)
{
    putchar('\n');
    label("energy");
    const double end = slip_result_number(result, "energy.end");
    const double drift = slip_result_number(result, "energy.drift");
    printf("%.6g J at the start, ", slip_result_number(result, "energy.start"));
    if (isnan(end))
        printf("not a number at the end\n");
    else
        printf("%.6g J at the end; drift %.2g\n", end, drift);
    if (!isnan(end) && drift > drift_to_tell) {
        label("");
        printf("which is much: take a smaller step or tolerance, or smoother friction\n");
    }
    for (int i = 0; i < 2; i++) {
        char name[name_size];
        snprintf(name, sizeof name, "momentum.%.100s", slip_model_gear(model, i)->name);
        const double error = slip_result_number(result, name);
        if (!isnan(error)) {
            label(i == 0 ? "momentum" : "");
            printf("error %.2g about the axis of %s\n", error, slip_model_gear(model, i)->name);
        }
    }
}

void print_gear_summary(const slip_model *model, const slip_result *result)
{
    if (*slip_model_title(model))
        printf("\n%s\n", slip_model_title(model));
    putchar('\n');
    print_contact(result);
    print_speeds(model, result);
    print_ledger(model, result);
    label("effort");
    printf("%.0f steps, %.3g s\n", slip_result_number(result, "steps"),
           slip_result_number(result, "wall_seconds"));
    const double first = slip_result_number(result, "first_step");
    if (!isnan(first)) {
        label("");
        printf("the step was lowered from %.3g to %.3g s, the stability limit with contact\n", first,
               slip_result_number(result, "step"));
    }
}
