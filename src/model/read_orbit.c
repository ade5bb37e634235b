/* The `orbit` section: which periodic motion is sought, and from where. */
#include "model/fields.h"

void slip_read_orbit(slip_reader *r)
{
    static const slip_fields *const tables[] = {&slip_fields_orbit, NULL};
    const slip_tree *section = slip_read_child(r->root, "orbit");
    if (section && slip_read_field_keys(r, section, "orbit", tables, NULL))
        slip_read_fields(r, section, &slip_fields_orbit, true, &r->model->orbit);
}
