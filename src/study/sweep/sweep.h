/* Runs over parameters and initial values, and what other studies that run over axes share with them: a task
 * says what is done at each point of the axes.
 *
 * Runs are numbered with the last axis fastest. A line is what must go one after the other: a single run or,
 * where states are carried, the runs along the last axis and back. Threads take lines; parts are every
 * parts-th line. */
#ifndef SLIP_STUDY_SWEEP_H
#define SLIP_STUDY_SWEEP_H

#include "figure/album.h"
#include "io/journal.h"
#include "io/json.h"
#include "model/axis.h"
#include "result/result.h"
#include "slipstick/sweep.h"

typedef enum slip_sweep_state {
    SLIP_SWEEP_OPEN,
    SLIP_SWEEP_DONE,
    SLIP_SWEEP_FAILED,
    SLIP_SWEEP_UNASKED /* not run unless the grid is refined there */
} slip_sweep_state;

typedef struct slip_sweep_run {
    slip_sweep_state state;
    double *numbers;  /* the collected ones, then with `carry` the state at the end: n of q, n of v */
    char *text;       /* why it failed, or the word of the task; NULL */
    double *head;     /* time, q and v from which it starts, later than the study says; NULL: it does not */
    slip_mode *modes; /* of the contacts there */
    int64_t events;   /* before that */
    bool together;    /* lanes have brought it to its end, or to that start */
} slip_sweep_run;

/* A number of the options of a task: parts of one study have the same. */
typedef struct slip_sweep_setting {
    const char *name;
    double value;
} slip_sweep_setting;
enum { slip_sweep_settings_max = 8 };

/* How many runs were moved together, and why the first of the others was not ("" where none was left). */
typedef struct slip_sweep_together {
    int64_t count;
    int64_t left_by_card; /* of these, finished on the processor */
    char reason[300];
} slip_sweep_together;

/* In the summary: how many, of those that are finished, and why the others were not (result.c); and as the
 * `conclude` of a task (sweep.c). */
struct slip_sweep_info;
void slip_sweep_write_together(const struct slip_sweep_info *info, slip_json_writer *json);
int slip_sweep_conclude(slip_context *ctx, const struct slip_sweep_info *info, slip_result *result,
                        slip_json_writer *json);

/* What the summary says. */
typedef struct slip_sweep_info {
    const struct slip_sweep_task *task;
    const slip_model *model;     /* of joined parts where the task needs it, else NULL */
    const slip_run_options *run; /* NULL: as the model says */
    int axis_count;
    const slip_axis *axes;
    int collect_count;
    const char *const *collect;
    int setting_count;
    slip_sweep_setting settings[slip_sweep_settings_max];
    slip_sweep_together *together; /* NULL: it was not asked for */
    bool carries;
    bool lines; /* a run is a line of points along the last axis: the task looks after that axis */
    int part, parts;
    int64_t runs, finished, failed;
} slip_sweep_info;

typedef struct slip_sweep_job slip_sweep_job;

typedef struct slip_sweep_task {
    const char *kind; /* of the result, and the name in messages */
    const char *file; /* of its table */
    const char *word; /* the column of the word that each run leaves; NULL: none */
    bool lanes;       /* runs may be moved together (together.c) */
    /* Where lanes do more than to bring runs to their end (together.h); NULL: they do not. */
    const struct slip_sweep_lane_task *lane_task;
    bool models; /* `conclude` needs the model, also where parts are joined */
    /* The words of a collected number; NULL: it is a number. May be NULL. */
    const char *const *(*words)(const char *number);
    /* Chooses what is collected and sets job->info.settings; the axes are checked. */
    int (*choose)(slip_sweep_job *job);
    /* One point of the axes: its numbers and its word. How a solver fails is kept as a row. */
    int (*run)(const slip_sweep_job *job, slip_context *ctx, const slip_run_options *how, double *numbers,
               slip_text *word);
    /* Runs all points; NULL: slip_sweep_run_all. */
    int (*run_all)(slip_sweep_job *job);
    /* What can be said of all runs together: completes table and documents, and adds to the summary. May be
     * NULL. */
    int (*conclude)(slip_context *ctx, const slip_sweep_info *info, slip_result *result,
                    slip_json_writer *json);
    /* Makes the result of the finished runs; `ended`: the status of the sweep. NULL:
     * slip_sweep_make_result. */
    int (*make)(slip_sweep_job *job, int ended, slip_result **result);
    const char *smaller;                 /* advice for messages: what needs less memory; NULL: none */
    const struct slip_sweep_task *lines; /* the task of results of this kind with info.lines; NULL: none */
} slip_sweep_task;

struct slip_sweep_job {
    slip_context *ctx;
    slip_arena arena;
    const slip_model *model;
    const slip_sweep_task *task;
    const void *user; /* of the task */
    slip_sweep_info info;
    slip_sweep_options options; /* complete */
    slip_run_options how;
    slip_axis_place *places; /* of each axis */
    const char **collect;
    int collect_count, n, width; /* numbers of a run */
    double run_bytes;            /* memory that the task needs for each run besides; set by task.choose */
    int64_t run_count, line_length;
    slip_sweep_run *runs;
    int64_t finished, failed;
    slip_journal journal;                 /* where options.folder is given */
    const struct slip_sweep_lanes *lanes; /* how runs are moved together; NULL: one by one (together.c) */
    bool binds;                           /* an axis is a parameter */
    struct slip_card *card;               /* that moves lanes; NULL: none */
};

/* Runs the whole sweep. The caller sets `options`, `task` and `user` of the job, which is freed here. */
int slip_sweep_execute(slip_sweep_job *job, slip_result **result);

/* Whether the options ask for runs that are moved together: where they leave it open, from so many on. */
bool slip_sweep_asks_for_lanes(const slip_sweep_options *options, double from);

/* Adds a name to the collected ones: GROUP NAME MARK. There is room. */
int slip_sweep_collect(slip_sweep_job *job, const char *group, const char *name, const char *mark);

/* How many axes the runs are over. */
static inline int slip_sweep_outer(const slip_sweep_info *info, int axis_count)
{
    return axis_count - info->lines;
}

/* The value of an axis in a run. */
double slip_sweep_value(const slip_sweep_job *job, int64_t run, int axis);
static inline bool slip_sweep_goes_back(const slip_sweep_job *job, int64_t run)
{
    return job->line_length > 1 && 2 * (run % job->line_length) >= job->line_length;
}

/* Runs the model and collects its numbers: the task of a sweep (run.c). */
int slip_sweep_run_model(const slip_sweep_job *job, slip_context *ctx, const slip_run_options *how,
                         double *numbers, slip_text *word);

/* The state from which a run starts, n numbers each, where nothing is carried; NAN: as the model says
 * (worker.c). */
void slip_sweep_start(const slip_sweep_job *job, int64_t run, double *q, double *v);

/* Stores a finished run: its numbers, in the job's arena, and its text, which is copied (worker.c). Not for
 * several threads at once. */
int slip_sweep_finish(slip_sweep_job *job, slip_context *ctx, int64_t run, slip_sweep_state state,
                      double *numbers, const char *text);

/* What a thread has for itself; and to have it, and values and start of a run in it (worker.c). */
typedef struct slip_sweep_worker {
    slip_sweep_job *job;
    slip_context *ctx;
    slip_values *values;
    double *q, *v; /* at the start; NAN: as the model says */
} slip_sweep_worker;
int slip_sweep_open_worker(slip_sweep_job *job, slip_sweep_worker *worker);
void slip_sweep_close_worker(slip_sweep_worker *worker);
int slip_sweep_prepare(slip_sweep_worker *worker, int64_t run);

/* The run starts where a lane has brought it: by any thread. */
struct slip_batch_lane;
int slip_sweep_keep_head(slip_sweep_job *job, slip_context *ctx, int64_t run, double time,
                         const struct slip_batch_lane *lane);

/* Whether the runs of a sweep can be moved together, and how: sets job->lanes and, where not, the reason. The
 * job has its axes and what is collected, and info.together (together.c). */
int slip_sweep_plan_lanes(slip_sweep_job *job);

/* Moves those of some lines together for which this is possible: they are finished, or have a head. By one
 * worker, or (NULL) by all threads and the job's card. The lines are runs (together.c). */
int slip_sweep_move_lines(slip_sweep_job *job, slip_sweep_worker *worker, int64_t count,
                          const int64_t *lines);

/* Lines that wait to be run, and how the run of all ended. */
typedef struct slip_sweep_queue {
    int64_t *lines;
    int64_t count, next, all; /* all: runs that are finished or to come */
    int ended;                /* the first error */
    /* What the first thread does instead of running lines, until it is done; NULL: nothing. */
    void (*serve)(slip_sweep_job *job, struct slip_sweep_queue *queue);
} slip_sweep_queue;

/* All runs that are open: here (run.c), or shared by a crew (crew.c). */
int slip_sweep_run_all(slip_sweep_job *job);
int slip_sweep_share(slip_sweep_job *job, slip_sweep_queue *queue);

/* After each process has run some lines: `status` and `runs` are those of this process. The first process
 * receives the finished runs of the others; the first error is returned in all (crew.c). */
int slip_sweep_gather(slip_sweep_job *job, int status, int64_t count, const int64_t *runs);

/* Sends the records and the status of the first process to all processes (crew.c). */
int slip_sweep_share_records(slip_sweep_job *job, int status);

/* Runs the lines of the queue on all threads; slip_sweep_next is the next of them, -1: there is none or there
 * was an error, slip_sweep_end tells the error of a context (NULL: there was no memory for one) (run.c). */
void slip_sweep_run_lines(slip_sweep_job *job, slip_sweep_queue *queue);
int64_t slip_sweep_next(slip_sweep_queue *queue);
void slip_sweep_end(slip_sweep_job *job, slip_sweep_queue *queue, int status, const slip_context *ctx);

/* A finished run as a record (worker.c). */
void slip_sweep_write_record(const slip_sweep_job *job, int64_t run, slip_text *text);

/* Keeps a finished run (and takes one back) as a record of the journal (worker.c). */
int slip_sweep_take(void *job, const char *record);

/* Makes the result of the finished runs of a sweep that ended with `status` (result.c). */
int slip_sweep_make_result(slip_sweep_job *job, int status, slip_result **result);

/* The first two axes of the result of an album, how many there are, and its summary (draw.c). */
int slip_sweep_axes(slip_album *album, slip_axis axes[2], int *count, const slip_json **summary);

/* Curves over one axis, a map over two (draw.c). */
int slip_sweep_draw(slip_album *album);

#endif
