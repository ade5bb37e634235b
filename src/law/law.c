#include "law/law.h"

#include "base/text.h"
#include "law/types.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A new law is one file and one entry here. */
/* clang-format off */
#define LAWS(LAW) \
    LAW(coulomb) LAW(stribeck) LAW(tanh) LAW(arctan) LAW(sqrt) LAW(elliptic) LAW(user_function) LAW(dahl) LAW(lugre) \
    LAW(elastoplastic) LAW(jenkins) LAW(iwan) LAW(boucwen) LAW(rate_state)
#define DECLARE(name) extern const slip_law_type slip_law_##name;
#define ROW(name) &slip_law_##name,
LAWS(DECLARE)
const slip_law_type *const slip_law_types[] = {LAWS(ROW) NULL};
/* clang-format on */

/* Where each parameter lives in slip_law. */
typedef struct field {
    const char *name;
    size_t offset;
} field;

static const field fields[] = {
    {"mu", offsetof(slip_law, mu)},
    {"static_ratio", offsetof(slip_law, static_ratio)},
    {"velocity", offsetof(slip_law, velocity)},
    {"exponent", offsetof(slip_law, exponent)},
    {"epsilon", offsetof(slip_law, epsilon)},
    {"eta_prime", offsetof(slip_law, eta_prime)},
    {"width", offsetof(slip_law, width)},
    {"static_width", offsetof(slip_law, static_width)},
    {"viscous", offsetof(slip_law, viscous)},
    {"stiffness", offsetof(slip_law, stiffness)},
    {"damping", offsetof(slip_law, damping)},
    {"breakaway", offsetof(slip_law, breakaway)},
    {"a", offsetof(slip_law, a)},
    {"b", offsetof(slip_law, b)},
    {"beta", offsetof(slip_law, beta)},
    {"gamma", offsetof(slip_law, gamma)},
    {"length", offsetof(slip_law, length)},
    {"evolution", offsetof(slip_law, evolution)},
};

enum {
    law_count = sizeof slip_law_types / sizeof *slip_law_types - 1,
    field_count = sizeof fields / sizeof *fields
};

static double *field_of(slip_law *law, const field *place)
{
    return (double *)((char *)law + place->offset);
}

slip_law slip_law_default(const char *type)
{
    slip_law law = {.type = type};
    for (int i = 0; i < field_count; i++)
        *field_of(&law, &fields[i]) = NAN;
    return law;
}

double *slip_law_parameter(slip_law *law, const char *name)
{
    for (int i = 0; i < field_count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return field_of(law, &fields[i]);
    return NULL;
}

int slip_law_count(void)
{
    return law_count;
}

const slip_law_info *slip_law_at(int index)
{
    return index >= 0 && index < law_count ? &slip_law_types[index]->info : NULL;
}

const slip_law_type *slip_law_find(const char *name)
{
    for (int i = 0; i < law_count; i++)
        if (strcmp(slip_law_types[i]->info.name, name) == 0)
            return slip_law_types[i];
    return NULL;
}

/* ---- checks ---- */

/* Fails with `problem`, then the nearest of the names (if any is near), then all of them. */
static int fail_with_names(slip_context *ctx, const char *problem, const char *wrong,
                           const char *const *names, const char *introduction)
{
    const char *nearest = slip_text_nearest(wrong, names);
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    slip_text_append(&text, problem);
    if (nearest)
        slip_text_printf(&text, "; did you mean `%s`?", nearest);
    slip_text_printf(&text, "%s %s", nearest ? "" : ";", introduction);
    for (int i = 0; names[i]; i++)
        slip_text_printf(&text, "%s %s", i > 0 ? "," : "", names[i]);
    return text.failed ? slip_fail_memory(ctx) : slip_fail(ctx, SLIP_ERROR_MODEL, "%s", text.data);
}

static int fail_unknown_type(slip_context *ctx, const char *type)
{
    const char *names[law_count + 1] = {NULL};
    char problem[128];
    for (int i = 0; i < law_count; i++)
        names[i] = slip_law_types[i]->info.name;
    snprintf(problem, sizeof problem, "unknown law `%.60s`", type);
    return fail_with_names(ctx, problem, type, names, "the laws are");
}

static int fail_foreign_parameter(slip_context *ctx, const slip_law_info *info, const char *parameter)
{
    const char *names[field_count + 1] = {NULL};
    char problem[128];
    for (int i = 0; i < info->parameter_count; i++)
        names[i] = info->parameters[i].name;
    snprintf(problem, sizeof problem, "law `%s`: there is no parameter `%s`", info->name, parameter);
    return fail_with_names(ctx, problem, parameter, names, "its parameters are");
}

const slip_law_parameter_info *slip_law_info_of(const slip_law_type *type, const slip_law *law,
                                                const char *parameter)
{
    for (int k = 0; k < type->info.parameter_count; k++)
        if (strcmp(type->info.parameters[k].name, parameter) == 0)
            return &type->info.parameters[k];
    const int element = slip_law_element(law, parameter);
    return element < 0 ? NULL : slip_law_element_info(element);
}

static bool has_parameter(const slip_law_info *info, const char *name)
{
    for (int i = 0; i < info->parameter_count; i++)
        if (strcmp(info->parameters[i].name, name) == 0)
            return true;
    return false;
}

static bool is_expression(const slip_law *law, const char *parameter)
{
    for (int k = 0; k < law->expression_count; k++)
        if (law->expressions[k].parameter && strcmp(law->expressions[k].parameter, parameter) == 0)
            return true;
    return false;
}

/* The elements of an Iwan model. What is an expression may be any number here: it is not read. */
static int check_elements(slip_context *ctx, const slip_law *law)
{
    if (!law->elements || law->element_count < 1 || law->element_count > slip_law_sliders_max)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "law `iwan`: found %d elements, expected 1 to %d of stiffness and mu",
                         law->elements ? law->element_count : 0, (int)slip_law_sliders_max);
    for (int k = 0; k < 2 * law->element_count; k++)
        if (!slip_law_in_range(slip_law_element_info(k), law->elements[k]) &&
            !is_expression(law, slip_law_element_info(k)->name))
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "law `iwan`: element %d has stiffness %.9g and mu %.9g; expected numbers > 0",
                             k / 2 + 1, law->elements[k - k % 2], law->elements[k - k % 2 + 1]);
    return SLIP_OK;
}

/* Parameters that are expressions: the law has them, and they may vary. Until they are known they are some
 * number in their range. */
static int check_expressions(slip_context *ctx, slip_law *law, const slip_law_type *type)
{
    for (int i = 0; i < law->expression_count; i++) {
        const char *name = law->expressions[i].parameter;
        const slip_law_parameter_info *info = name ? slip_law_info_of(type, law, name) : NULL;
        double *value = name ? slip_law_parameter(law, name) : NULL;
        if (!info)
            return fail_foreign_parameter(ctx, &type->info, name ? name : "");
        bool fixed = info->words != NULL;
        for (int k = 0; type->fixed && type->fixed[k]; k++)
            fixed |= strcmp(type->fixed[k], name) == 0;
        if (fixed)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "law `%s`: %s cannot vary, found `%s`; expected a number or an expression in "
                             "the parameters",
                             type->info.name, name, law->expressions[i].text);
        if (!value) /* of an element */
            continue;
        if (!isnan(*value))
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "law `%s`: %s is both a number and the expression `%s`; expected one of them",
                             type->info.name, name, law->expressions[i].text);
        *value = (isfinite(info->minimum) ? info->minimum : 0) + 1;
    }
    return SLIP_OK;
}

/* Fails where a parameter is given that the law does not have. */
static int check_given(slip_context *ctx, slip_law *law, const slip_law_type *type)
{
    SLIP_PASS(check_expressions(ctx, law, type));
    for (int i = 0; i < field_count; i++)
        if (!isnan(*field_of(law, &fields[i])) && !has_parameter(&type->info, fields[i].name))
            return fail_foreign_parameter(ctx, &type->info, fields[i].name);
    if (type == &slip_law_user_function && !law->function)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "law `function`: the function is missing");
    if (type != &slip_law_user_function && law->function)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "law `%s`: a function was given; expected type `function`",
                         type->info.name);
    if (type == &slip_law_iwan)
        SLIP_PASS(check_elements(ctx, law));
    if (type != &slip_law_iwan && law->elements)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "law `%s`: elements were given; expected type `iwan`",
                         type->info.name);
    if (type == &slip_law_elastoplastic && law->expression_count == 0 &&
        !(law->breakaway * law->stiffness < law->mu))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "law `elastoplastic`: breakaway = %.9g is out of range; expected less than the "
                         "deflection of steady sliding, mu/stiffness = %.9g",
                         law->breakaway, law->mu / law->stiffness);
    if (type == &slip_law_boucwen && law->expression_count == 0 && law->beta + law->gamma < 0)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "law `boucwen`: beta + gamma = %.9g + %.9g is negative: nothing limits the force, which "
            "grows without end as the contact slips; expected beta + gamma >= 0 (and gamma between "
            "-beta and beta, else loops give energy)",
            law->beta, law->gamma);
    if (has_parameter(&type->info, "eta_prime") && !isnan(law->eta_prime) && !isnan(law->static_ratio))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "law `%s`: both static_ratio and eta_prime are given; expected one of them",
                         type->info.name);
    return SLIP_OK;
}

/* The number in as few digits as give it back exactly, at least for the usual ones. */
static void print_number(char *text, size_t size, double value)
{
    snprintf(text, size, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, size, "%.17g", value);
}

/* Fills in the default and checks the range. */
static int check_parameter(slip_context *ctx, const char *law, const slip_law_parameter_info *info,
                           double *value)
{
    char text[32];
    if (isnan(*value)) {
        if (isnan(info->fallback))
            return slip_fail(ctx, SLIP_ERROR_MODEL, "law `%s`: %s (%s) is missing; expected %s %g", law,
                             info->name, info->meaning, info->open ? ">" : ">=", info->minimum);
        *value = info->fallback;
    }
    if (info->words && *value != floor(*value))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "law `%s`: %s = %g is not the number of a word", law,
                         info->name, *value);
    if (slip_law_in_range(info, *value))
        return SLIP_OK;
    print_number(text, sizeof text, *value);
    if (!isfinite(*value))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "law `%s`: %s = %s is not finite; expected %s %g", law,
                         info->name, text, info->open ? ">" : ">=", info->minimum);
    return slip_fail(ctx, SLIP_ERROR_MODEL, "law `%s`: %s = %s is out of range; expected %s %g", law,
                     info->name, text, info->open ? ">" : ">=", info->minimum);
}

/* static_ratio and eta_prime are alternatives: the given one determines the other. */
static void complete_peak(slip_law *law, bool eta_prime_given)
{
    if (eta_prime_given)
        law->static_ratio = slip_law_static_ratio(law->eta_prime);
    else
        law->eta_prime = slip_law_eta_prime(law->static_ratio);
}

/* Whether constants and breaks are finite: a combination of parameters that are in range may still overflow.
 */
static bool kernel_is_finite(const slip_law_kernel *kernel)
{
    for (int i = 0; i < slip_law_constants_max; i++)
        if (!isfinite(kernel->constants[i]))
            return false;
    for (int i = 0; i < kernel->break_count; i++)
        if (!isfinite(kernel->breaks[i].velocity))
            return false;
    return true;
}

void slip_law_derive(slip_law_kernel *kernel)
{
    if (kernel->type == &slip_law_sqrt)
        complete_peak(&kernel->law, kernel->peak_by_weight);
    kernel->type->prepare(kernel);
}

bool slip_law_in_range(const slip_law_parameter_info *info, double value)
{
    return (info->open ? value > info->minimum : value >= info->minimum) && isfinite(value);
}

int slip_law_prepare(slip_context *ctx, const slip_law *law, slip_law_kernel *kernel)
{
    const slip_law_type *type;
    *kernel = (slip_law_kernel){.law = *law};
    if (!law->type)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "the law has no type");
    type = slip_law_find(law->type);
    if (!type)
        return fail_unknown_type(ctx, law->type);
    SLIP_PASS(check_given(ctx, &kernel->law, type));
    kernel->peak_by_weight = !isnan(kernel->law.eta_prime);
    for (int i = 0; i < type->info.parameter_count; i++) {
        const slip_law_parameter_info *info = &type->info.parameters[i];
        SLIP_PASS(check_parameter(ctx, type->info.name, info, slip_law_parameter(&kernel->law, info->name)));
    }
    kernel->type = type;
    kernel->law.type = type->info.name; /* outlives the caller's string */
    slip_law_derive(kernel);
    if (!kernel_is_finite(kernel))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "law `%s`: the parameters are too far apart; forces or slopes overflow",
                         type->info.name);
    return SLIP_OK;
}

/* ---- memory ---- */

int slip_law_state_count(const slip_law_type *type, const slip_law *law)
{
    return !type->remember ? 0 : type->state_count ? type->state_count(law) : 1;
}

void slip_law_prepare_kink(slip_law_kernel *kernel)
{
    kernel->breaks[0] = (slip_law_break){.velocity = 0};
    kernel->break_count = 1;
}

double slip_law_deflection(const slip_law_kernel *kernel)
{
    return kernel->law.mu / kernel->law.stiffness;
}

void slip_law_state_name(const slip_law_type *type, int count, int k, char name[slip_law_state_name_size])
{
    if (count > 1)
        snprintf(name, slip_law_state_name_size, "z%d", k + 1);
    else
        snprintf(name, slip_law_state_name_size, "%s", type->state_name ? type->state_name : "z");
}

const char *slip_law_plane_state_name(int k)
{
    return k == 0 ? "zx" : "zy";
}

void slip_law_bristles(const slip_law *law, double g, double g_s, double damping, const double v[2],
                       const double z[2], slip_law_plane *to)
{
    const double s = hypot(v[0], v[1]), pull = law->stiffness * s / g,
                 slope = s > 0 ? law->stiffness / g * (1 - s * g_s / g) / s : 0;
    for (int i = 0; i < 2; i++) {
        to->rate[i] = v[i] - pull * z[i];
        to->force[i] = law->stiffness * z[i] + damping * to->rate[i];
        for (int j = 0; j < 2; j++) {
            to->rate_v[2 * i + j] = (i == j) - slope * z[i] * v[j];
            to->rate_z[2 * i + j] = i == j ? -pull : 0;
            to->force_v[2 * i + j] = damping * to->rate_v[2 * i + j];
            to->force_z[2 * i + j] = (i == j ? law->stiffness : 0) + damping * to->rate_z[2 * i + j];
        }
    }
}

/* ---- evaluation ---- */

int slip_law_piece(const slip_law_kernel *kernel, double v)
{
    int piece = 0;
    for (int i = 0; i < kernel->break_count; i++)
        piece += v >= kernel->breaks[i].velocity;
    return piece;
}

bool slip_law_takes_given_slip(const slip_law *law)
{
    const slip_law_type *type = law && law->type ? slip_law_find(law->type) : NULL;
    return type && (type->remember || (!type->info.set_valued && !type->chart));
}

double slip_law_hold(const slip_law_kernel *kernel)
{
    return kernel->type->info.set_valued ? kernel->law.mu * kernel->law.static_ratio : 0;
}

int slip_law_evaluate(slip_context *ctx, const slip_law *law, double v, double *force, double *slope)
{
    SLIP_NEED(ctx, law, force, slope);
    slip_law_kernel kernel;
    SLIP_PASS(slip_law_prepare(ctx, law, &kernel));
    if (!isfinite(v))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "law `%s`: slip velocity %g is not finite", law->type, v);
    slip_law_force(&kernel, slip_law_piece(&kernel, v), v, force, slope);
    if (v == 0 && kernel.type->info.set_valued)
        *force = 0;
    return SLIP_OK;
}

double slip_law_velocity_scale(const slip_law_kernel *kernel)
{
    const double scales[] = {kernel->law.velocity, kernel->law.epsilon, kernel->law.width};
    double smallest = INFINITY;
    if (kernel->type->velocity_scale)
        return kernel->type->velocity_scale(kernel);
    for (int k = 0; k < 3; k++)
        if (scales[k] < smallest) /* a parameter that the law does not have is not a number */
            smallest = scales[k];
    return kernel->law.mu > 0 ? smallest : INFINITY;
}

bool slip_law_amounts_to_coulomb(const slip_law_kernel *law)
{
    double near, far, slope;
    if (!law->type->info.set_valued || law->law.viscous != 0)
        return false;
    slip_law_force(law, 1, 0, &near, &slope);
    slip_law_force(law, 1, 1e100, &far, &slope);
    return near == far;
}
