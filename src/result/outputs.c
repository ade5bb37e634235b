#include "result/outputs.h"

#include <string.h>

bool slip_output_room_create(slip_output_room *room, slip_arena *arena, const slip_outputs *outputs)
{
    int most = 1;
    for (int k = 0; k < outputs->count; k++) {
        const int needed = slip_expression_scratch(outputs->list[k].expression);
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
    for (int k = 0; k < outputs->count; k++)
        *to++ = values[k] = slip_expression_value(outputs->list[k].expression, room->slots, room->scratch);
}
