/* Contacts of kind surface between moving bodies: every contact point is a contact with a gap and, in the
 * plane one, in space two slip velocities. */
#include "flex/sliding.h"
#include "model/read/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The settings that all points of a surface share. */
typedef struct surface {
    const char *name;
    const slip_tree *velocity; /* of the counterpart of the first body; NULL: at rest */
    const slip_tree *law_node; /* NULL: no friction */
    double restitution;
    bool impact_friction;
    bool compliant;
    double spring[3];        /* then */
    const slip_slide *slide; /* both sides slide far; or NULL */
} surface;

int slip_read_dimension(const slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    return bodies && bodies->plane ? slip_plane_dimension(bodies->plane) : 0;
}

static bool is_of(const slip_plane *plane, int point, const char *name)
{
    return strcmp(slip_plane_surface_name(plane, slip_plane_contacts(plane)[point].surface), name) == 0;
}

bool slip_read_sliding_point(const slip_reader *r, const char *of, int index, const char **name)
{
    const slip_model *bodies = r->model->bodies;
    if (!bodies || !bodies->plane || index >= slip_plane_contact_count(bodies->plane))
        return false;
    const slip_plane_contact *own = &slip_plane_contacts(bodies->plane)[index];
    *name = own->slides && is_of(bodies->plane, index, of) ? own->name : NULL;
    return true;
}

/* ---- laws ---- */

/* The place of a point for x, y and z in all expressions of a law. */
static bool put_place(slip_arena *arena, slip_tree *node, int d, const double place[3])
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    const int items = node->kind == SLIP_TREE_MAPPING ? 2 * node->count : node->count;
    bool good = true, found = false;
    for (int i = 0; i < items && node->kind != SLIP_TREE_SCALAR; i++)
        good = put_place(arena, node->item[i], d, place) && good;
    for (const char *c = node->text; node->kind == SLIP_TREE_SCALAR && *c;) {
        size_t length = 0; /* of a name or a number */
        while (slip_is_letter(c[length]) || c[length] == '.' || (c[length] >= '0' && c[length] <= '9'))
            length++;
        if (length == 1 && *c >= 'x' && *c < 'x' + d && c[1] != '\'') {
            slip_text_printf(&text, "(%.17g)", place[*c - 'x']);
            found = true;
        } else {
            length = length > 0 ? length : 1;
            slip_text_append_bytes(&text, c, length);
        }
        c += length;
    }
    if (found) {
        node->text = text.failed ? NULL : slip_arena_string(arena, text.data);
        node->exact = false;
        good = node->text != NULL;
    }
    return good;
}

/* The law of a point; mu along both directions in space. */
typedef struct point_law {
    slip_tree *node;
    slip_law law;
    double mu[2];
} point_law;

static bool read_law(slip_reader *r, const surface *s, const slip_plane_contact *own, point_law *to)
{
    const int d = slip_read_dimension(r);
    char what[100];
    *to = (point_law){.node = slip_tree_clone(&r->model->arena, s->law_node)};
    snprintf(what, sizeof what, "law of contact `%.60s`", s->name);
    if (!slip_reader_room(r, to->node && put_place(&r->model->arena, to->node, d, own->place)))
        return false;
    return slip_read_law(r, to->node, what, true, &to->law, d == 3 ? to->mu : NULL);
}

/* ---- velocities ---- */

/* A scalar is the velocity along an edge, an expression of t and the parameters. */
static bool read_along(slip_reader *r, const slip_tree *node, const slip_plane_contact *point,
                       slip_expression **slip)
{
    static const double nowhere[3];
    slip_expression *given;
    if (!slip_read_expression(r, node, "velocity", &given))
        return false;
    for (int slot = 1; slot <= 2 * r->n; slot++)
        if (slip_expression_reads(given, slot)) {
            slip_problem(r->problems, node,
                         "velocity: found `%s`, expected an expression of t and the parameters",
                         slip_expression_text(given));
            slip_expression_destroy(given);
            return false;
        }
    bool good = slip_read_compose_load(r, given, nowhere, point->second ? 1 : -1, slip) >= 0;
    if (!good)
        slip_problem(r->problems, node, "velocity: %s", slip_context_message(r->ctx));
    slip_expression_destroy(given);
    return good;
}

/* A list is a vector field, an expression of position for each component: its component along the direction.
 * With large sliding it must not depend on the position. */
static bool read_vector(slip_reader *r, const surface *s, const slip_plane_contact *point,
                        const double direction[3], slip_expression **slip)
{
    const slip_tree *node = s->velocity;
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    bool good = true;
    for (int k = 0; k < node->count && good; k++) {
        const char *word;
        good = slip_read_word(r, node->item[k], "velocity", &word);
        if (good && direction[k] != 0)
            slip_text_printf(&text, "%s(%.17g)*(%s)", text.length > 0 ? " + " : "",
                             point->second ? direction[k] : -direction[k], word);
    }
    if (good && text.failed) {
        r->problems->memory = true;
        good = false;
    } else if (good && slip_read_compose(r, text.data, s->slide ? NULL : point->place, slip) < 0) {
        slip_problem(r->problems, node, "velocity: %s", slip_context_message(r->ctx));
        good = false;
    }
    return good;
}

/* The part of the slip velocity by the key `velocity`, which is that of the counterpart and so enters with a
 * minus sign; in the second pass the contact point is on the counterpart, and it enters with a plus sign. */
static bool read_velocity(slip_reader *r, const surface *s, const slip_plane_contact *point,
                          const double direction[3], slip_expression **slip)
{
    const slip_tree *node = s->velocity;
    const int d = slip_plane_dimension(r->model->bodies->plane);
    if (node->kind != SLIP_TREE_SEQUENCE && d == 2)
        return read_along(r, node, point, slip);
    return slip_read_list(r, node, "velocity", d, d == 3 ? "[-w*y, w*x, 0]" : "[1, 0]") &&
           read_vector(r, s, point, direction, slip);
}

/* The rows of a point over the coordinates, and their entries in the field. */
typedef struct point_rows {
    double *numbers;
    int64_t places[3][slip_plane_row_max];
    double values[3][slip_plane_row_max];
    slip_contact_rows rows;
} point_rows;

static bool find_rows(slip_reader *r, int point, double gap, bool slides, point_rows *to)
{
    const slip_model *bodies = r->model->bodies;
    const slip_plane_motion *motion = bodies->motion;
    const int m = slip_plane_contact_count(bodies->plane), d = slip_plane_dimension(bodies->plane);
    slip_tail tails[3];
    to->numbers = slip_alloc((int64_t)d * r->n, sizeof *to->numbers);
    if (!to->numbers)
        return false;
    for (int k = 0; k < d; k++) {
        const double sign = k == 0 ? -1 : 1; /* the gap is g - w_n */
        double *row = to->numbers + (int64_t)k * r->n;
        for (int i = 0; i < motion->count; i++)
            row[r->given + i] = sign * motion->rows[(int64_t)(k * m + point) * motion->count + i];
        for (int b = 0; b < motion->body_count; b++)
            if (slip_read_turn_of(r, b) >= 0)
                row[slip_read_turn_of(r, b)] +=
                    sign * motion->turn_rows[(int64_t)(k * m + point) * motion->body_count + b];
        const int count = slip_plane_motion_field_entries(motion, bodies->plane, k * m + point, to->places[k],
                                                          to->values[k]);
        for (int i = 0; i < count; i++)
            to->values[k][i] *= sign;
        tails[k] = (slip_tail){count, to->places[k], to->values[k]};
    }
    to->rows = (slip_contact_rows){.gap = to->numbers, .number = gap, .gap_tail = tails[0]};
    for (int k = 1; k < d && slides; k++) {
        to->rows.slip[k - 1] = to->numbers + (int64_t)k * r->n;
        to->rows.slip_tails[k - 1] = tails[k];
    }
    return true;
}

/* number + sum of row_i x_i + other, x the coordinates or the velocities; `other` may be NULL. */
static bool write_sum(const slip_reader *r, const char *text, double number, const double *row, bool velocity,
                      const slip_expression *other, slip_expression **sum)
{
    const int n = r->n;
    SLIP_FREED double *factors = slip_alloc(n + 2, sizeof *factors);
    SLIP_FREED slip_expression **parts = slip_alloc(n + 2, sizeof *parts);
    slip_expression_error error;
    int count = 0;
    bool good = factors && parts;
    for (int i = 0; i < n && good; i++) {
        if (row[i] == 0)
            continue;
        factors[count] = row[i];
        good = slip_expression_of_slot(velocity ? slip_slot_velocity(n, i) : slip_slot_coordinate(i),
                                       r->all[i], &parts[count++]) >= 0;
    }
    const int own = count + 1;
    if (good) {
        factors[count] = number;
        good = slip_expression_compile("1", (const slip_symbol[]){{0}}, &parts[count++], &error) >= 0;
    }
    if (good && other) {
        factors[count] = 1;
        parts[count++] = (slip_expression *)(uintptr_t)other;
    }
    good = good && slip_expression_sum(text, count, factors, (const slip_expression *const *)parts, sum) >= 0;
    for (int k = 0; k < own && parts; k++)
        slip_expression_destroy(parts[k]);
    return good;
}

static bool has_tail(const slip_contact_rows *rows)
{
    return rows->gap_tail.count > 0 || rows->slip_tails[0].count > 0 || rows->slip_tails[1].count > 0;
}

/* Adds a compliant point between reduced bodies, by the expressions of a compliant contact of coordinates. */
static int add_pressed(slip_reader *r, const surface *s, const slip_plane_contact *own, const point_law *law,
                       const slip_contact_rows *rows, slip_expression *const belt[2])
{
    slip_expression *gap = NULL, *normal = NULL, *slip[2] = {NULL, NULL};
    int status = SLIP_OK;
    bool good = true;
    for (int k = 0; k < 2 && rows->slip[k]; k++)
        good = good && write_sum(r, "slip", 0, rows->slip[k], true, belt[k], &slip[k]);
    good = good && write_sum(r, "gap", rows->number, rows->gap, false, NULL, &gap) &&
           slip_read_press(r, s->spring, gap, &normal);
    slip_expression_destroy(gap);
    if (!good) {
        slip_expression_destroy(slip[0]);
        slip_expression_destroy(slip[1]);
        slip_expression_destroy(normal);
        return slip_fail_memory(r->ctx);
    }
    if (slip[1]) {
        slip_patch_source source = {
            .name = own->name, .slip = {slip[0], slip[1], NULL}, .normal_force = normal};
        status =
            slip_read_append_point(r, law->node, &law->law, law->mu, &source) ? SLIP_OK : SLIP_ERROR_MODEL;
    } else {
        status = slip_model_append_friction(r->ctx, r->model, own->name, slip[0], normal,
                                            slip[0] ? &law->law : NULL);
    }
    if (status >= 0)
        slip_read_mark_compliant(r);
    return status;
}

/* Whether large sliding is replaced by the pairs of the start, as for statics and eigenmodes. */
static bool stays(const slip_reader *r)
{
    return r->model->whole_modes > 0;
}

/* Whether a row is zero, as that of a point without a partner. */
static bool is_zero(const slip_reader *r, const double *row)
{
    bool zero = true;
    for (int i = 0; i < r->n; i++)
        zero = zero && row[i] == 0;
    return zero;
}

/* Point number `point` of the bodies. */
static int add_point(slip_reader *r, const surface *s, int point, double gap)
{
    const slip_plane_contact *own = &slip_plane_contacts(r->model->bodies->plane)[point];
    const bool slides = s->law_node && own->slides, solid = slip_read_dimension(r) == 3;
    const double *const directions[] = {own->tangent, own->across};
    slip_expression *belt[2] = {NULL, NULL};
    point_rows rows = {0};
    point_law law;
    int status = find_rows(r, point, gap, slides, &rows) ? SLIP_OK : slip_fail_memory(r->ctx);
    if (slides && status >= 0 && !read_law(r, s, own, &law))
        status = SLIP_ERROR_MODEL;
    for (int k = 0; k < (solid ? 2 : 1) && s->velocity && slides && status >= 0; k++)
        if (!read_velocity(r, s, own, directions[k], &belt[k]))
            status = SLIP_ERROR_MODEL;
    const bool pressed = s->compliant && status >= 0 && !has_tail(&rows.rows) &&
                         (!s->slide || (stays(r) && !is_zero(r, rows.rows.gap)));
    if (pressed)
        status = add_pressed(r, s, own, &law, &rows.rows, belt);
    if (status < 0 || pressed) {
        slip_expression_destroy(belt[0]);
        slip_expression_destroy(belt[1]);
    } else if (solid && slides) {
        slip_patch_source source = {.name = own->name,
                                    .slip = {belt[0], belt[1], NULL},
                                    .rows = &rows.rows,
                                    .restitution = s->restitution,
                                    .impact_friction = s->impact_friction};
        status = slip_read_append_point(r, law.node, &law.law, law.mu, &source) ? SLIP_OK : SLIP_ERROR_MODEL;
    } else {
        const slip_unilateral contact = {.name = own->name,
                                         .slip = belt[0],
                                         .rows = &rows.rows,
                                         .law = slides ? &law.law : NULL,
                                         .restitution = s->restitution,
                                         .impact_friction = s->impact_friction};
        status = slip_model_append_unilateral(r->ctx, r->model, &contact);
    }
    if (status >= 0 && !solid && slides)
        slip_read_finish_law(r, law.node, &law.law);
    if (status >= 0 && s->compliant && !pressed)
        slip_read_mark_yielding(r, s->spring);
    free(rows.numbers);
    return status;
}

/* The surface of this name among those that slide far; or NULL. */
static const slip_slide *find_slide(const slip_plane *plane, const char *name)
{
    const slip_slide *slide = NULL;
    for (int k = 0; (slide = slip_plane_slide(plane, k)); k++) {
        const int of = slip_plane_contacts(plane)[slip_slide_first(slide)].surface;
        if (strcmp(slip_plane_surface_name(plane, of), name) == 0)
            break;
    }
    return slide;
}

/* Refuses large sliding for a body with `turn`: its mesh does not rotate with the material. */
static bool check_turns(slip_reader *r, const slip_tree *node, const surface *s)
{
    const slip_model *bodies = r->model->bodies;
    const int *nodes, count = slip_slide_nodes(s->slide, &nodes);
    for (int b = 0; b < slip_plane_body_count(bodies->plane); b++) {
        const int first = slip_plane_body_first_node(bodies->plane, b),
                  end = first + slip_plane_body_mesh(bodies->plane, b)->node_count;
        for (int i = 0; i < count && bodies->moves[b].turn; i++)
            if (nodes[i] >= first && nodes[i] < end)
                return slip_problem(
                    r->problems, node,
                    "contact `%.60s`: sliding: large, and body `%s` turns by `%s` while its mesh stays "
                    "in its place: expected small",
                    s->name, slip_plane_body_name(bodies->plane, b), bodies->moves[b].turn);
    }
    return true;
}

/* Adds the detector that finds the rows of the contacts added last during a motion. */
static bool add_detector(slip_reader *r, const slip_tree *node, const surface *s, const double *gaps)
{
    const slip_model *bodies = r->model->bodies;
    const int first = slip_slide_first(s->slide), count = slip_slide_count(s->slide);
    double *added = slip_alloc(count, sizeof *added);
    slip_detector detector;
    int status = added ? SLIP_OK : slip_fail_memory(r->ctx);
    for (int i = 0; i < count && status >= 0; i++)
        added[i] = gaps[first + i] - slip_plane_distance(bodies->plane, first + i);
    if (status >= 0)
        status = slip_sliding_create(r->ctx, bodies->plane, bodies->motion, s->slide, r->n, r->given, added,
                                     &detector);
    if (status >= 0)
        detector.slips = s->law_node ? slip_plane_dimension(bodies->plane) - 1 : 0;
    if (status >= 0)
        status = slip_system_add_detector(r->ctx, r->model->system, &detector);
    free(added);
    if (status < 0)
        slip_problem(r->problems, node, "%s", slip_context_message(r->ctx));
    return status >= 0;
}

/* Of a law as it is written, which may be wrong. */
static bool has_mu(const slip_tree *law)
{
    const slip_tree *type = law->kind == SLIP_TREE_MAPPING ? slip_read_child(law, "type") : NULL;
    const slip_law_type *known = type && type->kind == SLIP_TREE_SCALAR ? slip_law_find(type->text) : NULL;
    for (int i = 0; known && i < known->info.parameter_count; i++)
        if (strcmp(known->info.parameters[i].name, "mu") == 0)
            return true;
    return false;
}

void slip_read_motion_surface(slip_reader *r, const slip_tree *node, const char *name)
{
    static const char *const keys[] = {"kind",        "between",         "passes",   "sliding", "gap", "law",
                                       "restitution", "impact_friction", "velocity", "normal",  NULL};
    const slip_model *bodies = r->model->bodies;
    const int m = slip_plane_contact_count(bodies->plane);
    surface s = {.name = name,
                 .velocity = slip_read_child(node, "velocity"),
                 .law_node = slip_read_child(node, "law"),
                 .slide = find_slide(bodies->plane, name)};
    double *gaps = slip_alloc(m, sizeof *gaps), *values = slip_alloc(bodies->parameter_count, sizeof *values);
    char what[100];
    bool good = gaps && values;
    snprintf(what, sizeof what, "contact `%.60s`", name);
    slip_reader_room(r, good);
    good = good && slip_read_keys(r, node, what, keys);
    s.compliant = slip_read_is_compliant(node);
    /* while a body is pressed on its nodes close one after the other, by impacts: so friction acts in these
     * too */
    s.impact_friction = s.law_node && has_mu(s.law_node);
    good = good && (s.compliant ? slip_read_spring(r, node, what, s.spring)
                                : slip_read_impact(r, node, &s.restitution, &s.impact_friction));
    good = good && (!s.slide || check_turns(r, node, &s));
    for (int64_t i = 0; i < bodies->parameter_count && good; i++)
        values[i] = bodies->parameters[i].value;
    if (good && slip_plane_gap(r->ctx, bodies->plane, values, NULL, gaps, NULL) < 0) {
        slip_problem(r->problems, node, "%s", slip_context_message(r->ctx));
        good = false;
    }
    for (int k = 0; k < m && good; k++) {
        if (!is_of(bodies->plane, k, name))
            continue;
        const int before = r->problems->count;
        if (add_point(r, &s, k, gaps[k]) < 0) {
            if (r->problems->count == before)
                slip_problem(r->problems, node, "%s", slip_context_message(r->ctx));
            good = false;
        }
    }
    if (good && s.slide && !stays(r))
        add_detector(r, node, &s, gaps);
    free(gaps);
    free(values);
}
