/* The text that a graphics card's compiler gets: numbers of the shape, then the engine. */
#include "batch/card.h"
#include "model/embedded.h"

int slip_card_text(slip_context *ctx, const slip_batch_shape *shape, slip_text *text)
{
    slip_text_printf(
        text,
        "#define LANES 1\n#define FUNCTION static __device__\n#define APART static __device__ "
        "__noinline__\n#define NQ %d\n#define NC %d\n#define NW "
        "%d\n#define NY (2 * NQ + 1 + 2 * NW + NC)\n#define ROOM_Q NQ\n#define ROOM_C NC\n#define "
        "ROOM_WAVES NW\n",
        shape->n, shape->contacts, shape->waves);
    for (const slip_embedded_file *file = slip_engine_files; file->name; file++)
        slip_text_printf(text, "%s", file->text);
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}
