/* Abaqus and CalculiX input files: writing a mesh. */
#include "io/file.h"
#include "io/mesh/mesh.h"
#include "io/number.h"

#include <stdio.h>
#include <string.h>

enum { per_line = 16 }; /* numbers at most, as the format asks for */

/* Numbers from 1. */
static void write_items(FILE *stream, const slip_mesh_set *set)
{
    for (int i = 0; i < set->count; i++)
        fprintf(stream, "%d%s", set->items[i] + 1,
                i + 1 == set->count || i % per_line == per_line - 1 ? "\n" : ", ");
}

/* CalculiX reads the first 20 signs of a number: more digits do no harm, but an exponent must not be cut. */
static const char *write_place(char buffer[slip_number_size], double value)
{
    enum { field = 20 };
    slip_number_write_exact(buffer, value);
    if (strlen(buffer) > field && strchr(buffer, 'e'))
        slip_number_write_narrow(buffer, value);
    return buffer;
}

/* A name that every reader of the format takes: signs that would end it become underscores. */
static void write_name(FILE *stream, const char *name)
{
    for (; *name; name++)
        putc(strchr(", =\"*", *name) ? '_' : *name, stream);
}

static void write_set(FILE *stream, const slip_mesh_set *set)
{
    static const char *const keys[] = {[SLIP_SET_NODES] = "*NSET, NSET=",
                                       [SLIP_SET_ELEMENTS] = "*ELSET, ELSET=",
                                       [SLIP_SET_FACES] = "*SURFACE, TYPE=ELEMENT, NAME="};
    fputs(keys[set->kind], stream);
    write_name(stream, set->name);
    putc('\n', stream);
    if (set->kind == SLIP_SET_FACES) {
        for (int i = 0; i < set->count; i++)
            fprintf(stream, "%d, S%d\n", set->items[i] / slip_cell_faces_max + 1,
                    set->items[i] % slip_cell_faces_max + 1);
        return;
    }
    write_items(stream, set);
}

/* Asked now and then: true when the file is given up. */
static bool is_given_up(slip_context *ctx, int line, slip_file *file)
{
    if (line % 1024 != 0 || !slip_interrupted(ctx))
        return false;
    slip_file_discard(file);
    return true;
}

int slip_mesh_write_abaqus(slip_context *ctx, const slip_mesh *mesh, const char *path)
{
    char buffer[slip_number_size];
    slip_file file;
    SLIP_PASS(slip_file_create(ctx, path, &file));
    fprintf(file.stream, "** slipstick %s\n*NODE\n", slip_version());
    for (int i = 0; i < mesh->node_count; i++) {
        if (is_given_up(ctx, i, &file))
            return slip_fail(ctx, SLIP_INTERRUPTED, "interrupted");
        fprintf(file.stream, "%d", i + 1);
        for (int k = 0; k < mesh->dimension; k++)
            fprintf(file.stream, ", %s", write_place(buffer, mesh->points[(int64_t)i * mesh->dimension + k]));
        fputs("\n", file.stream);
    }
    for (int g = 0; g < mesh->group_count; g++) {
        const slip_mesh_group *group = &mesh->groups[g];
        const int *nodes = group->nodes;
        fprintf(file.stream, "*ELEMENT, TYPE=%s\n", group->cell->abaqus[0]);
        for (int e = 0; e < group->count; e++) {
            if (is_given_up(ctx, e, &file))
                return slip_fail(ctx, SLIP_INTERRUPTED, "interrupted");
            fprintf(file.stream, "%d", group->first + e + 1);
            for (int k = 0; k < group->cell->node_count; k++)
                fprintf(file.stream, k == per_line - 1 ? ",\n%d" : ", %d", *nodes++ + 1);
            fputs("\n", file.stream);
        }
    }
    for (int i = 0; i < mesh->set_count; i++)
        write_set(file.stream, &mesh->sets[i]);
    return slip_file_commit(ctx, &file);
}
