#include "show/summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    mode_count = SLIP_MODE_CLOSED + 1,
    path_size = 256,
    column = 16,
    most_contacts = 8,
    most_coordinates = 12
};

/* A number of the summary by its path, which is put together from the arguments. */
static double number(const slip_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static double number(const slip_result *result, const char *format, ...)
{
    char path[path_size];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(path, sizeof path, format, args);
    va_end(args);
    return length < (int)sizeof path ? slip_result_number(result, path) : NAN;
}

static void print_cell(double value)
{
    if (isnan(value))
        printf(" %*s", column, "");
    else
        printf(" %*.8g", column, value);
}

/* The first column of the table. */
static void print_label(const char *name, const char *mark)
{
    const int length = printf("%s%s", name, mark);
    printf("%*s", length < 10 ? 10 - length : 0, "");
}

/* "1 step", "2 steps" */
static void print_count(double count, const char *noun)
{
    if (!isnan(count))
        printf(", %.0f %s%s", count, noun, count == 1 ? "" : "s");
}

static void print_effort(const slip_result *result)
{
    printf("method     %s", slip_result_method(result));
    print_count(number(result, "steps"), "step");
    print_count(number(result, "evaluations"), "evaluation");
    const double seconds = number(result, "wall_seconds");
    if (!isnan(seconds))
        printf(", %.3g s", seconds);
    putchar('\n');
}

/* How often the contact went from each mode to each other one; false when it never did. */
static bool count_events(const slip_result *result, int contact, int counts[mode_count][mode_count])
{
    bool any = false;
    memset(counts, 0, sizeof(int[mode_count][mode_count]));
    for (int64_t i = 0; i < slip_result_event_count(result); i++) {
        const slip_event *event = slip_result_event(result, i);
        if (event->contact == contact) {
            counts[event->from][event->to]++;
            any = true;
        }
    }
    return any;
}

static void print_contact_events(const char *name, int counts[mode_count][mode_count])
{
    const char *separator = ": ";
    printf("           %s", name);
    for (int from = 0; from < mode_count; from++)
        for (int to = 0; to < mode_count; to++)
            if (counts[from][to]) {
                printf("%s%d %s>%s", separator, counts[from][to], slip_mode_name((slip_mode)from),
                       slip_mode_name((slip_mode)to));
                separator = ", ";
            }
    putchar('\n');
}

static void print_events(const slip_model *model, const slip_result *result)
{
    const int contacts = slip_model_contact_count(model);
    if (contacts == 0)
        return;
    printf("events     %lld\n", (long long)slip_result_event_count(result));
    int lines = 0;
    for (int c = 0; c < contacts; c++) {
        int counts[mode_count][mode_count];
        if (!count_events(result, c, counts))
            continue;
        if (++lines > most_contacts) {
            printf("           ... (the rest is in events.csv)\n");
            return;
        }
        print_contact_events(slip_model_contact_name(model, c), counts);
    }
}

/* One row of the table: a coordinate (0 primes), its velocity (1) or its acceleration (2). */
static void print_row(const slip_result *result, const char *name, int primes, bool steady)
{
    const char *const mark = &"''"[2 - primes];
    print_label(name, mark);
    print_cell(primes < 2 ? number(result, "final.%s%s", name, mark) : NAN);
    print_cell(number(result, "max.%s%s", name, mark));
    if (steady) {
        print_cell(number(result, "steady.max.%s%s", name, mark));
        if (primes == 0)
            print_cell(number(result, "steady.phase_lag.%s", name));
    }
    putchar('\n');
}

static void print_table(const slip_model *model, const slip_result *result, bool steady)
{
    printf("\n%-10s %*s %*s", "", column, "final", column, "largest |.|");
    if (steady)
        printf(" %*s %*s", column, "steady largest", column, "phase lag / rad");
    printf("\n%-10s", "t");
    print_cell(number(result, "final.t"));
    putchar('\n');
    const int all = slip_model_coordinate_count(model), given = slip_model_given_count(model);
    /* those of vectors of elastic bodies where there is nothing else to look at */
    const int count = given > 0 || slip_model_output_count(model) > 0 ? given : all;
    for (int i = 0; i < count && i < most_coordinates; i++)
        for (int primes = 0; primes <= 2; primes++)
            print_row(result, slip_model_coordinate_name(model, i), primes, steady);
    if (count > most_coordinates || all > count)
        printf("... (%d more coordinates in summary.json)\n",
               all - (count < most_coordinates ? count : most_coordinates));
    for (int k = 0; k < slip_model_state_count(model) && k < most_coordinates; k++) {
        const char *name = slip_model_state_name(model, k);
        print_label(name, "");
        print_cell(number(result, "final.%s", name));
        print_cell(number(result, "max.%s", name));
        putchar('\n');
    }
    for (int k = 0; k < slip_model_output_count(model) && k < most_coordinates; k++) {
        const char *name = slip_model_output_name(model, k);
        print_label(name, "");
        print_cell(NAN);
        print_cell(number(result, "max.%s", name));
        putchar('\n');
    }
    for (int c = 0; steady && c < slip_model_contact_count(model) && c < most_contacts; c++) {
        const char *name = slip_model_contact_name(model, c);
        print_label(name, ".force");
        print_cell(NAN);
        print_cell(NAN);
        print_cell(number(result, "steady.max.force.%s", name));
        putchar('\n');
    }
}

static void print_steady(const slip_result *result)
{
    const double period = number(result, "steady.period");
    const double periods_run = number(result, "steady.periods_run");
    if (isnan(period)) {
        const double error = number(result, "steady.error"), change = number(result, "steady.last_change");
        printf("\nsteady     not known");
        if (!isnan(change)) /* a period of the motion's own may not have been found */
            printf(" after %.0f periods; the last changed the state by %.2g", periods_run, change);
        if (!isnan(error))
            printf(", up to %.2g may be left", error);
        putchar('\n');
        return;
    }
    const double multiple = number(result, "steady.multiple");
    printf("\nsteady     period %.10g", period);
    if (multiple > 1)
        printf(" (%.0f periods of the load)", multiple);
    printf(", reached after %.0f periods%s\n", periods_run, multiple > 1 ? " of the load" : "");
}

void print_summary(const slip_model *model, const slip_result *result)
{
    const bool asked = !isnan(number(result, "steady.periods_run"));
    const bool steady = !isnan(number(result, "steady.period"));
    if (*slip_model_title(model))
        printf("%s\n\n", slip_model_title(model));
    print_effort(result);
    print_events(model, result);
    print_table(model, result, steady);
    if (asked)
        print_steady(result);
}

void print_together(slip_result *result, const char *what)
{
    const double together = slip_result_number(result, "together"),
                 alone = slip_result_number(result, "alone");
    const char *because = alone > 0 ? slip_result_text(result, "alone_because") : NULL;
    const double left = slip_result_number(result, "left_by_card");
    if (left > 0)
        printf("%.0f %s needed so many steps that the processor computed them instead of the card\n", left,
               what);
    if (together > 0 || because)
        printf("%.0f %s together, %.0f one by one%s%s\n", together, what, alone, because ? ": " : "",
               because ? because : "");
}
