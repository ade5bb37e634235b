/* CUDA's driver and NVRTC without a header or library of theirs: the few functions that are needed, by name.
 */
#include "batch/card.h"

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
    int (*stream)(void **stream, unsigned flags);
    int (*end)(void *stream);
    int (*set)(address where, unsigned char value, size_t bytes, void *stream);
    int (*there)(address where, const void *from, size_t bytes, void *stream);
    int (*back)(void *to, address where, size_t bytes, void *stream);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments,
                  void **extra);
    int (*wait)(void *stream);
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
                                {"cuStreamCreate", &d->stream},
                                {"cuStreamDestroy_v2", &d->end},
                                {"cuMemsetD8Async", &d->set},
                                {"cuMemcpyHtoDAsync_v2", &d->there},
                                {"cuMemcpyDtoHAsync_v2", &d->back},
                                {"cuLaunchKernel", &d->launch},
                                {"cuStreamSynchronize", &d->wait},
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

enum { threads_of_block = 128, blocks_of_processor = 4, lanes_of_piece = 1 << 18, side_by_side = 2 };

/* A piece of the lanes on the card, with a stream of its own: while one piece moves another is sent or comes
 * back. */
typedef struct piece {
    void *stream;
    address records, states, counters;
    slip_batch_word *buffer; /* those of a list, packed; NULL without a list */
    int64_t first, count;    /* of the work; 0: there is none on the card */
} piece;

/* All that a call needs on the card. */
typedef struct transport {
    slip_context *ctx;
    const slip_card *card;
    const slip_batch_work *work;
    address numbers; /* of all sets of parameters */
    int64_t room;    /* of a piece */
    piece pieces[side_by_side];
} transport;

static size_t bytes_of_records(const transport *t, int64_t lanes)
{
    return (size_t)(lanes * t->work->shape->record) * sizeof(slip_batch_word);
}

static size_t bytes_of_states(const transport *t, int64_t lanes)
{
    return t->work->returns ? (size_t)(2 * lanes * t->work->each * t->work->shape->n) * sizeof(double) : 0;
}

static slip_batch_word *record_of(const transport *t, int64_t at)
{
    return t->work->records + (t->work->list ? t->work->list[at] : at) * t->work->shape->record;
}

/* Lets the lanes of the piece move, some hundred milliseconds at most. */
static int launch(const transport *t, piece *p, int first)
{
    const driver *d = &t->card->d;
    slip_batch_shape shape = *t->work->shape;
    address numbers = t->numbers, next = p->counters, unfinished = p->counters + sizeof(unsigned long long);
    long long count = p->count, each = t->work->each, budget = 100000;
    const int64_t blocks = (count + threads_of_block - 1) / threads_of_block,
                  most = (int64_t)t->card->processors * blocks_of_processor;
    void *arguments[] = {&shape, &numbers,   &p->records, &count, &each,
                         &first, &p->states, &budget,     &next,  &unfinished};
    const int code = d->set(p->counters, 0, 2 * sizeof(unsigned long long), p->stream);
    return code ? code
                : d->launch(t->card->kernel, (unsigned)(blocks < most ? blocks : most), 1, 1,
                            threads_of_block, 1, 1, 0, p->stream, arguments, NULL);
}

static int send_piece(const transport *t, piece *p, int64_t first, int64_t count)
{
    int code;
    p->first = first;
    p->count = count;
    for (int64_t k = 0; p->buffer && k < count; k++)
        memcpy(p->buffer + k * t->work->shape->record, record_of(t, first + k), bytes_of_records(t, 1));
    if ((code = t->card->d.there(p->records, p->buffer ? p->buffer : record_of(t, first),
                                 bytes_of_records(t, count), p->stream)) != 0 ||
        (code = launch(t, p, 1)) != 0)
        return fail_card(t->ctx, t->card, "lanes cannot be sent", code);
    return SLIP_OK;
}

/* Waits for a piece, lets it go on until all of its lanes have what they want, and takes it back. */
static int receive_piece(const transport *t, piece *p)
{
    const driver *d = &t->card->d;
    const int64_t count = p->count;
    unsigned long long counters[2] = {0, 1};
    int code = 0;
    if (count == 0)
        return SLIP_OK;
    for (;;) {
        if ((code = d->back(counters, p->counters, sizeof counters, p->stream)) != 0 ||
            (code = d->wait(p->stream)) != 0)
            return fail_card(t->ctx, t->card, "a launch failed", code);
        if (slip_interrupted(t->ctx))
            return SLIP_INTERRUPTED;
        if (counters[1] == 0)
            break;
        if ((code = launch(t, p, 0)) != 0)
            return fail_card(t->ctx, t->card, "a launch failed", code);
    }
    p->count = 0;
    if ((code = d->back(p->buffer ? p->buffer : record_of(t, p->first), p->records,
                        bytes_of_records(t, count), p->stream)) != 0 ||
        (t->work->returns &&
         (code = d->back(t->work->returns + 2 * p->first * t->work->each * t->work->shape->n, p->states,
                         bytes_of_states(t, count), p->stream)) != 0) ||
        (code = d->wait(p->stream)) != 0)
        return fail_card(t->ctx, t->card, "lanes do not come back", code);
    for (int64_t k = 0; p->buffer && k < count; k++)
        memcpy(record_of(t, p->first + k), p->buffer + k * t->work->shape->record, bytes_of_records(t, 1));
    return SLIP_OK;
}

static int create_transport(transport *t, int set_count)
{
    const driver *d = &t->card->d;
    const slip_batch_work *work = t->work;
    const size_t all = (size_t)set_count * (size_t)work->shape->numbers * sizeof *work->numbers;
    int code = d->alloc(&t->numbers, all);
    for (int k = 0; k < side_by_side && !code; k++) {
        piece *p = &t->pieces[k];
        if (work->list && !(p->buffer = slip_alloc(t->room * work->shape->record, sizeof *p->buffer)))
            return slip_fail_memory(t->ctx);
        if ((code = d->stream(&p->stream, 1)) == 0 && /* it waits for no other */
            (code = d->alloc(&p->records, bytes_of_records(t, t->room))) == 0 &&
            (code = d->alloc(&p->counters, 2 * sizeof(unsigned long long))) == 0 && work->returns)
            code = d->alloc(&p->states, bytes_of_states(t, t->room));
    }
    if (code || (code = d->there(t->numbers, work->numbers, all, t->pieces[0].stream)) != 0 ||
        (code = d->wait(t->pieces[0].stream)) != 0)
        return fail_card(t->ctx, t->card, "its memory does not suffice", code);
    return SLIP_OK;
}

static void free_transport(const transport *t)
{
    const driver *d = &t->card->d;
    for (int k = 0; k < side_by_side; k++) {
        const piece *p = &t->pieces[k];
        const address all[] = {p->records, p->states, p->counters, k == 0 ? t->numbers : 0};
        if (p->stream)
            d->wait(p->stream);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (all[i])
                d->free(all[i]);
        if (p->stream)
            d->end(p->stream);
        free(p->buffer);
    }
}

int slip_card_advance(slip_context *ctx, slip_card *card, const slip_batch_work *work, int set_count)
{
    transport t = {.ctx = ctx, .card = card, .work = work};
    const double of_lane = (double)(bytes_of_records(&t, 1) + bytes_of_states(&t, 1));
    const int64_t fits = (int64_t)(0.4 / side_by_side * (double)card->memory / of_lane),
                  most = fits < lanes_of_piece ? fits : lanes_of_piece;
    int status = SLIP_OK, turn = 0;
    t.room = work->count < most ? work->count : most;
    if (work->count == 0)
        return SLIP_OK;
    SLIP_TRY(prepare(ctx, card, work->shape));
    SLIP_TRY(create_transport(&t, set_count));
    for (int64_t first = 0; first < work->count; first += t.room, turn = (turn + 1) % side_by_side) {
        const int64_t left = work->count - first;
        status = receive_piece(&t, &t.pieces[turn]);
        if (status != SLIP_OK)
            goto done;
        SLIP_TRY(send_piece(&t, &t.pieces[turn], first, left < t.room ? left : t.room));
    }
    for (int k = 0; k < side_by_side && status == SLIP_OK; k++)
        status = receive_piece(&t, &t.pieces[(turn + k) % side_by_side]);
done:
    free_transport(&t);
    return status;
}
