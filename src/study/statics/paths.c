#include "study/statics/paths.h"
#include "study/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Columns. */

static const char *const contact_parts[] = {"normal", "tangential", "gap", "slip", "mode"};
enum { part_count = sizeof contact_parts / sizeof *contact_parts };

static int add_column(slip_context *ctx, slip_table *table, const char *group, const char *name,
                      const char *part, const char *unit, const char *const *words)
{
    char full[200], place[260];
    snprintf(full, sizeof full, "%.100s%s%s", name, part ? "." : "", part ? part : "");
    snprintf(place, sizeof place, "%s/%.100s%s%s", group, name, part ? "/" : "", part ? part : "");
    return slip_table_add(ctx, table, &(slip_column_info){full, unit, place, words});
}

/* The unit that a model without bodies gives to a series of its runs; NULL: none. */
static const char *unit_of(const slip_scene *scene, int series)
{
    const slip_outputs *outputs = &scene->model->outputs;
    return !scene->model->plane && series < outputs->series_count ? outputs->units[series] : NULL;
}

int slip_scene_add_columns(slip_context *ctx, const slip_scene *scene, slip_table *table,
                           const char *const *modes)
{
    const slip_outputs *outputs = &scene->model->outputs;
    const int n = scene->model->plane ? 0 : slip_system_coordinates(scene->model->system);
    for (int i = 0; i < scene->coordinate_count; i++)
        SLIP_PASS(add_column(ctx, table, i < n ? "q" : "state", scene->model->system->names[i], NULL,
                             unit_of(scene, i < n ? slip_series_coordinate(i, 0)
                                                  : outputs->series_count - outputs->count + i - n),
                             NULL));
    for (int c = 0; c < scene->shape.contact_count; c++) {
        for (int j = 0; j < part_count; j++) /* normal and tangential force are parts 1 and 2 of runs */
            SLIP_PASS(add_column(ctx, table, "contact", scene->contact_names[c], contact_parts[j],
                                 j < 2 ? unit_of(scene, slip_series_contact(n, c, j + 1)) : NULL,
                                 j == part_count - 1 ? modes : NULL));
        for (int j = 0; j < 6 && slip_scene_is_plane(scene, c); j++)
            SLIP_PASS(
                add_column(ctx, table, "contact", scene->contact_names[c], slip_patch_parts[j], NULL, NULL));
    }
    for (int k = 0; k < slip_scene_output_count(scene); k++)
        SLIP_PASS(add_column(ctx, table, "output", slip_scene_output_name(scene, k), NULL,
                             unit_of(scene, outputs->series_count - slip_scene_output_count(scene) + k),
                             NULL));
    return SLIP_OK;
}

int slip_paths_create(slip_context *ctx, slip_scene *scene, slip_paths *p)
{
    static const char *const fixed[] = {"branch", "value", "stability"};
    p->scene = scene;
    SLIP_PASS(slip_result_create(ctx, "path", "path.csv", &p->result));
    for (int k = 0; k < 3; k++)
        SLIP_PASS(slip_table_add(ctx, &p->result->main, &(slip_column_info){.name = fixed[k]}));
    SLIP_PASS(slip_scene_add_columns(ctx, scene, &p->result->main, slip_mode_names));
    SLIP_PASS(slip_labels_create(ctx, p->result, &p->labels));
    p->row = slip_alloc(p->result->main.column_count, sizeof *p->row);
    p->contacts = slip_alloc(scene->shape.contact_count + 1, sizeof *p->contacts);
    SLIP_PASS(slip_allocated(ctx, p->row && p->contacts));
    SLIP_PASS(slip_describe(ctx, p->result, scene->model, NULL));
    return SLIP_OK;
}

void slip_paths_free(slip_paths *p)
{
    slip_result_destroy(p->result);
    free(p->row);
    free(p->contacts);
    free(p->label_states);
    *p = (slip_paths){0};
}

/* ---- Filling. */

double *slip_scene_fill_contact(const slip_scene *scene, int contact, const slip_scene_contact *of,
                                double mode, double *row)
{
    *row++ = of->normal;
    *row++ = of->tangential;
    *row++ = of->gap;
    *row++ = of->slip;
    *row++ = mode;
    for (int k = 0; k < 6 && slip_scene_is_plane(scene, contact); k++)
        *row++ = of->plane[k];
    return row;
}

int slip_paths_add_point(slip_context *ctx, slip_paths *p, const slip_static_point *point)
{
    slip_scene *scene = p->scene;
    double *row = p->row;
    SLIP_PASS(slip_scene_contacts(scene, point->p, point->lambda, point->d, p->contacts));
    *row++ = point->branch;
    *row++ = point->p;
    *row++ = point->sign;
    for (int i = 0; i < scene->coordinate_count; i++)
        *row++ = point->d[scene->first_coordinate + i];
    for (int c = 0; c < scene->shape.contact_count; c++)
        row = slip_scene_fill_contact(scene, c, &p->contacts[c], (double)point->modes[c], row);
    p->branch_count = point->branch > p->branch_count ? point->branch : p->branch_count;
    SLIP_PASS(slip_scene_outputs(
        scene, point->p, &(slip_scene_state){point->d + scene->first_coordinate, p->contacts, point->modes},
        row));
    return slip_table_append(ctx, &p->result->main, p->row);
}

/* The names of all contacts that change, or of the modes before or after, joined by ";". */
static void join(const slip_paths *p, const slip_static_label *label, char part, slip_text *text)
{
    for (int k = 0; k < label->change_count; k++) {
        const slip_static_change *change = &label->changes[k];
        slip_text_printf(text, "%s%s", k > 0 ? ";" : "",
                         part == 'c'   ? p->scene->contact_names[change->contact]
                         : part == 'f' ? slip_mode_name(change->from)
                                       : slip_mode_name(change->to));
    }
    slip_text_append(text, "");
}

int slip_paths_add_label(slip_context *ctx, slip_paths *p, const slip_static_label *label)
{
    const int64_t n = p->scene->shape.direction_count, count = p->labels.table->count;
    SLIP_FREED_BY(slip_text_free) slip_text contact = {0}, from = {0}, to = {0};
    join(p, label, 'c', &contact);
    join(p, label, 'f', &from);
    if (label->at.lambda)
        join(p, label, 't', &to);
    else
        slip_text_append(&to, "infinity");
    SLIP_PASS(
        slip_allocated(ctx, !contact.failed && !from.failed && !to.failed &&
                                SLIP_ROOM(p->label_states, p->label_state_capacity, (count + 1) * 2 * n)));
    double *state = p->label_states + count * 2 * n;
    for (int64_t i = 0; i < n; i++) { /* at a pole there is none */
        state[i] = label->at.lambda ? label->at.lambda[i] : NAN;
        state[n + i] = label->at.d ? label->at.d[i] : NAN;
    }
    return slip_labels_add(ctx, &p->labels,
                           &(slip_label){.number = label->number,
                                         .branch = label->at.branch,
                                         .type = slip_static_label_name(label->type),
                                         .value = label->at.p,
                                         .contact = contact.data,
                                         .from = from.data,
                                         .to = to.data,
                                         .note = label->note});
}

/* ---- The end. */

static int write_summary(slip_context *ctx, const slip_paths *p, const char *quantity, int ended)
{
    slip_json_writer json = {.text = &p->result->summary};
    slip_json_object(&json, NULL);
    slip_summary_write_ending(&json, ended, ended < 0 ? slip_context_message(ctx) : NULL);
    slip_json_string(&json, "parameter", p->scene->parameter_name);
    if (quantity)
        slip_json_string(&json, "quantity", quantity);
    slip_json_integer(&json, "branches", p->branch_count);
    slip_json_integer(&json, "points", p->result->main.count);
    slip_json_bool(&json, "complete", ended >= 0);
    slip_labels_summarise(&json, p->result);
    slip_json_end_object(&json);
    return p->result->summary.failed ? slip_fail_memory(ctx) : SLIP_OK;
}

int slip_paths_finish(slip_context *ctx, slip_paths *p, const char *quantity, int ended, slip_result **result)
{
    const int64_t width = 2 * (int64_t)p->scene->shape.direction_count;
    SLIP_PASS(slip_result_take_labels(ctx, p->result, ""));
    SLIP_PASS(write_summary(ctx, p, quantity, ended));
    if (width > 0 && p->labels.table->count > 0) {
        const slip_array states = {.place = "label/state",
                                   .count = p->labels.table->count,
                                   .width = width,
                                   .values = p->label_states};
        p->label_states = NULL;
        SLIP_PASS(slip_result_add_array(ctx, p->result, &states));
    }
    *result = p->result;
    p->result = NULL;
    return SLIP_OK;
}

/* ---- Reading a label back. */

static int find_label(slip_context *ctx, const slip_result *paths, const char *folder, int number,
                      int64_t *found)
{
    *found = -1;
    for (int64_t k = 0; k < paths->label_count; k++)
        if (paths->labels[k].number == number)
            *found = k;
    return *found >= 0 ? SLIP_OK
                       : slip_fail(ctx, SLIP_ERROR_USAGE,
                                   "%s: there is no label %d, expected one of 1 to %lld (see labels.csv)",
                                   folder, number, (long long)paths->label_count);
}

static int take_state(slip_context *ctx, const slip_result *paths, const char *folder, int64_t found,
                      int64_t n, slip_paths_start *start)
{
    const slip_array *states = slip_result_array(paths, "label/state");
    if (!states || states->width != 2 * n || states->count != paths->label_count)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%s: its paths are those of another model: it has other contacts or coordinates",
                         folder);
    const double *state = states->values + found * 2 * n;
    if (isnan(state[0]))
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "%s: at label %d the path goes to infinity, expected a label with a state to start from", folder,
            paths->labels[found].number);
    start->value = paths->labels[found].value;
    start->lambda = slip_arena_array(&start->arena, 2 * n, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, start->lambda));
    start->d = start->lambda + n;
    for (int64_t i = 0; i < 2 * n; i++) {
        start->lambda[i] = state[i];
        if (!isfinite(state[i]))
            return slip_fail(ctx, SLIP_ERROR_IO,
                             "%s: result.h5: label/state: found %g, expected a finite number", folder,
                             state[i]);
    }
    return SLIP_OK;
}

int slip_paths_load_label(slip_context *ctx, const char *folder, int number, int direction_count,
                          slip_paths_start *start)
{
    SLIP_FREED_BY(slip_result_drop) slip_result *paths = NULL;
    int64_t found;
    int status = SLIP_OK;
    SLIP_PASS(slip_result_load(ctx, folder, &paths));
    const char *parameter = slip_result_text(paths, "parameter");
    if (strcmp(paths->kind, "path") != 0 || !parameter) {
        status =
            slip_fail(ctx, SLIP_ERROR_USAGE,
                      "%s holds a result of kind `%s`, expected paths that `slipstick continue` has followed",
                      folder, paths->kind);
        return status;
    }
    SLIP_PASS(find_label(ctx, paths, folder, number, &found));
    SLIP_PASS(take_state(ctx, paths, folder, found, direction_count, start));
    start->parameter = slip_arena_string(&start->arena, parameter);
    return slip_allocated(ctx, start->parameter);
}
