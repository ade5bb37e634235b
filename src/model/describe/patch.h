/* Contacts of kind patch as text. */
#ifndef SLIP_MODEL_DESCRIBE_PATCH_H
#define SLIP_MODEL_DESCRIBE_PATCH_H

#include "model/model.h"

/* What was understood, lines after the first with `indent` before them. */
/* "spring of stiffness 100, exponent 1, damping 0": what presses on a contact of a whole body; ends the line.
 */
void slip_describe_spring(slip_text *text, const slip_contact *contact);

void slip_patch_describe_contact(slip_text *text, const slip_contact *contact,
                                 const slip_contact_text *written, const char *indent);

/* The expression of a parameter of a law that varies, or NULL (describe.c). */
const slip_expression *slip_describe_varying(const slip_contact *contact, const char *parameter);

#endif
