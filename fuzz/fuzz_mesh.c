/* Any bytes as a mesh file, of Gmsh where they start with a dollar sign, else of Abaqus: what is read must be
 * a sound mesh, whose sets can be used and which comes back when it is written. */
#include "support.h"

#include "fem/check.h"
#include "fem/edge.h"
#include "io/mesh/mesh.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_numbers(const slip_mesh *mesh)
{
    fuzz_require(mesh->dimension == 2 || mesh->dimension == 3, "a mesh is plane or in space");
    for (int e = 0; e < mesh->element_count; e++)
        for (int a = 0; a < slip_mesh_group_of(mesh, e)->cell->node_count; a++)
            fuzz_require(slip_mesh_nodes(mesh, e)[a] >= 0 && slip_mesh_nodes(mesh, e)[a] < mesh->node_count,
                         "nodes of elements are there");
    for (int i = 0; i < mesh->set_count; i++) {
        const slip_mesh_set *set = &mesh->sets[i];
        const int limit = set->kind == SLIP_SET_NODES      ? mesh->node_count
                          : set->kind == SLIP_SET_ELEMENTS ? mesh->element_count
                                                           : mesh->element_count * slip_cell_faces_max;
        fuzz_require(set->count > 0, "no set is empty");
        for (int k = 0; k < set->count; k++)
            fuzz_require(set->items[k] >= 0 && set->items[k] < limit, "items of sets are there");
    }
}

static void check_edges(slip_context *ctx, const slip_mesh *mesh, const bool *boundary)
{
    for (int i = 0; i < mesh->set_count; i++) {
        slip_edge edge;
        if (slip_edge_create(ctx, "mesh", mesh, boundary, mesh->sets[i].name, &edge) < 0)
            continue;
        fuzz_require(edge.node_count >= 2 && edge.chain_count >= 1, "an edge has nodes");
        slip_edge_free(&edge);
    }
}

/* Names of Gmsh may have signs that a line of Abaqus cannot have. */
static bool can_be_written(const slip_mesh *mesh)
{
    for (int i = 0; i < mesh->set_count; i++)
        if (strpbrk(mesh->sets[i].name, ",\n\r") || strlen(mesh->sets[i].name) > 100)
            return false;
    return true;
}

static void check_return(slip_context *ctx, const slip_mesh *mesh)
{
    const char *path = fuzz_path("again.inp");
    slip_mesh *again = NULL;
    fuzz_require(slip_mesh_write_abaqus(ctx, mesh, path) == SLIP_OK, "a mesh is written");
    fuzz_require(slip_mesh_read(ctx, path, &again) == SLIP_OK, "what is written is read");
    fuzz_require(again->node_count == mesh->node_count && again->element_count == mesh->element_count,
                 "as many nodes and elements are read as were written");
    slip_mesh_destroy(again);
}

static void check_mesh(slip_context *ctx, const slip_mesh *mesh)
{
    bool *boundary = NULL;
    check_numbers(mesh);
    if (can_be_written(mesh))
        check_return(ctx, mesh);
    if (slip_mesh_check(ctx, "mesh", mesh, &boundary) >= 0 && mesh->dimension == 2)
        check_edges(ctx, mesh, boundary);
    free(boundary);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    slip_context *ctx = slip_context_create();
    char *text = fuzz_text(data, size);
    slip_mesh *mesh = NULL;
    int status;
    fuzz_require(ctx != NULL, "memory");
    if (text[0] == '$')
        status = slip_mesh_parse_gmsh(ctx, "fuzz.msh", text, size, &mesh);
    else
        status = slip_mesh_parse_abaqus(ctx, "fuzz.inp", text, size, &mesh);
    fuzz_require((status >= 0) == (mesh != NULL), "a mesh or an error");
    fuzz_require(status >= 0 || slip_context_message(ctx)[0], "an error says something");
    if (mesh)
        check_mesh(ctx, mesh);
    slip_mesh_destroy(mesh);
    slip_context_destroy(ctx);
    free(text);
    return 0;
}
