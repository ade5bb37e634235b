/* Building and checking a system. */
#include "base/shelf.h"
#include "patch/patch.h"
#include "system/field.h"
#include "system/massless/massless.h"
#include "system/structure/structure.h"

#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int slip_system_create(slip_context *ctx, int n, int state_count, const char *const *names,
                       slip_system **result)
{
    slip_system *system = calloc(1, sizeof *system);
    size_t square = (size_t)n * (size_t)n;
    bool complete;
    *result = NULL;
    if (!system)
        return slip_fail_memory(ctx);
    system->n = n;
    system->structure = &slip_structure_linear;
    system->state_count = state_count;
    system->names = slip_arena_array(&system->arena, n, sizeof *system->names);
    system->mass = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->damping = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->stiffness = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->inverse_mass = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->shelf = slip_arena_alloc(&system->arena, sizeof *system->shelf);
    complete = system->shelf && system->names && system->mass && system->damping && system->stiffness &&
               system->inverse_mass;
    for (int i = 0; i < n && complete; i++)
        complete = (system->names[i] = slip_arena_string(&system->arena, names[i])) != NULL;
    if (!complete) {
        slip_system_destroy(system);
        return slip_fail_memory(ctx);
    }
    for (int i = n - state_count; i < n; i++)
        system->mass[(size_t)i * (size_t)n + (size_t)i] = 1;
    *result = system;
    return SLIP_OK;
}

/* What it owns; the form itself is in the arena. */
static void destroy_patch(slip_patch_form *patch)
{
    for (int part = 0; patch && part < 3; part++)
        slip_expression_destroy(patch->slip[part].rest);
    if (patch && !patch->shared)
        slip_patch_destroy(patch->law);
}

static void destroy_term(slip_force_term *term)
{
    slip_expression_destroy(term->expression);
    slip_expression_destroy(term->rest);
}

void slip_system_destroy(slip_system *system)
{
    if (!system)
        return;
    if (system->shelf)
        slip_shelf_put(system->shelf, NULL);
    for (int64_t i = 0; i < system->force_count; i++)
        destroy_term(&system->forces[i]);
    for (int64_t i = 0; i < system->contact_count; i++) {
        slip_expression_destroy(system->contacts[i].slip.rest);
        slip_expression_destroy(system->contacts[i].normal_force);
        slip_expression_destroy(system->contacts[i].gap.rest);
        for (int k = 0; k < system->contacts[i].varying_count; k++)
            slip_expression_destroy(system->contacts[i].varying[k]);
        slip_expression_destroy(system->contacts[i].creep.balance);
        destroy_patch(system->contacts[i].patch);
    }
    if (system->structure->destroy)
        system->structure->destroy(system);
    slip_field_free(system);
    slip_massless_destroy(system->massless);
    free(system->forces);
    free(system->contacts);
    free(system->sliders);
    slip_arena_free(&system->arena);
    free(system);
}

slip_symbol *slip_system_symbols(slip_arena *arena, int n, int state_count, const char *const *names,
                                 const slip_symbol *parameters, const slip_interpolants *inputs)
{
    const int64_t input_count = inputs ? inputs->count : 0;
    int parameter_count = 0, count = 0;
    slip_symbol *symbols;
    while (parameters && parameters[parameter_count].name)
        parameter_count++;
    symbols = slip_arena_array(arena, 2 + 2 * (int64_t)n + parameter_count + input_count, sizeof *symbols);
    if (!symbols)
        return NULL;
    symbols[count++] = (slip_symbol){"t", slip_slot_time(), 0, NULL, SLIP_RATE_ONE};
    for (int i = 0; i < n; i++) {
        size_t length = strlen(names[i]);
        char *velocity = slip_arena_alloc(arena, length + 2);
        if (!velocity)
            return NULL;
        memcpy(velocity, names[i], length);
        velocity[length] = i < n - state_count ? '\'' : '\0';
        symbols[count++] =
            (slip_symbol){names[i], i < n - state_count ? slip_slot_coordinate(i) : slip_slot_velocity(n, i),
                          0, NULL, i < n - state_count ? slip_slot_velocity(n, i) : 0};
        symbols[count++] = (slip_symbol){velocity, slip_slot_velocity(n, i), 0, NULL, 0};
    }
    for (int i = 0; i < parameter_count; i++)
        symbols[count++] = (slip_symbol){parameters[i].name, -1, parameters[i].value, NULL, 0};
    for (int64_t i = 0; i < input_count; i++)
        symbols[count++] = (slip_symbol){inputs->list[i]->name, -1, 0, inputs->list[i], 0};
    return symbols;
}

bool slip_system_note(slip_system *system, const slip_expression *expression)
{
    bool time_only = true;
    if (!expression)
        return true;
    if (slip_expression_scratch(expression) > system->scratch_count)
        system->scratch_count = slip_expression_scratch(expression);
    for (int slot = 1; slot <= 2 * system->n; slot++)
        time_only &= !slip_expression_reads(expression, slot);
    system->reads_state |= !time_only;
    return time_only;
}

/* Finds out whether a load is a single harmonic, which has a quicker form. */
static int recognise(slip_context *ctx, slip_force_term *term)
{
    slip_harmonic wave;
    const int count =
        term->time_only ? slip_expression_harmonics(term->expression, slip_slot_time(), &wave, 1) : 0;
    if (count == SLIP_ERROR_MEMORY)
        return slip_fail_memory(ctx);
    if (count != 1 || wave.power != 0 || (wave.cosine != 0 && wave.sine != 0))
        return SLIP_OK;
    term->form = wave.cosine != 0 ? SLIP_LOAD_COSINE : SLIP_LOAD_SINE;
    term->amplitude = wave.cosine + wave.sine;
    term->frequency = wave.frequency;
    return SLIP_OK;
}

void slip_system_remove_force(slip_system *system, int coordinate)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < system->force_count; i++)
        if (system->forces[i].coordinate == coordinate && !system->forces[i].structural &&
            !system->forces[i].of_contact)
            destroy_term(&system->forces[i]);
        else
            system->forces[kept++] = system->forces[i];
    system->force_count = kept;
}

/* The constant coefficients of `count` slots from `first` on. */
static int find_coefficients(slip_context *ctx, slip_system *system, const slip_expression *expression,
                             int first, int count, double **row)
{
    int slots = 1 + 2 * system->n;
    double *point = slip_alloc(2 * (int64_t)slots + slip_expression_scratch(expression), sizeof(double));
    *row = slip_arena_array(&system->arena, count, sizeof(double));
    if (!point || !*row) {
        free(point);
        return slip_fail_memory(ctx);
    }
    slip_expression_gradient(expression, point, slots, point + slots, point + 2 * slots);
    memcpy(*row, point + slots + first, (size_t)count * sizeof(double));
    free(point);
    return SLIP_OK;
}

/* The coefficients and the rest of a term that is linear in coordinates, velocities and states. */
static int find_linear(slip_context *ctx, slip_system *system, slip_force_term *term)
{
    const int n = system->n;
    double value = 1, *row;
    int status = SLIP_OK;
    if (slip_expression_dependence(term->expression, slip_moving_slots(n)) != SLIP_LINEAR_CONSTANT)
        goto done;
    SLIP_TRY(find_coefficients(ctx, system, term->expression, slip_slot_coordinate(0), 2 * n, &row));
    if (slip_expression_restrict(term->expression, slip_moving_slots(n), &term->rest) < 0) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    if (slip_expression_is_constant(term->rest, &value) && value == 0) {
        slip_expression_destroy(term->rest);
        term->rest = NULL;
    }
    slip_system_note(system, term->rest);
    term->linear = row;
done:
    return status;
}

int slip_system_add_force(slip_context *ctx, slip_system *system, int coordinate, slip_expression *expression)
{
    slip_force_term *term;
    double value;
    if (slip_expression_is_constant(expression, &value) && value == 0) {
        slip_expression_destroy(expression);
        return SLIP_OK;
    }
    if (!slip_array_reserve(&system->forces, &system->force_capacity, system->force_count + 1,
                            sizeof *system->forces)) {
        slip_expression_destroy(expression);
        return slip_fail_memory(ctx);
    }
    term = &system->forces[system->force_count++];
    *term = (slip_force_term){.coordinate = coordinate, .expression = expression};
    term->time_only = slip_system_note(system, expression);
    return term->time_only ? recognise(ctx, term) : find_linear(ctx, system, term);
}

int slip_system_add_push(slip_context *ctx, slip_system *system, slip_expression *normal_force,
                         const double *row)
{
    const int64_t before = system->force_count;
    const int n = system->n;
    double *own = slip_arena_array(&system->arena, n, sizeof *own);
    int first = 0;
    if (!own) {
        slip_expression_destroy(normal_force);
        return slip_fail_memory(ctx);
    }
    memcpy(own, row, (size_t)n * sizeof *own);
    while (first + 1 < n && row[first] == 0)
        first++;
    const int status = slip_system_add_force(ctx, system, first, normal_force);
    for (int64_t k = before; k < system->force_count; k++) {
        system->forces[k].row = own;
        system->forces[k].of_contact = true;
    }
    return status;
}

static int find_support(slip_context *ctx, slip_system *system, slip_slip_form *form)
{
    form->support = slip_arena_array(&system->arena, system->n, sizeof(int));
    if (!form->support)
        return slip_fail_memory(ctx);
    for (int i = 0; i < system->n; i++)
        if (form->row[i] != 0)
            form->support[form->support_count++] = i;
    return SLIP_OK;
}

/* Takes over `slip`. `any`: it may also do without velocities. */
static int read_slip(slip_context *ctx, slip_system *system, const char *name, slip_expression *slip,
                     bool any, slip_slip_form *form)
{
    const slip_slot_set velocities = slip_velocity_slots(system->n, slip_system_coordinates(system));
    const slip_dependence dependence = slip_expression_dependence(slip, velocities);
    slip_expression *rest = NULL;
    int status = SLIP_OK;
    form->coordinates = slip_system_coordinates(system);
    if ((dependence == SLIP_INDEPENDENT && !any) || dependence == SLIP_NONLINEAR) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "contact `%s`: slip `%s` %s; expected an expression linear in the velocities",
                           name, slip_expression_text(slip),
                           dependence == SLIP_NONLINEAR ? "is not linear in the velocities"
                                                        : "has no velocity in it");
        goto done;
    }
    if (dependence == SLIP_LINEAR_VARYING) {
        form->rest = slip;
        slip = NULL;
        goto done;
    }
    SLIP_TRY(find_coefficients(ctx, system, slip, slip_slot_velocity(system->n, 0), system->n, &form->row));
    for (int i = slip_system_coordinates(system); i < system->n; i++)
        form->row[i] = 0; /* states are in the rest: friction does not act on them */
    SLIP_TRY(find_support(ctx, system, form));
    if (form->support_count == 0 && !any) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "contact `%s`: in slip `%s` the velocities cancel; expected an expression linear "
                           "in the velocities",
                           name, slip_expression_text(slip));
        goto done;
    }
    if (slip_expression_restrict(slip, velocities, &rest) < 0) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    if (slip_expression_is_constant(rest, &form->constant)) {
        slip_expression_destroy(rest);
        rest = NULL;
    }
    form->rest = rest;
done:
    slip_expression_destroy(slip);
    return status;
}

/* Of a contact that has no slip. */
static int no_slip(slip_context *ctx, slip_system *system, slip_slip_form *form)
{
    form->row = slip_arena_array(&system->arena, system->n, sizeof(double));
    form->support = slip_arena_array(&system->arena, system->n, sizeof(int));
    return form->row && form->support ? SLIP_OK : slip_fail_memory(ctx);
}

/* A given normal force; the contact takes over what is not a number. */
static int read_normal(slip_context *ctx, const char *name, slip_expression **normal_force,
                       slip_contact *contact)
{
    if (*normal_force && !slip_expression_is_constant(*normal_force, &contact->normal_constant)) {
        contact->normal_force = *normal_force;
        *normal_force = NULL;
    } else if (contact->normal_constant < 0) {
        return slip_fail(ctx, SLIP_ERROR_MODEL, "contact `%s`: normal_force is %.9g; expected at least 0",
                         name, contact->normal_constant);
    }
    return SLIP_OK;
}

/* There is room for it. A law with memory finds its states. */
static int append(slip_context *ctx, slip_system *system, const slip_contact *contact)
{
    int status = SLIP_OK;
    system->contacts[system->contact_count++] = *contact;
    if (contact->law.type->remember)
        status = slip_system_attach_states(ctx, system, (int)system->contact_count - 1);
    system->contact_count -= status < 0;
    return status;
}

int slip_system_add_friction(slip_context *ctx, slip_system *system, const char *name, slip_expression *slip,
                             slip_expression *normal_force, const slip_law *law)
{
    int status = SLIP_OK;
    slip_contact contact = {.normal_constant = 1};
    contact.frictionless = !slip;
    SLIP_TRY(slip ? read_slip(ctx, system, name, slip, slip_law_takes_given_slip(law), &contact.slip)
                  : no_slip(ctx, system, &contact.slip));
    SLIP_TRY(slip_law_prepare(ctx, law, &contact.law));
    contact.name = slip_arena_string(&system->arena, name);
    if (!contact.name || !slip_array_reserve(&system->contacts, &system->contact_capacity,
                                             system->contact_count + 1, sizeof *system->contacts)) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    SLIP_TRY(read_normal(ctx, name, &normal_force, &contact));
    slip_system_note(system, contact.slip.rest);
    slip_system_note(system, contact.normal_force);
    SLIP_TRY(append(ctx, system, &contact));
done:
    slip_expression_destroy(normal_force);
    if (status < 0) {
        slip_expression_destroy(contact.slip.rest);
        slip_expression_destroy(contact.normal_force);
    }
    return status;
}

/* ---- Rows that are given by numbers. */

static bool take_tail(slip_system *system, const slip_tail *from, slip_tail *to)
{
    int64_t *unknown = slip_arena_array(&system->arena, from->count, sizeof *unknown);
    double *value = slip_arena_array(&system->arena, from->count, sizeof *value);
    if (!unknown || !value)
        return false;
    if (from->count > 0) {
        memcpy(unknown, from->unknown, (size_t)from->count * sizeof *unknown);
        memcpy(value, from->value, (size_t)from->count * sizeof *value);
    }
    *to = (slip_tail){from->count, unknown, value};
    return true;
}

static int take_gap(slip_context *ctx, slip_system *system, const slip_contact_rows *rows,
                    slip_gap_form *form)
{
    form->row = slip_arena_array(&system->arena, system->n, sizeof(double));
    if (!form->row || !take_tail(system, &rows->gap_tail, &form->tail))
        return slip_fail_memory(ctx);
    if (system->n > 0)
        memcpy(form->row, rows->gap, (size_t)system->n * sizeof(double));
    form->constant = rows->number;
    return SLIP_OK;
}

/* Takes over `rest`, the part that is a function of time. */
static int take_slip(slip_context *ctx, slip_system *system, const double *row, const slip_tail *tail,
                     slip_expression *rest, slip_slip_form *form)
{
    form->rest = rest;
    form->row = slip_arena_array(&system->arena, system->n, sizeof(double));
    form->coordinates = slip_system_coordinates(system);
    if (!form->row || !take_tail(system, tail, &form->tail))
        return slip_fail_memory(ctx);
    if (system->n > 0 && row)
        memcpy(form->row, row, (size_t)system->n * sizeof(double));
    if (rest && slip_expression_is_constant(rest, &form->constant)) {
        slip_expression_destroy(rest);
        form->rest = NULL;
    }
    return find_support(ctx, system, form);
}

/* The slip velocities; takes over the expressions. */
/* ---- Patches. */

static int read_patch_slip(slip_context *ctx, slip_system *system, const char *name, slip_expression **slip,
                           const slip_contact_rows *rows, slip_patch_form *patch)
{
    int status = SLIP_OK;
    bool moves = (patch->law->point && !patch->set_valued) || rows;
    for (int part = 0; part < 3; part++) {
        slip_expression *given = slip[part];
        slip[part] = NULL;
        if (rows && part < 2)
            SLIP_TRY(
                take_slip(ctx, system, rows->slip[part], &rows->slip_tails[part], given, &patch->slip[part]));
        else if (given)
            SLIP_TRY(read_slip(ctx, system, name, given, true, &patch->slip[part]));
        else
            SLIP_TRY(no_slip(ctx, system, &patch->slip[part]));
        slip_system_note(system, patch->slip[part].rest);
        moves |= !patch->slip[part].row || patch->slip[part].support_count > 0;
    }
    if (!moves)
        status = slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "contact `%s`: there is no velocity in the slip of the patch; expected at least one of x, y "
            "and spin to be linear in the velocities",
            name);
done:
    return status;
}

/* Laws of patches are not rows of the table of laws: what asks for a law gets one without friction. */
static int set_no_law(slip_context *ctx, slip_contact *contact)
{
    slip_law none = slip_law_default("tanh");
    none.mu = 0;
    none.velocity = 1;
    return slip_law_prepare(ctx, &none, &contact->law);
}

/* ---- Gaps. */

/* Takes over `gap`. */
static int read_gap(slip_context *ctx, slip_system *system, const char *name, slip_expression *gap,
                    slip_gap_form *form)
{
    int status = SLIP_OK, n = system->n;
    slip_harmonic terms[16];
    const slip_slot_set moving = slip_velocity_slots(n, n); /* and states */
    const slip_dependence dependence = slip_expression_dependence(gap, slip_place_slots(n));
    if (dependence == SLIP_INDEPENDENT || slip_expression_dependence(gap, moving) != SLIP_INDEPENDENT) {
        status =
            slip_fail(ctx, SLIP_ERROR_MODEL,
                      "contact `%s`: gap `%s` %s; expected an expression of coordinates and t such as `1 "
                      "- x` or `y - l*sin(phi)`",
                      name, slip_expression_text(gap),
                      dependence == SLIP_INDEPENDENT ? "reads no coordinate" : "reads a velocity");
        goto done;
    }
    if (dependence != SLIP_LINEAR_CONSTANT) {
        form->rest = gap;
        system->varying_gaps = true;
        gap = NULL;
        goto done;
    }
    SLIP_TRY(find_coefficients(ctx, system, gap, slip_slot_coordinate(0), n, &form->row));
    if (slip_expression_restrict(gap, slip_place_slots(n), &form->rest) < 0) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    if (slip_expression_is_constant(form->rest, &form->constant)) {
        slip_expression_destroy(form->rest);
        form->rest = NULL;
        goto done;
    }
    form->term_count = slip_expression_harmonics(form->rest, slip_slot_time(), terms, 16);
    if (form->term_count == SLIP_ERROR_MEMORY) {
        status = slip_fail_memory(ctx);
    } else if (form->term_count >= 0) {
        form->terms = slip_arena_array(&system->arena, form->term_count + 1, sizeof *terms);
        if (!form->terms)
            status = slip_fail_memory(ctx);
        else
            memcpy(form->terms, terms, (size_t)form->term_count * sizeof *terms);
    }
done:
    slip_expression_destroy(gap);
    return status;
}

static int check_restitution(slip_context *ctx, const char *name, double restitution)
{
    if (restitution >= 0 && restitution <= 1)
        return SLIP_OK;
    return slip_fail(ctx, SLIP_ERROR_MODEL, "contact `%s`: restitution is %.9g; expected 0 to 1", name,
                     restitution);
}

static int refuse_impact(slip_context *ctx, const slip_contact *contact)
{
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "contact `%s`: impact_friction `coulomb` is that of a law with a coefficient mu, and law "
        "`%s` has none; expected `none`, or another law",
        contact->name, contact->law.type->info.name);
}

/* ---- Slips of more than one dimension. */

int slip_system_add_patch(slip_context *ctx, slip_system *system, const slip_patch_contact *options)
{
    int status = SLIP_OK;
    slip_expression *slip[3] = {options->slip[0], options->slip[1], options->slip[2]},
                    *normal_force = options->normal_force, *gap = options->gap;
    const bool has_gap = gap || options->rows;
    slip_contact contact = {.normal_constant = 1,
                            .has_gap = has_gap,
                            .frictionless = has_gap && options->mu == 0,
                            .restitution = options->restitution,
                            .impact_friction = options->impact_friction};
    slip_patch_form *patch = slip_arena_alloc(&system->arena, sizeof *patch);
    contact.name = slip_arena_string(&system->arena, options->name);
    if (!patch || !contact.name ||
        !slip_array_reserve(&system->contacts, &system->contact_capacity, system->contact_count + 1,
                            sizeof *system->contacts)) {
        if (!options->shared)
            slip_patch_destroy(options->law);
        status = slip_fail_memory(ctx);
        goto done;
    }
    slip_patch_info info = slip_patch_describe(options->law);
    *patch = (slip_patch_form){.mu = options->mu,
                               .law = options->law,
                               .shared = options->shared,
                               .size = info.size,
                               .epsilon = info.epsilon,
                               .static_ratio = info.static_ratio,
                               .set_valued = info.epsilon == 0 && options->mu > 0,
                               .flat = options->law->point,
                               .impact_mu = options->law->point ? options->law->smooth.law.mu : options->mu,
                               .index = system->patch_count};
    contact.patch = patch;
    if (!(options->mu >= 0) || !isfinite(options->mu)) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL, "contact `%s`: mu is %.9g; expected a number >= 0",
                           options->name, options->mu);
        goto done;
    }
    SLIP_TRY(read_patch_slip(ctx, system, options->name, slip, options->rows, patch));
    SLIP_TRY(no_slip(ctx, system, &contact.slip));
    if (options->law->point && options->law->smooth.type->remember)
        contact.law = options->law->smooth;
    else
        SLIP_TRY(set_no_law(ctx, &contact));
    SLIP_TRY(check_restitution(ctx, options->name, options->restitution));
    if (contact.impact_friction && isnan(patch->impact_mu)) {
        status = refuse_impact(ctx, &contact);
        goto done;
    }
    if (gap) {
        slip_expression *taken = gap;
        gap = NULL;
        SLIP_TRY(read_gap(ctx, system, options->name, taken, &contact.gap));
    }
    if (options->rows)
        SLIP_TRY(take_gap(ctx, system, options->rows, &contact.gap));
    SLIP_TRY(read_normal(ctx, options->name, &normal_force, &contact));
    slip_system_note(system, contact.normal_force);
    slip_system_note(system, contact.gap.rest);
    SLIP_TRY(append(ctx, system, &contact));
    system->patch_count++;
    system->pressed_patches |= contact.has_gap;
done:
    for (int part = 0; part < 3; part++)
        slip_expression_destroy(slip[part]);
    slip_expression_destroy(normal_force);
    slip_expression_destroy(gap);
    if (status < 0) {
        slip_expression_destroy(contact.gap.rest);
        destroy_patch(contact.patch);
    }
    return status;
}

/* ---- Unilateral contacts. */

int slip_system_add_unilateral(slip_context *ctx, slip_system *system, const slip_unilateral *options)
{
    int status = SLIP_OK;
    slip_contact contact = {.has_gap = true,
                            .frictionless =
                                !options->law || (options->rows ? !options->rows->slip[0] : !options->slip),
                            .restitution = options->restitution,
                            .impact_friction = options->impact_friction};
    slip_law none = slip_law_default("tanh");
    none.mu = 0;
    none.velocity = 1;
    if (options->rows) {
        status = take_slip(ctx, system, options->rows->slip[0], &options->rows->slip_tails[0], options->slip,
                           &contact.slip);
        SLIP_TRY(status);
        SLIP_TRY(take_gap(ctx, system, options->rows, &contact.gap));
    } else {
        status = read_gap(ctx, system, options->name, options->gap, &contact.gap);
        if (status < 0)
            slip_expression_destroy(options->slip);
        SLIP_TRY(status);
        if (options->slip)
            SLIP_TRY(read_slip(ctx, system, options->name, options->slip, false, &contact.slip));
        else
            SLIP_TRY(no_slip(ctx, system, &contact.slip));
    }
    SLIP_TRY(check_restitution(ctx, options->name, options->restitution));
    SLIP_TRY(slip_law_prepare(ctx, contact.frictionless ? &none : options->law, &contact.law));
    contact.name = slip_arena_string(&system->arena, options->name);
    if (!contact.name || !slip_array_reserve(&system->contacts, &system->contact_capacity,
                                             system->contact_count + 1, sizeof *system->contacts)) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    if (contact.impact_friction && isnan(contact.law.law.mu)) {
        status = refuse_impact(ctx, &contact);
        goto done;
    }
    slip_system_note(system, contact.slip.rest);
    slip_system_note(system, contact.gap.rest);
    SLIP_TRY(append(ctx, system, &contact));
done:
    if (status < 0) {
        slip_expression_destroy(contact.slip.rest);
        slip_expression_destroy(contact.gap.rest);
    }
    return status;
}

bool slip_mass_unusable(int n, const double *mass, int *row, int *column, char *message, size_t size)
{
    double *scaled, *values;
    bool unusable = true, diagonal = true;
    *row = *column = -1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double a = mass[i * n + j], b = mass[j * n + i];
            diagonal = diagonal && a == 0 && b == 0;
            if (fabs(a - b) > 1e-12 * (fabs(a) + fabs(b))) {
                *row = i, *column = j;
                snprintf(message, size, "is not symmetric: entry (%d,%d) is %.9g, entry (%d,%d) is %.9g",
                         i + 1, j + 1, a, j + 1, i + 1, b);
                return true;
            }
        }
    for (int i = 0; i < n; i++)
        if (!(mass[i * n + i] >= 0)) {
            *row = *column = i;
            snprintf(message, size, "is not positive: diagonal entry %d is %.9g; expected at least 0", i + 1,
                     mass[i * n + i]);
            return true;
        }
    if (diagonal)
        return false;
    /* With unit diagonal the eigenvalues do not depend on the units of the coordinates. */
    scaled = slip_alloc((int64_t)n * n + n, sizeof(double));
    if (!scaled) {
        snprintf(message, size, "cannot be checked: out of memory");
        return true;
    }
    values = scaled + n * n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            scaled[i * n + j] =
                mass[i * n + j] == 0 ? 0 : mass[i * n + j] / sqrt(mass[i * n + i]) / sqrt(mass[j * n + j]);
    if (!slip_dense_eigenvalues(n, scaled, values))
        snprintf(message, size, "cannot be checked: its eigenvalues were not found");
    else if (values[0] < -1e-13 * n)
        snprintf(message, size, "is not positive: smallest eigenvalue with unit diagonal is %.3g", values[0]);
    else
        unusable = false;
    free(scaled);
    return unusable;
}

/* A diagonal matrix with positive entries is not, which needs no looking. */
static bool may_be_singular(int n, const double *mass)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i == j ? !(mass[i * n + i] > 0) : mass[i * n + j] != 0)
                return true;
    return false;
}

/* The matrices of the loads that are linear. */
static bool sum_linear(slip_system *system)
{
    const int n = system->n;
    for (int64_t k = 0; k < system->force_count; k++) {
        const slip_force_term *term = &system->forces[k];
        if (!term->linear) /* that of a compliant contact is not */
            continue;
        if (!system->load_q) {
            system->load_q = slip_arena_array(&system->arena, 2 * (int64_t)n * n, sizeof(double));
            system->load_v = system->load_q + (ptrdiff_t)n * n;
        }
        for (int j = 0; j < n && system->load_q; j++) {
            system->load_q[term->coordinate * n + j] += term->linear[j];
            system->load_v[term->coordinate * n + j] += term->linear[n + j];
        }
        if (!system->load_q)
            return false;
    }
    return true;
}

/* Of a constant mass matrix. */
static int divide_by_mass(slip_context *ctx, slip_system *system)
{
    const int n = system->n;
    char reason[200];
    int row, column;
    if (slip_mass_unusable(system->n, system->mass, &row, &column, reason, sizeof reason))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "mass matrix %s", reason);
    if (may_be_singular(n, system->mass)) {
        const int status = slip_massless_create(ctx, system, &system->massless);
        if (status < 0 || system->massless)
            return status;
    }
    memcpy(system->inverse_mass, system->mass, (size_t)n * (size_t)n * sizeof(double));
    if (!slip_dense_invert_spd(n, system->inverse_mass))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "mass matrix is not positive definite");
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const double factor = system->inverse_mass[i * n + k];
            for (int j = 0; j < n && factor != 0; j++) {
                system->mass_structure[i * 2 * n + j] += factor * system->stiffness[k * n + j];
                system->mass_structure[i * 2 * n + n + j] += factor * system->damping[k * n + j];
            }
        }
    return SLIP_OK;
}

/* The entries that are not zero, where that is most of them not. */
static int find_sparse(slip_context *ctx, slip_system *system)
{
    enum { smallest = 16, part = 4 };
    const int64_t n = system->n;
    int64_t count = 0, used = 0;
    for (int64_t i = 0; i < n * n; i++)
        count += system->inverse_mass[i] != 0;
    for (int64_t i = 0; i < 2 * n * n; i++)
        count += system->mass_structure[i] != 0;
    if (n < smallest || part * count > 3 * n * n)
        return SLIP_OK;
    slip_sparse_rows *rows = &system->sparse;
    rows->start = slip_arena_array(&system->arena, 3 * n + 1, sizeof *rows->start);
    rows->column = slip_arena_array(&system->arena, count + 1, sizeof *rows->column);
    rows->value = slip_arena_array(&system->arena, count + 1, sizeof *rows->value);
    if (!rows->start || !rows->column || !rows->value)
        return slip_fail_memory(ctx);
    for (int64_t i = 0; i < n; i++)
        for (int block = 0; block < 3; block++) {
            const double *from = block == 0 ? system->inverse_mass + i * n
                                            : system->mass_structure + i * 2 * n + (block - 1) * n;
            rows->start[3 * i + block] = (int)used;
            for (int j = 0; j < n; j++)
                if (from[j] != 0) {
                    rows->column[used] = j;
                    rows->value[used++] = from[j];
                }
        }
    rows->start[3 * n] = (int)used;
    return SLIP_OK;
}

int slip_system_finish(slip_context *ctx, slip_system *system)
{
    const int n = system->n;
    int status = SLIP_OK;
    if (system->finished)
        return SLIP_OK;
    if (system->structure->derive)
        SLIP_TRY(system->structure->derive(ctx, system));
    system->mass_structure = slip_arena_array(&system->arena, 2 * (int64_t)n * n, sizeof(double));
    if (!system->mass_structure)
        return slip_fail_memory(ctx);
    for (int i = 0; i < n * n; i++)
        system->linear_part |= system->damping[i] != 0 || system->stiffness[i] != 0;
    if (!system->varying_mass) {
        SLIP_TRY(divide_by_mass(ctx, system));
        SLIP_TRY(find_sparse(ctx, system));
    }
    system->state_loads = system->force_function || system->structure->push;
    for (int64_t k = 0; k < system->force_count; k++)
        system->state_loads |= !system->forces[k].time_only;
    if (system->state_loads && !sum_linear(system))
        return slip_fail_memory(ctx);
    system->accelerate = slip_system_kernel(n, system->varying_mass);
    system->finished = true;
done:
    return status;
}
