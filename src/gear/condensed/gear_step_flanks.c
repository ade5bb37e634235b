/* The loads of flanks, which come and go as the gears turn, and the change of coordinates that goes with it.
 */
#include "gear/condensed/gear_step.h"

#include <string.h>

/* ---- Making. */

enum { array_count = 17 };

static void list_arrays(slip_gear_load *l, double **list[array_count])
{
    double **all[array_count] = {&l->press[0],   &l->press[1],   &l->rub[0],  &l->rub[1],    &l->lagged[0],
                                 &l->lagged[1],  &l->answer,     &l->past,    &l->old_press, &l->old_rub,
                                 &l->bearing[0], &l->bearing[1], &l->held[0], &l->held[1],   &l->grip,
                                 &l->rubbed,     &l->straight};
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
    for (int g = 0; fine && g < s->gear_count; g++) {
        s->gear[g].loads = slip_arena_array(&s->arena, slip_gear_loads_max, sizeof(slip_gear_load));
        fine = s->gear[g].loads != NULL;
        for (int i = 0; fine && i < slip_gear_loads_max; i++)
            fine = make_load(s, s->gear[g].wheel->size, &s->gear[g].loads[i]);
    }
    for (int i = 0; fine && i < slip_gear_carried; i++)
        fine = (s->carried[i] = slip_arena_array(&s->arena, s->mode_capacity, sizeof(double))) != NULL;
    s->vectors = slip_arena_array(&s->arena, s->mode_capacity, sizeof *s->vectors);
    return fine && s->vectors ? SLIP_OK : slip_fail_memory(ctx);
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
    for (int g = 0; g < s->gear_count; g++) {
        slip_step_gear *own = &s->gear[g];
        const int size = own->wheel->size, before = own->load_count;
        SLIP_KEEP(k, own->load_count);
        for (int i = 0; i < own->load_count; i++)
            keep_load(&own->loads[i], size, k);
        for (int i = own->load_count; i < before; i++)
            clear_load(&own->loads[i], size);
    }
}

slip_gear_load *slip_gear_step_load(const slip_gear_step *s, int gear, int flank)
{
    const slip_step_gear *own = &s->gear[gear];
    for (int i = 0; i < own->load_count; i++)
        if (own->loads[i].flank == flank)
            return &own->loads[i];
    return NULL;
}

/* ---- Coordinates. */

/* Lists the modes of a gear and then the kept vectors of its loads. Vectors of one flank are orthogonal to
 * each other and to the modes, so by Bessel's inequality the sum of their r^2 is below the moment of inertia
 * less that of the modes. Vectors of different flanks are not orthogonal: with few modes they share much of
 * their motion. So only flanks that have carried force are coupled to the rotation, and only while 99 % of
 * the moment of inertia is not exceeded. */
static slip_free_vector *take_part(const slip_step_gear *own, int place, slip_free_vector *to)
{
    const slip_gear_kept *kept = &own->kept;
    const slip_floating *frame = own->wheel->frame;
    double left = 0.99 * frame->moment, sum = 0;
    for (int i = 0; i < frame->modes; i++) {
        left -= frame->rotation[i] * frame->rotation[i];
        *to++ = (slip_free_vector){place++, frame->square[i], frame->rotation[i], own->side->damping};
    }
    for (int i = 0; i < kept->count; i++)
        sum += kept->rotation[i] * kept->rotation[i];
    for (int j = 0; j < own->load_count; j++) {
        const slip_gear_load *l = &own->loads[j];
        double factor = !l->touched || sum > left ? 0 : l->flank % 2 ? -1 : 1;
        left -= factor != 0 ? sum : 0;
        for (int i = 0; i < kept->count; i++)
            *to++ = (slip_free_vector){place++, kept->square[i], factor * kept->rotation[i],
                                       own->side->static_damping};
    }
    return to;
}

void slip_gear_step_load_torques(slip_gear_step *s)
{
    memset(s->scratch, 0, sizeof(double) * (size_t)s->mode_capacity);
    for (int i = 0; i < s->shaft_count; i++) {
        slip_step_shaft *shaft = &s->shaft[i];
        shaft->torque = 0;
        for (int g = 0; g < s->gear_count; g++)
            shaft->torque += s->gear[g].shaft == i ? s->gear[g].side->torque : 0;
        slip_free_modes_project(shaft->modes, shaft->torque, s->scratch, s->torque + shaft->first);
    }
}

int slip_gear_step_set(slip_context *ctx, slip_gear_step *s)
{
    slip_propagator *p = s->propagator;
    s->count = 0;
    for (int i = 0; i < s->shaft_count; i++) {
        slip_step_shaft *shaft = &s->shaft[i];
        slip_free_modes *m = shaft->modes;
        slip_free_vector *end = s->vectors;
        double moment = 0;
        for (int g = 0; g < s->gear_count; g++) {
            if (s->gear[g].shaft != i)
                continue;
            end = take_part(&s->gear[g], s->gear[g].first_mode - shaft->first_mode, end);
            moment += s->gear[g].wheel->frame->moment;
        }
        SLIP_PASS(slip_free_modes_set(ctx, m, moment, (int)(end - s->vectors), s->vectors));
        shaft->first = s->count;
        s->count += m->count;
        memcpy(p->square + shaft->first, m->square, sizeof(double) * (size_t)m->count);
        memcpy(p->damping + shaft->first, m->damping, sizeof(double) * (size_t)m->count);
    }
    slip_gear_step_load_torques(s);
    memset(s->inertia, 0, sizeof(double) * (size_t)s->count);
    p->count = s->count;
    p->step = -1;
    s->version++;
    return SLIP_OK;
}

/* Lists the vectors that a change of coordinates transforms: amplitudes, rates, and three loads. */
static void list_carried(slip_gear_step *s, double *list[slip_gear_carried])
{
    double *all[slip_gear_carried] = {s->now.y, s->now.v, s->now.press, s->now.rub, s->press_before};
    memcpy(list, all, sizeof all);
}

enum { amplitudes, rates }; /* in that list */

/* Out of the coordinates: amplitudes, or momenta and loads. */
static void take_out(slip_gear_step *s, bool momenta)
{
    double *list[slip_gear_carried];
    list_carried(s, list);
    for (int k = 0; k < s->shaft_count; k++) {
        slip_step_shaft *shaft = &s->shaft[k];
        for (int i = 0; i < slip_gear_carried; i++) {
            double *q = s->carried[i] + shaft->first_mode, *angle = &shaft->carried[i];
            *angle = slip_free_modes_expand(shaft->modes, list[i] + shaft->first, q);
            if (i > rates || (i == rates && momenta))
                *angle = slip_free_modes_momenta(shaft->modes, *angle, q);
        }
    }
}

/* Into the new coordinates. */
static void put_in(slip_gear_step *s, bool momenta)
{
    double *list[slip_gear_carried];
    list_carried(s, list);
    for (int k = 0; k < s->shaft_count; k++) {
        slip_step_shaft *shaft = &s->shaft[k];
        for (int i = 0; i < slip_gear_carried; i++) {
            double *q = s->carried[i] + shaft->first_mode, *angle = &shaft->carried[i];
            if (i < rates || (i == rates && !momenta))
                *angle = slip_free_modes_momenta(shaft->modes, *angle, q);
            slip_free_modes_project(shaft->modes, *angle, q, list[i] + shaft->first);
        }
    }
    slip_gear_step_from_coordinates(s, &s->now);
}

static double *carried_vectors(slip_gear_step *s, int i, const slip_step_gear *own, int load)
{
    return s->carried[i] + own->first_mode + own->wheel->modes + load * own->kept.count;
}

/* ---- Coming. */

/* The same motion in coordinates of the loads as they are now. */
static int change_coordinates(slip_context *ctx, slip_gear_step *s)
{
    SLIP_PASS(slip_gear_step_set(ctx, s));
    put_in(s, false);
    s->changed = true;
    return SLIP_OK;
}

/* The vectors of the new load are at rest: amplitudes and rates of all others do not change. */
int slip_gear_step_need_load(slip_context *ctx, slip_gear_step *s, int gear, int flank)
{
    slip_step_gear *own = &s->gear[gear];
    int index = own->load_count;
    if (slip_gear_step_load(s, gear, flank))
        return SLIP_OK;
    if (index == slip_gear_loads_max)
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "%s: more than %d flanks in mesh", own->wheel->name,
                         slip_gear_loads_max);
    if (own->kept.count > 0)
        take_out(s, false);
    own->loads[own->load_count++].flank = flank; /* its arrays are zero */
    if (own->kept.count == 0)
        return SLIP_OK;
    for (int i = 0; i < slip_gear_carried; i++)
        memset(carried_vectors(s, i, own, index), 0, sizeof(double) * (size_t)own->kept.count);
    return change_coordinates(ctx, s);
}

/* Its vectors were at rest until now, so they can be coupled to the rotation without a jump. */
int slip_gear_step_note_touch(slip_context *ctx, slip_gear_step *s)
{
    bool new = false;
    for (int g = 0; g < s->gear_count; g++)
        for (int i = 0; i < s->gear[g].load_count; i++) {
            slip_gear_load *l = &s->gear[g].loads[i];
            if (l->touched || !(l->normal[2] > 0))
                continue;
            l->touched = true;
            new = new || s->gear[g].kept.count > 0;
        }
    if (!new)
        return SLIP_OK;
    take_out(s, false);
    return change_coordinates(ctx, s);
}

/* ---- Leaving. */

static void end_load(slip_step_gear *own, int index)
{
    slip_gear_load *l = &own->loads[index], *last = &own->loads[own->load_count - 1], swap;
    clear_load(l, own->wheel->size);
    swap = *l;
    *l = *last;
    *last = swap;
    own->load_count--;
}

static double energy_of(const slip_gear_step *s, const slip_step_shaft *shaft)
{
    double sum = 0;
    for (int i = shaft->first; i < shaft->first + shaft->modes->count; i++)
        sum += (s->now.v[i] * s->now.v[i] + s->propagator->square[i] * s->now.y[i] * s->now.y[i]) / 2;
    return sum;
}

/* The angular momentum of the vectors of a flank. */
static double momentum_of(const slip_gear_step *s, const slip_step_gear *own, int index)
{
    const slip_step_shaft *shaft = &s->shaft[own->shaft];
    int first = own->first_mode + own->wheel->modes + index * own->kept.count;
    double sum = 0;
    for (int i = first; i < first + own->kept.count; i++)
        sum += shaft->modes->rotation[i - shaft->first_mode] * s->now.rate[i];
    return sum;
}

/* Removes a load. Momenta of all other coordinates do not change. The angular momentum of its vectors goes to
 * the rotation or, where the shaft is driven, to the drive. */
static int drop_load(slip_context *ctx, slip_gear_step *s, slip_step_gear *own, int index)
{
    slip_step_shaft *shaft = &s->shaft[own->shaft];
    int last = own->load_count - 1;
    double before = energy_of(s, shaft), momentum = momentum_of(s, own, index);
    s->dropped += own->loads[index].strain[0];
    if (own->kept.count > 0)
        take_out(s, true);
    end_load(own, index);
    if (own->kept.count == 0)
        return SLIP_OK;
    for (int i = 0; index < last && i < slip_gear_carried; i++)
        memcpy(carried_vectors(s, i, own, index), carried_vectors(s, i, own, last),
               sizeof(double) * (size_t)own->kept.count);
    SLIP_PASS(slip_gear_step_set(ctx, s));
    put_in(s, true);
    s->dropped += before - energy_of(s, shaft);
    if (shaft->modes->driven) {
        s->dropped += s->now.speed[own->shaft] * momentum;
        shaft->dropped_momentum += momentum;
    }
    return SLIP_OK;
}

static bool faces_another(const slip_gear_step *s, int gear, int flank)
{
    for (int i = 0; i < s->mesh_count; i++)
        for (int k = 0; k < 2; k++)
            for (int p = 0; s->group->meshes[i].gear[k] == gear && p < s->pairs[i]->pair_count; p++)
                if (s->pairs[i]->pairs[p].surface[k] == flank)
                    return true;
    return false;
}

int slip_gear_step_leave(slip_context *ctx, slip_gear_step *s)
{
    for (int g = 0; g < s->gear_count; g++)
        for (int i = s->gear[g].load_count - 1; i >= 0; i--) {
            const slip_gear_load *l = &s->gear[g].loads[i];
            if (l->normal[0] == 0 && l->normal[1] == 0 && !faces_another(s, g, l->flank))
                SLIP_PASS(drop_load(ctx, s, &s->gear[g], i));
        }
    return SLIP_OK;
}

void slip_gear_step_from_coordinates(slip_gear_step *s, slip_gear_state *at)
{
    for (int i = 0; i < s->shaft_count; i++) {
        const slip_step_shaft *shaft = &s->shaft[i];
        const slip_free_modes *m = shaft->modes;
        double angle = slip_free_modes_expand(m, at->y + shaft->first, at->q + shaft->first_mode);
        double speed = slip_free_modes_expand(m, at->v + shaft->first, at->rate + shaft->first_mode);
        if (!m->driven) {
            at->angle[i] = angle;
            at->speed[i] = speed;
        }
        at->hidden[i] = 0;
    }
    for (int g = 0; g < s->gear_count; g++) {
        const slip_step_gear *own = &s->gear[g];
        slip_floating *f = own->wheel->frame;
        const double *q = at->q + own->first_mode, *rate = at->rate + own->first_mode,
                     w = at->speed[own->shaft];
        double *twist = at->twist + own->first_mode, *swing = at->swing + own->first_mode;
        memset(swing, 0, sizeof(double) * (size_t)f->modes);
        memset(f->scratch, 0, sizeof(double) * (size_t)f->modes);
        slip_floating_terms terms = slip_floating_inertia(f, w, q, f->scratch, twist, swing);
        double hidden = w * (terms.moment - f->moment);
        for (int i = 0; i < f->modes; i++) {
            twist[i] -= f->rotation[i];
            hidden += twist[i] * rate[i];
        }
        at->hidden[own->shaft] += hidden;
    }
}
