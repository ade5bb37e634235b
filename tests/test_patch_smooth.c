/* The smooth method on regularised patches: the disk on a belt against trusted numbers. */
#include "belt_disc.h"
#include "method/method.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Times at which x falls through `level`. */
typedef struct section {
    double level, times[64];
    int count, most;
} section;

static int watch_section(void *user, const slip_step *step)
{
    section *s = user;
    double low = step->t0, high = step->t1, q[2], v[2];
    if (!(step->q0[0] > s->level && step->q1[0] <= s->level) || s->count == s->most)
        return SLIP_OK;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        step->state(step->self, middle, q, v);
        if (q[0] > s->level)
            low = middle;
        else
            high = middle;
    }
    s->times[s->count++] = high;
    return s->count == s->most ? SLIP_STOPPED : SLIP_OK;
}

/* From the onset of slip of the set-valued orbit the return times tend to the period by a factor of about 0.8
 * each: the limit of the last three. */
static double period(double epsilon)
{
    enum { returns = 40 };
    slip_context *ctx = slip_context_create();
    slip_contact_options pad = belt_patch(epsilon, 13.7627);
    slip_model *model = belt_model(ctx, &pad);
    const slip_method_type *type = slip_method_find("smooth");
    slip_method_options options = {.tolerance = 1e-13, .span = 6000};
    section s = {.level = 5, .most = returns};
    slip_observer observer = {.user = &s, .step = watch_section};
    const double q[2] = {16.16, -0.7610713443354}, v[2] = {0.15, 0};
    void *self = NULL;
    double a, b, c;
    belt_check(ctx, slip_model_finish(ctx, model));
    belt_check(ctx, type->open(ctx, model->system, &options, 0, q, v, &self));
    assert_int_equal(type->advance(self, 6000, &observer), SLIP_STOPPED);
    type->close(self);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    a = s.times[returns - 3] - s.times[returns - 4];
    b = s.times[returns - 2] - s.times[returns - 3];
    c = s.times[returns - 1] - s.times[returns - 2];
    return c - (c - b) * (c - b) / (c - 2 * b + a);
}

static void test_periods(void **state)
{
    (void)state;
    assert_close(period(1e-4), 131.17682003, 1e-6);
    assert_close(period(1e-5), 131.13957956, 1e-6);
}

/* epsilon 1e-5 from the stuck origin: t, x, phi, slip velocity, spin. */
static const double rows[][5] = {
    {1.0, 0.14999998983712404, -1.2954605269489823e-08, -2.0323930813856647e-08, -2.590994961095876e-08},
    {50.0, 7.499973888595285, -3.329185171405463e-05, -1.0753644326040726e-06, -1.371084329349742e-06},
    {102.0, 15.299874603640777, -0.00015987961552254947, -3.4758059807947235e-06, -4.431620945048178e-06},
    {102.45, 15.367372996350586, -0.00016192889019378965, -3.756750563330816e-06, -4.789612378072612e-06},
    {102.5, 15.365091234810794, -0.0002986996720279694, -0.4503729606746829, -0.006288912023444051},
    {103.0, 13.9526376263716, -0.021200564013870295, -5.379712584956076, -0.07618213481254482},
    {104.0, 5.459187375730008, -0.15146119260370144, -10.448411799944905, -0.17048181222183803},
    {105.0, -3.3345185007404345, -0.3306734640468487, -5.92261526675041, -0.17345370739528584},
    {107.0, -4.227197740741366, -0.5648062292454054, 0.523754465598783, -0.060260390771308535},
    {110.0, -3.4704956944386547, -0.6017682849597765, 5.480781015467759e-07, 7.33279478356928e-07},
    {150.0, 2.529509681653358, -0.601760067584433, -2.743040106172475e-07, -3.156872551540327e-07},
    {239.0, 15.879385475489, -0.6019150144925265, -3.407875293342033e-06, -4.28946804801228e-06},
    {240.0, 15.84433507954954, -0.6044604588245672, -1.9633069728118162, -0.026982513185847996},
    {241.0, 9.577854194102903, -0.6958902458173697, -9.79396453988337, -0.14566457199716223},
    {245.0, -3.3624986913356287, -1.1732386862696804, 0.3252829908987299, -0.02045505881288365},
    {250.0, -2.343154694214011, -0.9949296676196917, 0.05447699860328736, 0.0656697784859897},
    {258.0, -0.9314516056796298, -0.6331746776631433, 1.99570319039945e-07, 2.902454365595009e-07},
    {300.0, 5.368538726223005, -0.6331854966284017, -6.682733327542856e-07, -8.155816117852533e-07}};

static void test_trajectory(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_contact_options pad = belt_patch(1e-5, 13.7627);
    slip_model *model = belt_model(ctx, &pad);
    const slip_method_type *type = slip_method_find("smooth");
    slip_method_options options = {.tolerance = 1e-13, .span = 300};
    const double start[2] = {0, 0}, speed[2] = {0.15, 0};
    slip_observer nobody = {0};
    void *self = NULL;
    (void)state;
    belt_check(ctx, slip_model_finish(ctx, model));
    belt_check(ctx, type->open(ctx, model->system, &options, 0, start, speed, &self));
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        double t, q[2], v[2];
        assert_int_equal(type->advance(self, rows[k][0], &nobody), SLIP_OK);
        type->state(self, &t, q, v);
        assert_true(t == rows[k][0]);
        /* the time of the first onset is good to 1e-6, and the velocity changes by 10 in unit time then */
        assert_close(q[0], rows[k][1], t < 102.46 ? 1e-9 : 1e-6);
        assert_close(q[1], rows[k][2], t < 102.46 ? 1e-9 : 1e-6);
        assert_close(v[0] - 0.15, rows[k][3], t < 102.46 ? 1e-10 : 1e-5);
        assert_close(v[1], rows[k][4], t < 102.46 ? 1e-10 : 1e-6);
    }
    type->close(self);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* Explicit steps would be some 1e-7 long here: implicit ones take over. */
static void test_event_on_a_steep_law(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_contact_options pad = belt_patch(1e-5, 13.7627);
    slip_model *model = belt_model(ctx, &pad);
    const slip_method_type *type = slip_method_find("event");
    slip_method_options options = {.tolerance = 1e-13, .span = 300};
    const double start[2] = {0, 0}, speed[2] = {0.15, 0};
    slip_observer nobody = {0};
    slip_method_counters counters;
    void *self = NULL;
    (void)state;
    belt_check(ctx, slip_model_finish(ctx, model));
    belt_check(ctx, type->open(ctx, model->system, &options, 0, start, speed, &self));
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        double t, q[2], v[2];
        belt_check(ctx, type->advance(self, rows[k][0], &nobody));
        type->state(self, &t, q, v);
        assert_close(q[0], rows[k][1], t < 102.46 ? 1e-9 : 1e-5);
        assert_close(q[1], rows[k][2], t < 102.46 ? 1e-9 : 1e-5);
    }
    type->counters(self, &counters);
    assert_true(counters.steps < 60000);
    type->close(self);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* Beside a set-valued contact there are only explicit steps: the run ends and says what to do. */
static void test_steep_beside_set_valued(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_contact_options pad = belt_patch(1e-7, 13.7627);
    slip_contact_options rub = slip_contact_options_default();
    slip_model *model = belt_model(ctx, &pad);
    const slip_method_type *type = slip_method_find("event");
    slip_method_options options = {.tolerance = 1e-8, .span = 300};
    const double start[2] = {0, 0}, speed[2] = {0.15, 0};
    slip_observer nobody = {0};
    void *self = NULL;
    (void)state;
    rub.name = "rub";
    rub.slip = "phi'";
    rub.law = slip_law_default("coulomb");
    rub.law.mu = 0.1;
    belt_check(ctx, slip_model_add_contact(ctx, model, &rub));
    belt_check(ctx, slip_model_finish(ctx, model));
    belt_check(ctx, type->open(ctx, model->system, &options, 0, start, speed, &self));
    assert_int_equal(type->advance(self, 300, &nobody), SLIP_ERROR_SOLVER);
    assert_non_null(strstr(slip_context_message(ctx), "contact `pad`"));
    assert_non_null(strstr(slip_context_message(ctx), "simulate.method=smooth"));
    type->close(self);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_periods),
        cmocka_unit_test(test_trajectory),
        cmocka_unit_test(test_event_on_a_steep_law),
        cmocka_unit_test(test_steep_beside_set_valued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
