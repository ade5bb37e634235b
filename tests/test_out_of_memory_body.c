/* Every allocation of elastic bodies fails once, and of gears among them: reading, reducing, runs, modes,
 * statics. */
#include "out_of_memory.h"

#define SHORT(end) "simulate.time=[0, " end "]", "simulate.record={points: 3}"

static int modes(slip_context *ctx, slip_model *model, const char *about, memory_answer *answer)
{
    slip_modes_options options = slip_modes_options_default();
    slip_result *result = NULL;
    options.about = about;
    options.count = 6;
    const int status = slip_modes_solve(ctx, model, &options, &result);
    return memory_finish(ctx, status, &result, answer);
}

static int follow(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    slip_continue_options options = slip_continue_options_default();
    slip_result *result = NULL;
    (void)unused;
    options.spacing = 0.5;
    options.restarts = 0;
    const int status = slip_continue(ctx, model, &options, &result);
    return memory_finish(ctx, status, &result, answer);
}

static int from_file(slip_context *ctx, slip_model *model, const char *name, memory_answer *answer)
{
    char path[test_path_size];
    (void)model;
    slip_model *read = NULL;
    slip_result *result = NULL;
    int status = slip_model_load(ctx, test_path(path, SLIPSTICK_SOURCE_DIR, name), &read);
    if (status >= 0)
        status = slip_modes_solve(ctx, read, NULL, &result);
    status = memory_finish(ctx, status, &result, answer);
    slip_model_destroy(read);
    return status;
}

static int pieces(slip_context *ctx, slip_model *model, const char *gear, memory_answer *answer)
{
    slip_pieces *found = NULL;
    const int status = slip_pieces_create(ctx, model, gear, &found);
    answer_number(answer, (double)slip_pieces_size(found).unknowns);
    slip_pieces_destroy(found);
    return status;
}

/* Displacements, stresses and compliance of bodies at rest, in a file and as a picture. */
static int looks(slip_context *ctx, slip_model *model, const char *unused, memory_answer *answer)
{
    static double u[2000], stress[4000], compliance[100 * 100], gap[100];
    char path[test_path_size], folder[test_path_size];
    slip_contact_point point;
    (void)unused;
    double energy = 0;
    int status = slip_bodies_point(ctx, model, 0, &point);
    if (status >= 0)
        status = slip_bodies_condense(ctx, model, compliance, gap);
    if (status >= 0)
        status = slip_bodies_displacements(ctx, model, NULL, u);
    if (status >= 0)
        status = slip_bodies_stresses(ctx, model, u, stress, &energy);
    if (status >= 0)
        status = slip_bodies_save_vtu(ctx, model, u, NULL,
                                      test_path(path, test_path(folder, memory_base, "out"), "bodies.vtu"));
    if (status >= 0)
        status = slip_bodies_plot(ctx, model, u, NULL, folder, "bodies");
    answer_number(answer, energy);
    answer_number(answer, stress[0]);
    return status;
}

static const memory_job bodies[] = {
    {"block on a belt", "pad-on-belt",
     SETTINGS(SHORT("0.01"), "bodies.pad.mesh.block.elements=[4, 2]", "bodies.pad.reduce.modes=4"),
     memory_run, NULL, memory_whole},
    {"modes of a block on a belt", "pad-on-belt",
     SETTINGS(SHORT("0.01"), "bodies.pad.mesh.block.elements=[4, 2]", "bodies.pad.reduce.modes=4"), modes,
     "sliding", memory_whole},
    {"block by event", "pad-on-belt",
     SETTINGS(SHORT("0.01"), "bodies.pad.mesh.block.elements=[4, 2]", "bodies.pad.reduce.modes=4"),
     memory_run, "event", memory_whole},
    {"pad on springs", "sprung-pad",
     SETTINGS(SHORT("0.01"), "bodies.pad.mesh.block.elements=[4, 2]", "bodies.pad.reduce.modes=4"),
     memory_run, NULL, memory_whole},
    {"condensed block", "yielding-shoe",
     SETTINGS(SHORT("0.01"), "bodies.shoe.mesh.block.elements=[4, 2]", "bodies.shoe.reduce.modes=4"),
     memory_run, NULL, memory_whole},
    {"whole block", "detachment-waves", SETTINGS(SHORT("0.01"), "bodies.block.mesh.block.elements=[6, 2]"),
     memory_run, NULL, memory_whole},
    {"modes of a whole block", "detachment-waves",
     SETTINGS(SHORT("0.01"), "bodies.block.mesh.block.elements=[6, 2]"), modes, "static", memory_whole},
    {"large sliding", "sliding-block",
     SETTINGS(SHORT("0.01"), "bodies.block.mesh.block.elements=[3, 2]",
              "bodies.foundation.mesh.block.elements=[4, 1]"),
     memory_run, NULL, memory_whole},
    {"solid pad", "solid-pad",
     SETTINGS(SHORT("0.002"), "bodies.pad.mesh.block.elements=[2, 2, 1]", "bodies.pad.reduce.modes=4"),
     memory_run, NULL, memory_whole},
    {"modes of a solid pad", "solid-pad",
     SETTINGS(SHORT("0.002"), "bodies.pad.mesh.block.elements=[2, 2, 1]", "bodies.pad.reduce.modes=4"), modes,
     "sliding", memory_whole},
    {"stacked solids", "stacked-blocks",
     SETTINGS(SHORT("0.005"), "bodies.upper.mesh.block.elements=[2, 1, 1]",
              "bodies.lower.mesh.block.elements=[2, 2, 1]"),
     memory_run, NULL, memory_whole},
    {"arm that turns", "hinged-arm",
     SETTINGS(SHORT("0.01"), "bodies.arm.mesh.block.elements=[4, 1]", "bodies.arm.reduce.modes=3"),
     memory_run, NULL, memory_whole},
    {"arm by event", "hinged-arm",
     SETTINGS(SHORT("0.01"), "bodies.arm.mesh.block.elements=[4, 1]", "bodies.arm.reduce.modes=3"),
     memory_run, "event", memory_whole},
    {"large strains", "thrown-bar", SETTINGS(SHORT("0.001"), "bodies.bar.mesh.block.elements=[4, 1, 1]"),
     memory_run, NULL, memory_whole},
    {"matrices", NULL, NULL, from_file, "examples/beam/beam.yaml", memory_whole},
    {"statics of blocks", "two-blocks",
     SETTINGS("bodies.upper.mesh.block.elements=[3, 1]", "bodies.lower.mesh.block.elements=[3, 1]"),
     memory_statics, NULL, memory_whole},
    {"path of blocks", "two-blocks",
     SETTINGS("bodies.upper.mesh.block.elements=[3, 1]", "bodies.lower.mesh.block.elements=[3, 1]",
              "continue.range=[0.2, 0.6]", "continue.quantity=joint[1].slip"),
     follow, NULL, memory_whole},
    {"looks at blocks", "two-blocks",
     SETTINGS("bodies.upper.mesh.block.elements=[3, 1]", "bodies.lower.mesh.block.elements=[3, 1]"), looks,
     NULL, memory_pieces},
    {"pieces", "sliding-block",
     SETTINGS("bodies.block.mesh.block.elements=[3, 2]", "bodies.foundation.mesh.block.elements=[4, 1]"),
     pieces, NULL, memory_whole},
};
MEMORY_TESTS(bodies)

/* ---- Gears as bodies of a train. */

#define OUTLINE "module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03, backlash: 1e-4"
#define MESH "mesh: {flank: 2, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}"
#define TRAIN(reduce)                                                                                        \
    "slipstick: 1\ncoordinates: [first, idler]\nmass: {diagonal: [1e-4, 0]}\nforces: {idler: -3}\nbodies:\n" \
    "  left: {gear: {teeth: 12, " OUTLINE "}, " MESH ", turn: first, " reduce "}\n"                          \
    "  middle: {gear: {teeth: 15, " OUTLINE "}, " MESH ", turn: idler, " reduce "}\n"                        \
    "contacts: {mesh: {kind: flanks, between: [left, middle], penalty: 1e9}}\n"
#define BY(method)                                                                                           \
    "simulate: {time: [0, 2e-7], method: " method ", initial: {first': 5}, record: {points: 3}}\n"
#define SMALL "reduce: {modes: 4, contact: "
#define DAMPED "}, damping: {modes: 1e-9, static: 1e-7}"

static const char train_event[] = TRAIN(SMALL "none" DAMPED) BY("event");
static const char train_rk4[] = TRAIN(SMALL "none" DAMPED) BY("rk4, step: 1e-8");
static const char train_condensed[] = TRAIN(SMALL "condensed" DAMPED) BY("exponential");
static const char train_attached[] = TRAIN(SMALL "attachment" DAMPED) BY("event");
static const char train_whole[] = TRAIN("reduce: none") BY("explicit");

static const memory_job trains[] = {
    {"train by event", train_event, NULL, memory_run, NULL, memory_whole},
    {"train by rk4", train_rk4, NULL, memory_run, NULL, memory_whole},
    {"train by exponential", train_condensed, NULL, memory_run, NULL, memory_whole},
    {"train, attachment", train_attached, NULL, memory_run, NULL, memory_whole},
    {"train by explicit", train_whole, NULL, memory_run, NULL, memory_whole},
    {"modes of a train", train_event, NULL, modes, "rest", memory_whole},
    {"pieces of a gear", "gear-impact",
     SETTINGS("gears.pinion.mesh={flank: 2, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}"), pieces,
     "pinion", memory_whole},
};
MEMORY_TESTS(trains)

int main(void)
{
    return memory_run_tests((const struct CMUnitTest[]){cmocka_unit_test(every_path_of_bodies),
                                                        cmocka_unit_test(every_path_of_trains)},
                            2, 2);
}
