/* All static solutions of a model, as a user sees them. */
#include "slipstick/statics.h"

#include "io/json.h"
#include "result/result.h"
#include "simulation/scene.h"
#include "study/statics/paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slip_statics {
    slip_context *ctx;
    slip_scene *scene;
    slip_static_solutions list;
    slip_static_problem problem; /* in the list's arena */
    slip_statics_solution *solutions;
    char *model_text, *title;
};

void slip_statics_destroy(slip_statics *s)
{
    if (!s)
        return;
    slip_scene_close(s->scene);
    slip_static_solutions_free(&s->list);
    free(s);
}

/* lambda and d in the user's terms, with the outputs, which follow the modes where these are unique. */
static int translate(slip_statics *s, const slip_statics_solution *solution, const double *lambda,
                     const double *d, slip_statics_state *to)
{
    const int m = s->scene->shape.contact_count, n = s->scene->coordinate_count;
    const int count = slip_scene_output_count(s->scene);
    double *numbers = slip_arena_array(&s->list.arena, 10 * (int64_t)m + n + count + 1, sizeof(double));
    slip_scene_contact *of = slip_arena_array(&s->list.arena, m + 1, sizeof *of);
    slip_mode *modes = slip_arena_array(&s->list.arena, m + 1, sizeof *modes);
    SLIP_PASS(slip_allocated(s->ctx, numbers && of && modes));
    double *q = numbers + 10 * m, *outputs = q + n;
    SLIP_PASS(slip_scene_contacts(s->scene, 0, lambda, d, of));
    for (int c = 0; c < m; c++) {
        numbers[c] = of[c].normal;
        numbers[m + c] = of[c].tangential;
        numbers[2 * m + c] = of[c].gap;
        numbers[3 * m + c] = of[c].slip;
        memcpy(numbers + 4 * m + 6 * c, of[c].plane, sizeof of[c].plane);
        while (modes[c] < SLIP_MODE_CLOSED && !(solution->modes[c] & (1U << modes[c])))
            modes[c]++;
    }
    memcpy(q, d + s->scene->first_coordinate, sizeof(double) * (size_t)n);
    *to = (slip_statics_state){.q = n > 0 ? q : NULL,
                               .normal = numbers,
                               .tangential = numbers + m,
                               .gap = numbers + 2 * m,
                               .slip = numbers + 3 * m,
                               .outputs = outputs,
                               .plane = numbers + 4 * m};
    return slip_scene_outputs(s->scene, 0, &(slip_scene_state){q, of, modes}, outputs);
}

/* Displacements, stresses and reactions of the bodies under the contact forces. `u` and `forces` are scratch:
 * as many as there are dimensions for each node, and for each contact point. */
static int summarise_bodies(slip_statics *s, const double *lambda, double *u, double *forces,
                            slip_statics_body *bodies)
{
    slip_plane *plane = s->scene->model->plane;
    const int count = slip_plane_body_count(plane), d = slip_plane_dimension(plane);
    SLIP_FREED double *energy = slip_alloc((1 + d) * (int64_t)count, sizeof(double));
    double *reaction = energy + count;
    SLIP_PASS(slip_allocated(s->ctx, energy));
    SLIP_PASS(slip_scene_displacements(s->scene, 0, lambda, u));
    slip_scene_plane_forces(s->scene, lambda, forces);
    SLIP_PASS(slip_plane_energy(s->ctx, plane, u, energy));
    SLIP_PASS(slip_plane_reactions(s->ctx, plane, s->scene->parameters, forces, u, reaction));
    for (int b = 0; b < count; b++) {
        const int first = slip_plane_body_first_node(plane, b);
        const int end =
            b + 1 < count ? slip_plane_body_first_node(plane, b + 1) : slip_plane_node_count(plane);
        double largest = 0;
        for (int i = first; i < end; i++)
            largest = fmax(largest, hypot(hypot(u[d * i], u[d * i + 1]), d == 3 ? u[d * i + 2] : 0));
        bodies[b] = (slip_statics_body){slip_plane_body_name(plane, b), largest, energy[b], {0, 0, 0}};
        memcpy(bodies[b].reaction, reaction + d * b, (size_t)d * sizeof *reaction);
    }
    return SLIP_OK;
}

static int summarise(slip_statics *s)
{
    slip_plane *plane = s->scene->model->plane;
    const int64_t nodes = plane ? slip_plane_node_count(plane) : 0, m = s->scene->shape.contact_count;
    const int count = plane ? slip_plane_body_count(plane) : 0;
    const int d = plane ? slip_plane_dimension(plane) : 0;
    SLIP_FREED double *u = slip_alloc(d * (nodes + m) + 1, sizeof(double));
    int status = u ? SLIP_OK : slip_fail_memory(s->ctx);
    for (int64_t k = 0; k < s->list.count && count > 0 && status >= 0; k++) {
        slip_statics_body *bodies = slip_arena_array(&s->list.arena, count, sizeof *bodies);
        s->solutions[k].body_count = count;
        s->solutions[k].bodies = bodies;
        status = bodies ? summarise_bodies(s, s->list.items[k].lambda, u, u + d * nodes, bodies)
                        : slip_fail_memory(s->ctx);
    }
    return status;
}

/* The parts of a continuum. */
static bool translate_parts(slip_statics *s, const slip_static_solution *from, slip_statics_solution *to)
{
    slip_statics_part *parts = slip_arena_array(&s->list.arena, from->part_count + 1, sizeof *parts);
    for (int k = 0; k < from->part_count && parts; k++) {
        const slip_static_part *part = from->parts[k];
        parts[k] = (slip_statics_part){part->modes, part->dimension, part->direction_count > 0,
                                       part->corner_count, part->ends};
    }
    to->part_count = from->part_count;
    to->parts = parts;
    return parts != NULL;
}

static int translate_all(slip_statics *s)
{
    s->solutions = slip_arena_array(&s->list.arena, s->list.count + 1, sizeof *s->solutions);
    SLIP_PASS(slip_allocated(s->ctx, s->solutions));
    for (int64_t k = 0; k < s->list.count; k++) {
        const slip_static_solution *from = &s->list.items[k];
        slip_statics_solution *to = &s->solutions[k];
        slip_statics_state *ends = slip_arena_array(&s->list.arena, from->end_count + 1, sizeof *ends);
        *to = (slip_statics_solution){.modes = from->allowed,
                                      .mode_sets = from->mode_sets,
                                      .stability = from->sign_low == from->sign_high ? from->sign_low : 0,
                                      .dimension = from->dimension,
                                      .unbounded = from->unbounded,
                                      .end_count = from->end_count,
                                      .ends = ends};
        SLIP_PASS(slip_allocated(s->ctx, ends && translate_parts(s, from, to)));
        int status = translate(s, to, from->lambda, from->d, &to->state);
        if (status >= 0)
            status = slip_scene_residual(s->scene, 0, &s->problem, from->lambda, from->d, &to->residual);
        for (int e = 0; e < from->end_count && status >= 0; e++)
            status = translate(s, to, from->end_lambda[e], from->end_d[e], &ends[e]);
        if (status < 0)
            return status;
    }
    return SLIP_OK;
}

int slip_statics_solve(slip_context *ctx, const slip_model *model, const slip_statics_options *given_options,
                       slip_statics **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_statics_options, options, given_options);
    slip_statics_options own = *options;
    slip_statics *s = slip_alloc(1, sizeof *s);
    slip_text text = {0};
    int status;
    SLIP_PASS(slip_allocated(ctx, s));
    slip_context_clear(ctx);
    s->ctx = ctx;
    SLIP_TRY(slip_scene_open(ctx, model, NULL, 0, 1, &s->scene));
    SLIP_TRY(slip_scene_check_contacts(s->scene));
    SLIP_TRY(slip_scene_solve(s->scene, 0, own.restarts, &s->problem, &s->list));
    SLIP_TRY(translate_all(s));
    SLIP_TRY(summarise(s));
    SLIP_TRY(slip_model_write(ctx, model, NULL, &text));
    s->model_text = slip_arena_string(&s->list.arena, text.data ? text.data : "");
    s->title = slip_arena_string(&s->list.arena, model->title);
    SLIP_TRY(slip_allocated(ctx, s->model_text && s->title));
    SLIP_HAND(result, s);
done:
    slip_text_free(&text);
    slip_statics_destroy(s);
    return status;
}

int slip_statics_count(const slip_statics *s)
{
    return s ? (int)s->list.count : 0;
}

const slip_statics_solution *slip_statics_at(const slip_statics *s, int index)
{
    return index >= 0 && index < slip_statics_count(s) ? &s->solutions[index] : NULL;
}

int slip_statics_complete(const slip_statics *s)
{
    return s && s->list.complete;
}

void slip_statics_searched(const slip_statics *s, int64_t *mode_sets, int64_t *starts)
{
    if (mode_sets)
        *mode_sets = s ? s->list.set_count : 0;
    if (starts)
        *starts = s ? s->list.start_count : 0;
}

int slip_statics_contact_count(const slip_statics *s)
{
    return s ? s->scene->shape.contact_count : 0;
}

const char *slip_statics_contact_name(const slip_statics *s, int index)
{
    return index >= 0 && index < slip_statics_contact_count(s) ? s->scene->contact_names[index] : NULL;
}

int slip_statics_coordinate_count(const slip_statics *s)
{
    return s ? s->scene->coordinate_count : 0;
}

const char *slip_statics_coordinate_name(const slip_statics *s, int index)
{
    return index >= 0 && index < slip_statics_coordinate_count(s) ? s->scene->model->system->names[index]
                                                                  : NULL;
}

/* ---- solutions.json */

/* The modes with which a state is consistent, such as "stick|slip-". */
static void join_modes(unsigned modes, char text[64])
{
    text[0] = 0;
    for (int mode = SLIP_MODE_OPEN; mode <= SLIP_MODE_CLOSED; mode++)
        if (modes & (1U << mode)) {
            const size_t length = strlen(text);
            snprintf(text + length, 64 - length, "%s%s", length > 0 ? "|" : "",
                     slip_mode_name((slip_mode)mode));
        }
}

static void write_modes(slip_json_writer *json, const slip_statics *s, const unsigned char *modes)
{
    slip_json_object(json, "modes");
    for (int c = 0; c < s->scene->shape.contact_count; c++) {
        char text[64];
        join_modes(modes[c], text);
        slip_json_string(json, s->scene->contact_names[c], text);
    }
    slip_json_end_object(json);
}

static void write_state(slip_json_writer *json, const slip_statics *s, const slip_statics_state *state)
{
    slip_json_object(json, "q");
    for (int i = 0; i < s->scene->coordinate_count; i++)
        slip_json_number(json, s->scene->model->system->names[i], state->q[i]);
    slip_json_end_object(json);
    slip_json_object(json, "force");
    for (int c = 0; c < s->scene->shape.contact_count; c++) {
        slip_json_object(json, s->scene->contact_names[c]);
        slip_json_number(json, "normal", state->normal[c]);
        slip_json_number(json, "tangential", state->tangential[c]);
        for (int k = 3; k < 6 && slip_scene_is_plane(s->scene, c); k++)
            slip_json_number(json, slip_patch_parts[k], state->plane[6 * c + k]);
        slip_json_end_object(json);
    }
    slip_json_end_object(json);
    slip_json_object(json, "displacement");
    for (int c = 0; c < s->scene->shape.contact_count; c++) {
        slip_json_object(json, s->scene->contact_names[c]);
        slip_json_number(json, "gap", state->gap[c]);
        slip_json_number(json, "slip", state->slip[c]);
        for (int k = 0; k < 3 && slip_scene_is_plane(s->scene, c); k++)
            slip_json_number(json, slip_patch_parts[k], state->plane[6 * c + k]);
        slip_json_end_object(json);
    }
    slip_json_end_object(json);
    if (slip_scene_output_count(s->scene) == 0)
        return;
    slip_json_object(json, "output");
    for (int k = 0; k < slip_scene_output_count(s->scene); k++)
        slip_json_number(json, slip_scene_output_name(s->scene, k), state->outputs[k]);
    slip_json_end_object(json);
}

static void write_bodies(slip_json_writer *json, const slip_statics *s, const slip_statics_solution *from)
{
    slip_json_object(json, "bodies");
    for (int b = 0; b < from->body_count; b++) {
        const slip_statics_body *body = &from->bodies[b];
        slip_json_object(json, body->name);
        slip_json_number(json, "max_displacement", body->max_displacement);
        slip_json_number(json, "strain_energy", body->strain_energy);
        slip_json_list(json, "reaction");
        slip_json_number(json, NULL, body->reaction[0]);
        slip_json_number(json, NULL, body->reaction[1]);
        if (slip_plane_dimension(s->scene->model->plane) == 3)
            slip_json_number(json, NULL, body->reaction[2]);
        slip_json_end_list(json);
        slip_json_end_object(json);
    }
    slip_json_end_object(json);
}

/* The parts of a continuum: the ends by their places in the list of ends, from 0. */
static void write_parts(slip_json_writer *json, const slip_statics *s, const slip_statics_solution *from)
{
    slip_json_list(json, "parts");
    for (int k = 0; k < from->part_count; k++) {
        const slip_statics_part *part = &from->parts[k];
        slip_json_object(json, NULL);
        slip_json_object(json, "modes");
        for (int c = 0; c < s->scene->shape.contact_count; c++)
            slip_json_string(json, s->scene->contact_names[c], slip_mode_name(part->modes[c]));
        slip_json_end_object(json);
        slip_json_integer(json, "dimension", part->dimension);
        slip_json_bool(json, "unbounded", part->unbounded != 0);
        slip_json_list(json, "ends");
        for (int e = 0; e < part->end_count; e++)
            slip_json_integer(json, NULL, part->ends[e]);
        slip_json_end_list(json);
        slip_json_end_object(json);
    }
    slip_json_end_list(json);
}

static void write_solution(slip_json_writer *json, const slip_statics *s, const slip_statics_solution *from)
{
    slip_json_object(json, NULL);
    write_modes(json, s, from->modes);
    write_state(json, s, &from->state);
    if (from->body_count > 0)
        write_bodies(json, s, from);
    if (from->dimension == 0) {
        slip_json_integer(json, "mode_sets", from->mode_sets);
        slip_json_integer(json, "stability", from->stability);
    } else {
        slip_json_integer(json, "continuum", from->dimension);
        slip_json_bool(json, "unbounded", from->unbounded != 0);
        slip_json_list(json, "ends");
        for (int e = 0; e < from->end_count; e++) {
            slip_json_object(json, NULL);
            write_state(json, s, &from->ends[e]);
            slip_json_end_object(json);
        }
        slip_json_end_list(json);
        write_parts(json, s, from);
    }
    slip_json_number(json, "residual", from->residual);
    slip_json_bool(json, "complete", s->list.complete);
    slip_json_end_object(json);
}

/* ---- The result. */

static void write_list(slip_json_writer *json, const char *key, const slip_statics *s)
{
    slip_json_list(json, key);
    for (int64_t k = 0; k < s->list.count; k++)
        write_solution(json, s, &s->solutions[k]);
    slip_json_end_list(json);
}

static int write_summary(slip_context *ctx, const slip_statics *s, slip_text *text)
{
    slip_json_writer json = {.text = text};
    slip_json_object(&json, NULL);
    slip_json_integer(&json, "count", s->list.count);
    slip_json_bool(&json, "complete", s->list.complete);
    if (s->list.start_count > 0) { /* of a search by Newton's method */
        slip_json_object(&json, "searched");
        slip_json_integer(&json, "mode_sets", s->list.set_count);
        slip_json_integer(&json, "starts", s->list.start_count);
        slip_json_end_object(&json);
    }
    write_list(&json, "solutions", s);
    slip_json_end_object(&json);
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}

static int add_document(slip_context *ctx, const slip_statics *s, slip_result *result)
{
    slip_text text = {0};
    slip_json_writer json = {.text = &text};
    write_list(&json, NULL, s);
    return slip_result_add_json(ctx, result, "solutions.json", &text);
}

static int add_rows(slip_context *ctx, const slip_statics *s, slip_table *table)
{
    const int m = s->scene->shape.contact_count, n = s->scene->coordinate_count;
    SLIP_FREED double *row = slip_alloc(table->column_count, sizeof *row);
    int status = row ? SLIP_OK : slip_fail_memory(ctx);
    for (int64_t k = 0; k < s->list.count && status >= 0; k++) {
        const slip_statics_solution *solution = &s->solutions[k];
        const slip_statics_state *state = &solution->state;
        double *to = row;
        *to++ = solution->stability;
        *to++ = solution->dimension;
        for (int i = 0; i < n; i++)
            *to++ = state->q[i];
        for (int c = 0; c < m && status >= 0; c++) {
            char modes[64];
            slip_scene_contact of = {.normal = state->normal[c],
                                     .tangential = state->tangential[c],
                                     .gap = state->gap[c],
                                     .slip = state->slip[c]};
            memcpy(of.plane, state->plane + 6 * c, sizeof of.plane);
            join_modes(solution->modes[c], modes);
            status = slip_table_word(ctx, table, (int)(to - row) + 4, modes);
            to = slip_scene_fill_contact(s->scene, c, &of, status, to);
        }
        for (int j = 0; j < slip_scene_output_count(s->scene); j++)
            *to++ = state->outputs[j];
        if (status >= 0)
            status = slip_table_append(ctx, table, row);
    }
    return status;
}

/* Displacements of all nodes and forces of all contact points, a row for each solution. */
static int add_fields(slip_context *ctx, const slip_statics *s, slip_result *result)
{
    const slip_plane *plane = s->scene->model->plane;
    const int d = slip_plane_dimension(plane);
    const int64_t count = s->list.count, nodes = d * (int64_t)slip_plane_node_count(plane);
    const int64_t forces = d * (int64_t)s->scene->shape.contact_count;
    slip_array u = {.place = "body/displacement", .count = count, .width = nodes};
    slip_array f = {.place = "body/force", .count = count, .width = forces};
    int status = SLIP_OK;
    u.values = slip_alloc(count * nodes, sizeof(double));
    f.values = slip_alloc(count * forces, sizeof(double));
    if (!u.values || !f.values)
        status = slip_fail_memory(ctx);
    for (int64_t k = 0; k < count && status >= 0; k++) {
        status = slip_scene_displacements(s->scene, 0, s->list.items[k].lambda, u.values + k * nodes);
        slip_scene_plane_forces(s->scene, s->list.items[k].lambda, f.values + k * forces);
    }
    if (status < 0) {
        free(u.values);
        free(f.values);
        return status;
    }
    status = slip_result_add_array(ctx, result, &u);
    if (status < 0 || forces == 0)
        free(f.values);
    return status < 0 || forces == 0 ? status : slip_result_add_array(ctx, result, &f);
}

int slip_statics_result(slip_context *ctx, const slip_statics *s, slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, s);
    int status;
    SLIP_TRY(slip_result_create(ctx, "statics", NULL, result));
    slip_table *table = &(*result)->main;
    SLIP_TRY(slip_table_add(ctx, table, &(slip_column_info){.name = "stability"}));
    SLIP_TRY(slip_table_add(ctx, table, &(slip_column_info){.name = "continuum"}));
    SLIP_TRY(slip_scene_add_columns(ctx, s->scene, table, slip_mode_names));
    SLIP_TRY(add_rows(ctx, s, table));
    SLIP_TRY(slip_result_describe(ctx, *result, s->title, s->model_text));
    SLIP_TRY(add_document(ctx, s, *result));
    if (s->scene->model->plane)
        SLIP_TRY(add_fields(ctx, s, *result));
    SLIP_TRY(write_summary(ctx, s, &(*result)->summary));
done:
    return slip_result_or_none(result, status);
}
