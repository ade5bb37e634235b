/* The settings of a run of two gears as text, a line each, by their names in model files: what a checkpoint
 * keeps to say whether it is of the same run, and what differs. */
#ifndef SLIP_GEAR_GEAR_SETTINGS_H
#define SLIP_GEAR_GEAR_SETTINGS_H

#include "base/text.h"
#include "slipstick/gear_run.h"

void slip_gear_settings_write(const slip_gear_options gears[2], const slip_gear_run_options *options,
                              slip_text *text);

typedef struct slip_gear_setting_pair {
    char found[120], expected[120]; /* the lines; "nothing" where one text has ended */
} slip_gear_setting_pair;

/* The first line that differs; false where none does. */
bool slip_gear_settings_differ(const char *found, const char *expected, slip_gear_setting_pair *pair);

#endif
