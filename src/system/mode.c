#include "slipstick/model.h"

const char *slip_mode_name(slip_mode mode)
{
    static const char *const names[] = {"open", "stick", "slip+", "slip-", "slip", "closed"};
    return (unsigned)mode < sizeof names / sizeof names[0] ? names[mode] : "?";
}
