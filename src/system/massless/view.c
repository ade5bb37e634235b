/* Converts the motion of the system that moves (massless.h) to the given coordinates. */
#include "system/massless/massless.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct slip_massless_view {
    slip_arena arena;
    const slip_system *given, *moving;
    const slip_massless *of;
    slip_workspace *given_work, *work;
    double *slots;   /* of `moving`, its accelerations and their rates */
    double *scratch; /* of expressions */
    double *hat;     /* coordinates p */
    double *acceleration, *by_q, *by_v, *by_t;
};

int slip_massless_view_create(slip_context *ctx, const slip_system *system, slip_massless_view **result)
{
    SLIP_FREED_BY(slip_massless_view_drop) slip_massless_view *view = slip_alloc(1, sizeof *view);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, view));
    view->given = system;
    view->of = system->massless;
    view->moving = view->of->system;
    const int64_t n = view->moving->n, nc = view->of->coordinates;
    view->slots = slip_arena_array(&view->arena, 1 + 4 * n, sizeof(double));
    view->scratch = slip_arena_array(&view->arena, view->of->scratch_count + 1, sizeof(double));
    view->hat = slip_arena_array(&view->arena, 2 * nc + 1, sizeof(double));
    view->acceleration = slip_arena_array(&view->arena, 2 * n + 2 * n * n, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, view->slots && view->scratch && view->hat && view->acceleration));
    view->by_t = view->acceleration + n;
    view->by_q = view->by_t + n;
    view->by_v = view->by_q + n * n;
    SLIP_PASS(slip_workspace_create(ctx, system, &view->given_work));
    SLIP_PASS(slip_workspace_create(ctx, view->moving, &view->work));
    SLIP_HAND(result, view);
    return SLIP_OK;
}

void slip_massless_view_destroy(slip_massless_view *view)
{
    if (!view)
        return;
    slip_workspace_destroy(view->given_work);
    slip_workspace_destroy(view->work);
    slip_arena_free(&view->arena);
    free(view);
}

/* p = T^-1 q. */
static void turn(const slip_massless *of, const double *q, double *p)
{
    for (int i = 0; i < of->coordinates; i++) {
        double sum = q[i];
        if (of->mixed) {
            sum = 0;
            for (int j = 0; j < of->coordinates; j++)
                sum += of->inverse[i * of->coordinates + j] * q[j];
        }
        p[i] = sum;
    }
}

static double value(const slip_massless_view *view, const slip_expression *expression)
{
    return slip_expression_value(expression, view->slots, view->scratch);
}

void slip_massless_enter(slip_massless_view *view, double t, const double *q, const double *v, double *p,
                         double *w)
{
    const slip_massless *of = view->of;
    const int nc = of->coordinates, n = view->moving->n;
    double *hat = view->hat, *free_hat = hat + nc;
    memset(p, 0, (size_t)n * sizeof(double));
    memset(w, 0, (size_t)n * sizeof(double));
    turn(of, v, hat);
    for (int i = 0; i < nc; i++)
        if (of->weight[i] == SLIP_HEAVY)
            w[of->place[i]] = hat[i];
    turn(of, q, hat);
    for (int i = 0; i < nc; i++)
        if (of->place[i] >= 0)
            *(of->weight[i] == SLIP_HEAVY ? &p[of->place[i]] : &w[of->place[i]]) = hat[i];
    for (int i = nc; i < of->n; i++)
        w[of->place[i]] = v[i];
    view->slots[0] = t;
    memcpy(view->slots + 1, p, (size_t)n * sizeof(double));
    memcpy(view->slots + 1 + n, w, (size_t)n * sizeof(double));
    for (int i = 0; i < nc; i++) /* where nothing holds; velocities are no longer needed */
        free_hat[i] = value(view, of->q[i]);
    for (int c = 0; c < view->given->contact_count; c++) {
        const slip_massless_contact *contact = &of->contacts[c];
        if (contact->state < 0 || of->weight[contact->coordinate] != SLIP_STATIC)
            continue;
        double there = free_hat[contact->coordinate];
        for (int j = 0; j < nc && of->mixed; j++)
            there = (j ? there : 0) + of->inverse[contact->coordinate * nc + j] * free_hat[j];
        const double here = hat[contact->coordinate], deflection = contact->arm * (there - here),
                     limit = view->moving->sliders[view->moving->contacts[c].slider].limit,
                     rounding = 16 * DBL_EPSILON * fabs(contact->arm) * (fabs(there) + fabs(here));
        /* one that slips is at its limit, and the difference of two places has their rounding */
        w[contact->state] = fabs(deflection) > limit - rounding ? copysign(limit, deflection) : deflection;
    }
}

void slip_massless_leave(slip_massless_view *view, double t, const double *p, const double *w,
                         const double *b, double *q, double *v, double *a)
{
    const slip_massless *of = view->of;
    const int n = view->moving->n;
    double *slots = view->slots, *rates = slots + 1 + 3 * (ptrdiff_t)n;
    slots[0] = t;
    memcpy(slots + 1, p, (size_t)n * sizeof(double));
    memcpy(slots + 1 + n, w, (size_t)n * sizeof(double));
    memcpy(slots + 1 + 2 * (ptrdiff_t)n, b, (size_t)n * sizeof(double));
    if (a && slip_system_jacobian(view->moving, view->work, NULL, t, p, w, view->acceleration, view->by_q,
                                  view->by_v, view->by_t, NULL)) {
        for (int i = 0; i < n; i++) {
            double rate = view->by_t[i];
            for (int j = 0; j < n; j++)
                rate += view->by_q[i * n + j] * (j < slip_system_coordinates(view->moving) ? w[j] : 0) +
                        view->by_v[i * n + j] * b[j];
            rates[i] = rate;
        }
    } else {
        for (int i = 0; i < n; i++)
            rates[i] = NAN;
    }
    for (int i = 0; i < of->coordinates; i++) {
        q[i] = value(view, of->q[i]);
        v[i] = value(view, of->v[i]);
        if (a)
            a[i] = value(view, of->a[i]);
    }
    for (int i = of->coordinates; i < of->n; i++) {
        q[i] = 0;
        v[i] = w[of->place[i]];
        if (a)
            a[i] = b[of->place[i]];
    }
}

/* The velocity of the contact's coordinate without mass, so that the slip is as given. */
static void set_slip(const slip_massless_view *view, const slip_massless_contact *contact, double by,
                     double *v)
{
    const slip_massless *of = view->of;
    for (int i = 0; i < of->coordinates; i++)
        v[i] += of->transform[i * of->coordinates + contact->coordinate] * by / contact->arm;
}

void slip_massless_contact_state(slip_massless_view *view, int c, double t, const double *q, double *v,
                                 double *slip, double *force, double *mode)
{
    const slip_massless_contact *contact = &view->of->contacts[c];
    if (contact->coordinate < 0)
        return;
    const bool creeps = view->of->weight[contact->coordinate] == SLIP_CREEPING;
    if (!creeps) {
        *slip = slip_system_slip(view->given, view->given_work, c, t, q, v);
        if (contact->state < 0) {
            const double hold = contact->force ? value(view, contact->force) : 0;
            *force = -fmax(-contact->limit, fmin(contact->limit, hold));
            *mode = fabs(hold) < contact->limit                ? SLIP_MODE_STICK
                    : (contact->limit > 0 ? hold : *slip) >= 0 ? SLIP_MODE_SLIP_PLUS
                                                               : SLIP_MODE_SLIP_MINUS;
        }
        /* at the end of slip rounding may have changed the sign of the slip velocity */
        if (*mode == SLIP_MODE_STICK || (*mode == SLIP_MODE_SLIP_PLUS && *slip < 0) ||
            (*mode == SLIP_MODE_SLIP_MINUS && *slip > 0)) {
            set_slip(view, contact, -*slip, v);
            *slip = 0;
        }
    }
}
