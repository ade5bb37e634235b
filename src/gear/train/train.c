/* Gear trains: which coordinates they have, where axes and teeth are. The header has the formulas. */
#include "gear/train/train.h"

#include "gear/gear_impact.h"
#include "math/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

int slip_train_create(slip_context *ctx, slip_train **train)
{
    *train = slip_alloc(1, sizeof **train);
    return slip_allocated(ctx, *train);
}

void slip_train_destroy(slip_train *train)
{
    if (!train)
        return;
    slip_gear_modal_destroy(train->modal);
    for (int i = 0; i < train->body_count; i++)
        if (!train->bodies[i].shared)
            slip_reduced_destroy(train->bodies[i].reduced);
    free(train->bodies);
    free(train->meshes);
    slip_arena_free(&train->arena);
    free(train);
}

int slip_train_find(const slip_train *train, const char *name)
{
    for (int i = 0; i < train->body_count; i++)
        if (strcmp(train->bodies[i].name, name) == 0)
            return i;
    return -1;
}

int slip_train_add_body(slip_context *ctx, slip_train *train, const slip_train_body *body)
{
    if (!SLIP_ROOM(train->bodies, train->body_capacity, train->body_count + 1)) {
        if (!body->shared)
            slip_reduced_destroy(body->reduced);
        return slip_fail_memory(ctx);
    }
    slip_train_body *own = &train->bodies[train->body_count];
    *own = *body;
    own->shaft = train->body_count++;
    for (int i = 0; i < train->body_count; i++)
        if (strcmp(train->bodies[i].turns, own->turns) == 0 && train->bodies[i].shaft < own->shaft)
            own->shaft = train->bodies[i].shaft;
    return SLIP_OK;
}

int slip_train_add_mesh(slip_context *ctx, slip_train *train, const slip_train_mesh *mesh)
{
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(train->meshes, train->mesh_capacity, train->mesh_count + 1)));
    train->meshes[train->mesh_count++] = *mesh;
    return SLIP_OK;
}

/* ---- Places. */

static double involute(double angle)
{
    return tan(angle) - angle;
}

/* tan of the pressure angle at the tip less that at the pitch point. */
static double rolled(const slip_gear_geometry *g, double working)
{
    return sqrt(pow(g->tip_radius / g->base_radius, 2) - 1) - tan(working);
}

/* The window of a gear in a mesh at the distance of its axes. */
static void find_window(slip_train *train, slip_train_mesh *mesh, int k, const slip_gear_geometry g[2])
{
    slip_train_side *side = &mesh->side[k];
    const slip_gear_options *own = &train->bodies[side->body].gear;
    const slip_gear_options *other = &train->bodies[mesh->side[1 - k].body].gear;
    const double z = own->teeth, pressure = own->pressure_angle * pi / 180,
                 working = acos(fmin((g[0].base_radius + g[1].base_radius) / mesh->options.distance, 1)),
                 beyond = rolled(&g[k], working), before = rolled(&g[1 - k], working) * other->teeth / z,
                 thickness = pi / z + 4 * own->profile_shift * tan(pressure) / z +
                             2 * (involute(pressure) - involute(working));
    const int teeth = (int)ceil((beyond + before) / (2 * pi / z) + 0.5);
    side->middle = -thickness / 2 + (beyond - before) / 2;
    side->towards = mesh->direction + (k ? pi : 0);
    side->window = teeth < 1 ? 1 : teeth < own->teeth ? teeth : own->teeth;
    if (!train->bodies[side->body].attachment)
        side->window = 0;
}

static int find_windows(slip_context *ctx, slip_train *train, slip_train_mesh *mesh)
{
    slip_gear_geometry g[2];
    for (int k = 0; k < 2; k++)
        SLIP_PASS(slip_gear_measure(ctx, &train->bodies[mesh->side[k].body].gear, &g[k]));
    if (!(mesh->options.distance > 0))
        SLIP_PASS(slip_gear_distance(ctx, &train->bodies[mesh->side[0].body].gear,
                                     &train->bodies[mesh->side[1].body].gear, &mesh->options.distance, NULL));
    for (int k = 0; k < 2; k++)
        find_window(train, mesh, k, g);
    return SLIP_OK;
}

/* The start angles of the two gears of a mesh without the other gears. */
static int find_start(slip_context *ctx, const slip_train *train, const slip_train_mesh *mesh,
                      double angle[2])
{
    const slip_train_body *body[2] = {&train->bodies[mesh->side[0].body], &train->bodies[mesh->side[1].body]};
    const slip_gear_options gears[2] = {body[0]->gear, body[1]->gear};
    const slip_reduced *const bodies[2] = {body[0]->reduced, body[1]->reduced};
    SLIP_FREED_BY(slip_gear_pair_drop) slip_gear_pair *pair = NULL;
    if (!bodies[0]) {
        SLIP_PASS(slip_gear_impact_start(ctx, gears, &mesh->options, angle));
    } else {
        SLIP_PASS(slip_gear_pair_create(ctx, gears, bodies, &mesh->options, NULL, &pair));
        for (int k = 0; k < 2; k++)
            angle[k] = pair->wheels[k].angle;
    }
    for (int k = 0; k < 2; k++)
        angle[k] += mesh->direction;
    return SLIP_OK;
}

/* Attachment vectors of different flanks are treated as independent of each other. But each contains a part
 * of the lowest modes that are not in use, and so a part of the moment of inertia of those modes in which the
 * gear turns against its shaft. The sum over all flanks may exceed the moment of inertia of the gear, the
 * more so the lower such a mode is. (An idler of 12 teeth with eight flanks in two meshes: 1.2 times with 40
 * modes, 0.33 with 20, 0.03 with 60, which include that mode.) Then the couplings of these vectors with the
 * rotation are scaled down by one factor, so that the mass matrix stays positive definite. A slow rotation is
 * not affected, and the equations still follow from one energy. */
static void share_inertia(const slip_train_body *own, slip_gear_basis *basis)
{
    const double most = 0.9; /* of what the modes leave */
    const slip_reduced_mode *modes = slip_reduced_modes(own->reduced);
    const double all = own->flank_inertia * slip_reduced_moment(own->reduced);
    double free_inertia = slip_reduced_moment(own->reduced);
    for (int k = 0; k < slip_reduced_mode_count(own->reduced); k++)
        free_inertia -= modes[k].rotation * modes[k].rotation;
    for (int j = 0; j < basis->count && all > most * free_inertia; j++)
        basis->rotation[j] *= sqrt(fmax(most * free_inertia, 0) / all);
}

static double find_flank_inertia(const slip_train *train, int b, const slip_gear_basis *basis)
{
    const double one = slip_dense_dot(basis->count, basis->rotation, basis->rotation);
    double all = 0;
    for (int i = 0; i < train->mesh_count; i++)
        for (int k = 0; k < 2; k++)
            if (train->meshes[i].side[k].body == b)
                all += 2 * train->meshes[i].side[k].window * one;
    return all / slip_reduced_moment(train->bodies[b].reduced);
}

/* flank_yield of a body, by a unit load shared evenly among the nodes of a flank. */
static int find_flank_yield(slip_context *ctx, const slip_reduced *body, double *yield)
{
    const slip_reduced_surface flank = slip_reduced_surface_at(body, 0);
    const slip_reduced_mode *modes = slip_reduced_modes(body);
    const int64_t size = 3 * (int64_t)flank.node_count, count = slip_reduced_mode_count(body);
    SLIP_FREED double *rows = slip_alloc(size * count, sizeof *rows);
    SLIP_FREED double *attachment = slip_alloc(size * size, sizeof *attachment);
    double of_modes = 0, of_attachment = 0;
    SLIP_PASS(slip_allocated(ctx, rows && attachment));
    slip_reduced_rows(body, 0, rows);
    slip_reduced_flexibility(body, 0, attachment);
    for (int64_t k = 0; k < count; k++) {
        double sum = 0;
        for (int64_t i = 1; i < size; i += 3)
            sum += rows[i * count + k];
        of_modes += pow(sum / (2 * pi * modes[k].frequency), 2);
    }
    for (int64_t i = 1; i < size; i += 3)
        for (int64_t k = 1; k < size; k += 3)
            of_attachment += attachment[i * size + k];
    *yield = of_attachment / (of_attachment + of_modes);
    return SLIP_OK;
}

bool slip_train_lacks_modes(const slip_train_body *b, char *text, size_t size)
{
    if (b->flank_inertia > slip_train_flank_inertia_most)
        snprintf(text, size,
                 "its %d modes are too few: they leave out how it turns against its shaft, and the residual "
                 "vectors of its flanks, which are taken as independent of each other, would have %.3g times "
                 "its moment of inertia",
                 b->modes, b->flank_inertia);
    else if (b->flank_yield > slip_train_flank_yield_most)
        snprintf(
            text, size,
            "its %d modes are too few: they leave %.2g of what a flank yields to attachment vectors, which "
            "are taken as independent of those of other flanks",
            b->modes, b->flank_yield);
    else
        return false;
    return true;
}

static bool has_flank_vectors(const slip_train_body *body)
{
    return body->modal >= 0 && body->attachment;
}

/* The model of all meshes, with attachment vectors as they are. */
static int make_modal(slip_context *ctx, const slip_train *train, slip_gear_modal **modal)
{
    const int64_t bodies = train->body_count;
    SLIP_FREED slip_gear_options *gears = slip_alloc(bodies, sizeof *gears);
    SLIP_FREED const slip_reduced **reduced = slip_alloc(bodies, sizeof *reduced);
    SLIP_FREED double *offset = slip_alloc(bodies, sizeof *offset);
    SLIP_FREED int *shaft = slip_alloc(bodies, sizeof *shaft);
    SLIP_FREED slip_gear_meshing *meshes = slip_alloc(train->mesh_count, sizeof *meshes);
    slip_gear_group group = {.mesh_count = train->mesh_count,
                             .shaft_count = train->body_count,
                             .gears = gears,
                             .bodies = reduced,
                             .sides = train->sides,
                             .shaft = shaft,
                             .offset = offset,
                             .meshes = meshes};
    SLIP_PASS(slip_allocated(ctx, gears && reduced && offset && shaft && meshes));
    for (int b = 0; b < train->body_count; b++) {
        const slip_train_body *body = &train->bodies[b];
        if (body->modal < 0)
            continue;
        gears[body->modal] = body->gear;
        reduced[body->modal] = body->reduced;
        offset[body->modal] = body->offset;
        shaft[body->modal] = body->shaft;
        group.gear_count++;
    }
    for (int i = 0; i < train->mesh_count; i++) {
        const slip_train_mesh *mesh = &train->meshes[i];
        meshes[i].options = &mesh->options;
        meshes[i].centre = mesh->centre;
        for (int k = 0; k < 2; k++)
            meshes[i].gear[k] = train->bodies[mesh->side[k].body].modal;
    }
    return slip_gear_modal_create(ctx, &group, modal);
}

static void share_inertias(const slip_train *train, slip_gear_modal *modal)
{
    for (int b = 0; b < train->body_count; b++)
        if (has_flank_vectors(&train->bodies[b]))
            share_inertia(&train->bodies[b], &modal->gear[train->bodies[b].modal].full);
}

int slip_train_open_modal(slip_context *ctx, const slip_train *train, slip_gear_modal **modal)
{
    SLIP_PASS(make_modal(ctx, train, modal));
    share_inertias(train, *modal);
    return SLIP_OK;
}

/* Finds the phase of a mesh at which the teeth of gear `placed` (-1: none) are where another mesh has put
 * them, and from it the offset of the other gear. gear_start.h computes the angle of the first gear from its
 * phase; this function inverts that by iteration. Only the clearance of the flanks is not linear, so a few
 * iterations suffice. */
static int place_teeth(slip_context *ctx, slip_train *train, slip_train_mesh *mesh, int placed)
{
    enum { tries = 8 };
    for (int i = 0; i < tries; i++) {
        slip_train_body *body[2] = {&train->bodies[mesh->side[0].body], &train->bodies[mesh->side[1].body]};
        double angle[2];
        SLIP_PASS(find_start(ctx, train, mesh, angle));
        for (int k = 0; k < 2; k++)
            if (k != placed)
                body[k]->offset = angle[k];
        if (placed < 0)
            break;
        const double pitch = 2 * pi / body[placed]->gear.teeth;
        const double off = remainder(body[placed]->offset - angle[placed], pitch);
        if (fabs(off) < 1e-13)
            break;
        /* The second gear turns the other way. */
        mesh->options.phase += (placed ? 1 : -1) * mesh->sense * off / pitch;
    }
    return SLIP_OK;
}

/* Shafts that are placed, from mesh to mesh. */
static int place_shafts(slip_context *ctx, slip_train *train, bool *placed, double (*axis)[2], bool *used)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < train->mesh_count; i++) {
            slip_train_mesh *mesh = &train->meshes[i];
            const int shaft[2] = {train->bodies[mesh->side[0].body].shaft,
                                  train->bodies[mesh->side[1].body].shaft};
            if (used[i] || (!placed[shaft[0]] && !placed[shaft[1]]))
                continue;
            if (placed[shaft[0]] && placed[shaft[1]])
                return slip_fail(
                    ctx, SLIP_ERROR_MODEL,
                    "%s: its gears %s and %s are on shafts that other meshes connect already: expected a "
                    "train without rings",
                    mesh->name, train->bodies[mesh->side[0].body].name,
                    train->bodies[mesh->side[1].body].name);
            const int from = placed[shaft[0]] ? 0 : 1;
            const double reach = (from ? -1 : 1) * mesh->options.distance;
            axis[shaft[1 - from]][0] = axis[shaft[from]][0] + reach * cos(mesh->direction);
            axis[shaft[1 - from]][1] = axis[shaft[from]][1] + reach * sin(mesh->direction);
            for (int k = 0; k < 2; k++)
                memcpy(mesh->centre[k], axis[shaft[k]], sizeof mesh->centre[k]);
            placed[shaft[1 - from]] = used[i] = more = true;
        }
    }
    return SLIP_OK;
}

/* Gears whose teeth are placed, from mesh to mesh; `placed` is of bodies. */
static int place_gears(slip_context *ctx, slip_train *train, bool *placed, bool *used)
{
    for (int round = 0; round < 2 * train->mesh_count; round++) {
        int next = -1, known = -1;
        for (int i = 0; i < train->mesh_count && known < 0; i++) {
            if (used[i])
                continue;
            next = next < 0 ? i : next;
            for (int k = 0; k < 2; k++)
                if (placed[train->meshes[i].side[k].body]) {
                    next = i;
                    known = k;
                }
        }
        if (next < 0)
            break;
        SLIP_PASS(place_teeth(ctx, train, &train->meshes[next], known));
        used[next] = placed[train->meshes[next].side[0].body] = placed[train->meshes[next].side[1].body] =
            true;
    }
    return SLIP_OK;
}

static int arrange_places(slip_context *ctx, slip_train *train)
{
    const int bodies = train->body_count + 1, meshes = train->mesh_count + 1;
    SLIP_FREED bool *placed = slip_alloc(bodies, sizeof *placed), *used = slip_alloc(meshes, sizeof *used);
    SLIP_FREED double(*axis)[2] = slip_alloc(bodies, sizeof *axis);
    SLIP_PASS(slip_allocated(ctx, placed && used && axis));
    for (int i = 0; i < train->body_count; i++) {
        const int shaft = train->bodies[i].shaft;
        if (placed[shaft])
            continue;
        placed[shaft] = true;
        SLIP_PASS(place_shafts(ctx, train, placed, axis, used));
    }
    memset(placed, 0, (size_t)bodies * sizeof *placed);
    memset(used, 0, (size_t)meshes * sizeof *used);
    return place_gears(ctx, train, placed, used);
}

/* ---- Coordinates. */

bool slip_train_is_whole(const slip_train *train)
{
    bool whole = true;
    for (int b = 0; b < train->body_count; b++)
        whole = whole && !train->bodies[b].reduced;
    return whole;
}

bool slip_train_is_condensed(const slip_train *train)
{
    bool condensed = false;
    for (int b = 0; b < train->body_count; b++)
        condensed = condensed || train->bodies[b].condensed;
    return condensed;
}

static void count_coordinates(slip_train *train)
{
    train->count = 0;
    for (int b = 0; b < train->body_count; b++) {
        slip_train_body *body = &train->bodies[b];
        body->first = train->count;
        train->count += body->modes;
        for (int i = 0; i < train->mesh_count; i++)
            for (int k = 0; k < 2; k++) {
                slip_train_side *side = &train->meshes[i].side[k];
                if (side->body != b)
                    continue;
                const slip_modal_gear *made = &train->modal->gear[body->modal];
                side->size = made->full.count;
                side->square = made->full.square;
                side->first = train->count;
                train->count += 2 * side->window * side->size;
            }
        body->count = train->count - body->first;
    }
}

/* Numbers the bodies that mesh with others as gears of the modal model. */
static int number_gears(slip_context *ctx, slip_train *train)
{
    int count = 0;
    train->sides = slip_arena_array(&train->arena, train->body_count, sizeof *train->sides);
    SLIP_PASS(slip_allocated(ctx, train->sides));
    for (int b = 0; b < train->body_count; b++)
        train->bodies[b].modal = -1;
    for (int i = 0; i < train->mesh_count; i++)
        for (int k = 0; k < 2; k++) {
            slip_train_mesh *mesh = &train->meshes[i];
            slip_train_body *body = &train->bodies[mesh->side[k].body];
            slip_gear_side *side = &mesh->options.side[k];
            side->reduction = body->attachment ? "all" : "none";
            side->speed = k == 0 ? mesh->sense : 0;
            if (body->modal >= 0)
                continue;
            body->modal = count;
            train->sides[count++] = *side;
        }
    return SLIP_OK;
}

int slip_train_arrange(slip_context *ctx, slip_train *train)
{
    SLIP_PASS(number_gears(ctx, train));
    for (int i = 0; i < train->mesh_count; i++)
        SLIP_PASS(find_windows(ctx, train, &train->meshes[i]));
    SLIP_PASS(arrange_places(ctx, train));
    if (slip_train_is_whole(train))
        return SLIP_OK;
    if (train->mesh_count > 0) {
        SLIP_PASS(make_modal(ctx, train, &train->modal));
        for (int b = 0; b < train->body_count; b++)
            if (has_flank_vectors(&train->bodies[b])) {
                train->bodies[b].flank_inertia =
                    find_flank_inertia(train, b, &train->modal->gear[train->bodies[b].modal].full);
                SLIP_PASS(find_flank_yield(ctx, train->bodies[b].reduced, &train->bodies[b].flank_yield));
            }
        share_inertias(train, train->modal);
    }
    /* A pair of equal frequencies is not split by the reduction either: all modes of a body take part. */
    for (int b = 0; b < train->body_count; b++)
        train->bodies[b].modes = slip_reduced_mode_count(train->bodies[b].reduced);
    count_coordinates(train);
    return SLIP_OK;
}
