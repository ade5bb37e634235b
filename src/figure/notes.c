/* Each word takes the best of eight places around its point, in the order of the words. The penalty of a
 * position is the length of curves under the word, in pixels; other words and edges have larger penalties. */
#include "figure/notes.h"

#include <math.h>
#include <string.h>

enum { place_count = 8, half_height = 17, gap = 12, mark = 7 };
static const double crowded = 20, outside = 1000;

typedef struct frame {
    const slip_panel *panel;
    slip_axis_range axis[2];
    double size[2];
} frame;

static double pixel(const frame *f, int k, double value)
{
    const slip_axis_range r = f->axis[k];
    const double share =
        r.log ? log(value / r.low) / log(r.high / r.low) : (value - r.low) / (r.high - r.low);
    return share * f->size[k];
}

/* Length of the part of a segment that is in a box (Liang and Barsky). */
static double part_inside(const double from[2], const double to[2], const double low[2], const double high[2])
{
    double begin = 0, end = 1;
    for (int k = 0; k < 2; k++) {
        const double way = to[k] - from[k];
        double in = (low[k] - from[k]) / way, out = (high[k] - from[k]) / way;
        if (way == 0) {
            if (from[k] < low[k] || from[k] > high[k])
                return 0;
            continue;
        }
        begin = fmax(begin, fmin(in, out));
        end = fmin(end, fmax(in, out));
    }
    return end > begin ? (end - begin) * hypot(to[0] - from[0], to[1] - from[1]) : 0;
}

/* Of a line its length; a lone point counts as its mark. */
static double covered_by(const frame *f, const slip_curve *c, const double low[2], const double high[2])
{
    double last[2] = {NAN, NAN}, sum = 0;
    for (int64_t i = 0; i < c->count; i++) {
        const double at[2] = {pixel(f, 0, c->x[i]), pixel(f, 1, c->y[i])};
        if (c->style == SLIP_CURVE_POINTS && at[0] > low[0] && at[0] < high[0] && at[1] > low[1] &&
            at[1] < high[1])
            sum += mark;
        else if (c->style != SLIP_CURVE_POINTS && isfinite(at[0] + at[1] + last[0] + last[1]))
            sum += part_inside(last, at, low, high);
        memcpy(last, at, sizeof last);
    }
    return sum;
}

static double covered(const frame *f, const double low[2], const double high[2])
{
    double sum = 0;
    for (int c = 0; c < f->panel->curve_count; c++)
        if (f->panel->curves[c].style != SLIP_CURVE_CELLS)
            sum += covered_by(f, &f->panel->curves[c], low, high);
    return sum;
}

double slip_notes_covered(const slip_panel *panel, slip_axis_range x, slip_axis_range y, double width,
                          double height, const double low[2], const double high[2])
{
    const frame f = {panel, {x, y}, {width, height}};
    return covered(&f, low, high);
}

/* Right and above first: where a reader looks for the word. */
static slip_note_place candidate(const frame *f, int k, int which, double character)
{
    static const int across[place_count] = {1, -1, 1, -1, 1, -1, 0, 0};
    static const int up[place_count] = {1, 1, -1, -1, 0, 0, 1, -1};
    const slip_figure_note *note = &f->panel->notes[k];
    const double length = character * (double)strlen(note->text);
    const int side = across[which];
    slip_note_place p = {
        .dx = side * gap, .dy = up[which] * (half_height + (side == 0 ? gap : 3)), .side = side};
    const double x = pixel(f, 0, note->x) + p.dx, y = pixel(f, 1, note->y) + p.dy;
    p.low[0] = side > 0 ? x : side < 0 ? x - length : x - length / 2;
    p.high[0] = p.low[0] + length;
    p.low[1] = y - half_height;
    p.high[1] = y + half_height;
    return p;
}

static double overlap(const double a_low[2], const double a_high[2], const double b_low[2],
                      const double b_high[2])
{
    const double width = fmin(a_high[0], b_high[0]) - fmax(a_low[0], b_low[0]);
    const double height = fmin(a_high[1], b_high[1]) - fmax(a_low[1], b_low[1]);
    return width > 0 && height > 0 ? width : 0;
}

/* The penalty of a position: overlap with words already placed, marks of points, edges, and curves. */
static double badness(const frame *f, int k, slip_note_place *p, const slip_note_place *placed, int count)
{
    double sum = covered(f, p->low, p->high);
    for (int i = 0; i < k; i++) {
        const double common = placed[i].crowded ? 0 : overlap(p->low, p->high, placed[i].low, placed[i].high);
        p->crowded = p->crowded || common > 0;
        sum += crowded * common;
    }
    for (int i = 0; i < count; i++) {
        const double x = pixel(f, 0, f->panel->notes[i].x), y = pixel(f, 1, f->panel->notes[i].y);
        if (i != k)
            sum += overlap(p->low, p->high, (double[2]){x - mark, y - mark}, (double[2]){x + mark, y + mark});
    }
    for (int d = 0; d < 2; d++)
        if (p->low[d] < 0 || p->high[d] > f->size[d])
            sum += outside;
    return sum;
}

void slip_notes_place(const slip_panel *panel, slip_axis_range x, slip_axis_range y, double width,
                      double height, double character, slip_note_place *places)
{
    const frame f = {panel, {x, y}, {width, height}};
    const int count = panel->note_count < slip_notes_max ? panel->note_count : slip_notes_max;
    for (int k = 0; k < count; k++) {
        double least = INFINITY;
        for (int which = 0; which < place_count && least > 0; which++) {
            slip_note_place p = candidate(&f, k, which, character);
            const double bad = badness(&f, k, &p, places, count);
            if (bad < least) {
                least = bad;
                places[k] = p;
            }
        }
    }
}
