/* Exact steps of oscillators under loads that go linearly. The equations are in the header. */
#include "math/propagator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int slip_propagator_create(slip_context *ctx, int count, slip_propagator **propagator)
{
    slip_propagator *p = *propagator = slip_alloc(1, sizeof *p);
    SLIP_PASS(slip_allocated(ctx, p));
    double **arrays[] = {&p->square, &p->damping, &p->yy,    &p->yv,      &p->vy,
                         &p->vv,     &p->y_begin, &p->y_end, &p->v_begin, &p->v_end};
    p->count = count;
    p->step = -1;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = slip_arena_array(&p->arena, count, sizeof(double));
        if (!*arrays[i]) {
            slip_propagator_destroy(p);
            *propagator = NULL;
            return slip_fail_memory(ctx);
        }
    }
    return SLIP_OK;
}

void slip_propagator_destroy(slip_propagator *p)
{
    if (!p)
        return;
    slip_arena_free(&p->arena);
    free(p);
}

/* What follows from the answer s(t) to a unit impulse, s'' + d s' + w^2 s = 0, s(0) = 0, s'(0) = 1. */
typedef struct impulse_answer {
    double s, rate; /* s(h), s'(h) */
    double once;    /* integral of s from 0 to h: answer to a unit load */
    double twice;   /* integral of that over h: answer to a load that rises from 0 to 1 */
} impulse_answer;

/* By its power series, for w h and d h below one: s = sum s_n t^n/n!, s_(n+2) = -d s_(n+1) - w^2 s_n. */
enum { terms = 16 };

/* h^n/n! for n = 0, 1, ... */
static void powers_of(double h, double power[terms + 3])
{
    power[0] = 1;
    for (int n = 1; n < terms + 3; n++)
        power[n] = power[n - 1] * h / n;
}

static impulse_answer series_answer(double square, double damping, double h, const double power[terms + 3])
{
    impulse_answer a = {0};
    double before = 0, now = 1; /* s_(n-1), s_n */
    for (int n = 1; n <= terms; n++) {
        a.rate += now * power[n - 1];
        a.s += now * power[n];
        a.once += now * power[n + 1];
        a.twice += now * power[n + 2];
        double next = -damping * now - square * before;
        before = now;
        now = next;
    }
    a.twice /= h;
    return a;
}

/* Integrals of e^(-r t) from 0 to h: once, and twice. */
static double integral(double r, double h)
{
    return r > 0 ? -expm1(-r * h) / r : h;
}
static double second_integral(double r, double h)
{
    const double x = r * h;
    return x < 1e-3 ? h * h * (0.5 - x / 6 * (1 - x / 4 * (1 - x / 5))) : (h - integral(r, h)) / r;
}

/* Next to no stiffness against the damping, or none: two rates that are far apart. */
static impulse_answer creeping_answer(double slow, double fast, double h)
{
    const double apart = fast - slow;
    return (impulse_answer){.s = (exp(-slow * h) - exp(-fast * h)) / apart,
                            .rate = (fast * exp(-fast * h) - slow * exp(-slow * h)) / apart,
                            .once = (integral(slow, h) - integral(fast, h)) / apart,
                            .twice = (second_integral(slow, h) - second_integral(fast, h)) / (apart * h)};
}

static impulse_answer closed_answer(double square, double damping, double h)
{
    impulse_answer a;
    double half = damping / 2, inside = square - half * half, c;
    if (square < 1e-3 * half * half) {
        const double fast = half + sqrt(-inside);
        return creeping_answer(square / fast, fast, h);
    }
    if (inside > 0) {
        double w = sqrt(inside), decay = exp(-half * h);
        c = decay * cos(w * h);
        a.s = decay * sin(w * h) / w;
    } else {
        double root = sqrt(-inside), slow = exp(-square / (half + root) * h), fast = exp(-(half + root) * h);
        c = (slow + fast) / 2;
        a.s =
            root * h > 1e-4 ? (slow - fast) / (2 * root) : exp(-half * h) * h * (1 + root * h * root * h / 6);
    }
    a.rate = c - half * a.s;
    a.once = (1 - (c + half * a.s)) / square;
    a.twice = (1 - a.s / h - damping / h * a.once) / square;
    return a;
}

/* After an infinite time. */
static void set_rest(slip_propagator *p)
{
    const size_t size = sizeof(double) * (size_t)p->count;
    double *const none[] = {p->yv, p->vy, p->y_begin, p->v_begin, p->v_end};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        memset(none[k], 0, size);
    for (int i = 0; i < p->count; i++) {
        const bool stiff = p->square[i] > 0;
        p->yy[i] = p->vv[i] = !stiff;
        p->y_end[i] = stiff ? 1 / p->square[i] : 0;
    }
    p->step = INFINITY;
}

void slip_propagator_set(slip_propagator *p, double h)
{
    if (h == p->step)
        return;
    if (isinf(h)) {
        set_rest(p);
        return;
    }
    double power[terms + 3];
    powers_of(h, power);
    p->step = h;
    for (int i = 0; i < p->count; i++) {
        double square = p->square[i], damping = p->damping[i];
        impulse_answer a = square * h * h < 0.5 && damping * h < 0.7
                               ? series_answer(square, damping, h, power)
                               : closed_answer(square, damping, h);
        p->yy[i] = a.rate + damping * a.s;
        p->yv[i] = a.s;
        p->vy[i] = -square * a.s;
        p->vv[i] = a.rate;
        p->y_end[i] = a.twice;
        p->y_begin[i] = a.once - a.twice;
        p->v_end[i] = a.once / h;
        p->v_begin[i] = a.s - a.once / h;
    }
}
