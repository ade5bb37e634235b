/* Groups of numbered things that hang together, each named by one of its members: leader[i] is i of that one,
 * and leads towards it from others. */
#ifndef SLIP_MATH_GROUPS_H
#define SLIP_MATH_GROUPS_H

/* The member that names the group of a thing; halves the way for the next time. */
static inline int slip_group_of(int *leader, int i)
{
    while (leader[i] != i)
        i = leader[i] = leader[leader[i]];
    return i;
}

/* The lower number leads, so that groups are in the order of their first members. */
static inline void slip_group_join(int *leader, int a, int b)
{
    a = slip_group_of(leader, a);
    b = slip_group_of(leader, b);
    leader[a > b ? a : b] = a > b ? b : a;
}

#endif
