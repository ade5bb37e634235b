#include "simulation/scene.h"

#include "math/vector.h"
#include "statics/condense.h"
#include "system/field.h"
#include "system/structure/structure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Models with coordinates. */

double slip_scene_time(const slip_model *model)
{
    return isnan(model->simulate.start) ? 0 : model->simulate.start;
}

/* Lists the directions of all contacts with a normal force or friction, and their names. */
static int list_contacts(slip_scene *s, slip_balance *b)
{
    slip_static_contact *contacts = slip_arena_array(&s->arena, b->contact_count + 1, sizeof *contacts);
    s->contact_names = slip_arena_array(&s->arena, b->contact_count + 1, sizeof *s->contact_names);
    s->model_contacts = slip_arena_array(&s->arena, b->contact_count + 1, sizeof *s->model_contacts);
    SLIP_PASS(slip_allocated(s->ctx, contacts && s->contact_names && s->model_contacts));
    for (int c = 0; c < b->contact_count; c++) {
        const slip_balance_contact *own = &b->contacts[c];
        contacts[c] = (slip_static_contact){own->normal, own->tangent_count > 0 ? own->tangent : -1};
        s->contact_names[c] = s->model->system->contacts[own->contact].name;
        s->model_contacts[c] = own->contact;
    }
    s->first_coordinate = b->direction_count;
    s->coordinate_count = b->n;
    s->shape = (slip_static_shape){.contact_count = b->contact_count,
                                   .direction_count = b->direction_count + b->n,
                                   .observed_count = b->n,
                                   .contacts = contacts,
                                   .sign = 1};
    s->general = slip_scene_is_general(b);
    return SLIP_OK;
}

typedef struct assembly {
    slip_arena arena;
    int n;
    double *slots, *gradient, *scratch;
    double *stiffness, *load, *rows, *offset;
} assembly;

static bool create_assembly(assembly *a, const slip_scene *s, const slip_system *system)
{
    const int64_t n = system->n, rows = s->first_coordinate + n;
    int scratch = 1;
    for (int64_t k = 0; k < system->force_count; k++)
        scratch = slip_expression_scratch(system->forces[k].expression) > scratch
                      ? slip_expression_scratch(system->forces[k].expression)
                      : scratch;
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        const slip_expression *more[] = {contact->normal_force, contact->gap.rest};
        for (int k = 0; k < 2; k++)
            if (more[k] && slip_expression_scratch(more[k]) > scratch)
                scratch = slip_expression_scratch(more[k]);
    }
    *a = (assembly){.n = system->n};
    a->slots = slip_arena_array(&a->arena, 1 + 2 * n, sizeof(double));
    a->gradient = slip_arena_array(&a->arena, 1 + 2 * n, sizeof(double));
    a->scratch = slip_arena_array(&a->arena, scratch + 1, sizeof(double));
    a->stiffness = slip_arena_array(&a->arena, n * n + 1, sizeof(double));
    a->load = slip_arena_array(&a->arena, n + 1, sizeof(double));
    a->rows = slip_arena_array(&a->arena, rows * n + 1, sizeof(double));
    a->offset = slip_arena_array(&a->arena, rows + 1, sizeof(double));
    return a->slots && a->gradient && a->scratch && a->stiffness && a->load && a->rows && a->offset;
}

/* Assembles K - df/dq, and f without its part that is linear in q. */
static int assemble_structure(slip_scene *s, const slip_model *model, assembly *a)
{
    const slip_system *system = model->system;
    const int n = a->n;
    a->slots[0] = slip_scene_time(model);
    memcpy(a->stiffness, system->stiffness, sizeof(double) * (size_t)n * (size_t)n);
    for (int64_t k = 0; k < system->force_count; k++) {
        const slip_force_term *term = &system->forces[k];
        const double value =
            slip_expression_gradient(term->expression, a->slots, 1 + 2 * n, a->gradient, a->scratch);
        if (!isfinite(value))
            return slip_fail(s->ctx, SLIP_ERROR_MODEL, "the force on `%s`, `%s`, is %g at rest",
                             system->names[term->coordinate], slip_expression_text(term->expression), value);
        slip_force_add(term, n, value, a->load);
        for (int i = slip_force_first(term); i < slip_force_end(term, n); i++)
            for (int j = 0; j < n; j++)
                a->stiffness[i * n + j] -= slip_force_part(term, i) * a->gradient[slip_slot_coordinate(j)];
    }
    return SLIP_OK;
}

static int assemble_contacts(slip_scene *s, const slip_model *model, assembly *a, slip_static_values *values)
{
    const slip_system *system = model->system;
    const int n = a->n;
    for (int c = 0; c < s->shape.contact_count; c++) {
        const slip_contact *contact = &system->contacts[s->model_contacts[c]];
        const slip_static_contact *own = &s->shape.contacts[c];
        values->friction[c] = own->tangent >= 0 ? slip_law_hold(&contact->law) : 0;
        values->normal[c] = 0;
        if (own->normal >= 0) {
            memcpy(a->rows + (int64_t)own->normal * n, contact->gap.row, sizeof(double) * (size_t)n);
            a->offset[own->normal] = contact->gap.rest
                                         ? slip_expression_value(contact->gap.rest, a->slots, a->scratch)
                                         : contact->gap.constant;
        } else {
            values->normal[c] = contact->normal_force
                                    ? slip_expression_value(contact->normal_force, a->slots, a->scratch)
                                    : contact->normal_constant;
            if (!(values->normal[c] >= 0))
                return slip_fail(s->ctx, SLIP_ERROR_MODEL,
                                 "contact `%s`: its normal force `%s` is %.9g at rest, expected at least 0",
                                 contact->name, model->contact_texts[s->model_contacts[c]].normal_force,
                                 values->normal[c]);
        }
        if (own->tangent < 0)
            continue;
        memcpy(a->rows + (int64_t)own->tangent * n, contact->slip.row, sizeof(double) * (size_t)n);
        for (int i = 0; i < n; i++) /* slip is zero at the initial coordinates */
            a->offset[own->tangent] -= contact->slip.row[i] * model->initial_q[i];
    }
    for (int i = 0; i < n; i++)
        a->rows[(int64_t)(s->first_coordinate + i) * n + i] = 1;
    return SLIP_OK;
}

/* Fills the problem of a structure that is not condensed: the coordinates are held directions, q = motion z,
 * and
 *
 *     d = R motion z + offset,   0 = motion (f + R^T lambda - K motion z),
 *
 * which stays valid where K becomes singular. With motion = |R|/|K| all entries are of the same order. */
static void fill_model(const slip_scene *s, const assembly *a, slip_static_values *values)
{
    const int n = a->n, rows = s->first_coordinate + n, contacts = s->first_coordinate;
    const int64_t all = s->shape.direction_count;
    const double unit = s->shape.motion;
    double *compliance = values->compliance;
    memset(compliance, 0, sizeof(double) * (size_t)(all * all));
    memcpy(values->free, a->offset, sizeof(double) * (size_t)rows);
    for (int i = 0; i < n; i++) {
        double *own = compliance + (rows + i) * all;
        for (int k = 0; k < rows; k++)
            compliance[k * all + rows + i] = unit * a->rows[(int64_t)k * n + i];
        for (int k = 0; k < contacts; k++)
            own[k] = unit * a->rows[(int64_t)k * n + i];
        for (int j = 0; j < n; j++)
            own[rows + j] = -unit * unit * a->stiffness[i * n + j];
        values->free[rows + i] = unit * a->load[i];
    }
}

static int condense_model(slip_scene *s, const slip_model *model, slip_static_values *values)
{
    const int n = model->system->n, rows = s->first_coordinate + n;
    const int64_t all = s->shape.direction_count;
    assembly a;
    int status, sign;
    SLIP_TRY(slip_allocated(s->ctx, create_assembly(&a, s, model->system)));
    SLIP_TRY(assemble_structure(s, model, &a));
    SLIP_TRY(assemble_contacts(s, model, &a, values));
    if (s->shape.motion > 0) {
        fill_model(s, &a, values);
        goto done;
    }
    double *compliance = values->compliance ? values->compliance : s->numbers;
    double *base = s->numbers + all * all, *recover = base + n;
    const slip_condense_input in = {n, a.stiffness, a.load, rows, a.rows, a.offset};
    SLIP_TRY(slip_condense(s->ctx, &in, s->shape.held_count, compliance, values->free, base, recover, &sign));
    s->shape.sign = sign;
done:
    slip_arena_free(&a.arena);
    return status;
}

static int sample_model(slip_context *ctx, void *user, double value, slip_static_values *values)
{
    slip_scene *s = user;
    slip_model *model = NULL;
    int status;
    (void)ctx;
    if (!s->parameter_name || value == s->value)
        return condense_model(s, s->model, values);
    SLIP_TRY(slip_model_bind_one(s->ctx, s->model, s->parameter_name, value, &model));
    SLIP_TRY(condense_model(s, model, values));
done:
    slip_model_destroy(model);
    return status;
}

/* Stiffness and rows at a value of the parameter. */
static int assemble_at(slip_scene *s, double value, slip_static_values *values, assembly *a)
{
    SLIP_FREED_BY(slip_model_drop) slip_model *model = NULL;
    SLIP_PASS(slip_allocated(s->ctx, create_assembly(a, s, s->model->system)));
    if (s->parameter_name && value != s->value)
        SLIP_PASS(slip_model_bind_one(s->ctx, s->model, s->parameter_name, value, &model));
    SLIP_PASS(assemble_structure(s, model ? model : s->model, a));
    return assemble_contacts(s, model ? model : s->model, a, values);
}

/* Number of generic values of the parameter, at which nothing vanishes by chance. */
enum { inner_count = 3 };
static double inner_value(const slip_scene *s, int k)
{
    static const double parts[inner_count] = {0.137, 0.41, 0.871};
    return s->parameter_name ? s->family.low + parts[k] * (s->family.high - s->family.low) : s->value;
}

/* Tests whether the structure depends on the parameter; if not, it is condensed. */
static int choose_form(slip_scene *s)
{
    const int count = s->parameter_name ? inner_count : 1;
    const size_t n = (size_t)s->coordinate_count, rows = (size_t)s->first_coordinate;
    slip_arena arena = {0};
    slip_static_values values;
    assembly a[3] = {{.n = 0}};
    bool varies = false;
    int status = SLIP_OK;
    SLIP_TRY(slip_allocated(s->ctx, slip_static_values_create(&arena, &s->shape, &values)));
    for (int k = 0; k < count; k++) {
        SLIP_TRY(assemble_at(s, inner_value(s, k), &values, &a[k]));
        varies = varies || memcmp(a[0].stiffness, a[k].stiffness, sizeof(double) * n * n) != 0 ||
                 memcmp(a[0].rows, a[k].rows, sizeof(double) * rows * n) != 0;
    }
    if (varies) {
        const double stiffness = slip_largest((int64_t)(n * n), a[0].stiffness),
                     row = slip_largest((int64_t)(rows * n), a[0].rows);
        s->shape.motion = stiffness > 0 && row > 0 ? row / stiffness : 1;
        s->shape.held_count = s->coordinate_count;
        s->shape.sign = n % 2 == 0 ? 1 : -1;
    } else {
        SLIP_TRY(slip_condense_nullity(s->ctx, (int)n, a[0].stiffness, &s->shape.held_count));
    }
    s->shape.direction_count += s->shape.held_count;
done:
    for (int k = 0; k < 3; k++)
        slip_arena_free(&a[k].arena);
    slip_arena_free(&arena);
    return status;
}

static int open_system(slip_scene *s)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_static_values values;
    slip_balance *balance;
    SLIP_PASS(slip_scene_balance(s, inner_value(s, 0), &balance));
    SLIP_PASS(list_contacts(s, balance));
    for (int k = 1; k < inner_count && s->parameter_name && !s->general; k++) {
        slip_balance *other;
        SLIP_PASS(slip_scene_balance(s, inner_value(s, k), &other));
        s->general = slip_scene_is_general(other);
    }
    if (s->general) {
        SLIP_PASS(slip_scene_open_balance(s, balance));
        return SLIP_OK;
    }
    slip_scene_close_balance(s);
    SLIP_PASS(choose_form(s));
    s->family.sample = sample_model;
    if (s->shape.motion > 0)
        return SLIP_OK;
    const int64_t all = s->shape.direction_count, n = s->coordinate_count;
    s->compliance = slip_arena_array(&s->arena, all * all + 1, sizeof(double));
    s->numbers = slip_arena_array(&s->arena, all * all + n + n * all + 1, sizeof(double));
    SLIP_PASS(slip_allocated(s->ctx, s->compliance && s->numbers &&
                                         slip_static_values_create(&arena, &s->shape, &values)));
    SLIP_PASS(condense_model(s, s->model, &values));
    memcpy(s->compliance, values.compliance, sizeof(double) * (size_t)(all * all));
    s->family.compliance = s->compliance;
    return SLIP_OK;
}

/* ---- Both. */

static int find_parameter(slip_scene *s, const char *name)
{
    const slip_model *model = s->model;
    const int index = slip_model_parameter(model, name);
    if (index < 0)
        return slip_model_fail_parameter(s->ctx, model, name);
    s->parameter = index;
    s->value = model->parameters[index].value;
    s->parameter_name = slip_arena_string(&s->arena, name);
    return s->parameter_name ? SLIP_OK : slip_fail_memory(s->ctx);
}

int slip_scene_open(slip_context *ctx, const slip_model *model, const char *parameter, double low,
                    double high, slip_scene **result)
{
    slip_scene *s = slip_alloc(1, sizeof *s);
    int status = SLIP_OK;
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, s));
    if (model->system->structure->push || (model->system->structure->methods && model->gear_count == 0)) {
        free(s);
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "the model has gears among its bodies, whose flanks statics does not know; expected "
                         "a model without, or a run with damping until it is at rest");
    }
    const slip_field_body *large = slip_field_find_large(model->system);
    if (large) {
        free(s);
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "body `%s` has `strain: large`, and statics is of small displacements; expected a run "
            "with damping until it is at rest",
            large->name);
    }
    s->ctx = ctx;
    s->model = model;
    s->parameter = -1;
    s->family = (slip_static_family){.shape = &s->shape, .user = s, .low = low, .high = high};
    if (model->system->field || model->system->detector_count > 0) {
        SLIP_TRY(slip_model_reduce(ctx, model, slip_scene_modes, &s->reduced));
        s->model = model = s->reduced;
    }
    if (parameter)
        SLIP_TRY(find_parameter(s, parameter));
    SLIP_TRY(model->plane ? slip_scene_open_plane(s) : open_system(s));
    for (int c = 0; c < s->shape.contact_count; c++)
        s->given = s->given || s->shape.contacts[c].normal < 0;
    s->now_value = NAN;
    SLIP_TRY(slip_allocated(ctx, slip_static_values_create(&s->arena, &s->shape, &s->now)));
    SLIP_HAND(result, s);
done:
    slip_scene_close(s);
    return status;
}

void slip_scene_close(slip_scene *s)
{
    if (!s)
        return;
    slip_scene_close_balance(s);
    slip_model_destroy(s->reduced);
    slip_arena_free(&s->arena);
    free(s);
}

int slip_scene_problem(slip_scene *s, double value, slip_arena *arena, slip_static_problem *problem)
{
    SLIP_PASS(slip_allocated(s->ctx, slip_static_values_create(arena, &s->shape, &problem->at)));
    problem->shape = s->shape;
    if (!s->general)
        SLIP_PASS(slip_static_family_at(s->ctx, &s->family, value, &problem->at));
    return SLIP_OK;
}

int slip_scene_contacts(slip_scene *s, double value, const double *lambda, const double *d,
                        slip_scene_contact *contacts)
{
    if (s->general)
        return slip_scene_contacts_balance(s, value, lambda, d, contacts);
    if (s->given && value != s->now_value)
        SLIP_PASS(slip_static_family_at(s->ctx, &s->family, value, &s->now));
    s->now_value = value;
    for (int c = 0; c < s->shape.contact_count; c++) {
        const slip_static_contact *own = &s->shape.contacts[c];
        contacts[c] =
            (slip_scene_contact){.normal = own->normal >= 0 ? lambda[own->normal] : s->now.normal[c],
                                 .tangential = own->tangent >= 0 ? lambda[own->tangent] : 0,
                                 .gap = own->normal >= 0 ? d[own->normal] : 0,
                                 .slip = own->tangent >= 0 ? d[own->tangent] : 0};
    }
    return SLIP_OK;
}
