/* slip_fmu_save: makes the files of an FMU and writes its archive. */
#define _GNU_SOURCE /* dladdr */
#include "fmi/description.h"
#include "io/zip.h"
#include "method/exchange/exchange.h"
#include "simulation/simulation.h"
#include "slipstick/fmu.h"

#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { library_most = 512 << 20, file_most = 1 << 30, name_most = 400 };

SLIP_OPTIONS_FILL(slip_fmu_options, .identifier = NULL)

typedef struct package {
    slip_context *ctx;
    const slip_model *model; /* as it was given */
    const slip_model *ready; /* ready to run */
    const slip_fmu_options *options;
    slip_arena arena;
    slip_zip zip;
    slip_fmi_description about;
    const char *reason; /* why there is no model exchange; "" */
} package;

/* ---- What the description says. */

/* Letters, digits and _, the first one no digit: it is the name of a file and, in other bindings, of
 * functions. */
static int find_identifier(package *p)
{
    const char *given = p->options->identifier, *from = given            ? given
                                                        : p->model->file ? p->model->file
                                                                         : "model";
    const char *slash = strrchr(from, '/'), *base = slash && !given ? slash + 1 : from,
               *dot = strrchr(base, '.');
    const size_t length = dot && dot > base && !given ? (size_t)(dot - base) : strlen(base);
    char *name = slip_arena_array(&p->arena, (int64_t)length + 2, 1);
    SLIP_PASS(slip_allocated(p->ctx, name));
    p->about.identifier = name;
    if (!given && !isalpha((unsigned char)*base))
        *name++ = '_';
    memcpy(name, base, length);
    for (char *c = name; *c; c++) {
        const bool good = isalpha((unsigned char)*c) || *c == '_' ||
                          (c > p->about.identifier && isdigit((unsigned char)*c));
        if (given && !good)
            return slip_fail(p->ctx, SLIP_ERROR_USAGE,
                             "identifier `%.60s`: expected letters, digits and _, the first one no digit",
                             given);
        if (!good)
            *c = '_';
    }
    return *name ? SLIP_OK : slip_fail(p->ctx, SLIP_ERROR_USAGE, "the identifier is empty");
}

static int find_inputs(package *p)
{
    bool *inputs = slip_arena_array(&p->arena, p->ready->parameter_count + 1, sizeof *inputs);
    SLIP_PASS(slip_allocated(p->ctx, inputs));
    p->about.inputs = inputs;
    for (int k = 0; p->options->inputs && p->options->inputs[k]; k++) {
        const int index = slip_model_parameter(p->ready, p->options->inputs[k]);
        if (index < 0)
            return slip_model_fail_parameter(p->ctx, p->ready, p->options->inputs[k]);
        inputs[index] = true;
    }
    return SLIP_OK;
}

/* The continuous states where a run with these values starts. */
static int find_start(package *p, const slip_values *values, double *start)
{
    const slip_fmi_layout *l = &p->about.layout;
    SLIP_FREED_BY(slip_simulation_drop) slip_simulation *s = NULL;
    SLIP_PASS(slip_simulation_open(p->ctx, p->model, values, NULL, &s));
    slip_simulation_state(s, start, start + l->coordinates);
    slip_simulation_states(s, start + 2 * l->coordinates);
    return SLIP_OK;
}

/* Finds the initial states that are computed: from parameters, or by a search. */
static int find_starts(package *p)
{
    const slip_fmi_layout *l = &p->about.layout;
    const int count = slip_fmi_state_count(l);
    double *start = slip_arena_array(&p->arena, 2 * (int64_t)count + 1, sizeof *start),
           *other = start + count;
    bool *follows = slip_arena_array(&p->arena, count + 1, sizeof *follows);
    SLIP_FREED_BY(slip_values_drop) slip_values *values = NULL;
    SLIP_PASS(slip_allocated(p->ctx, start && follows));
    p->about.start = start;
    p->about.follows = follows;
    SLIP_PASS(slip_values_create(p->ctx, p->model, &values));
    SLIP_PASS(find_start(p, values, start));
    for (int k = 0; k < l->parameters; k++) {
        const double value = p->ready->parameters[k].value;
        slip_values_reset(values);
        SLIP_PASS(slip_values_set(p->ctx, values, p->ready->parameters[k].name,
                                  value + (value != 0 ? 1e-6 * value : 1e-6)));
        const bool good =
            find_start(p, values, other) >= 0; /* a parameter that cannot be changed has no effect */
        for (int i = 0; i < count && good; i++)
            follows[i] = follows[i] || start[i] != other[i];
    }
    for (int i = 0; i < count; i++)
        follows[i] = follows[i] || p->ready->initial_static;
    slip_context_clear(p->ctx);
    return SLIP_OK;
}

/* Names of the event indicators; none, with the reason, where model exchange is impossible. */
static int find_indicators(package *p)
{
    const slip_system *system = p->ready->system;
    const slip_fmi_layout *l = &p->about.layout;
    const slip_method_options options = {.tolerance = 1e-8, .span = INFINITY};
    const int n = system->n;
    SLIP_FREED_BY(slip_exchange_drop) slip_exchange *x = NULL;
    double *q = slip_arena_array(&p->arena, 2 * (int64_t)n + 1, sizeof *q), *v = q + n;
    char name[name_most];
    int status = q ? SLIP_OK : slip_fail_memory(p->ctx);
    p->reason = "";
    if (status == SLIP_OK) {
        memcpy(q, p->about.start, (size_t)l->coordinates * sizeof *q);
        memcpy(v, p->about.start + l->coordinates, (size_t)n * sizeof *v);
        status = slip_exchange_check(p->ctx, system);
    }
    if (status == SLIP_ERROR_MODEL) {
        p->reason = slip_arena_string(&p->arena, slip_context_message(p->ctx));
        slip_context_clear(p->ctx);
        return p->reason ? SLIP_OK : slip_fail_memory(p->ctx);
    }
    SLIP_PASS(status);
    SLIP_PASS(status = slip_exchange_open(p->ctx, system, &options,
                                          isnan(p->ready->simulate.start) ? 0 : p->ready->simulate.start, q,
                                          v, &x));
    p->about.exchange = true;
    p->about.indicator_count = slip_exchange_indicator_count(x);
    const char **names = slip_arena_array(&p->arena, p->about.indicator_count + 1, sizeof *names);
    SLIP_PASS(status = slip_allocated(p->ctx, names));
    p->about.indicators = names;
    for (int k = 0; k < p->about.indicator_count; k++) {
        slip_exchange_indicator_name(x, k, name, sizeof name);
        names[k] = slip_arena_string(&p->arena, name);
        SLIP_PASS(status = slip_allocated(p->ctx, names[k]));
    }
    return status;
}

/* ---- What goes into the archive. */

static int add_text(package *p, const char *name, slip_text *text)
{
    const int status = text->failed
                           ? slip_fail_memory(p->ctx)
                           : slip_zip_add(p->ctx, &p->zip, name, text->data ? text->data : "", text->length);
    slip_text_free(text);
    return status;
}

static int add_file(package *p, const char *path, const char *name, size_t limit)
{
    slip_text bytes = {0};
    const int status = slip_file_read(p->ctx, path, limit, &bytes);
    if (status < 0)
        slip_text_free(&bytes);
    return status < 0 ? status : add_text(p, name, &bytes);
}

static int add_resource(void *user, const char *path, const char *name)
{
    package *p = user;
    SLIP_FREED_BY(slip_text_free) slip_text place = {0};
    slip_text_printf(&place, "resources/%s", name);
    return place.failed ? slip_fail_memory(p->ctx) : add_file(p, path, place.data, file_most);
}

/* The path of the shared library with this code; an error in a program that is linked statically. */
static int find_library(package *p, const char **path)
{
    Dl_info info;
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    *path = p->options->library;
    if (*path)
        return SLIP_OK;
    if (dladdr((const void *)(uintptr_t)slip_fmu_options_fill, &info) == 0 || !info.dli_fname)
        return slip_fail(p->ctx, SLIP_ERROR_IO,
                         "the file of the library is not known; give it with `library`");
    program[length > 0 ? length : 0] = '\0';
    char *real = realpath(info.dli_fname, NULL);
    const bool inside = real && strcmp(real, program) == 0;
    *path = real ? slip_arena_string(&p->arena, real) : NULL;
    free(real);
    if (!*path || inside)
        return slip_fail(p->ctx, SLIP_ERROR_IO,
                         "%s is no shared library that could go into the unit; give one with `library`",
                         info.dli_fname);
    return SLIP_OK;
}

static const char needs[] =
    "The binary is the shared library of Slipstick. It needs these libraries of the system, by the names "
    "that\n"
    "Debian 12 has for their packages: libc6, libgomp1, zlib1g, libfyaml0, libsundials-cvode6, liblapacke,\n"
    "libopenblas0, libcholmod3, libhdf5-103-1, libmatio11. `ldd` on the binary lists what is missing. "
    "Nothing else\n"
    "is needed: no Slipstick, no gnuplot.\n";

static int add_all(package *p)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0}, name = {0};
    char token[slip_fmi_token_size];
    const char *library;
    SLIP_PASS(find_library(p, &library));
    SLIP_PASS(slip_model_pack(p->ctx, p->model, add_resource, p, &text));
    slip_fmi_token(text.data, token);
    p->about.token = token;
    SLIP_PASS(add_text(p, "resources/" SLIP_FMI_MODEL, &text));
    slip_fmi_describe(&p->about, &text);
    SLIP_PASS(add_text(p, "modelDescription.xml", &text));
    if (p->about.layout.contacts > 0) {
        slip_fmi_describe_terminals(&p->about, &text);
        SLIP_PASS(add_text(p, "terminalsAndIcons/terminalsAndIcons.xml", &text));
    }
    slip_text_append(&text, needs);
    SLIP_PASS(add_text(p, "documentation/externalDependencies.txt", &text));
    slip_text_printf(&name, "binaries/x86_64-linux/%s.so", p->about.identifier);
    SLIP_PASS(name.failed ? slip_fail_memory(p->ctx) : SLIP_OK);
    return add_file(p, library, name.data, library_most);
}

static int refuse(package *p)
{
    if (p->model->gear_count > 0)
        return slip_fail(p->ctx, SLIP_ERROR_MODEL,
                         "a model of `gears` alone is not packed; put them among `bodies` (docs/gears.md)");
    if (p->model->system && p->model->system->force_function)
        return slip_fail(p->ctx, SLIP_ERROR_MODEL, "a load that is a C function cannot be packed");
    return SLIP_OK;
}

int slip_fmu_save(slip_context *ctx, const slip_model *model, const char *path, const slip_fmu_options *given,
                  slip_fmu_contents *contents)
{
    SLIP_NEED(ctx, model, path);
    SLIP_TAKE(slip_fmu_options, options, given);
    package p = {.ctx = ctx, .model = model, .options = options};
    slip_model *bound = NULL;
    int status;
    slip_context_clear(ctx);
    SLIP_TRY(refuse(&p));
    SLIP_TRY(slip_model_ready(ctx, model, NULL, &bound, &p.ready));
    SLIP_TRY(slip_allocated(ctx, slip_fmi_layout_make(p.ready, &p.arena, &p.about.layout)));
    SLIP_TRY(find_identifier(&p));
    SLIP_TRY(find_inputs(&p));
    SLIP_TRY(find_starts(&p));
    SLIP_TRY(find_indicators(&p));
    SLIP_TRY(slip_zip_create(ctx, path, &p.zip));
    SLIP_TRY(add_all(&p));
    SLIP_TRY(slip_zip_commit(ctx, &p.zip));
    if (contents) {
        slip_text *text = slip_context_text(ctx);
        slip_text_clear(text);
        slip_text_append(text, p.reason);
        *contents = (slip_fmu_contents){.exchange = p.about.exchange,
                                        .reason = text->data ? text->data : "",
                                        .states = slip_fmi_state_count(&p.about.layout),
                                        .indicators = p.about.indicator_count,
                                        .outputs = p.about.layout.first_rate - 1,
                                        .parameters = p.about.layout.parameters};
        for (int k = 0; k < p.about.layout.parameters; k++)
            contents->inputs += p.about.inputs[k];
        contents->parameters -= contents->inputs;
    }
done:
    slip_zip_discard(&p.zip);
    slip_model_destroy(bound);
    slip_arena_free(&p.arena);
    return status;
}
