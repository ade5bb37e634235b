/* The unknowns of whole bodies in a fixed step (system/field.h), for implicit and explicit steps alike. */
#include "method/fixed/field.h"

int slip_fixed_field_make(slip_fixed *f)
{
    slip_fixed_field *field = f->field = slip_alloc(1, sizeof *field);
    bool complete = field != NULL;
    for (int k = 0; k < SLIP_FIXED_MOMENTS; k++)
        complete =
            complete && (field->moments[k] = slip_arena_array(&f->arena, f->direction_count, sizeof(double)));
    complete = complete &&
               (field->force = slip_arena_array(&f->arena, f->system->field_size, sizeof(double))) &&
               (field->product = slip_arena_array(&f->arena, f->system->field_size, sizeof(double)));
    return slip_allocated(f->ctx, complete);
}

void slip_fixed_field_start(slip_fixed *f)
{
    for (int d = 0; d < f->direction_count; d++) {
        const slip_tail *tail = f->directions[d].tail;
        const double start = tail ? slip_tail_dot(tail, f->n, f->v0) : 0;
        for (int k = 0; k < SLIP_FIXED_MOMENTS; k++)
            f->field->moments[k][d] = start;
    }
}

void slip_fixed_field_measure(slip_fixed *f)
{
    double q = 0, v = 0;
    for (int64_t i = f->n; i < f->size; i++) {
        q = fmax(q, fabs(f->q[i]));
        v = fmax(v, fabs(f->v[i]));
    }
    f->field->largest[0] = q;
    f->field->largest[1] = v;
}

int slip_fixed_field_diagnose(const slip_fixed *f)
{
    const slip_field *of = f->system->field;
    for (int b = 0; b < of->body_count; b++)
        for (int64_t i = 0; i < of->bodies[b].size; i++) {
            const slip_field_body *body = &of->bodies[b];
            const int64_t at = f->n + body->first + i;
            if (!isfinite(f->q[at] + f->v[at]) && isfinite(f->q0[at] + f->v0[at]))
                return slip_fail(
                    f->ctx, SLIP_ERROR_SOLVER,
                    "at t = %.9g the motion of node %lld of body `%s` is no longer finite: its "
                    "elements are crushed or so strained that the step of %.3g is too long for them, "
                    "or its load is not finite; expected a smaller `simulate.step`, or smaller loads",
                    f->t, (long long)body->group[i] + 1, body->name, f->matrices.h);
        }
    return SLIP_OK;
}

double slip_fixed_field_part(const slip_fixed_field *field, slip_fixed_moment moment, int direction)
{
    return field->moments[moment][direction];
}

double slip_fixed_field_size(const slip_fixed_field *field, bool velocity)
{
    return field->largest[velocity];
}

double slip_fixed_field_point(slip_fixed *f)
{
    double *const *moments = f->field->moments, change = 0;
    for (int d = 0; d < f->direction_count; d++) {
        const double now =
            f->theta * moments[SLIP_FIXED_END][d] + (1 - f->theta) * moments[SLIP_FIXED_START][d];
        change = fmax(change, fabs(now - moments[SLIP_FIXED_POINT][d]));
        moments[SLIP_FIXED_POINT][d] = now;
    }
    return change;
}

double slip_fixed_field_scale(const slip_fixed *f)
{
    double *const *moments = f->field->moments, scale = 0;
    for (int d = 0; d < f->direction_count; d++)
        scale = fmax(scale, fmax(fabs(moments[SLIP_FIXED_START][d]), fabs(moments[SLIP_FIXED_FREE][d])));
    return scale;
}

/* Interpolates an unknown: positions by the cubic through both ends, velocities linearly. */
static void view_unknown(const slip_fixed *f, double s, int64_t i, double *q, double *v)
{
    const double h = f->t - f->t0, rest = 1 - s, rise = f->q[i] - f->q0[i];
    *q = f->q0[i] + s * rise + s * rest * (rest * (h * f->v0[i] - rise) + s * (rise - h * f->v[i]));
    *v = f->v0[i] + s * (f->v[i] - f->v0[i]);
}

static double part_of_step(const slip_fixed *f, double t)
{
    return fmin(fmax((t - f->t0) / (f->t - f->t0), 0), 1);
}

void slip_fixed_field_view(const void *fixed, double t, const int64_t *list, int64_t count, double *q,
                           double *v)
{
    const slip_fixed *f = fixed;
    const double s = part_of_step(f, t);
    const int64_t all = list ? count : f->system->field_size;
    for (int64_t k = 0; k < all; k++) {
        const int64_t i = f->n + (list ? list[k] : k);
        view_unknown(f, s, i, &q[i], &v[i]);
    }
}

void slip_fixed_field_read(const slip_fixed *f, double t)
{
    const double s = part_of_step(f, t);
    for (int d = 0; d < f->direction_count; d++) {
        const slip_tail *tail = f->directions[d].tail;
        for (int k = 0; tail && k < tail->count; k++) {
            const int64_t i = f->n + tail->unknown[k];
            view_unknown(f, s, i, &f->at_q[i], &f->at_v[i]);
        }
    }
}
