/* The text that a graphics card's compiler gets: numbers of the shape, then the engine. */
#include "batch/card.h"
#include "model/embedded.h"

/* Tables that are kept, in all, and one that a thread has in its registers: measured on an H200. */
enum { table_numbers = 4096, table_in_registers = 128 };

int slip_card_text(slip_context *ctx, const slip_batch_shape *shape, slip_text *text)
{
    const int all = 1 << shape->contacts, room = table_numbers / shape->table,
              patterns = room < 1     ? 1
                         : all < room ? all
                                      : room;
    const bool small = shape->table <= table_in_registers;
    slip_text_printf(
        text,
        "#define LANES 1\n#define FUNCTION static __device__ __forceinline__\n#define APART static "
        "__device__ "
        "__noinline__\n#define NQ %d\n#define NC %d\n#define NW "
        "%d\n#define NY (2 * NQ + 1 + 2 * NW + NC)\n#define ROOM_Q NQ\n#define ROOM_C NC\n#define "
        "ROOM_WAVES NW\n#define TABLE %d\n#define PATTERNS %d\n#define BLOCKS %d\n%s",
        shape->n, shape->contacts, shape->waves, shape->table, patterns, small ? 4 : 2,
        !small                 ? ""
        : shape->contacts == 1 ? "#define UNROLL _Pragma(\"unroll\")\n#define ROOTS FUNCTION\n"
                               : "#define UNROLL _Pragma(\"unroll\")\n");
    for (const slip_embedded_file *file = slip_engine_files; file->name; file++)
        slip_text_printf(text, "%s", file->text);
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}
