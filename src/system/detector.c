#include "system/detector.h"

#include <stdlib.h>
#include <string.h>

int slip_system_add_detector(slip_context *ctx, slip_system *system, const slip_detector *detector)
{
    if (!SLIP_ROOM(system->detectors, system->detector_capacity, system->detector_count + 1)) {
        detector->type->destroy(detector->self);
        return slip_fail_memory(ctx);
    }
    slip_detector *own = &system->detectors[system->detector_count++];
    *own = *detector;
    own->first = (int)system->contact_count - own->count;
    for (int i = 0; i < own->count; i++)
        system->contacts[own->first + i].found = ++system->found_count;
    return SLIP_OK;
}

void slip_detectors_destroy(slip_system *system)
{
    for (int k = 0; k < system->detector_count; k++)
        system->detectors[k].type->destroy(system->detectors[k].self);
    free(system->detectors);
}

/* ---- In a workspace. */

static bool take_row(slip_arena *arena, const slip_system *system, int entries, const double *row,
                     const slip_tail *tail, slip_found_row *to)
{
    *to = (slip_found_row){.row = slip_arena_array(arena, system->n, sizeof(double)),
                           .count = tail->count,
                           .unknown = slip_arena_array(arena, entries, sizeof(int64_t)),
                           .value = slip_arena_array(arena, entries, sizeof(double))};
    if (!to->row || !to->unknown || !to->value)
        return false;
    if (system->n > 0)
        memcpy(to->row, row, (size_t)system->n * sizeof(double));
    if (tail->count > 0) {
        memcpy(to->unknown, tail->unknown, (size_t)tail->count * sizeof(int64_t));
        memcpy(to->value, tail->value, (size_t)tail->count * sizeof(double));
    }
    return true;
}

/* Makes gap and slip forms from the rows that were found. */
static void make_forms(const slip_system *system, int slips, slip_found_contact *found)
{
    const slip_found_row *gap = &found->rows[0];
    found->gap.row = gap->row;
    found->gap.constant = found->number;
    found->gap.tail = (slip_tail){gap->count, gap->unknown, gap->value};
    for (int k = 0; k < slips; k++) {
        const slip_found_row *row = &found->rows[k + 1];
        slip_slip_form *form = &found->slips[k];
        form->row = row->row;
        form->tail = (slip_tail){row->count, row->unknown, row->value};
        form->support_count = 0;
        for (int i = 0; i < system->n; i++)
            if (row->row[i] != 0)
                form->support[form->support_count++] = i;
    }
}

static bool take_contact(const slip_system *system, slip_workspace *work, const slip_detector *own,
                         const slip_contact *contact, slip_found_contact *to)
{
    slip_arena *arena = &work->arena;
    bool complete = take_row(arena, system, own->entries, contact->gap.row, &contact->gap.tail, &to->rows[0]);
    to->near = true;
    to->number = contact->gap.constant;
    to->gap = contact->gap;
    memcpy(to->slips, contact->slips, sizeof to->slips);
    for (int k = 0; k < own->slips && complete; k++) {
        slip_slip_form *form = &to->slips[k];
        complete = take_row(arena, system, own->entries, form->row, &form->tail, &to->rows[k + 1]) &&
                   (form->support = slip_arena_array(arena, system->n, sizeof(int)));
    }
    if (complete)
        make_forms(system, own->slips, to);
    return complete;
}

bool slip_detectors_open(const slip_system *system, slip_workspace *work)
{
    const int count = system->detector_count;
    if (count == 0)
        return true;
    work->found = slip_arena_array(&work->arena, system->found_count, sizeof *work->found);
    work->searches = slip_arena_array(&work->arena, count, sizeof *work->searches);
    if (!work->found || !work->searches)
        return false;
    for (int k = 0; k < count; k++) {
        const slip_detector *own = &system->detectors[k];
        for (int c = own->first; c < own->first + own->count; c++) {
            const slip_contact *contact = &system->contacts[c];
            if (!take_contact(system, work, own, contact, &work->found[contact->found - 1]))
                return false;
        }
        work->searches[k].type = own->type;
        if (!(work->searches[k].memory = own->type->open(own->self)))
            return false;
        work->search_count++;
    }
    return true;
}

void slip_detectors_close(slip_workspace *work)
{
    for (int k = 0; k < work->search_count; k++)
        work->searches[k].type->close(work->searches[k].memory);
}

void slip_system_detect(const slip_system *system, slip_workspace *work, const double *q)
{
    for (int k = 0; k < system->detector_count; k++) {
        const slip_detector *own = &system->detectors[k];
        slip_found_contact *found = &work->found[system->contacts[own->first].found - 1];
        for (int i = 0; i < own->count; i++)
            for (int r = 0; r <= own->slips; r++) {
                memset(found[i].rows[r].row, 0, (size_t)system->n * sizeof(double));
                found[i].rows[r].count = 0;
            }
        own->type->find(own->self, work->searches[k].memory, q, found);
        for (int i = 0; i < own->count; i++)
            make_forms(system, own->slips, &found[i]);
    }
}
