/* The object behind slip_page, for the files of this folder only. */
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
    int64_t *kept; /* indices of the records of the main table on the page; NULL: all */
    int64_t kept_count;
};

/* Writes a title, a label or a unit in its printed form (powers, Greek letters, minus signs); NULL: nothing.
 */
void slip_page_label(slip_json_writer *json, const char *key, const char *text);

/* Packs numbers into a separate HTML element and writes {pack, count, order, low, step} into the present JSON
 * object. step: as in slip_pack. */
int slip_page_pack(slip_page *page, slip_json_writer *json, const double *values, int64_t count, double step);

/* The same for the kept records only. */
int slip_page_pack_kept(slip_page *page, slip_json_writer *json, const double *values, int64_t count,
                        double step);

/* The resolution of values that are not stored with all bits: 2^-bits of their range. */
double slip_page_step(const double *values, int64_t count, int bits);

#endif
