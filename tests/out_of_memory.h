/* Lets every allocation of a job fail once, by the way that leads to it: an error that says so comes back,
 * nothing crashes, nothing leaks, no file is half written, and what goes on all the same gives the same
 * answer.
 *
 * Calls from the library's own objects to malloc and the like, and to the functions of base/memory.h that
 * hand out memory, come here (--wrap of the linker); those of other libraries do not. A piece of an arena
 * that had room this time has none another time: it counts as an allocation. A job is done once to count
 * them; the return addresses of the innermost functions are the path of each. Then the job is done again for
 * each path that no job before has let fail, and the first allocation by that path fails, with
 * SLIPSTICK_TEST_ALL the last one too. Jobs run on one thread, so that they make the same calls each time. */
#ifndef SLIP_TESTS_OUT_OF_MEMORY_H
#define SLIP_TESTS_OUT_OF_MEMORY_H

#include "base/memory.h"
#include "slipstick/slipstick.h"
#include "test.h"
#include "test_folder.h"

#include <omp.h>
#include <string.h>
#include <unwind.h>

/* ---- Sets of numbers that are not 0, with two numbers beside each. Their size is fixed: they watch the
 * memory. */

enum { memory_room = 1 << 18 };

typedef struct memory_set {
    uint64_t keys[memory_room];
    int first[memory_room], last[memory_room];
    int count;
} memory_set;

static size_t memory_place(const memory_set *set, uint64_t key)
{
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 46);
    while (set->keys[at] && set->keys[at] != key)
        at = (at + 1) % memory_room;
    return at;
}

static void memory_put(memory_set *set, uint64_t key, int number)
{
    const size_t at = memory_place(set, key);
    if (!set->keys[at]) {
        if (++set->count > memory_room / 2)
            abort();
        set->keys[at] = key;
        set->first[at] = number;
    }
    set->last[at] = number;
}

/* Those behind it move up, so that they are found. */
static void memory_take(memory_set *set, uint64_t key)
{
    size_t at = memory_place(set, key);
    if (!set->keys[at])
        return;
    set->count--;
    for (set->keys[at] = 0; set->keys[at = (at + 1) % memory_room];) {
        const uint64_t moved = set->keys[at];
        set->keys[at] = 0;
        const size_t to = memory_place(set, moved);
        set->keys[to] = moved;
        set->first[to] = set->first[at];
        set->last[to] = set->last[at];
    }
}

/* ---- The allocator. */

/* How many functions a path has: those that call, and whom they were called by. */
enum { memory_frames = 5 };
static memory_set memory_paths; /* of the job's calls: the number of the first and of the last call of each */
static memory_set memory_failed; /* paths that have failed, in any job */
static memory_set memory_blocks; /* that the job holds: the number of the call */

static struct {
    bool watched, inside; /* a job is on; in an allocator of the library, whose own calls do not count */
    bool listed;          /* the paths of the calls are listed */
    int depth;            /* frames of a path */
    int calls, fails_at;  /* fails_at 0: never */
    uintptr_t outside;    /* the return address of the job */
    uintptr_t frames[memory_frames]; /* of the call that failed */
    int frame_count;
    uint64_t path; /* of the call that failed; 0: none has */
    const struct memory_job *job;
    bool warned; /* the log has said that there is no memory: what was not wanted most may be missing */
} memory;

typedef struct memory_walk {
    uintptr_t caller, frames[memory_frames];
    int count, depth;
} memory_walk;

static _Unwind_Reason_Code memory_frame(struct _Unwind_Context *at, void *user)
{
    memory_walk *walk = user;
    const uintptr_t address = _Unwind_GetIP(at);
    if (address == memory.outside || walk->count == walk->depth)
        return _URC_END_OF_STACK;
    if (walk->count > 0 || address == walk->caller)
        walk->frames[walk->count++] = address;
    return _URC_NO_REASON;
}

/* The path to an allocator's caller. */
static uint64_t memory_path(const void *caller)
{
    memory_walk walk = {.caller = (uintptr_t)caller, .depth = memory.depth};
    uint64_t path = 0xcbf29ce484222325u;
    _Unwind_Backtrace(memory_frame, &walk);
    for (int k = 0; k < walk.count; k++)
        path = (path ^ walk.frames[k]) * 0x9e3779b97f4a7c15u >> 7 | path << 57;
    memcpy(memory.frames, walk.frames, sizeof walk.frames);
    memory.frame_count = walk.count;
    return path ? path : 1;
}

/* Counts a call, and says whether it fails. */
static bool memory_fails(const void *caller)
{
    if (!memory.watched || memory.inside)
        return false;
    memory.calls++;
    if (memory.listed)
        memory_put(&memory_paths, memory_path(caller), memory.calls);
    if (memory.calls != memory.fails_at)
        return false;
    memory.path = memory_path(caller);
    return true;
}

static void *memory_held(void *block)
{
    if (memory.watched && block)
        memory_put(&memory_blocks, (uintptr_t)block, memory.calls);
    return block;
}

static void memory_left(const void *block)
{
    if (block)
        memory_take(&memory_blocks, (uintptr_t)block);
}

/* Defines what is called in place of NAME: `call`, unless it is its turn to fail; then `failed` comes back.
 */
#define MEMORY_WRAP(type, name, declared, failed, call)                                                      \
    type __real_##name declared;                                                                             \
    type __wrap_##name declared;                                                                             \
    type __wrap_##name declared                                                                              \
    {                                                                                                        \
        return memory_fails(__builtin_return_address(0)) ? (failed) : (call);                                \
    }

MEMORY_WRAP(void *, malloc, (size_t size), NULL, memory_held(__real_malloc(size)))
MEMORY_WRAP(void *, calloc, (size_t count, size_t size), NULL, memory_held(__real_calloc(count, size)))
MEMORY_WRAP(void *, aligned_alloc, (size_t alignment, size_t size), NULL,
            memory_held(__real_aligned_alloc(alignment, size)))
MEMORY_WRAP(char *, strdup, (const char *text), NULL, memory_held(__real_strdup(text)))
MEMORY_WRAP(char *, strndup, (const char *text, size_t length), NULL,
            memory_held(__real_strndup(text, length)))

void *__real_realloc(void *old, size_t size);
static void *memory_moved(void *old, size_t size)
{
    void *block = __real_realloc(old, size);
    if (block)
        memory_left(old);
    return memory_held(block);
}
MEMORY_WRAP(void *, realloc, (void *old, size_t size), NULL, memory_moved(old, size))

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block)
{
    memory_left(block);
    __real_free(block);
}

/* What a function of base/memory.h calls does not count once more. */
#define MEMORY_INSIDE(type, name, declared, failed, call)                                                    \
    type __real_##name declared;                                                                             \
    static type inside_##name declared                                                                       \
    {                                                                                                        \
        const bool inside = memory.inside;                                                                   \
        memory.inside = true;                                                                                \
        type given = call;                                                                                   \
        memory.inside = inside;                                                                              \
        return given;                                                                                        \
    }

#define MEMORY_WRAP_INSIDE(type, name, declared, failed, passed)                                             \
    MEMORY_INSIDE(type, name, declared, failed, __real_##name passed)                                        \
    MEMORY_WRAP(type, name, declared, failed, inside_##name passed)

MEMORY_WRAP_INSIDE(void *, slip_alloc, (int64_t count, size_t size), NULL, (count, size))
MEMORY_WRAP_INSIDE(void *, slip_arena_alloc, (slip_arena * arena, size_t size), NULL, (arena, size))
MEMORY_WRAP_INSIDE(void *, slip_arena_array, (slip_arena * arena, int64_t count, size_t size), NULL,
                   (arena, count, size))
MEMORY_WRAP_INSIDE(char *, slip_arena_string, (slip_arena * arena, const char *text), NULL, (arena, text))
MEMORY_WRAP_INSIDE(char *, slip_arena_string_bytes, (slip_arena * arena, const char *text, size_t length),
                   NULL, (arena, text, length))
MEMORY_WRAP_INSIDE(bool, slip_arena_divide, (slip_arena * arena, int count, const slip_portion *portions),
                   false, (arena, count, portions))

/* An array that has room asks for nothing. */
bool __real_slip_array_reserve(void *data, int64_t *capacity, int64_t needed, size_t size);
bool __wrap_slip_array_reserve(void *data, int64_t *capacity, int64_t needed, size_t size);
bool __wrap_slip_array_reserve(void *data, int64_t *capacity, int64_t needed, size_t size)
{
    if (needed > *capacity && memory_fails(__builtin_return_address(0)))
        return false;
    const bool inside = memory.inside;
    memory.inside = true;
    const bool given = __real_slip_array_reserve(data, capacity, needed, size);
    memory.inside = inside;
    return given;
}

/* ---- What a job came to. */

typedef struct memory_answer {
    uint64_t hash;
    bool unknown; /* something could not be looked up, by a function that has no status */
} memory_answer;

/* Looking at what came out is no part of the job. */
static bool memory_quiet(void)
{
    const bool watched = memory.watched;
    memory.watched = false;
    return watched;
}

static void answer_bytes(memory_answer *answer, const void *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++)
        answer->hash = (answer->hash ^ ((const unsigned char *)bytes)[k]) * 0x100000001b3u;
}

static inline void answer_number(memory_answer *answer, double number)
{
    answer_bytes(answer, &number, sizeof number);
}

static inline void answer_text(memory_answer *answer, const char *text)
{
    answer->unknown |= !text;
    if (text)
        answer_bytes(answer, text, strlen(text) + 1);
}

/* All series, their words, and the summary but for what is measured of the run itself. */
static inline void answer_result(slip_context *ctx, memory_answer *answer, slip_result *result)
{
    const bool watched = memory_quiet();
    for (int k = 0; k < slip_result_series_count(result); k++) {
        const char *name = slip_result_series_name(result, k);
        int64_t count = 0;
        const double *numbers = slip_result_series(result, name, &count);
        answer_text(answer, name);
        if (numbers)
            answer_bytes(answer, numbers, (size_t)count * sizeof *numbers);
        for (int64_t n = 0; slip_result_word(result, name, n) && n < count; n++)
            answer_text(answer, slip_result_word(result, name, n));
    }
    for (const char *line = slip_result_summary(ctx, result); line && *line;) {
        const size_t length = strcspn(line, "\n");
        char copy[200];
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        if (!strstr(copy, "seconds"))
            answer_text(answer, copy);
        line += length + (line[length] == '\n');
    }
    memory.watched = watched;
}

/* What a job ends with: the answer is looked at, and the result is let go. */
static inline int memory_finish(slip_context *ctx, int status, slip_result **result, memory_answer *answer)
{
    if (status >= 0 && *result)
        answer_result(ctx, answer, *result);
    slip_result_destroy(*result);
    return status;
}

static inline int memory_run(slip_context *ctx, slip_model *model, const char *method, memory_answer *answer)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = method;
    int status = slip_run_check(ctx, model, &options);
    if (status >= 0)
        status = slip_run(ctx, model, &options, &result);
    return memory_finish(ctx, status, &result, answer);
}

/* ---- Jobs. */

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* What a job leaves. Whole: all of its files or none. Pieces: files that stand alone; after a failure some
 * may be there, each of them whole. Refused: the job ends with an error, also where it runs out of memory
 * before it can tell. */
typedef enum memory_end { memory_whole, memory_pieces, memory_refused } memory_end;

typedef struct memory_job {
    const char *name;
    const char *model;           /* the name of an example, or a text; NULL: the job makes its own */
    const char *const *settings; /* of the model; NULL ends the list, NULL: none */
    int (*work)(slip_context *ctx, slip_model *model, const char *option, memory_answer *answer);
    const char *option; /* is handed to it */
    memory_end end;
} memory_job;

static char memory_base[test_path_size]; /* jobs write into the folder `out` there */
static long memory_all_calls, memory_all_failed, memory_jobs, memory_faults;

static const char *memory_start; /* a folder that `out` is a copy of before each try; NULL: it is empty */

/* Of every file in a folder: its name and, where that is the same each time, its size. */
typedef struct memory_files {
    uint64_t files[200];
    int count;
} memory_files;

static void memory_list_files(const char *path, memory_files *found)
{
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char inner[test_path_size];
        struct stat about;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, ".files") == 0 || strstr(entry->d_name, ".journal") ||
            strcmp(entry->d_name, "checkpoint.h5") == 0)
            continue; /* what the program keeps for itself */
        memory_answer file = {.hash = 7};
        if (stat(test_path(inner, path, entry->d_name), &about) != 0)
            abort();
        answer_text(&file, inner + strlen(memory_base));
        if (!S_ISDIR(about.st_mode) && !strstr(inner, "summary.json") && !strstr(inner, "report.html") &&
            !strstr(inner, ".pvd"))
            answer_number(&file, (double)about.st_size);
        if (found->count == sizeof found->files / sizeof *found->files)
            abort();
        found->files[found->count++] = file.hash;
        if (S_ISDIR(about.st_mode))
            memory_list_files(inner, found);
    }
    if (folder)
        closedir(folder);
}

static bool memory_among(uint64_t file, const memory_files *files)
{
    for (int k = 0; k < files->count; k++)
        if (files->files[k] == file)
            return true;
    return false;
}

static bool memory_within(const memory_files *part, const memory_files *whole, const memory_files *other)
{
    for (int k = 0; k < part->count; k++)
        if (!memory_among(part->files[k], whole) && !memory_among(part->files[k], other))
            return false;
    return true;
}

static void memory_copy(const char *from, const char *to)
{
    DIR *folder = opendir(from);
    if (mkdir(to, 0777) != 0)
        abort();
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char inner[test_path_size], outer[test_path_size], bytes[1 << 16];
        struct stat about;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        stat(test_path(inner, from, entry->d_name), &about);
        test_path(outer, to, entry->d_name);
        if (S_ISDIR(about.st_mode)) {
            memory_copy(inner, outer);
            continue;
        }
        FILE *source = fopen(inner, "rb"), *copy = fopen(outer, "wb");
        for (size_t count; (count = fread(bytes, 1, sizeof bytes, source)) > 0;)
            fwrite(bytes, 1, count, copy);
        fclose(source);
        fclose(copy);
    }
    if (folder)
        closedir(folder);
}

static void memory_hear(void *user, slip_log_level level, const char *message)
{
    (void)user;
    memory.warned |= level == SLIP_LOG_WARNING && strstr(message, "memory");
}

/* One try, from an empty folder and with a model and a context of its own. */
__attribute__((noinline)) static int memory_try(const memory_job *job, slip_context *ctx,
                                                memory_answer *answer)
{
    slip_model *model = NULL;
    int status = SLIP_OK;
    memory.outside = (uintptr_t)__builtin_return_address(0);
    *answer = (memory_answer){0};
    memory.calls = 0;
    memory.path = 0;
    memory.job = job;
    memory.warned = false;
    slip_context_set_log(ctx, memory_hear, NULL);
    memory.watched = true;
    if (job->model) {
        const char *text = slip_example_text(job->model);
        status = slip_model_parse(ctx, text ? text : job->model, job->name, job->settings, &model);
    }
    if (status >= 0)
        status = job->work(ctx, model, job->option, answer);
    slip_model_destroy(model);
    memory.watched = false;
    memory.fails_at = 0;
    return status;
}

/* ---- Every path of a job. */

extern const char __executable_start; /* of the linker */

static void memory_fault(const memory_job *job, const char *what, const char *said)
{
    memory_faults++;
    print_error("%s: an allocation fails, and %s: `%s`; its path, for `addr2line -fipe PROGRAM`:\n",
                job->name, what, said);
    for (int k = 0; k < memory.frame_count; k++)
        print_error(" %#lx", (unsigned long)(memory.frames[k] - 1 - (uintptr_t)&__executable_start));
    print_error("\n");
}

static memory_files memory_before, memory_after,
    memory_found; /* the files before a try, after a good one, after this */

static struct {
    int status;
    char message[4000];
} memory_refusal; /* what a job that is refused is told */

static const char *memory_clean(void)
{
    static char folder[test_path_size];
    test_folder_remove(test_path(folder, memory_base, "out"));
    if (memory_start)
        memory_copy(memory_start, folder);
    else if (mkdir(folder, 0777) != 0)
        abort();
    return folder;
}

static void memory_look(const char *folder, memory_files *found)
{
    found->count = 0;
    memory_list_files(folder, found);
}

/* All files of a good try or none; where pieces are allowed, nothing else than files of a good try. */
static bool memory_files_whole(const memory_job *job, int status)
{
    const bool after = memory_within(&memory_found, &memory_after, &memory_after) &&
                       memory_within(&memory_after, &memory_found, &memory_found);
    const bool before = memory_within(&memory_found, &memory_before, &memory_before) &&
                        memory_within(&memory_before, &memory_found, &memory_found);
    return after || (status < 0 && before) ||
           ((status < 0 || memory.warned) && job->end == memory_pieces &&
            memory_within(&memory_found, &memory_before, &memory_after));
}

/* Number `at` fails: the path of that call has to be `path`. */
static void memory_fail_at(const memory_job *job, int at, uint64_t path, const memory_answer *expected)
{
    const char *folder = memory_clean();
    memory_answer found;
    slip_context *ctx = slip_context_create();
    memory.fails_at = at;
    const int status = memory_try(job, ctx, &found);
    const char *said = slip_context_message(ctx);
    memory_look(folder, &memory_found);
    if (memory.path != path)
        memory_fault(job, memory.path ? "it is another one" : "it is not reached", said);
    else if (status < 0 &&
             (!strstr(said, "memory") || (status != SLIP_ERROR_MEMORY && status != SLIP_ERROR_IO)) &&
             !(job->end == memory_refused && status == memory_refusal.status &&
               strcmp(said, memory_refusal.message) == 0))
        memory_fault(job, "that is not what is said", said);
    else if (status >= 0 && found.hash != expected->hash && !found.unknown)
        memory_fault(job, "the answer is another one", said);
    else if (!memory_files_whole(job, status))
        memory_fault(job, "files are not whole", said);
    slip_context_destroy(ctx);
    if (memory_blocks.count > 0) {
        memory_fault(job, "memory is lost", "");
        memset(&memory_blocks, 0, sizeof memory_blocks);
    }
    memory_put(&memory_failed, path, 0);
    memory_all_failed++;
}

/* The job without a failure: its calls are listed, and its files. False where it cannot be done. */
static bool memory_list(const memory_job *job, memory_answer *expected)
{
    const char *folder = memory_clean();
    slip_context *ctx = slip_context_create();
    memory_look(folder, &memory_before);
    memset(&memory_paths, 0, sizeof memory_paths);
    memory.listed = true;
    const int status = memory_try(job, ctx, expected);
    memory.listed = false;
    memory_look(folder, &memory_after);
    memory_refusal.status = status;
    snprintf(memory_refusal.message, sizeof memory_refusal.message, "%s", slip_context_message(ctx));
    if ((job->end == memory_refused) != (status < 0)) {
        memory_faults++;
        print_error("%s: cannot be done: %s\n", job->name, slip_context_message(ctx));
    }
    slip_context_destroy(ctx);
    if (memory_blocks.count > 0)
        fail_msg("%s: %d allocations are lost", job->name, memory_blocks.count);
    memory_all_calls += memory.calls;
    return (job->end == memory_refused) == (status < 0);
}

static inline void memory_let_fail(const memory_job *job)
{
    memory_answer expected;
    const long before = memory_all_failed;
    if (!memory_list(job, &expected))
        return;
    for (size_t k = 0; k < memory_room; k++) {
        const uint64_t path = memory_paths.keys[k];
        if (!path || memory_failed.keys[memory_place(&memory_failed, path)])
            continue;
        memory_fail_at(job, memory_paths.first[k], path, &expected);
        if (test_all() && memory_paths.last[k] != memory_paths.first[k])
            memory_fail_at(job, memory_paths.last[k], path, &expected);
    }
    if (test_all())
        print_message("%s: %d paths, %ld let fail\n", job->name, memory_paths.count,
                      memory_all_failed - before);
    memory_jobs++;
}

/* A job: the static solutions of a model. */
static inline int memory_statics(slip_context *ctx, slip_model *model, const char *unused,
                                 memory_answer *answer)
{
    slip_statics_options options = slip_statics_options_default();
    slip_statics *found = NULL;
    slip_result *result = NULL;
    (void)unused;
    options.restarts = 2;
    int status = slip_statics_solve(ctx, model, &options, &found);
    if (status >= 0)
        status = slip_statics_result(ctx, found, &result);
    slip_statics_destroy(found);
    return memory_finish(ctx, status, &result, answer);
}

/* In place of gnuplot, which would take most of the time: the pictures that a script asks for, as they end.
 */
static inline void memory_draw_nothing(void)
{
    char folder[test_path_size], path[test_path_size], here[2048], search[8000];
    mkdir(test_path(folder, memory_base, "bin"), 0777);
    FILE *program = fopen(test_path(path, folder, "gnuplot"), "w");
    fputs(
        "#!/bin/sh\n"
        "while IFS= read -r line; do case $line in\n"
        "'do for [kind in \"'*) kinds=${line#*\\\"}; kinds=${kinds%%\\\"*};;\n"
        "*'set output '?*kind) name=${line#*set output ?}; name=${name%%[\\\"\\']*}; for kind in $kinds; do\n"
        "case $kind in png) end='IEND\\256B`\\202';; svg) end='</svg>';; *) end='%%%%EOF';; esac\n"
        "printf \"nothing is drawn $end\" > $name.$kind; done;;\n"
        "esac; done < \"$2\"\n",
        program);
    fclose(program);
    chmod(path, 0777);
    if (!getcwd(here, sizeof here))
        abort();
    snprintf(search, sizeof search, "%s/%s:%s", folder[0] == '/' ? "" : here, folder, getenv("PATH"));
    setenv("PATH", search, 1);
}

/* A test of all the jobs of a list. */
#define MEMORY_TESTS(list)                                                                                   \
    static void every_path_of_##list(void **state)                                                           \
    {                                                                                                        \
        (void)state;                                                                                         \
        for (size_t k = 0; k < sizeof list / sizeof *list; k++)                                              \
            memory_let_fail(&list[k]);                                                                       \
        assert_int_equal(memory_faults, 0);                                                                  \
    }

/* depth: how many functions make a path; under the sanitizers half as many. */
static inline int memory_run_tests(const struct CMUnitTest *tests, size_t count, int depth)
{
    omp_set_num_threads(1);
    memory.depth = test_all() ? memory_frames : test_sanitized ? depth / 2 : depth;
    test_folder_make(memory_base);
    memory_draw_nothing();
    const int failed = _cmocka_run_group_tests("out of memory", tests, count, NULL, NULL);
    test_folder_remove(memory_base);
    if (memory.watched)
        memory_fault(memory.job, "it crashes", "");
    print_message("%ld allocations in %ld jobs, %d paths to them, %ld let fail, %ld faults\n",
                  memory_all_calls, memory_jobs, memory_failed.count, memory_all_failed, memory_faults);
    return failed;
}

#endif
