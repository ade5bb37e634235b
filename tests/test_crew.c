/* Processes that share the runs of a study, here joined by sockets: the same bits as one process alone,
 * errors that reach all of them, and nothing lost with a process that is killed. */
#include "model_test.h"
#include "slipstick/slipstick.h"
#include "test_folder.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most = 4 };

typedef struct wire {
    int count, socket[most]; /* of the first process: one to each other; of the others: socket[0] */
    int die_after;           /* messages that are sent before this process is killed; -1: it lives */
} wire;

static int write_all(int to, const void *data, size_t length)
{
    for (const char *at = data; length > 0;) {
        const ssize_t done = send(to, at, length, MSG_NOSIGNAL);
        if (done <= 0)
            return -1;
        at += done;
        length -= (size_t)done;
    }
    return 0;
}

static int read_all(int from, void *data, size_t length)
{
    for (char *at = data; length > 0;) {
        const ssize_t done = recv(from, at, length, 0);
        if (done <= 0)
            return -1;
        at += done;
        length -= (size_t)done;
    }
    return 0;
}

static int send_message(void *user, int to, const char *message, size_t length)
{
    wire *w = user;
    if (w->die_after == 0)
        raise(SIGKILL);
    w->die_after--;
    const int socket = w->socket[w->count > 1 ? to : 0];
    return write_all(socket, &length, sizeof length) < 0 ? -1 : write_all(socket, message, length);
}

static int receive_message(void *user, int wait, int *from, char **message, size_t *length)
{
    wire *w = user;
    struct pollfd polls[most];
    const int first = w->count > 1 ? 1 : 0, count = w->count > 1 ? w->count - 1 : 1;
    for (int k = 0; k < count; k++)
        polls[k] = (struct pollfd){.fd = w->socket[first + k], .events = POLLIN};
    if (poll(polls, (nfds_t)count, wait ? -1 : 0) <= 0)
        return 0;
    for (int k = 0; k < count; k++) {
        if (polls[k].revents == 0)
            continue;
        *from = first + k;
        if (read_all(polls[k].fd, length, sizeof *length) < 0)
            return -1;
        *message = calloc(*length + 1, 1);
        return *message && read_all(polls[k].fd, *message, *length) >= 0 ? 1 : -1;
    }
    return 0;
}

static const char *const belt_model =
    "slipstick: 1\nparameters: {vb: 0.2}\ncoordinates: [x]\nmass: 1\nstiffness: 1\n"
    "contacts: {belt: {kind: friction, slip: x' - vb, normal_force: 1, law: {type: coulomb, mu: 0.3, "
    "static_ratio: 1.5}}}\n"
    "simulate: {time: [0, 40], method: event}\n";

static int sweep_with(slip_context *on, const slip_model *model, const char *folder,
                      const char *const *collect, slip_result **result)
{
    const slip_axis axes[] = {{.name = "vb", .from = -0.5, .to = 1, .count = 31},
                              {.name = "x", .from = 0, .to = 1, .count = 3}};
    slip_sweep_options options = slip_sweep_options_default();
    options.axes = axes;
    options.axis_count = 2;
    options.threads = 2;
    options.folder = folder;
    options.collect = collect;
    return slip_sweep(on, model, &options, result);
}

static int sweep(slip_context *on, const slip_model *model, const char *folder, slip_result **result)
{
    return sweep_with(on, model, folder, NULL, result);
}

static int wrong_sweep(slip_context *on, const slip_model *model, const char *folder, slip_result **result)
{
    return sweep_with(on, model, folder, (const char *const[]){"max.y", NULL}, result);
}

static int basin(slip_context *on, const slip_model *model, const char *folder, slip_result **result)
{
    const slip_axis axes[] = {{.name = "x", .from = -0.5, .to = 1.6, .count = 5},
                              {.name = "x'", .from = -1, .to = 1, .count = 5}};
    slip_basin_options options = slip_basin_options_default();
    options.axes = axes;
    options.axis_count = 2;
    options.refine = 2;
    options.threads = 1;
    options.folder = folder;
    return slip_basin(on, model, &options, result);
}

static int diagram(slip_context *on, const slip_model *model, const char *folder, slip_result **result)
{
    const slip_axis axis = {.name = "vb", .from = 0.05, .to = 1, .count = 20};
    slip_bifurcation_options options = slip_bifurcation_options_default();
    options.axis = &axis;
    options.maxima = "x";
    options.carry = 0;
    options.threads = 2;
    options.folder = folder;
    return slip_bifurcation(on, model, &options, result);
}

/* Values that are moved together, once a period of the load. */
static const char *const stop_model =
    "slipstick: 1\nparameters: {w: 2.6}\ncoordinates: [x]\nmass: 1\nstiffness: 1\nforces: {x: cos(w*t)}\n"
    "contacts: {stop: {kind: unilateral, gap: -x, restitution: 0.8}}\n"
    "simulate: {time: [0, 100], method: event, initial: {x: -0.5}}\n";

static int lanes(slip_context *on, const slip_model *model, const char *folder, slip_result **result)
{
    const slip_axis axis = {.name = "w", .from = 2.6, .to = 2.9, .count = 37};
    slip_bifurcation_options options = slip_bifurcation_options_default();
    options.axis = &axis;
    options.period = "2*pi/w";
    options.carry = 0;
    options.device = "cpu";
    options.threads = 2;
    options.folder = folder;
    const int status = slip_bifurcation(on, model, &options, result);
    if (status >= 0 && slip_result_number(*result, "alone") > 5)
        return SLIP_ERROR_SOLVER; /* most of them can be */
    return status;
}

static int exponents(slip_context *on, const slip_model *model, const char *folder, slip_result **result)
{
    const slip_axis axis = {.name = "vb", .from = 0.05, .to = 1, .count = 20};
    slip_lyapunov_options options = slip_lyapunov_options_default();
    options.axes = &axis;
    options.axis_count = 1;
    options.interval = "1";
    options.intervals = 64;
    options.threads = 2;
    options.folder = folder;
    return slip_lyapunov(on, model, &options, result);
}

/* What every process does, by its number. */
typedef int (*study)(slip_context *on, const slip_model *model, const char *folder, slip_result **result);
enum { the_sweep, the_basin, the_diagram, the_exponents, the_lanes, study_count, wrong = study_count };
static const study studies[] = {sweep, basin, diagram, exponents, lanes, wrong_sweep};

static const char *model_of(int which)
{
    return which == the_lanes ? stop_model : belt_model;
}

/* One of the other processes: its arguments are study, rank, count, socket, die_after. */
static int follow(char **arguments)
{
    int number[5];
    slip_result *same = NULL;
    slip_model *model = NULL;
    for (int k = 0; k < 5; k++)
        number[k] = atoi(arguments[k]);
    wire own = {.count = 1, .socket = {number[3]}, .die_after = number[4]};
    const slip_crew crew = {number[1], number[2], send_message, receive_message, &own};
    slip_context *on = slip_context_create();
    int status = slip_model_parse(on, model_of(number[0]), "model", NULL, &model);
    slip_context_set_crew(on, &crew);
    if (status >= 0)
        status = studies[number[0]](on, model, NULL, &same);
    slip_result_destroy(same);
    slip_model_destroy(model);
    slip_context_destroy(on);
    return -status;
}

static pid_t start(int which, int rank, int count, int socket, int die_after)
{
    const int numbers[] = {which, rank, count, socket, die_after};
    char texts[5][12], *arguments[] = {"test_crew", texts[0], texts[1], texts[2], texts[3], texts[4], NULL};
    const pid_t child = fork();
    if (child != 0)
        return child;
    for (int k = 0; k < 5; k++)
        snprintf(texts[k], sizeof texts[k], "%d", numbers[k]);
    execv("/proc/self/exe", arguments);
    _exit(100);
}

/* Runs a study with `count` processes; the last one dies after `die_after` messages. Returns the status of
 * the first, and in *others how many of the others ended with the same. */
static int together(int which, const slip_model *model, const char *folder, int count, int die_after,
                    slip_result **result, int *others)
{
    wire first = {.count = count, .die_after = -1};
    pid_t children[most] = {0};
    for (int k = 1; k < count; k++) {
        int pair[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        assert_int_equal(fcntl(pair[0], F_SETFD, FD_CLOEXEC), 0);
        children[k] = start(which, k, count, pair[1], k == count - 1 ? die_after : -1);
        close(pair[1]);
        first.socket[k] = pair[0];
    }
    const slip_crew crew = {0, count, send_message, receive_message, &first};
    slip_context_set_crew(ctx, &crew);
    const int status = studies[which](ctx, model, folder, result);
    slip_context_set_crew(ctx, NULL);
    *others = 0;
    for (int k = 1; k < count; k++) {
        int ended;
        close(first.socket[k]);
        waitpid(children[k], &ended, 0);
        *others += WIFEXITED(ended) && WEXITSTATUS(ended) == -status;
    }
    return status;
}

static void same_series(const slip_result *one, const slip_result *other)
{
    assert_int_equal(slip_result_series_count(one), slip_result_series_count(other));
    for (int k = 0; k < slip_result_series_count(one); k++) {
        const char *name = slip_result_series_name(one, k);
        int64_t counts[2];
        const double *a = slip_result_series(one, name, &counts[0]),
                     *b = slip_result_series(other, name, &counts[1]);
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(a, b, (size_t)counts[0] * sizeof *a);
    }
}

static void any_number_of_processes(void **state)
{
    (void)state;
    for (int k = 0; k < study_count; k++) {
        slip_model *model = parse(model_of(k));
        slip_result *alone = NULL;
        assert_int_equal(studies[k](ctx, model, NULL, &alone), SLIP_OK);
        for (int count = 2; count <= most; count += 2) {
            slip_result *shared = NULL;
            int others;
            assert_int_equal(together(k, model, NULL, count, -1, &shared, &others), SLIP_OK);
            assert_int_equal(others, count - 1);
            same_series(alone, shared);
            slip_result_destroy(shared);
        }
        slip_result_destroy(alone);
        slip_model_destroy(model);
    }
}

static void errors_reach_all(void **state)
{
    slip_model *model = parse(belt_model);
    slip_result *none = NULL;
    int others;
    (void)state;
    assert_int_equal(together(wrong, model, NULL, 3, -1, &none, &others), SLIP_ERROR_USAGE);
    assert_int_equal(others, 2);
    assert_null(none);
    assert_non_null(strstr(slip_context_message(ctx), "max.y"));
    slip_model_destroy(model);
}

static void lose_process_of(int which)
{
    slip_model *model = parse(model_of(which));
    slip_result *alone = NULL, *shared = NULL;
    char folder[test_path_size];
    test_folder_make(folder);
    assert_int_equal(studies[which](ctx, model, NULL, &alone), SLIP_OK);
    for (int last = 0; last < 3; last++) {
        int others;
        const int status = together(which, model, folder, 3, last, &shared, &others);
        if (status < 0) {
            assert_int_equal(status, SLIP_ERROR_IO);
            assert_non_null(strstr(slip_context_message(ctx), "does not answer"));
        }
        slip_result_destroy(shared);
        shared = NULL;
    }
    assert_int_equal(studies[which](ctx, model, folder, &shared), SLIP_OK);
    same_series(alone, shared);
    slip_result_destroy(shared);
    slip_result_destroy(alone);
    slip_model_destroy(model);
    test_folder_remove(folder);
}

static void a_lost_process_loses_nothing(void **state)
{
    (void)state;
    lose_process_of(the_sweep);
    lose_process_of(the_diagram);
    lose_process_of(the_exponents);
    lose_process_of(the_lanes);
}

int main(int argc, char **argv)
{
    if (argc == 6)
        return follow(argv + 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_processes),
        cmocka_unit_test(errors_reach_all),
        cmocka_unit_test(a_lost_process_loses_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
