/* Patches that share bodies with rods, stops and other patches: the steps of moreau are always solved, and
 * come to the motion of the event method. */
#include "patch/patch.h"
#include "patch_run.h"

enum { coordinates = 5 };

static double log_random(uint64_t *seed, double decades)
{
    return pow(10, test_random(seed, -decades, decades));
}

static double random_ratio(uint64_t *seed)
{
    return test_random(seed, 0, 1) < 0.3 ? 1 : test_random(seed, 1.05, 2);
}

static void add_random_patch(bench *b, uint64_t *seed, const char *name, const char *slip, const char *spin)
{
    slip_patch_options area = slip_patch_options_default();
    char normal[40];
    area.radius = test_random(seed, 0.3, 1);
    area.static_ratio = random_ratio(seed);
    snprintf(normal, sizeof normal, "%.3f", test_random(seed, 0.5, 1.5));
    add_patch(b, name, slip, NULL, spin, normal, test_random(seed, 0.2, 0.6), &area);
}

static void add_random_rod(bench *b, uint64_t *seed, const char *name, const char *slip)
{
    char normal[40];
    snprintf(normal, sizeof normal, "%.3f", test_random(seed, 0.2, 1.2));
    add_friction(b, name, slip, normal, coulomb(test_random(seed, 0.1, 0.5), random_ratio(seed)));
}

/* Two bodies (x, phi) and (u, psi) that slide and spin, a third one, z, between them. Masses within so many
 * decades on both sides of 1. */
static bench random_mixture(uint64_t *seed, double decades)
{
    static const char *const names[] = {"x", "phi", "z", "u", "psi"};
    bench b = build(coordinates, names);
    char text[80];
    for (int i = 0; i < coordinates; i++) {
        b.system->mass[(coordinates + 1) * i] = log_random(seed, decades);
        b.system->stiffness[(coordinates + 1) * i] = test_random(seed, 0.5, 2);
        b.system->damping[(coordinates + 1) * i] = 0.05;
        snprintf(text, sizeof text, "%.3f*sin(%.3f*t + %.3f)", test_random(seed, 0.2, 1.5),
                 test_random(seed, 0.3, 1.5), test_random(seed, 0, 6));
        add_force(&b, i, text);
    }
    snprintf(text, sizeof text, "x' - %.3f", test_random(seed, 0, 0.2));
    add_random_patch(&b, seed, "pad", text, "phi'");
    if (test_random(seed, 0, 1) < 0.7)
        add_random_rod(&b, seed, "rod", "z' - x'");
    if (test_random(seed, 0, 1) < 0.7)
        add_random_rod(&b, seed, "link", "u' - z'");
    if (test_random(seed, 0, 1) < 0.5)
        add_random_patch(&b, seed, "foot", "u' + 0.3*psi'", "psi' - 0.05");
    else
        add_random_patch(&b, seed, "clutch", "u' - x'", "psi' - phi'");
    if (test_random(seed, 0, 1) < 0.5)
        add_unilateral(&b, "stop", "0.4 - z", NULL, NULL, 0.5, false);
    return b;
}

/* ---- The laws at the end of each step. Stick is zero velocity up to rounding, which is relative to the
 * velocities that bodies of such different masses have on their way to it. */

typedef struct judge {
    const slip_system *system;
    slip_context *ctx;
    slip_workspace *work;
    double speed, worst; /* the largest velocity so far; by how much a law was violated */
    int stuck, sliding, changes;
} judge;

static void judge_patch(judge *j, const slip_contact *contact, const double slip[3], const double force[3],
                        double normal, bool stuck)
{
    const slip_patch_form *patch = contact->patch;
    const double basis[6] = {1, 0, 0, 0, 0, 1}, u[2] = {force[0], force[2] / patch->size};
    double T[3], ratio, z[3], length = slip_contact_slip_size(contact, slip);
    if (stuck) {
        assert_true(slip_patch_limit_within(j->ctx, patch->law, 2, basis, u, &ratio, z) >= 0);
        j->worst = fmax(j->worst, length / j->speed);
        j->worst = fmax(j->worst, ratio - patch->static_ratio * patch->mu * normal);
        return;
    }
    slip_patch_evaluate(patch->law, slip, T, NULL);
    for (int part = 0; part < 3; part += 2) {
        double off = fabs(force[part] + patch->mu * normal * T[part]) / (part == 2 ? patch->size : 1);
        j->worst = fmax(j->worst, off * fmin(1, length / (1e-3 * j->speed)));
    }
}

/* Where other contacts hold both bodies together a rod may be at its limit without slip. */
static void judge_rod(judge *j, const slip_law_kernel *law, double slip, double force, double normal,
                      bool stuck)
{
    double expected, slope;
    if (stuck || fabs(slip) <= 1e-13 * j->speed) {
        j->worst = fmax(j->worst, fabs(slip) / j->speed);
        j->worst = fmax(j->worst, fabs(force) - slip_law_hold(law) * normal);
        return;
    }
    slip_law_force(law, slip > 0 ? 1 : 0, slip, &expected, &slope);
    j->worst = fmax(j->worst, fabs(force + normal * expected));
}

static int judge_step(void *user, const slip_step *step)
{
    judge *j = user;
    double q[watched_most], v[watched_most], a[watched_most], slip[watched_most], normal[watched_most],
        force[watched_most], mode[watched_most], own[3];
    slip_patch_state patches[watched_most];
    slip_sample sample = {.q = q,
                          .v = v,
                          .a = a,
                          .slip = slip,
                          .normal = normal,
                          .force = force,
                          .mode = mode,
                          .patches = patches};
    step->sample(step->self, step->t1, &sample);
    for (int i = 0; i < coordinates; i++)
        j->speed = fmax(j->speed, fabs(v[i]));
    for (int c = 0; c < (int)j->system->contact_count; c++) {
        const slip_contact *contact = &j->system->contacts[c];
        const bool stuck = mode[c] == SLIP_MODE_STICK;
        if (contact->patch) {
            slip_system_patch_slip(j->system, j->work, c, step->t1, q, v, own);
            judge_patch(j, contact, own, patches[contact->vector].force, normal[c], stuck);
        } else if (!contact->has_gap) {
            judge_rod(j, &contact->law, slip_system_slip(j->system, j->work, c, step->t1, q, v), force[c],
                      normal[c], stuck);
        }
        j->stuck += stuck;
        j->sliding += !stuck;
    }
    return SLIP_OK;
}

static int judge_event(void *user, const slip_event *event)
{
    (void)event;
    ((judge *)user)->changes++;
    return SLIP_OK;
}

/* The state at the end. */
static judge run_moreau(bench *b, double step, const double *q, const double *v, double end, double *end_q)
{
    const slip_method_type *type = slip_method_find("moreau");
    const slip_method_options options = {.step = step, .theta = NAN, .span = end};
    judge j = {.system = b->system, .ctx = b->ctx, .speed = 1e-3};
    const slip_observer observer = {.user = &j, .step = judge_step, .event = judge_event};
    double t, end_v[coordinates];
    void *self = NULL;
    if (!b->system->finished)
        check_done(b, slip_system_finish(b->ctx, b->system));
    check_done(b, slip_workspace_create(b->ctx, b->system, &j.work));
    check_done(b, type->open(b->ctx, b->system, &options, 0, q, v, &self));
    check_done(b, type->advance(self, end, &observer));
    type->state(self, &t, end_q, end_v);
    type->close(self);
    slip_workspace_destroy(j.work);
    return j;
}

static double distance(const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < coordinates; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* Order one in the step, on the average of systems: of a single one the error depends on how events fall into
 * steps. */
static void test_converges_to_event(void **state)
{
    enum { systems = 12, steps = 3 };
    const double q[coordinates] = {0}, v[coordinates] = {0, 0.3, 0.1, 0, -0.2}, end = 6;
    double mean[steps] = {0};
    uint64_t seed = 4;
    int events = 0;
    (void)state;
    for (int k = 0; k < systems; k++) {
        bench b = random_mixture(&seed, 1);
        patch_outcome exact = patch_run_event(&b, 1e-8, q, v, end);
        assert_true(exact.w->residual < 1e-6);
        events += exact.w->count;
        for (int s = 0; s < steps; s++) {
            const double h = 8e-3 * pow(0.25, s);
            double end_q[coordinates];
            judge j = run_moreau(&b, h, q, v, end, end_q);
            mean[s] += distance(end_q, exact.q) / systems;
            assert_true(j.worst < 1e-9);
        }
        patch_finish(&exact);
        clear(&b);
    }
    assert_true(events > 50);
    assert_true(mean[1] < mean[0] / 2.5 && mean[2] < mean[1] / 2.5);
}

/* A pad and a rod come to rest together where the pad cannot hold both: alone it slips, then the rod takes
 * the load from it and it sticks, then the rod stays behind, and so on. */
static void test_rod_on_pad(void **state)
{
    static const char *const names[] = {"x", "phi", "z", "none", "nothing"};
    const double q[coordinates] = {0}, v[coordinates] = {0, 0.3};
    slip_patch_options area = slip_patch_options_default();
    bench b = build(coordinates, names);
    double end_q[coordinates];
    patch_outcome exact;
    judge j;
    (void)state;
    b.system->mass[6] = 0.5;
    for (int i = 0; i < 3; i++)
        b.system->stiffness[6 * i] = 1;
    add_force(&b, 0, "0.8*sin(t)");
    add_force(&b, 2, "sin(0.7*t) - 0.2");
    area.static_ratio = 1.3;
    add_patch(&b, "pad", "x' - 0.1", NULL, "phi'", NULL, 0.4, &area);
    add_friction(&b, "rod", "z' - x'", NULL, coulomb(0.2, 1));
    add_unilateral(&b, "stop", "0.9 - z", NULL, NULL, 0.5, false);
    exact = patch_run_event(&b, 1e-9, q, v, 20);
    patch_check_event(&exact, 2, 0, "stick>slip", 0.554923768, 1e-7);
    patch_check_event(&exact, 3, 1, "slip->stick", 0.554923768, 1e-7);
    for (double h = 2e-3; h > 0.4e-3; h /= 2) {
        j = run_moreau(&b, h, q, v, 20, end_q);
        assert_true(j.worst < 1e-12);
        assert_true(distance(end_q, exact.q) < 4 * h); /* 0.5 to 3.4: where in a step the impacts fall */
    }
    patch_finish(&exact);
    clear(&b);
}

/* Light bodies between heavy ones: each contact alone says little about the others. */
static void test_all_steps_are_solved(void **state)
{
    const double q[coordinates] = {0}, v[coordinates] = {0, 0.3, 0.1, 0, -0.2};
    uint64_t seed = 99;
    (void)state;
    for (int k = 0; k < test_cases(60); k++) {
        bench b = random_mixture(&seed, 1 + k % 4);
        double end_q[coordinates];
        judge j = run_moreau(&b, 1e-2, q, v, 8, end_q);
        assert_true(j.worst < 1e-9);
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rod_on_pad),
        cmocka_unit_test(test_converges_to_event),
        cmocka_unit_test(test_all_steps_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
