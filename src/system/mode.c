#include "slipstick/model.h"

const char *const slip_mode_names[] = {"open", "stick", "slip+", "slip-", "slip", "closed", NULL};

const char *slip_mode_name(slip_mode mode)
{
    return (unsigned)mode < sizeof slip_mode_names / sizeof slip_mode_names[0] - 1 ? slip_mode_names[mode]
                                                                                   : "?";
}
