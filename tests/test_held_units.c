/* What happens does not depend on how it is written down: the systems of test_held_random.c in other units,
 * mirrored, beside a neighbour of any size that has nothing to do with them, and far from the origin have the
 * same events. */
#include "held_systems.h"

typedef struct disguise {
    double length, time, force; /* new units in old ones, inverted: q becomes length * q */
    bool mirrored;
    double origin[twin_n]; /* added to q */
    int contacts;          /* those of the neighbour come behind */
} disguise;

static void scale_function(double *row, double factor, double time)
{
    for (int k = 0; k < twin_s; k++)
        row[k] *= factor / (k < 4 ? pow(time, k) : 1);
}

static void change_units(twin_system *s, disguise *d)
{
    const double velocity = d->length / d->time;
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->n; j++) {
            s->mass[i][j] *= d->force / velocity * d->time;
            s->damping[i][j] *= d->force / velocity;
            s->stiffness[i][j] *= d->force / d->length;
        }
        scale_function(s->load[i], d->force, d->time);
        s->q[i] *= d->length;
        s->v[i] *= velocity;
    }
    for (int c = 0; c < s->count; c++) {
        scale_function(s->contacts[c].stop, d->length, d->time);
        scale_function(s->contacts[c].belt, velocity, d->time);
        scale_function(s->contacts[c].normal, d->force, d->time);
    }
    s->w /= d->time;
    s->u /= d->time;
    s->end *= d->time;
}

static void mirror(twin_system *s, disguise *d)
{
    d->mirrored = true;
    for (int i = 0; i < s->n; i++) {
        scale_function(s->load[i], -1, 1);
        s->q[i] = -s->q[i];
        s->v[i] = -s->v[i];
    }
    for (int c = 0; c < s->count; c++) {
        scale_function(s->contacts[c].belt, -1, 1);
        for (int i = 0; i < s->n; i++)
            s->contacts[c].gap[i] = -s->contacts[c].gap[i];
    }
}

static void move_origin(twin_system *s, disguise *d, double far)
{
    for (int i = 0; i < s->n; i++) {
        d->origin[i] = (i % 2 ? -1 : 1) * far;
        s->q[i] += d->origin[i];
    }
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) {
            s->load[i][0] += s->stiffness[i][j] * d->origin[j];
            if (i == 0)
                for (int c = 0; c < s->count; c++)
                    s->contacts[c].stop[0] -= s->contacts[c].gap[j] * d->origin[j];
        }
}

/* Mass, load and friction of any size; it slides, sticks and lets go with its own. */
static void add_neighbour(uint64_t *seed, twin_system *s)
{
    const double force = pow(10, test_random(seed, -9, 9)), length = pow(10, test_random(seed, -9, 9));
    const int x = s->n++;
    twin_contact *contact = &s->contacts[s->count++];
    memset(contact, 0, sizeof *contact);
    s->mass[x][x] = force / length;
    s->stiffness[x][x] = 2 * force / length;
    s->damping[x][x] = 0.1 * force / length;
    s->load[x][0] = 0.3 * force;
    s->load[x][5] = 2 * force;
    s->q[x] = 0.2 * length;
    contact->slip[x] = 1;
    contact->normal[0] = force;
    contact->mu = 0.4;
    contact->ratio = 2;
}

/* A slider that several pads hold: their forces are not unique, and with six of them there are more contacts
 * with a choice than can be searched together. */
static void add_slider(uint64_t *seed, twin_system *s, int pads)
{
    const double force = pow(10, test_random(seed, -9, 9));
    const int x = s->n++;
    s->mass[x][x] = 1;
    s->load[x][0] = 0.3 * force;
    for (int k = 0; k < pads; k++) {
        twin_contact *contact = &s->contacts[s->count++];
        memset(contact, 0, sizeof *contact);
        contact->slip[x] = 1;
        contact->normal[0] = force;
        contact->mu = 0.4;
        contact->ratio = 1;
    }
}

/* The outcome as the system without its disguise would have it. */
static void take_off(const twin_system *s, const disguise *d, held_outcome *o)
{
    int count = 0;
    for (int k = 0; k < o->count; k++) {
        slip_event event = o->events[k];
        slip_mode *modes[] = {&event.from, &event.to};
        event.time /= d->time;
        for (int i = 0; i < 2 && d->mirrored; i++)
            if (*modes[i] == SLIP_MODE_SLIP_PLUS || *modes[i] == SLIP_MODE_SLIP_MINUS)
                *modes[i] = *modes[i] == SLIP_MODE_SLIP_PLUS ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_SLIP_PLUS;
        if (event.contact < d->contacts)
            o->events[count++] = event;
    }
    o->count = count;
    for (int i = 0; i < s->n; i++) {
        o->q[i] = (d->mirrored ? -1 : 1) * (o->q[i] - d->origin[i]) / d->length;
        o->v[i] *= (d->mirrored ? -1 : 1) * d->time / d->length;
    }
}

static const char *const kinds[] = {"exact", "rk"};

typedef void (*costume)(uint64_t *seed, twin_system *s, disguise *d);

static void in_other_units(uint64_t *seed, twin_system *s, disguise *d)
{
    d->length = pow(10, test_random(seed, -9, 9));
    d->time = pow(10, test_random(seed, -9, 9));
    d->force = pow(10, test_random(seed, -9, 9));
    change_units(s, d);
}

static void in_a_mirror(uint64_t *seed, twin_system *s, disguise *d)
{
    (void)seed;
    mirror(s, d);
}

static void beside_a_neighbour(uint64_t *seed, twin_system *s, disguise *d)
{
    (void)d;
    add_neighbour(seed, s);
}

static void beside_two_pads(uint64_t *seed, twin_system *s, disguise *d)
{
    (void)d;
    add_slider(seed, s, 2);
}

static void beside_many_pads(uint64_t *seed, twin_system *s, disguise *d)
{
    (void)d;
    add_slider(seed, s, twin_contacts - s->count);
}

static void far_away(uint64_t *seed, twin_system *s, disguise *d)
{
    (void)seed;
    move_origin(s, d, 1e6);
}

/* Of Dormand-Prince the tolerance is absolute too, in the units of the model: what it may do to small lengths
 * and velocities is allowed for, and where that is much the run is left out. */
static double allowance(const disguise *d, int kind)
{
    return kind == 0 ? 0 : 1e-9 * (fmax(1, fmax(1, d->time) / d->length) - 1);
}

static void compare(const char *what, costume put_on, int cases, double tolerance)
{
    int compared = 0, wrong[2] = {0}, shown = 0;
    double worst[2] = {0};
    for (int k = 0; compared < cases; k++) {
        static twin_run twin;
        static held_outcome o;
        twin_system s, other;
        uint64_t seed = 31 + 977 * (uint64_t)k;
        disguise d = {1, 1, 1, false, {0}, 0};
        char why[300];
        held_make(k, &s);
        if (twin_go(&s, &twin) != TWIN_DONE || twin.disputed)
            continue;
        other = s;
        d.contacts = s.count;
        put_on(&seed, &other, &d);
        compared++;
        for (int kind = 0; kind < 2 && allowance(&d, kind) < 1e-5; kind++) {
            const slip_method_options options = {
                .tolerance = 1e-12, .span = other.end, .segments = kinds[kind]};
            held_run(&other, "event", &options, 0, &o);
            take_off(&s, &d, &o);
            if (held_agree(&s, &twin, &o, tolerance + allowance(&d, kind), &worst[kind], why, sizeof why))
                continue;
            wrong[kind]++;
            if (shown++ < 10)
                print_message("system %d %s (length %.3g, time %.3g, force %.3g), %s: %s\n", k, what,
                              d.length, d.time, d.force, kinds[kind], why);
        }
    }
    print_message("%s: %d compared, wrong: exact %d, rk %d; worst exact %.2g, rk %.2g\n", what, compared,
                  wrong[0], wrong[1], worst[0], worst[1]);
    assert_int_equal(wrong[0] + wrong[1], 0);
}

static void units(void **state)
{
    (void)state;
    compare("in other units", in_other_units, test_many(900), 1e-8);
}

static void mirrors(void **state)
{
    (void)state;
    compare("in a mirror", in_a_mirror, test_many(900), 1e-8);
}

static void neighbours(void **state)
{
    (void)state;
    compare("beside a neighbour", beside_a_neighbour, test_many(900), 1e-8);
}

static void sliders(void **state)
{
    (void)state;
    compare("beside a slider on two pads", beside_two_pads, test_many(120), 1e-8);
    compare("beside a slider on many pads", beside_many_pads, test_many(60), 1e-8);
}

static void origins(void **state)
{
    (void)state;
    compare("far away", far_away, test_many(900), 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units), cmocka_unit_test(mirrors),
                                       cmocka_unit_test(neighbours), cmocka_unit_test(sliders),
                                       cmocka_unit_test(origins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
