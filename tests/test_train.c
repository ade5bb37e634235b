/* Gears among the bodies of a lumped model: the structure's equations by the laws of mechanics at random
 * states, whole runs against the engine of two gears, values, states that are kept, errors. */
#include "test.h"

#include "gear/train/train.h"
#include "model/model.h"
#include "simulation/simulation.h"
#include "slipstick/gear_run.h"
#include "system/structure/structure.h"

#include <string.h>

#define OUTLINE "module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03, backlash: 1e-4, element: full"
#define MESH "mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}"

/* Two gears that touch, on shafts with a spring; %s: contact of the reduction, more of the mesh, simulate. */
static const char two[] =
    "slipstick: 1\n"
    "parameters: {torque: 0, penalty: 1e9}\n"
    "coordinates: [phi1, phi2]\n"
    "bodies:\n"
    "  pinion: {gear: {teeth: 12, " OUTLINE "}, " MESH ", turn: phi1, reduce: {modes: 20, contact: %s}}\n"
    "  wheel: {gear: {teeth: 15, " OUTLINE "}, " MESH ", turn: phi2, reduce: {modes: 20, contact: %s}}\n"
    "contacts:\n"
    "  mesh: {kind: flanks, between: [pinion, wheel], penalty: penalty%s}\n"
    "forces: {phi1: torque}\n"
    "simulate: {time: [0, 4e-5], initial: {phi1': 5}, %s}\n";

static const char rubbing[] = ", friction: {type: tanh, mu: 0.1, velocity: 0.05}";

/* Two stages on three shafts, the second one at another direction; a mass matrix that couples shafts. */
static const char stages[] =
    "slipstick: 1\n"
    "coordinates: [load, a, b, c]\n"
    "mass: [[2e-3, 1e-4, 0, 0], [1e-4, 1e-3, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1e-4]]\n"
    "springs: [{between: [load, a], stiffness: 1e4, damping: 0.5}]\n"
    "bodies:\n"
    "  first: {gear: {teeth: 12, " OUTLINE "}, " MESH ", turn: a, reduce: {modes: 8}}\n"
    "  second: {gear: {teeth: 15, " OUTLINE "}, " MESH ", turn: b, reduce: {modes: 8}}\n"
    "  third: {gear: {teeth: 12, " OUTLINE "}, " MESH ", turn: b, reduce: {modes: 6, contact: none}}\n"
    "  fourth: {gear: {teeth: 13, " OUTLINE "}, " MESH ", turn: c, reduce: {modes: 8}}\n"
    "contacts:\n"
    "  one: {kind: flanks, between: [first, second], penalty: 1e8, "
    "friction: {type: tanh, mu: 0.1, velocity: 0.05}}\n"
    "  other: {kind: flanks, between: [fourth, third], penalty: 1e8, direction: 2, sense: -1}\n"
    "simulate: {time: [0, 1e-5], method: event}\n";

static slip_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = slip_context_create();
    return ctx == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    slip_context_destroy(ctx);
    return 0;
}

static void good(int status)
{
    if (status < 0)
        fail_msg("%s", slip_context_message(ctx));
}

static slip_model *read_text(const char *text)
{
    slip_model *model = NULL;
    good(slip_model_parse(ctx, text, "train.yaml", NULL, &model));
    return model;
}

static slip_model *read_two(const char *contact, const char *more, const char *simulate)
{
    char text[3000];
    snprintf(text, sizeof text, two, contact, contact, more, simulate);
    return read_text(text);
}

/* ---- Equations. */

typedef struct point {
    const slip_system *system;
    slip_workspace *work;
    int n;
    double *q, *v, *a;
} point;

/* A random state in which flanks touch: shafts are turned into each other. */
static point random_point(const slip_model *model, uint64_t seed, double turn)
{
    point p = {.system = model->system, .n = model->system->n};
    const slip_train *train = model->bodies->train;
    good(slip_workspace_create(ctx, p.system, &p.work));
    p.q = calloc(3 * (size_t)p.n, sizeof *p.q);
    assert_non_null(p.q);
    p.v = p.q + p.n;
    p.a = p.v + p.n;
    for (int i = 0; i < p.n; i++) {
        const bool given = i < train->lumped;
        /* amplitudes of a frequency: those of a few micrometres at a node, and what they are in half a period
         */
        const double square = given ? 0 : p.system->stiffness[(int64_t)i * (p.n + 1)];
        const double size = given ? 1e-4 : 2e-7;
        p.q[i] = test_random(&seed, -size, size);
        p.v[i] = test_random(&seed, -1, 1) * (given ? 20 : size * fmin(sqrt(square), 1e5));
    }
    for (int i = 0; i < train->mesh_count; i++)
        p.q[train->bodies[train->meshes[i].side[0].body].turn] += turn * train->meshes[i].sense;
    return p;
}

static void free_point(point *p)
{
    slip_workspace_destroy(p->work);
    free(p->q);
}

static void accelerate(point *p)
{
    assert_true(slip_system_acceleration(p->system, p->work, NULL, 0, p->q, p->v, p->a));
}

static double energy_at(const point *p, double h)
{
    slip_energies_now now;
    double *q = calloc(2 * (size_t)p->n, sizeof *q), *v = q + p->n;
    assert_non_null(q);
    for (int i = 0; i < p->n; i++) {
        q[i] = p->q[i] + h * p->v[i] + h * h / 2 * p->a[i];
        v[i] = p->v[i] + h * p->a[i];
    }
    p->system->structure->energies(p->system, p->work, 0, q, v, &now);
    free(q);
    return now.kinetic + now.potential;
}

/* Along the motion the energy falls by what damping and friction take. */
static void energy_balances_at(const slip_model *model, uint64_t seed, double turn)
{
    point p = random_point(model, seed, turn);
    accelerate(&p);
    double driven, friction, taken = 0, h = 1e-10;
    p.system->structure->powers(p.system, p.work, 0, p.q, p.v, &driven, &friction);
    for (int i = 0; i < p.n; i++)
        for (int j = 0; j < p.n; j++)
            taken += p.v[i] * p.system->damping[(int64_t)i * p.n + j] * p.v[j];
    taken += friction;
    /* What flows between the parts: rounding is relative to that. */
    double flow = 0;
    for (int i = 0; i < p.n; i++)
        flow += fabs(p.v[i] * p.a[i] * (i < model->bodies->train->lumped ? 1e-4 : 1));
    const double rate = (energy_at(&p, h) - energy_at(&p, -h)) / (2 * h);
    assert_close(rate, -taken, 1e-6 * (flow + taken));
    free_point(&p);
}

static void energy_balances(void **state)
{
    (void)state;
    slip_model *models[] = {read_two("attachment", rubbing, "method: event"), read_text(stages)};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < test_cases(8); i++)
            energy_balances_at(models[k], 17 + (uint64_t)i, i % 4 == 3 ? -1e-3 : 3e-4);
        slip_model_destroy(models[k]);
    }
}

/* M M^-1 = 1, and dividing without the matrices is the same. */
static void mass_is_inverted(void **state)
{
    (void)state;
    slip_model *model = read_text(stages);
    point p = random_point(model, 3, 2e-4);
    const int n = p.n;
    double *row = calloc(2 * (size_t)n, sizeof *row), *found = row + n;
    slip_system_place(p.system, p.work, 0, p.q);
    slip_system_fill(p.system, p.work);
    for (int i = 0; i < n; i++) {
        memset(row, 0, sizeof *row * (size_t)n);
        row[i] = 1;
        slip_system_response(p.system, p.work, row, found);
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += p.work->mass[(int64_t)j * n + k] * found[k];
            assert_close(sum, i == j, 1e-10);
            assert_close(p.work->inverse_mass[(int64_t)i * n + j], found[j],
                         1e-10 * sqrt(p.work->inverse_mass[(int64_t)i * (n + 1)] *
                                      p.work->inverse_mass[(int64_t)j * (n + 1)]));
        }
    }
    /* the kinetic energy is half v M v */
    slip_energies_now now;
    double sum = 0;
    p.system->structure->energies(p.system, p.work, 0, p.q, p.v, &now);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += p.v[i] * p.work->mass[(int64_t)i * n + j] * p.v[j] / 2;
    assert_close_relative(now.kinetic, sum, 1e-12);
    free(row);
    free_point(&p);
    slip_model_destroy(model);
}

/* The Jacobian of the acceleration against central differences of it, along random directions. */
static void derivatives_are_right(void **state)
{
    (void)state;
    slip_model *model = read_text(stages);
    uint64_t seed = 5;
    point p = random_point(model, 11, 3e-4);
    const int n = p.n;
    double *memory = calloc(2 * (size_t)n * (size_t)n + 6 * (size_t)n, sizeof *memory);
    double *a_q = memory, *a_v = a_q + (size_t)n * (size_t)n, *x = a_v + (size_t)n * (size_t)n, *kept = x + n,
           *up = kept + n, *low = up + n;
    assert_true(slip_system_jacobian(p.system, p.work, NULL, 0, p.q, p.v, p.a, a_q, a_v, NULL, NULL));
    for (int rate = 0; rate < 2; rate++) {
        double *of = rate ? p.v : p.q, h = rate ? 1e-6 : 1e-9;
        memcpy(kept, of, sizeof *kept * (size_t)n);
        for (int i = 0; i < n; i++) /* unit masses: a shaft has its inertia */
            x[i] = test_random(&seed, -1, 1) * (i < model->bodies->train->lumped ? 30 : 1);
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < n; i++)
                of[i] = kept[i] + (side ? -h : h) * x[i];
            accelerate(&p);
            memcpy(side ? low : up, p.a, sizeof *p.a * (size_t)n);
        }
        memcpy(of, kept, sizeof *kept * (size_t)n);
        for (int i = 0; i < n; i++) {
            double sum = 0, size = 0;
            for (int j = 0; j < n; j++) {
                const double part = (rate ? a_v : a_q)[(int64_t)i * n + j] * x[j];
                sum += part;
                size += fabs(part);
            }
            assert_close((up[i] - low[i]) / (2 * h), sum, 2e-4 * size + 1e-6);
        }
    }
    free(memory);
    free_point(&p);
    slip_model_destroy(model);
}

/* The angular momentum about the axis of each gear grows by the moment of its flanks. */
static void momentum_grows_by_the_flanks(void **state)
{
    (void)state;
    slip_model *model = read_two("none", rubbing, "method: event");
    slip_train *train = model->bodies->train;
    slip_gear_modal *m = NULL;
    point p = random_point(model, 23, 3e-4);
    const int n = p.n;
    accelerate(&p);
    good(slip_train_open_modal(ctx, train, &m));
    slip_gear_modal_start(m, 0);
    for (int k = 0; k < 2; k++)
        for (int rate = 0; rate < 2; rate++) {
            const slip_train_body *body = &train->bodies[k];
            const double *from = rate ? p.v : p.q;
            double *to = m->state + (rate ? m->count : 0) + m->gear[k].at;
            to[0] = from[body->turn] + (rate ? 0 : body->offset);
            memcpy(to + 1, from + train->lumped + body->first, sizeof *to * (size_t)body->modes);
        }
    good(slip_gear_modal_follow(ctx, m));
    slip_gear_modal_touch(m, m->state, m->state + m->count);
    assert_true(m->totals.touching > 0);
    for (int k = 0; k < 2; k++) {
        double momentum[2] = {0}, h = 1e-9;
        for (int side = 0; side < 2; side++) {
            const double s = side ? h : -h;
            double *q = calloc(2 * (size_t)n, sizeof *q), *v = q + n;
            for (int i = 0; i < n; i++) {
                q[i] = p.q[i] + s * p.v[i] + s * s / 2 * p.a[i];
                v[i] = p.v[i] + s * p.a[i];
            }
            slip_system_place(p.system, p.work, s, q);
            slip_system_fill(p.system, p.work);
            for (int j = 0; j < n; j++)
                momentum[side] += p.work->mass[(int64_t)train->bodies[k].turn * n + j] * v[j];
            free(q);
        }
        assert_close_relative((momentum[1] - momentum[0]) / (2 * h), m->gear[k].moment, 1e-5);
    }
    slip_gear_modal_destroy(m);
    free_point(&p);
    slip_model_destroy(model);
}

/* ---- Runs. */

static slip_result *run(const slip_model *model)
{
    slip_result *r = NULL;
    good(slip_run(ctx, model, NULL, &r));
    return r;
}

/* The engine of two gears, by the same modes, penalty and steps. */
static slip_result *run_pair(const char *reduction, const slip_law *friction)
{
    slip_gear_options gears[2];
    slip_reduced *made[2];
    slip_reduce_options reduce = slip_reduce_options_default();
    slip_gear_run_options o = slip_gear_run_options_default();
    slip_result *r = NULL;
    for (int k = 0; k < 2; k++) {
        gears[k] = slip_gear_options_default();
        gears[k].name = k ? "wheel" : "pinion";
        gears[k].teeth = k ? 15 : 12;
        gears[k].module = 0.005;
        gears[k].profile_shift = 0.4;
        gears[k].width = 0.01;
        gears[k].bore = 0.03;
        gears[k].backlash = 1e-4;
        gears[k].element = "full";
        gears[k].modes = 20;
        gears[k].mesh = (slip_gear_mesh_options){4, 1, 2, 2, 1, 1};
        good(slip_gear_reduce(ctx, &gears[k], &reduce, &made[k]));
        o.side[k].reduction = reduction;
    }
    o.side[0].speed = 5;
    o.penalty = 1e9;
    o.step = 4e-8;
    o.time = 4e-5;
    o.samples = 11;
    o.friction = friction;
    const slip_reduced *const bodies[2] = {made[0], made[1]};
    good(slip_gear_run(ctx, gears, bodies, &o, &r));
    for (int k = 0; k < 2; k++)
        slip_reduced_destroy(made[k]);
    return r;
}

static double last(const slip_result *r, const char *series)
{
    int64_t count;
    const double *x = slip_result_series(r, series, &count);
    assert_non_null(x);
    return x[count - 1];
}

static double turned(const slip_result *r, const char *series)
{
    return last(r, series) - slip_result_series(r, series, NULL)[0];
}

/* Without attachment vectors the two are the same to rounding; with them to what vectors of flanks that do
 * not touch do. */
static void two_gears_as_before(void **state)
{
    (void)state;
    slip_law law = slip_law_default("tanh");
    law.mu = 0.1;
    law.velocity = 0.05;
    for (int k = 0; k < 3; k++) {
        const bool vectors = k == 1;
        slip_model *model = read_two(vectors ? "attachment" : "none", k == 2 ? rubbing : "",
                                     "method: rk4, step: 4e-8, record: {points: 11}");
        slip_result *r = run(model), *pair = run_pair(vectors ? "all" : "none", k == 2 ? &law : NULL);
        const double near = vectors ? 2e-4 : 1e-10, speed = vectors ? 2e-3 : 1e-10;
        assert_close_relative(slip_result_number(r, "contacts.mesh.normal"),
                              slip_result_number(pair, "peak_force"), vectors ? 1e-3 : 1e-4);
        assert_close_relative(turned(r, "phi1"), turned(pair, "pinion.angle"), near);
        assert_close_relative(turned(r, "phi2"), turned(pair, "wheel.angle"), near);
        if (!vectors)
            assert_close_relative(last(r, "phi2'"), last(pair, "wheel.speed"), speed);
        assert_close(slip_result_number(r, "energy.balance"), 0, 1e-6);
        slip_result_destroy(r);
        slip_result_destroy(pair);
        slip_model_destroy(model);
    }
}

/* The same motion by all methods that take it. */
static void methods_agree(void **state)
{
    (void)state;
    double reference[2] = {0};
    for (int k = 0; k < 3; k++) {
        static const char *const methods[] = {"method: event, tolerance: 1e-10", "method: rk4, step: 2e-8",
                                              "method: smooth, tolerance: 1e-9, time: [0, 4e-5]"};
        char simulate[200];
        snprintf(simulate, sizeof simulate, "%s", k == 2 ? "method: smooth, tolerance: 1e-9" : methods[k]);
        slip_model *model = read_two("none", rubbing, simulate);
        slip_result *r = run(model);
        const double found[2] = {last(r, "phi1"), last(r, "phi2'")};
        for (int i = 0; i < 2 && k > 0; i++)
            assert_close_relative(found[i], reference[i], k == 1 ? 1e-6 : 1e-4);
        if (k == 0)
            memcpy(reference, found, sizeof found);
        assert_close(slip_result_number(r, "energy.balance"), 0, k == 2 ? 1e-5 : 1e-6);
        assert_true(slip_result_number(r, "energy.damping") > 0);
        slip_result_destroy(r);
        slip_model_destroy(model);
    }
}

/* Teeth come and go: half a turn with the flanks pressed together, and energy balances all the way. */
static void teeth_come_and_go(void **state)
{
    (void)state;
    static const char text[] =
        "slipstick: 1\n"
        "coordinates: [phi1, phi2]\n"
        "bodies:\n"
        "  pinion: {gear: {teeth: 12, " OUTLINE "}, mesh: {flank: 8, fillet: 1, thickness: 2, root: 2, rim: "
        "1, width: 1}, turn: phi1, reduce: {modes: 20}, "
        "damping: {modes: 1e-7, static: 1e-7}}\n"
        "  wheel: {gear: {teeth: 15, " OUTLINE "}, mesh: {flank: 8, fillet: 1, thickness: 2, root: 2, rim: "
        "1, width: 1}, turn: phi2, reduce: {modes: 20}, "
        "damping: {modes: 1e-7, static: 1e-7}}\n"
        "contacts: {mesh: {kind: flanks, between: [pinion, wheel], penalty: 3e7}}\n"
        "forces: {phi1: 20, phi2: 25}\n"
        "simulate: {time: [0, 2e-4], method: event, tolerance: 1e-8, initial: {phi1: 1.5e-4, phi1': 4000, "
        "phi2': "
        "-3200}, record: {points: 101}}\n";
    slip_model *model = read_text(text);
    slip_result *r = run(model);
    assert_true(turned(r, "phi1") > 0.75);
    assert_close(turned(r, "phi2") / turned(r, "phi1"), -12. / 15, 5e-3); /* but for the play and the dents */
    assert_close(slip_result_number(r, "energy.balance"), 0, 1e-8);
    assert_true(slip_result_number(r, "contacts.mesh.normal") > 1000);
    slip_result_destroy(r);
    slip_model_destroy(model);
}

/* Values of a run: the bodies are made once. */
static void values_are_bound(void **state)
{
    (void)state;
    slip_model *model = read_two("none", "", "method: event, tolerance: 1e-9");
    slip_values *values = NULL;
    slip_model *bound = NULL;
    good(slip_values_create(ctx, model, &values));
    good(slip_values_set(ctx, values, "penalty", 2e9));
    good(slip_values_set(ctx, values, "torque", 100));
    good(slip_model_bind(ctx, model, values, &bound));
    assert_ptr_equal(bound->bodies->train->bodies[0].reduced, model->bodies->train->bodies[0].reduced);
    slip_result *soft = run(model), *stiff = run(bound);
    assert_true(slip_result_number(stiff, "contacts.mesh.normal") >
                1.05 * slip_result_number(soft, "contacts.mesh.normal"));
    assert_true(slip_result_number(stiff, "energy.loads") > 0);
    slip_result_destroy(soft);
    slip_result_destroy(stiff);
    slip_model_destroy(bound);
    slip_values_destroy(values);
    slip_model_destroy(model);
}

/* A state that is kept and put back goes on as it did. */
static void states_are_kept(void **state)
{
    (void)state;
    slip_model *model = read_two("attachment", rubbing, "method: rk4, step: 4e-8");
    slip_simulation *s = NULL;
    slip_saved_state *saved = NULL;
    double found[2];
    good(slip_simulation_open(ctx, model, NULL, NULL, &s));
    good(slip_simulation_advance(ctx, s, 1.2e-5));
    good(slip_simulation_save(ctx, s, &saved));
    for (int k = 0; k < 2; k++) {
        good(slip_simulation_advance(ctx, s, 2e-5));
        found[k] = slip_simulation_number(s, "phi2'");
        assert_true(slip_simulation_mode(s, "mesh") == SLIP_MODE_CLOSED);
        if (k == 0)
            good(slip_simulation_restore(ctx, s, saved));
    }
    assert_close_relative(found[1], found[0], 1e-9);
    slip_saved_state_destroy(saved);
    slip_simulation_close(s);
    slip_model_destroy(model);
}

/* ---- Errors. */

static void refuse(const char *text, const char *message)
{
    slip_model *model = NULL;
    if (slip_model_parse(ctx, text, "train.yaml", NULL, &model) >= 0)
        fail_msg("expected an error with: %s", message);
    if (!strstr(slip_context_message(ctx), message))
        fail_msg("found: %s\nexpected: %s", slip_context_message(ctx), message);
}

/* The text with something in place of what is found first. changed: 3500 bytes. */
static void change(const char *text, const char *find, const char *replace, char *changed)
{
    const char *at = strstr(text, find);
    assert_non_null(at);
    snprintf(changed, 3500, "%.*s%s%s", (int)(at - text), text, replace, at + strlen(find));
}

static void refuse_in(const char *find, const char *replace, const char *message)
{
    char text[3000], changed[3500];
    snprintf(text, sizeof text, two, "none", "none", "", "method: event");
    change(text, find, replace, changed);
    refuse(changed, message);
}

static void errors_are_told(void **state)
{
    (void)state;
    refuse_in("turn: phi1", "turn: psi", "turn: found `psi`, expected one of the coordinates");
    refuse_in("turn: phi1, ", "", "missing");
    refuse_in("turn: phi1", "turn: phi2", "two gears that turn with `phi2`, expected two shafts");
    refuse_in("between: [pinion, wheel]", "between: [pinion, rack]", "found `rack`, expected a body");
    refuse_in("teeth: 12", "teeth: 3", "teeth");
    refuse_in("modes: 20, contact: none", "modes: 20, contact: switch", "unknown word for a gear");
    refuse_in("penalty: penalty", "penalty: -1", "penalty");
    refuse_in("penalty: penalty", "sense: 2", "sense: found 2, expected 1 or -1");
    refuse_in("penalty: penalty", "distance: 0.077", "a pair of teeth would leave contact before the next");
    refuse_in("penalty: penalty", "distance: 0.085", "the teeth of pinion and wheel do not reach each other");
    refuse_in("mesh: {flank: 4", "mesh: {file: a.msh, flank: 4", "expected numbers of elements");
    refuse_in("rim: 1, width: 1", "rim: 1, width: 900", "nodes, expected at most 200000: a coarser mesh");
    refuse_in("penalty: penalty", "law: {type: coulomb, mu: 0.1}", "unknown key `law`");
    refuse_in("penalty: penalty", "restitution: 0.5", "unknown key `restitution`");
    refuse_in("penalty: penalty", "friction: {type: jenkins, mu: 0.1, stiffness: 1e4}",
              "the law `jenkins` has memory, expected a smooth one: tanh, arctan, sqrt, elliptic");
    refuse_in("kind: flanks", "kind: surface", "between");
    refuse("slipstick: 1\nbodies: {a: {gear: {teeth: 12, " OUTLINE "}, turn: phi}}\n",
           "is a gear, which turns: expected a model with `coordinates`");
    refuse("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ncontacts: {c: {kind: flanks, between: [a, b]}}\n",
           "is for bodies, but the model has none");
    /* a ring of shafts */
    char ring[3000];
    snprintf(ring, sizeof ring, two, "none", "none", "}\n  again: {kind: flanks, between: [wheel, pinion]",
             "method: event");
    refuse(ring, "expected a train without rings");
}

/* Methods that do not make sense say why; so does a coordinate without mass, and a step that is too long. */
static void runs_are_refused(void **state)
{
    (void)state;
    static const char *const simulate[] = {"method: moreau, step: 1e-8", "method: event",
                                           "method: rk4, step: 5e-7"},
                             *const messages[] = {"use `event`, `smooth` or `rk4`", "not positive definite",
                                                  "grown beyond all measure"};
    for (int k = 0; k < 3; k++) {
        char text[3000], changed[3500];
        const char *contact = k == 2 ? "attachment" : "none";
        snprintf(text, sizeof text, two, contact, contact, "", simulate[k]);
        change(text, "phi2]", k == 1 ? "phi2, x]" : "phi2]", changed);
        slip_model *model = NULL;
        slip_result *r = NULL;
        int status = slip_model_parse(ctx, changed, "train.yaml", NULL, &model);
        if (status >= 0)
            status = slip_run(ctx, model, NULL, &r);
        if (status >= 0)
            fail_msg("expected: %s", messages[k]);
        if (!strstr(slip_context_message(ctx), messages[k]))
            fail_msg("found: %s\nexpected: %s", slip_context_message(ctx), messages[k]);
        slip_result_destroy(r);
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_balances),
        cmocka_unit_test_of_numbers(mass_is_inverted),
        cmocka_unit_test(derivatives_are_right),
        cmocka_unit_test(momentum_grows_by_the_flanks),
        cmocka_unit_test_of_numbers(two_gears_as_before),
        cmocka_unit_test_of_numbers(methods_agree),
        cmocka_unit_test_of_numbers(teeth_come_and_go),
        cmocka_unit_test(values_are_bound),
        cmocka_unit_test(states_are_kept),
        cmocka_unit_test(errors_are_told),
        cmocka_unit_test(runs_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
