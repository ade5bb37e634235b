/* Studies by their names. */
#include "slipstick/study.h"

#include "base/text.h"
#include "model/study.h"

#include <string.h>

int slip_study_count(void)
{
    int count = 0;
    while (slip_studies[count])
        count++;
    return count;
}

const char *slip_study_name(int index)
{
    return index >= 0 && index < slip_study_count() ? slip_studies[index]->fields.section : NULL;
}

int slip_study_run(slip_context *ctx, const slip_model *model, const char *name, slip_result **result)
{
    enum { most = 32 };
    const char *names[most] = {NULL};
    SLIP_NEED_FOR(result, ctx, model, name);
    for (int k = 0; slip_studies[k] && k < most - 1; k++) {
        names[k] = slip_study_name(k);
        if (strcmp(names[k], name) == 0)
            return slip_studies[k]->run(ctx, model, result);
    }
    const char *nearest = slip_text_nearest(name, names);
    return slip_fail(ctx, SLIP_ERROR_USAGE, "there is no study `%.60s`, expected one such as `%s`", name,
                     nearest ? nearest : names[0]);
}
