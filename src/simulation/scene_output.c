/* The outputs of a model at a static state: everything is at rest there, and contact forces are those of the
 * state. */
#include "simulation/scene.h"

#include <string.h>

int slip_scene_output_count(const slip_scene *scene)
{
    const slip_outputs *outputs = &scene->model->outputs;
    return scene->model->plane ? 0 : outputs->count - outputs->state_count;
}

const char *slip_scene_output_name(const slip_scene *scene, int k)
{
    return scene->model->outputs.list[scene->model->outputs.state_count + k].name;
}

int slip_scene_outputs(const slip_scene *scene, double value, const slip_scene_state *state, double *values)
{
    const bool bound = scene->parameter_name && value != scene->value;
    const slip_system *system = scene->model->system;
    const int n = system->n, m = (int)system->contact_count;
    SLIP_FREED_BY(slip_model_drop) slip_model *other = NULL;
    slip_output_room room;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    if (slip_scene_output_count(scene) == 0)
        return SLIP_OK;
    const int states = system->state_count, coordinates = slip_system_coordinates(system);
    double *numbers = slip_arena_array(
        &arena, 3 * (int64_t)n + 4 * (int64_t)m + scene->model->outputs.count + 1, sizeof *numbers);
    double *all = numbers + 3 * n + 4 * m;
    slip_patch_state *patches = slip_arena_array(&arena, system->patch_count + 1, sizeof *patches);
    SLIP_PASS(slip_allocated(scene->ctx, numbers && patches &&
                                             slip_output_room_create(&room, &arena, &scene->model->outputs)));
    if (bound)
        SLIP_PASS(slip_model_bind_one(scene->ctx, scene->model, scene->parameter_name, value, &other));
    slip_sample sample = {.q = numbers,
                          .v = numbers + n,
                          .a = numbers + 2 * n,
                          .slip = numbers + 3 * n,
                          .normal = numbers + 3 * n + m,
                          .force = numbers + 3 * n + 2 * m,
                          .mode = numbers + 3 * n + 3 * m,
                          .patches = patches};
    for (int i = 0; i < n; i++)
        (i < coordinates ? sample.q : sample.v)[i] = state->q[i];
    for (int c = 0; c < scene->shape.contact_count; c++) {
        const int to = scene->model_contacts[c];
        const slip_scene_contact *of = &state->contacts[c];
        const slip_contact *contact = &system->contacts[to];
        const bool drives = slip_scene_drives(scene, c); /* else the slip velocity is zero */
        sample.normal[to] = of->normal;
        sample.force[to] = of->tangential;
        sample.slip[to] = drives ? of->slip : 0;
        sample.mode[to] = state->modes[c];
        for (int k = 0; k < contact->shown / 2; k++) {
            patches[contact->vector].slip[k] = drives ? of->plane[k] : 0;
            patches[contact->vector].force[k] = of->plane[3 + k];
        }
    }
    slip_outputs_find(other ? &other->outputs : &scene->model->outputs, &room, coordinates, m,
                      system->patch_count, slip_scene_time(scene->model), &sample, all);
    memcpy(values, all + states, (size_t)slip_scene_output_count(scene) * sizeof *values);
    return SLIP_OK;
}
