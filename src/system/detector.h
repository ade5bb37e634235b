/* Detectors: during a motion a detector finds which points of bodies face each other, and computes the rows
 * of these contacts.
 *
 * A contact of a detector has a gap. Its rows, the constant of its gap and its partner are those of the
 * configuration of the last slip_system_detect, which every method calls once a step. All functions for gaps,
 * slips and directions read these rows until the next call. The rows stored in the contact itself are those
 * of the start; statics and eigenmodes about the start use them.
 *
 * A new detector is a file that defines its table of functions. */
#ifndef SLIP_SYSTEM_DETECTOR_H
#define SLIP_SYSTEM_DETECTOR_H

#include "system/system.h"

/* A contact row: n numbers, and entries in the unknowns of the field, at most `entries` of the detector. */
typedef struct slip_found_row {
    double *row;
    int count;
    int64_t *unknown;
    double *value;
} slip_found_row;

typedef struct slip_found_contact {
    bool near;              /* it has a partner; if not, it is open, and its rows have no meaning */
    double number;          /* gap = row . q + number */
    slip_found_row rows[3]; /* of the gap and of its slip velocities */
    slip_gap_form gap;      /* gap and slip velocities with these rows */
    slip_slip_form slips[3];
} slip_found_contact;

typedef struct slip_detector_type {
    const char *name;
    /* Creates the working memory of a search, one for each workspace; NULL: out of memory. */
    void *(*open)(const void *self);
    void (*close)(void *search);
    /* Sets near, number and rows of all its contacts at q (n, then the field). Rows are zero on entry. */
    void (*find)(const void *self, void *search, const double *q, slip_found_contact *found);
    void (*destroy)(void *self);
} slip_detector_type;

typedef struct slip_detector {
    const slip_detector_type *type;
    void *self;
    int first, count; /* its contacts */
    int slips;        /* number of slip velocities of each, 0 to 2 */
    int entries;      /* largest number of entries of a row in the field */
    /* Unknowns of the field that can occur in its rows. The array must outlive the system. */
    const int64_t *unknowns;
    int64_t unknown_count;
} slip_detector;

typedef struct slip_search {
    const slip_detector_type *type;
    void *memory;
} slip_search;

/* Adds a detector for the last `count` contacts of the system. The system becomes the owner of
 * detector->self, also when it fails. */
int slip_system_add_detector(slip_context *ctx, slip_system *system, const slip_detector *detector);
void slip_detectors_destroy(slip_system *system);

/* Creates the rows and searches in a workspace, with the rows of the start; false: out of memory. */
bool slip_detectors_open(const slip_system *system, slip_workspace *workspace);
void slip_detectors_close(slip_workspace *workspace);

/* Recomputes the rows of all contacts of detectors at q (n numbers, then the field). */
void slip_system_detect(const slip_system *system, slip_workspace *workspace, const double *q);

/* Gap and slip velocities of a contact, with the workspace's rows if it belongs to a detector. */
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

/* Whether a contact has a partner; always true for contacts without a detector. */
static inline bool slip_contact_near(const slip_system *system, const slip_workspace *workspace, int contact)
{
    const int found = system->contacts[contact].found;
    return found == 0 || workspace->found[found - 1].near;
}

#endif
