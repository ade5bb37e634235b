/* The program for a graphics card: compiled as C++ on this machine, where it is to give the bits of one lane;
 * and, where there is a card, on that, where events are to be the same and states close. */
#include "batch/batch.h"
#include "batch/card.h"
#include "batch/lanes.h"
#include "batch/numbers.h"
#include "card_text.h"
#include "model_test.h"

/* Two contacts, and one: whose events are settled side by side. */
static const char
    two_contacts[] =
        "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\n"
        "damping: [[0.05, 0], [0, 0.1]]\nstiffness: [[1.8, -0.8], [-0.8, 1.4]]\n"
        "forces: {x: cos(1.1*t), y: 0.4}\ncontacts:\n"
        "  pad: {kind: friction, slip: x' - 0.1, law: {type: coulomb, mu: mu, static_ratio: 1.2}}\n"
        "  stop: {kind: unilateral, gap: 1 - y, restitution: 0.7}\nsimulate: {time: [0, 10]}\n",
    one_contact[] =
        "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x]\nmass: [[1]]\n"
        "damping: [[0.05]]\nstiffness: [[1]]\nforces: {x: cos(1.1*t)}\ncontacts:\n"
        "  pad: {kind: friction, slip: x' - 0.1, law: {type: coulomb, mu: mu, static_ratio: 1.2}}\n"
        "simulate: {time: [0, 10]}\n";
static const char *text;
static int width;  /* of a state */
static bool peaks; /* largest values are kept */
static void choose_model(bool two, bool with_peaks)
{
    peaks = with_peaks;
    text = two ? two_contacts : one_contact;
    width = two ? 4 : 2;
}
static const double period = 6.283185307179586 / 1.1;
enum { lanes = 90, returns = 15 };

static void fill(slip_batch *batch)
{
    for (int k = 0; k < lanes; k++) {
        char mu[40], reason[200];
        int set;
        int64_t lane;
        snprintf(mu, sizeof mu, "mu=%.6f", 0.1 + 0.005 * k);
        slip_model *model = parse_with(text, (const char *const[]){mu, NULL});
        assert_int_equal(slip_batch_add_set(ctx, batch, model->system,
                                            &(slip_batch_motion){.period = period, .peaks = peaks}, &set,
                                            reason, sizeof reason),
                         SLIP_OK);
        assert_int_equal(set, k);
        assert_int_equal(slip_batch_add_lane(ctx, batch, set, 0, (const double[]){0.01 * k, 0},
                                             (const double[]){0, 0.02 * k}, &lane),
                         SLIP_OK);
        slip_model_destroy(model);
    }
}

/* What a card has, for one thread. */
static const char host[] =
    "#include <math.h>\n#define __device__ inline\n#define __noinline__\n#define __forceinline__\n#define "
    "__global__\n"
    "#define __launch_bounds__(x, y)\nstatic struct { int x; } blockIdx, blockDim, threadIdx;\nstatic "
    "unsigned long long atomicAdd(unsigned long long *to, unsigned long long more)\n{\n    "
    "const unsigned long long before = *to;\n    *to += more;\n    return before;\n}\n";

typedef void (*kernel)(slip_batch_shape shape, const double *numbers, slip_batch_word *records,
                       long long count, long long each, int first, double *to, long long budget,
                       unsigned long long *next, unsigned long long *unfinished, double *tables,
                       unsigned *patterns);
typedef void (*table_maker)(slip_batch_shape shape, const double *numbers, long long sets, double *tables,
                            unsigned *patterns, unsigned long long *next);

static void the_text_gives_the_bits_of_one_lane(bool two, bool with_peaks)
{
    static double expected[lanes * returns * 4], found[lanes * returns * 4];
    char reason[200];
    slip_batch *batch = NULL;
    slip_text program = {0};
    slip_batch_draft draft = {.peaks = with_peaks};
    slip_batch_shape shape;
    void *library, *symbol;
    kernel run;
    choose_model(two, with_peaks);
    need_compiler();
    assert_int_equal(
        slip_batch_create(ctx, &(slip_batch_settings){.threads = 1, .lanes = 1, .device = "cpu"}, &batch),
        SLIP_OK);
    fill(batch);
    slip_model *model = parse(text);
    assert_int_equal(slip_batch_describe(ctx, model->system, &draft, &shape, reason, sizeof reason), SLIP_OK);
    slip_batch_word *own = slip_alloc((int64_t)lanes * shape.record, sizeof *own);
    for (int k = 0; k < lanes; k++) {
        const slip_batch_lane lane = slip_batch_get(batch, k);
        slip_batch_keep(&shape, &lane, own + (ptrdiff_t)k * shape.record);
    }
    assert_int_equal(slip_batch_advance(ctx, batch, NULL, lanes, returns, expected), SLIP_OK);
    double *numbers = slip_alloc((int64_t)lanes * shape.numbers, sizeof *numbers);
    for (int k = 0; k < lanes; k++) {
        char mu[40];
        slip_batch_draft one = {.peaks = peaks};
        slip_batch_shape same;
        snprintf(mu, sizeof mu, "mu=%.6f", 0.1 + 0.005 * k);
        slip_model *with = parse_with(text, (const char *const[]){mu, NULL});
        assert_int_equal(slip_batch_describe(ctx, with->system, &one, &same, reason, sizeof reason), SLIP_OK);
        slip_batch_fill(with->system, &one, &same, period, numbers + (ptrdiff_t)k * shape.numbers);
        slip_batch_draft_free(&one);
        slip_model_destroy(with);
    }
    slip_text_append(&program, host);
    assert_int_equal(slip_batch_card_text(ctx, &shape, !two, &program), SLIP_OK);
    library = compile_text(ctx, &program);
    symbol = dlsym(library, "slip_batch_kernel");
    assert_non_null(symbol);
    memcpy(&run, &symbol, sizeof run);
    unsigned long long next = 0, unfinished = 1;
    int launches = 0;
    const int64_t tables = (int64_t)lanes << shape.contacts;
    double *table = slip_alloc(tables * shape.table, sizeof *table);
    unsigned *patterns = slip_alloc(tables, sizeof *patterns);
    if (!two) { /* tables of all sets first */
        table_maker make;
        symbol = dlsym(library, "slip_batch_tables");
        assert_non_null(symbol);
        memcpy(&make, &symbol, sizeof make);
        make(shape, numbers, lanes, table, patterns, &next);
    }
    for (; unfinished > 0; launches++) { /* in pieces: a lane goes on where it was left */
        next = unfinished = 0;
        run(shape, numbers, own, lanes, returns, launches == 0, found, 100, &next, &unfinished, table,
            patterns);
        assert_true(launches < 1000);
    }
    assert_true(launches > 3);
    int ended = 0;
    for (int k = 0; k < lanes; k++) {
        const slip_batch_lane l = slip_batch_get(batch, k);
        slip_batch_lane same = {0};
        slip_batch_open(&shape, own + (ptrdiff_t)k * shape.record, &same);
        assert_memory_equal(&l, &same, sizeof l);
        ended += l.status != BATCH_GOES_ON;
        if (l.status == BATCH_GOES_ON)
            assert_memory_equal(expected + k * returns * width, found + k * returns * width,
                                (size_t)(returns * width) * sizeof(double));
    }
    assert_true(ended < lanes / 4);
    dlclose(library);
    free(own);
    free(numbers);
    free(table);
    free(patterns);
    slip_text_free(&program);
    slip_batch_draft_free(&draft);
    slip_model_destroy(model);
    slip_batch_destroy(batch);
}

static void two_contacts_as_text(void **state)
{
    (void)state;
    the_text_gives_the_bits_of_one_lane(true, false);
    the_text_gives_the_bits_of_one_lane(true, true);
}

static void one_contact_as_text(void **state)
{
    (void)state;
    the_text_gives_the_bits_of_one_lane(false, false);
    the_text_gives_the_bits_of_one_lane(false, true);
}

static void a_card_has_the_same_events(void **state)
{
    (void)state;
    choose_model(true, true);
    static double expected[lanes * returns * 4], found[lanes * returns * 4];
    slip_batch *batch[2] = {NULL, NULL};
    if (slip_batch_create(ctx, &(slip_batch_settings){.device = "cuda"}, &batch[1]) < 0) {
        print_message("%s\n", slip_context_message(ctx));
        slip_batch_destroy(batch[1]);
        skip();
    }
    assert_int_equal(slip_batch_create(ctx, &(slip_batch_settings){.device = "cpu"}, &batch[0]), SLIP_OK);
    for (int b = 0; b < 2; b++) {
        fill(batch[b]);
        assert_int_equal(slip_batch_advance(ctx, batch[b], NULL, lanes, returns, b ? found : expected),
                         SLIP_OK);
    }
    for (int k = 0; k < lanes; k++) {
        const slip_batch_lane a = slip_batch_get(batch[0], k), b = slip_batch_get(batch[1], k);
        assert_int_equal(a.status, b.status);
        assert_true(a.signature == b.signature);
        for (int i = 0; i < returns * 4 && a.status == BATCH_GOES_ON; i++)
            assert_close(found[k * returns * 4 + i], expected[k * returns * 4 + i], 1e-9);
        for (int i = 0; i < 4 && a.status == BATCH_GOES_ON; i++)
            assert_close(b.largest[i], a.largest[i], 1e-9);
    }
    for (int b = 0; b < 2; b++)
        slip_batch_destroy(batch[b]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_contacts_as_text, setup, teardown),
        cmocka_unit_test_setup_teardown(one_contact_as_text, setup, teardown),
        cmocka_unit_test_setup_teardown(a_card_has_the_same_events, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
