/* The sections of studies: plain fields by their table, other keys by a function of the study. */
#include "model/study.h"

void slip_read_studies(slip_reader *r, bool of_gears)
{
    for (int k = 0; slip_studies[k]; k++) {
        const slip_study *study = slip_studies[k];
        const slip_fields *const tables[] = {&study->fields, NULL};
        const char *name = study->fields.section;
        const slip_tree *section = slip_read_child(r->root, name);
        if (!section || (of_gears && !study->of_gears) ||
            !slip_read_field_keys(r, section, name, tables, study->others))
            continue;
        slip_read_fields(r, section, &study->fields, false, r->model->studies[k]);
        if (study->read)
            study->read(r, section, r->model->studies[k]);
    }
}
