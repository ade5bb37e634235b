/* Frames, histories and checkpoints of gear trains, by every method that moves them: an idler between two
 * wheels. Frames are judged by the contact of whole meshes; a run that was interrupted and goes on, and a
 * simulation that is saved and restored, have the bits of one that was not. */
#include "test.h"
#include "test_folder.h"

#include "gear/gear_impact.h"
#include "gear/train/train.h"
#include "model/model.h"
#include "slipstick/run.h"
#include "slipstick/simulation.h"
#include "study/run.h"

#include <stdlib.h>
#include <string.h>

typedef struct kind {
    const char *method, *reduce;
    /* By which the force of a frame may be off, over the largest. Flanks of an idler that have residual
     * vectors are taken as independent, and a frame has the whole mesh: the fewer modes, the more that shows.
     */
    double force;
} kind;

static const kind condensed = {"exponential", "reduce: {modes: 40, contact: condensed}", 2e-3},
                  alone = {"exponential", "reduce: {modes: 8, contact: none}", 1e-8},
                  by_event = {"event", "reduce: {modes: 8, contact: none}", 1e-8},
                  attached = {"event", "reduce: {modes: 8, contact: attachment}", 0.07},
                  smooth = {"smooth", "reduce: {modes: 8, contact: none}", 1e-8},
                  rk4 = {"rk4", "reduce: {modes: 8, contact: none}", 1e-8},
                  whole = {"explicit", "reduce: none", 0.05}; /* its forces are those over a step */

static slip_model *parse(slip_context *ctx, const kind *k, const char *more)
{
    static const char outline[] =
        "module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03, backlash: 2e-5, element: full",
                      mesh[] = "mesh: {flank: 2, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}";
    static const struct {
        const char *name, *turn;
        int teeth;
    } bodies[] = {{"right", "last", 13}, {"left", "first", 15}, {"middle", "idler", 12}};
    char text[4000] = "slipstick: 1\nparameters: {torque: 2, stiff: 1e8}\ncoordinates: [first, idler, last]\n"
                      "mass: {diagonal: [1e-4, 0, 1e-4]}\nforces: {first: torque}\nbodies:\n";
    slip_model *model = NULL;
    for (int i = 0; i < 3; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "  %s: {gear: {teeth: %d, %s}, %s, turn: %s, %s}\n", bodies[i].name, bodies[i].teeth,
                 outline, mesh, bodies[i].turn, k->reduce);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "contacts:\n  driving: {kind: flanks, between: [left, middle], penalty: stiff}\n"
             "  driven: {kind: flanks, between: [middle, right], penalty: 1e8, sense: -1, direction: 0.4}\n"
             "outputs: {between: last - first}\n"
             "simulate: {time: [0, 6e-5], method: %s%s, initial: {first': 5}, record: {points: 31}%s}\n",
             k->method,
             strcmp(k->method, "rk4") == 0           ? ", step: 5e-8"
             : strcmp(k->method, "exponential") == 0 ? ", step: 2e-8"
                                                     : "",
             more);
    if (slip_model_parse(ctx, text, "train.yaml", NULL, &model) < 0)
        fail_msg("%s\n%s", slip_context_message(ctx), text);
    return model;
}

/* ---- Frames. */

/* The contact of whole meshes. */
typedef struct judge {
    const slip_train *train;
    slip_gear_mesh *mesh[3];
    slip_flank_surface *surfaces[3];
    double *rest[3], *force[3];
    int count, stop_at, touching;
    double worst, largest, stress, time;
} judge;

static void judge_create(slip_context *ctx, const slip_model *model, judge *j)
{
    j->train = model->bodies->train;
    for (int b = 0; b < 3; b++) {
        assert_int_equal(slip_gear_mesh_create(ctx, &j->train->bodies[b].gear, &j->mesh[b]), SLIP_OK);
        const size_t nodes = (size_t)j->mesh[b]->mesh->node_count;
        j->rest[b] = calloc(3 * nodes, sizeof(double));
        j->force[b] = calloc(3 * nodes, sizeof(double));
        j->surfaces[b] = calloc(2 * (size_t)j->train->bodies[b].gear.teeth, sizeof *j->surfaces[b]);
        assert_int_equal(slip_tooth_surfaces(ctx, j->mesh[b], j->surfaces[b]), SLIP_OK);
    }
}

static void judge_destroy(judge *j)
{
    for (int b = 0; b < 3; b++) {
        slip_gear_mesh_destroy(j->mesh[b]);
        free(j->rest[b]);
        free(j->force[b]);
        free(j->surfaces[b]);
    }
}

/* The forces by the penalty, of the nodes where the frame has them, are those of the run. */
static int see_frame(void *user, slip_context *ctx, const slip_gear_frame *frame)
{
    judge *j = user;
    double sum = 0;
    assert_int_equal(frame->number, j->count++);
    assert_int_equal(frame->gear_count, 3);
    assert_int_equal(frame->mesh_count, 2);
    for (int m = 0; m < 2; m++) {
        const slip_train_mesh *mesh = &j->train->meshes[m];
        slip_tooth_wheel wheels[2];
        slip_flank_pair pairs[slip_tooth_pairs_max];
        slip_flank_totals totals;
        slip_flank_state state[2];
        slip_flank_contact *contact = NULL;
        const slip_flank_surface *surfaces[2];
        int counts[2];
        for (int k = 0; k < 2; k++) {
            const int b = mesh->side[k].body;
            const slip_gear_shown *gear = &frame->gears[b];
            slip_gear_geometry g;
            assert_int_equal(gear->node_count, j->mesh[b]->mesh->node_count);
            assert_int_equal(slip_gear_measure(ctx, &j->train->bodies[b].gear, &g), SLIP_OK);
            wheels[k] = (slip_tooth_wheel){.teeth = j->train->bodies[b].gear.teeth,
                                           .tip_radius = g.tip_radius,
                                           .centre = {gear->centre[0], gear->centre[1]},
                                           .angle = gear->angle};
            memset(j->force[b], 0, 3 * sizeof(double) * (size_t)gear->node_count);
            state[k] = (slip_flank_state){gear->position, j->rest[b], j->force[b]};
            surfaces[k] = j->surfaces[b];
            counts[k] = 2 * wheels[k].teeth;
            for (int i = 0; i < gear->node_count; i++)
                j->stress = fmax(j->stress, gear->stress[i]);
        }
        /* The pitch point is as far from the axes as the teeth say. */
        const double r0 = hypot(frame->pitch[m][0] - wheels[0].centre[0],
                                frame->pitch[m][1] - wheels[0].centre[1]),
                     r1 = hypot(frame->pitch[m][0] - wheels[1].centre[0],
                                frame->pitch[m][1] - wheels[1].centre[1]);
        assert_close(r0 / r1, (double)wheels[0].teeth / wheels[1].teeth, 1e-12);
        assert_close(r0 + r1, mesh->options.distance, 1e-12);
        slip_flank_options options = slip_flank_options_default();
        options.penalty = 1e8;
        assert_int_equal(slip_flank_contact_create(ctx, &options, counts, surfaces, &contact), SLIP_OK);
        slip_flank_contact_apply(contact, slip_tooth_pairs_find(wheels, pairs), pairs, state, &totals);
        slip_flank_contact_destroy(contact);
        sum += totals.normal_force;
    }
    j->worst = fmax(j->worst, fabs(sum - frame->force));
    j->largest = fmax(j->largest, frame->force);
    j->touching += sum > 0;
    j->time = frame->time;
    if (j->count == j->stop_at)
        slip_context_interrupt(ctx);
    return SLIP_OK;
}

static void frames_are_those_of_the_motion(void **state)
{
    static const kind *const kinds[] = {&condensed, &alone, &by_event, &attached, &smooth, &rk4, &whole};
    slip_context *ctx = slip_context_create();
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        slip_model *model = parse(ctx, kinds[k], "");
        slip_opening opening = {.run = slip_run_options_default(), .whole = true};
        slip_job job = {0};
        judge j = {0};
        judge_create(ctx, model, &j);
        assert_int_equal(slip_job_open(ctx, model, &opening, &job), SLIP_OK);
        assert_int_equal(slip_gear_film_create(ctx, job.system, 6, see_frame, &j, &job.film), SLIP_OK);
        if (slip_job_go(&job) < 0)
            fail_msg("%s", slip_context_message(ctx));
        assert_int_equal(j.count, 6);
        assert_close(j.time, 6e-5, 2e-7);
        if (!(j.touching >= 2 && j.largest > 100 && j.stress > 1e5))
            fail_msg("%s, %s: %d frames with contact, %g N, %g Pa", kinds[k]->method, kinds[k]->reduce,
                     j.touching, j.largest, j.stress);
        if (!(j.worst <= kinds[k]->force * j.largest))
            fail_msg("%s, %s: the force of a frame is off by %g of %g N", kinds[k]->method, kinds[k]->reduce,
                     j.worst, j.largest);
        slip_gear_film_destroy(job.film);
        slip_job_close(&job);
        judge_destroy(&j);
        slip_model_destroy(model);
    }
    slip_context_destroy(ctx);
}

/* ---- Runs in folders. */

typedef struct stop {
    slip_context *ctx;
    double at; /* when the run is interrupted; NAN: never */
} stop;

static int see_step(void *user, double t, const double *q, const double *v)
{
    const stop *s = user;
    (void)q, (void)v;
    if (t > s->at)
        slip_context_interrupt(s->ctx);
    return SLIP_OK;
}

static slip_result *run_in(slip_context *ctx, const slip_model *model, const char *folder, double stop_at,
                           bool resume, bool pictures, int expected)
{
    slip_run_options options = slip_run_options_default();
    slip_run_gears_options gears = slip_run_gears_options_default();
    slip_result *r = NULL;
    stop s = {ctx, stop_at};
    gears.folder = folder;
    gears.resume = resume;
    gears.pictures = pictures;
    options.gears = &gears;
    options.step_observer = see_step;
    options.observer_user = &s;
    const int status = slip_run(ctx, model, &options, &r);
    if (status != expected)
        fail_msg("%d: %s", status, slip_context_message(ctx));
    return r;
}

static int count_in(const char *folder, const char *name, const char *word)
{
    char path[test_path_size];
    FILE *in = fopen(test_path(path, folder, name), "rb");
    static char text[20000];
    int count = 0;
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

/* A file for each frame with a piece for each gear, and a picture. */
static void frames_are_written(void **state)
{
    static const kind *const kinds[] = {&by_event, &whole};
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_context *ctx = slip_context_create();
        char folder[test_path_size], frames[test_path_size];
        slip_model *model = parse(ctx, kinds[k], ", frames: 3");
        test_folder_make(folder);
        slip_result_destroy(run_in(ctx, model, folder, NAN, false, k == 1, SLIP_OK));
        test_path(frames, folder, "frames");
        assert_int_equal(count_in(frames, "frame-0002.vtu", "<Piece "), 3);
        assert_int_equal(count_in(frames, "frames.pvd", "<DataSet "), 3);
        assert_int_equal(test_file_size(frames, "frame-0003.vtu"), -1);
        assert_true(k == 0 || test_file_size(frames, "frame-0001.png") > 20000);
        slip_model_destroy(model);
        test_folder_remove(folder);
        slip_context_destroy(ctx);
    }
}

static void compare(const slip_result *a, const slip_result *b)
{
    int64_t count, other;
    for (int i = 0; slip_result_series_name(a, i); i++) {
        const char *name = slip_result_series_name(a, i);
        const double *x = slip_result_series(a, name, &count), *y = slip_result_series(b, name, &other);
        assert_int_equal(count, other);
        if (memcmp(x, y, sizeof *x * (size_t)count) != 0)
            fail_msg("%s differs", name);
    }
    static const char *const names[] = {
        "steps",          "peak_force",   "contact_time",           "max.first'",
        "momentum.idler", "energy.drift", "energy.balance",         "max.between",
        "residual",       "max.last''",   "contacts.driven.normal", "final.last"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const double x = slip_result_number(a, names[i]), y = slip_result_number(b, names[i]);
        if (!(x == y))
            fail_msg("%s: %.17g and %.17g", names[i], x, y);
    }
    slip_gear_participation p = slip_gear_result_participation(a, "middle"),
                            q = slip_gear_result_participation(b, "middle");
    assert_true(p.samples == count && p.surface == q.surface && p.size == q.size);
    assert_memory_equal(p.amplitude, q.amplitude, sizeof(double) * (size_t)(p.samples * p.size));
}

/* A run that is interrupted goes on from its checkpoint with the same bits; one of another train does not
 * take it. */
static void runs_go_on_from_checkpoints(void **state)
{
    slip_context *ctx = slip_context_create();
    char folders[2][test_path_size], frames[test_path_size];
    slip_model *model = parse(ctx, &whole, ", frames: 4, history: true"),
               *other = parse(ctx, &whole, ", frames: 4, history: true, hourglass: 0.1");
    (void)state;
    for (int i = 0; i < 2; i++)
        test_folder_make(folders[i]);
    slip_result *straight = run_in(ctx, model, folders[0], NAN, false, false, SLIP_OK);
    slip_result *part = run_in(ctx, model, folders[1], 2.5e-5, false, false, SLIP_INTERRUPTED);
    assert_non_null(part);
    slip_result_destroy(part);
    assert_true(test_file_size(folders[1], "checkpoint.h5") > 0);
    slip_context_destroy(ctx);
    ctx = slip_context_create();
    run_in(ctx, model, folders[1], NAN, false, false, SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "--resume"));
    run_in(ctx, other, folders[1], NAN, true, false, SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "found `simulate.hourglass: 0` in it"));
    slip_result *resumed = run_in(ctx, model, folders[1], NAN, true, false, SLIP_OK);
    compare(straight, resumed);
    test_path(frames, folders[1], "frames");
    assert_int_equal(count_in(frames, "frames.pvd", "<DataSet "), 4);
    slip_result_destroy(straight);
    slip_result_destroy(resumed);
    slip_model_destroy(model);
    slip_model_destroy(other);
    for (int i = 0; i < 2; i++)
        test_folder_remove(folders[i]);
    slip_context_destroy(ctx);
}

/* ---- Simulations. */

/* Saved in contact, it goes on with the same bits in the simulation and in another one. */
static void simulations_go_on_with_the_same_bits(void **state)
{
    static const kind *const kinds[] = {&condensed, &alone, &by_event, &attached, &smooth, &rk4, &whole};
    static const char *const names[] = {"first", "idler'", "last'", "driving.normal", "driven.normal"};
    enum { count = sizeof names / sizeof *names };
    slip_context *ctx = slip_context_create();
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        slip_model *model = parse(ctx, kinds[k], "");
        slip_simulation *s[2] = {0};
        slip_saved_state *kept = NULL;
        double end[3][count];
        for (int i = 0; i < 2; i++)
            assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s[i]), SLIP_OK);
        assert_int_equal(slip_simulation_advance(ctx, s[0], 2e-5), SLIP_OK);
        assert_true(slip_simulation_number(s[0], "driving.normal") > 0);
        assert_int_equal(slip_simulation_save(ctx, s[0], &kept), SLIP_OK);
        for (int i = 0; i < 3; i++) {
            slip_simulation *own = s[i / 2];
            if (i > 0)
                assert_int_equal(slip_simulation_restore(ctx, own, kept), SLIP_OK);
            assert_int_equal(slip_simulation_advance(ctx, own, 2.5e-5), SLIP_OK);
            for (int n = 0; n < count; n++)
                end[i][n] = slip_simulation_number(own, names[n]);
        }
        for (int i = 1; i < 3; i++)
            for (int n = 0; n < count; n++)
                if (end[i][n] != end[0][n])
                    fail_msg("%s, %s: %s is %.17g and %.17g", kinds[k]->method, kinds[k]->reduce, names[n],
                             end[i][n], end[0][n]);
        slip_saved_state_destroy(kept);
        for (int i = 0; i < 2; i++)
            slip_simulation_close(s[i]);
        slip_model_destroy(model);
    }
    slip_context_destroy(ctx);
}

/* Of gears that a method of their own moves only torques follow a parameter: the rest is not taken over in
 * silence. */
static void other_settings_are_refused(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = parse(ctx, &alone, "");
    slip_simulation *s = NULL;
    (void)state;
    assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_OK);
    assert_int_equal(slip_simulation_input(s, "torque", 3), SLIP_OK);
    assert_int_equal(slip_simulation_advance(ctx, s, 1e-6), SLIP_OK);
    assert_int_equal(slip_simulation_input(s, "stiff", 2e8), SLIP_OK);
    assert_int_equal(slip_simulation_advance(ctx, s, 2e-6), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "found `contacts.driving.penalty: 200000000`"));
    slip_simulation_close(s);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* Keys that the method does not read. */
static void unread_keys_are_refused(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = parse(ctx, &by_event, ", history: true");
    (void)state;
    assert_int_equal(slip_run_check(ctx, model, NULL), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "simulate.history: found with method event"));
    slip_model_destroy(model);
    model = parse(ctx, &alone, ", hourglass: 0.1");
    assert_int_equal(slip_run_check(ctx, model, NULL), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "expected explicit"));
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_those_of_the_motion),
        cmocka_unit_test(frames_are_written),
        cmocka_unit_test(runs_go_on_from_checkpoints),
        cmocka_unit_test(simulations_go_on_with_the_same_bits),
        cmocka_unit_test(other_settings_are_refused),
        cmocka_unit_test(unread_keys_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
