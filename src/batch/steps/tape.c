#include "batch/steps/tape.h"

#include "math/expression/freeze.h"
#include "math/expression/interval.h"
#include "math/expression/tape.h"
#include "system/structure/coupling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Writing the list. Operands are numbered as values only at the end, when it is known how many numbers
 * there are: until then numbers are first_number + k, results RESULT + k. */
enum { RESULT = 1 << 20, NOTHING = -1 };

typedef struct writer {
    slip_context *ctx;
    const slip_system *system;
    slip_steps_tape *tape;
    double *numbers;
    bool full, failed;         /* there is more than has room; out of memory */
    double bend[BATCH_MOST_Q]; /* bounds of the second rates of loads that are functions of time */
    char *reason;
    size_t size;
} writer;

static int refuse(writer *w, const char *why)
{
    snprintf(w->reason, w->size, "%s", why);
    return 1;
}

static int add_number(writer *w, double value)
{
    slip_steps_tape *tape = w->tape;
    if (tape->number_count == STEPS_MOST_NUMBERS) {
        w->full = true;
        return tape->first_number;
    }
    w->numbers[tape->number_count] = value;
    return tape->first_number + tape->number_count++;
}

static int add_operation(writer *w, int op, int a, int b, int c)
{
    slip_steps_tape *tape = w->tape;
    if (tape->operation_count == STEPS_MOST_OPERATIONS) {
        w->full = true;
        return RESULT;
    }
    tape->operations[tape->operation_count] = (slip_steps_operation){op, a, b, c};
    return RESULT + tape->operation_count++;
}

/* A sum in the making: pairs go to the list at once, so that one is finished before the next begins. */
static void begin_sum(const writer *w, slip_steps_operation *sum)
{
    *sum = (slip_steps_operation){STEPS_LINEAR, w->tape->pair_count, 0, NOTHING};
}

static void add_product(writer *w, slip_steps_operation *sum, double factor, int value)
{
    slip_steps_tape *tape = w->tape;
    if (factor == 0)
        return;
    if (tape->pair_count == STEPS_MOST_PAIRS) {
        w->full = true;
        return;
    }
    tape->pairs[2 * tape->pair_count] = add_number(w, factor);
    tape->pairs[2 * tape->pair_count++ + 1] = value;
    sum->b++;
}

static int end_sum(writer *w, slip_steps_operation sum, double constant)
{
    if (sum.b == 0 || constant != 0)
        sum.c = add_number(w, constant);
    return add_operation(w, sum.op, sum.a, sum.b, sum.c);
}

/* The operations of an expression whose slots hold these values. */
static int add_expression(writer *w, const slip_expression *expression, const int *slots)
{
    const slip_tape tape = slip_expression_tape(expression);
    const int leaves = tape.constant_count + tape.slot_count, count = leaves + tape.operation_count;
    int *value = slip_alloc(count, sizeof *value), last = RESULT;
    if (!value) {
        w->failed = true;
        return last;
    }
    for (int i = 0; i < tape.constant_count; i++)
        value[i] = add_number(w, tape.constants[i]);
    for (int i = 0; i < tape.slot_count; i++)
        value[tape.constant_count + i] = slots[tape.slots[i]];
    for (int i = 0; i < tape.operation_count; i++) {
        const slip_operation *o = &tape.operations[i];
        const int divisor = value[o->b] - w->tape->first_number;
        if (o->op == SLIP_OP_DIVIDE && divisor >= 0 && divisor < w->tape->number_count) { /* is a number */
            const int inverse = add_number(w, 1 / w->numbers[divisor]);
            value[leaves + i] = add_operation(w, SLIP_OP_MULTIPLY, value[o->a], inverse, inverse);
            continue;
        }
        value[leaves + i] = add_operation(w, (int)o->op, value[o->a], value[o->b],
                                          slip_op_counts(o->op) ? o->c : value[o->c]);
    }
    last = value[count - 1];
    free(value);
    return last;
}

static int add_of_state(writer *w, const slip_expression *expression)
{
    int slots[1 + 2 * BATCH_MOST_Q];
    for (int i = 0; i <= 2 * w->system->n; i++)
        slots[i] = i;
    return add_expression(w, expression, slots);
}

/* ---- What is taken. */

static bool reads_state(const writer *w, const slip_expression *expression)
{
    for (int slot = 1; slot <= 2 * w->system->n; slot++)
        if (slip_expression_reads(expression, slot))
            return true;
    return false;
}

/* The rate of an expression along the motion. */
static int rate_of(const writer *w, const slip_expression *expression, slip_expression **rate)
{
    const int n = w->system->n;
    int of[1 + 2 * BATCH_MOST_Q];
    of[slip_slot_time()] = SLIP_RATE_ONE;
    for (int i = 0; i < n; i++) {
        of[slip_slot_coordinate(i)] = slip_slot_velocity(n, i);
        of[slip_slot_velocity(n, i)] = SLIP_RATE_ZERO;
    }
    return slip_expression_rate(expression, of, 1 + 2 * n, rate);
}

/* A bound of the second rate of a function of time, whenever; infinite where none is known. */
static int bound_bend(const writer *w, const slip_expression *expression, double *bend)
{
    double slots[1 + 2 * BATCH_MOST_Q] = {0};
    SLIP_FREED_BY(slip_expression_drop) slip_expression *rate = NULL;
    slip_interval value, second;
    SLIP_FREED slip_interval *scratch = NULL;
    *bend = 0;
    if (slip_expression_is_constant(expression, NULL) || reads_state(w, expression))
        return SLIP_OK;
    SLIP_PASS(rate_of(w, expression, &rate));
    if (slip_expression_is_constant(rate, NULL))
        return SLIP_OK;
    scratch = slip_alloc(slip_expression_bounds_scratch(rate) + 1, sizeof *scratch);
    SLIP_PASS(scratch ? SLIP_OK : SLIP_ERROR_MEMORY);
    slip_expression_bounds(rate, slots, slip_slot_time(), (slip_interval){-1e200, 1e200}, scratch, &value,
                           &second);
    *bend = fmax(fabs(second.low), fabs(second.high));
    return SLIP_OK;
}

static bool switches(const slip_expression *expression)
{
    return expression && slip_expression_may_switch(expression);
}

/* x^n beyond zero is none for other n. */
static bool has_broken_power(const slip_law *law)
{
    return isfinite(law->exponent) && law->exponent != floor(law->exponent);
}

/* One state, of which force and rate are expressions. */
static bool is_plain_memory(const slip_contact *contact)
{
    const slip_law_type *type = contact->law.type;
    return contact->state_count == 1 && type->rate_expression && contact->law.law.exponent == 1;
}

typedef struct contact_reason {
    bool holds;
    const char *why;
} contact_reason;

/* Says the first one that holds; 0 where none does. */
static int refuse_for(writer *w, const slip_contact *contact, const contact_reason *reasons, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (reasons[k].holds) {
            snprintf(w->reason, w->size, "contact `%s` has %s", contact->name, reasons[k].why);
            return 1;
        }
    return 0;
}

static int refuse_gap(writer *w, const slip_contact *contact)
{
    const contact_reason reasons[] = {
        {contact->compliant, "a compliant gap"},
        {!contact->frictionless, "a gap with friction"},
        {!contact->gap.row, "a gap that is not linear in the coordinates"},
        {contact->gap.tail.count > 0, "a body behind it"},
        {switches(contact->gap.rest), "a gap that switches"},
    };
    return refuse_for(w, contact, reasons, sizeof reasons / sizeof *reasons);
}

static int refuse_friction(writer *w, const slip_contact *contact)
{
    const slip_law_type *type = contact->law.type;
    const contact_reason reasons[] = {
        {contact->dimension > 1, "slip in a plane"},
        {contact->state_count > 0 && !is_plain_memory(contact), "a law with memory"},
        {contact->varying_count > 0, "a law that varies"},
        {contact->creep.balance != NULL, "a coordinate without mass"},
        {!contact->slip.row, "a direction that turns"},
        {contact->slip.tail.count > 0, "a body behind it"},
        {!type->expression, "a law that is none for lanes"},
        {switches(contact->normal_force), "a normal force that switches"},
        {switches(contact->slip.rest), "a slip velocity that switches"},
        {!contact->normal_force && !(contact->normal_constant > 0), "no normal force"},
        {!(contact->law.law.mu > 0), "no friction"},
        {has_broken_power(&contact->law.law), "an exponent that is no integer"},
    };
    return refuse_for(w, contact, reasons, sizeof reasons / sizeof *reasons);
}

static int refuse_system(writer *w)
{
    const slip_system *system = w->system;
    if (system->n > BATCH_MOST_Q || system->contact_count > BATCH_MOST_C) {
        snprintf(w->reason, w->size, "%d coordinates and %lld contacts, at most %d and %d are taken",
                 system->n, (long long)system->contact_count, BATCH_MOST_Q, BATCH_MOST_C);
        return 1;
    }
    if (system->massless || system->field || system->kin || system->bodies)
        return refuse(w, "it has bodies, or coordinates without mass");
    if (system->varying_mass || system->energy)
        return refuse(w, "its structure is not linear");
    if (system->force_function)
        return refuse(w, "a force is a C function");
    for (int64_t k = 0; k < system->force_count; k++)
        if (switches(system->forces[k].expression))
            return refuse(w, "a force switches");
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        if ((contact->has_gap ? refuse_gap : refuse_friction)(w, contact))
            return 1;
    }
    return 0;
}

/* ---- Contacts. */

/* W . x for rows over all coordinates. */
static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* W, over the velocities or, of a gap, over the coordinates. */
static const double *row_of(const slip_contact *contact)
{
    return contact->has_gap ? contact->gap.row : contact->slip.row;
}

/* What slip velocity or gap have besides; NULL: a number. */
static const slip_expression *rest_of(const slip_contact *contact)
{
    return contact->has_gap ? contact->gap.rest : contact->slip.rest;
}

static void respond(const slip_system *system, const double *row, double *response)
{
    for (int i = 0; i < system->n; i++)
        response[i] = product(system->n, system->inverse_mass + i * system->n, row);
}

/* Slip velocities of all contacts and rates of gaps, which come first, with what gaps have besides W q. */
static int add_slips(writer *w)
{
    const int n = w->system->n;
    int status = SLIP_OK;
    for (int c = 0; c < w->tape->contacts && status >= 0; c++) {
        const slip_contact *contact = &w->system->contacts[c];
        slip_expression *rate = NULL;
        slip_steps_operation sum;
        int rest = NOTHING;
        if (contact->has_gap) {
            w->tape->rest[c] =
                contact->gap.rest ? add_of_state(w, contact->gap.rest) : add_number(w, contact->gap.constant);
            if (contact->gap.rest)
                status = rate_of(w, contact->gap.rest, &rate);
            if (rate)
                rest = add_of_state(w, rate);
        } else if (contact->slip.rest)
            rest = add_of_state(w, contact->slip.rest);
        begin_sum(w, &sum);
        for (int i = 0; i < n; i++)
            add_product(w, &sum, row_of(contact)[i], 1 + n + i);
        if (rest != NOTHING)
            add_product(w, &sum, 1, rest);
        w->tape->slip[c] = end_sum(w, sum, contact->has_gap ? 0 : contact->slip.constant);
        slip_expression_destroy(rate);
    }
    w->tape->slip_operations = w->tape->operation_count;
    return status;
}

/* What a text of a law says, for the side and the slip velocity of its contact and its state. */
static int add_law(writer *w, int c, const char *text, int *value)
{
    const slip_contact *contact = &w->system->contacts[c];
    const slip_law *law = &contact->law.law;
    const slip_symbol symbols[] = {{.name = "v", .slot = 0},
                                   {.name = "side", .slot = 1},
                                   {.name = "z", .slot = 2},
                                   {.name = "mu", .slot = -1, .value = law->mu},
                                   {.name = "static_ratio", .slot = -1, .value = law->static_ratio},
                                   {.name = "velocity", .slot = -1, .value = law->velocity},
                                   {.name = "exponent", .slot = -1, .value = law->exponent},
                                   {.name = "stiffness", .slot = -1, .value = law->stiffness},
                                   {.name = "epsilon", .slot = -1, .value = law->epsilon},
                                   {.name = "eta_prime", .slot = -1, .value = law->eta_prime},
                                   {.name = NULL}};
    const int slots[3] = {w->tape->slip[c], w->tape->side + c, 1 + w->system->n + contact->state};
    SLIP_FREED_BY(slip_expression_drop) slip_expression *expression = NULL;
    slip_expression_error error;
    const int status = slip_expression_compile(text, symbols, &expression, &error);
    if (status >= 0)
        *value = add_expression(w, expression, slots);
    return status;
}

/* The friction force of a contact that slips, and the rate of the state of its law. */
static int add_friction(writer *w, int c, int *force, int *rate)
{
    const slip_contact *contact = &w->system->contacts[c];
    const double normal = contact->normal_force ? 1 : contact->normal_constant;
    slip_steps_operation sum;
    int shape;
    *rate = NOTHING;
    SLIP_PASS(add_law(w, c, contact->law.type->expression, &shape));
    if (contact->state_count > 0)
        SLIP_PASS(add_law(w, c, contact->law.type->rate_expression, rate));
    begin_sum(w, &sum);
    add_product(w, &sum, -normal, shape);
    add_product(w, &sum, -normal * contact->law.law.viscous, w->tape->slip[c]);
    *force = end_sum(w, sum, 0);
    w->tape->normal[c] =
        contact->normal_force ? add_of_state(w, contact->normal_force) : add_number(w, normal);
    if (contact->normal_force)
        *force = add_operation(w, SLIP_OP_MULTIPLY, *force, w->tape->normal[c], *force);
    return SLIP_OK;
}

/* The rate of what the slip velocity has besides W v: of a gap, of the rate of its rest. */
static int slip_rate_of(const writer *w, const slip_contact *contact, slip_expression **rate)
{
    SLIP_FREED_BY(slip_expression_drop) slip_expression *first = NULL;
    if (contact->has_gap)
        SLIP_PASS(rate_of(w, contact->gap.rest, &first));
    return rate_of(w, first ? first : contact->slip.rest, rate);
}

static int add_contact(writer *w, int c, int *force, int *rate_of_state)
{
    const slip_system *system = w->system;
    const slip_contact *contact = &system->contacts[c];
    const int n = system->n;
    slip_steps_tape *tape = w->tape;
    SLIP_FREED_BY(slip_expression_drop) slip_expression *rate = NULL;
    double response[BATCH_MOST_Q];
    *force = *rate_of_state = NOTHING;
    tape->gap[c] = contact->has_gap;
    tape->gaps += contact->has_gap;
    if (contact->has_gap) {
        tape->normal[c] = add_number(w, 1);
        tape->restitution[c] = tape->number_count;
        add_number(w, contact->restitution);
    } else {
        SLIP_PASS(add_friction(w, c, force, rate_of_state));
        tape->smooth[c] = !contact->law.type->info.set_valued && contact->law.break_count == 0;
        tape->kinked[c] = !contact->law.type->info.set_valued && contact->law.break_count > 0;
    }
    tape->slip_rate[c] = NOTHING;
    if (rest_of(contact)) {
        SLIP_PASS(slip_rate_of(w, contact, &rate));
        tape->slip_rate[c] = add_of_state(w, rate);
    }
    respond(system, row_of(contact), response);
    tape->row[c] = tape->number_count;
    for (int i = 0; i < n; i++)
        add_number(w, row_of(contact)[i]);
    tape->response[c] = tape->number_count;
    for (int i = 0; i < n; i++)
        add_number(w, response[i]);
    tape->gram[c] = tape->number_count;
    for (int other = 0; other < tape->contacts; other++)
        add_number(w, product(n, row_of(&system->contacts[other]), response));
    tape->hold[c] = tape->number_count;
    add_number(w, contact->has_gap ? 0 : slip_law_hold(&contact->law));
    return SLIP_OK;
}

/* ---- Accelerations. */

/* A load as a value, of which `factor` is a multiple, and what is linear in the state as coefficients of q
 * and v; `constant` is the rest of it. */
typedef struct load {
    const slip_force_term *term;
    int value;
    double factor, constant;
} load;

static void add_load(writer *w, const slip_force_term *term, load *to)
{
    const slip_expression *expression = term->linear ? term->rest : term->expression;
    *to = (load){.term = term, .value = NOTHING, .factor = 1};
    if (term->form != SLIP_LOAD_EXPRESSION) {
        slip_steps_operation sum;
        begin_sum(w, &sum);
        add_product(w, &sum, term->frequency, slip_slot_time());
        const int angle = end_sum(w, sum, 0);
        to->factor = term->amplitude;
        to->value =
            add_operation(w, term->form == SLIP_LOAD_COSINE ? SLIP_OP_COS : SLIP_OP_SIN, angle, angle, angle);
    } else if (expression && !slip_expression_is_constant(expression, &to->constant)) {
        to->value = add_of_state(w, expression);
    }
}

static int note_bend(writer *w, const slip_force_term *term)
{
    const slip_expression *expression = term->linear ? term->rest : term->expression;
    double bend = 0;
    int status = SLIP_OK;
    if (term->form != SLIP_LOAD_EXPRESSION)
        bend = fabs(term->amplitude) * term->frequency * term->frequency;
    else if (expression)
        status = bound_bend(w, expression, &bend);
    for (int i = slip_force_first(term); i < slip_force_end(term, w->system->n); i++)
        w->bend[i] += fabs(slip_force_part(term, i)) * bend;
    return status;
}

static void add_accelerations(writer *w, const load *loads, const int *friction, const int *rates)
{
    const slip_system *system = w->system;
    const int n = system->n;
    slip_steps_tape *tape = w->tape;
    for (int i = 0; i < n; i++) {
        const double *inverse = system->inverse_mass + i * n, *structure = system->mass_structure + 2 * i * n;
        double of_state[2 * BATCH_MOST_Q], constant = 0;
        slip_steps_operation sum;
        for (int j = 0; j < 2 * n; j++)
            of_state[j] = -structure[j];
        begin_sum(w, &sum);
        for (int64_t k = 0; k < system->force_count; k++) {
            const slip_force_term *term = loads[k].term;
            double along = 0;
            for (int j = slip_force_first(term); j < slip_force_end(term, n); j++)
                along += inverse[j] * slip_force_part(term, j);
            constant += along * loads[k].constant;
            if (loads[k].value != NOTHING)
                add_product(w, &sum, along * loads[k].factor, loads[k].value);
            for (int j = 0; j < 2 * n && term->linear; j++)
                of_state[j] += along * term->linear[j];
        }
        for (int j = 0; j < 2 * n; j++)
            add_product(w, &sum, of_state[j], 1 + j);
        tape->smooth_pairs[i] = sum.b;
        for (int c = 0; c < tape->contacts; c++)
            add_product(w, &sum, friction[c] != NOTHING ? w->numbers[tape->response[c] + i] : 0, friction[c]);
        for (int c = 0; c < tape->contacts; c++)
            add_product(w, &sum, rates[c] != NOTHING && system->contacts[c].state == i, rates[c]);
        tape->acceleration[i] = end_sum(w, sum, constant);
    }
}

/* ---- Numbers of the engine. */

/* A time in which the structure does not do much; without one, of the period. */
static double time_scale(const slip_system *system, double period)
{
    const int n = system->n;
    double scale = INFINITY;
    for (int i = 0; i < n; i++) {
        double of_q = 0, of_v = 0;
        for (int j = 0; j < n; j++) {
            of_q += fabs(system->mass_structure[2 * i * n + j]);
            of_v += fabs(system->mass_structure[2 * i * n + n + j]);
        }
        scale = fmin(scale, fmin(1 / sqrt(of_q), 1 / of_v));
    }
    return isfinite(scale) ? scale : 0.01 * period;
}

/* How functions of time bend what holds a contact. False where no bound is known. */
static int find_bends(writer *w, double *bends)
{
    const slip_system *system = w->system;
    const int n = system->n;
    int status = SLIP_OK;
    for (int c = 0; c < w->tape->contacts; c++) {
        const slip_contact *contact = &system->contacts[c];
        const double *response = w->numbers + w->tape->response[c];
        double sum = 0, part;
        for (int i = 0; i < n; i++)
            sum += fabs(response[i]) * w->bend[i];
        if (rest_of(contact)) {
            slip_expression *rate = NULL;
            SLIP_PASS(slip_rate_of(w, contact, &rate));
            status = bound_bend(w, rate, &part);
            slip_expression_destroy(rate);
            SLIP_PASS(status);
            sum += part;
        }
        bends[c] = sum / w->numbers[w->tape->gram[c] + c];
        if (contact->normal_force) {
            SLIP_PASS(status = bound_bend(w, contact->normal_force, &part));
            bends[c] += slip_law_hold(&contact->law) * part;
        }
    }
    return status;
}

/* Whether something besides functions of time bends what holds a contact: of that no bound is known. */
static bool has_unbounded(const writer *w)
{
    const slip_system *system = w->system;
    for (int64_t k = 0; k < system->force_count; k++)
        if (!system->forces[k].linear && system->forces[k].form == SLIP_LOAD_EXPRESSION &&
            reads_state(w, system->forces[k].expression))
            return true;
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        if ((contact->normal_force && reads_state(w, contact->normal_force)) ||
            (contact->slip.rest && reads_state(w, contact->slip.rest)))
            return true;
    }
    return false;
}

static int fill_fixed(writer *w, double period, double tolerance)
{
    const slip_system *system = w->system;
    double *to = w->numbers + w->tape->number_count, *finest = to + STEPS_FIXED_NUMBERS,
           *usual = finest + system->n;
    to[STEPS_PERIOD] = period;
    to[STEPS_TOLERANCE] = tolerance;
    to[STEPS_TIME] = time_scale(system, period);
    to[STEPS_HELD] = has_unbounded(w) ? 0.01 * period : 1e300;
    for (int i = 0; i < system->n; i++) {
        finest[i] = INFINITY;
        for (int c = 0; c < w->tape->contacts; c++) {
            const slip_contact *contact = &system->contacts[c];
            if (contact->has_gap)
                continue;
            const double weight = fabs(contact->slip.row[i]), scale = slip_law_velocity_scale(&contact->law);
            if (weight > 0)
                finest[i] = fmin(finest[i], 1e-6 * scale / weight);
        }
    }
    for (int i = 0; i < system->n; i++)
        usual[i] = 0;
    for (int c = 0; c < w->tape->contacts; c++) {
        const slip_law_kernel *law = &system->contacts[c].law;
        if (system->contacts[c].state_count > 0 && law->type->state_size)
            usual[system->contacts[c].state] = law->type->state_size(law);
    }
    return find_bends(w, usual + system->n);
}

/* ---- All of it. */

static int final_value(const slip_steps_tape *tape, int value)
{
    return value >= RESULT ? tape->first_result + value - RESULT : value;
}

static void number_values(slip_steps_tape *tape)
{
    tape->first_result = tape->first_number + tape->number_count;
    for (int k = 0; k < tape->operation_count; k++) {
        slip_steps_operation *o = &tape->operations[k];
        if (o->op == STEPS_LINEAR)
            continue;
        o->a = final_value(tape, o->a);
        o->b = final_value(tape, o->b);
        if (!slip_op_counts((slip_op)o->op))
            o->c = final_value(tape, o->c);
    }
    for (int k = 0; k < 2 * tape->pair_count; k++)
        tape->pairs[k] = final_value(tape, tape->pairs[k]);
    for (int i = 0; i < tape->n; i++)
        tape->acceleration[i] = final_value(tape, tape->acceleration[i]);
    for (int c = 0; c < tape->contacts; c++) {
        tape->slip[c] = final_value(tape, tape->slip[c]);
        tape->slip_rate[c] = final_value(tape, tape->slip_rate[c]);
        tape->normal[c] = final_value(tape, tape->normal[c]);
        tape->rest[c] = final_value(tape, tape->rest[c]);
    }
}

/* 1 where it is refused. */
static int write_tape(writer *w, double period, double tolerance)
{
    const slip_system *system = w->system;
    slip_steps_tape *tape = w->tape;
    int friction[BATCH_MOST_C], rates[BATCH_MOST_C];
    SLIP_FREED load *loads = slip_alloc(system->force_count + 1, sizeof *loads);
    SLIP_PASS(loads ? SLIP_OK : SLIP_ERROR_MEMORY);
    SLIP_PASS(add_slips(w));
    for (int c = 0; c < tape->contacts; c++)
        SLIP_PASS(add_contact(w, c, &friction[c], &rates[c]));
    for (int64_t k = 0; k < system->force_count; k++) {
        add_load(w, &system->forces[k], &loads[k]);
        SLIP_PASS(note_bend(w, &system->forces[k]));
    }
    add_accelerations(w, loads, friction, rates);
    if (w->failed)
        return SLIP_ERROR_MEMORY;
    if (w->full)
        return refuse(w, "its expressions are too long");
    SLIP_PASS(fill_fixed(w, period, tolerance));
    for (int c = 0; c < tape->contacts; c++)
        if (!isfinite(w->numbers[tape->number_count + STEPS_FIXED_NUMBERS + 2 * tape->n + c]))
            return refuse(w, "no bound is known of how fast a function of time changes");
    number_values(tape);
    return SLIP_OK;
}

int slip_steps_describe(slip_context *ctx, const slip_system *system, double period, double tolerance,
                        bool peaks, slip_steps_tape **tape, double **numbers, char *reason, size_t size)
{
    const int64_t room = STEPS_MOST_NUMBERS + STEPS_FIXED_NUMBERS + 2 * BATCH_MOST_Q + BATCH_MOST_C;
    writer w = {.ctx = ctx, .system = system, .reason = reason, .size = size};
    int status = SLIP_OK;
    *tape = NULL;
    *numbers = NULL;
    if (refuse_system(&w))
        return SLIP_OK;
    w.tape = slip_alloc(1, sizeof *w.tape);
    w.numbers = slip_alloc(room, sizeof *w.numbers);
    if (w.tape && w.numbers) {
        w.tape->n = system->n;
        w.tape->moving = slip_system_coordinates(system);
        w.tape->contacts = (int)system->contact_count;
        w.tape->peaks = peaks;
        w.tape->side = 1 + 2 * system->n;
        w.tape->first_number = w.tape->side + w.tape->contacts;
        slip_system_find_parts(system, system->inverse_mass, system->mass_structure, w.tape->part);
        status = write_tape(&w, period, tolerance);
    } else
        status = SLIP_ERROR_MEMORY;
    if (status == SLIP_OK) {
        *tape = w.tape;
        *numbers = w.numbers;
        return SLIP_OK;
    }
    free(w.tape);
    free(w.numbers);
    return status == SLIP_ERROR_MEMORY ? slip_fail_memory(ctx) : status < 0 ? status : SLIP_OK;
}
