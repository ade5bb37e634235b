/* The variables of a model as an FMU shows them. A value reference is a place in this order:
 *
 *     the series of a run: t; x, x', x'' of each coordinate; slip, normal, force, mode of each contact; six
 *     of each patch; states; outputs
 *     der(z) of each state
 *     parameters
 *     event indicators
 *
 * The continuous states are the coordinates, their velocities, the states; x' is the derivative of x. */
#ifndef SLIP_FMI_LAYOUT_H
#define SLIP_FMI_LAYOUT_H

#include "model/model.h"

typedef struct slip_fmi_layout {
    const slip_model *model;
    int coordinates, contacts, patches, states, outputs, parameters;
    int first_contact, first_patch, first_state, first_output; /* among the series, */
    int first_rate, first_parameter, first_indicator;          /* and behind them */
    const char **names;                                        /* of the series */
} slip_fmi_layout;

/* Makes the layout of a model that is ready to run; names are in the arena. False when out of memory. */
bool slip_fmi_layout_make(const slip_model *model, slip_arena *arena, slip_fmi_layout *layout);

static inline int slip_fmi_state_count(const slip_fmi_layout *l)
{
    return 2 * l->coordinates + l->states;
}
/* Value references of continuous state k and of its derivative. */
static inline int slip_fmi_state(const slip_fmi_layout *l, int k)
{
    return k < l->coordinates       ? 1 + 3 * k
           : k < 2 * l->coordinates ? 2 + 3 * (k - l->coordinates)
                                    : l->first_state + k - 2 * l->coordinates;
}
static inline int slip_fmi_rate(const slip_fmi_layout *l, int k)
{
    return k < 2 * l->coordinates ? slip_fmi_state(l, k) + 1 : l->first_rate + k - 2 * l->coordinates;
}
/* The continuous state of this value reference, or -1. */
int slip_fmi_state_of(const slip_fmi_layout *layout, int reference);
static inline bool slip_fmi_is_mode(const slip_fmi_layout *l, int reference)
{
    return reference >= l->first_contact && reference < l->first_patch &&
           (reference - l->first_contact) % 4 == 3;
}

/* The instantiation token of this text of a model with this library: 40 characters with the zero. */
enum { slip_fmi_token_size = 40 };
void slip_fmi_token(const char *text, char token[slip_fmi_token_size]);

/* The file in resources/ that the model is read from. */
#define SLIP_FMI_MODEL "model.yaml"

#endif
