/* Frames of two gears: the VTU files hold the motion, the pictures are there. */
#include "gear_test.h"

#include "gear/gear_impact.h"
#include "gear/geometry/gear_mesh.h"
#include "slipstick/gear_run.h"
#include "test_folder.h"

#include <string.h>

static void small_gears(slip_gear_options gears[2])
{
    for (int k = 0; k < 2; k++) {
        gears[k] = gear_small(k ? "wheel" : "pinion", k ? 15 : 12);
        gears[k].backlash = 0;
        gears[k].mesh = (slip_gear_mesh_options){6, 2, 3, 2, 2, 1};
    }
}

static char *read_whole(const char *folder, const char *name, size_t *size)
{
    char path[test_path_size];
    FILE *in = fopen(test_path(path, folder, name), "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    char *text = calloc(*size + 1, 1);
    assert_int_equal(fread(text, 1, *size, in), *size);
    fclose(in);
    return text;
}

/* The first array of that name: those of the first gear. To be freed. */
static double *read_array(const char *text, size_t size, const char *name, int64_t *count)
{
    char wanted[60];
    uint64_t bytes;
    snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
    const char *header = strstr(text, wanted), *data = strstr(text, "<AppendedData");
    assert_true(header && data);
    long offset = strtol(strstr(header, "offset=\"") + 8, NULL, 10);
    data = strchr(data, '_') + 1 + offset;
    memcpy(&bytes, data, sizeof bytes);
    assert_true(data + sizeof bytes + bytes <= text + size);
    double *values = malloc(bytes);
    memcpy(values, data + sizeof bytes, bytes);
    *count = (int64_t)(bytes / sizeof(double));
    return values;
}

static void count_path(void *user, const char *path)
{
    int *count = user;
    assert_non_null(strstr(path, "frame-000"));
    ++*count;
}

static void frames_of_an_impact(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_gear_options gears[2];
    slip_gear_animation *animation = NULL;
    slip_result *result = NULL;
    slip_gear_mesh *mesh = NULL;
    char folder[test_path_size];
    int pictures = 0;
    test_folder_make(folder);
    small_gears(gears);
    slip_gear_run_options o = slip_gear_run_options_default();
    o.method = "explicit";
    o.side[0].speed = 5;
    o.penalty = 1e9;
    o.time = 6e-5;
    o.samples = 11;
    o.threads = 1;
    o.frames = 3;
    assert_int_equal(slip_gear_animation_create(ctx, 2, gears, &o, folder, &animation), SLIP_OK);
    assert_int_equal(slip_gear_run(ctx, gears, NULL, &o, &result), SLIP_OK);
    if (slip_gear_animation_finish(ctx, animation, 1, count_path, &pictures) != SLIP_OK)
        fail_msg("%s", slip_context_message(ctx));
    assert_int_equal(pictures, 3);
    assert_true(test_file_size(folder, "frame-0001.png") > 20000);
    /* Nothing else is left. */
    assert_int_equal(test_file_size(folder, "frames.dat"), -1);
    assert_int_equal(test_file_size(folder, "frame-0001.svg"), -1);
    /* The elastic displacement: zero at the bore and at the start, micrometres at the teeth. */
    assert_int_equal(slip_gear_mesh_create(ctx, &gears[0], &mesh), SLIP_OK);
    const slip_mesh_set *bore = slip_mesh_find(mesh->mesh, "bore", SLIP_SET_NODES);
    for (int frame = 0; frame < 2; frame++) {
        size_t size;
        int64_t counts[2];
        double largest = 0, stress = 0;
        char *text = read_whole(folder, frame ? "frame-0001.vtu" : "frame-0000.vtu", &size);
        double *u = read_array(text, size, "displacement", &counts[0]),
               *mises = read_array(text, size, "von_mises", &counts[1]);
        assert_true(counts[0] == 3 * mesh->mesh->node_count && counts[1] == mesh->mesh->node_count);
        for (int64_t i = 0; i < counts[0]; i++)
            largest = fmax(largest, fabs(u[i]));
        for (int64_t i = 0; i < counts[1]; i++)
            stress = fmax(stress, mises[i]);
        for (int i = 0; i < 3 * bore->count; i++)
            assert_close(u[3 * bore->items[i / 3] + i % 3], 0, 1e-15);
        assert_true(frame ? largest > 1e-7 && largest < 1e-4 : largest < 1e-15);
        assert_true(frame ? stress > 1e6 : stress < 1e4);
        free(u);
        free(mises);
        free(text);
    }
    size_t size;
    char *list = read_whole(folder, "frames.pvd", &size);
    assert_non_null(strstr(list, "<DataSet timestep=\"0\" file=\"frame-0000.vtu\"/>"));
    assert_non_null(strstr(list, "file=\"frame-0002.vtu\"/>"));
    free(list);
    slip_gear_mesh_destroy(mesh);
    slip_gear_animation_destroy(animation);
    slip_result_destroy(result);
    slip_context_destroy(ctx);
    test_folder_remove(folder);
}

/* ---- Reduced gears. */

/* The contact of whole meshes, to judge frames by. */
typedef struct judge {
    slip_gear_impact *g;
    double *rest[2];
    int count, touching;
    double worst, largest; /* difference of forces, and the largest of them */
} judge;

/* The force by the penalty, of the nodes where the frame has them, is that of the run. */
static int see_frame(void *user, slip_context *ctx, const slip_gear_frame *frame)
{
    judge *j = user;
    slip_impact_mesh *mesh = &j->g->meshes[0];
    slip_flank_pair pairs[slip_tooth_pairs_max];
    slip_flank_totals totals;
    slip_flank_state state[2];
    (void)ctx;
    assert_int_equal(frame->number, j->count++);
    for (int k = 0; k < 2; k++) {
        const slip_gear_shown *gear = &frame->gears[k];
        mesh->wheels[k].angle = gear->angle;
        memset(mesh->force[k], 0, 3 * sizeof(double) * (size_t)gear->node_count);
        state[k] = (slip_flank_state){gear->position, j->rest[k], mesh->force[k]};
    }
    slip_flank_contact_apply(mesh->contact, slip_tooth_pairs_find(mesh->wheels, pairs), pairs, state,
                             &totals);
    j->worst = fmax(j->worst, fabs(totals.normal_force - frame->force));
    j->largest = fmax(j->largest, frame->force);
    j->touching += totals.touching > 0;
    return SLIP_OK;
}

static void frames_of_reduced_gears(void **state)
{
    static const char *const reductions[] = {"none", "all", "switch", "condensed"};
    static const double tolerances[] = {1e-8, 1e-8, 1e-8, 1e-3};
    slip_context *ctx = slip_context_create();
    slip_reduce_options reduce = slip_reduce_options_default();
    slip_gear_options gears[2];
    slip_reduced *bodies[2];
    (void)state;
    small_gears(gears);
    for (int k = 0; k < 2; k++) {
        gears[k].modes = 12;
        assert_int_equal(slip_gear_reduce(ctx, &gears[k], &reduce, &bodies[k]), SLIP_OK);
    }
    const slip_reduced *const both[2] = {bodies[0], bodies[1]};
    for (int r = 0; r < 4; r++) {
        slip_gear_run_options o = slip_gear_run_options_default();
        slip_result *result = NULL;
        judge j = {0};
        o.side[0].speed = 5;
        o.side[0].reduction = o.side[1].reduction = reductions[r];
        o.side[0].modes = 8; /* the others go into the attachment vectors */
        o.penalty = 1e9;
        o.time = 4e-5;
        o.step = 1e-8;
        o.samples = 11;
        o.frames = 6;
        o.frame = see_frame;
        o.frame_user = &j;
        gear_pair_group pair;
        slip_gear_run_options whole = o;
        whole.step = 0;
        assert_int_equal(slip_gear_impact_create(ctx, gear_group(&pair, gears, NULL, &whole), &whole, NULL,
                                                 NULL, NULL, &j.g),
                         SLIP_OK);
        for (int k = 0; k < 2; k++)
            j.rest[k] = calloc(3 * (size_t)j.g->mesh[k]->mesh->node_count, sizeof(double));
        if (slip_gear_run(ctx, gears, both, &o, &result) != SLIP_OK)
            fail_msg("%s", slip_context_message(ctx));
        assert_int_equal(j.count, 6);
        assert_true(j.touching >= 4 && j.largest > 100);
        if (!(j.worst <= tolerances[r] * j.largest))
            fail_msg("%s: the force of a frame is off by %g of %g N", reductions[r], j.worst, j.largest);
        slip_result_destroy(result);
        slip_gear_impact_destroy(j.g);
        free(j.rest[0]);
        free(j.rest[1]);
    }
    slip_reduced_destroy(bodies[0]);
    slip_reduced_destroy(bodies[1]);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_an_impact),
        cmocka_unit_test(frames_of_reduced_gears),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
