/* Pictures by gnuplot: script and data are written and run in a hidden folder; everything gets its name when
 * all is there. */
#ifndef SLIP_FIGURE_DRAWING_H
#define SLIP_FIGURE_DRAWING_H

#include "base/context.h"
#include "base/text.h"

#include <stdbool.h>

typedef struct slip_drawing {
    const char *folder;          /* made when it is not there */
    const char *base;            /* of BASE.gp and BASE.dat */
    const char *const *pictures; /* names; the script makes NAME.png and NAME.svg of each */
    int picture_count;
    /* Writes BASE.gp and BASE.dat into the folder. */
    int (*write)(slip_context *ctx, const void *source, const char *folder, const char *base);
    const void *source;
    void (*written)(void *user, const char *path); /* called with the path of each picture; may be NULL */
    void *user;
    bool frames; /* of an animation: no .svg, and script and data are not kept where all went well */
} slip_drawing;

/* All pictures are new or, after a failure, none is. Script and data are kept also where gnuplot is missing.
 */
int slip_drawing_make(slip_context *ctx, const slip_drawing *what);

/* Writes FOLDER/BASE.ENDING (the ending with its dot). */
int slip_drawing_write(slip_context *ctx, const char *folder, const char *base, const char *ending,
                       const slip_text *text);

#endif
