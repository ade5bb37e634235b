/* The table of methods. */
#include "method/method.h"

#include "system/structure/structure.h"

#include <math.h>
#include <string.h>

/* A new method is one file and one entry here. */
/* clang-format off */
#define METHODS(METHOD) \
    METHOD(event) METHOD(smooth) METHOD(midpoint) METHOD(midpoint_stabilised) METHOD(moreau) METHOD(rk4) \
    METHOD(exponential) METHOD(explicit)
#define DECLARE(name) extern const slip_method_type slip_method_##name;
#define ROW(name) &slip_method_##name,
METHODS(DECLARE)
const slip_method_type *const slip_method_types[] = {METHODS(ROW) NULL};
/* clang-format on */

static const slip_method_type *find(const slip_method_type *const *list, const char *name)
{
    while (*list && strcmp((*list)->info.name, name) != 0)
        list++;
    return *list;
}

const slip_method_type *slip_method_find(const char *name)
{
    return find(slip_method_types, name);
}

const slip_method_type *slip_method_for(const slip_system *system, const char *name)
{
    const slip_structure *structure = system->structure;
    const slip_method_type *own = structure->instead ? find(structure->instead, name) : NULL;
    return own ? own : find(structure->methods ? structure->methods : slip_method_types, name);
}

int slip_method_count(void)
{
    int count = 0;
    while (slip_method_types[count])
        count++;
    return count;
}

const slip_method_info *slip_method_at(int index)
{
    return index >= 0 && index < slip_method_count() ? &slip_method_types[index]->info : NULL;
}

const slip_contact *slip_method_stiff_contact(const slip_system *system)
{
    for (int64_t c = 0; c < system->contact_count; c++)
        if (system->contacts[c].law.type->stiff)
            return &system->contacts[c];
    return NULL;
}

const char *slip_method_default(const slip_system *system)
{
    if (system->structure->methods)
        return system->structure->methods[0]->info.name;
    if (system->condensed)
        return slip_method_exponential.info.name;
    if (!slip_method_stiff_contact(system))
        return "event";
    for (int64_t c = 0; c < system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        if (slip_contact_chooses(contact))
            return "event";
    }
    return "smooth";
}

double slip_method_default_tolerance(const slip_system *system, const char *method, double steady_period,
                                     double steady_tolerance)
{
    const slip_method_type *type = slip_method_for(system, method);
    double part = 0.01;
    if (type && type->tolerance > 0)
        return type->tolerance;
    for (int64_t c = 0; c < system->contact_count; c++)
        if (system->contacts[c].state_count > 0)
            part = 1e-3;
    return isnan(steady_period) ? 1e-8 : fmax(fmin(1e-8, part * steady_tolerance), 1e-14);
}

SLIP_OPTIONS_FILL(slip_run_options, .start = NAN, .end = NAN, .tolerance = NAN, .step = NAN, .theta = NAN,
                  .record_every = NAN, .record_points = -1, .record_steps = -1, .record_from = NAN,
                  .record_events = -1, .steady_period = NAN, .steady_tolerance = NAN, .steady_within = -1)
