#include "help/methods.h"

#include "slipstick/run.h"

#include <stdio.h>

void list_methods(void)
{
    printf("Methods:\n");
    for (int i = 0; i < slip_method_count(); i++) {
        const slip_method_info *method = slip_method_at(i);
        printf("  %-20s %s%s\n", method->name, method->summary,
               method->fixed_step ? " (needs simulate.step)"
               : method->gears    ? " (`gears` only)"
                                  : "");
    }
}
