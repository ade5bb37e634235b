/* A graphics card, by CUDA's driver and NVRTC, which are loaded by name when they are asked for: nothing of
 * CUDA is needed to build. Texts of programs are compiled for the card that is there; compiled code is kept
 * in the user's cache folder by a hash of its text, chip and compiler. */
#ifndef SLIP_CARD_CARD_H
#define SLIP_CARD_CARD_H

#include "base/context.h"
#include "base/text.h"

typedef unsigned long long slip_card_address;

/* Functions of CUDA's driver, under its names; they return 0 on success. */
typedef struct slip_card_driver {
    int (*init)(unsigned flags);
    int (*device)(int *device, int ordinal);
    int (*name)(char *name, int size, int device);
    int (*attribute)(int *value, int which, int device);
    int (*memory)(size_t *bytes, int device);
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*current)(void *context);
    int (*load)(void **module, const void *image);
    int (*unload)(void *module);
    int (*function)(void **function, void *module, const char *name);
    int (*global)(slip_card_address *where, size_t *bytes, void *module, const char *name);
    int (*alloc)(slip_card_address *where, size_t bytes);
    int (*free)(slip_card_address where);
    int (*stream)(void **stream, unsigned flags);
    int (*end)(void *stream);
    int (*set)(slip_card_address where, unsigned char value, size_t bytes, void *stream);
    int (*there)(slip_card_address where, const void *from, size_t bytes, void *stream);
    int (*back)(void *to, slip_card_address where, size_t bytes, void *stream);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments,
                  void **extra);
    int (*wait)(void *stream);
    int (*allow)(void *function, int attribute, int value);
    int (*pinned)(void **memory, size_t bytes,
                  unsigned flags); /* memory of the host that the card reaches by the same address */
    int (*unpin)(void *memory);
    int (*event)(void **event, unsigned flags);
    int (*record)(void *event, void *stream);
    int (*reached)(void *event); /* waits for it */
    int (*forget)(void *event);
    int (*error)(int code, const char **text);
} slip_card_driver;

/* An open card; callers use the functions in `driver` for memory, copies and launches. */
typedef struct slip_card {
    slip_card_driver d;
    int processors;
    size_t memory;         /* bytes */
    char description[240]; /* such as "NVIDIA H200, 132 multiprocessors, 139 GiB, NVRTC 13.0" */
    /* Compiles programs (slip_card_programs) by NVRTC; the card of a test has a function of its own. */
    int (*programs)(slip_context *ctx, struct slip_card *card, const char *name, int count,
                    const slip_text *texts, void **modules);
    struct slip_card_insides *insides;
} slip_card;

/* Fails unless `device` is the name of a device, or NULL, auto or none; `who` begins the message. */
int slip_card_check_name(slip_context *ctx, const char *who, const char *device);

/* Opens the first card, for slip_card_close; fails with SLIP_ERROR_USAGE and says what is missing. */
int slip_card_open(slip_context *ctx, slip_card **card);
void slip_card_close(slip_card *card);

/* The compiled module of a text: already loaded, from the cache folder, or compiled now. It lives as long as
 * the card. `name`: the kind of program, for the file in the cache. A text that begins with the line
 * SLIP_CARD_UNFUSED is compiled as it is written: no product is fused with a sum, so that numbers have the
 * bits that the processor gives them. */
#define SLIP_CARD_UNFUSED "// unfused\n"
int slip_card_program(slip_context *ctx, slip_card *card, const char *name, const slip_text *text,
                      void **module);

/* The same for several texts, which are compiled in parallel where needed. */
enum { slip_card_most_programs = 4 };
int slip_card_programs(slip_context *ctx, slip_card *card, const char *name, int count,
                       const slip_text *texts, void **modules);

/* Fails with a message: what failed, and the driver's text for the error code. */
int slip_card_fail(slip_context *ctx, const slip_card *card, const char *what, int code);

#endif
