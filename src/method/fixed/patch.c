/* Patches in a fixed step: friction of more than one dimension as blocks of the contact problem
 * (contact/plane.h), with the slip velocity at the end of the step as its velocity, and friction at theta
 * times that and 1 - theta times that at the beginning. */
#include "method/fixed/fixed.h"
#include "system/detector.h"

#include <math.h>
#include <string.h>

static bool varies(const slip_contact *contact)
{
    return !contact->slips[0].row || !contact->slips[1].row || !contact->slips[2].row;
}

/* Rows that vary: all slip velocities that there are. */
static int add_varying(slip_fixed *f, int c, slip_plane *plane)
{
    const slip_slip_form *form = f->system->contacts[c].slips;
    for (int part = 0; part < 3; part++)
        if (!form[part].row || form[part].support_count > 0) {
            plane->basis[3 * plane->rank++ + part] = 1;
            slip_fixed_add_direction(f, c, false, NULL);
        }
    return SLIP_OK;
}

static void turn_vector(const slip_fixed *f, int d, double t, const double *q, double *row)
{
    const int c = f->directions[d].contact;
    const slip_fixed_patch *p = &f->patches[f->system->contacts[c].vector];
    double slip[3];
    slip_system_patch_slip(f->system, f->work, c, t, q, f->zero, slip);
    slip_system_patch_along(f->system, f->work, c, p->plane.basis + 3 * (d - p->first), row);
}

/* A law with memory, by what the rule of the step makes of it. */
static void memory_law(const void *user, double a, const double w[3], double T[3], double *derivative)
{
    const slip_fixed_patch *p = user;
    double unwanted[9];
    const slip_memory_step step = slip_fixed_memory(p->fixed, a);
    slip_memory_plane_force(&step, p->contact, w, T, derivative ? derivative : unwanted);
}

static bool has_tails(const slip_contact *contact)
{
    return contact->slips[0].tail.count > 0 || contact->slips[1].tail.count > 0;
}

/* Of a point of a whole body: the slip velocities themselves, as far as anything moves them. */
static void list_parts(const slip_contact *contact, slip_plane *plane)
{
    for (int part = 0; part < 2; part++)
        if (contact->slips[part].support_count > 0 || contact->slips[part].tail.count > 0)
            plane->basis[3 * plane->rank++ + part] = 1;
}

/* Rows that a detector finds: both slip velocities, as they are in the workspace. */
static int add_found(slip_fixed *f, int c, slip_plane *plane)
{
    const slip_slip_form *slips = slip_contact_slips(f->system, f->work, c);
    for (int part = 0; part < 2; part++) {
        plane->basis[3 * plane->rank++ + part] = 1;
        slip_fixed_add_tail(f, slip_fixed_add_direction(f, c, false, slips[part].row), &slips[part].tail);
    }
    return SLIP_OK;
}

static int add_vector(slip_fixed *f, int c)
{
    const slip_contact *contact = &f->system->contacts[c];
    slip_fixed_patch *p = &f->patches[contact->vector];
    slip_plane *plane = &p->plane;
    double *rows = slip_arena_array(&f->arena, 3 * (int64_t)f->n, sizeof(double));
    SLIP_PASS(slip_allocated(f->ctx, rows));
    f->constant_rows = false;
    f->iterate |= contact->normal_force || contact->varying_count > 0;
    for (int part = 0; part < contact->dimension; part++)
        f->iterate |= contact->slips[part].rest != NULL;
    p->contact = c;
    p->first = f->direction_count;
    p->form = contact->patch;
    plane->surface = p->form->law;
    plane->user = p;
    p->fixed = f;
    plane->set_valued = p->form->set_valued;
    plane->a = f->theta;
    if (varies(contact))
        return add_varying(f, c, plane);
    if (contact->found)
        return add_found(f, c, plane);
    const bool tails = has_tails(contact);
    if (tails)
        list_parts(contact, plane);
    else
        plane->rank = slip_system_patch_basis(f->system, f->work, c, plane->basis);
    for (int k = 0; k < plane->rank; k++, rows += f->n) {
        slip_system_patch_along(f->system, f->work, c, plane->basis + 3 * k, rows);
        const int direction = slip_fixed_add_direction(f, c, false, rows);
        for (int part = 0; part < 3 && tails; part++)
            if (plane->basis[3 * k + part] != 0)
                slip_fixed_add_tail(f, direction, &contact->slips[part].tail);
    }
    return SLIP_OK;
}

/* How the slip of another patch follows from that of the first one. */
static bool find_map(const slip_fixed *f, const slip_fixed_patch *first, const slip_fixed_patch *other,
                     double map[9])
{
    return slip_system_patch_map(f->system, f->work, first->contact, first->plane.rank, first->plane.basis,
                                 other->contact, map);
}

/* Those whose rows span the same: with the first of them each has as many directions, and follows from it. */
int slip_fixed_patch_group(slip_fixed *f)
{
    const int count = f->system->patch_count;
    for (int b = 0; b < count; b++) {
        slip_fixed_patch *second = &f->patches[b];
        for (int a = 0; a < b && !second->plane.leader; a++) {
            slip_fixed_patch *first = &f->patches[a];
            slip_plane *last = &first->plane;
            double map[9];
            if (last->leader || last->rank != second->plane.rank ||
                f->system->contacts[first->contact].has_gap || f->system->contacts[second->contact].has_gap ||
                !find_map(f, first, second, map) || !last->set_valued || !second->plane.set_valued ||
                varies(&f->system->contacts[first->contact]) || varies(&f->system->contacts[second->contact]))
                continue;
            while (last->next)
                last = last->next;
            last->next = &second->plane;
            second->plane.leader = &first->plane;
        }
    }
    for (int k = 0; k < count; k++) {
        slip_plane *leader = &f->patches[k].plane;
        slip_patch_part *parts;
        int members = 0;
        for (slip_plane *p = leader; p && !leader->leader; p = p->next)
            members++;
        if (members < 2)
            continue;
        parts = slip_arena_array(&f->arena, members, sizeof *parts);
        leader->sum = slip_arena_alloc(&f->arena, sizeof *leader->sum);
        SLIP_PASS(slip_allocated(f->ctx, parts && leader->sum));
        slip_patch_sum_prepare(leader->sum, members, parts);
        for (int j = k; j < count; j++)
            if (j == k || f->patches[j].plane.leader == leader) {
                parts->patch = f->patches[j].plane.surface;
                find_map(f, &f->patches[k], &f->patches[j], parts++->map);
            }
    }
    return SLIP_OK;
}

/* ---- In a step. */

/* Slip velocities in units of the area. */
static void find_slip(slip_fixed *f, const slip_fixed_patch *p, double t, const double *q, const double *v,
                      double slip[3])
{
    slip_system_patch_slip(f->system, f->work, p->contact, t, q, v, slip);
    slip[2] *= p->form->size;
}

/* Its rows; `normal` is that of its gap, or -1 with the normal impulse that is given. */
static void collect_vector(slip_fixed *f, int c, int normal, double impulse, int turn)
{
    const slip_contact *contact = &f->system->contacts[c];
    slip_fixed_patch *p = &f->patches[contact->vector];
    slip_plane *plane = &p->plane;
    const bool struck = f->contacts[c].struck;
    const double mu = (struck ? slip_impact_mu(f->system, f->work, c) : f->work->patch_mu[contact->vector]) *
                      (normal >= 0 ? 1 : impulse),
                 ratio = contact->set_valued && !struck ? p->form->static_ratio : 1;
    double along[3];
    plane->set_valued = contact->set_valued || struck;
    plane->law = contact->state_count > 0 && !struck ? memory_law : NULL;
    find_slip(f, p, f->t0 + f->matrices.h, f->end_q, slip_fixed_only_states(f, f->v), p->shift);
    slip_plane_divide(plane, p->shift, along, plane->across);
    if (turn == 0)
        find_slip(f, p, f->t0, f->q0, f->v0, plane->start);
    plane->row = f->groups.now->m;
    for (int k = 0; k < plane->rank; k++)
        slip_fixed_add_row(f, p->first + k, along[k],
                           (slip_block){.kind = k == 0 ? SLIP_BLOCK_PLANE : SLIP_BLOCK_PART,
                                        .normal = normal,
                                        .hold = ratio * mu,
                                        .slide = mu,
                                        .offset = contact->impact_friction ? 0 : f->contacts[c].impact_part,
                                        .plane = plane});
    f->groups.now->planes++;
}

/* Of a patch that is open. */
static void leave_vector(slip_fixed *f, int c)
{
    slip_plane *plane = &f->patches[f->system->contacts[c].vector].plane;
    memset(plane->impulse, 0, sizeof plane->impulse);
    plane->stuck = plane->inside = false;
}

/* Whether what is added to the rows is the same motion for all of a group. */
static bool shifts_agree(const slip_fixed *f, const slip_fixed_patch *leader)
{
    int k = 1;
    for (int j = 0; j < f->system->patch_count; j++) {
        if (f->patches[j].plane.leader != &leader->plane)
            continue;
        const double *map = leader->plane.sum->parts[k++].map, *shift = f->patches[j].shift;
        for (int i = 0; i < 3; i++) {
            double own = slip_dot(3, map + 3 * i, leader->shift);
            if (fabs(own - shift[i]) > 1e-12 * (fabs(own) + fabs(shift[i])))
                return false;
        }
    }
    return true;
}

/* Whether velocities jump in this step: a gap that was open closes, or passes such a blow on. */
static bool has_impact(const slip_fixed *f)
{
    for (int c = 0; c < f->contact_count && f->rules->impulsive; c++) {
        const slip_fixed_contact *own = &f->contacts[c];
        if (own->struck || (own->normal >= 0 && own->active && !own->spring && own->mode == SLIP_MODE_OPEN &&
                            slip_fixed_approaches(f, c)))
            return true;
    }
    return false;
}

/* Of a group: whether friction of its planes is that of the slip inside the step. */
static void resolve(slip_fixed *f, const slip_fixed_group *group, bool impact)
{
    const slip_contact_problem problem = slip_fixed_problem(f, group);
    const slip_block *rows = f->problem.rows + group->row;
    for (int i = 0; i < group->m; i++) {
        slip_plane *plane = rows[i].plane;
        double own[9];
        if (rows[i].kind != SLIP_BLOCK_PLANE)
            continue;
        for (int k = 0; k < plane->rank; k++)
            for (int l = 0; l < plane->rank; l++)
                own[plane->rank * k + l] = problem.gram[(i + k) * group->m + i + l];
        /* impulses have the law of the slip after them, not of the mean over the jump */
        plane->inside = !impact && slip_plane_resolves(plane, rows, f->problem.solution.p + group->row, own);
    }
}

void slip_fixed_patch_join(slip_fixed *f, int turn)
{
    const bool impact = turn == 0 && has_impact(f);
    for (int k = 0; k < f->system->patch_count; k++) {
        slip_fixed_patch *p = &f->patches[k];
        p->plane.together = p->plane.sum && shifts_agree(f, p);
    }
    for (int g = 0; g < f->groups.count && turn == 0; g++)
        resolve(f, &f->groups.list[g], impact);
}

/* What the velocities at the end have of a slip velocity. */
static double moves_at_end(slip_fixed *f, const slip_fixed_patch *p, int part)
{
    const slip_contact *contact = &f->system->contacts[p->contact];
    if (!contact->found && !has_tails(contact))
        return slip_dot(f->n, slip_system_patch_row(f->system, f->work, p->contact, part), f->v);
    for (int k = 0; k < p->plane.rank; k++)
        if (p->plane.basis[3 * k + part] != 0) /* each direction is one of the two */
            return slip_fixed_moves(f, SLIP_FIXED_END, p->first + k, f->v);
    return 0;
}

static void remember_vector(slip_fixed *f, int c)
{
    const slip_fixed_patch *p = &f->patches[f->system->contacts[c].vector];
    const double a = p->plane.inside ? f->theta : 1;
    double x[2];
    for (int i = 0; i < 2; i++)
        x[i] = a * p->shift[i] + (1 - a) * p->plane.start[i] + a * moves_at_end(f, p, i);
    const slip_memory_step step = slip_fixed_memory(f, a);
    slip_memory_set_plane(&step, c, x, f->v);
}

/* The force of a law with memory at the state in at_v, for unit normal force. */
static void view_memory(const slip_fixed *f, int c, const double slip[3], double T[3])
{
    slip_law_plane to;
    memcpy(f->work->patches[f->system->contacts[c].vector].slip, slip, 3 * sizeof *slip);
    slip_system_plane_response(f->system, f->work, c, NULL, f->at_v, &to);
    T[0] = to.force[0];
    T[1] = to.force[1];
    T[2] = 0;
}

/* Inside a step the slip velocity changes evenly, and its own friction belongs to it; at the end there are
 * the impulses, where they are those of the slip at the end. */
static void view_vector(const slip_fixed *f, int c, double t, slip_sample *sample)
{
    const slip_fixed_patch *p = &f->patches[f->system->contacts[c].vector];
    const slip_patch_form *form = p->form;
    const slip_fixed_contact *own = &f->contacts[c];
    const double normal = slip_fixed_view_normal(f, c, t);
    const bool open = own->normal >= 0 && own->mode == SLIP_MODE_OPEN;
    bool held = own->mode == SLIP_MODE_STICK && (t >= f->t || own->held_before);
    bool impulses = held || open || (t >= f->t && !p->plane.inside);
    slip_patch_state state = {.slip = {0, 0, 0}};
    if (!held)
        slip_system_patch_slip(f->system, f->work, c, t, f->at_q, f->at_v, state.slip);
    if (!impulses && f->system->contacts[c].state_count > 0)
        view_memory(f, c, state.slip, state.force);
    else if (!impulses)
        slip_patch_evaluate(form->law, state.slip, state.force, NULL);
    for (int part = 0; part < 3; part++)
        state.force[part] =
            impulses ? p->plane.impulse[part] * f->matrices.inverse_h * (part == 2 ? form->size : 1)
                     : -f->work->patch_mu[f->system->contacts[c].vector] * normal * state.force[part];
    if (sample->slip)
        sample->slip[c] = slip_contact_slip_size(&f->system->contacts[c], state.slip);
    if (sample->normal)
        sample->normal[c] = normal;
    if (sample->force)
        sample->force[c] = -slip_contact_force_size(&f->system->contacts[c], state.force);
    if (sample->mode)
        sample->mode[c] = held                                    ? SLIP_MODE_STICK
                          : open || own->mode == SLIP_MODE_CLOSED ? own->mode
                                                                  : SLIP_MODE_SLIP;
    if (sample->patches)
        sample->patches[f->system->contacts[c].vector] = state;
}

static slip_mode find_mode(slip_fixed *f, int c)
{
    const slip_memory_step step = slip_fixed_memory(f, f->theta);
    if (f->system->contacts[c].slider_count > 0)
        return slip_memory_slider_mode(&step, c, 0, f->v);
    return f->patches[f->system->contacts[c].vector].plane.stuck ? SLIP_MODE_STICK : SLIP_MODE_SLIP;
}

static void add_work(const slip_fixed *f, int c, double t, const slip_works *to)
{
    const slip_contact *contact = &f->system->contacts[c];
    const int m = f->contact_count;
    double slip[3], belt[3], force[3];
    slip_system_patch_slip(f->system, f->work, c, t, f->at_q, f->at_v, slip);
    slip_system_patch_slip(f->system, f->work, c, t, f->at_q, slip_fixed_only_states(f, f->at_v), belt);
    for (int part = 0; part < 3; part++) {
        force[part] =
            f->patches[contact->vector].plane.impulse[part] * f->matrices.inverse_h * contact->unit[part];
        to->works[SLIP_WORK_CONTACTS + c] += f->matrices.h * force[part] * (slip[part] - belt[part]);
        to->works[SLIP_WORK_CONTACTS + m + c] -= f->matrices.h * force[part] * slip[part];
    }
    const double size = slip_contact_force_size(contact, force);
    to->forces[m + c] = size > to->forces[m + c] ? size : to->forces[m + c];
}

const slip_fixed_friction slip_fixed_vector = {.add = add_vector,
                                               .turn = turn_vector,
                                               .collect = collect_vector,
                                               .leave = leave_vector,
                                               .remember = remember_vector,
                                               .mode = find_mode,
                                               .view = view_vector,
                                               .work = add_work};
