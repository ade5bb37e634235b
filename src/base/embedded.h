/* Files that are compiled into the library as texts (see cmake/embed.cmake). */
#ifndef SLIP_BASE_EMBEDDED_H
#define SLIP_BASE_EMBEDDED_H

#include <stddef.h>

typedef struct slip_embedded_file {
    const char *name; /* base name without ending; NULL ends the table */
    const char *text; /* ends with a zero byte */
    size_t size;      /* without that zero byte */
} slip_embedded_file;

/* Those of examples/. */
extern const slip_embedded_file slip_embedded_files[];

/* The engine of lanes (batch/engine.inc), its parts in their order: the text for a graphics card. */
extern const slip_embedded_file slip_engine_files[];

/* The engine of Dormand-Prince lanes (batch/steps/steps_kernel.inc), likewise. */
extern const slip_embedded_file slip_steps_files[];

/* Steps of explicit bricks (fem/explicit/card_kernel.inc) and what stands before them: the text for a
 * graphics card. */
extern const slip_embedded_file slip_bricks_files[];

#endif
