/* The reduction of a gear: its mesh, or a file's, to a reduced body.
 *
 * A gear that is made here is cyclic, and a tooth is its own mirror image. So the attachment vectors of one
 * flank serves all: the left one is the right one with y turned round (see slip_reduced_surface.mirrored).
 * That holds for attachment vectors since no pair of equal modes is split. */
#include "gear/body/gear_reduce.h"

#include "gear/geometry/gear_mesh.h"

#include "flex/reduced.h"
#include "io/file.h"
#include "io/vtu.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

slip_reduce_options slip_reduce_options_default(void)
{
    return (slip_reduce_options){.attachment = 1, .symmetry = 1, .tolerance = 1e-10};
}

static int read_element(slip_context *ctx, const slip_gear_options *gear, slip_solid_options *solid)
{
    bool full = strcmp(gear->element, "full") == 0;
    if (!full && strcmp(gear->element, "incompatible") != 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: found element %s, expected incompatible or full",
                         gear->name, gear->element);
    *solid = (slip_solid_options){gear->young, gear->poisson, gear->density, full, false};
    return SLIP_OK;
}

static int check_options(slip_context *ctx, const slip_gear_options *gear)
{
    const double values[2] = {gear->young, gear->density};
    static const char *const names[2] = {"young", "density"};
    for (int k = 0; k < 2; k++)
        if (!(values[k] >= 1e-20 && values[k] <= 1e20))
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: found %s %g, expected a number from 1e-20 to 1e20",
                             gear->name, names[k], values[k]);
    if (!(gear->poisson > -1 && gear->poisson < 0.5))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: found poisson %g, expected more than -1 and less than 0.5", gear->name,
                         gear->poisson);
    if (gear->modes < 1)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: found %d modes, expected at least 1", gear->name,
                         gear->modes);
    return SLIP_OK;
}

/* ---- Cyclic gears. */

typedef struct slip_gear_job {
    slip_gear_mesh *gear;
    slip_gear_sector *part;
    slip_sector *sector;
    slip_cyclic *cyclic;
    int along, across, high; /* nodes of a flank; layers of nodes that the sector has */
} slip_gear_job;

static void free_job(slip_gear_job *j)
{
    slip_cyclic_destroy(j->cyclic);
    slip_sector_destroy(j->sector);
    slip_gear_sector_destroy(j->part);
    slip_gear_mesh_destroy(j->gear);
}

/* The sector's node at a place of the flank, and whether its image is meant. */
static int flank_node(const slip_gear_job *j, bool left, int k, int layer, bool *image)
{
    const slip_section *s = j->gear->section;
    int own = slip_section_tooth(s, slip_section_flank_row(s, k), left ? s->counts.thickness : 0);
    *image = layer >= j->high;
    return own * j->high + (*image ? j->across - 1 - layer : layer);
}

static int take_flank(slip_context *ctx, slip_reduced *b, const slip_gear_job *j, bool left,
                      slip_reduced_side *p)
{
    const slip_mesh_set *set =
        slip_mesh_find(j->gear->mesh, left ? "tooth1_left" : "tooth1_right", SLIP_SET_NODES);
    *p = (slip_reduced_side){.name = slip_arena_string(&b->arena, left ? "left" : "right"),
                             .node_count = j->along * j->across,
                             .facet_count = (j->along - 1) * (j->across - 1),
                             .along = j->along,
                             .across = j->across,
                             .mirrored = left};
    SLIP_PASS(p->name ? slip_reduced_allocate_side(ctx, b, p) : slip_fail_memory(ctx));
    for (int i = 0; i < p->node_count; i++) {
        bool image;
        int node = flank_node(j, left, i % j->along, i / j->along, &image);
        p->nodes[i] = node + (image ? b->shape_nodes : 0);
        memcpy(p->points + 3 * i, j->gear->mesh->points + 3 * (size_t)set->items[i], 3 * sizeof(double));
    }
    int *facet = p->facets;
    for (int layer = 0; layer + 1 < j->across; layer++)
        for (int k = 0; k + 1 < j->along; k++, facet += 4) {
            int at = layer * j->along + k;
            facet[0] = at;
            facet[left ? 3 : 1] = at + 1;
            facet[2] = at + 1 + j->along;
            facet[left ? 1 : 3] = at + j->along;
        }
    return SLIP_OK;
}

/* The attachment vector in the whole body of a load across the middle of the right flank of tooth 1. */
static int take_attachment(slip_context *ctx, slip_reduced *b, const slip_gear_job *j, int middle)
{
    int count = slip_reduced_node_count(b), at = 0;
    SLIP_FREED double *rows = slip_alloc(3 * (int64_t)b->sides[0].node_count * b->mode_count, sizeof *rows);
    SLIP_FREED double *shape = slip_alloc(3 * (int64_t)count, sizeof *shape);
    b->attachment = slip_arena_array(&b->arena, 3 * (int64_t)count, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, rows && shape && b->attachment));
    for (int p = 0; p < b->sectors; p++)
        for (int image = 0; image <= b->halved; image++)
            for (int i = 0; i < b->shape_nodes; i++) {
                double v[3], turn = 2 * pi * p / b->sectors;
                if (image && b->middle[i])
                    continue;
                slip_cyclic_response(j->cyclic, p, i, image, v);
                b->attachment[at++] = cos(turn) * v[0] - sin(turn) * v[1];
                b->attachment[at++] = sin(turn) * v[0] + cos(turn) * v[1];
                b->attachment[at++] = v[2];
            }
    slip_reduced_rows(b, 0, rows);
    for (int k = 0; k < b->mode_count; k++) {
        double factor = rows[(3 * middle + 1) * b->mode_count + k] / pow(2 * pi * b->modes[k].frequency, 2);
        slip_reduced_shape(b, k, shape);
        for (int i = 0; i < 3 * count; i++)
            b->attachment[i] -= factor * shape[i];
    }
    return SLIP_OK;
}

static int take_attached(slip_context *ctx, slip_reduced *b, const slip_gear_job *j)
{
    int count = j->along * j->across;
    int64_t size = 3 * (int64_t)count;
    SLIP_FREED slip_cyclic_node *nodes = slip_alloc(count, sizeof *nodes);
    SLIP_FREED double *g = slip_alloc(size * size, sizeof *g);
    SLIP_FREED double *inner = slip_alloc(size * size, sizeof *inner);
    SLIP_FREED double *statics = slip_alloc(2 * size, sizeof *statics);
    b->attached_count = 1;
    b->attached = slip_arena_array(&b->arena, 1, sizeof *b->attached);
    SLIP_PASS(slip_allocated(ctx, nodes && g && inner && statics && b->attached));
    for (int i = 0; i < count; i++) {
        int layer = i / j->along;
        nodes[i].mirrored = layer >= j->high;
        nodes[i].loaded = (nodes[i].mirrored ? j->across - 1 - layer : layer) * j->along + i % j->along;
        for (int d = 0; d < 2; d++) { /* no part along the axis: symmetric, but for signs of z, which is 0 */
            statics[3 * i + d] = j->cyclic->rotation[3 * nodes[i].loaded + d];
            statics[size + 3 * i + d] = j->cyclic->spread[3 * nodes[i].loaded + d];
        }
        double sign = nodes[i].mirrored ? -1 : 1;
        statics[3 * i + 2] = sign * j->cyclic->rotation[3 * nodes[i].loaded + 2];
        statics[size + 3 * i + 2] = sign * j->cyclic->spread[3 * nodes[i].loaded + 2];
    }
    slip_cyclic_flexibility(j->cyclic, false, count, nodes, g);
    slip_cyclic_flexibility(j->cyclic, true, count, nodes, inner);
    SLIP_PASS(slip_reduced_take_attached(ctx, b, 0, g, inner, statics, statics + size));
    for (int p = 1; p <= b->reach; p++) {
        slip_cyclic_coupling(j->cyclic, p, count, nodes, g);
        SLIP_PASS(slip_reduced_take_coupling(ctx, b, p, g));
    }
    return take_attachment(ctx, b, j, (j->across - 1) / 2 * j->along + j->along / 2);
}

static int reduce_cyclic(slip_context *ctx, const slip_gear_options *gear, const slip_reduce_options *options,
                         slip_reduced *b)
{
    SLIP_FREED_BY(free_job) slip_gear_job j = {0};
    slip_solid_options solid;
    slip_cyclic_options cyclic = slip_cyclic_options_default();
    SLIP_FREED int *loaded = NULL;
    SLIP_PASS(read_element(ctx, gear, &solid));
    SLIP_PASS(slip_gear_mesh_create(ctx, gear, &j.gear));
    SLIP_PASS(slip_gear_sector_create(ctx, j.gear, &j.part));
    SLIP_PASS(slip_sector_create(ctx, &j.part->mesh, &solid, &j.sector));
    j.along = j.gear->section->counts.flank + 1;
    j.across = j.gear->section->counts.width + 1;
    j.high = j.part->layers + 1;
    loaded = slip_alloc((int64_t)j.along * j.high, sizeof *loaded);
    SLIP_PASS(slip_allocated(ctx, loaded));
    for (int i = 0; i < j.along * j.high; i++) {
        bool image;
        loaded[i] = flank_node(&j, false, i % j.along, i / j.along, &image);
    }
    cyclic.modes = gear->modes;
    cyclic.tolerance = options->tolerance;
    cyclic.threads = options->threads;
    cyclic.check = options->check;
    cyclic.name = gear->name;
    cyclic.memory = options->memory;
    cyclic.loaded = loaded;
    cyclic.loaded_count = options->attachment ? j.along * j.high : 0;
    /* Teeth that can be in contact at once. */
    cyclic.reach = options->attachment ? (gear->teeth < 8 ? (gear->teeth - 1) / 2 : 3) : 0;
    cyclic.field = options->attachment ? 3 * ((j.across - 1) / 2 * j.along + j.along / 2) + 1 : -1;
    SLIP_PASS(slip_cyclic_create(ctx, j.sector, &cyclic, &j.cyclic));
    SLIP_PASS(slip_reduced_from_cyclic(ctx, j.cyclic, b));
    b->reach = cyclic.reach;
    b->side_count = 2;
    b->sides = slip_arena_array(&b->arena, 2, sizeof *b->sides);
    SLIP_PASS(slip_allocated(ctx, b->sides));
    for (int left = 0; left < 2; left++)
        SLIP_PASS(take_flank(ctx, b, &j, left, &b->sides[left]));
    if (options->attachment)
        SLIP_PASS(take_attached(ctx, b, &j));
    return slip_reduced_finish(ctx, b);
}

/* ---- Gears that are solved whole, and meshes of files. */

/* A gear's mesh: from the file, or made. */
typedef struct slip_gear_source {
    slip_mesh *read;
    slip_gear_mesh *made;
    const slip_mesh *mesh; /* one of these */
} slip_gear_source;

static void free_source(slip_gear_source *source)
{
    slip_mesh_destroy(source->read);
    slip_gear_mesh_destroy(source->made);
}

static int get_mesh(slip_context *ctx, const slip_gear_options *gear, slip_gear_source *source)
{
    SLIP_PASS(slip_interrupt_check(ctx));
    SLIP_PASS(gear->mesh_file ? slip_mesh_read(ctx, gear->mesh_file, &source->read)
                              : slip_gear_mesh_create(ctx, gear, &source->made));
    source->mesh = source->made ? source->made->mesh : source->read;
    if (source->mesh->dimension != 3)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: %s is a plane mesh, expected elements in space",
                         gear->name, gear->mesh_file);
    return SLIP_OK;
}

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static bool is_flank(const slip_gear_options *gear, const slip_mesh_set *set)
{
    if (set->kind != SLIP_SET_NODES)
        return false;
    for (const char *const *name = gear->mesh_file ? gear->flanks : NULL; name && *name; name++)
        if (strcmp(*name, set->name) == 0)
            return true;
    return !(gear->mesh_file && gear->flanks) &&
           (ends_in(set->name, "_left") || ends_in(set->name, "_right"));
}

/* Names of the flanks, NULL at the end: those that are given; of a gear made here one of a tooth's two, since
 * all are alike; else all that look like flanks. */
static int list_flanks(slip_context *ctx, const slip_gear_options *gear, const slip_mesh *mesh,
                       const char ***names)
{
    int count = 0;
    const char **list = *names = slip_alloc((int64_t)mesh->set_count + 1, sizeof *list);
    SLIP_PASS(slip_allocated(ctx, list));
    if (!gear->mesh_file)
        list[count++] = "tooth1_right";
    for (int k = 0; gear->mesh_file && k < mesh->set_count; k++)
        if (is_flank(gear, &mesh->sets[k]))
            list[count++] = mesh->sets[k].name;
    return SLIP_OK;
}

static int reduce_whole(slip_context *ctx, const slip_gear_options *gear, const slip_reduce_options *options,
                        slip_reduced *b)
{
    SLIP_FREED_BY(free_source) slip_gear_source source = {0};
    SLIP_FREED const char **names = NULL;
    slip_reduced_mesh_options whole = {.held = gear->mesh_file ? gear->bore_set : "bore",
                                       .modes = gear->modes,
                                       .tolerance = options->tolerance,
                                       .attachment = options->attachment,
                                       .check = options->check,
                                       .memory = options->memory};
    SLIP_PASS(read_element(ctx, gear, &whole.solid));
    SLIP_PASS(get_mesh(ctx, gear, &source));
    SLIP_PASS(list_flanks(ctx, gear, source.mesh, &names));
    whole.surfaces = gear->flanks && gear->mesh_file ? gear->flanks : names;
    const int status = slip_reduced_from_mesh(ctx, source.mesh, &whole, b);
    return status == SLIP_ERROR_MODEL && gear->mesh_file
               ? slip_fail(ctx, status, "%s: %s", gear->mesh_file, slip_context_message(ctx))
               : status;
}

/* ---- Everything that the body depends on, as text: to see whether a file is still right. */

static int hash_file(slip_context *ctx, const char *path, uint64_t *hash)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    int status = slip_file_read(ctx, path, (size_t)1 << 31, &text);
    *hash = 14695981039346656037u;
    for (size_t i = 0; i < text.length; i++)
        *hash = (*hash ^ (unsigned char)text.data[i]) * 1099511628211u;
    return status;
}

static int write_settings(slip_context *ctx, const slip_gear_options *g, const slip_reduce_options *o,
                          slip_text *text)
{
    const slip_gear_mesh_options *m = &g->mesh;
    int status = SLIP_OK;
    slip_text_printf(text, "slipstick %s; element %s; modes %d; attachment %d; tolerance %.17g; ",
                     slip_version(), g->element, g->modes, o->attachment, o->tolerance);
    slip_text_printf(text, "material %.17g %.17g %.17g; ", g->young, g->poisson, g->density);
    if (g->mesh_file) {
        uint64_t hash;
        status = hash_file(ctx, g->mesh_file, &hash);
        slip_text_printf(text, "mesh file %016" PRIx64 " held by %s; flanks", hash, g->bore_set);
        for (const char *const *name = g->flanks; name && *name; name++)
            slip_text_printf(text, " `%s`", *name);
    } else {
        slip_text_printf(text, "symmetry %d; teeth %d; module %.17g; width %.17g; bore %.17g; ", o->symmetry,
                         g->teeth, g->module, g->width, g->bore);
        slip_text_printf(text, "angle %.17g; shift %.17g; addendum %.17g; dedendum %.17g; fillet %.17g; ",
                         g->pressure_angle, g->profile_shift, g->addendum, g->dedendum, g->fillet_radius);
        slip_text_printf(text, "chamfer %.17g; backlash %.17g; mesh %d %d %d %d %d %d", g->chamfer,
                         g->backlash, m->flank, m->fillet, m->thickness, m->root, m->rim, m->width);
    }
    return status >= 0 && text->failed ? slip_fail_memory(ctx) : status;
}

/* The part of the settings from a word on, without what follows it up to the next semicolon. */
static const char *settings_after(const char *settings, const char *word)
{
    const char *at = strstr(settings, word), *end = at ? strchr(at, ';') : NULL;
    return end ? end : settings;
}

int slip_gear_check_body(slip_context *ctx, const slip_gear_options *gear, const slip_reduced *body)
{
    SLIP_FREED_BY(slip_text_free) slip_text expected = {0};
    const slip_reduce_options options = slip_reduce_options_default();
    const char *made = slip_reduced_settings(body);
    char element[80];
    snprintf(element, sizeof element, "element %s;", gear->element);
    SLIP_PASS(write_settings(ctx, gear, &options, &expected));
    const char *material[2] = {strstr(made, "material"), strstr(expected.data, "material")};
    const char *outline[2] = {settings_after(made, "symmetry"), settings_after(expected.data, "symmetry")};
    size_t length = material[1] ? strcspn(material[1], ";") : 0;
    if (!material[0] || strncmp(material[0], material[1], length + 1) != 0 || !strstr(made, element) ||
        strcmp(outline[0], outline[1]) != 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: the reduced body was made from another gear (%s); expected one made with %s",
                         gear->name, made, expected.data);
    return SLIP_OK;
}

int slip_gear_reduce(slip_context *ctx, const slip_gear_options *gear, const slip_reduce_options *options,
                     slip_reduced **body)
{
    SLIP_NEED_FOR(body, ctx, gear);
    const slip_reduce_options standard = slip_reduce_options_default();
    SLIP_FREED_BY(slip_text_free) slip_text settings = {0};
    SLIP_FREED_BY(slip_reduced_drop) slip_reduced *b = NULL;
    options = options ? options : &standard;
    slip_context_clear(ctx);
    SLIP_PASS(check_options(ctx, gear));
    SLIP_PASS(slip_reduced_create(ctx, gear->name, &b));
    SLIP_PASS((gear->mesh_file || !options->symmetry ? reduce_whole : reduce_cyclic)(ctx, gear, options, b));
    SLIP_PASS(write_settings(ctx, gear, options, &settings));
    SLIP_PASS(slip_reduced_take_hash(ctx, b));
    b->settings = slip_arena_string(&b->arena, settings.data);
    SLIP_PASS(slip_allocated(ctx, b->settings));
    SLIP_HAND(body, b);
    return SLIP_OK;
}

/* Is there a body that was made with these settings? One that cannot be read is not an error: it is made
 * again. */
static slip_reduced *find_old(slip_context *ctx, const char *path, const char *name, const char *settings)
{
    slip_reduced *body = NULL;
    if (slip_reduced_load(ctx, path, &body) < 0) {
        slip_context_clear(ctx);
        return NULL;
    }
    if (strcmp(body->settings, settings) == 0 && strcmp(body->name, name) == 0)
        return body;
    slip_reduced_destroy(body);
    return NULL;
}

int slip_gear_reduce_file(slip_context *ctx, const slip_gear_options *gear,
                          const slip_reduce_options *options, const char *path, slip_reduced **body,
                          int *reused)
{
    SLIP_NEED_FOR(body, ctx, gear, path);
    const slip_reduce_options standard = slip_reduce_options_default();
    SLIP_FREED_BY(slip_text_free) slip_text settings = {0};
    options = options ? options : &standard;
    if (reused)
        *reused = 0;
    SLIP_PASS(check_options(ctx, gear));
    SLIP_PASS(write_settings(ctx, gear, options, &settings));
    *body = options->check ? NULL : find_old(ctx, path, gear->name, settings.data);
    if (reused)
        *reused = *body != NULL;
    if (*body)
        return SLIP_OK;
    SLIP_FREED_BY(slip_reduced_drop) slip_reduced *made = NULL;
    SLIP_PASS(slip_folder_create_for(ctx, path));
    SLIP_PASS(slip_gear_reduce(ctx, gear, options, &made));
    SLIP_PASS(slip_reduced_save(ctx, made, path));
    SLIP_HAND(body, made);
    return SLIP_OK;
}

/* ---- Mesh files. */

int slip_gear_mesh_size(slip_context *ctx, const slip_gear_options *gear, slip_gear_counts *counts)
{
    SLIP_NEED(ctx, gear, counts);
    SLIP_FREED_BY(free_source) slip_gear_source source = {0};
    SLIP_PASS(get_mesh(ctx, gear, &source));
    const slip_mesh *mesh = source.mesh;
    *counts = (slip_gear_counts){.nodes = mesh->node_count, .elements = mesh->element_count};
    for (int k = 0; k < mesh->set_count; k++)
        if (is_flank(gear, &mesh->sets[k])) {
            counts->flanks++;
            if (mesh->sets[k].count > counts->flank_nodes)
                counts->flank_nodes = mesh->sets[k].count;
        }
    return SLIP_OK;
}

int slip_gear_save_mesh(slip_context *ctx, const slip_gear_options *gear, const char *path)
{
    SLIP_NEED(ctx, gear, path);
    SLIP_FREED_BY(free_source) slip_gear_source source = {0};
    bool vtu = ends_in(path, ".vtu");
    if (!vtu && !ends_in(path, ".inp"))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "cannot write a mesh as %s: expected a name that ends in .vtu or "
                         ".inp",
                         path);
    SLIP_PASS(get_mesh(ctx, gear, &source));
    SLIP_PASS(slip_interrupt_check(ctx));
    return vtu ? slip_vtu_write(ctx, path, &(slip_vtu_piece){.mesh = source.mesh}, 1)
               : slip_mesh_write_abaqus(ctx, source.mesh, path);
}
