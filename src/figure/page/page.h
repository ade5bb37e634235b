/* The page that shows a result in a browser: one HTML file with everything in it. Its look and its scripts
 * are in report/. */
#ifndef SLIP_FIGURE_PAGE_H
#define SLIP_FIGURE_PAGE_H

#include "figure/figure.h"
#include "result/result.h"

/* The text of the page without a result; NULL if the program was built without the library that draws curves.
 */
extern const char *const slip_page_text;

typedef struct slip_page slip_page;

/* Creates a page with the series, tables and texts of a result, which must outlive the page. */
int slip_page_create(slip_context *ctx, slip_result *result, slip_page **page);
void slip_page_destroy(slip_page *page);
SLIP_OWNED(slip_page, slip_page_destroy)

/* A collector for slip_figures_collect that adds figures to the page. */
slip_figure_collector slip_page_figures(slip_page *page);

/* The deformed bodies in the VTU files of a folder: an animation for each list of files (.pvd), with at most
 * 48 frames, or, without lists, a picture for each file. */
int slip_page_add_frames(slip_context *ctx, slip_page *page, const char *folder);

/* Writes the file, whole or not at all. */
int slip_page_write(slip_context *ctx, const slip_page *page, const char *path);

#endif
