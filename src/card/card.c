/* CUDA's driver and NVRTC without a header or library of theirs: the few functions that are needed, by name.
 */
#include "card/card.h"

#include "base/memory.h"
#include "io/file.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct compiler {
    int (*create)(void **program, const char *text, const char *name, int headers, const char *const *sources,
                  const char *const *names);
    int (*compile)(void *program, int options, const char *const *option);
    int (*log_size)(void *program, size_t *size);
    int (*log)(void *program, char *log);
    int (*size)(void *program, size_t *size);
    int (*code)(void *program, char *code);
    int (*destroy)(void **program);
    int (*version)(int *major, int *minor);
} compiler;

enum { multiprocessors = 16, capability_major = 75, capability_minor = 76 }; /* attributes by their numbers */

/* A program that was loaded. */
typedef struct loaded {
    uint64_t hash; /* of its text */
    void *module;
} loaded;

struct slip_card_insides {
    void *driver_library, *compiler_library, *context;
    compiler c;
    int device, capability, compiler_version;
    bool retained;
    loaded *loaded;
    int64_t loaded_count, loaded_capacity;
};

/* ---- Opening. */

typedef struct symbol {
    const char *name;
    void *place; /* of a pointer to a function */
} symbol;

/* Fills in all of them; the first that is missing, or NULL. */
static const char *find(void *library, const symbol *symbols)
{
    for (; symbols->name; symbols++) {
        void *found = dlsym(library, symbols->name);
        if (!found)
            return symbols->name;
        memcpy(symbols->place, &found, sizeof found);
    }
    return NULL;
}

static void *open_first(const char *const *names)
{
    void *library = NULL;
    for (; *names && !library; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

int slip_card_fail(slip_context *ctx, const slip_card *card, const char *what, int code)
{
    const char *text = NULL;
    if (card->d.error)
        card->d.error(code, &text);
    return slip_fail(ctx, SLIP_ERROR_SOLVER, "graphics card: %s: %s (%d)", what,
                     text ? text : "unknown error", code);
}

static int open_libraries(slip_context *ctx, slip_card *card)
{
    static const char *const drivers[] = {"libcuda.so.1", "libcuda.so", NULL},
                             *const compilers[] = {"libnvrtc.so.13",
                                                   "libnvrtc.so.12",
                                                   "libnvrtc.so.11.2",
                                                   "libnvrtc.so",
                                                   "/usr/local/cuda/lib64/libnvrtc.so",
                                                   NULL};
    slip_card_driver *d = &card->d;
    struct slip_card_insides *in = card->insides;
    compiler *c = &in->c;
    const symbol of_driver[] = {{"cuInit", &d->init},
                                {"cuDeviceGet", &d->device},
                                {"cuDeviceGetName", &d->name},
                                {"cuDeviceGetAttribute", &d->attribute},
                                {"cuDeviceTotalMem_v2", &d->memory},
                                {"cuDevicePrimaryCtxRetain", &d->retain},
                                {"cuDevicePrimaryCtxRelease_v2", &d->release},
                                {"cuCtxSetCurrent", &d->current},
                                {"cuModuleLoadData", &d->load},
                                {"cuModuleUnload", &d->unload},
                                {"cuModuleGetFunction", &d->function},
                                {"cuModuleGetGlobal_v2", &d->global},
                                {"cuMemAlloc_v2", &d->alloc},
                                {"cuMemFree_v2", &d->free},
                                {"cuStreamCreate", &d->stream},
                                {"cuStreamDestroy_v2", &d->end},
                                {"cuMemsetD8Async", &d->set},
                                {"cuMemcpyHtoDAsync_v2", &d->there},
                                {"cuMemcpyDtoHAsync_v2", &d->back},
                                {"cuLaunchKernel", &d->launch},
                                {"cuStreamSynchronize", &d->wait},
                                {"cuFuncSetAttribute", &d->allow},
                                {"cuMemHostAlloc", &d->pinned},
                                {"cuMemFreeHost", &d->unpin},
                                {"cuEventCreate", &d->event},
                                {"cuEventRecord", &d->record},
                                {"cuEventSynchronize", &d->reached},
                                {"cuEventDestroy_v2", &d->forget},
                                {"cuGetErrorString", &d->error},
                                {0}},
                 of_compiler[] = {{"nvrtcCreateProgram", &c->create},
                                  {"nvrtcCompileProgram", &c->compile},
                                  {"nvrtcGetProgramLogSize", &c->log_size},
                                  {"nvrtcGetProgramLog", &c->log},
                                  {"nvrtcGetCUBINSize", &c->size},
                                  {"nvrtcGetCUBIN", &c->code},
                                  {"nvrtcDestroyProgram", &c->destroy},
                                  {"nvrtcVersion", &c->version},
                                  {0}};
    in->driver_library = open_first(drivers);
    if (!in->driver_library)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "no graphics card: libcuda.so.1, the driver of NVIDIA, is not there");
    in->compiler_library = open_first(compilers);
    if (!in->compiler_library)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "no graphics card: libnvrtc.so, the compiler of CUDA 11.2 or later, is not there");
    const char *missing = find(in->driver_library, of_driver);
    missing = missing ? missing : find(in->compiler_library, of_compiler);
    return missing ? slip_fail(ctx, SLIP_ERROR_USAGE,
                               "no graphics card: its driver or compiler is too old: no %s", missing)
                   : SLIP_OK;
}

static int open_device(slip_context *ctx, slip_card *card)
{
    const slip_card_driver *d = &card->d;
    struct slip_card_insides *in = card->insides;
    int code, major = 0, minor = 0, version[2] = {0, 0};
    char name[100] = "";
    if ((code = d->init(0)) != 0 || (code = d->device(&in->device, 0)) != 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "no graphics card: the driver finds none (%d)", code);
    if ((code = d->name(name, sizeof name, in->device)) != 0 ||
        (code = d->attribute(&card->processors, multiprocessors, in->device)) != 0 ||
        (code = d->attribute(&major, capability_major, in->device)) != 0 ||
        (code = d->attribute(&minor, capability_minor, in->device)) != 0 ||
        (code = d->memory(&card->memory, in->device)) != 0 ||
        (code = d->retain(&in->context, in->device)) != 0)
        return slip_card_fail(ctx, card, "it cannot be opened", code);
    in->retained = true;
    in->c.version(&version[0], &version[1]);
    in->capability = 10 * major + minor;
    in->compiler_version = 100 * version[0] + version[1];
    snprintf(card->description, sizeof card->description, "%s, %d multiprocessors, %.0f GiB, NVRTC %d.%d",
             name, card->processors, (double)card->memory / (1 << 30), version[0], version[1]);
    code = d->current(in->context);
    return code ? slip_card_fail(ctx, card, "it cannot be used", code) : SLIP_OK;
}

static int find_programs(slip_context *ctx, slip_card *card, const char *name, int count,
                         const slip_text *texts, void **modules);

int slip_card_check_name(slip_context *ctx, const char *who, const char *device)
{
    static const char *const names[] = {"auto", "cpu", "cuda", "none"};
    bool known = !device;
    for (size_t k = 0; k < sizeof names / sizeof *names && !known; k++)
        known = strcmp(device, names[k]) == 0;
    return known ? SLIP_OK
                 : slip_fail(ctx, SLIP_ERROR_USAGE,
                             "%s: the device is `%s`, expected cpu, cuda, auto or none", who, device);
}

int slip_card_open(slip_context *ctx, slip_card **result)
{
    slip_card *card = slip_alloc(1, sizeof *card);
    int status;
    *result = NULL;
    if (!card || !(card->insides = slip_alloc(1, sizeof *card->insides))) {
        free(card);
        return slip_fail_memory(ctx);
    }
    card->programs = find_programs;
    SLIP_TRY(open_libraries(ctx, card));
    SLIP_TRY(open_device(ctx, card));
    *result = card;
    return SLIP_OK;
done:
    slip_card_close(card);
    return status;
}

void slip_card_close(slip_card *card)
{
    if (!card)
        return;
    struct slip_card_insides *in = card->insides;
    for (int64_t k = 0; k < in->loaded_count; k++)
        card->d.unload(in->loaded[k].module);
    if (in->retained)
        card->d.release(in->device);
    if (in->compiler_library)
        dlclose(in->compiler_library);
    if (in->driver_library)
        dlclose(in->driver_library);
    free(in->loaded);
    free(in);
    free(card);
}

/* ---- Programs. */

static uint64_t hash_of(const slip_text *text)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < text->length; i++)
        hash = (hash ^ (unsigned char)text->data[i]) * 1099511628211u;
    return hash;
}

/* Where code of this text for this card is kept; NULL where there is no such place. */
static char *cache_path(const slip_card *card, const char *name, uint64_t hash)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    slip_text path = {0};
    if (cache && cache[0])
        slip_text_printf(&path, "%s", cache);
    else if (home && home[0])
        slip_text_printf(&path, "%s/.cache", home);
    else
        return NULL;
    slip_text_printf(&path, "/slipstick/%s-%016llx-sm%d-%d.cubin", name, (unsigned long long)hash,
                     card->insides->capability, card->insides->compiler_version);
    return path.data;
}

static int compile(slip_context *ctx, const slip_card *card, const slip_text *text, slip_text *code)
{
    const compiler *c = &card->insides->c;
    void *program = NULL;
    char chip[40];
    const bool fused = strncmp(text->data, SLIP_CARD_UNFUSED, strlen(SLIP_CARD_UNFUSED)) != 0;
    /* the last one: kernels of a program side by side, on all cores; older compilers do not know it */
    const char *const options[] = {chip, "-std=c++17", fused ? "--fmad=true" : "--fmad=false",
                                   "--ptxas-options=--split-compile=0"};
    const int option_count =
        (int)(sizeof options / sizeof *options) - (card->insides->compiler_version < 1300);
    size_t size = 0;
    snprintf(chip, sizeof chip, "--gpu-architecture=sm_%d", card->insides->capability);
    int failed = c->create(&program, text->data, "program.cu", 0, NULL, NULL);
    if (failed)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "graphics card: NVRTC takes no program (%d)", failed);
    failed = c->compile(program, option_count, options);
    if (failed) {
        char *log = c->log_size(program, &size) == 0 ? slip_alloc((int64_t)size + 1, 1) : NULL;
        if (log)
            c->log(program, log);
        slip_fail(ctx, SLIP_ERROR_SOLVER, "graphics card: NVRTC does not compile its program (%d): %.1000s",
                  failed, log ? log : "");
        free(log);
    } else if ((failed = c->size(program, &size)) == 0) {
        char *image = slip_alloc((int64_t)size + 1, 1);
        failed = image ? c->code(program, image) : 1;
        if (!failed)
            slip_text_append_bytes(code, image, size);
        free(image);
        if (failed || code->failed)
            slip_fail_memory(ctx);
    }
    c->destroy(&program);
    return failed || code->failed ? SLIP_ERROR_SOLVER : SLIP_OK;
}

/* From the cache, or compiled now. */
static int find_code(slip_context *ctx, const slip_card *card, const char *name, const slip_text *text,
                     slip_text *code)
{
    SLIP_FREED char *path = cache_path(card, name, hash_of(text));
    if (!path || slip_file_read(ctx, path, (size_t)1 << 28, code) < 0) {
        slip_context_clear(ctx);
        code->length = 0;
        SLIP_PASS(compile(ctx, card, text, code));
        if (path && (slip_folder_create_for(ctx, path) < 0 ||
                     slip_file_write(ctx, path, code->data, code->length) < 0))
            slip_context_clear(ctx); /* next time it is compiled again */
    }
    return SLIP_OK;
}

static loaded *find_loaded(const slip_card *card, const slip_text *text)
{
    const struct slip_card_insides *in = card->insides;
    const uint64_t hash = hash_of(text);
    for (int64_t k = 0; k < in->loaded_count; k++)
        if (in->loaded[k].hash == hash)
            return &in->loaded[k];
    return NULL;
}

/* Code of those texts that are not loaded, side by side; the first failure is told. */
static int find_codes(slip_context *ctx, const slip_card *card, const char *name, int count,
                      const slip_text *texts, slip_text *codes)
{
    slip_context *own[slip_card_most_programs];
    int result[slip_card_most_programs], status = SLIP_OK;
#pragma omp parallel for schedule(static, 1) num_threads(count) if (count > 1)
    for (int k = 0; k < count; k++) {
        own[k] = slip_context_create();
        result[k] = !own[k]                        ? SLIP_ERROR_MEMORY
                    : find_loaded(card, &texts[k]) ? SLIP_OK
                                                   : find_code(own[k], card, name, &texts[k], &codes[k]);
    }
    for (int k = 0; k < count; k++) {
        if (status == SLIP_OK && result[k] < 0)
            status = own[k] ? slip_fail(ctx, result[k], "%s", slip_context_message(own[k]))
                            : slip_fail_memory(ctx);
        slip_context_destroy(own[k]);
    }
    return status;
}

static int load(slip_context *ctx, slip_card *card, const slip_text *text, const slip_text *code,
                void **module)
{
    struct slip_card_insides *in = card->insides;
    const loaded *before = find_loaded(card, text);
    if (before) {
        *module = before->module;
        return SLIP_OK;
    }
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(in->loaded, in->loaded_capacity, in->loaded_count + 1)));
    const int failed = card->d.load(module, code->data);
    if (failed)
        return slip_card_fail(ctx, card, "its program cannot be loaded", failed);
    in->loaded[in->loaded_count++] = (loaded){hash_of(text), *module};
    return SLIP_OK;
}

static int find_programs(slip_context *ctx, slip_card *card, const char *name, int count,
                         const slip_text *texts, void **modules)
{
    slip_text codes[slip_card_most_programs] = {{0}};
    int status = find_codes(ctx, card, name, count, texts, codes);
    for (int k = 0; k < count; k++) {
        if (status == SLIP_OK)
            status = load(ctx, card, &texts[k], &codes[k], &modules[k]);
        slip_text_free(&codes[k]);
    }
    return status;
}

int slip_card_programs(slip_context *ctx, slip_card *card, const char *name, int count,
                       const slip_text *texts, void **modules)
{
    return card->programs(ctx, card, name, count, texts, modules);
}

int slip_card_program(slip_context *ctx, slip_card *card, const char *name, const slip_text *text,
                      void **module)
{
    return slip_card_programs(ctx, card, name, 1, text, module);
}
