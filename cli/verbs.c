/* The list of verbs: a new one is one file and one row here. */
#include "verb.h"

#include <string.h>

const cli_verb *const verbs[] = {
    &verb_new,    &verb_check,    &verb_run,     &verb_compare, &verb_statics,     &verb_continue,
    &verb_modes,  &verb_sweep,    &verb_basin,   &verb_merge,   &verb_bifurcation, &verb_orbit,
    &verb_branch, &verb_lyapunov, &verb_fit,     &verb_plot,    &verb_export,      &verb_report,
    &verb_fmu,    &verb_laws,     &verb_devices, &verb_patch,   &verb_gear,        &verb_reproduce,
    &verb_help,   &verb_version,  NULL};

const cli_verb *verb_find(const char *name)
{
    for (int i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}
