#include "model/names.h"

#include "base/text.h"
#include "math/expression/expression.h"
#include "model/study.h"

#include <string.h>

#define NAME(section) #section,
#define LISTED SLIP_GIVEN_STRUCTURES(NAME) SLIP_STUDIES(NAME)
const char *const slip_sections[] = {"slipstick", "title",   "parameters", "inputs",   "coordinates",
                                     "mass",      "damping", "stiffness",  "springs",  "forces",
                                     "states",    "bodies",  "gears",      "flanks",   "contacts",
                                     "outputs",   "units",   "simulate",   LISTED NULL};

const char *slip_name_problem(const char *name, bool reserved)
{
    const char *const *functions = slip_expression_functions();
    if (!slip_is_letter(name[0]))
        return "is no name: expected a letter, then letters, digits and underscores";
    for (const char *c = name; *c; c++)
        if (!slip_is_letter(*c) && !(*c >= '0' && *c <= '9'))
            return "is no name: expected only letters, digits and underscores";
    if (strnlen(name, slip_name_length_max + 1) > slip_name_length_max)
        return "is too long: expected at most 60 characters";
    if (!reserved)
        return NULL;
    if (strcmp(name, "t") == 0)
        return "is the time: expected another name";
    if (strcmp(name, "pi") == 0)
        return "is the number 3.14...: expected another name";
    return slip_text_find(functions, -1, name) >= 0 ? "is a function of expressions: expected another name"
                                                    : NULL;
}
