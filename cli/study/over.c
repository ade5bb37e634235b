#include "study/over.h"

#include "report.h"
#include "show/pictures.h"
#include "show/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows_shown = 20, columns_shown = 6 };

/* ---- Options. */

static int read_axes(const cli_job *job, cli_over *over)
{
    int count = 0;
    over->texts = argument_list(job->arguments, "over");
    if (!over->texts)
        return fail_memory();
    while (over->texts[count])
        count++;
    if (count == 0)
        return exit_done;
    over->axes = calloc((size_t)count, sizeof *over->axes);
    if (!over->axes)
        return fail_memory();
    over->axis_count = count;
    for (int k = 0; k < count; k++) {
        if (slip_axis_parse(job->ctx, over->texts[k], &over->axes[k]) < 0)
            return fail_usage(job->arguments->verb, "--over: %s", slip_context_message(job->ctx));
        if (over->axes[k].count == 0)
            return fail_usage(job->arguments->verb, "--over: found `%s`, expected NAME=FROM:TO:COUNT",
                              over->texts[k]);
    }
    return exit_done;
}

static int read_part(const cli_job *job, cli_over *over)
{
    const char *text = argument_text(job->arguments, "part", NULL);
    char after;
    over->part = over->parts = 1;
    if (text && sscanf(text, "%d/%d%c", &over->part, &over->parts, &after) != 2)
        return fail_usage(job->arguments->verb, "--part: found `%s`, expected K/N such as 1/4", text);
    return exit_done;
}

int over_read(const cli_job *job, cli_over *over)
{
    int code = read_axes(job, over);
    if (code == exit_done)
        code = read_part(job, over);
    return code == exit_done ? argument_count(job->arguments, "threads", 0, 1024, &over->threads) : code;
}

void over_free(cli_over *over)
{
    for (int k = 0; k < over->axis_count; k++)
        slip_axis_free(&over->axes[k]);
    free(over->axes);
    free(over->texts);
}

/* ---- What is printed. */

/* The first and the last runs, with as many numbers as a line has room for. */
static void print_runs(const slip_result *result)
{
    const int series = slip_result_series_count(result), last = series - 2;
    const int shown = last < columns_shown ? last : columns_shown;
    int64_t count = 0;
    slip_result_series(result, "run", &count);
    for (int c = 0; c < shown; c++)
        printf(c == 0 ? "%7s" : " %14.14s", slip_result_series_name(result, c));
    printf("\n");
    for (int64_t row = 0; row < count; row++) {
        if (count > rows_shown && row == rows_shown / 2) {
            printf("%7s\n", "...");
            row = count - rows_shown / 2;
        }
        for (int c = 0; c < shown; c++) {
            const char *name = slip_result_series_name(result, c),
                       *word = slip_result_word(result, name, row);
            const double value = slip_result_series(result, name, NULL)[row];
            if (word)
                printf(" %14s", word);
            else
                printf(c == 0 ? "%7.0f" : " %14.7g", value);
        }
        const char *message = slip_result_word(result, "message", row);
        printf("%s%.60s\n", message && *message ? "  " : "", message ? message : "");
    }
    if (last > shown)
        printf("(table.csv has %d more numbers of each run)\n", last - shown);
}

/* The attractors of a basin. */
static void print_attractors(const slip_result *basin)
{
    int64_t count = 0;
    const double *fraction = slip_result_series(basin, "attractors.fraction", &count),
                 *error = slip_result_series(basin, "attractors.error", NULL),
                 *period = slip_result_series(basin, "attractors.period", NULL),
                 *starts = slip_result_series(basin, "attractors.count", NULL);
    printf("%-16s %8s %10s %9s %14s  %s\n", "attractor", "starts", "fraction", "error", "period",
           "signature");
    for (int64_t k = 0; k < count; k++) {
        if (count > rows_shown && k == rows_shown) {
            printf("... (attractors.json has all %lld)\n", (long long)count);
            break;
        }
        printf("%-16s %8.0f %10.6f %9.2g ", slip_result_word(basin, "attractors.name", k), starts[k],
               fraction[k], error[k]);
        if (isnan(period[k]))
            printf("%14s", "");
        else
            printf("%14.9g", period[k]);
        printf("  %.60s\n", slip_result_word(basin, "attractors.signature", k));
    }
}

static void print_over(slip_result *result)
{
    const int failed = (int)slip_result_number(result, "failed"),
              finished = (int)slip_result_number(result, "finished");
    const bool basin = strcmp(slip_result_kind(result), "basin") == 0;
    if (basin)
        print_attractors(result);
    else
        print_runs(result);
    if (failed > 0)
        warn("%d of %d runs failed; the column `message` of %s says why", failed, finished,
             basin ? "basin.csv" : "table.csv");
    const double starts = slip_result_number(result, "starts"),
                 left = slip_result_number(result, "failed_starts");
    if (left > 0)
        warn("%.0f of %.0f starts failed; without --labels their rows say why", left, starts);
    if (basin && slip_result_number(result, "undecided") > 0)
        warn("%.0f of %.0f starts are undecided: %s", slip_result_number(result, "undecided"),
             isnan(starts) ? finished : starts, slip_result_text(result, "undecided_because"));
    print_together(result, basin ? "starts" : "runs");
}

int over_keep(cli_job *job, slip_result *result, const char *folder, int ended)
{
    const bool empty =
        result && (!(slip_result_number(result, "finished") > slip_result_number(result, "failed")) ||
                   slip_result_number(result, "parts") != 1);
    const bool any = result != NULL;
    const int code = keep_result(job, result, folder, empty, print_over, ended);
    if (any && code == exit_interrupted)
        printf("The same command goes on from there.\n");
    return code;
}
