/* Lanes and their words, and which engine moves them. */
#include "batch/steps/lanes.h"

#include "math/expression/tape.h"

#include <math.h>
#include <string.h>

#define FUNCTION static inline __attribute__((unused))
#include "batch/engine_bounce.inc"

#include "batch/steps/steps_record.inc"

int slip_steps_words(const slip_steps_tape *tape)
{
    return KEPT_WORDS(tape->n, tape->contacts, tape->gaps, tape->peaks);
}

void slip_steps_keep_new(const slip_batch_shape *shape, const slip_batch_lane *lane, slip_batch_word *record)
{
    memset(record, 0, (size_t)shape->record * sizeof *record);
    record[KEPT_SET].count = lane->set;
    record[KEPT_STATUS].count = lane->status;
    record[KEPT_TIME].number = lane->time;
    for (int i = 0; i < 2 * shape->n; i++)
        record[KEPT_STATE(shape->contacts) + i].number = lane->y[i];
}

void slip_steps_open(const slip_batch_shape *shape, const slip_batch_word *record, slip_batch_lane *lane)
{
    lane->set = (int)record[KEPT_SET].count;
    lane->status = (int)record[KEPT_STATUS].count;
    lane->returns = record[KEPT_RETURNS].count;
    lane->wanted = record[KEPT_WANTED].count;
    lane->events = record[KEPT_EVENTS].count;
    lane->signature = record[KEPT_SIGNATURE].hash;
    lane->time = record[KEPT_TIME].number;
    lane->opened = record[KEPT_OPENED].number;
    lane->fastest = record[KEPT_FASTEST].number;
    for (int c = 0; c < shape->contacts; c++)
        lane->mode[c] = (int)record[KEPT_FIRST + c].count;
    for (int i = 0; i < 2 * shape->n; i++)
        lane->y[i] = record[KEPT_STATE(shape->contacts) + i].number;
    for (int i = 0; i < 2 * shape->n && shape->peaks; i++)
        lane->largest[i] = record[shape->record - 2 * shape->n + i].number;
}

bool slip_steps_note_left(slip_batch_word *record)
{
    return record[KEPT_LEFT].count++ == 0;
}

static double no_number(double x)
{
    (void)x;
    return NAN;
}

slip_steps_function_of_one slip_steps_function(int op)
{
    switch ((slip_op)op) {
    case SLIP_OP_SQRT:
        return sqrt;
    case SLIP_OP_CBRT:
        return cbrt;
    case SLIP_OP_LOG:
        return log;
    case SLIP_OP_LOG10:
        return log10;
    case SLIP_OP_TAN:
        return tan;
    case SLIP_OP_ASIN:
        return asin;
    case SLIP_OP_ACOS:
        return acos;
    case SLIP_OP_ATAN:
        return atan;
    case SLIP_OP_SINH:
        return sinh;
    case SLIP_OP_COSH:
        return cosh;
    case SLIP_OP_ERF:
        return erf;
    default: /* the others switch, and are refused before (tape.c) */
        return no_number;
    }
}

/* ---- The engine for this processor. */

void slip_steps_run_plain(const slip_batch_work *work, const slip_steps_tape *tape, void *memory);
#ifdef __x86_64__
void slip_steps_run_fma(const slip_batch_work *work, const slip_steps_tape *tape, void *memory);
void slip_steps_run_avx2(const slip_batch_work *work, const slip_steps_tape *tape, void *memory);
void slip_steps_run_avx2_11(const slip_batch_work *work, const slip_steps_tape *tape, void *memory);
void slip_steps_run_avx512(const slip_batch_work *work, const slip_steps_tape *tape, void *memory);
void slip_steps_run_avx512_11(const slip_batch_work *work, const slip_steps_tape *tape, void *memory);
#endif

slip_steps_runner slip_steps_choose(const slip_steps_tape *tape, int lanes)
{
    const int widest = slip_batch_width(), width = lanes > 0 && lanes < widest ? lanes : widest;
    const bool smallest = tape->n == 1 && tape->contacts == 1;
#ifdef __x86_64__
    if (width >= 8)
        return smallest ? slip_steps_run_avx512_11 : slip_steps_run_avx512;
    if (width >= 4)
        return smallest ? slip_steps_run_avx2_11 : slip_steps_run_avx2;
    if (__builtin_cpu_supports("fma"))
        return slip_steps_run_fma;
#endif
    return (void)smallest, (void)width, slip_steps_run_plain;
}

size_t slip_steps_memory(const slip_steps_tape *tape)
{
    const int rows = 2 * tape->n * steps_state_arrays +
                     tape->contacts * (steps_contact_arrays + tape->contacts) + tape->first_result +
                     tape->operation_count;
    return (size_t)rows * steps_most_places * sizeof(double);
}
