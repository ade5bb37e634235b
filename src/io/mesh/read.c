/* Mesh files by the ending of their names. */
#include "io/file.h"
#include "io/mesh/mesh.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef struct format {
    const char *ending;
    int (*parse)(slip_context *ctx, const char *name, const char *text, size_t length, slip_mesh **mesh);
} format;

static const format formats[] = {{".msh", slip_mesh_parse_gmsh}, {".inp", slip_mesh_parse_abaqus}, {0}};

static const format *find_format(const char *path)
{
    const size_t length = strlen(path);
    for (const format *f = formats; f->ending; f++) {
        const size_t ending = strlen(f->ending);
        if (length > ending && strcasecmp(path + length - ending, f->ending) == 0)
            return f;
    }
    return NULL;
}

int slip_mesh_read(slip_context *ctx, const char *path, slip_mesh **mesh)
{
    const size_t limit = (size_t)4 << 30;
    const format *f = find_format(path);
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    struct stat info;
    *mesh = NULL;
    if (!f)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: expected a file of Gmsh (.msh) or of Abaqus or CalculiX (.inp)", path);
    if (stat(path, &info) != 0)
        return slip_fail_file(ctx, "cannot read", path, errno);
    if (!S_ISREG(info.st_mode))
        return slip_fail(ctx, SLIP_ERROR_IO, "cannot read %s: it is no ordinary file", path);
    SLIP_PASS(slip_file_read(ctx, path, limit, &text));
    return f->parse(ctx, path, text.data ? text.data : "", text.length, mesh);
}
