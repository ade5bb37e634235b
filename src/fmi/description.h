/* modelDescription.xml: the variables and abilities of an FMU (FMI 3.0, section 2.4). */
#ifndef SLIP_FMI_DESCRIPTION_H
#define SLIP_FMI_DESCRIPTION_H

#include "fmi/layout.h"

typedef struct slip_fmi_description {
    slip_fmi_layout layout;
    const char *identifier, *token;
    const double *start; /* of the continuous states */
    const bool *follows; /* for each continuous state: its start is computed and cannot be set */
    const bool *inputs;  /* for each parameter: it is an input */
    bool exchange;       /* the unit supports model exchange */
    int indicator_count;
    const char *const *indicators; /* names of the event indicators */
} slip_fmi_description;

/* Adds the document to the text. */
void slip_fmi_describe(const slip_fmi_description *description, slip_text *text);
/* terminalsAndIcons.xml: a terminal for each contact, with its variables. */
void slip_fmi_describe_terminals(const slip_fmi_description *description, slip_text *text);

#endif
