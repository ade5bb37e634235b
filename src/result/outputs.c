#include "result/outputs.h"

#include "math/vector.h"
#include "result/maxima.h"

#include <math.h>
#include <string.h>

bool slip_output_room_create(slip_output_room *room, slip_arena *arena, const slip_outputs *outputs)
{
    int most = 1;
    for (int k = 0; k < outputs->count; k++) {
        const slip_expression *expression = outputs->list[k].expression;
        const int needed = expression ? slip_expression_scratch(expression) : 0;
        most = needed > most ? needed : most;
    }
    room->slots =
        slip_arena_array(arena, (int64_t)outputs->first_slot + outputs->series_count, sizeof(double));
    room->scratch = slip_arena_array(arena, most, sizeof(double));
    return room->slots && room->scratch;
}

void slip_outputs_find(const slip_outputs *outputs, const slip_output_room *room, int n, int contact_count,
                       int patch_count, double t, const slip_sample *sample, double *values)
{
    double *to = room->slots + outputs->first_slot;
    *to++ = t;
    for (int i = 0; i < n; i++) {
        *to++ = sample->q[i];
        *to++ = sample->v[i];
        *to++ = sample->a[i];
    }
    for (int c = 0; c < contact_count; c++) {
        *to++ = sample->slip[c];
        *to++ = sample->normal[c];
        *to++ = sample->force[c];
        *to++ = sample->mode[c];
    }
    for (int p = 0; p < patch_count; p++) {
        memcpy(to, sample->patches[p].slip, 3 * sizeof *to);
        memcpy(to + 3, sample->patches[p].force, 3 * sizeof *to);
        to += 6;
    }
    for (int k = 0; k < outputs->count; k++) {
        const slip_output *output = &outputs->list[k];
        if (k < outputs->state_count)
            values[k] = sample->v[n + k];
        else if (output->row)
            values[k] = slip_dot(n, output->row, sample->q) +
                        slip_tail_dot(&output->tail, n + outputs->state_count, sample->q);
        else
            values[k] = slip_expression_value(output->expression, room->slots, room->scratch);
        *to++ = values[k];
    }
}

bool slip_output_maxima_create(slip_output_maxima *m, slip_arena *arena)
{
    const int count = m->outputs->count;
    double *numbers = slip_arena_array(arena, 4 * (int64_t)count, sizeof *numbers);
    if (!numbers || !slip_output_room_create(&m->room, arena, m->outputs))
        return false;
    m->largest = numbers;
    for (int k = 0; k < 3; k++)
        m->found[k] = numbers + (k + 1) * count;
    for (int k = 0; k < count; k++)
        m->largest[k] = -1;
    return true;
}

static void find_at(slip_output_maxima *m, const slip_step *step, double t, double *found)
{
    step->sample(step->self, t, m->sample);
    if (step->field)
        step->field(step->self, t, m->unknowns, m->unknown_count, m->sample->q, m->sample->v);
    slip_outputs_find(m->outputs, &m->room, m->n, m->contact_count, m->patch_count, t, m->sample, found);
}

typedef struct probe {
    slip_output_maxima *m;
    const slip_step *step;
    int which;
} probe;

static double size_at(void *user, double t)
{
    const probe *p = user;
    find_at(p->m, p->step, t, p->m->found[0]);
    return fabs(p->m->found[0][p->which]);
}

void slip_output_maxima_step(slip_output_maxima *m, const slip_step *step)
{
    find_at(m, step, 0.5 * (step->t0 + step->t1), m->found[1]);
    find_at(m, step, step->t1, m->found[2]);
    find_at(m, step, step->t0, m->found[0]);
    for (int k = 0; k < m->outputs->count; k++) {
        const double a = fabs(m->found[0][k]), b = fabs(m->found[1][k]), c = fabs(m->found[2][k]);
        const double bend = 2 * (a - 2 * b + c), slope = 4 * b - 3 * a - c, at = -slope / (2 * bend);
        double largest = fmax(m->largest[k], fmax(a, fmax(b, c)));
        if (bend < 0 && at > 0 && at < 1 && a - slope * slope / (4 * bend) > largest) {
            largest = fmax(largest, slip_largest_inside(size_at, &(probe){m, step, k}, step->t0, step->t1));
            find_at(m, step, step->t0, m->found[0]); /* for the others */
        }
        m->largest[k] = largest;
    }
}
