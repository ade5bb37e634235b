/* Basins of many millions of starts: nothing but the number of the attractor is kept for each start.
 *
 * A run of the job is a line of starts along the last axis. The line is a basin by itself (a job inside the
 * job, whose starts may move in lanes). Its result is one word: first its attractors, each as
 *
 *     NUMBER KIND MULTIPLE PERIOD COUNT LOW HIGH state size SIGNATURE|
 *
 * and then labels, equal neighbours together: 120*0 34*1 1*-1. Records of the journal, parts and what
 * processes tell each other are such lines, some bytes to a few bytes for each start. After the last line,
 * equal attractors of different lines get one number, and the words are rewritten with these numbers. */
#include "io/number.h"
#include "study/basin/basin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { of_starts, of_failed, of_together, of_left_by_card, number_count };
enum { of_number, of_kind, of_multiple, of_period, of_count, of_low, of_high, of_state };

/* ---- One line. */

/* Data of the task; the first member is what the tasks of basins expect. */
typedef struct line {
    slip_basin_how how;
    double *numbers;
    slip_text *word;
} line;

static void write_number(slip_text *text, double value)
{
    char number[slip_number_size];
    slip_text_printf(text, "%s ", slip_number_write(number, value));
}

static void write_attractor(slip_text *text, int number, const slip_attractor *a, int m)
{
    const double head[of_state] = {number,           a->end.kind, a->end.multiple, a->end.period,
                                   (double)a->count, a->low,      a->high};
    for (int k = 0; k < of_state; k++)
        write_number(text, head[k]);
    for (int i = 0; i < 2 * m; i++)
        write_number(text, i < m ? a->end.state[i] : a->end.size[i - m]);
    slip_text_printf(text, "%s|", a->end.signature);
}

/* `count` equal labels. */
static void write_labels(slip_text *text, int64_t count, int label)
{
    if (count > 0)
        slip_text_printf(text, "%lld*%d ", (long long)count, label);
}

static int take_line(slip_sweep_job *job, int ended, slip_result **result)
{
    const line *l = job->user;
    const int m = (job->collect_count - SLIP_BASIN_STATE) / 2;
    SLIP_FREED_BY(slip_basin_close_finder) slip_basin_finder found = {0};
    SLIP_FREED int16_t *labels = slip_alloc(job->run_count + 1, sizeof *labels);
    int64_t equal = 0;
    *result = NULL;
    if (ended < 0)
        return ended;
    SLIP_PASS(slip_allocated(job->ctx, labels));
    SLIP_PASS(slip_basin_open_finder(job->ctx, &job->info, m, &found));
    for (int64_t at = 0; at < job->run_count; at++) {
        const slip_basin_end failed = {.kind = SLIP_BASIN_FAILED},
                             end = job->runs[at].state == SLIP_SWEEP_DONE
                                       ? slip_basin_end_of_run(&job->runs[at], m)
                                       : failed;
        SLIP_PASS(slip_basin_find(&found, &end, &labels[at]));
        l->numbers[of_failed] += labels[at] < 0;
    }
    l->numbers[of_starts] = (double)job->run_count;
    l->numbers[of_together] = job->info.together ? (double)job->info.together->count : 0;
    l->numbers[of_left_by_card] = job->info.together ? (double)job->info.together->left_by_card : 0;
    for (int k = 0; k < found.count; k++)
        write_attractor(l->word, k, &found.list[k], m);
    for (int64_t at = 0; at < job->run_count; at++) {
        if (at > 0 && labels[at] != labels[at - 1]) {
            write_labels(l->word, equal, labels[at - 1]);
            equal = 0;
        }
        equal++;
    }
    write_labels(l->word, equal, labels[job->run_count - 1]);
    return SLIP_OK;
}

static const slip_sweep_task line_task = {.kind = "basin",
                                          .choose = slip_basin_choose,
                                          .run = slip_basin_follow,
                                          .run_all = slip_basin_run_open,
                                          .make = take_line};

/* Lines go side by side, each by one thread; those of a card one after the other, each by all threads. */
static bool needs_all_threads(const slip_basin_options *o)
{
    return o->device && (strcmp(o->device, "cuda") == 0 || strcmp(o->device, "auto") == 0);
}

static int run_line(const slip_sweep_job *job, slip_context *ctx, const slip_run_options *how,
                    double *numbers, slip_text *word)
{
    line l = {.how = *(const slip_basin_how *)job->user, .numbers = numbers, .word = word};
    const slip_basin_options *o = &l.how.options;
    const slip_axis *last = &job->options.axes[job->options.axis_count - 1];
    slip_sweep_together together = {0};
    slip_result *none = NULL;
    slip_sweep_job inside = {.ctx = ctx,
                             .model = job->model,
                             .task = &line_task,
                             .user = &l,
                             .options = slip_sweep_options_default()};
    l.how.options.threads = inside.options.threads = needs_all_threads(o) ? o->threads : 1;
    inside.info.model = job->model;
    inside.info.run = inside.options.run = how;
    inside.info.axes = inside.options.axes = last;
    inside.info.axis_count = inside.options.axis_count = 1;
    inside.options.carry = 0;
    if (o->device && strcmp(o->device, "none") != 0)
        inside.info.together = &together;
    for (int k = 0; k < number_count; k++)
        numbers[k] = 0;
    return slip_sweep_execute(&inside, &none);
}

/* ---- All lines. */

static int choose(slip_sweep_job *job)
{
    static const char *const names[number_count] = {"starts", "failed", "together", "left_by_card"};
    const slip_basin_options *o = &((const slip_basin_how *)job->user)->options;
    const double length = (double)job->options.axes[job->options.axis_count - 1].count;
    job->collect = slip_arena_array(&job->arena, number_count, sizeof *job->collect);
    SLIP_PASS(slip_allocated(job->ctx, job->collect));
    for (int k = 0; k < number_count; k++)
        SLIP_PASS(slip_sweep_collect(job, "", names[k], ""));
    /* labels, and words of a few bytes for a start, three times while they are written anew */
    job->run_bytes = length * (sizeof(int16_t) + 6);
    if (needs_all_threads(o))
        job->options.threads = 1;
    return slip_basin_choose_settings(job);
}

/* Reads one attractor of a line: the numbers before its state to `head`, 2 m numbers to `state`, and the
 * signature, which is terminated in place. Returns the text after it; NULL: no further attractor. */
static char *read_attractor(char *at, int m, double *head, double *state, slip_basin_end *end)
{
    char *stop = strchr(at, '|');
    if (!stop)
        return NULL;
    const char *next = at;
    for (int k = 0; k < of_state + 2 * m; k++)
        if (!slip_number_read(next + strspn(next, " "), &next,
                              k < of_state ? &head[k] : &state[k - of_state]))
            return NULL;
    *stop = 0;
    *end = (slip_basin_end){.kind = (slip_basin_kind)head[of_kind],
                            .multiple = head[of_multiple],
                            .period = head[of_period],
                            .state = state,
                            .size = state + m,
                            .signature = next + (*next == ' ')};
    return stop + 1;
}

/* Reads one group COUNT*LABEL; returns the text after it, NULL where there is none. (sscanf would scan the
 * whole rest of the line each time.) */
static const char *read_equal(const char *at, long long *equal, int *label)
{
    char *end, *next;
    *equal = strtoll(at, &end, 10);
    if (end == at || *end != '*')
        return NULL;
    *label = (int)strtol(end + 1, &next, 10);
    return next == end + 1 ? NULL : next + strspn(next, " ");
}

/* The labels of a line, of which there are `count`. */
static void read_labels(const char *at, int64_t count, int16_t *labels)
{
    long long equal;
    int label;
    for (int64_t k = 0; k < count && (at = read_equal(at, &equal, &label));)
        for (; equal > 0 && k < count; equal--)
            labels[k++] = (int16_t)label;
}

static int fail_line(slip_context *ctx, int64_t row)
{
    return slip_fail(ctx, SLIP_ERROR_IO, "basin: the labels of line %lld are damaged", (long long)row + 1);
}

/* Finds the attractors of a line among those of all lines: numbers[k] is the number among all of the
 * attractor that has number k in the line. */
static int find_all(slip_context *ctx, slip_basin_finder *found, slip_arena *arena, char **word,
                    int16_t *numbers)
{
    double head[of_state], *state = NULL;
    while (strchr(*word, '|')) {
        const int before = found->count;
        slip_basin_end end;
        int16_t number;
        state = state ? state : slip_arena_array(arena, 2 * (int64_t)found->m + 1, sizeof *state);
        SLIP_PASS(slip_allocated(ctx, state));
        *word = read_attractor(*word, found->m, head, state, &end);
        if (!*word || !(head[of_number] >= 0 && head[of_number] < slip_basin_attractors_max))
            return SLIP_ERROR_IO;
        SLIP_PASS(slip_basin_find(found, &end, &number));
        slip_attractor *a = &found->list[number];
        a->count += (int64_t)head[of_count] - 1;
        a->low = fmin(a->low, found->apart[0] + head[of_low]);
        a->high = fmax(a->high, found->apart[0] + head[of_high]);
        numbers[(int)head[of_number]] = number;
        state = found->count > before ? NULL : state;
    }
    return SLIP_OK;
}

/* Writes the word of a line with the numbers that its attractors have among all lines. */
static int write_line(slip_context *ctx, const char *word, const int16_t *numbers, slip_text *text)
{
    const char *labels = strrchr(word, '|');
    long long equal;
    int label;
    for (const char *end; labels && word < labels; word = end + 1) {
        end = strchr(word, '|');
        const char *rest = strchr(word, ' ');
        slip_text_printf(text, "%d%.*s|", numbers[strtol(word, NULL, 10)], (int)(end - rest), rest);
    }
    for (word = labels ? labels + 1 : word; (word = read_equal(word, &equal, &label));)
        write_labels(text, equal, label < 0 ? label : numbers[label]);
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}

int16_t *slip_basin_read_lines(const slip_sweep_info *info, const slip_table *table)
{
    const int64_t length = info->axes[info->axis_count - 1].count, starts = slip_basin_starts(info);
    const slip_column *words = &table->columns[slip_sweep_outer(info, info->axis_count) + 1 + number_count];
    int16_t *labels = slip_alloc(starts + 1, sizeof *labels);
    for (int64_t at = 0; at < starts && labels; at++)
        labels[at] = -2;
    for (int64_t row = 0; row < table->count && labels; row++) {
        const char *word = words->words[(int)words->values[row]], *last = strrchr(word, '|');
        const int64_t run = (int64_t)table->columns[0].values[row] - 1;
        if (run < 0 || run >= info->runs)
            continue;
        for (int64_t at = 0; at < length && !*word; at++) /* a line that failed as a whole */
            labels[run * length + at] = -1;
        read_labels(last ? last + 1 : word, length, labels + run * length);
    }
    return labels;
}

static int conclude(slip_context *ctx, const slip_sweep_info *info, slip_result *result,
                    slip_json_writer *json)
{
    slip_table *table = &result->main;
    const int outer = slip_sweep_outer(info, info->axis_count), column = outer + 1 + number_count,
              m = slip_system_coordinates(info->model->system) + info->model->system->n;
    SLIP_FREED_BY(slip_basin_close_finder) slip_basin_finder found = {0};
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    SLIP_FREED int16_t *numbers = slip_alloc(slip_basin_attractors_max + 1, sizeof *numbers);
    double sums[number_count] = {0};
    char **const before = table->columns[column].words;
    SLIP_PASS(slip_allocated(ctx, numbers));
    slip_table_forget_words(table, column);
    SLIP_PASS(slip_basin_open_finder(ctx, info, m, &found));
    for (int64_t row = 0; row < table->count; row++) {
        const char *word = before[(int)table->columns[column].values[row]];
        char *own = slip_arena_string(&arena, word);
        SLIP_PASS(slip_allocated(ctx, own));
        for (int k = 0; k < number_count; k++)
            sums[k] += *word            ? table->columns[outer + 1 + k].values[row]
                       : k <= of_failed ? (double)info->axes[info->axis_count - 1].count
                                        : 0;
        const int status = find_all(ctx, &found, &arena, &own, numbers);
        if (status == SLIP_ERROR_IO)
            return fail_line(ctx, row);
        SLIP_PASS(status);
        slip_text_clear(&text);
        SLIP_PASS(write_line(ctx, word, numbers, &text));
        const int written = slip_table_word(ctx, table, column, text.data ? text.data : "");
        SLIP_PASS(written);
        table->columns[column].values[row] = written;
    }
    SLIP_FREED int16_t *labels = slip_basin_read_lines(info, table);
    SLIP_PASS(slip_allocated(ctx, labels));
    SLIP_PASS(slip_basin_tell(ctx, info, &found, labels, result, json));
    slip_json_number(json, "starts", sums[of_starts]);
    slip_json_number(json, "failed_starts", sums[of_failed]);
    if (sums[of_together] > 0) {
        slip_json_number(json, "together", sums[of_together]);
        slip_json_number(json, "left_by_card", sums[of_left_by_card]);
        slip_json_number(json, "alone", sums[of_starts] - sums[of_together]);
    }
    return SLIP_OK;
}

const slip_sweep_task slip_basin_lines_task = {.kind = "basin",
                                               .file = "basin.csv",
                                               .word = "labels",
                                               .models = true,
                                               .choose = choose,
                                               .run = run_line,
                                               .conclude = conclude};
