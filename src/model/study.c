#include "model/study.h"

#define ROW(name) &slip_study_##name,
const slip_study *const slip_studies[] = {SLIP_STUDIES(ROW) NULL};
enum { study_count = sizeof slip_studies / sizeof *slip_studies - 1 };

bool slip_model_start_studies(slip_model *model)
{
    model->studies = slip_arena_array(&model->arena, study_count, sizeof *model->studies);
    for (int k = 0; model->studies && k < study_count; k++) {
        model->studies[k] = slip_arena_array(&model->arena, 1, slip_studies[k]->size);
        if (!model->studies[k])
            return false;
        slip_studies[k]->start(model->studies[k]);
    }
    return model->studies != NULL;
}

const void *slip_model_section(const slip_model *model, const slip_study *study)
{
    int k = 0;
    while (slip_studies[k] != study)
        k++;
    return model->studies[k];
}
