/* What the readers of bodies that move have in common: names of coordinates, and expressions at a place. */
#include "model/names.h"
#include "model/read/read.h"

#include <stdio.h>
#include <string.h>

bool slip_read_body_names(slip_reader *r, const char *body, int first, int count, const char **names)
{
    for (int i = 0; i < count; i++) {
        char name[slip_name_length_max + 20];
        snprintf(name, sizeof name, "%.60s_%d", body, i + 1);
        names[first + i] = slip_arena_string(&r->model->arena, name);
        if (!names[first + i]) {
            r->problems->memory = true;
            return false;
        }
        for (int k = 0; k < first; k++)
            if (strcmp(names[k], name) == 0)
                return slip_problem(r->problems, slip_read_child(r->root, "bodies"),
                                    "coordinate `%s` is one of body `%.60s`, and another one has this name",
                                    name, body);
    }
    return true;
}

int slip_read_compose(slip_reader *r, const char *expression, const double place[3], slip_expression **to)
{
    static const char *const names[] = {"x", "y", "z"};
    const slip_symbol *own = r->symbols + r->parameters;
    const int d = place ? slip_plane_dimension(r->model->bodies->plane) : 0;
    slip_expression_error error;
    int count = 0, status;
    while (own[count].name)
        count++;
    SLIP_FREED slip_symbol *symbols = slip_alloc(count + d + 2, sizeof *symbols);
    SLIP_PASS(slip_allocated(r->ctx, symbols));
    symbols[0] = (slip_symbol){"t", slip_slot_time(), 0, NULL, SLIP_RATE_ONE};
    for (int k = 0; k < d; k++)
        symbols[1 + k] = (slip_symbol){names[k], -1, place[k], NULL, 0};
    for (int i = 0; i < count; i++)
        symbols[1 + d + i] = own[i].table ? own[i] : (slip_symbol){own[i].name, -1, r->numbers[i], NULL, 0};
    status = slip_expression_compile(expression, symbols, to, &error);
    if (status == SLIP_ERROR_MODEL)
        status = slip_fail(r->ctx, status, "`%s`: %s", expression, error.message);
    else if (status == SLIP_ERROR_MEMORY)
        slip_fail_memory(r->ctx);
    return status;
}

int slip_read_compose_load(slip_reader *r, const slip_expression *history, const double place[3],
                           double factor, slip_expression **load)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    int status;
    if (!history) {
        status = slip_expression_constant(factor, load);
        return status == SLIP_ERROR_MEMORY ? slip_fail_memory(r->ctx) : status;
    }
    slip_text_printf(&text, "(%.17g)*(%s)", factor, slip_expression_text(history));
    return text.failed ? slip_fail_memory(r->ctx) : slip_read_compose(r, text.data, place, load);
}
