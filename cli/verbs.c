/* The list of verbs: a new one is one file and one row here. */
#include "verb.h"

#include <string.h>

/* clang-format off */
#define VERBS(VERB) \
    VERB(new) VERB(check) VERB(run) VERB(compare) VERB(statics) VERB(continue) VERB(modes) VERB(sweep) VERB(basin) \
    VERB(merge) VERB(bifurcation) VERB(orbit) VERB(branch) VERB(lyapunov) VERB(fit) VERB(plot) VERB(export) \
    VERB(report) VERB(fmu) VERB(laws) VERB(devices) VERB(patch) VERB(gear) VERB(reproduce) VERB(help) VERB(version)
#define DECLARE(name) extern const cli_verb verb_##name;
#define ROW(name) &verb_##name,
VERBS(DECLARE)
const cli_verb *const verbs[] = {VERBS(ROW) NULL};
/* clang-format on */

const cli_verb *verb_find(const char *name)
{
    for (int i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}
