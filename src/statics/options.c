#include "base/context.h"
#include "slipstick/statics.h"

#include <math.h>

SLIP_OPTIONS_FILL(slip_statics_options, .restarts = 30)

SLIP_OPTIONS_FILL(slip_continue_options, .low = NAN, .high = NAN, .start = NAN, .spacing = NAN,
                  .restarts = -1, .also_low = NAN, .also_high = NAN)
