#include "gear/modal/gear_modal_show.h"

#include <string.h>

int slip_gear_modal_size(const slip_gear_modal *m)
{
    int largest = 0;
    for (int k = 0; k < m->gear_count; k++)
        largest = largest > m->gear[k].wheel->size ? largest : m->gear[k].wheel->size;
    return largest;
}

void slip_gear_modal_amplitudes(const slip_gear_modal *m, int k, const slip_modal_flank *f, double *scratch,
                                double *amplitude)
{
    memset(amplitude, 0, sizeof(double) * (size_t)m->gear[k].wheel->size);
    if (!f || f->basis.count == 0)
        return;
    slip_gear_basis_amplitudes(&f->basis, m->state + f->at, scratch);
    for (int i = 0; i < f->basis.directions; i++) {
        const int d = f->basis.direction[i];
        amplitude[d] = f->flank % 2 && d % 3 == 1 ? -scratch[i] : scratch[i];
    }
}

slip_gear_subject slip_gear_modal_subject(const slip_gear_modal *m, int k, const slip_gear_options *options)
{
    const slip_gear_wheel *wheel = m->gear[k].wheel;
    return (slip_gear_subject){options, wheel->body, wheel->modes, wheel};
}

/* The axis of a gear. */
static const double *centre_of(const slip_gear_modal *m, int k)
{
    int p = 0;
    while (m->pairs[p].gear[0] != k && m->pairs[p].gear[1] != k)
        p++;
    return m->pairs[p].pair->wheels[m->pairs[p].gear[0] == k ? 0 : 1].centre;
}

void slip_gear_modal_show(const slip_gear_modal *m, int k, double *room, slip_gear_frames *frames, int to)
{
    const slip_modal_gear *g = &m->gear[k];
    const int size = g->wheel->size;
    slip_gear_frames_place(frames, to, m->state[g->at], centre_of(m, k), m->state + g->at + 1);
    for (int i = 0; i < g->flank_count; i++) {
        const slip_modal_flank *f = g->flanks[i];
        double *amplitude = room, *all = room + size, *scratch = all + size;
        if (f->flank < 0 || f->basis.count == 0)
            continue;
        slip_gear_modal_amplitudes(m, k, f, scratch, amplitude);
        if (f->basis.kept > 0)
            slip_gear_kept_amplitudes(&g->attachment.kept, f->flank, size, m->state + f->at, amplitude,
                                      scratch, all);
        slip_gear_frames_load(frames, to, f->flank, f->basis.kept > 0 ? all : amplitude);
    }
}
