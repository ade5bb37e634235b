/* The text that a graphics card's compiler gets: numbers of the shape, then the engine. */
#include "base/embedded.h"
#include "batch/card.h"

/* Tables that are kept, in all, and one that a thread has in its registers; blocks that a multiprocessor has
 * room for, of the smallest shape and of others: measured on an H200. */
enum { table_numbers = 4096, table_in_registers = 192, blocks_of_smallest = 3, blocks_of_others = 2 };

int slip_batch_card_text(slip_context *ctx, const slip_batch_shape *shape, bool shared, slip_text *text)
{
    const int all = 1 << shape->contacts, room = table_numbers / shape->table;
    const bool smallest = shape->n == 1 && shape->contacts == 1;
    unsigned gaps = 0;
    for (int c = 0; c < shape->contacts; c++)
        gaps |= shape->has_gap[c] ? 1u << c : 0;
    slip_text_printf(text,
                     "#define LANES 1\n#define FUNCTION static __device__ __forceinline__\n"
                     "#define RARE static __device__ __noinline__\n#define ASIDE FUNCTION\n#define APART %s\n"
                     "#define NQ %d\n#define NC %d\n#define NW %d\n#define NY (2 * NQ + 1 + 2 * NW + NC)\n"
                     "#define ROOM_Q NQ\n#define ROOM_C NC\n#define ROOM_WAVES NW\n"
                     "#define GAP(contact) (%uu >> (contact) & 1)\n"
                     "#define PEAKS %d\n#define TABLE %d\n#define PATTERNS %d\n#define BLOCKS %d\n%s%s",
                     smallest ? "FUNCTION" : "RARE", shape->n, shape->contacts, shape->waves, gaps,
                     shape->peaks, shape->table, all < room ? all : room,
                     smallest ? blocks_of_smallest : blocks_of_others,
                     shape->table <= table_in_registers ? "#define UNROLL _Pragma(\"unroll\")\n" : "",
                     shared ? "#define SHARED_TABLES\n" : "");
    for (const slip_embedded_file *file = slip_engine_files; file->name; file++)
        slip_text_printf(text, "%s", file->text);
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}
