/* The file of a reduced body with edits (support.h): it is refused with a reason, or it is a body that can be
 * looked at, drawn and written, and comes back as it was. */
#include "support.h"

#include "flex/reduced.h"
#include "slipstick/gear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The smallest gear with everything in it: half a sector, attachment vectors and their coupling. */
static char *make_base(size_t *size)
{
    slip_context *ctx = slip_context_create();
    slip_gear_options gear = slip_gear_options_default();
    slip_reduce_options options = slip_reduce_options_default();
    slip_reduced *body = NULL;
    const char *path = fuzz_path("base.h5");
    gear.teeth = 10;
    gear.module = 0.005;
    gear.profile_shift = 0.5;
    gear.width = 0.02;
    gear.bore = 0.024;
    gear.modes = 3;
    gear.mesh = (slip_gear_mesh_options){2, 1, 2, 2, 1, 2};
    options.threads = 1;
    fuzz_require(slip_gear_reduce(ctx, &gear, &options, &body) == SLIP_OK &&
                     slip_reduced_save(ctx, body, path) == SLIP_OK,
                 "the sound body is made");
    slip_reduced_destroy(body);
    slip_context_destroy(ctx);
    return fuzz_read(path, size);
}

static void require_finite(const double *values, int64_t count, const char *what)
{
    for (int64_t i = 0; i < count; i++)
        fuzz_require(isfinite(values[i]), what);
}

static void check_surface(const slip_reduced *body, int index)
{
    const slip_reduced_surface s = slip_reduced_surface_at(body, index);
    const size_t size = 3 * (size_t)s.node_count;
    double *rows = malloc(sizeof *rows * (size * (size_t)slip_reduced_mode_count(body) + 1));
    double *matrix = malloc(sizeof *matrix * (size * size + 1));
    fuzz_require(rows && matrix, "memory");
    fuzz_require(s.name && s.name[0] && s.node_count > 0 && s.facet_count > 0,
                 "a surface has nodes and facets");
    fuzz_require((s.along == 0 && s.across == 0) || (int64_t)s.along * s.across == s.node_count,
                 "the grid of a surface has its nodes");
    for (int k = 0; k < 4 * s.facet_count; k++)
        fuzz_require(s.facets[k] >= 0 && s.facets[k] < s.node_count, "nodes of facets are there");
    require_finite(s.points, (int64_t)size, "points of a surface are finite");
    slip_reduced_rows(body, index, rows);
    if (s.attachment >= 0) {
        slip_reduced_flexibility(body, index, matrix);
        slip_reduced_flexibility_between(body, index, (index + 2) % slip_reduced_surface_count(body), matrix);
    }
    free(rows);
    free(matrix);
}

static void check_body(slip_context *ctx, const slip_reduced *body)
{
    const int modes = slip_reduced_mode_count(body);
    slip_mesh *mesh = NULL;
    double *shape = malloc(sizeof *shape * (3 * (size_t)slip_reduced_node_count(body) + 1));
    fuzz_require(shape != NULL, "memory");
    fuzz_require(slip_reduced_mass(body) > 0 && slip_reduced_moment(body) > 0,
                 "mass and moment are positive");
    require_finite(slip_reduced_coriolis(body), (int64_t)modes * modes, "coriolis is finite");
    for (int k = 0; k < modes; k++) {
        fuzz_require(slip_reduced_modes(body)[k].frequency > 0, "frequencies are positive");
        slip_reduced_shape(body, k, shape);
        require_finite(shape, 3 * (int64_t)slip_reduced_node_count(body), "shapes are finite");
    }
    for (int k = 0; k < slip_reduced_surface_count(body); k++)
        check_surface(body, k);
    for (int k = 0; k < slip_reduced_attachment_count(body); k++) {
        const slip_reduced_attachment rest = slip_reduced_attachment_at(body, k);
        require_finite(rest.flexibility, (int64_t)rest.size * rest.size, "residual flexibility is finite");
        require_finite(rest.frequency, rest.size, "residual frequencies are finite");
    }
    fuzz_require(slip_reduced_mesh(ctx, body, &mesh) == SLIP_OK, "the body has a mesh");
    for (int e = 0; e < mesh->element_count; e++)
        for (int a = 0; a < 8; a++)
            fuzz_require(slip_mesh_nodes(mesh, e)[a] >= 0 && slip_mesh_nodes(mesh, e)[a] < mesh->node_count,
                         "nodes of elements are there");
    slip_mesh_destroy(mesh);
    free(shape);
}

static void require_same(const void *a, const void *b, int64_t count, size_t size)
{
    fuzz_require(!a == !b && (!a || memcmp(a, b, (size_t)count * size) == 0),
                 "what is written is read as it was");
}

/* Written and read it is the same body. */
static void check_return(slip_context *ctx, const slip_reduced *body)
{
    const char *path = fuzz_path("again.h5");
    const int64_t nodes = body->shape_nodes, modes = body->mode_count;
    slip_reduced *again = NULL;
    fuzz_require(slip_reduced_save(ctx, body, path) == SLIP_OK, "a body is written");
    fuzz_require(slip_reduced_load(ctx, path, &again) == SLIP_OK, "what is written is read");
    require_same(body->settings, again->settings, (int64_t)strlen(body->settings) + 1, 1);
    require_same(body->modes, again->modes, modes, sizeof *body->modes);
    require_same(body->points, again->points, 3 * nodes, sizeof(double));
    require_same(body->elements, again->elements, 8 * (int64_t)body->element_count, sizeof(int));
    require_same(body->middle, again->middle, nodes, sizeof(bool));
    require_same(body->real, again->real, 3 * nodes * modes, sizeof(double));
    require_same(body->imaginary, again->imaginary, 3 * nodes * modes, sizeof(double));
    fuzz_require(body->side_count == again->side_count && body->attached_count == again->attached_count,
                 "as many surfaces and attachment vectors are read as were written");
    for (int k = 0; k < body->side_count; k++)
        require_same(body->sides[k].facets, again->sides[k].facets, 4 * (int64_t)body->sides[k].facet_count,
                     sizeof(int));
    for (int k = 0; k < body->attached_count; k++)
        require_same(body->attached[k].flexibility, again->attached[k].flexibility,
                     (int64_t)body->attached[k].size * body->attached[k].size, sizeof(double));
    slip_reduced_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *base;
    static size_t base_size;
    slip_context *ctx = slip_context_create();
    char *edits = fuzz_text(data, size);
    slip_reduced *body = NULL;
    const char *path = fuzz_path("body.h5");
    if (!base)
        base = make_base(&base_size);
    fuzz_edit_h5(base, base_size, edits, path);
    if (slip_reduced_load(ctx, path, &body) == SLIP_OK) {
        check_body(ctx, body);
        check_return(ctx, body);
    } else {
        fuzz_require(!body && strstr(slip_context_message(ctx), path), "an error names the file");
    }
    slip_reduced_destroy(body);
    slip_context_destroy(ctx);
    free(edits);
    return 0;
}
