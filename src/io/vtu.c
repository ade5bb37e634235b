#include "io/vtu.h"

#include "io/file.h"

#include <stdint.h>

/* Every array has a header in the XML part, with its offset in the appended part, and its bytes there behind
 * their number. Both passes go through the same function, once for each of these: */
typedef enum part { HEADERS, BYTES } part;

typedef struct writer {
    FILE *stream;
    part part;
    int64_t offset;
} writer;

static void write_words(const writer *w, const void *data, size_t size, int64_t count)
{
    fwrite(data, size, (size_t)count, w->stream);
}

/* Starts an array of `count` items of `size` bytes. True when its bytes are to be written now. */
static bool start_array(writer *w, const char *type, const char *name, int components, int64_t count,
                        size_t size)
{
    const uint64_t bytes = (uint64_t)count * size;
    if (w->part == HEADERS) {
        fprintf(w->stream, "<DataArray type=\"%s\" Name=\"", type);
        for (; *name; name++)
            switch (*name) {
            case '<':
                fputs("&lt;", w->stream);
                break;
            case '&':
                fputs("&amp;", w->stream);
                break;
            case '"':
                fputs("&quot;", w->stream);
                break;
            default:
                putc(*name, w->stream);
            }
        fprintf(w->stream, "\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%lld\"/>\n", components,
                (long long)w->offset);
        w->offset += (int64_t)(sizeof bytes + bytes);
        return false;
    }
    write_words(w, &bytes, sizeof bytes, 1);
    return true;
}

/* Numbers in groups of `from` components, written in groups of `to` >= from, filled up with zeros. */
static void write_numbers(writer *w, const char *name, const double *values, int64_t count, int from, int to)
{
    static const double zeros[3] = {0};
    if (!start_array(w, "Float64", name, to, count * to, sizeof(double)))
        return;
    for (int64_t i = 0; i < count; i++) {
        write_words(w, values + i * from, sizeof(double), from);
        write_words(w, zeros, sizeof(double), to - from);
    }
}

static void write_elements(writer *w, const slip_mesh *mesh)
{
    int64_t total = 0, end = 0;
    for (int g = 0; g < mesh->group_count; g++)
        total += (int64_t)mesh->groups[g].count * mesh->groups[g].cell->node_count;
    if (start_array(w, "Int32", "connectivity", 1, total, sizeof(int32_t)))
        for (int g = 0; g < mesh->group_count; g++)
            write_words(w, mesh->groups[g].nodes, sizeof(int32_t),
                        (int64_t)mesh->groups[g].count * mesh->groups[g].cell->node_count);
    if (start_array(w, "Int64", "offsets", 1, mesh->element_count, sizeof(int64_t)))
        for (int e = 0; e < mesh->element_count; e++) {
            end += slip_mesh_group_of(mesh, e)->cell->node_count;
            write_words(w, &end, sizeof end, 1);
        }
    if (start_array(w, "UInt8", "types", 1, mesh->element_count, 1))
        for (int e = 0; e < mesh->element_count; e++)
            putc(slip_mesh_group_of(mesh, e)->cell->vtk, w->stream);
}

static void write_fields(writer *w, const slip_vtu_piece *piece, bool on_elements)
{
    const int count = on_elements ? piece->mesh->element_count : piece->mesh->node_count;
    for (int i = 0; i < piece->field_count; i++) {
        const slip_vtu_field *field = &piece->fields[i];
        if (field->on_elements == on_elements)
            write_numbers(w, field->name, field->values, count, field->components,
                          field->components == 2 ? 3 : field->components);
    }
}

/* A word of the XML part; nothing among the bytes. */
static void tag(const writer *w, const char *text)
{
    if (w->part == HEADERS)
        fputs(text, w->stream);
}

static void write_piece(writer *w, const slip_vtu_piece *piece)
{
    const slip_mesh *mesh = piece->mesh;
    if (w->part == HEADERS)
        fprintf(w->stream, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", mesh->node_count,
                mesh->element_count);
    tag(w, "<Points>\n");
    write_numbers(w, "Points", mesh->points, mesh->node_count, mesh->dimension, 3);
    tag(w, "</Points>\n<Cells>\n");
    write_elements(w, mesh);
    tag(w, "</Cells>\n<PointData>\n");
    write_fields(w, piece, false);
    tag(w, "</PointData>\n<CellData>\n");
    write_fields(w, piece, true);
    tag(w, "</CellData>\n</Piece>\n");
}

int slip_vtu_write(slip_context *ctx, const char *path, const slip_vtu_piece *pieces, int piece_count)
{
    const uint16_t probe = 1;
    const bool little = *(const unsigned char *)&probe == 1;
    slip_file file;
    writer w = {0};
    SLIP_PASS(slip_file_create(ctx, path, &file));
    w.stream = file.stream;
    fprintf(w.stream,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
            "header_type=\"UInt64\">\n<UnstructuredGrid>\n",
            little ? "LittleEndian" : "BigEndian");
    for (int i = 0; i < piece_count; i++)
        write_piece(&w, &pieces[i]);
    fputs("</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_", w.stream);
    w.part = BYTES;
    for (int i = 0; i < piece_count; i++)
        write_piece(&w, &pieces[i]);
    fputs("\n</AppendedData>\n</VTKFile>\n", w.stream);
    return slip_file_commit(ctx, &file);
}

void slip_vtu_list_add(slip_text *list, double time, const char *file)
{
    slip_text_printf(list, "<DataSet timestep=\"%.9g\" file=\"%s\"/>\n", time, file);
}

int slip_vtu_list_write(slip_context *ctx, const slip_text *list, const char *path)
{
    slip_file file;
    SLIP_PASS(slip_allocated(ctx, !list->failed));
    SLIP_PASS(slip_file_create(ctx, path, &file));
    fprintf(file.stream,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n%s"
            "</Collection>\n</VTKFile>\n",
            list->data ? list->data : "");
    return slip_file_commit(ctx, &file);
}
