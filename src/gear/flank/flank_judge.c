/* The judge of the contact of flanks (contact/problem.h). It gets positions of nodes and normal forces only,
 * and does not depend on the method that computed them. */
#include "contact/problem.h"
#include "gear/flank/flank_types.h"

/* The nodes of one flank. With the force p and the flexibility s of the spring, the law is y = s p + g >= 0,
 * p >= 0, y p = 0. For a node far in front of the other flank, or beside it, g has no upper limit, so p must
 * be 0. */
static double judge_flank(slip_flank_contact *search, int body, const slip_flank_pair *pair,
                          const double *const position[2], const double *force, const double *soft)
{
    static const slip_block press = {.kind = SLIP_BLOCK_NORMAL};
    const slip_flank_surface *s = &search->surfaces[body][pair->surface[body]];
    slip_flank_touch *touch = search->touches[body][pair->surface[body]];
    double worst = 0;
    for (int i = 0; i < s->rows * s->columns; i++)
        touch[i].master = -1; /* nothing that was before counts */
    slip_flank_find(search, body, pair, position);
    for (int i = 0; i < s->rows * s->columns; i++) {
        const double p = force[s->nodes[i]], give = soft[s->nodes[i]],
                     gap = touch[i].near ? -touch[i].depth : INFINITY;
        worst = fmax(worst, slip_block_residual(&press, give, 1, p, give * p + gap));
    }
    return worst;
}

double slip_flank_judge(slip_flank_contact *search, int pair_count, const slip_flank_pair *pairs,
                        const double *const position[2], const double *const force[2],
                        const double *const soft[2])
{
    const double weight[2] = {search->options.two_pass, 1 - search->options.two_pass};
    double worst = 0;
    for (int p = 0; p < pair_count; p++)
        for (int body = 0; body < 2; body++)
            if (weight[body] > 0)
                worst = fmax(worst, judge_flank(search, body, &pairs[p], position, force[body], soft[body]));
    return worst;
}
