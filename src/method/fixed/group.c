/* Contacts that move something in common, and the contact problem of each such group.
 *
 * With a diagonal mass matrix an impulse moves the unknowns of its own row and no others. Two contacts are
 * coupled if their rows share an unknown, or if both move coordinates beside the bodies. Contacts that are
 * coupled directly or by others form a group: G of thousands of nodes on a plane is thousands of small ones.
 */
#include "math/groups.h"
#include "method/fixed/fixed.h"
#include "system/detector.h"

#include <string.h>

static void join_first(int contact, int *first, int *leader)
{
    *first = *first < 0 ? contact : *first;
    slip_group_join(leader, *first, contact);
}

/* What a direction reaches: `of` has one contact for each unknown of the field and one for the n, or -1. */
static void join_reached(const slip_fixed_direction *d, int *leader, int *of, int64_t coordinates)
{
    const int count = d->tail ? d->tail->count : 0;
    for (int k = d->support_count > 0 ? -1 : 0; k < count; k++)
        join_first(d->contact, &of[k < 0 ? coordinates : d->tail->unknown[k]], leader);
}

/* Contacts whose rows may come to be any of these unknowns, and those of the n. */
static void join_detector(const slip_fixed *f, const slip_detector *detector, int *leader, int *of)
{
    for (int c = detector->first; c < detector->first + detector->count; c++)
        slip_group_join(leader, detector->first, c);
    for (int64_t k = 0; k < detector->unknown_count; k++)
        join_first(detector->first, &of[detector->unknowns[k]], leader);
    if (f->n > 0)
        join_first(detector->first, &of[f->size - f->n], leader);
}

static void find_leaders(slip_fixed *f, int *leader, int *of)
{
    const int64_t unknowns = f->size - f->n;
    const bool local = unknowns > 0 && f->rules->whole->local;
    for (int c = 0; c < f->contact_count; c++)
        leader[c] = local ? c : 0;
    if (!local)
        return;
    for (int64_t i = 0; i <= unknowns; i++)
        of[i] = -1;
    for (int d = 0; d < f->direction_count; d++)
        join_reached(&f->directions[d], leader, of, unknowns);
    for (int k = 0; k < f->system->detector_count; k++)
        join_detector(f, &f->system->detectors[k], leader, of);
    for (int p = 0; p < f->system->patch_count; p++) /* they may be solved as one */
        if (f->patches[p].plane.leader)
            slip_group_join(leader, f->patches[p].contact,
                            ((const slip_fixed_patch *)f->patches[p].plane.leader->user)->contact);
}

static bool allocate(slip_fixed *f)
{
    slip_arena *arena = &f->arena;
    f->groups.list = slip_arena_array(arena, f->contact_count + 1, sizeof *f->groups.list);
    f->groups.contacts = slip_arena_array(arena, f->contact_count + 1, sizeof *f->groups.contacts);
    f->groups.directions = slip_arena_array(arena, f->direction_count + 1, sizeof *f->groups.directions);
    return f->groups.list && f->groups.contacts && f->groups.directions;
}

/* Lists of contacts and directions by groups, whose sizes are known. */
static void list(slip_fixed *f, const int *number)
{
    int contacts = 0, directions = 0;
    int64_t gram = 0;
    for (int g = 0; g < f->groups.count; g++) {
        slip_fixed_group *group = &f->groups.list[g];
        group->first = contacts;
        group->member = directions;
        group->gram = gram;
        contacts += group->count;
        directions += group->directions;
        gram += (int64_t)group->directions * group->directions;
        group->count = group->directions = 0;
    }
    for (int c = 0; c < f->contact_count; c++) {
        slip_fixed_group *group = &f->groups.list[number[c]];
        f->groups.contacts[group->first + group->count++] = c;
    }
    for (int d = 0; d < f->direction_count; d++) {
        slip_fixed_direction *one = &f->directions[d];
        slip_fixed_group *group = &f->groups.list[one->group];
        one->place = group->directions;
        f->groups.directions[group->member + group->directions++] = d;
    }
}

int slip_fixed_find_groups(slip_fixed *f)
{
    const int contacts = f->contact_count;
    int *leader = slip_arena_array(&f->arena, contacts + 1, sizeof *leader),
        *number = slip_arena_array(&f->arena, contacts + 1, sizeof *number),
        *of = slip_arena_array(&f->arena, f->size - f->n + 1, sizeof *of), largest = 0;
    int64_t all = 0;
    SLIP_PASS(slip_allocated(f->ctx, leader && number && of && allocate(f)));
    find_leaders(f, leader, of);
    for (int c = 0; c < contacts; c++) {
        const int first = slip_group_of(leader, c);
        number[c] = first == c ? f->groups.count++ : number[first];
        f->groups.list[number[c]].count++;
    }
    for (int d = 0; d < f->direction_count; d++) {
        f->directions[d].group = number[f->directions[d].contact];
        f->groups.list[f->directions[d].group].directions++;
    }
    list(f, number);
    for (int g = 0; g < f->groups.count; g++) {
        const int size = f->groups.list[g].directions;
        largest = size > largest ? size : largest;
        all += (int64_t)size * size;
    }
    f->matrices.gram = slip_arena_array(&f->arena, all + 1, sizeof *f->matrices.gram);
    f->problem.gram = slip_arena_array(&f->arena, all + 1, sizeof *f->problem.gram);
    return slip_allocated(f->ctx,
                          f->matrices.gram && f->problem.gram &&
                              slip_contact_memory_create(&f->arena, largest, f->system->patch_count > 0,
                                                         false, &f->problem.memory));
}

/* ---- In a step. */

void slip_fixed_begin_rows(slip_fixed *f, slip_fixed_group *group)
{
    f->groups.now = group;
    group->row = f->problem.m;
    group->m = group->planes = 0;
    if (f->problem.give)
        memset(f->problem.give + f->problem.m, 0, (size_t)group->directions * sizeof *f->problem.give);
}

/* All rows of a group in their order have G as it is. */
static bool takes_part_of_gram(const slip_fixed *f, const slip_fixed_group *group)
{
    return group->m < group->directions || f->problem.give;
}

void slip_fixed_gather_gram(slip_fixed *f)
{
    for (int g = 0; g < f->groups.count; g++) {
        const slip_fixed_group *group = &f->groups.list[g];
        const int *active = f->problem.active + group->row, all = group->directions, m = group->m;
        double *to = f->problem.gram + group->gram;
        if (!takes_part_of_gram(f, group))
            continue;
        for (int i = 0; i < m; i++) {
            const double *row =
                f->matrices.gram + group->gram + (int64_t)f->directions[active[i]].place * all;
            for (int j = 0; j < m; j++)
                to[(int64_t)i * m + j] = row[f->directions[active[j]].place];
        }
        for (int i = 0; i < m && f->problem.give; i++)
            to[(int64_t)i * (m + 1)] += f->problem.give[group->row + i];
    }
}

slip_contact_problem slip_fixed_problem(const slip_fixed *f, const slip_fixed_group *group)
{
    return (slip_contact_problem){
        .m = group->m,
        .gram = (takes_part_of_gram(f, group) ? f->problem.gram : f->matrices.gram) + group->gram,
        .initial = f->problem.initial + group->row,
        .rows = f->problem.rows + group->row,
        .planes = group->planes};
}

double slip_fixed_solve_rows(slip_fixed *f)
{
    double residual = 0;
    for (int g = 0; g < f->groups.count; g++) {
        const slip_fixed_group *group = &f->groups.list[g];
        const slip_contact_problem problem = slip_fixed_problem(f, group);
        slip_contact_solution solution = {f->problem.solution.p + group->row,
                                          f->problem.solution.y + group->row,
                                          f->problem.solution.states + group->row};
        if (group->m == 0)
            continue;
        f->problem.memory.sure &= f->groups.count == 1;
        residual = fmax(residual, slip_contact_solve(&problem, &solution, &f->problem.memory));
    }
    return residual;
}
