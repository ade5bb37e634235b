/* Random systems in which static friction holds: stacks, blocks side by side, bodies on plates that move,
 * rows at random; each for the twin (mode_twin.h), for the program, and as a model file to look at. */
#ifndef SLIP_TESTS_HELD_SYSTEMS_H
#define SLIP_TESTS_HELD_SYSTEMS_H

#include "mode_twin.h"
#include "system_builder.h"

typedef enum held_class { HELD_STACK, HELD_BESIDE, HELD_PLATES, HELD_ROWS, HELD_CLASSES } held_class;

static const char *const held_names[HELD_CLASSES] = {"stack", "side by side", "plates", "rows"};

static inline int held_int(uint64_t *seed, int low, int high)
{
    return (int)floor(test_random(seed, low, high + 1));
}

static inline bool held_chance(uint64_t *seed, double probability)
{
    return test_random(seed, 0, 1) < probability;
}

/* constant + swing (cos or sin of either frequency) + a little t. */
static inline void held_function(uint64_t *seed, double constant, double swing, double drift, double *row)
{
    memset(row, 0, twin_s * sizeof *row);
    row[0] = constant;
    if (held_chance(seed, 0.8))
        row[4 + held_int(seed, 0, 3)] = swing * test_random(seed, 0.3, 1);
    if (held_chance(seed, 0.3))
        row[4 + held_int(seed, 0, 3)] += swing * test_random(seed, -1, 1);
    if (held_chance(seed, 0.3))
        row[1] = drift * test_random(seed, -1, 1);
    if (held_chance(seed, 0.15))
        row[2] = drift / 4 * test_random(seed, -1, 1);
}

static inline double held_at_start(const double *row)
{
    return row[0] + row[4] + row[6];
}

static inline double held_rate_at_start(const twin_system *s, const double *row)
{
    return row[1] + s->w * row[5] + s->u * row[7];
}

static inline void held_spring(twin_system *s, int i, int j, double k, bool damper)
{
    double(*to)[twin_n] = damper ? s->damping : s->stiffness;
    to[i][i] += k;
    if (j < 0)
        return;
    to[j][j] += k;
    to[i][j] -= k;
    to[j][i] -= k;
}

static inline twin_contact *held_contact(uint64_t *seed, twin_system *s)
{
    twin_contact *contact = &s->contacts[s->count++];
    memset(contact, 0, sizeof *contact);
    contact->mu = test_random(seed, 0.2, 1);
    contact->ratio = held_chance(seed, 0.15) ? 1 : test_random(seed, 1, 3);
    return contact;
}

static inline void held_springs(uint64_t *seed, twin_system *s, int first, int last, bool chain)
{
    for (int i = first; i <= last; i++) {
        if (held_chance(seed, 0.4))
            held_spring(s, i, -1, test_random(seed, 0.2, 4), false);
        if (held_chance(seed, 0.25))
            held_spring(s, i, -1, test_random(seed, 0.05, 0.5), true);
        if (i > first && held_chance(seed, chain ? 0.8 : 0.25))
            held_spring(s, i, i - 1, test_random(seed, 0.2, 4), false);
        if (i > first && held_chance(seed, 0.2))
            held_spring(s, i, i - 1, test_random(seed, 0.05, 0.5), true);
    }
}

/* A body that lies on a floor, or falls on it, and takes off: events that are none of the others' business.
 */
static inline void held_neighbour(uint64_t *seed, twin_system *s, bool coupled)
{
    const int y = s->n++;
    twin_contact *contact = held_contact(seed, s);
    s->mass[y][y] = test_random(seed, 0.5, 2);
    held_function(seed, test_random(seed, -1.5, -0.3), test_random(seed, 0.5, 2), 0.7, s->load[y]);
    contact->unilateral = contact->frictionless = true;
    contact->gap[y] = 1;
    contact->restitution = held_chance(seed, 0.85) ? 0 : test_random(seed, 0.5, 1);
    if (held_chance(seed, 0.3))
        s->q[y] = test_random(seed, 0.05, 0.5);
    if (coupled)
        held_spring(s, y, held_int(seed, 0, y - 1), test_random(seed, 0.1, 1), false);
}

static inline void held_stack(uint64_t *seed, twin_system *s, bool beside)
{
    double below = 0, weight = 0;
    s->n = held_int(seed, 2, 4);
    for (int i = 0; i < s->n; i++) {
        s->mass[i][i] = test_random(seed, 0.5, 2);
        weight += s->mass[i][i];
    }
    held_springs(seed, s, 0, s->n - 1, beside);
    for (int i = 0; i < s->n; i++) {
        twin_contact *contact = held_contact(seed, s);
        const double press = beside ? s->mass[i][i] : weight, limit = contact->mu * press;
        contact->slip[i] = 1;
        if (i > 0 && !beside)
            contact->slip[i - 1] = -1;
        held_function(seed, press, held_chance(seed, 0.3) ? 0.4 * press : 0, 0, contact->normal);
        if ((i == 0 || beside) && held_chance(seed, 0.6))
            held_function(seed, test_random(seed, -1, 1), 1, 0.5, contact->belt);
        held_function(seed, limit * contact->ratio * test_random(seed, -0.8, 0.8), limit * 0.7, 0.3 * limit,
                      s->load[i]);
        s->v[i] = (beside ? 0 : below) - held_at_start(contact->belt);
        if (held_chance(seed, 0.4))
            s->v[i] += test_random(seed, -3, 3);
        below = s->v[i];
        weight -= s->mass[i][i];
    }
    if (held_chance(seed, 0.5))
        held_neighbour(seed, s, held_chance(seed, 0.3));
}

/* Body k has the coordinates x = 2 k and h = 2 k + 1. */
static inline void held_plates(uint64_t *seed, twin_system *s)
{
    const int bodies = held_int(seed, 1, 2);
    const bool stacked = held_chance(seed, 0.5);
    double above = 0;
    s->n = 2 * bodies;
    for (int k = bodies - 1; k >= 0; k--) {
        const int x = 2 * k, h = x + 1;
        const double weight = test_random(seed, 0.5, 2);
        s->mass[x][x] = s->mass[h][h] = test_random(seed, 0.5, 2);
        above = weight + (stacked ? above : 0);
        held_function(seed, -weight, held_chance(seed, 0.5) ? 0.6 * weight : 0, 0.2, s->load[h]);
        held_function(seed, above * test_random(seed, -0.9, 0.9), 0.6 * above, 0.1, s->load[x]);
        if (held_chance(seed, 0.4))
            held_spring(s, x, -1, test_random(seed, 0.2, 4), false);
        if (held_chance(seed, 0.2))
            held_spring(s, h, -1, test_random(seed, 0.2, 2), held_chance(seed, 0.5));
        if (k + 1 < bodies && held_chance(seed, 0.4))
            held_spring(s, x, x + 2, test_random(seed, 0.2, 3), held_chance(seed, 0.3));
        if (held_chance(seed, 0.3)) /* a slanted spring */
            held_spring(s, x, h, test_random(seed, 0.1, 0.5), false);
    }
    for (int k = 0; k < bodies; k++) {
        const int x = 2 * k, h = x + 1;
        twin_contact *contact = held_contact(seed, s);
        const bool on_body = stacked && k > 0;
        contact->unilateral = true;
        contact->gap[h] = contact->slip[x] = 1;
        if (on_body)
            contact->gap[h - 2] = contact->slip[x - 2] = -1;
        if (!on_body && held_chance(seed, 0.7))
            held_function(seed, 0, 0.2, 0.1, contact->stop);
        if (!on_body && held_chance(seed, 0.5))
            held_function(seed, test_random(seed, -1, 1), 0.7, 0.3, contact->belt);
        contact->restitution = held_chance(seed, 0.9) ? 0 : test_random(seed, 0.5, 1);
        s->q[x] = test_random(seed, -0.5, 0.5);
        s->q[h] = (on_body ? s->q[h - 2] : 0) - held_at_start(contact->stop);
        s->v[h] = (on_body ? s->v[h - 2] : 0) - held_rate_at_start(s, contact->stop);
        if (held_chance(seed, 0.2))
            s->q[h] += test_random(seed, 0.02, 0.3);
        s->v[x] = (on_body ? s->v[x - 2] : 0) - held_at_start(contact->belt);
        if (held_chance(seed, 0.3))
            s->v[x] += test_random(seed, -2, 2);
    }
    if (held_chance(seed, 0.6))
        held_neighbour(seed, s, held_chance(seed, 0.3));
}

/* Dense matrices, contacts along rows at random, no more directions than coordinates. */
static inline void held_rows(uint64_t *seed, twin_system *s)
{
    s->n = held_int(seed, 2, 5);
    for (int i = 0; i < s->n; i++) {
        double a[twin_n], b[twin_n], c[twin_n];
        for (int j = 0; j < s->n; j++) {
            a[j] = test_random(seed, -0.6, 0.6);
            b[j] = test_random(seed, -1, 1);
            c[j] = test_random(seed, -0.3, 0.3);
        }
        s->mass[i][i] += test_random(seed, 0.5, 1.5);
        for (int j = 0; j < s->n; j++)
            for (int k = 0; k < s->n; k++) {
                s->mass[j][k] += a[j] * a[k];
                s->stiffness[j][k] += b[j] * b[k];
                s->damping[j][k] += c[j] * c[k];
            }
        held_function(seed, test_random(seed, -1, 1), 1.5, 0.2, s->load[i]);
        s->q[i] = test_random(seed, -0.5, 0.5);
        s->v[i] = held_chance(seed, 0.5) ? 0 : test_random(seed, -1, 1);
    }
    for (int directions = 0; directions < s->n && s->count < 4;) {
        twin_contact *contact = held_contact(seed, s);
        double rate = 0, gap = 0;
        contact->unilateral = held_chance(seed, 0.5);
        contact->frictionless = contact->unilateral && (directions + 2 > s->n || held_chance(seed, 0.3));
        contact->mu = test_random(seed, 0.1, 0.6);
        directions += contact->unilateral && !contact->frictionless ? 2 : 1;
        held_function(seed, test_random(seed, 0.5, 2), held_chance(seed, 0.3) ? 0.2 : 0, 0, contact->normal);
        if (held_chance(seed, 0.5))
            held_function(seed, 0, 0.5, 0.3, contact->belt);
        if (held_chance(seed, 0.5))
            held_function(seed, 0, 0.2, 0.1, contact->stop);
        for (int i = 0; i < s->n; i++) {
            contact->slip[i] = held_chance(seed, 0.6) ? test_random(seed, -1, 1) : 0;
            contact->gap[i] = held_chance(seed, 0.6) ? test_random(seed, -1, 1) : 0;
        }
        contact->slip[(s->count - 1) % s->n] += 1;
        contact->gap[(s->count + 1) % s->n] += 1;
        for (int i = 0; i < s->n; i++) {
            rate += contact->gap[i] * s->v[i];
            gap += contact->gap[i] * s->q[i];
        }
        if (contact->unilateral) {
            contact->stop[0] -= gap + held_at_start(contact->stop);
            contact->stop[1] -= rate + held_rate_at_start(s, contact->stop);
            if (held_chance(seed, 0.4))
                contact->stop[0] += test_random(seed, 0.02, 0.4);
        }
        if (held_chance(seed, 0.5)) {
            double slip = 0;
            for (int i = 0; i < s->n; i++)
                slip += contact->slip[i] * s->v[i];
            contact->belt[0] -= slip + held_at_start(contact->belt);
        }
    }
}

/* System number k. */
static inline held_class held_make(int k, twin_system *s)
{
    uint64_t seed = 977 + 7919 * (uint64_t)k;
    const held_class kind = (held_class)(k % HELD_CLASSES);
    for (int i = 0; i < 5; i++)
        test_random(&seed, 0, 1);
    memset(s, 0, sizeof *s);
    s->w = test_random(&seed, 0.5, 2.5);
    s->u = test_random(&seed, 1, 4);
    s->end = test_random(&seed, 4, 8);
    if (kind == HELD_STACK || kind == HELD_BESIDE)
        held_stack(&seed, s, kind == HELD_BESIDE);
    else if (kind == HELD_PLATES)
        held_plates(&seed, s);
    else
        held_rows(&seed, s);
    return kind;
}

/* ---- For the program. */

/* A function of time; empty where it is zero. */
static inline size_t held_print_function(const twin_system *s, const double *row, char *text, size_t size)
{
    static const char *const powers[] = {"", "*t", "*t^2/2", "*t^3/6"};
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < twin_s; k++) {
        if (row[k] == 0)
            continue;
        used += (size_t)snprintf(text + used, size - used, " + %.17g", row[k]);
        used += k < 4 ? (size_t)snprintf(text + used, size - used, "%s", powers[k])
                      : (size_t)snprintf(text + used, size - used, "*%s(%.17g*t)", k % 2 ? "sin" : "cos",
                                         k < 6 ? s->w : s->u);
    }
    return used;
}

static inline void held_print_row(const twin_system *s, const double *row, const char *mark,
                                  const double *function, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < s->n; i++)
        if (row[i] != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%.17g*x%d%s", used ? " + " : "", row[i], i,
                                     mark);
    held_print_function(s, function, text + used, size - used);
}

/* epsilon > 0: laws with a finite slope at rest and the same static peak. */
static inline slip_law held_law(const twin_contact *contact, double epsilon)
{
    slip_law law = slip_law_default("sqrt");
    law.mu = contact->mu;
    law.static_ratio = contact->ratio;
    law.epsilon = epsilon;
    return epsilon > 0 ? law : coulomb(contact->mu, contact->ratio);
}

static inline bench held_bench(const twin_system *s, double epsilon)
{
    static const char *const names[] = {"x0", "x1", "x2", "x3", "x4", "x5"};
    bench b = build(s->n, names);
    char text[900], gap[900], name[16];
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < s->n; j++) {
            b.system->mass[i * s->n + j] = s->mass[i][j];
            b.system->damping[i * s->n + j] = s->damping[i][j];
            b.system->stiffness[i * s->n + j] = s->stiffness[i][j];
        }
        if (held_print_function(s, s->load[i], text, sizeof text))
            add_force(&b, i, text);
    }
    for (int c = 0; c < s->count; c++) {
        const twin_contact *contact = &s->contacts[c];
        slip_law law = held_law(contact, epsilon);
        snprintf(name, sizeof name, "c%d", c);
        held_print_row(s, contact->slip, "'", contact->belt, text, sizeof text);
        if (contact->unilateral) {
            held_print_row(s, contact->gap, "", contact->stop, gap, sizeof gap);
            add_unilateral(&b, name, gap, contact->frictionless ? NULL : text,
                           contact->frictionless ? NULL : &law, contact->restitution, false);
        } else {
            held_print_function(s, contact->normal, gap, sizeof gap);
            add_friction(&b, name, text, gap, law);
        }
    }
    return b;
}

/* ---- To look at. */

static inline void held_print_matrix(FILE *to, const twin_system *s, const char *name,
                                     const double matrix[twin_n][twin_n])
{
    fprintf(to, "%s: [", name);
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            fprintf(to, "%s%.17g%s", j ? ", " : (i ? ", [" : "["), matrix[i][j], j == s->n - 1 ? "]" : "");
    fprintf(to, "]\n");
}

static inline void held_print_model(FILE *to, const twin_system *s)
{
    char text[900];
    fprintf(to, "slipstick: 1\ncoordinates: [");
    for (int i = 0; i < s->n; i++)
        fprintf(to, "%sx%d", i ? ", " : "", i);
    fprintf(to, "]\n");
    held_print_matrix(to, s, "mass", s->mass);
    held_print_matrix(to, s, "damping", s->damping);
    held_print_matrix(to, s, "stiffness", s->stiffness);
    fprintf(to, "forces:\n");
    for (int i = 0; i < s->n; i++)
        fprintf(to, "  x%d: 0%s\n", i, (held_print_function(s, s->load[i], text, sizeof text), text));
    fprintf(to, "contacts:\n");
    for (int c = 0; c < s->count; c++) {
        const twin_contact *contact = &s->contacts[c];
        fprintf(to, "  c%d: {kind: %s", c, contact->unilateral ? "unilateral" : "friction");
        held_print_row(s, contact->slip, "'", contact->belt, text, sizeof text);
        if (!contact->frictionless)
            fprintf(to, ", slip: %s, law: {type: coulomb, mu: %.17g, static_ratio: %.17g}", text, contact->mu,
                    contact->ratio);
        if (contact->unilateral) {
            held_print_row(s, contact->gap, "", contact->stop, text, sizeof text);
            fprintf(to, ", gap: %s, restitution: %.17g}\n", text, contact->restitution);
        } else {
            held_print_function(s, contact->normal, text, sizeof text);
            fprintf(to, ", normal_force: 0%s}\n", text);
        }
    }
    fprintf(to, "simulate:\n  time: [0, %.17g]\n  initial: {", s->end);
    for (int i = 0; i < s->n; i++)
        fprintf(to, "%sx%d: %.17g, x%d': %.17g", i ? ", " : "", i, s->q[i], i, s->v[i]);
    fprintf(to, "}\n");
}

/* ---- Running. */

enum { held_most_events = 1000, held_most_steps = 30000 };

typedef struct held_outcome {
    int status, count, steps;
    slip_event events[held_most_events];
    double t, q[twin_n], v[twin_n];
} held_outcome;

static inline int held_see_step(void *user, const slip_step *step)
{
    held_outcome *o = user;
    (void)step;
    return ++o->steps < held_most_steps ? SLIP_OK : SLIP_STOPPED;
}

/* A run with many more events or steps than there can be is wrong, and need not go on. */
static inline int held_see_event(void *user, const slip_event *event)
{
    held_outcome *o = user;
    if (o->count == held_most_events)
        return SLIP_STOPPED;
    o->events[o->count++] = *event;
    return SLIP_OK;
}

static inline void held_run(const twin_system *s, const char *method, const slip_method_options *options,
                            double epsilon, held_outcome *o)
{
    bench b = held_bench(s, epsilon);
    void *self = NULL;
    const slip_method_type *type = slip_method_find(method);
    slip_observer observer = {.user = o, .step = held_see_step, .event = held_see_event};
    o->count = o->steps = 0;
    check_done(&b, slip_system_finish(b.ctx, b.system));
    check_done(&b, type->open(b.ctx, b.system, options, 0, s->q, s->v, &self));
    o->status = type->advance(self, s->end, &observer);
    type->state(self, &o->t, o->q, o->v);
    type->close(self);
    clear(&b);
}

/* ---- Comparing. */

/* By time, those of one instant by contact. The twin's instants lie at least 1e-6 apart. */
static inline int held_order(const void *one, const void *two)
{
    const slip_event *a = one, *b = two;
    if (fabs(a->time - b->time) > 5e-7)
        return a->time < b->time ? -1 : 1;
    return a->contact - b->contact;
}

/* Whether the run has the twin's events and ends in its state; `why` says what differs. */
static inline bool held_agree(const twin_system *s, const twin_run *twin, held_outcome *o, double tolerance,
                              double *worst, char *why, size_t size)
{
    if (o->status != SLIP_OK) {
        snprintf(why, size, "status %d at t = %.9g", o->status, o->t);
        return false;
    }
    qsort(o->events, (size_t)o->count, sizeof *o->events, held_order);
    for (int i = 0; i < o->count || i < twin->count; i++) {
        const slip_event *found = &o->events[i];
        const twin_event *expected = &twin->events[i];
        const bool both = i < o->count && i < twin->count;
        if (both && found->contact == expected->contact && found->from == expected->from &&
            found->to == expected->to && fabs(found->time - expected->t) <= 10 * tolerance)
            continue;
        int used = snprintf(why, size, "event %d: found", i);
        if (i < o->count)
            used += snprintf(why + used, size - (size_t)used, " %.12g c%d %s>%s", found->time, found->contact,
                             slip_mode_name(found->from), slip_mode_name(found->to));
        used += snprintf(why + used, size - (size_t)used, ", expected");
        if (i < twin->count)
            snprintf(why + used, size - (size_t)used, " %.12g c%d %s>%s", expected->t, expected->contact,
                     slip_mode_name(expected->from), slip_mode_name(expected->to));
        return false;
    }
    for (int i = 0; i < s->n; i++) {
        const double q = (double)twin->y[i], v = (double)twin->y[s->n + i];
        const double off = fmax(fabs(o->q[i] - q) / (1 + fabs(q)), fabs(o->v[i] - v) / (1 + fabs(v)));
        *worst = fmax(*worst, off);
        if (!(off <= tolerance)) {
            snprintf(why, size, "x%d = %.12g, x%d' = %.12g, expected %.12g and %.12g", i, o->q[i], i, o->v[i],
                     q, v);
            return false;
        }
    }
    return true;
}

#endif
