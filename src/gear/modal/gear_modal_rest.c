/* Gears by modes and attachment modes in static equilibrium. In statics all reductions except "none" have the
 * flexibility of condensed gears, so angles, modes and contact forces are taken from those
 * (gear_step_rest.c). Active attachment modes have the static amplitudes p = Omega^-2 (U^T f + w^2 sigma). */
#include "gear/condensed/gear_step.h"
#include "gear/modal/gear_modal.h"

#include <string.h>

/* The deformation by some nodes brings others into contact: a few searches find all. */
enum { looks = 4 };

static void dent(slip_gear_modal *m, const slip_modal_gear *g, const slip_modal_flank *f, const double *force)
{
    const slip_gear_basis *b = &f->basis;
    const double speed = m->state[m->count + g->at];
    for (int i = 0; i < b->count; i++) {
        double sum = speed * speed * b->spread[i];
        for (int r = 0; force && r < 3 * f->near_count; r++)
            sum += f->local[(size_t)r * (size_t)b->count + (size_t)i] * force[3 * f->near[r / 3] + r % 3];
        m->state[f->at + i] = sum / b->square[i];
    }
}

static int take_over(slip_context *ctx, slip_gear_modal *m, const slip_gear_step *s, double *slope)
{
    for (int k = 0; k < m->gear_count; k++) {
        const slip_modal_gear *g = &m->gear[k];
        m->state[g->at] = s->now.angle[s->gear[k].shaft] + s->gear[k].offset;
        memcpy(m->state + g->at + 1, s->now.q + s->gear[k].first_mode,
               sizeof(double) * (size_t)g->wheel->modes);
    }
    for (int look = 0; look < looks; look++) {
        bool changed;
        m->missed = true;
        SLIP_PASS(slip_gear_modal_follow(ctx, m));
        slip_gear_modal_evaluate(m, m->state, slope);
        SLIP_PASS(slip_gear_modal_switch(ctx, m, &changed));
        for (int k = 0; k < m->gear_count; k++)
            for (int i = 0; i < m->gear[k].flank_count; i++) {
                const slip_gear_load *l = slip_gear_step_load(s, k, m->gear[k].flanks[i]->flank);
                dent(m, &m->gear[k], m->gear[k].flanks[i], l ? l->press[0] : NULL);
            }
    }
    memset(m->state + 2 * m->count, 0, sizeof(double) * (size_t)slip_modal_sums(m));
    m->evaluations = m->switches = 0;
    m->switched = 0;
    m->missed = true;
    return SLIP_OK;
}

int slip_gear_modal_rest(slip_context *ctx, slip_gear_modal *m, const slip_gear_group *group, double *slope)
{
    SLIP_FREED slip_gear_side *sides = slip_alloc(group->gear_count, sizeof *sides);
    slip_gear_group how = *group;
    SLIP_FREED_BY(slip_gear_step_drop) slip_gear_step *s = NULL;
    SLIP_PASS(slip_allocated(ctx, sides));
    how.sides = sides;
    for (int k = 0; k < group->gear_count; k++) {
        sides[k] = group->sides[k];
        if (strcmp(sides[k].reduction, "none") != 0)
            sides[k].reduction = "condensed";
    }
    SLIP_PASS(slip_gear_step_create(ctx, &how, 0, &s));
    SLIP_PASS(slip_gear_step_rest(ctx, s));
    return take_over(ctx, m, s, slope);
}
