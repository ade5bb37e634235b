/* Flanks of two reduced gears that take force or have kept vectors: they come and go, and the coordinates of
 * the motion with them. */
#include "gear/condensed/gear_step.h"

#include <math.h>
#include <string.h>

/* ---- Making. */

enum { array_count = 16 };

static void list_arrays(slip_gear_load *l, double **list[array_count])
{
    double **all[array_count] = {&l->press[0],  &l->press[1],  &l->rub[0],     &l->rub[1],
                                 &l->lagged[0], &l->lagged[1], &l->answer,     &l->past,
                                 &l->old_press, &l->old_rub,   &l->bearing[0], &l->bearing[1],
                                 &l->held[0],   &l->held[1],   &l->grip,       &l->rubbed};
    memcpy(list, all, sizeof all);
}

static bool make_load(slip_gear_step *s, int size, slip_gear_load *l)
{
    double **arrays[array_count];
    bool fine = (l->nodes = slip_arena_array(&s->arena, size, sizeof(int))) != NULL;
    list_arrays(l, arrays);
    for (size_t a = 0; fine && a < array_count; a++)
        fine = (*arrays[a] = slip_arena_array(&s->arena, size, sizeof(double))) != NULL;
    return fine;
}

/* As if it had never been there. */
static void clear_load(slip_gear_load *l, int size)
{
    double **arrays[array_count];
    list_arrays(l, arrays);
    for (size_t a = 0; a < array_count; a++)
        memset(*arrays[a], 0, sizeof(double) * (size_t)size);
    memset(l->normal, 0, sizeof l->normal);
    l->strain[0] = l->strain[1] = l->cross = 0;
    l->count = 0;
    l->touched = false;
}

int slip_gear_step_make_loads(slip_context *ctx, slip_gear_step *s)
{
    bool fine = true;
    for (int k = 0; fine && k < 2; k++) {
        s->loads[k] = slip_arena_array(&s->arena, slip_gear_loads_max, sizeof(slip_gear_load));
        fine = s->loads[k] != NULL;
        for (int i = 0; fine && i < slip_gear_loads_max; i++)
            fine = make_load(s, s->pair->gear[k]->size, &s->loads[k][i]);
    }
    for (int i = 0; fine && i < slip_gear_carried; i++)
        fine = (s->carried[i] = slip_arena_array(&s->arena, s->mode_capacity, sizeof(double))) != NULL;
    s->more_square = slip_arena_array(&s->arena, s->mode_capacity, sizeof(double));
    s->more_rotation = slip_arena_array(&s->arena, s->mode_capacity, sizeof(double));
    return fine && s->more_square && s->more_rotation ? SLIP_OK : slip_fail_memory(ctx);
}

static void keep_load(slip_gear_load *l, int size, slip_keeper *k)
{
    double **arrays[array_count];
    list_arrays(l, arrays);
    for (size_t a = 0; a < array_count; a++)
        slip_keep_bytes(k, *arrays[a], sizeof(double) * (size_t)size);
    slip_keep_bytes(k, l->nodes, sizeof *l->nodes * (size_t)size);
    SLIP_KEEP_ALL(k, SLIP_BLOCK(l->flank), SLIP_BLOCK(l->touched), SLIP_BLOCK(l->normal),
                  SLIP_BLOCK(l->count), SLIP_BLOCK(l->strain), SLIP_BLOCK(l->cross));
}

void slip_gear_step_keep_loads(slip_gear_step *s, slip_keeper *k)
{
    for (int gear = 0; gear < 2; gear++) {
        const int size = s->pair->gear[gear]->size, before = s->load_count[gear];
        SLIP_KEEP(k, s->load_count[gear]);
        for (int i = 0; i < s->load_count[gear]; i++)
            keep_load(&s->loads[gear][i], size, k);
        for (int i = s->load_count[gear]; i < before; i++)
            clear_load(&s->loads[gear][i], size);
    }
}

slip_gear_load *slip_gear_step_load(const slip_gear_step *s, int k, int flank)
{
    for (int i = 0; i < s->load_count[k]; i++)
        if (s->loads[k][i].flank == flank)
            return &s->loads[k][i];
    return NULL;
}

/* ---- Coordinates. */

/* Vectors of one flank are orthogonal to each other and to the modes, so by Bessel's inequality the squares
 * of their r sum up to less than the moment of inertia that the modes leave. Those of different flanks are
 * not: with few modes they have much of the same motion. So only flanks that have touched count, and one that
 * would take more than is left (but for a hundredth) is not moved by the rotation. */
static void couple(slip_gear_step *s, int k)
{
    const slip_gear_kept *kept = &s->kept[k];
    const slip_floating *frame = s->pair->gear[k]->frame;
    double left = 0.99 * frame->moment, own = 0, *to = s->more_rotation;
    for (int i = 0; i < frame->modes; i++)
        left -= frame->rotation[i] * frame->rotation[i];
    for (int i = 0; i < kept->count; i++)
        own += kept->rotation[i] * kept->rotation[i];
    for (int j = 0; j < s->load_count[k]; j++) {
        const slip_gear_load *l = &s->loads[k][j];
        double factor = !l->touched || own > left ? 0 : l->flank % 2 ? -1 : 1;
        left -= factor != 0 ? own : 0;
        for (int i = 0; i < kept->count; i++)
            *to++ = factor * kept->rotation[i];
    }
}

void slip_gear_step_load_torques(slip_gear_step *s)
{
    for (int k = 0; k < 2; k++) {
        memset(s->scratch, 0, sizeof(double) * (size_t)s->modes[k]->size);
        slip_free_modes_project(s->modes[k], s->options->side[k].torque, s->scratch, s->torque + s->first[k]);
    }
}

int slip_gear_step_set(slip_context *ctx, slip_gear_step *s)
{
    slip_propagator *p = s->propagator;
    int status = SLIP_OK;
    s->count = 0;
    for (int k = 0; k < 2; k++) {
        const slip_gear_side *side = &s->options->side[k];
        const slip_gear_kept *kept = &s->kept[k];
        slip_free_modes *m = s->modes[k];
        int more = 0;
        for (int j = 0; j < s->load_count[k]; j++)
            for (int i = 0; i < kept->count; i++)
                s->more_square[more++] = kept->square[i];
        couple(s, k);
        SLIP_TRY(slip_free_modes_set(ctx, m, more, s->more_square, s->more_rotation,
                                     (const double[]){side->damping, side->static_damping}));
        s->first[k] = s->count;
        s->count += m->count;
        memcpy(p->square + s->first[k], m->square, sizeof(double) * (size_t)m->count);
        memcpy(p->damping + s->first[k], m->damping, sizeof(double) * (size_t)m->count);
    }
    slip_gear_step_load_torques(s);
    memset(s->inertia, 0, sizeof(double) * (size_t)s->count);
    p->count = s->count;
    p->step = -1;
    s->version++;
done:
    return status;
}

/* What a change of coordinates carries over: amplitudes, rates, and three loads. */
static void list_carried(slip_gear_step *s, double *list[slip_gear_carried])
{
    double *all[slip_gear_carried] = {s->now.y, s->now.v, s->now.press, s->now.rub, s->press_before};
    memcpy(list, all, sizeof all);
}

enum { amplitudes, rates }; /* in that list */

/* Out of the coordinates of a gear: amplitudes, or momenta and loads. */
static void take_out(slip_gear_step *s, int k, bool momenta)
{
    double *list[slip_gear_carried];
    list_carried(s, list);
    for (int i = 0; i < slip_gear_carried; i++) {
        double *q = s->carried[i] + s->first_mode[k];
        s->carried_angle[i][k] = slip_free_modes_expand(s->modes[k], list[i] + s->first[k], q);
        if (i > rates || (i == rates && momenta))
            s->carried_angle[i][k] = slip_free_modes_momenta(s->modes[k], s->carried_angle[i][k], q);
    }
}

/* Into the new coordinates. */
static void put_in(slip_gear_step *s, int k, bool momenta)
{
    double *list[slip_gear_carried];
    list_carried(s, list);
    for (int i = 0; i < slip_gear_carried; i++) {
        double *q = s->carried[i] + s->first_mode[k];
        if (i < rates || (i == rates && !momenta))
            s->carried_angle[i][k] = slip_free_modes_momenta(s->modes[k], s->carried_angle[i][k], q);
        slip_free_modes_project(s->modes[k], s->carried_angle[i][k], q, list[i] + s->first[k]);
    }
}

static double *carried_vectors(slip_gear_step *s, int i, int k, int load)
{
    return s->carried[i] + s->first_mode[k] + s->pair->gear[k]->modes + load * s->kept[k].count;
}

/* ---- Coming. */

/* The same motion in coordinates of the loads as they are now. */
static int change_coordinates(slip_context *ctx, slip_gear_step *s)
{
    int status = slip_gear_step_set(ctx, s);
    if (status < 0)
        return status;
    for (int gear = 0; gear < 2; gear++)
        put_in(s, gear, false);
    slip_gear_step_see(s, &s->now);
    s->changed = true;
    return SLIP_OK;
}

/* Its vectors are at rest: amplitudes and rates of all others stay. */
int slip_gear_step_need_load(slip_context *ctx, slip_gear_step *s, int k, int flank)
{
    int index = s->load_count[k];
    if (slip_gear_step_load(s, k, flank))
        return SLIP_OK;
    if (index == slip_gear_loads_max)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "%s: more than %d flanks in mesh", s->pair->gear[k]->name,
                         slip_gear_loads_max);
    s->loads[k][s->load_count[k]++].flank = flank; /* its arrays are zero */
    if (s->kept[k].count == 0)
        return SLIP_OK;
    for (int gear = 0; gear < 2; gear++)
        take_out(s, gear, false);
    for (int i = 0; i < slip_gear_carried; i++)
        memset(carried_vectors(s, i, k, index), 0, sizeof(double) * (size_t)s->kept[k].count);
    return change_coordinates(ctx, s);
}

/* Until now its vectors were at rest, so that the rotation may well take hold of them. */
int slip_gear_step_note_touch(slip_context *ctx, slip_gear_step *s)
{
    bool new = false;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < s->load_count[k]; i++) {
            slip_gear_load *l = &s->loads[k][i];
            if (l->touched || !(l->normal[2] > 0))
                continue;
            l->touched = true;
            new = new || s->kept[k].count > 0;
        }
    if (!new)
        return SLIP_OK;
    for (int gear = 0; gear < 2; gear++)
        take_out(s, gear, false);
    return change_coordinates(ctx, s);
}

/* ---- Leaving. */

static void end_load(slip_gear_step *s, int k, int index)
{
    slip_gear_load *l = &s->loads[k][index], *last = &s->loads[k][s->load_count[k] - 1], swap;
    clear_load(l, s->pair->gear[k]->size);
    swap = *l;
    *l = *last;
    *last = swap;
    s->load_count[k]--;
}

static double energy_of(const slip_gear_step *s, int k)
{
    double sum = 0;
    for (int i = s->first[k]; i < s->first[k] + s->modes[k]->count; i++)
        sum += (s->now.v[i] * s->now.v[i] + s->propagator->square[i] * s->now.y[i] * s->now.y[i]) / 2;
    return sum;
}

/* The angular momentum of the vectors of a flank. */
static double momentum_of(const slip_gear_step *s, int k, int index)
{
    int first = s->pair->gear[k]->modes + index * s->kept[k].count;
    double sum = 0;
    for (int i = first; i < first + s->kept[k].count; i++)
        sum += s->modes[k]->rotation[i] * s->now.rate[s->first_mode[k] + i];
    return sum;
}

/* Momenta of all other coordinates stay, that of the rotation with what the vectors had of it; where the gear
 * is driven it goes to the drive. */
static int drop_load(slip_context *ctx, slip_gear_step *s, int k, int index)
{
    int status = SLIP_OK, last = s->load_count[k] - 1;
    double before = energy_of(s, k), momentum = momentum_of(s, k, index);
    s->dropped += s->loads[k][index].strain[0];
    end_load(s, k, index);
    if (s->kept[k].count == 0)
        return SLIP_OK;
    for (int gear = 0; gear < 2; gear++)
        take_out(s, gear, true);
    for (int i = 0; index < last && i < slip_gear_carried; i++)
        memcpy(carried_vectors(s, i, k, index), carried_vectors(s, i, k, last),
               sizeof(double) * (size_t)s->kept[k].count);
    SLIP_TRY(slip_gear_step_set(ctx, s));
    for (int gear = 0; gear < 2; gear++)
        put_in(s, gear, true);
    slip_gear_step_see(s, &s->now);
    s->dropped += before - energy_of(s, k);
    if (s->modes[k]->driven) {
        s->dropped += s->now.speed[k] * momentum;
        s->dropped_momentum[k] += momentum;
    }
done:
    return status;
}

static bool faces_another(const slip_gear_pair *pair, int k, int flank)
{
    for (int p = 0; p < pair->pair_count; p++)
        if (pair->pairs[p].surface[k] == flank)
            return true;
    return false;
}

int slip_gear_step_leave(slip_context *ctx, slip_gear_step *s)
{
    int status = SLIP_OK;
    for (int k = 0; k < 2; k++)
        for (int i = s->load_count[k] - 1; i >= 0; i--) {
            const slip_gear_load *l = &s->loads[k][i];
            if (l->normal[0] == 0 && l->normal[1] == 0 && !faces_another(s->pair, k, l->flank))
                SLIP_TRY(drop_load(ctx, s, k, i));
        }
done:
    return status;
}
