/* Detectors: what finds, while bodies move, which of their points meet, and hands over the rows of contacts.
 *
 * A contact of a detector has a gap. Its rows, the number of its gap and what is in front of it are those of
 * the place where the workspace was put last (slip_system_detect): whoever moves the system puts it there,
 * once in a step, and everything that asks for gaps, slips and directions reads these rows until then. What
 * the contact itself has are the rows at the start: statics and small motions about the start take them.
 *
 * A new detector is a file that defines its table of functions. */
#ifndef SLIP_SYSTEM_DETECTOR_H
#define SLIP_SYSTEM_DETECTOR_H

#include "system/system.h"

/* A row that was found: n numbers, and entries among the unknowns of the field, with room for as many as the
 * detector says. */
typedef struct slip_found_row {
    double *row;
    int count;
    int64_t *unknown;
    double *value;
} slip_found_row;

typedef struct slip_found_contact {
    bool near;              /* there is something in front of it; else it is open, whatever its rows are */
    double number;          /* gap = row . q + number */
    slip_found_row rows[3]; /* of the gap and of its slip velocities */
    slip_gap_form gap;      /* what is made of them */
    slip_slip_form slips[3];
} slip_found_contact;

typedef struct slip_detector_type {
    const char *name;
    /* What a search writes, one for each workspace; NULL when out of memory. */
    void *(*open)(const void *self);
    void (*close)(void *search);
    /* Near, number and rows of all its contacts, at q with the field behind the n. Rows come zero. */
    void (*find)(const void *self, void *search, const double *q, slip_found_contact *found);
    void (*destroy)(void *self);
} slip_detector_type;

typedef struct slip_detector {
    const slip_detector_type *type;
    void *self;
    int first, count; /* its contacts */
    int slips;        /* how many slip velocities each has: 0 to 2 */
    int entries;      /* most that a row has in the field */
    /* Unknowns of the field that its rows can have; they outlive the system. */
    const int64_t *unknowns;
    int64_t unknown_count;
} slip_detector;

typedef struct slip_search {
    const slip_detector_type *type;
    void *memory;
} slip_search;

/* The last `count` contacts of the system are those of a detector. Takes over `self`, also when it fails. */
int slip_system_add_detector(slip_context *ctx, slip_system *system, const slip_detector *detector);
void slip_detectors_destroy(slip_system *system);

/* Of a workspace: its rows are those of the start. */
bool slip_detectors_open(const slip_system *system, slip_workspace *workspace);
void slip_detectors_close(slip_workspace *workspace);

/* Puts the rows of all contacts of detectors at q, with the field behind the n. */
void slip_system_detect(const slip_system *system, slip_workspace *workspace, const double *q);

/* Gap and slip velocities of a contact where the workspace is. */
static inline const slip_gap_form *slip_contact_gap(const slip_system *system,
                                                    const slip_workspace *workspace, int contact)
{
    const slip_contact *of = &system->contacts[contact];
    return of->found ? &workspace->found[of->found - 1].gap : &of->gap;
}
static inline const slip_slip_form *slip_contact_slips(const slip_system *system,
                                                       const slip_workspace *workspace, int contact)
{
    const slip_contact *of = &system->contacts[contact];
    return of->found ? workspace->found[of->found - 1].slips : of->slips;
}

/* Whether a contact has something in front of it where the workspace is. */
static inline bool slip_contact_near(const slip_system *system, const slip_workspace *workspace, int contact)
{
    const int found = system->contacts[contact].found;
    return found == 0 || workspace->found[found - 1].near;
}

#endif
