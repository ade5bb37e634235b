#include "method/tangent_types.h"

#include "math/dense.h"
#include "method/exact.h"
#include "method/flow_switch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Creating. */

static bool allocate(slip_tangent *tangent)
{
    const int64_t m = tangent->m, count = tangent->count;
    slip_arena *arena = &tangent->arena;
    tangent->columns = slip_arena_array(arena, m * count, sizeof(double));
    tangent->size = slip_arena_array(arena, m, sizeof(double));
    tangent->tau = slip_arena_array(arena, count, sizeof(double));
    tangent->rates = slip_arena_array(arena, m, sizeof(double));
    tangent->q = slip_arena_array(arena, m, sizeof(double));
    tangent->a = slip_arena_array(arena, m, sizeof(double));
    tangent->values = slip_arena_array(arena, m, sizeof(double));
    tangent->forces = slip_arena_array(arena, 6 * tangent->system->contact_count + 1, sizeof(double));
    tangent->matrix = slip_arena_array(arena, slip_tangent_nodes * m * m, sizeof(double));
    tangent->stages = slip_arena_array(arena, slip_tangent_nodes * m * count, sizeof(double));
    tangent->block = slip_arena_array(arena, slip_tangent_nodes * slip_tangent_nodes * m * m, sizeof(double));
    tangent->pivots = slip_arena_array(arena, slip_tangent_nodes * m, sizeof(int));
    tangent->near = slip_arena_array(arena, 4 * (int64_t)tangent->parameter_count + 1, sizeof *tangent->near);
    tangent->unfolded =
        slip_arena_array(arena, tangent->system->contact_count + 1, sizeof *tangent->unfolded);
    tangent->v = tangent->q + tangent->n;
    return tangent->columns && tangent->size && tangent->tau && tangent->rates && tangent->q && tangent->a &&
           tangent->values && tangent->forces && tangent->matrix && tangent->stages && tangent->block &&
           tangent->pivots && tangent->near && tangent->unfolded;
}

int slip_tangent_create(slip_context *ctx, const slip_system *system, int parameter_count,
                        const slip_tangent_parameter *parameters, slip_tangent **result)
{
    slip_tangent *tangent;
    *result = NULL;
    for (int c = 0; c < (int)system->contact_count; c++)
        if (system->contacts[c].patch && system->contacts[c].patch->set_valued)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "contact `%s`: its friction is set-valued in the plane, and derivatives of such "
                             "motions are not there; give it a smooth law (`epsilon`)",
                             system->contacts[c].name);
    tangent = slip_alloc(1, sizeof *tangent);
    if (!tangent)
        return slip_fail_memory(ctx);
    tangent->ctx = ctx;
    tangent->system = system;
    tangent->n = system->n;
    tangent->m = 2 * system->n;
    tangent->parameter_count = parameter_count;
    tangent->parameters = parameters;
    tangent->count = tangent->m + 1 + parameter_count + 1;
    if (!allocate(tangent)) {
        slip_tangent_destroy(tangent);
        return slip_fail_memory(ctx);
    }
    *result = tangent;
    return SLIP_OK;
}

static void release(slip_tangent_near *near)
{
    slip_workspace_destroy(near->work);
    slip_frozen_destroy(near->frozen);
    *near = (slip_tangent_near){0};
}

static void detach(slip_tangent *tangent)
{
    tangent->own.frozen = NULL; /* the flow's */
    release(&tangent->own);
    for (int k = 0; k < 4 * tangent->parameter_count; k++)
        release(&tangent->near[k]);
    tangent->flow = NULL;
}

void slip_tangent_destroy(slip_tangent *tangent)
{
    if (!tangent)
        return;
    if (tangent->near)
        detach(tangent);
    slip_arena_free(&tangent->arena);
    free(tangent);
}

int slip_tangent_attach(slip_tangent *tangent, slip_flow *flow)
{
    int status = SLIP_OK;
    const bool same = tangent->own.work && tangent->own.system == flow->system && !flow->jumps;
    if (!same)
        detach(tangent);
    tangent->flow = flow;
    tangent->started = tangent->pending = tangent->failed = false;
    tangent->exact = NULL;
    tangent->graze = 1;
    memset(tangent->size, 0, (size_t)tangent->m * sizeof(double));
    if (same)
        return SLIP_OK;
    tangent->own.system = flow->system;
    SLIP_TRY(slip_workspace_create(tangent->ctx, flow->system, &tangent->own.work));
    for (int k = 0; k < 4 * tangent->parameter_count; k++) {
        slip_tangent_near *near = &tangent->near[k];
        near->system = tangent->parameters[k / 4].near[k % 4];
        if (flow->jumps) {
            SLIP_TRY(slip_system_freeze(tangent->ctx, near->system, true, &near->frozen));
            near->system = near->frozen->system;
        }
        SLIP_TRY(slip_workspace_create(tangent->ctx, near->system, &near->work));
    }
done:
    return status;
}

/* ---- Evaluating. */

void slip_tangent_take_forms(slip_tangent *tangent)
{
    const slip_flow *flow = tangent->flow;
    const int first = slip_slot_parameter(tangent->n);
    for (int k = -1; k < 4 * tangent->parameter_count && flow->jumps; k++) {
        slip_workspace *work = k < 0 ? tangent->own.work : tangent->near[k].work;
        memcpy(work->slots + first, flow->work->slots + first,
               (size_t)flow->system->switch_count * sizeof(double));
        work->load_time = NAN;
    }
    tangent->own.frozen = flow->jumps ? flow->jumps->frozen : NULL;
}

bool slip_tangent_accelerate(const slip_tangent *tangent, const slip_tangent_near *with, bool unfold,
                             double t, const double *q, const double *v, double *a)
{
    const slip_flow *flow = tangent->flow;
    const slip_branch *branches = flow->branches;
    if (unfold && flow->charted_count > 0) {
        memcpy(tangent->unfolded, branches, (size_t)flow->contact_count * sizeof *branches);
        for (int c = 0; c < flow->contact_count; c++)
            if (slip_flow_charted(flow, c))
                tangent->unfolded[c].chart = -1;
        branches = tangent->unfolded;
    }
    return slip_system_acceleration(with->system, with->work, flow->has_breaks ? branches : NULL, t, q, v,
                                    a) &&
           (!flow->switching || slip_system_constrain(with->system, with->work, branches, t, q, v, a));
}

void slip_tangent_find_rates(slip_tangent *tangent, double *rates)
{
    const slip_flow *flow = tangent->flow;
    for (int i = 0; i < tangent->n; i++)
        rates[i] = i < flow->moving ? flow->v[i] : 0;
    if (!slip_tangent_accelerate(tangent, &tangent->own, false, flow->t, flow->q, flow->v,
                                 rates + tangent->n))
        tangent->failed = true;
}

void slip_tangent_by_parameter(slip_tangent *tangent, int parameter, double t, const double *q,
                               const double *v, double *a)
{
    static const double weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    memset(a, 0, (size_t)tangent->n * sizeof(double));
    for (int k = 0; k < 4; k++) {
        if (!slip_tangent_accelerate(tangent, &tangent->near[4 * parameter + k], false, t, q, v,
                                     tangent->values))
            tangent->failed = true;
        for (int i = 0; i < tangent->n; i++)
            a[i] += weights[k] / tangent->parameters[parameter].step * tangent->values[i];
    }
}

/* ---- What contacts that stick and gaps that are closed take away. */

static bool find_gap(const slip_tangent_map *map, const slip_tangent_near *with, double t, const double *q,
                     const double *v, double *value)
{
    (void)v;
    *value = slip_system_gap(with->system, with->work, map->contact, t, q);
    return true;
}

static bool find_gap_rate(const slip_tangent_map *map, const slip_tangent_near *with, double t,
                          const double *q, const double *v, double *value)
{
    *value = slip_system_gap_rate(with->system, with->work, map->contact, t, q, v);
    return true;
}

static bool find_slip(const slip_tangent_map *map, const slip_tangent_near *with, double t, const double *q,
                      const double *v, double *value)
{
    *value = slip_system_slip(with->system, with->work, map->contact, t, q, v);
    return true;
}

/* Takes what all columns have of a quantity away along the response in flow->response; `first` is 0 of
 * coordinates, n of velocities. */
static void take_away(slip_tangent *tangent, const slip_tangent_map *map, int first, double product)
{
    for (int k = 0; k < tangent->count - 1; k++) {
        double *column = slip_tangent_of(tangent, k), change = 0;
        const int parameter = slip_tangent_parameter_of(tangent, k);
        const bool rate = map->find == find_gap_rate;
        if (rate || parameter >= 0)
            slip_tangent_along(map, rate ? column : NULL, 0, parameter, &change);
        change += map->find == find_gap    ? slip_tangent_gap_along(tangent, map->contact, column)
                  : map->find == find_slip ? slip_tangent_slip_along(tangent, map->contact, column)
                                           : 0;
        for (int i = 0; i < tangent->n && change != 0; i++)
            column[first + i] -= change / product * tangent->flow->response[i];
    }
}

static void hold(slip_tangent *tangent)
{
    slip_flow *flow = tangent->flow;
    const size_t size = (size_t)tangent->n * sizeof(double);
    int count = 0;
    slip_system_place(flow->system, flow->work, flow->t, flow->q);
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        slip_tangent_map map = {.tangent = tangent, .contact = c, .count = 1};
        double product;
        if (!slip_flow_decided(flow, c))
            continue;
        if (contact->has_gap && flow->branches[c].mode != SLIP_MODE_OPEN) {
            memcpy(flow->row, slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q), size);
            if ((product = slip_flow_orthogonalise(flow, &count)) > 0) {
                map.find = find_gap;
                take_away(tangent, &map, 0, product);
                map.find = find_gap_rate;
                take_away(tangent, &map, tangent->n, product);
            }
        }
        if (flow->branches[c].mode == SLIP_MODE_STICK && !contact->patch) {
            slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v, flow->row,
                                  flow->response);
            if ((product = slip_flow_orthogonalise(flow, &count)) > 0) {
                map.find = find_slip;
                take_away(tangent, &map, tangent->n, product);
            }
        }
    }
}

/* States of laws that their contacts, which are open, have forgotten. */
static void forget(slip_tangent *tangent)
{
    const slip_flow *flow = tangent->flow;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        if (contact->state_count == 0 || !contact->has_gap || flow->branches[c].mode != SLIP_MODE_OPEN)
            continue;
        for (int k = 0; k < tangent->count - 1; k++)
            for (int z = 0; z < contact->state_count; z++)
                slip_tangent_of(tangent, k)[tangent->n + contact->state + z] = 0;
    }
}

/* ---- Segments. */

static void note_size(slip_tangent *tangent)
{
    const slip_flow *flow = tangent->flow;
    const int n = tangent->n;
    double fastest = 0;
    for (int i = 0; i < n; i++)
        fastest = fmax(fastest, fabs(flow->v[i]));
    for (int i = 0; i < n; i++) {
        const double least = flow->usual[i] > 0 ? flow->usual[i] : fastest > 0 ? 1e-3 * fastest : 1;
        tangent->size[n + i] = fmax(tangent->size[n + i], fmax(fabs(flow->v[i]), least));
        tangent->size[i] =
            fmax(tangent->size[i], fmax(fabs(flow->q[i]), tangent->size[n + i] * slip_flow_time_scale(flow)));
    }
}

void slip_tangent_begin(slip_tangent *tangent)
{
    const int m = tangent->m, last = tangent->count - 1;
    if (tangent->started && !tangent->pending)
        return;
    slip_tangent_take_forms(tangent);
    note_size(tangent);
    slip_tangent_find_rates(tangent, tangent->rates);
    if (!tangent->started) {
        memset(tangent->columns, 0, (size_t)m * (size_t)tangent->count * sizeof(double));
        for (int i = 0; i < m; i++) {
            slip_tangent_of(tangent, i)[i] = i < tangent->n && i >= tangent->flow->moving ? 0 : 1;
            slip_tangent_of(tangent, m)[i] = -tangent->rates[i];
        }
    }
    for (int k = 0; k < last && tangent->pending; k++)
        for (int i = 0; i < m; i++)
            slip_tangent_of(tangent, k)[i] +=
                tangent->tau[k] != 0
                    ? (slip_tangent_of(tangent, last)[i] - tangent->rates[i]) * tangent->tau[k]
                    : 0;
    tangent->started = true;
    tangent->pending = false;
    if (tangent->flow->switching)
        hold(tangent);
    forget(tangent);
}

/* d' = J d + g over one step, J and g at Gauss's points in `matrix` and `stages`. */
static void collocate(slip_tangent *tangent, double length)
{
    static const double a[3][3] = {{0.13888888888888888889, -0.03597666752493890345, 0.00978944401530832605},
                                   {0.3002631949808645924, 0.22222222222222222222, -0.02248541720308681460},
                                   {0.26798833376246945173, 0.48042111196938334790, 0.13888888888888888889}};
    static const double b[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const int m = tangent->m, rows = 3 * m, columns = tangent->count - 1;
    for (int i = 0; i < 3; i++) {
        const double *matrix = tangent->matrix + (int64_t)i * m * m;
        for (int r = 0; r < m; r++)
            for (int j = 0; j < 3; j++)
                for (int s = 0; s < m; s++)
                    tangent->block[(i * m + r) * rows + j * m + s] =
                        (i == j && r == s ? 1 : 0) - length * a[i][j] * matrix[r * m + s];
        for (int k = 0; k < columns; k++)
            for (int r = 0; r < m; r++)
                for (int s = 0; s < m; s++)
                    tangent->stages[k * rows + i * m + r] +=
                        matrix[r * m + s] * slip_tangent_of(tangent, k)[s];
    }
    if (!slip_dense_factor(rows, tangent->block, tangent->pivots)) {
        tangent->failed = true;
        return;
    }
    for (int k = 0; k < columns; k++) {
        double *stage = tangent->stages + k * rows, *column = slip_tangent_of(tangent, k);
        slip_dense_substitute(rows, tangent->block, tangent->pivots, stage);
        for (int i = 0; i < 3; i++)
            for (int r = 0; r < m; r++)
                column[r] += length * b[i] * stage[i * m + r];
    }
}

static const double node_places[3] = {0.11270166537925831148, 0.5, 0.88729833462074168852};

/* In charts the forces of contacts do not read slip velocities, which may depend on the parameter. */
static double slip_by_parameter(slip_tangent *tangent, int parameter, int c, double x)
{
    static const double weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const slip_flow *flow = tangent->flow;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const slip_tangent_near *near = &tangent->near[4 * parameter + k];
        sum += weights[k] / tangent->parameters[parameter].step *
               slip_system_slip(near->system, near->work, c, slip_flow_time(flow, x, flow->inside),
                                flow->inside, flow->inside + tangent->n);
    }
    return sum;
}

static void march(slip_tangent *tangent, double x0, double length)
{
    slip_flow *flow = tangent->flow;
    slip_stepper *stepper = flow->stepper;
    const int m = tangent->m, rows = slip_tangent_nodes * m;
    memset(tangent->stages, 0, (size_t)rows * (size_t)(tangent->count - 1) * sizeof(double));
    for (int i = 0; i < slip_tangent_nodes; i++) {
        const double x = x0 + length * node_places[i];
        double speed;
        slip_stepper_interpolate(stepper, x, 0, stepper->ode.m, flow->inside);
        if (!slip_flow_variation(flow, x, flow->inside, tangent->size, tangent->matrix + (int64_t)i * m * m,
                                 &speed))
            tangent->failed = true;
        for (int p = 0; p < tangent->parameter_count; p++) {
            double *by = tangent->stages + (m + 1 + p) * rows + i * m + tangent->n;
            slip_tangent_by_parameter(tangent, p, slip_flow_time(flow, x, flow->inside), flow->inside,
                                      flow->inside + tangent->n, by);
            for (int r = 0; r < tangent->n; r++)
                by[r] *= speed;
            for (int c = 0; c < flow->contact_count && flow->charted_count > 0; c++)
                slip_flow_chart_pull(flow, c, slip_by_parameter(tangent, p, c, x), by);
        }
    }
    collocate(tangent, length);
}

/* Which compliant contacts are pressed: steps do not end where that changes, and the equation has a kink
 * there. */
static uint64_t pressed(slip_tangent *tangent, double x)
{
    const slip_flow *flow = tangent->flow;
    uint64_t mask = 0;
    slip_stepper_interpolate(flow->stepper, x, 0, flow->stepper->ode.m, flow->inside);
    slip_system_acceleration(flow->system, tangent->own.work, NULL, slip_flow_time(flow, x, flow->inside),
                             flow->inside, flow->inside + tangent->n, tangent->a);
    for (int c = 0; c < flow->contact_count; c++)
        mask |= flow->system->contacts[c].compliant && tangent->own.work->contacts[c].normal > 0
                    ? (uint64_t)1 << (c % 64)
                    : 0;
    return mask;
}

/* From a kink on, or up to it, where a derivative of the equation may be infinite: in pieces that grow with
 * the distance. */
static void march_from(slip_tangent *tangent, double kink, double end, bool back)
{
    enum { pieces = 6 };
    for (int k = 0; k < pieces; k++) {
        const int place = back ? pieces - 1 - k : k;
        const double near = place > 0 ? kink + (end - kink) * pow(0.125, pieces - place) : kink,
                     far = kink + (end - kink) * pow(0.125, pieces - 1 - place);
        march(tangent, back ? far : near, back ? near - far : far - near);
    }
}

void slip_tangent_step(slip_tangent *tangent)
{
    enum { parts = 40 };
    slip_flow *flow = tangent->flow;
    double x = flow->stepper->x0, end = flow->stepper->x1;
    bool compliant = false;
    if (end == x || !tangent->started)
        return;
    for (int c = 0; c < flow->contact_count; c++)
        compliant = compliant || flow->system->contacts[c].compliant;
    if (compliant && pressed(tangent, x) != pressed(tangent, end)) {
        double low = x, high = end;
        for (int k = 0; k < parts; k++) {
            const double middle = 0.5 * (low + high);
            *(pressed(tangent, middle) == pressed(tangent, x) ? &low : &high) = middle;
        }
        march_from(tangent, high, x, true);
        march_from(tangent, high, end, false);
    } else {
        march(tangent, x, end - x);
    }
    flow->at_end = false;
}

/* Columns of parameters in closed form: exp(J h) d + the integral of exp(J (h - s)) g(s), by Gauss's rule
 * over pieces of less than a radian. J is constant in the segment, and the exponentials are their series. */
static void add_exponential(slip_tangent *tangent, double distance, const double *from, double factor,
                            double *to)
{
    const int m = tangent->m;
    double *term = tangent->block, *next = term + m;
    memcpy(term, from, (size_t)m * sizeof(double));
    for (int k = 1; k <= 24; k++) {
        for (int i = 0; i < m; i++)
            to[i] += factor * term[i];
        for (int i = 0; i < m; i++) {
            next[i] = 0;
            for (int j = 0; j < m; j++)
                next[i] += tangent->matrix[i * m + j] * term[j] * (distance / k);
        }
        memcpy(term, next, (size_t)m * sizeof(double));
    }
}

static void carry_parameters(slip_tangent *tangent, const slip_exact *exact, double distance)
{
    enum { points = 8 };
    static const double at[points] = {0.01985507175123188416, 0.10166676129318663020, 0.23723379504183550709,
                                      0.40828267875217509753, 0.59171732124782490247, 0.76276620495816449291,
                                      0.89833323870681336980, 0.98014492824876811584},
                        weight[points] = {0.05061426814518812957, 0.11119051722668723527,
                                          0.15685332293894364367, 0.18134189168918099148,
                                          0.18134189168918099148, 0.15685332293894364367,
                                          0.11119051722668723527, 0.05061426814518812957};
    const slip_flow *flow = tangent->flow;
    const int m = tangent->m, n = tangent->n;
    const int64_t pieces = (int64_t)fmax(1, ceil(distance * slip_exact_rate(exact)));
    const double length = distance / (double)pieces;
    double *source = tangent->stages, *sum = source + m, *q = sum + m, *v = q + n;
    double speed;
    memcpy(tangent->q, flow->q, (size_t)n * sizeof(double));
    memcpy(tangent->v, flow->v, (size_t)n * sizeof(double));
    if (!slip_flow_variation(tangent->flow, flow->t, tangent->q, tangent->size, tangent->matrix, &speed))
        tangent->failed = true;
    for (int64_t piece = 0; piece < pieces; piece++)
        for (int p = 0; p < tangent->parameter_count; p++) {
            double *column = slip_tangent_of(tangent, m + 1 + p);
            memset(sum, 0, (size_t)m * sizeof(double));
            add_exponential(tangent, length, column, 1, sum);
            for (int k = 0; k < points; k++) {
                const double t = flow->t + length * ((double)piece + at[k]);
                slip_exact_state(exact, t, q, v, NULL);
                memset(source, 0, (size_t)m * sizeof(double));
                slip_tangent_by_parameter(tangent, p, t, q, v, source + n);
                add_exponential(tangent, length * (1 - at[k]), source, length * weight[k], sum);
            }
            memcpy(column, sum, (size_t)m * sizeof(double));
        }
}

void slip_tangent_carry(slip_tangent *tangent, const slip_exact *exact, double distance)
{
    tangent->exact = exact;
    for (int k = 0; k <= tangent->m; k++) {
        double *column = slip_tangent_of(tangent, k);
        slip_exact_carry(exact, distance, column, column + tangent->n);
    }
    if (tangent->parameter_count > 0)
        carry_parameters(tangent, exact, distance);
}

/* ---- Reading. */

const double *slip_tangent_column(slip_tangent *tangent, int k)
{
    const double *column = slip_tangent_of(tangent, k);
    slip_tangent_begin(tangent);
    for (int i = 0; i < tangent->m; i++)
        tangent->failed = tangent->failed || !isfinite(column[i]);
    return tangent->failed ? NULL : column;
}

const double *slip_tangent_rates(slip_tangent *tangent)
{
    slip_tangent_begin(tangent);
    slip_tangent_find_rates(tangent, tangent->rates);
    return tangent->rates;
}

double slip_tangent_graze(const slip_tangent *tangent)
{
    return tangent->graze;
}
