/* Inside of a page: what its files share. */
#ifndef SLIP_FIGURE_PAGE_TYPES_H
#define SLIP_FIGURE_PAGE_TYPES_H

#include "figure/page/page.h"
#include "io/json.h"

struct slip_page {
    slip_context *ctx;
    slip_result *result;
    slip_text tables, figures, frames; /* as JSON */
    slip_json_writer figure_list, frame_list;
    slip_text packs; /* elements with packed numbers */
    int pack_count;
    int64_t *kept; /* the records of the main table that the page has; NULL: all */
    int64_t kept_count;
};

/* Writes a title, a label or a unit as pictures print it: powers, Greek letters, minus signs; NULL: nothing.
 */
void slip_page_label(slip_json_writer *json, const char *key, const char *text);

/* Packs numbers into an element of its own and writes {pack, count, order, low, step} into the object at
 * hand. `step` as of slip_pack. */
int slip_page_pack(slip_page *page, slip_json_writer *json, const double *values, int64_t count, double step);

/* The same of numbers of which those of the kept records are wanted. */
int slip_page_pack_kept(slip_page *page, slip_json_writer *json, const double *values, int64_t count,
                        double step);

/* The distance of values that a page tells apart where there are too many for all bits: 2^-bits of their
 * range. */
double slip_page_step(const double *values, int64_t count, int bits);

#endif
