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
/* Words of a thread in the memory that a block shares, which is 48 KiB. */
enum { most_cold = 48 * 1024 / (slip_steps_card_threads * 8) };

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

/* What the text is made of. */
typedef struct writing {
    const slip_steps_tape *tape;
    const bool *varying;
    const double *numbers; /* of the first set */
    slip_text *text;
    bool running; /* results have names of their own */
} writing;

/* A number that all sets share: as it is, or where launches give it. */
static void append_shared_number(const writing *w, int number)
{
    if (isinf(w->numbers[number]))
        slip_text_printf(w->text, "%s1e300 * 1e300", w->numbers[number] < 0 ? "-" : "");
    else if (is_written_out(w->numbers[number]))
        slip_text_printf(w->text, "%.1f", w->numbers[number]);
    else {
        int at = 0;
        for (int k = 0; k < number; k++)
            at += !w->varying[k] && !is_written_out(w->numbers[k]);
        slip_text_printf(w->text, "steps_values[%d]", at);
    }
}

static void append_value(const writing *w, int value)
{
    const int number = value - w->tape->first_number;
    if (number >= 0 && number < w->tape->number_count && !w->varying[number])
        append_shared_number(w, number);
    else if (w->running && value >= w->tape->first_result)
        slip_text_printf(w->text, "r%d", value);
    else
        slip_text_printf(w->text, "x[%d][0]", value);
}

/* A text in which @ stands for values, one after the other. */
static void append_values(const writing *w, const char *form, const int *values)
{
    for (const char *c = form; *c; c++)
        if (*c == '@')
            append_value(w, *values++);
        else
            slip_text_printf(w->text, "%c", *c);
}

static void append_linear(const writing *w, const slip_steps_operation *o)
{
    const int *pair = w->tape->pairs + 2 * o->a;
    for (int j = o->b - 1; j >= 0; j--)
        append_values(w, "fma(@, @, ", pair + 2 * j);
    if (o->c >= 0)
        append_value(w, o->c);
    else
        slip_text_printf(w->text, "0.0");
    for (int j = 0; j < o->b; j++)
        slip_text_printf(w->text, ")");
}

/* Whether a result is seen outside of the list, itself or in the sizes of sums. */
static bool is_seen(const slip_steps_tape *tape, int value)
{
    bool seen = false;
    for (int k = 0; k < tape->operation_count; k++) {
        const slip_steps_operation *o = &tape->operations[k];
        for (int j = 0; j < o->b && o->op == STEPS_LINEAR; j++)
            seen |= tape->pairs[2 * (o->a + j) + 1] == value;
    }
    for (int i = 0; i < tape->n; i++)
        seen |= tape->acceleration[i] == value;
    for (int c = 0; c < tape->contacts; c++)
        seen |= tape->slip[c] == value || tape->slip_rate[c] == value || tape->normal[c] == value ||
                (tape->gap[c] && tape->rest[c] == value);
    return seen;
}

static void append_operation(const writing *w, int k)
{
    static const char *const forms[] = {
        [SLIP_OP_ADD] = "@ + @",
        [SLIP_OP_SUBTRACT] = "@ - @",
        [SLIP_OP_MULTIPLY] = "@ * @",
        [SLIP_OP_DIVIDE] = "@ / @",
        [SLIP_OP_NEGATE] = "-@",
        [SLIP_OP_MAXIMUM] = "@ < @ ? @ : @",
        [SLIP_OP_MINIMUM] = "@ < @ ? @ : @",
        [SLIP_OP_POWER] = "pow(@, @)",
        [SLIP_OP_HYPOT] = "hypot(@, @)",
        [SLIP_OP_ATAN2] = "atan2(@, @)",
        [SLIP_OP_SQRT] = "sqrt(@)",
        [SLIP_OP_CBRT] = "cbrt(@)",
        [SLIP_OP_EXP] = "one_exponential(@)",
        [SLIP_OP_LOG] = "log(@)",
        [SLIP_OP_LOG10] = "log10(@)",
        [SLIP_OP_SIN] = "any_sine(@)",
        [SLIP_OP_TAN] = "tan(@)",
        [SLIP_OP_COS] = "any_cosine(@)",
        [SLIP_OP_ASIN] = "asin(@)",
        [SLIP_OP_ACOS] = "acos(@)",
        [SLIP_OP_ATAN] = "atan(@)",
        [SLIP_OP_SINH] = "sinh(@)",
        [SLIP_OP_COSH] = "cosh(@)",
        [SLIP_OP_TANH] = "one_tanh(@)",
        [SLIP_OP_ERF] = "erf(@)",
    };
    const slip_steps_operation *o = &w->tape->operations[k];
    const int a = o->a, b = o->b;
    slip_text_printf(w->text, "    const double r%d = ", w->tape->first_result + k);
    if (o->op == STEPS_LINEAR)
        append_linear(w, o);
    else if (o->op == SLIP_OP_INTEGER_POWER) {
        append_values(w, "one_integer_power(@, ", &a);
        slip_text_printf(w->text, "%d)", o->c);
    } else if (o->op == SLIP_OP_MINIMUM)
        append_values(w, forms[o->op], (const int[]){b, a, b, a});
    else /* those that switch are refused before (tape.c) */
        append_values(w, forms[o->op], (const int[]){a, b, b, a});
    slip_text_printf(w->text, ";\n");
    if (is_seen(w->tape, w->tape->first_result + k))
        slip_text_printf(w->text, "    x[%d][0] = r%d;\n", w->tape->first_result + k,
                         w->tape->first_result + k);
}

/* Always from the first operation on: up to slip velocities, or all. */
static void append_run(writing *w)
{
    const slip_steps_tape *tape = w->tape;
    w->running = true;
    slip_text_printf(
        w->text,
        "FUNCTION void one_run(const slip_steps_tape *p, double (*x)[1], int from, int to_end)\n{\n");
    for (int k = 0; k < tape->operation_count; k++) {
        if (k == tape->slip_operations)
            slip_text_printf(w->text, "    if (to_end <= %d)\n        return;\n", k);
        append_operation(w, k);
    }
    w->running = false;
    slip_text_printf(w->text, "}\n");
}

/* The sizes of what adds up to a value that is a sum (steps_event.inc). */
static void append_sizes(const writing *w)
{
    const slip_steps_tape *tape = w->tape;
    slip_text_printf(w->text,
                     "FUNCTION double size_of_sum(const slip_steps_tape *p, double (*x)[1], int value, "
                     "int products)\n{\n    double sum = 0;\n");
    for (int k = 0; k < tape->operation_count; k++) {
        const slip_steps_operation *o = &tape->operations[k];
        if (o->op != STEPS_LINEAR)
            continue;
        slip_text_printf(w->text, "    if (value == %d) {\n", tape->first_result + k);
        if (o->c >= 0)
            append_values(w, "        sum = fabs(@);\n", &o->c);
        for (int j = 0; j < o->b; j++) {
            slip_text_printf(w->text, "        if (products > %d)\n", j);
            append_values(w, "            sum += fabs(@ * @);\n", tape->pairs + 2 * (o->a + j));
        }
        slip_text_printf(w->text, "    }\n");
    }
    slip_text_printf(w->text, "    return sum;\n}\n");
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

/* Numbers in the block of a lane: those that all sets share, and, without operations, those of contacts and
 * those that sets have for their own from another block. */
static void append_shared(const writing *w)
{
    const slip_steps_tape *tape = w->tape;
    slip_text_printf(w->text, "FUNCTION void take_shared(one_block *b)\n{\n");
    for (int k = 0; k < slip_steps_numbers(tape); k++)
        if (!w->varying[k] && append_place(tape, k, w->text)) {
            append_shared_number(w, k);
            slip_text_printf(w->text, ";\n");
        }
    slip_text_printf(w->text, "}\nFUNCTION void take_needed(const one_block *b, one_block *to)\n{\n");
    for (int k = 0; k < tape->number_count; k++) {
        bool needed = w->varying[k];
        for (int c = 0; c < tape->contacts; c++)
            needed |= (k >= tape->row[c] && k <= tape->hold[c]) ||
                      k + tape->first_number == tape->normal[c] ||
                      (tape->gap[c] && k == tape->restitution[c]);
        if (needed)
            slip_text_printf(w->text, "    to->x[%d][0] = b->x[%d][0];\n", tape->first_number + k,
                             tape->first_number + k);
    }
    slip_text_printf(w->text, "}\n");
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
    slip_text_printf(text, "%d;\n        }\n    } %s;\n", count > 0 ? list[count - 1] : 0, name);
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
                 {"kinked", c, tape->kinked},
                 {"gap", c, tape->gap},
                 {"rest", c, tape->rest},
                 {"restitution", c, tape->restitution}};
    slip_text_printf(text,
                     "struct slip_steps_tape {\n    enum { n = %d, moving = %d, contacts = %d, side = %d, "
                     "first_number = %d, first_result = %d, number_count = %d, operation_count = %d, "
                     "slip_operations = %d, gaps = STEPS_GAPS, peaks = STEPS_PEAKS };\n",
                     n, tape->moving, c, tape->side, tape->first_number, tape->first_result,
                     tape->number_count, tape->operation_count, tape->slip_operations);
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        append_list(lists[k].name, lists[k].count, lists[k].list, text);
    slip_text_printf(text,
                     "};\nFUNCTION void one_run(const slip_steps_tape *p, double (*x)[1], int from, int "
                     "to_end);\nFUNCTION double size_of_sum(const slip_steps_tape *p, double (*x)[1], int "
                     "value, int products);\n");
}

int slip_steps_state_words(const slip_steps_tape *tape)
{
    const int n = tape->n, c = tape->contacts > 0 ? tape->contacts : 1;
    return 28 + 8 * n + 5 * c + c * c + (tape->gaps > 0 ? 9 * c : 0) + (tape->peaks ? 2 * n : 0);
}

static bool is_smallest(const slip_steps_tape *tape)
{
    return tape->n == 1 && tape->contacts == 1;
}

int slip_steps_card_blocks(const slip_steps_tape *tape)
{
    return is_smallest(tape) ? 4 : 3;
}

int slip_steps_card_text(slip_context *ctx, const slip_steps_tape *tape, const bool *varying,
                         const double *numbers, const char *kernel, slip_text *text)
{
    writing w = {.tape = tape, .varying = varying, .numbers = numbers, .text = text};
    /* Of the smallest models a warp goes on to the end of most events; of others the text for that is too
     * long, and each part of it is a launch. */
    const bool smallest = is_smallest(tape);
    const bool small = 2 * tape->n + tape->contacts <= most_in_registers;
    const int cold = 6 + 5 * tape->n + 4 * tape->contacts;
    slip_text_printf(text,
                     SLIP_CARD_UNFUSED
                     "#define ON_CARD\n#define LANES 1\n#define FUNCTION static __device__ __forceinline__\n"
                     "#define APART static __device__ __noinline__\n#define NQ %d\n#define NC %d\n"
                     "#define ROOM_Q NQ\n#define ROOM_C %d\n#define ROOM_WAVES 0\n#define BLOCK "
                     "one_block\n#define VALUES %d\n#define STEPS_GAPS %d\n#define STEPS_PEAKS %d\n"
                     "#define STATE_WORDS %d\n#define STEPS_THREADS %d\n#define STEPS_BLOCKS %d\n"
                     "#define EVENT_BLOCKS %d\n#define EVENT_TOGETHER %d\n#define MOST_PASSES 20000\n%s",
                     tape->n, tape->contacts, tape->contacts > 0 ? tape->contacts : 1,
                     tape->first_result + tape->operation_count, tape->gaps, tape->peaks,
                     slip_steps_state_words(tape), slip_steps_card_threads, slip_steps_card_blocks(tape),
                     smallest ? 3 : 2, smallest ? 8 : 33,
                     small ? "#define UNROLL _Pragma(\"unroll\")\n" : "");
    slip_text_printf(text, "#define HAS_%s\n", kernel);
    if (cold <= most_cold)
        slip_text_printf(text, "#define COLD_WORDS %d\n", cold);
    slip_text_printf(text, "extern \"C\" {\n__constant__ double steps_values[%d];\n}\n",
                     slip_steps_shared(tape, varying, numbers, NULL) + 1);
    for (const slip_embedded_file *file = slip_steps_files; file->name; file++) {
        if (strcmp(file->name, "steps_one") == 0)
            append_tape(tape, text);
        if (strcmp(file->name, "steps_kernel") == 0) {
            append_run(&w);
            append_sizes(&w);
            append_shared(&w);
        }
        slip_text_printf(text, "%s", file->text);
    }
    return text->failed ? slip_fail_memory(ctx) : SLIP_OK;
}
