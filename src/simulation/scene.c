#include "simulation/scene.h"

#include "statics/condense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Models with coordinates. */

double slip_scene_time(const slip_model *model)
{
    return isnan(model->simulate.start) ? 0 : model->simulate.start;
}

/* Which contacts there are, and whether statics can read them. */
static int check_contact(slip_context *ctx, const slip_model *model, int index)
{
    const slip_contact *contact = &model->system->contacts[index];
    const slip_contact_text *text = &model->contact_texts[index];
    const bool has_slip = !contact->frictionless;
    if (contact->patch)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "contact `%s`: statics knows friction in one direction, expected one slip velocity and not a "
            "slip of more dimensions (a point in a plane, a patch)",
            contact->name);
    if (text->has_law &&
        (strcmp(contact->law.type->info.name, "coulomb") != 0 || contact->law.law.static_ratio != 1))
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "contact `%s`: statics knows Coulomb's law with one coefficient, expected law: {type: "
            "coulomb, mu: ...} without static_ratio; found `%s`%s",
            contact->name, contact->law.type->info.name,
            strcmp(contact->law.type->info.name, "coulomb") == 0 ? " with another static_ratio" : "");
    if (contact->varying_count > 0)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "contact `%s`: statics needs a coefficient of friction that is a number, found %s `%s`",
            contact->name, contact->varying_info[0]->name, slip_expression_text(contact->varying[0]));
    if (!has_slip || !text->has_law)
        return SLIP_OK;
    if (!contact->slip.row)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "contact `%s`: statics reads the slip `%s` as the displacement whose velocity it is, "
            "expected constant coefficients",
            contact->name, text->slip);
    if (contact->slip.rest || contact->slip.constant != 0)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "contact `%s`: statics reads the slip `%s` as the displacement whose velocity it is, "
            "expected velocities of the coordinates only (a belt that runs has no rest position)",
            contact->name, text->slip);
    for (int i = 0; contact->normal_force && i < model->system->n; i++)
        if (slip_expression_reads(contact->normal_force, slip_slot_coordinate(i)))
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "contact `%s`: statics needs a normal_force without coordinates, found `%s`",
                             contact->name, text->normal_force);
    return SLIP_OK;
}

/* Contacts that press or rub. */
static bool takes_part(const slip_model *model, int index)
{
    return model->system->contacts[index].has_gap || model->contact_texts[index].has_law;
}

static int list_contacts(slip_scene *s)
{
    const slip_system *system = s->model->system;
    const int64_t most = system->contact_count;
    slip_static_contact *contacts = slip_arena_array(&s->arena, most + 1, sizeof *contacts);
    int status = SLIP_OK, count = 0, directions = 0;
    s->contact_names = slip_arena_array(&s->arena, most + 1, sizeof *s->contact_names);
    s->model_contacts = slip_arena_array(&s->arena, most + 1, sizeof *s->model_contacts);
    if (!contacts || !s->contact_names || !s->model_contacts)
        return slip_fail_memory(s->ctx);
    if (system->state_count > 0)
        return slip_fail(s->ctx, SLIP_ERROR_MODEL,
                         "statics has no states in this version, found `%s`; a run that settles finds where "
                         "the model comes to rest",
                         system->names[slip_system_coordinates(system)]);
    for (int c = 0; c < (int)most; c++) {
        const slip_contact *contact = &system->contacts[c];
        SLIP_TRY(check_contact(s->ctx, s->model, c));
        if (!takes_part(s->model, c))
            continue;
        const bool unilateral = contact->has_gap;
        contacts[count].normal = unilateral ? directions++ : -1;
        contacts[count].tangent = unilateral && contact->frictionless ? -1 : directions++;
        s->contact_names[count] = contact->name;
        s->model_contacts[count++] = c;
    }
    s->first_coordinate = directions;
    s->coordinate_count = system->n;
    s->shape = (slip_static_shape){.contact_count = count,
                                   .direction_count = directions + system->n,
                                   .observed_count = system->n,
                                   .contacts = contacts,
                                   .sign = 1};
done:
    return status;
}

/* Is some force not linear in the coordinates? */
static int find_nonlinear(slip_scene *s)
{
    const slip_system *system = s->model->system;
    const int slots = 1 + 2 * system->n;
    bool *coordinates = slip_alloc(slots, sizeof(bool));
    if (!coordinates)
        return slip_fail_memory(s->ctx);
    for (int i = 0; i < system->n; i++)
        coordinates[slip_slot_coordinate(i)] = true;
    s->nonlinear = system->force_function != NULL;
    for (int64_t k = 0; k < system->force_count; k++)
        if (slip_expression_dependence(system->forces[k].expression, coordinates, slots) == SLIP_NONLINEAR)
            s->nonlinear = true;
    free(coordinates);
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

/* A user's function: its own derivatives, or differences. */
static int add_function(slip_scene *s, const slip_system *system, assembly *a)
{
    const int n = system->n;
    double *numbers = slip_alloc(4 * (int64_t)n + 2 * (int64_t)n * n, sizeof(double));
    double *force = numbers, *other = force + n, *q = other + n, *v = q + n, *dq = v + n, *dv = dq + n * n;
    int status = SLIP_OK;
    if (!numbers)
        return slip_fail_memory(s->ctx);
    memcpy(q, s->about, sizeof(double) * (size_t)n);
    int known = system->force_function(system->force_user, a->slots[0], q, v, force, dq, dv);
    for (int j = 0; j < n && known == 0; j++) {
        const double step = 1e-7 * (1 + fabs(q[j])), at = q[j];
        q[j] = at + step;
        known = system->force_function(system->force_user, a->slots[0], q, v, other, NULL, NULL) < 0 ? -1 : 0;
        q[j] = at;
        for (int i = 0; i < n; i++)
            dq[i * n + j] = (other[i] - force[i]) / step;
    }
    if (known < 0)
        status = slip_fail(s->ctx, SLIP_ERROR_MODEL, "the function of the forces fails at rest");
    for (int i = 0; i < n; i++) {
        a->load[i] += force[i];
        for (int j = 0; j < n; j++) {
            a->stiffness[i * n + j] -= dq[i * n + j];
            a->load[i] -= dq[i * n + j] * s->about[j];
        }
    }
    free(numbers);
    return status;
}

/* K - df/dq, and f - df/dq q at `about`. */
static int assemble_structure(slip_scene *s, const slip_model *model, assembly *a)
{
    const slip_system *system = model->system;
    const int n = a->n;
    a->slots[0] = slip_scene_time(model);
    memcpy(a->slots + 1, s->about, sizeof(double) * (size_t)n);
    memcpy(a->stiffness, system->stiffness, sizeof(double) * (size_t)n * (size_t)n);
    for (int64_t k = 0; k < system->force_count; k++) {
        const slip_force_term *term = &system->forces[k];
        const int i = term->coordinate;
        const double value =
            slip_expression_gradient(term->expression, a->slots, 1 + 2 * n, a->gradient, a->scratch);
        if (!isfinite(value))
            return slip_fail(s->ctx, SLIP_ERROR_MODEL, "the force on `%s`, `%s`, is %g at rest",
                             system->names[i], slip_expression_text(term->expression), value);
        a->load[i] += term->factor * value;
        for (int j = 0; j < n; j++) {
            const double slope = term->factor * a->gradient[slip_slot_coordinate(j)];
            a->stiffness[i * n + j] -= slope;
            a->load[i] -= slope * s->about[j];
        }
    }
    return system->force_function ? add_function(s, system, a) : SLIP_OK;
}

static int assemble_contacts(slip_scene *s, const slip_model *model, assembly *a, slip_static_values *values)
{
    const slip_system *system = model->system;
    const int n = a->n;
    for (int c = 0; c < s->shape.contact_count; c++) {
        const slip_contact *contact = &system->contacts[s->model_contacts[c]];
        const slip_static_contact *own = &s->shape.contacts[c];
        if (contact->has_gap && !contact->gap.row)
            return slip_fail(
                s->ctx, SLIP_ERROR_MODEL,
                "contact `%s`: its gap `%s` is not linear in the coordinates, and statics needs one "
                "that is; `run` takes it",
                contact->name, slip_expression_text(contact->gap.rest));
        values->friction[c] = own->tangent >= 0 ? contact->law.law.mu : 0;
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
        if (own->tangent >= 0)
            memcpy(a->rows + (int64_t)own->tangent * n, contact->slip.row, sizeof(double) * (size_t)n);
    }
    for (int i = 0; i < n; i++)
        a->rows[(int64_t)(s->first_coordinate + i) * n + i] = 1;
    return SLIP_OK;
}

/* Without condensing: the coordinates are held directions, q = motion z, and
 *
 *     d = R motion z + offset,   0 = motion (f + R^T lambda - K motion z),
 *
 * which stays as it is where K becomes singular. With motion = |R|/|K| all entries are of one size. */
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
    if (!create_assembly(&a, s, model->system)) {
        status = slip_fail_memory(s->ctx);
        goto done;
    }
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
    slip_model *model = NULL;
    int status;
    if (!create_assembly(a, s, s->model->system))
        return slip_fail_memory(s->ctx);
    if (s->parameter_name && value != s->value)
        SLIP_TRY(slip_model_bind_one(s->ctx, s->model, s->parameter_name, value, &model));
    SLIP_TRY(assemble_structure(s, model ? model : s->model, a));
    SLIP_TRY(assemble_contacts(s, model ? model : s->model, a, values));
done:
    slip_model_destroy(model);
    return status;
}

static double largest(const double *numbers, int64_t count)
{
    double size = 0;
    for (int64_t i = 0; i < count; i++)
        size = fmax(size, fabs(numbers[i]));
    return size;
}

/* Does the structure depend on the parameter? Asked at three values. It is condensed where it does not. */
static int choose_form(slip_scene *s)
{
    static const double parts[3] = {0.137, 0.41, 0.871};
    const int count = s->parameter_name ? 3 : 1;
    const size_t n = (size_t)s->coordinate_count, rows = (size_t)s->first_coordinate;
    slip_arena arena = {0};
    slip_static_values values;
    assembly a[3] = {{.n = 0}};
    bool varies = s->nonlinear;
    int status = SLIP_OK;
    if (!slip_static_values_create(&arena, &s->shape, &values)) {
        status = slip_fail_memory(s->ctx);
        goto done;
    }
    for (int k = 0; k < count; k++) {
        const double value = s->family.low + parts[k] * (s->family.high - s->family.low);
        SLIP_TRY(assemble_at(s, count > 1 ? value : s->value, &values, &a[k]));
        varies = varies || memcmp(a[0].stiffness, a[k].stiffness, sizeof(double) * n * n) != 0 ||
                 memcmp(a[0].rows, a[k].rows, sizeof(double) * rows * n) != 0;
    }
    if (varies) {
        const double stiffness = largest(a[0].stiffness, (int64_t)(n * n)),
                     row = largest(a[0].rows, (int64_t)(rows * n));
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
    slip_arena arena = {0};
    slip_static_values values;
    int status;
    SLIP_TRY(list_contacts(s));
    SLIP_TRY(find_nonlinear(s));
    s->about = slip_arena_array(&s->arena, s->coordinate_count + 1, sizeof(double));
    if (!s->about) {
        status = slip_fail_memory(s->ctx);
        goto done;
    }
    SLIP_TRY(choose_form(s));
    s->family.sample = sample_model;
    if (s->shape.motion > 0)
        goto done;
    const int64_t all = s->shape.direction_count, n = s->coordinate_count;
    s->compliance = slip_arena_array(&s->arena, all * all + 1, sizeof(double));
    s->numbers = slip_arena_array(&s->arena, all * all + n + n * all + 1, sizeof(double));
    if (!s->compliance || !s->numbers || !slip_static_values_create(&arena, &s->shape, &values)) {
        status = slip_fail_memory(s->ctx);
        goto done;
    }
    SLIP_TRY(condense_model(s, s->model, &values));
    memcpy(s->compliance, values.compliance, sizeof(double) * (size_t)(all * all));
    s->family.compliance = s->compliance;
done:
    slip_arena_free(&arena);
    return status;
}

/* ---- Both. */

static int find_parameter(slip_scene *s, const char *name)
{
    const slip_model *model = s->model;
    for (int64_t i = 0; i < model->parameter_count; i++)
        if (strcmp(model->parameters[i].name, name) == 0) {
            s->parameter = (int)i;
            s->value = model->parameters[i].value;
            s->parameter_name = slip_arena_string(&s->arena, name);
            return s->parameter_name ? SLIP_OK : slip_fail_memory(s->ctx);
        }
    return slip_model_fail_parameter(s->ctx, model, name);
}

int slip_scene_open(slip_context *ctx, const slip_model *model, const char *parameter, double low,
                    double high, slip_scene **result)
{
    slip_scene *s = slip_alloc(1, sizeof *s);
    int status = SLIP_OK;
    *result = NULL;
    if (!s)
        return slip_fail_memory(ctx);
    s->ctx = ctx;
    s->model = model;
    s->parameter = -1;
    s->family = (slip_static_family){.shape = &s->shape, .user = s, .low = low, .high = high};
    if (parameter)
        SLIP_TRY(find_parameter(s, parameter));
    SLIP_TRY(model->plane ? slip_scene_open_plane(s) : open_system(s));
    if (s->shape.contact_count == 0) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "the model has no contact that presses or rubs: statics has nothing to look for");
        goto done;
    }
    *result = s;
    s = NULL;
done:
    slip_scene_close(s);
    return status;
}

void slip_scene_close(slip_scene *s)
{
    if (!s)
        return;
    slip_arena_free(&s->arena);
    free(s);
}

int slip_scene_problem(slip_scene *s, double value, slip_arena *arena, slip_static_problem *problem)
{
    int status;
    if (!slip_static_values_create(arena, &s->shape, &problem->at))
        return slip_fail_memory(s->ctx);
    SLIP_TRY(slip_static_family_at(s->ctx, &s->family, value, &problem->at));
    problem->shape = s->shape;
done:
    return status;
}

slip_scene_contact slip_scene_contact_of(const slip_scene *s, int contact, const double *lambda,
                                         const double *d, double given_normal)
{
    const slip_static_contact *own = &s->shape.contacts[contact];
    return (slip_scene_contact){.normal = own->normal >= 0 ? lambda[own->normal] : given_normal,
                                .tangential = own->tangent >= 0 ? lambda[own->tangent] : 0,
                                .gap = own->normal >= 0 ? d[own->normal] : 0,
                                .slip = own->tangent >= 0 ? d[own->tangent] : 0};
}
