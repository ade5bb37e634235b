/* What statics makes of a model, as text for a person. */
#include "model/describe/describe.h"
#include "statics/equilibria.h"

#include <math.h>

static void describe(slip_text *text, const slip_balance *b)
{
    int64_t sets = 1;
    int driven = 0;
    for (int c = 0; c < b->contact_count; c++) {
        slip_mode modes[4];
        const int count = slip_balance_modes_of(b, c, modes);
        sets = sets > slip_equilibria_sets_max ? sets : sets * count;
        driven += b->contacts[c].driven;
    }
    if (sets > slip_equilibria_sets_max)
        slip_text_printf(text, "%d contacts, more than every set of modes can be tried of", b->contact_count);
    else
        slip_text_printf(text, "%lld set%s of modes", (long long)sets, sets == 1 ? "" : "s");
    slip_text_printf(text, "; with the modes given %s",
                     slip_balance_is_linear(b) ? "everything is linear"
                                               : "not everything is linear: Newton's method");
    if (driven > 0)
        slip_text_printf(text, "; %d contact%s driven: steady sliding", driven,
                         driven == 1 ? " is" : "s are");
    slip_text_append(text, "\n");
}

void slip_describe_statics(slip_text *text, const slip_model *model)
{
    const slip_system *system = model->system;
    const double t = isnan(model->simulate.start) ? 0 : model->simulate.start;
    SLIP_FREED double *reference = slip_alloc(system->n + 1, sizeof(double));
    slip_context *own = slip_context_create(); /* what is refused is told, not failed with */
    slip_balance *balance = NULL;
    for (int i = 0; i < system->n && reference; i++)
        reference[i] = i < slip_system_coordinates(system) ? model->initial_q[i] : model->initial_v[i];
    const int status =
        own && reference ? slip_balance_create(own, system, t, reference, &balance) : SLIP_ERROR_MEMORY;
    if (status == SLIP_ERROR_MEMORY)
        text->failed = true;
    else if (status < 0)
        slip_text_printf(text, "refused: %s\n", slip_context_message(own));
    else
        describe(text, balance);
    slip_balance_destroy(balance);
    slip_context_destroy(own);
}
