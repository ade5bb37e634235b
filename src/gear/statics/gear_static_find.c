/* Statics of two gears in mesh: the search for contact points near the flanks of the other gear. */
#include "gear/statics/gear_static.h"

#include "gear/geometry/vector.h"

/* The two flanks of a pair: of gear k its curve, its nodes in space, cosine and sine of its frame. */
typedef struct facing {
    int flank[2];
    const slip_flank_curve *curve[2];
    const double *position[2];
    double turn[2][2];
} facing;

static facing face(const slip_gear_static *s, int pair)
{
    facing f;
    for (int k = 0; k < 2; k++) {
        const slip_gear_wheel *g = s->pair->gear[k];
        int flank = f.flank[k] = s->pair->pairs[pair].surface[k];
        double angle = s->pair->wheels[k].angle + g->turn[flank];
        f.curve[k] = &s->curve[k][flank % 2];
        f.position[k] = s->pair->position[k] + (size_t)flank * (size_t)g->size;
        f.turn[k][0] = cos(angle);
        f.turn[k][1] = sin(angle);
    }
    return f;
}

/* The place of a station and layer of a flank. */
static slip_flank_point station_point(const slip_flank_curve *curve, int samples, int station, int layer)
{
    slip_flank_point p = {.column = station / samples, .row = layer};
    p.at[0] = -1 + 2.0 * (station % samples) / samples;
    p.at[1] = -1;
    if (p.column == curve->columns - 1) {
        p.column--;
        p.at[0] = 1;
    }
    if (p.row == curve->rows - 1) {
        p.row--;
        p.at[1] = 1;
    }
    return p;
}

/* The forces of a point on one gear's nodes, in space, become those of the row: in the flank's frame, with
 * their moment about the axis. */
static void take_forces(const slip_gear_static *s, const facing *f, int k, double gradient[4][3],
                        slip_static_row *row)
{
    const double *centre = s->pair->wheels[k].centre, c = f->turn[k][0], sn = f->turn[k][1];
    row->arm[k] = 0;
    for (int i = 0; i < 4; i++) {
        const double *x = f->position[k] + 3 * row->node[k][i], *v = gradient[i];
        row->arm[k] += (x[0] - centre[0]) * v[1] - (x[1] - centre[1]) * v[0];
        row->share[k][i][0] = c * v[0] + sn * v[1];
        row->share[k][i][1] = c * v[1] - sn * v[0];
        row->share[k][i][2] = v[2];
    }
}

static void fill_row(const slip_gear_static *s, const facing *f, const slip_flank_point *place,
                     const slip_flank_point *facing_it, slip_static_row *row)
{
    int slave = row->slave, master = 1 - slave;
    double gradient[4][3], back[3] = {0};
    add_scaled(-1, facing_it->normal, back);
    slip_flank_curve_gradient(f->curve[slave], f->position[slave], place, facing_it->normal, row->node[slave],
                              gradient);
    take_forces(s, f, slave, gradient, row);
    slip_flank_curve_gradient(f->curve[master], f->position[master], facing_it, back, row->node[master],
                              gradient);
    take_forces(s, f, master, gradient, row);
}

/* The gap of a contact point; INFINITY if it faces none. `at`: start and result of the search. */
static double find_gap(const facing *f, int slave, slip_flank_point *place, slip_flank_point *at)
{
    double away[3];
    slip_flank_curve_place(f->curve[slave], f->position[slave], place);
    if (!slip_flank_curve_nearest(f->curve[1 - slave], f->position[1 - slave], place->place, at))
        return INFINITY;
    difference(place->place, at->place, away);
    return dot(away, at->normal);
}

static int add_row(slip_context *ctx, slip_gear_static *s, const facing *f, const slip_static_row *row,
                   const slip_flank_point *place, const slip_flank_point *at)
{
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(s->rows, s->row_capacity, s->row_count + 1)));
    s->rows[s->row_count] = *row;
    s->rows[s->row_count].radius = hypot(place->place[0], place->place[1]);
    fill_row(s, f, place, at, &s->rows[s->row_count]);
    s->row_count++;
    return SLIP_OK;
}

/* A point behind a flank by more than this (m) is taken to lie outside the tooth's other flank. */
static double too_deep(const slip_gear_static *s)
{
    return 10 * (s->load_reach + s->sag) + 1e-6;
}

/* Adds the near points of a station; if its middle layer is not near, none is. */
static int add_station(slip_context *ctx, slip_gear_static *s, const facing *f, slip_static_row row,
                       double reach, slip_flank_point *at)
{
    const slip_flank_curve *own = f->curve[row.slave];
    slip_flank_point place = station_point(own, s->samples, row.station, own->rows / 2);
    at->row = (f->curve[1 - row.slave]->rows - 1) / 2;
    double gap = find_gap(f, row.slave, &place, at);
    if (!(gap < 3 * reach && gap > -too_deep(s)))
        return SLIP_OK;
    for (row.layer = 0; row.layer < own->rows; row.layer++) {
        slip_flank_point here = *at;
        place = station_point(own, s->samples, row.station, row.layer);
        row.gap = find_gap(f, row.slave, &place, &here);
        if (row.gap < reach && row.gap > -too_deep(s))
            SLIP_PASS(add_row(ctx, s, f, &row, &place, &here));
    }
    return SLIP_OK;
}

int slip_gear_static_find(slip_context *ctx, slip_gear_static *s, double reach)
{
    const double weight[2] = {s->two_pass, 1 - s->two_pass};
    s->row_count = 0;
    for (int p = 0; p < s->pair->pair_count; p++) {
        facing f = face(s, p);
        for (int slave = 0; slave < 2; slave++) {
            slip_flank_point at = {.column = f.curve[1 - slave]->columns - 2};
            int stations = s->samples * (f.curve[slave]->columns - 1) + 1;
            for (int k = 0; weight[slave] > 0 && k < stations; k++) {
                slip_static_row row = {.pair = p, .slave = slave, .station = k};
                SLIP_PASS(add_station(ctx, s, &f, row, reach, &at));
            }
        }
    }
    return SLIP_OK;
}
