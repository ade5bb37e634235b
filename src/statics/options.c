#include "slipstick/statics.h"

#include <math.h>

slip_statics_options slip_statics_options_default(void)
{
    return (slip_statics_options){.restarts = 30};
}

slip_continue_options slip_continue_options_default(void)
{
    return (slip_continue_options){.low = NAN,
                                   .high = NAN,
                                   .start = NAN,
                                   .spacing = NAN,
                                   .restarts = -1,
                                   .also_low = NAN,
                                   .also_high = NAN};
}
