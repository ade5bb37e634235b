/* The sections `orbit`, which periodic motion is sought and from where, and `lyapunov`. */
#include "model/fields.h"

void slip_read_orbit(slip_reader *r)
{
    static const slip_fields *const tables[] = {&slip_fields_orbit, NULL};
    const slip_tree *section = slip_read_child(r->root, "orbit");
    if (section && slip_read_field_keys(r, section, "orbit", tables, NULL))
        slip_read_fields(r, section, &slip_fields_orbit, true, &r->model->orbit);
}

void slip_read_lyapunov(slip_reader *r)
{
    static const slip_fields *const tables[] = {&slip_fields_lyapunov, NULL};
    const slip_tree *section = slip_read_child(r->root, "lyapunov");
    slip_lyapunov_options *to = &r->model->lyapunov;
    double interval;
    if (!section || !slip_read_field_keys(r, section, "lyapunov", tables, NULL))
        return;
    if (slip_read_fields(r, section, &slip_fields_lyapunov, false, to) && to->interval &&
        slip_model_evaluate(r->ctx, r->model, "lyapunov.interval", to->interval, &interval) < 0) {
        slip_problem(r->problems, slip_read_child(section, "interval"), "%s", slip_context_message(r->ctx));
        slip_context_clear(r->ctx);
    }
}
