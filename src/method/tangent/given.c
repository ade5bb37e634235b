#include "method/tangent/given.h"

#include "method/tangent/types.h"
#include "system/massless/massless.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct slip_given_tangent {
    slip_tangent *inside;
    /* The fields below are used only where coordinates have no mass. */
    slip_arena arena;
    const slip_massless *of;           /* else NULL */
    slip_massless_view *view, **views; /* of the given system; of the four systems of each parameter */
    slip_tangent_parameter *moving;    /* the parameters, with reduced systems */
    int given, m, parameter_count;     /* count of numbers of a given state, and of a reduced one */
    double *enter; /* derivatives of E by each given number, time and parameters: m each */
    double *x, *y, *result, *column, *values;
};

static const double weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
static const int places[] = {-2, -1, 1, 2};

static int open_views(slip_context *ctx, const slip_system *system, const slip_tangent_parameter *parameters,
                      slip_given_tangent *g)
{
    SLIP_PASS(slip_massless_view_create(ctx, system, &g->view));
    for (int p = 0; p < g->parameter_count; p++) {
        memcpy(g->moving[p].weights, parameters[p].weights, sizeof g->moving[p].weights);
        for (int k = 0; k < 4; k++) {
            g->moving[p].near[k] = slip_system_moving(parameters[p].near[k]);
            SLIP_PASS(slip_massless_view_create(ctx, parameters[p].near[k], &g->views[4 * p + k]));
        }
    }
    return SLIP_OK;
}

int slip_given_tangent_create(slip_context *ctx, const slip_system *system, int parameter_count,
                              const slip_tangent_parameter *parameters, slip_given_tangent **result)
{
    slip_given_tangent *g = slip_alloc(1, sizeof *g);
    int status = g ? SLIP_OK : slip_fail_memory(ctx);
    *result = NULL;
    if (!g)
        return status;
    g->of = system->massless;
    g->parameter_count = parameter_count;
    if (g->of) {
        const int64_t n = g->of->system->n, given = system->n, all = 2 * given + 1 + parameter_count;
        g->m = 2 * g->of->system->n;
        g->given = 2 * system->n;
        g->views = slip_arena_array(&g->arena, 4 * (int64_t)parameter_count + 1, sizeof *g->views);
        g->moving = slip_arena_array(&g->arena, parameter_count + 1, sizeof *g->moving);
        g->enter = slip_arena_array(&g->arena, 2 * n * all, sizeof(double));
        g->x = slip_arena_array(&g->arena, 6 * given + 8 * n, sizeof(double));
        SLIP_TRY(slip_allocated(ctx, g->views && g->moving && g->enter && g->x));
        g->result = g->x + 2 * given;
        g->values = g->result + 2 * given;
        g->y = g->values + 2 * given;
        g->column = g->y + 4 * n;
        SLIP_TRY(open_views(ctx, system, parameters, g));
    }
    SLIP_TRY(slip_tangent_create(ctx, slip_system_moving(system), parameter_count,
                                 g->of ? g->moving : parameters, &g->inside));
done:
    if (status < 0) {
        slip_given_tangent_destroy(g);
        g = NULL;
    }
    *result = g;
    return status;
}

void slip_given_tangent_destroy(slip_given_tangent *g)
{
    if (!g)
        return;
    slip_tangent_destroy(g->inside);
    slip_massless_view_destroy(g->view);
    for (int k = 0; g->views && k < 4 * g->parameter_count; k++)
        slip_massless_view_destroy(g->views[k]);
    slip_arena_free(&g->arena);
    free(g);
}

slip_tangent *slip_given_tangent_inside(slip_given_tangent *g)
{
    return g->inside;
}

/* ---- The start. */

/* Adds `weight` times y = E(t, x) of the state x to a difference. */
static void enter(slip_given_tangent *g, slip_massless_view *view, double t, double weight, double *to)
{
    slip_massless_enter(view, t, g->x, g->x + g->given / 2, g->y, g->y + g->m / 2);
    for (int i = 0; i < g->m; i++)
        to[i] += weight * g->y[i];
}

static void hold_sliders(slip_given_tangent *g, double t)
{
    const slip_system *moving = g->of->system;
    slip_massless_enter(g->view, t, g->x, g->x + g->given / 2, g->y, g->y + g->m / 2);
    for (int c = 0; c < g->of->contact_count; c++) {
        const slip_massless_contact *contact = &g->of->contacts[c];
        if (contact->state < 0 || g->of->weight[contact->coordinate] != SLIP_STATIC)
            continue;
        const double limit = moving->sliders[moving->contacts[c].slider].limit;
        const int row = g->m / 2 + contact->state;
        /* the limit itself may depend on a parameter */
        for (int k = 0; k <= g->given && fabs(g->y[row]) >= limit * (1 - 1e-9); k++)
            g->enter[(int64_t)k * g->m + row] = 0;
    }
}

void slip_given_tangent_start(slip_given_tangent *g, double t, const double *q, const double *v)
{
    const int half = g->given / 2;
    double largest[2] = {0, 0};
    if (!g->of)
        return;
    memcpy(g->x, q, (size_t)half * sizeof(double));
    memcpy(g->x + half, v, (size_t)half * sizeof(double));
    for (int i = 0; i < g->given; i++)
        largest[i >= half] = fmax(largest[i >= half], fabs(g->x[i]));
    memset(g->enter, 0, (size_t)(g->given + 1 + g->parameter_count) * (size_t)g->m * sizeof(double));
    for (int j = 0; j <= g->given + g->parameter_count; j++) {
        const int p = j - g->given - 1;
        double *to = g->enter + (int64_t)j * g->m, here = j < g->given ? g->x[j] : 0;
        const double size = j < g->given && largest[j >= half] > 0 ? largest[j >= half] : 1,
                     step = 1e-4 * size;
        for (int k = 0; k < 4; k++) {
            if (j < g->given)
                g->x[j] = here + places[k] * step;
            enter(g, p >= 0 ? g->views[4 * p + k] : g->view, t + (j == g->given ? places[k] * step : 0),
                  p >= 0 ? g->moving[p].weights[k] : weights[k] / step, to);
        }
        if (j < g->given)
            g->x[j] = here;
    }
    hold_sliders(g, t);
}

/* ---- The end. */

/* x = L(t, y), with velocities without mass set to zero. */
static void leave(slip_given_tangent *g, slip_massless_view *view, double t, const double *y, double *x)
{
    const slip_massless *of = g->of;
    const int half = g->given / 2, nc = of->coordinates;
    const double *w = y + g->m / 2;
    memset(g->y + g->m, 0, (size_t)g->m / 2 * sizeof(double));
    slip_massless_leave(view, t, y, w, g->y + g->m, x, x + half, NULL);
    for (int i = 0; i < nc; i++) {
        double sum = 0;
        for (int j = 0; j < nc; j++)
            if (of->weight[j] == SLIP_HEAVY)
                sum += (of->mixed ? of->transform[i * nc + j] : i == j) * w[of->place[j]];
        x[half + i] = sum;
    }
}

/* The change of x with a change of y (column), of time, or of a parameter (-1: none). */
static const double *leave_along(slip_given_tangent *g, const double *column, double rate, int parameter)
{
    const slip_flow *flow = g->inside->flow;
    const int n = g->m / 2;
    double most = fabs(rate), *y = g->y;
    memset(g->result, 0, (size_t)g->given * sizeof(double));
    for (int i = 0; i < g->m; i++)
        most = fmax(most, fabs(column[i]) / fmax(g->inside->size[i], 1e-300));
    const double reach = most > 0 ? 1e-4 / most : 0;
    for (int k = 0; k < 8; k++) {
        const bool near = k >= 4;
        const double step = near ? 0 : places[k] * reach;
        if (near ? parameter < 0 : reach == 0)
            continue;
        for (int i = 0; i < n; i++) {
            y[i] = flow->q[i] + step * column[i];
            y[n + i] = flow->v[i] + step * column[n + i];
        }
        leave(g, near ? g->views[4 * parameter + k - 4] : g->view, flow->t + step * rate, y, g->values);
        for (int i = 0; i < g->given; i++)
            g->result[i] += (near ? g->moving[parameter].weights[k - 4] : weights[k] / reach) * g->values[i];
    }
    return g->result;
}

const double *slip_given_tangent_column(slip_given_tangent *g, int k)
{
    const int own = k - g->given; /* 0: by the time, then by parameters */
    if (!g->of)
        return slip_tangent_column(g->inside, k);
    memset(g->column, 0, (size_t)g->m * sizeof(double));
    for (int j = 0; j <= g->m; j++) {
        const double factor = j < g->m ? g->enter[(int64_t)k * g->m + j] : own >= 0;
        const double *column =
            factor != 0 ? slip_tangent_column(g->inside, j < g->m ? j : g->m + own) : g->column;
        if (!column)
            return NULL;
        for (int i = 0; i < g->m && factor != 0; i++)
            g->column[i] += factor * column[i];
    }
    return leave_along(g, g->column, 0, own - 1);
}

const double *slip_given_tangent_rates(slip_given_tangent *g)
{
    const double *rates = slip_tangent_rates(g->inside);
    return g->of ? leave_along(g, rates, 1, -1) : rates;
}

bool slip_given_tangent_read(slip_given_tangent *g, const slip_system *system, int count, int parameters,
                             const slip_state_derivatives *to)
{
    for (int k = -1; k < count + 1 + parameters; k++) {
        const double *column = k < 0 ? slip_given_tangent_rates(g)
                                     : slip_given_tangent_column(g, k < count ? slip_state_place(system, k)
                                                                              : 2 * system->n + k - count);
        double *list = k < 0        ? to->by_end
                       : k < count  ? to->by_state
                       : k == count ? to->by_start
                                    : to->by_parameter;
        const int stride = k < 0 || k == count ? 1 : k < count ? count : parameters;
        const int first = k < 0 || k == count ? 0 : k < count ? k : k - count - 1;
        if (!column)
            return false;
        for (int i = 0; i < count && list; i++)
            list[i * stride + first] = column[slip_state_place(system, i)];
    }
    return true;
}

void slip_given_tangent_state(slip_given_tangent *g, double *q, double *v)
{
    const slip_flow *flow = g->inside->flow;
    const int n = g->m / 2;
    memcpy(g->y, flow->q, (size_t)n * sizeof(double));
    memcpy(g->y + n, flow->v, (size_t)n * sizeof(double));
    leave(g, g->view, flow->t, g->y, g->values);
    memcpy(q, g->values, (size_t)g->given / 2 * sizeof(double));
    memcpy(v, g->values + g->given / 2, (size_t)g->given / 2 * sizeof(double));
}
