/* modelDescription.xml: what an FMU says of itself (FMI 3.0, section 2.4). */
#ifndef SLIP_FMI_DESCRIPTION_H
#define SLIP_FMI_DESCRIPTION_H

#include "fmi/layout.h"

typedef struct slip_fmi_description {
    slip_fmi_layout layout;
    const char *identifier, *token;
    const double *start; /* of the continuous states */
    const bool *follows; /* of each: its start follows from parameters, or is found; it cannot be given */
    const bool *inputs;  /* of each parameter: it is an input */
    bool exchange;       /* model exchange is there */
    int indicator_count;
    const char *const *indicators; /* their names */
} slip_fmi_description;

/* Adds the document to the text. */
void slip_fmi_describe(const slip_fmi_description *description, slip_text *text);
/* terminalsAndIcons.xml: a terminal of the numbers of each contact. */
void slip_fmi_describe_terminals(const slip_fmi_description *description, slip_text *text);

#endif
