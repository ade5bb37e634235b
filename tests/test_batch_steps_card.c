/* Dormand-Prince lanes on a graphics card. Where there is none, the program is compiled as C++ on this
 * machine and stands behind the functions of a driver: threads come one after the other, each keeps its lane
 * from launch to launch, and the bits are those of the processor's lanes. Where there is one, events are the
 * same and so are the bits, unless the library's functions differ. */
#include "batch/batch.h"
#include "card_memory.h"
#include "card_text.h"
#include "model_test.h"

static const char two_masses[] =
    "slipstick: 1\nparameters: {mu: 0.3, k: 1}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
    "damping: [[0.05, 0], [0, 0.1]]\nstiffness: [[k + 0.8, -0.8], [-0.8, 1.4]]\n"
    "forces: {x: cos(1.1*t) - 0.2*x^3, y: 0.4*exp(sin(1.1*t))}\ncontacts:\n"
    "  a: {kind: friction, slip: x' - 0.1, law: {type: stribeck, mu: mu, static_ratio: 1.4, velocity: 0.5}}\n"
    "  b: {kind: friction, slip: y' + 0.1*sin(1.1*t), normal_force: 1 + 0.2*cos(2.2*t), law: {type: coulomb, "
    "mu: 0.7*mu, static_ratio: 1.2}}\nsimulate: {time: [0, 10]}\n";
static const char one_mass[] =
    "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\nstiffness: [[1]]\n"
    "forces: {x: cos(1.1*t)}\ncontacts: {pad: {kind: friction, slip: x', law: {type: coulomb, mu: mu, "
    "static_ratio: 1.3}}}\nsimulate: {time: [0, 10]}\n";
static const char smooth_laws[] =
    "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 2]]\n"
    "damping: [[0.05, 0], [0, 0.1]]\nstiffness: [[1.8, -0.8], [-0.8, 1.4]]\n"
    "forces: {x: cos(1.1*t)/(1.5 + 0.5*sin(1.1*t)), y: 0.3*tanh(cos(1.1*t))}\ncontacts:\n"
    "  a: {kind: friction, slip: x', law: {type: dahl, mu: mu, stiffness: 8}}\n"
    "  b: {kind: friction, slip: y' - x', law: {type: arctan, mu: mu, velocity: 0.1}}\n"
    "simulate: {time: [0, 10]}\n";
/* A stop that strikes and comes to rest beside friction; bounces that accumulate under a load that is no
 * wave; the same without any contact. */
static const char stop_and_friction[] =
    "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
    "damping: [[0.05, 0], [0, 0.1]]\nstiffness: [[1.8, -0.8], [-0.8, 1.4]]\n"
    "forces: {x: 2*cos(1.1*t) - 0.2*x^3, y: 0.4*exp(sin(1.1*t))}\ncontacts:\n"
    "  stop: {kind: unilateral, gap: 1.2 - x + 0.1*exp(sin(1.1*t)), restitution: mu}\n"
    "  pad: {kind: friction, slip: y' - 0.1, law: {type: coulomb, mu: mu, static_ratio: 1.2}}\n"
    "simulate: {time: [0, 10]}\n";
static const char stop[] =
    "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\nstiffness: "
    "[[0.1]]\n"
    "forces: {x: -1 - 0.1*x^2 + 1.2*cos(1.1*t)}\ncontacts: {stop: {kind: unilateral, gap: x + 0.05, "
    "restitution: mu}}\nsimulate: {time: [0, 10]}\n";
static const char no_contact[] =
    "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 2]]\n"
    "damping: [[mu, 0], [0, 0.1]]\nstiffness: [[1.8, -0.8], [-0.8, 1.4]]\n"
    "forces: {x: cos(1.1*t) - 0.3*x^3}\nsimulate: {time: [0, 10]}\n";

static const double period = 6.283185307179586 / 1.1;
enum { lanes = 90, returns = 12, most = lanes * returns * 6 };

static void fill(slip_batch *batch, const char *text, bool peaks)
{
    for (int k = 0; k < lanes; k++) {
        char mu[40], reason[200];
        int set;
        int64_t lane;
        double start[8] = {0.01 * k};
        snprintf(mu, sizeof mu, "mu=%.6f", 0.1 + 0.005 * k);
        slip_model *model = parse_with(text, (const char *const[]){mu, NULL});
        const slip_batch_motion motion = {
            .period = period, .tolerance = 1e-8, .segments = "rk", .peaks = peaks};
        assert_int_equal(slip_batch_add_set(ctx, batch, model->system, &motion, &set, reason, sizeof reason),
                         SLIP_OK);
        if (set < 0)
            fail_msg("%s", reason);
        assert_int_equal(slip_batch_add_lane(ctx, batch, set, 0, start, start + 4, &lane), SLIP_OK);
        slip_model_destroy(model);
    }
}

/* ---- The program behind a driver. */

/* What a card has, for one thread. */
static const char before[] =
    "#include <math.h>\n#include <string.h>\n#define __device__ inline\n#define __noinline__\n"
    "#define __forceinline__\n#define __global__\n#define __launch_bounds__(x, y)\n#define "
    "__constant__\n#define __shared__ static\n"
    "static struct { int x; } blockIdx, blockDim, threadIdx, gridDim;\n"
    "static unsigned long long atomicAdd(unsigned long long *to, unsigned long long more)\n"
    "{\n    const unsigned long long before = *to;\n    *to += more;\n    return before;\n}\n"
    "#define __ballot_sync(those, x) ((x) ? 1u : 0u)\n#define __any_sync(those, x) (x)\n"
    "#define __shfl_sync(those, x, from) (x)\n#define __popc __builtin_popcount\n#define __ffs "
    "__builtin_ffs\n#define WARP 1u\n";
static const char after[] =
    "extern \"C\" void launch_all(void (*kernel)(slip_steps_work, int, int), void **a, int blocks)\n"
    "{\n    gridDim.x = blocks;\n    blockDim.x = 1;\n"
    "    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)\n"
    "        kernel(*(slip_steps_work *)a[0], *(int *)a[1], *(int *)a[2]);\n}\n";

typedef void (*launcher)(void *kernel, void **arguments, int blocks);
/* One for each kernel. */
static struct {
    void *library, *kernel;
    launcher launch;
} programs[slip_card_most_programs];
static int launches, cap;

static int set_bytes(slip_card_address where, unsigned char value, size_t bytes, void *stream)
{
    (void)stream;
    memset((void *)(uintptr_t)where, value, bytes);
    return 0;
}

static int launch(void *function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                  unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra)
{
    (void)y, (void)z, (void)block_y, (void)block_z, (void)shared, (void)stream, (void)extra;
    launches++;
    for (int k = 0; k < slip_card_most_programs; k++)
        if (programs[k].kernel == function)
            programs[k].launch(function, arguments, (int)(x * block_x));
    return 0;
}

static int find_function(void **function, void *module, const char *name)
{
    *function = dlsym(module, name);
    for (int k = 0; k < slip_card_most_programs; k++)
        if (programs[k].library == module)
            programs[k].kernel = *function;
    return *function ? 0 : 1;
}

static int find_global(slip_card_address *where, size_t *bytes, void *module, const char *name)
{
    void *symbol = dlsym(module, name);
    *where = (slip_card_address)(uintptr_t)symbol;
    *bytes = 0;
    return symbol ? 0 : 1;
}

static void compile(slip_context *context, const slip_text *text, int k)
{
    slip_text all = {0};
    slip_text_printf(&all, "%s%s%s", before, text->data, after);
    char *limit = strstr(all.data, "#define MOST_PASSES ");
    assert_non_null(limit);
    if (cap > 0) /* in its place, as long */
        memcpy(limit + 20, "00074", 5);
    programs[k].library = compile_text(context, &all);
    void *symbol = dlsym(programs[k].library, "launch_all");
    assert_non_null(symbol);
    memcpy(&programs[k].launch, &symbol, sizeof symbol);
    slip_text_free(&all);
}

static int compile_all(slip_context *context, slip_card *card, const char *name, int count,
                       const slip_text *texts, void **modules)
{
    (void)card, (void)name;
    for (int k = 0; k < count; k++) {
        if (!programs[k].library)
            compile(context, &texts[k], k);
        modules[k] = programs[k].library;
    }
    return SLIP_OK;
}

static slip_card card_by_compiler(void)
{
    need_compiler();
    memset(programs, 0, sizeof programs);
    launches = cap = 0;
    return (slip_card){.d = {.stream = processor_stream,
                             .end = processor_wait,
                             .wait = processor_wait,
                             .alloc = processor_alloc,
                             .free = processor_free,
                             .pinned = processor_pinned,
                             .unpin = processor_unpin,
                             .there = processor_there,
                             .back = processor_back,
                             .set = set_bytes,
                             .function = find_function,
                             .global = find_global,
                             .launch = launch},
                       .processors = 1,
                       .memory = (size_t)1 << 30,
                       .programs = compile_all};
}

/* ---- Lanes there and here. */

static double expected[most], found[most];

/* `tolerance` 0: the same bits. `peaks`: of largest values too. */
static void compare(slip_card *card, const char *text, bool peaks, double tolerance)
{
    const slip_batch_settings settings[2] = {{.threads = 1, .lanes = 1, .device = "cpu"},
                                             {.threads = 1, .card = card, .device = "cuda"}};
    slip_batch *batch[2] = {NULL, NULL};
    int width = 0, ended = 0, contacts = 0;
    int64_t events = 0;
    slip_model *model = parse(text);
    width = 2 * model->system->n;
    contacts = (int)model->system->contact_count;
    slip_model_destroy(model);
    for (int b = 0; b < 2; b++) {
        assert_int_equal(slip_batch_create(ctx, &settings[b], &batch[b]), SLIP_OK);
        fill(batch[b], text, peaks);
        /* in two parts: lanes go on where they stand */
        for (int part = 0; part < 2; part++)
            assert_int_equal(slip_batch_advance(ctx, batch[b], NULL, lanes, returns / 2,
                                                (b ? found : expected) + part * lanes * returns / 2 * width),
                             SLIP_OK);
    }
    for (int k = 0; k < lanes; k++) {
        const slip_batch_lane here = slip_batch_get(batch[0], k), there = slip_batch_get(batch[1], k);
        assert_int_equal(here.status, there.status);
        assert_true(here.signature == there.signature);
        assert_int_equal(here.returns, there.returns);
        if (tolerance == 0)
            assert_memory_equal(&here, &there, sizeof here);
        events += here.events;
        ended += here.status != BATCH_GOES_ON;
        for (int i = 0; i < width && peaks && here.status == BATCH_GOES_ON; i++) {
            assert_true(here.largest[i] > 0);
            assert_close(there.largest[i], here.largest[i], tolerance);
        }
        for (int part = 0; part < 2 && here.status == BATCH_GOES_ON; part++) {
            const double *a = expected + (part * lanes + k) * returns / 2 * width,
                         *b = found + (part * lanes + k) * returns / 2 * width;
            if (tolerance == 0)
                assert_memory_equal(a, b, (size_t)(returns / 2 * width) * sizeof *a);
            for (int i = 0; i < returns / 2 * width; i++)
                assert_close(b[i], a[i], tolerance);
        }
    }
    assert_true(ended < lanes / 4);
    assert_true(contacts == 0 || events > lanes);
    if (cap > 0)
        assert_true(slip_batch_left_by_card(batch[1]) > lanes / 4);
    else
        assert_int_equal(slip_batch_left_by_card(batch[1]), 0);
    for (int b = 0; b < 2; b++)
        slip_batch_destroy(batch[b]);
    if (card) {
        assert_true(launches > 3);
        for (int k = 0; k < slip_card_most_programs; k++)
            if (programs[k].library)
                dlclose(programs[k].library);
    }
}

static void one_mass_has_the_bits_of_the_processor(void **state)
{
    slip_card card = card_by_compiler();
    (void)state;
    compare(&card, one_mass, false, 0);
}

static void two_masses_have_the_bits_of_the_processor(void **state)
{
    slip_card card = card_by_compiler();
    (void)state;
    compare(&card, two_masses, false, 0);
}

static void smooth_laws_have_the_bits_of_the_processor(void **state)
{
    slip_card card = card_by_compiler();
    (void)state;
    compare(&card, smooth_laws, false, 0);
}

static void stops_have_the_bits_of_the_processor(void **state)
{
    slip_card card = card_by_compiler();
    (void)state;
    compare(&card, stop, true, 0);
    card = card_by_compiler();
    compare(&card, stop_and_friction, false, 0);
}

static void largest_values_have_the_bits_of_the_processor(void **state)
{
    slip_card card = card_by_compiler();
    (void)state;
    compare(&card, two_masses, true, 0);
    card = card_by_compiler();
    compare(&card, no_contact, true, 0);
}

static void what_takes_many_steps_is_finished_on_the_processor(void **state)
{
    slip_card card = card_by_compiler();
    (void)state;
    cap = 74;
    compare(&card, one_mass, false, 1e-9);
}

static void a_card_has_the_same_events(void **state)
{
    slip_batch *batch = NULL;
    (void)state;
    cap = 0;
    if (slip_batch_create(ctx, &(slip_batch_settings){.device = "cuda"}, &batch) < 0) {
        print_message("%s\n", slip_context_message(ctx));
        slip_batch_destroy(batch);
        skip();
    }
    slip_batch_destroy(batch);
    compare(NULL, one_mass, false, 0);
    compare(NULL, two_masses, true, 0);
    compare(NULL, smooth_laws, false, 1e-9);
    compare(NULL, stop, true, 0);
    compare(NULL, stop_and_friction, false, 0);
    compare(NULL, no_contact, true, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_mass_has_the_bits_of_the_processor, setup, teardown),
        cmocka_unit_test_setup_teardown(two_masses_have_the_bits_of_the_processor, setup, teardown),
        cmocka_unit_test_setup_teardown(smooth_laws_have_the_bits_of_the_processor, setup, teardown),
        cmocka_unit_test_setup_teardown(stops_have_the_bits_of_the_processor, setup, teardown),
        cmocka_unit_test_setup_teardown(largest_values_have_the_bits_of_the_processor, setup, teardown),
        cmocka_unit_test_setup_teardown(what_takes_many_steps_is_finished_on_the_processor, setup, teardown),
        cmocka_unit_test_setup_teardown(a_card_has_the_same_events, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
