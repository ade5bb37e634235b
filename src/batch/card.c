/* CUDA's driver and NVRTC without a header or library of theirs: the few functions that are needed, by name.
 */
#include "batch/card.h"

#include "base/clock.h"
#include "io/file.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long address;

/* Names as theirs, results 0 when it went well. */
typedef struct driver {
    int (*init)(unsigned flags);
    int (*device)(int *device, int ordinal);
    int (*name)(char *name, int size, int device);
    int (*attribute)(int *value, int which, int device);
    int (*memory)(size_t *bytes, int device);
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*current)(void *context);
    int (*load)(void **module, const void *image);
    int (*unload)(void *module);
    int (*function)(void **function, void *module, const char *name);
    int (*alloc)(address *where, size_t bytes);
    int (*free)(address where);
    int (*set)(address where, unsigned char value, size_t bytes);
    int (*there)(address where, const void *from, size_t bytes);
    int (*back)(void *to, address where, size_t bytes);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments,
                  void **extra);
    int (*wait)(void);
    int (*error)(int code, const char **text);
} driver;

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

struct slip_card {
    void *driver_library, *compiler_library, *context, *module, *kernel;
    driver d;
    compiler c;
    int device, processors, capability, compiler_version;
    bool retained;
    size_t memory;
    double seconds;         /* in launches */
    slip_batch_shape shape; /* that the module is for */
    char description[240];
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

static int fail_card(slip_context *ctx, const slip_card *card, const char *what, int code)
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
    driver *d = &card->d;
    compiler *c = &card->c;
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
                                {"cuMemAlloc_v2", &d->alloc},
                                {"cuMemFree_v2", &d->free},
                                {"cuMemsetD8_v2", &d->set},
                                {"cuMemcpyHtoD_v2", &d->there},
                                {"cuMemcpyDtoH_v2", &d->back},
                                {"cuLaunchKernel", &d->launch},
                                {"cuCtxSynchronize", &d->wait},
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
    const char *missing;
    card->driver_library = open_first(drivers);
    if (!card->driver_library)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "no graphics card: libcuda.so.1, the driver of NVIDIA, is not there");
    card->compiler_library = open_first(compilers);
    if (!card->compiler_library)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "no graphics card: libnvrtc.so, the compiler of CUDA 11.2 or later, is not there");
    missing = find(card->driver_library, of_driver);
    missing = missing ? missing : find(card->compiler_library, of_compiler);
    return missing ? slip_fail(ctx, SLIP_ERROR_USAGE,
                               "no graphics card: its driver or compiler is too old: no %s", missing)
                   : SLIP_OK;
}

static int open_device(slip_context *ctx, slip_card *card)
{
    const driver *d = &card->d;
    int code, major = 0, minor = 0, version[2] = {0, 0};
    char name[100] = "";
    if ((code = d->init(0)) != 0 || (code = d->device(&card->device, 0)) != 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "no graphics card: the driver finds none (%d)", code);
    if ((code = d->name(name, sizeof name, card->device)) != 0 ||
        (code = d->attribute(&card->processors, multiprocessors, card->device)) != 0 ||
        (code = d->attribute(&major, capability_major, card->device)) != 0 ||
        (code = d->attribute(&minor, capability_minor, card->device)) != 0 ||
        (code = d->memory(&card->memory, card->device)) != 0 ||
        (code = d->retain(&card->context, card->device)) != 0)
        return fail_card(ctx, card, "it cannot be opened", code);
    card->retained = true;
    card->c.version(&version[0], &version[1]);
    card->capability = 10 * major + minor;
    card->compiler_version = 100 * version[0] + version[1];
    snprintf(card->description, sizeof card->description, "%s, %d multiprocessors, %.0f GiB, NVRTC %d.%d",
             name, card->processors, (double)card->memory / (1 << 30), version[0], version[1]);
    code = d->current(card->context);
    return code ? fail_card(ctx, card, "it cannot be used", code) : SLIP_OK;
}

int slip_card_open(slip_context *ctx, slip_card **result)
{
    slip_card *card = slip_alloc(1, sizeof *card);
    int status;
    *result = NULL;
    if (!card)
        return slip_fail_memory(ctx);
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
    if (card->module)
        card->d.unload(card->module);
    if (card->retained)
        card->d.release(card->device);
    if (card->compiler_library)
        dlclose(card->compiler_library);
    if (card->driver_library)
        dlclose(card->driver_library);
    free(card);
}

const char *slip_card_describe(const slip_card *card)
{
    return card->description;
}

/* ---- Compiling. */

/* Where code of this text for this card is kept; NULL where there is no such place. */
static char *cache_path(const slip_card *card, const slip_text *text)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    uint64_t hash = 14695981039346656037u;
    slip_text path = {0};
    for (size_t i = 0; i < text->length; i++)
        hash = (hash ^ (unsigned char)text->data[i]) * 1099511628211u;
    if (cache && cache[0])
        slip_text_printf(&path, "%s", cache);
    else if (home && home[0])
        slip_text_printf(&path, "%s/.cache", home);
    else
        return NULL;
    slip_text_printf(&path, "/slipstick/lanes-%016llx-sm%d-%d.cubin", (unsigned long long)hash,
                     card->capability, card->compiler_version);
    return path.data;
}

static int compile(slip_context *ctx, const slip_card *card, const slip_text *text, slip_text *code)
{
    const compiler *c = &card->c;
    void *program = NULL;
    char chip[40];
    const char *const options[] = {chip, "-std=c++17", "--fmad=true"};
    size_t size = 0;
    int failed;
    snprintf(chip, sizeof chip, "--gpu-architecture=sm_%d", card->capability);
    failed = c->create(&program, text->data, "lanes.cu", 0, NULL, NULL);
    if (failed)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "graphics card: NVRTC takes no program (%d)", failed);
    failed = c->compile(program, (int)(sizeof options / sizeof *options), options);
    if (failed) {
        char *log = c->log_size(program, &size) == 0 ? slip_alloc((int64_t)size + 1, 1) : NULL;
        if (log)
            c->log(program, log);
        slip_fail(ctx, SLIP_ERROR_SOLVER, "graphics card: NVRTC does not compile the engine (%d): %.1000s",
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

/* The module for a shape: kept, from the cache, or compiled now. */
static int prepare(slip_context *ctx, slip_card *card, const slip_batch_shape *shape)
{
    slip_text text = {0}, code = {0};
    char *path = NULL;
    int status, failed;
    if (card->module && memcmp(shape, &card->shape, sizeof *shape) == 0)
        return SLIP_OK;
    if (card->module)
        card->d.unload(card->module);
    card->module = NULL;
    SLIP_TRY(slip_card_text(ctx, shape, &text));
    path = cache_path(card, &text);
    if (!path || slip_file_read(ctx, path, (size_t)1 << 28, &code) < 0) {
        slip_context_clear(ctx);
        code.length = 0;
        SLIP_TRY(compile(ctx, card, &text, &code));
        if (path &&
            (slip_folder_make_for(ctx, path) < 0 || slip_file_write(ctx, path, code.data, code.length) < 0))
            slip_context_clear(ctx); /* next time it is compiled again */
    }
    failed = card->d.load(&card->module, code.data);
    failed = failed ? failed : card->d.function(&card->kernel, card->module, "slip_batch_kernel");
    if (failed)
        status = fail_card(ctx, card, "its program cannot be loaded", failed);
    card->shape = *shape;
done:
    free(path);
    slip_text_free(&text);
    slip_text_free(&code);
    return status;
}

/* ---- Moving. */

enum { threads_of_block = 128, blocks_of_processor = 8 };

/* A piece of the lanes on the card. */
typedef struct piece {
    address numbers, records, states, counters;
    unsigned blocks;
} piece;

/* Launches until all lanes have what they want, some hundred milliseconds at a time. */
static int launch(slip_context *ctx, slip_card *card, const slip_batch_work *work, piece *p, int64_t count)
{
    const driver *d = &card->d;
    slip_batch_shape own = *work->shape;
    long long number = count, returns = work->each, budget = 100000;
    unsigned long long counters[2] = {0, 1};
    const double started = slip_clock();
    int code = 0;
    for (int first = 1; counters[1] > 0; first = 0) {
        address next = p->counters, unfinished = p->counters + sizeof(unsigned long long);
        void *arguments[] = {&own,   &p->numbers, &p->records, &number, &returns,
                             &first, &p->states,  &budget,     &next,   &unfinished};
        if ((code = d->set(p->counters, 0, sizeof counters)) != 0 ||
            (code = d->launch(card->kernel, p->blocks, 1, 1, threads_of_block, 1, 1, 0, NULL, arguments,
                              NULL)) != 0 ||
            (code = d->wait()) != 0 || (code = d->back(counters, p->counters, sizeof counters)) != 0)
            return fail_card(ctx, card, "a launch failed", code);
        if (slip_interrupted(ctx))
            return SLIP_INTERRUPTED;
    }
    card->seconds += slip_clock() - started;
    return SLIP_OK;
}

/* Moves the lanes of `buffer`, which are packed. */
static int move_piece(slip_context *ctx, slip_card *card, const slip_batch_work *work, piece *p,
                      slip_batch_word *buffer, int64_t count, double *states)
{
    const driver *d = &card->d;
    const size_t bytes = (size_t)(count * work->shape->record) * sizeof *buffer,
                 kept = (size_t)(2 * count * work->each * work->shape->n) * sizeof *states;
    int status, code;
    if ((code = d->there(p->records, buffer, bytes)) != 0)
        return fail_card(ctx, card, "lanes cannot be sent", code);
    SLIP_TRY(launch(ctx, card, work, p, count));
    if ((code = d->back(buffer, p->records, bytes)) != 0 ||
        (states && (code = d->back(states, p->states, kept)) != 0))
        return fail_card(ctx, card, "lanes do not come back", code);
done:
    return status;
}

static void free_piece(const slip_card *card, const piece *p)
{
    const address all[] = {p->numbers, p->records, p->states, p->counters};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k])
            card->d.free(all[k]);
}

/* Memory for `room` lanes. */
static int create_piece(slip_context *ctx, const slip_card *card, const slip_batch_work *work, int set_count,
                        int64_t room, piece *p)
{
    const driver *d = &card->d;
    const slip_batch_shape *shape = work->shape;
    const size_t all = (size_t)set_count * (size_t)shape->numbers * sizeof *work->numbers;
    const int64_t blocks = (room + threads_of_block - 1) / threads_of_block,
                  largest = (int64_t)card->processors * blocks_of_processor;
    int code;
    p->blocks = (unsigned)(blocks < largest ? blocks : largest);
    if ((code = d->alloc(&p->numbers, all)) != 0 || (code = d->there(p->numbers, work->numbers, all)) != 0 ||
        (code = d->alloc(&p->records, (size_t)(room * shape->record) * sizeof *work->records)) != 0 ||
        (work->returns && (code = d->alloc(&p->states, (size_t)(2 * room * work->each * shape->n) *
                                                           sizeof *work->returns)) != 0) ||
        (code = d->alloc(&p->counters, 2 * sizeof(unsigned long long))) != 0)
        return fail_card(ctx, card, "its memory does not suffice", code);
    return SLIP_OK;
}

int slip_card_advance(slip_context *ctx, slip_card *card, const slip_batch_work *work, int set_count)
{
    const int record = work->shape->record;
    const int64_t numbers = 2 * work->each * work->shape->n; /* of the returns of a lane */
    const double of_lane = 8.0 * record + (work->returns ? 8.0 * (double)numbers : 0);
    const int64_t count = work->count, fits = (int64_t)(0.4 * (double)card->memory / of_lane),
                  room = count < fits ? count : fits;
    const int64_t *list = work->list;
    slip_batch_word *buffer =
        list ? slip_alloc(room * record + 1, sizeof *buffer) : NULL; /* those of a list, packed */
    const size_t bytes = (size_t)record * sizeof *buffer;
    piece p = {0};
    int status = buffer || !list ? SLIP_OK : slip_fail_memory(ctx);
    if (count == 0)
        goto done;
    SLIP_TRY(status);
    SLIP_TRY(prepare(ctx, card, work->shape));
    SLIP_TRY(create_piece(ctx, card, work, set_count, room, &p));
    for (int64_t first = 0; first < count; first += room) {
        const int64_t some = count - first < room ? count - first : room;
        for (int64_t k = 0; list && k < some; k++)
            memcpy(buffer + k * record, work->records + list[first + k] * record, bytes);
        SLIP_TRY(move_piece(ctx, card, work, &p, list ? buffer : work->records + first * record, some,
                            work->returns ? work->returns + first * numbers : NULL));
        for (int64_t k = 0; list && k < some; k++)
            memcpy(work->records + list[first + k] * record, buffer + k * record, bytes);
    }
done:
    free_piece(card, &p);
    free(buffer);
    return status;
}

double slip_card_seconds(const slip_card *card)
{
    return card->seconds;
}
