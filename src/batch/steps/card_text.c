/* The text that a graphics card's compiler gets for Dormand-Prince lanes: numbers of the model, the engine,
 * and between its parts the model's list of operations, one statement each. */
#include "batch/steps/card_text.h"
#include "base/embedded.h"
#include "card/card.h"
#include "math/expression/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of models up to this many numbers of state and contacts a thread has all in registers. */
enum { most_in_registers = 8 };

/* ---- Which numbers all sets share. */

bool *slip_steps_find_varying(const slip_steps_tape *tape, const double *numbers, int64_t sets)
{
    const int count = slip_steps_numbers(tape);
    bool *varying = slip_alloc(count, sizeof *varying);
    for (int64_t s = 1; varying && s < sets; s++)
        for (int k = 0; k < count; k++)
            varying[k] |= memcmp(&numbers[s * count + k], &numbers[k], sizeof *numbers) != 0;
    return varying;
}

/* Whether a number that all sets share stands in the text: then it is found without memory, and what it makes
 * needless goes. Others are given to each launch, so that another value needs no other program. */
static bool is_written_out(double number)
{
    return number == 0 || fabs(number) == 1 || isinf(number);
}

int slip_steps_shared(const slip_steps_tape *tape, const bool *varying, const double *numbers, double *shared)
{
    int count = 0;
    for (int k = 0; k < slip_steps_numbers(tape); k++)
        if (!varying[k] && !is_written_out(numbers[k])) {
            if (shared)
                shared[count] = numbers[k];
            count++;
        }
    return count;
}

/* ---- The list. */

static const char *function_of_one(int op)
{
    static const char *const names[] = {
        [SLIP_OP_SQRT] = "sqrt", [SLIP_OP_CBRT] = "cbrt",      [SLIP_OP_EXP] = "one_exponential",
        [SLIP_OP_LOG] = "log",   [SLIP_OP_LOG10] = "log10",    [SLIP_OP_SIN] = "any_sine",
        [SLIP_OP_TAN] = "tan",   [SLIP_OP_COS] = "any_cosine", [SLIP_OP_ASIN] = "asin",
        [SLIP_OP_ACOS] = "acos", [SLIP_OP_ATAN] = "atan",      [SLIP_OP_SINH] = "sinh",
        [SLIP_OP_COSH] = "cosh", [SLIP_OP_TANH] = "one_tanh",  [SLIP_OP_ERF] = "erf"};
    return op >= 0 && op < (int)(sizeof names / sizeof *names) ? names[op] : NULL;
}

static const char *function_of_two(int op)
{
    return op == SLIP_OP_POWER ? "pow" : op == SLIP_OP_HYPOT ? "hypot" : op == SLIP_OP_ATAN2 ? "atan2" : NULL;
}

static void append_linear(const slip_steps_tape *tape, const slip_steps_operation *o, slip_text *text)
{
    const int *pair = tape->pairs + 2 * o->a;
    for (int j = 0; j < o->b; j++)
        slip_text_printf(text, "fma(X(%d), X(%d), ", pair[2 * (o->b - 1 - j)], pair[2 * (o->b - 1 - j) + 1]);
    if (o->c >= 0)
        slip_text_printf(text, "X(%d)", o->c);
    else
        slip_text_printf(text, "0.0");
    for (int j = 0; j < o->b; j++)
        slip_text_printf(text, ")");
}

static void append_operation(const slip_steps_tape *tape, int k, slip_text *text)
{
    const slip_steps_operation *o = &tape->operations[k];
    const int a = o->a, b = o->b;
    slip_text_printf(text, "    X(%d) = ", tape->first_result + k);
    switch (o->op) {
    case STEPS_LINEAR:
        append_linear(tape, o, text);
        break;
    case SLIP_OP_ADD:
        slip_text_printf(text, "X(%d) + X(%d)", a, b);
        break;
    case SLIP_OP_SUBTRACT:
        slip_text_printf(text, "X(%d) - X(%d)", a, b);
        break;
    case SLIP_OP_MULTIPLY:
        slip_text_printf(text, "X(%d) * X(%d)", a, b);
        break;
    case SLIP_OP_DIVIDE:
        slip_text_printf(text, "X(%d) / X(%d)", a, b);
        break;
    case SLIP_OP_NEGATE:
        slip_text_printf(text, "-X(%d)", a);
        break;
    case SLIP_OP_INTEGER_POWER:
        slip_text_printf(text, "one_integer_power(X(%d), %d)", a, o->c);
        break;
    case SLIP_OP_MAXIMUM:
        slip_text_printf(text, "X(%d) < X(%d) ? X(%d) : X(%d)", a, b, b, a);
        break;
    case SLIP_OP_MINIMUM:
        slip_text_printf(text, "X(%d) < X(%d) ? X(%d) : X(%d)", b, a, b, a);
        break;
    default:
        if (function_of_two(o->op))
            slip_text_printf(text, "%s(X(%d), X(%d))", function_of_two(o->op), a, b);
        else /* those that switch are refused before (tape.c) */
            slip_text_printf(text, "%s(X(%d))", function_of_one(o->op), a);
        break;
    }
    slip_text_printf(text, ";\n");
}

/* Always from the first operation on: up to slip velocities, or all. */
static void append_run(const slip_steps_tape *tape, slip_text *text)
{
    slip_text_printf(
        text, "#define X(k) x[k][0]\n"
              "FUNCTION void one_run(const slip_steps_tape *p, double (*x)[1], int from, int to_end)\n{\n");
    for (int k = 0; k < tape->operation_count; k++) {
        if (k == tape->slip_operations)
            slip_text_printf(text, "    if (to_end <= %d)\n        return;\n", k);
        append_operation(tape, k, text);
    }
    slip_text_printf(text, "}\n");
}

/* ---- Numbers that all sets share. */

/* What a number of a set is in the block of a lane; false where the block has it not. */
static bool append_place(const slip_steps_tape *tape, int k, slip_text *text)
{
    const int fixed = k - tape->number_count, of_coordinate = fixed - STEPS_FIXED_NUMBERS,
              of_usual = of_coordinate - tape->n, of_contact = of_usual - tape->n;
    if (fixed < 0)
        slip_text_printf(text, "    b->x[%d][0] = ", tape->first_number + k);
    else if (fixed == STEPS_TOLERANCE)
        slip_text_printf(text, "    b->tolerance[0] = ");
    else if (of_coordinate < 0)
        return false;
    else if (of_usual < 0)
        slip_text_printf(text, "    b->finest[%d][0] = ", of_coordinate);
    else if (of_contact < 0)
        slip_text_printf(text, "    b->usual[%d][0] = ", of_usual);
    else
        slip_text_printf(text, "    b->bend[%d][0] = ", of_contact);
    return true;
}

static void append_shared(const slip_steps_tape *tape, const bool *varying, const double *numbers,
                          slip_text *text)
{
    int count = 0;
    slip_text_printf(text,
                     "typedef struct steps_shared {\n    double value[%d];\n} steps_shared;\n"
                     "FUNCTION void take_shared(one_block *b, const steps_shared *c)\n{\n",
                     slip_steps_shared(tape, varying, numbers, NULL) + 1);
    for (int k = 0; k < slip_steps_numbers(tape); k++) {
        const bool written = is_written_out(numbers[k]);
        if (varying[k])
            continue;
        if (append_place(tape, k, text)) {
            if (!written)
                slip_text_printf(text, "c->value[%d];\n", count);
            else if (isinf(numbers[k]))
                slip_text_printf(text, "%s1e300 * 1e300;\n", numbers[k] < 0 ? "-" : "");
            else
                slip_text_printf(text, "%.1f;\n", numbers[k]);
        }
        count += !written;
    }
    slip_text_printf(text, "}\n");
}

/* ---- Numbers of the model. */

/* A list whose entries are known when the program is compiled. */
static void append_list(const char *name, int count, const int *list, slip_text *text)
{
    slip_text_printf(text,
                     "    struct list_%s {\n        __device__ __forceinline__ int operator[](int i) const\n"
                     "        {\n            return ",
                     name);
    for (int i = 0; i + 1 < count; i++)
        slip_text_printf(text, "i == %d ? %d : ", i, list[i]);
    slip_text_printf(text, "%d;\n        }\n    } %s;\n", list[count - 1], name);
}

static void append_tape(const slip_steps_tape *tape, slip_text *text)
{
    const int n = tape->n, c = tape->contacts;
    const struct {
        const char *name;
        int count;
        const int *list;
    } lists[] = {{"acceleration", n, tape->acceleration},
                 {"smooth_pairs", n, tape->smooth_pairs},
                 {"part", n, tape->part},
                 {"slip", c, tape->slip},
                 {"slip_rate", c, tape->slip_rate},
                 {"normal", c, tape->normal},
                 {"row", c, tape->row},
                 {"response", c, tape->response},
                 {"gram", c, tape->gram},
                 {"hold", c, tape->hold},
                 {"smooth", c, tape->smooth},
                 {"kinked", c, tape->kinked}};
    slip_text_printf(text, "static __device__ const slip_steps_operation tape_operations[] = {");
    for (int k = 0; k < tape->operation_count; k++) {
        const slip_steps_operation *o = &tape->operations[k];
        slip_text_printf(text, "{%d, %d, %d, %d},", o->op, o->a, o->b, o->c);
    }
    slip_text_printf(text, "};\nstatic __device__ const int tape_pairs[] = {");
    for (int k = 0; k < 2 * tape->pair_count; k++)
        slip_text_printf(text, "%d,", tape->pairs[k]);
    slip_text_printf(
        text,
        "0};\nstruct slip_steps_tape {\n    enum { n = %d, moving = %d, contacts = %d, side = %d, "
        "first_number = %d, first_result = %d, number_count = %d, operation_count = %d, "
        "slip_operations = %d };\n"
        "    const slip_steps_operation *operations = tape_operations;\n"
        "    const int *pairs = tape_pairs;\n",
        n, tape->moving, c, tape->side, tape->first_number, tape->first_result, tape->number_count,
        tape->operation_count, tape->slip_operations);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        append_list(lists[k].name, lists[k].count, lists[k].list, text);
    slip_text_printf(text,
                     "};\nFUNCTION void one_run(const slip_steps_tape *p, double (*x)[1], int from, int "
                     "to_end);\n");
}

int slip_steps_state_words(const slip_steps_tape *tape)
{
    const int n = tape->n, c = tape->contacts;
    return 64 + 30 * n + 16 * c + 2 * c * c + tape->first_result + tape->operation_count;
}

int slip_steps_card_threads(const slip_steps_tape *tape)
{
    return tape->n == 1 && tape->contacts == 1 ? 384 : 256;
}

int slip_steps_card_text(slip_context *ctx, const slip_steps_tape *tape, const bool *varying,
                         const double *numbers, slip_text *text)
{
    const bool small = 2 * tape->n + tape->contacts <= most_in_registers;
    slip_text_printf(text,
                     SLIP_CARD_UNFUSED
                     "#define ON_CARD\n#define LANES 1\n#define FUNCTION static __device__ __forceinline__\n"
                     "#define APART static __device__ __noinline__\n#define NQ %d\n#define NC %d\n"
                     "#define ROOM_Q NQ\n#define ROOM_C NC\n#define ROOM_WAVES 0\n#define BLOCK "
                     "one_block\n#define VALUES %d\n"
                     "#define STATE_WORDS %d\n#define THREADS %d\n#define MOST_PASSES 20000\n%s",
                     tape->n, tape->contacts, tape->first_result + tape->operation_count,
                     slip_steps_state_words(tape), slip_steps_card_threads(tape),
                     small ? "#define UNROLL _Pragma(\"unroll\")\n" : "");
    for (const slip_embedded_file *file = slip_steps_files; file->name; file++) {
        if (strcmp(file->name, "steps_one") == 0)
            append_tape(tape, text);
        if (strcmp(file->name, "steps_kernel") == 0) {
            append_run(tape, text);
            append_shared(tape, varying, numbers, text);
        }
        slip_text_printf(text, "%s", file->text);
    }
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}
