/* Two gears that hit each other, for CalculiX and here: helper of tests/calculix_impact.sh, which tells why
 * the model is what it is. calculix_pair write NAME      NAME.inp calculix_pair compare NAME    reads
 * NAME.dat, runs the same here, prints both; fails where they differ */
#include "gear/gear_impact.h"
#include "slipstick/gear.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pressure_slope = 2e14; /* of the contact: pressure over depth, Pa/m */
static const double duration = 1.6e-4;
enum { print_every = 5 }; /* increments of CalculiX */

static void make_gears(slip_gear_options gears[2])
{
    for (int k = 0; k < 2; k++) {
        slip_gear_options o = slip_gear_options_default();
        o.name = k ? "wheel" : "pinion";
        o.teeth = k ? 23 : 18;
        o.module = 0.005;
        o.profile_shift = k ? 0 : 0.5;
        o.width = 0.012;
        o.bore = 0.05;
        o.mesh = (slip_gear_mesh_options){8, 2, 4, 2, 3, 2};
        gears[k] = o;
    }
}

static slip_gear_impact *make_pair(slip_context *ctx, double area)
{
    /* What the pair is made from has to stay. */
    static slip_gear_options gears[2];
    static slip_gear_run_options o;
    static const slip_gear_meshing mesh = {.gear = {0, 1}, .options = &o};
    static slip_gear_group group;
    slip_gear_impact *g = NULL;
    o = slip_gear_run_options_default();
    make_gears(gears);
    o.side[0].speed = 5;
    o.two_pass = 1;
    o.penalty = pressure_slope * area;
    group = slip_gear_group_pair(gears, NULL, &mesh);
    if (slip_gear_impact_create(ctx, &group, &o, NULL, NULL, NULL, &g) < 0) {
        fprintf(stderr, "%s\n", slip_context_message(ctx));
        exit(1);
    }
    return g;
}

static double area_of(const double *const corners[4])
{
    double a[3], b[3], sum = 0;
    for (int d = 0; d < 3; d++) {
        a[d] = corners[2][d] - corners[0][d];
        b[d] = corners[3][d] - corners[1][d];
    }
    for (int d = 0; d < 3; d++) {
        double c = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
        sum += c * c;
    }
    return sqrt(sum) / 2;
}

/* Mean area of a flank's facets, which is that of its inner nodes. */
static double mean_area(const slip_gear_impact *g)
{
    const slip_flank_surface *s = &g->surfaces[0][0];
    double sum = 0;
    for (int row = 0; row < s->rows - 1; row++)
        for (int column = 0; column < s->columns - 1; column++) {
            const int *at = s->nodes + row * s->columns + column;
            const int nodes[4] = {at[0], at[1], at[s->columns + 1], at[s->columns]};
            const double *corners[4];
            for (int k = 0; k < 4; k++)
                corners[k] = g->mesh[0]->mesh->points + 3 * (size_t)nodes[k];
            sum += area_of(corners);
        }
    return sum / ((s->rows - 1) * (s->columns - 1));
}

/* ---- Writing. */

static bool is_on(const slip_flank_surface *s, int node)
{
    for (int i = 0; i < s->rows * s->columns; i++)
        if (s->nodes[i] == node)
            return true;
    return false;
}

static void write_flank(FILE *out, const slip_gear_impact *g, int k, int flank, int first_element)
{
    const slip_mesh *mesh = g->mesh[k]->mesh;
    const slip_cell *cell = &slip_cell_hex8;
    fprintf(out, "*SURFACE, NAME=FLANK%d_%d, TYPE=ELEMENT\n", k, flank);
    for (int e = 0; e < mesh->element_count; e++)
        for (int f = 0; f < cell->face_count; f++) {
            int on = 0;
            for (int i = 0; i < cell->face->node_count; i++)
                on += is_on(&g->surfaces[k][flank], slip_mesh_nodes(mesh, e)[cell->faces[f][i]]);
            if (on == cell->face->node_count)
                fprintf(out, "%d, S%d\n", first_element + e, f + 1);
        }
}

static void write_body(FILE *out, const slip_gear_impact *g, int k, int first_element, int extra)
{
    const slip_mesh *mesh = g->mesh[k]->mesh;
    int first = slip_explicit_rotor_of(g->model, k).first_node + 1;
    const double *x = slip_explicit_state_of(g->model).position + 3 * (size_t)(first - 1);
    fprintf(out, "*NODE, NSET=BODY%d\n", k);
    for (int i = 0; i < mesh->node_count; i++)
        fprintf(out, "%d, %.12e, %.12e, %.12e\n", first + i, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    fprintf(out, "*NODE, NSET=AXIS%d\n%d, %.12e, 0, 0\n*NODE, NSET=TURN%d\n%d, %.12e, 0, 0\n", k, extra,
            g->meshes[0].wheels[k].centre[0], k, extra + 1, g->meshes[0].wheels[k].centre[0]);
    fprintf(out, "*ELEMENT, TYPE=C3D8, ELSET=GEAR%d\n", k);
    for (int e = 0; e < mesh->element_count; e++) {
        const int *nodes = slip_mesh_nodes(mesh, e);
        fprintf(out, "%d", first_element + e);
        for (int i = 0; i < 8; i++)
            fprintf(out, ", %d", first + nodes[i]);
        fprintf(out, "\n");
    }
    const slip_mesh_set *bore = slip_mesh_find(mesh, "bore", SLIP_SET_NODES);
    fprintf(out, "*NSET, NSET=BORE%d\n", k);
    for (int i = 0; i < bore->count; i++)
        fprintf(out, "%d\n", first + bore->items[i]);
    fprintf(out, "*RIGID BODY, NSET=BORE%d, REF NODE=%d, ROT NODE=%d\n", k, extra, extra + 1);
    fprintf(out, "*BOUNDARY\n%d, 1, 3\n%d, 1, 2\n", extra, extra + 1);
    fprintf(out, "*SOLID SECTION, ELSET=GEAR%d, MATERIAL=STEEL\n", k);
}

static void write_velocity(FILE *out, const slip_gear_impact *g, int k, int extra)
{
    int first = slip_explicit_rotor_of(g->model, k).first_node;
    double speed = slip_explicit_rotor_of(g->model, k).speed;
    if (speed == 0)
        return;
    fprintf(out, "*INITIAL CONDITIONS, TYPE=VELOCITY\n");
    for (int i = 0; i < g->mesh[k]->mesh->node_count; i++)
        for (int d = 0; d < 2; d++)
            fprintf(out, "%d, %d, %.12e\n", first + i + 1, d + 1,
                    slip_explicit_state_of(g->model).velocity[3 * (size_t)(first + i) + (size_t)d]);
    fprintf(out, "%d, 3, %.12e\n", extra + 1, speed);
}

static int write_input(slip_context *ctx, const char *name)
{
    slip_gear_impact *g = make_pair(ctx, 1e-6);
    slip_flank_pair pairs[slip_tooth_pairs_max];
    char path[500];
    int count = slip_tooth_pairs_find(g->meshes[0].wheels, pairs);
    int nodes = g->mesh[0]->mesh->node_count + g->mesh[1]->mesh->node_count;
    int elements[2] = {1, g->mesh[0]->mesh->element_count + 1};
    snprintf(path, sizeof path, "%s.inp", name);
    FILE *out = fopen(path, "w");
    if (!out)
        return 1;
    fprintf(out, "*MATERIAL, NAME=STEEL\n*ELASTIC\n210e9, 0.3\n*DENSITY\n7850\n");
    for (int k = 0; k < 2; k++)
        write_body(out, g, k, elements[k], nodes + 1 + 2 * k);
    fprintf(out, "*SURFACE INTERACTION, NAME=TOUCH\n*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR\n%g\n",
            pressure_slope);
    for (int p = 0; p < count; p++) {
        if (pairs[p].surface[0] % 2 == 0) /* the left flanks meet */
            continue;
        for (int k = 0; k < 2; k++)
            write_flank(out, g, k, pairs[p].surface[k], elements[k]);
        fprintf(out, "*CONTACT PAIR, INTERACTION=TOUCH, TYPE=NODE TO SURFACE\nFLANK0_%d, FLANK1_%d\n",
                pairs[p].surface[0], pairs[p].surface[1]);
    }
    for (int k = 0; k < 2; k++)
        write_velocity(out, g, k, nodes + 1 + 2 * k);
    fprintf(out, "*STEP, INC=100000000, NLGEOM\n*DYNAMIC, EXPLICIT, ALPHA=0\n%g, %g\n", 1e-8, duration);
    for (int k = 0; k < 2; k++)
        fprintf(out, "*NODE PRINT, NSET=BODY%d, FREQUENCY=%d\nV\n", k, print_every);
    fprintf(out, "*END STEP\n");
    fclose(out);
    printf("%d unknowns, step limit here %g s, facets of %g m^2\n", 3 * nodes,
           slip_explicit_state_of(g->model).limit, mean_area(g));
    slip_gear_impact_destroy(g);
    return 0;
}

/* ---- Comparing. */

/* Angular momentum about the axes over time. */
typedef struct course {
    int count;
    double *time, *momentum[2];
} course;

static void extend(course *c, double time)
{
    double **arrays[3] = {&c->time, &c->momentum[0], &c->momentum[1]};
    for (int k = 0; k < 3; k++) {
        *arrays[k] = realloc(*arrays[k], sizeof(double) * (size_t)(c->count + 1));
        if (!*arrays[k])
            exit(1);
        (*arrays[k])[c->count] = 0;
    }
    c->time[c->count++] = time;
}

static void drop(course *c)
{
    free(c->time);
    free(c->momentum[0]);
    free(c->momentum[1]);
}

/* Rotations are small (1e-3): the arms are those of the start. */
static void read_theirs(const slip_gear_impact *g, FILE *in, course *c)
{
    char line[200];
    int body = 0, node;
    double time, v[3];
    const double *mass = slip_explicit_state_of(g->model).mass,
                 *x = slip_explicit_state_of(g->model).position;
    while (fgets(line, sizeof line, in)) {
        if (sscanf(line, " velocities (vx,vy,vz) for set BODY%d and time %lf", &body, &time) == 2) {
            if (body == 0)
                extend(c, time);
        } else if (c->count > 0 && sscanf(line, "%d %lf %lf %lf", &node, &v[0], &v[1], &v[2]) == 4) {
            size_t at = (size_t)(node - 1);
            c->momentum[body][c->count - 1] +=
                mass[at] * ((x[3 * at] - g->meshes[0].wheels[body].centre[0]) * v[1] - x[3 * at + 1] * v[0]);
        }
    }
}

static void compute_ours(slip_context *ctx, slip_gear_impact *g, course *c)
{
    while (slip_explicit_state_of(g->model).time < duration) {
        extend(c, slip_explicit_state_of(g->model).time);
        for (int k = 0; k < 2; k++)
            c->momentum[k][c->count - 1] = slip_explicit_momentum(g->model, k);
        if (slip_explicit_advance(ctx, g->model, 1) < 0) {
            fprintf(stderr, "%s\n", slip_context_message(ctx));
            exit(1);
        }
    }
}

static double inertia_of(const slip_gear_impact *g, int k)
{
    double sum = 0;
    int first = slip_explicit_rotor_of(g->model, k).first_node;
    for (int i = 0; i < g->mesh[k]->mesh->node_count; i++) {
        const double *x = g->mesh[k]->mesh->points + 3 * (size_t)i;
        sum += slip_explicit_state_of(g->model).mass[first + i] * (x[0] * x[0] + x[1] * x[1]);
    }
    return sum;
}

/* When the momentum of the wheel passes a share of its final value. */
static double passes(const course *c, double share)
{
    double end = c->momentum[1][c->count - 1];
    int i = 1;
    while (i < c->count - 1 && c->momentum[1][i] / end < share)
        i++;
    double a = c->momentum[1][i - 1] / end, b = c->momentum[1][i] / end;
    return c->time[i - 1] + (c->time[i] - c->time[i - 1]) * (share - a) / (b - a);
}

static int compare(slip_context *ctx, const char *name)
{
    slip_gear_impact *g = make_pair(ctx, 1e-6);
    double area = mean_area(g), numbers[2][4];
    course theirs = {0}, ours = {0};
    char path[500];
    slip_gear_impact_destroy(g);
    g = make_pair(ctx, area);
    snprintf(path, sizeof path, "%s.dat", name);
    FILE *in = fopen(path, "r");
    if (!in) {
        fprintf(stderr, "%s is missing\n", path);
        return 1;
    }
    read_theirs(g, in, &theirs);
    fclose(in);
    compute_ours(ctx, g, &ours);
    if (theirs.count < 100 || theirs.time[theirs.count - 1] < 0.99 * duration) {
        fprintf(stderr, "%s has %d instants and ends early\n", path, theirs.count);
        return 1;
    }
    for (int k = 0; k < 2; k++) {
        const course *c = k ? &theirs : &ours;
        for (int gear = 0; gear < 2; gear++)
            numbers[k][gear] = c->momentum[gear][c->count - 1] / inertia_of(g, gear);
        numbers[k][2] = passes(c, 0.995) - passes(c, 0.005);
        numbers[k][3] = passes(c, 0.75) - passes(c, 0.25); /* long where the force is small */
    }
    static const char *const what[4] = {"pinion's speed after separation, rad/s",
                                        "wheel's speed after separation, rad/s", "contact time, s",
                                        "time of the middle half of the impulse, s"};
    const double limit[4] = {0.05, 0.05, 0.10, 0.10};
    int bad = 0;
    printf("%-44s %12s %12s %10s\n", "", "slipstick", "CalculiX", "difference");
    for (int i = 0; i < 4; i++) {
        /* Speeds relative to that of the wheel: the pinion's may be near 0. */
        double by = fabs(i < 2 ? numbers[1][1] : numbers[1][i]);
        double difference = (numbers[0][i] - numbers[1][i]) / by;
        printf("%-44s %12.6g %12.6g %9.2f %%\n", what[i], numbers[0][i], numbers[1][i], 100 * difference);
        bad |= !(fabs(difference) < limit[i]);
    }
    drop(&theirs);
    drop(&ours);
    slip_gear_impact_destroy(g);
    return bad;
}

int main(int argc, char **argv)
{
    slip_context *ctx = slip_context_create();
    int status = 1;
    if (argc == 3 && strcmp(argv[1], "write") == 0)
        status = write_input(ctx, argv[2]);
    else if (argc == 3 && strcmp(argv[1], "compare") == 0)
        status = compare(ctx, argv[2]);
    slip_context_destroy(ctx);
    return status;
}
