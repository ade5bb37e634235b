#include "matrices.h"

#include <stdbool.h>
#include <stdlib.h>

enum { unknowns_max = 3 * slip_pieces_nodes_max };

/* The unknowns of an element, of which held ones are negative: PETSc leaves those out. The first that is not
 * says whose element it is. */
static int unknowns_of(const slip_pieces *pieces, int dimension, int count, const int64_t *nodes,
                       PetscInt *unknowns, PetscInt *first)
{
    *first = -1;
    for (int k = 0; k < count * dimension; k++) {
        unknowns[k] = (PetscInt)slip_pieces_unknown(pieces, nodes[k / dimension], k % dimension);
        if (*first < 0)
            *first = unknowns[k];
    }
    return count * dimension;
}

/* ---- How many entries each row has: counted from the elements around each node. */

typedef struct neighbours {
    int64_t *start, *element; /* of each node: the elements around it, one after the other */
} neighbours;

static PetscErrorCode find_elements(const slip_pieces *pieces, slip_pieces_counts counts, neighbours *n)
{
    int64_t nodes[slip_pieces_nodes_max];
    PetscFunctionBeginUser;
    PetscCall(PetscCalloc1(counts.nodes + 2, &n->start));
    for (int64_t e = 0; e < counts.elements; e++)
        for (int k = slip_pieces_element(pieces, e, nodes, NULL, NULL) - 1; k >= 0; k--)
            n->start[nodes[k] + 2]++;
    for (int64_t i = 0; i <= counts.nodes; i++)
        n->start[i + 1] += n->start[i];
    PetscCall(PetscMalloc1(n->start[counts.nodes + 1] + 1, &n->element));
    for (int64_t e = 0; e < counts.elements; e++)
        for (int k = slip_pieces_element(pieces, e, nodes, NULL, NULL) - 1; k >= 0; k--)
            n->element[n->start[nodes[k] + 1]++] = e;
    PetscFunctionReturn(0);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Entries of the rows of a node, in the columns of this process (from first to last - 1) and in others. With
 * `direction` not negative only those of that direction, which the mass does not couple with others. */
static PetscErrorCode count_columns(const slip_pieces *pieces, const neighbours *n, int dimension,
                                    int64_t node, int direction, PetscInt first, PetscInt last,
                                    int64_t **room, int64_t *capacity, PetscInt *own, PetscInt *other)
{
    int64_t count = 0, nodes[slip_pieces_nodes_max];
    PetscFunctionBeginUser;
    for (int64_t k = n->start[node]; k < n->start[node + 1]; k++) {
        const int found = slip_pieces_element(pieces, n->element[k], nodes, NULL, NULL);
        if (count + found > *capacity) {
            *capacity = 2 * (count + found);
            PetscCall(PetscRealloc((size_t)*capacity * sizeof **room, room));
        }
        for (int i = 0; i < found; i++)
            (*room)[count++] = nodes[i];
    }
    qsort(*room, (size_t)count, sizeof **room, compare);
    *own = *other = 0;
    for (int64_t k = 0; k < count; k++)
        for (int d = 0; d < dimension; d++) {
            const PetscInt column = (PetscInt)slip_pieces_unknown(pieces, (*room)[k], d);
            if ((k > 0 && (*room)[k] == (*room)[k - 1]) || column < 0 || (direction >= 0 && d != direction))
                continue;
            *(column >= first && column < last ? own : other) += 1;
        }
    PetscFunctionReturn(0);
}

static PetscErrorCode make(const slip_pieces *pieces, const neighbours *n, slip_pieces_counts counts,
                           bool coupled, Mat *matrix)
{
    PetscInt first, last, rows = PETSC_DECIDE, all = (PetscInt)counts.unknowns, *own, *other;
    int64_t *room = NULL, capacity = 0;
    PetscFunctionBeginUser;
    PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &rows, &all));
    PetscCallMPI(MPI_Scan(&rows, &last, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    first = last - rows;
    PetscCall(MatCreate(PETSC_COMM_WORLD, matrix));
    PetscCall(MatSetSizes(*matrix, rows, rows, all, all));
    PetscCall(MatSetType(*matrix, MATAIJ));
    PetscCall(PetscCalloc2(rows + 1, &own, rows + 1, &other));
    for (int64_t node = 0; node < counts.nodes; node++)
        for (int d = 0; d < counts.dimension; d++) {
            const PetscInt row = (PetscInt)slip_pieces_unknown(pieces, node, d);
            if (row >= first && row < last)
                PetscCall(count_columns(pieces, n, counts.dimension, node, coupled ? -1 : d, first, last,
                                        &room, &capacity, &own[row - first], &other[row - first]));
        }
    PetscCall(MatSeqAIJSetPreallocation(*matrix, 0, own));
    PetscCall(MatMPIAIJSetPreallocation(*matrix, 0, own, 0, other));
    PetscCall(MatSetOption(*matrix, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(*matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
    PetscCall(PetscFree2(own, other));
    PetscCall(PetscFree(room));
    PetscFunctionReturn(0);
}

/* ---- Assembly. */

static PetscErrorCode add_element(const slip_pieces *pieces, slip_pieces_counts counts, int64_t element,
                                  PetscInt first, PetscInt last, Mat stiffness, Mat mass)
{
    static double of_stiffness[unknowns_max * unknowns_max];
    const int d = counts.dimension;
    double of_mass[slip_pieces_nodes_max * slip_pieces_nodes_max];
    int64_t nodes[slip_pieces_nodes_max];
    PetscInt unknowns[unknowns_max], leader, one[slip_pieces_nodes_max];
    const int count = slip_pieces_element(pieces, element, nodes, NULL, NULL),
              size = unknowns_of(pieces, d, count, nodes, unknowns, &leader);
    PetscFunctionBeginUser;
    if (leader < first || leader >= last)
        PetscFunctionReturn(0);
    slip_pieces_element(pieces, element, nodes, of_stiffness, mass ? of_mass : NULL);
    PetscCall(MatSetValues(stiffness, size, unknowns, size, unknowns, of_stiffness, ADD_VALUES));
    for (int direction = 0; direction < d && mass; direction++) {
        for (int k = 0; k < count; k++)
            one[k] = unknowns[d * k + direction];
        PetscCall(MatSetValues(mass, count, one, count, one, of_mass, ADD_VALUES));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode matrices_assemble(const slip_pieces *pieces, Mat *stiffness, Mat *mass, double *mean)
{
    const slip_pieces_counts counts = slip_pieces_size(pieces);
    neighbours n = {0};
    PetscInt first, last;
    PetscScalar traces[2] = {1, 1};
    PetscFunctionBeginUser;
    PetscCall(find_elements(pieces, counts, &n));
    PetscCall(make(pieces, &n, counts, true, stiffness));
    if (mass)
        PetscCall(make(pieces, &n, counts, false, mass));
    PetscCall(PetscFree(n.start));
    PetscCall(PetscFree(n.element));
    PetscCall(MatGetOwnershipRange(*stiffness, &first, &last));
    for (int64_t e = 0; e < counts.elements; e++)
        PetscCall(add_element(pieces, counts, e, first, last, *stiffness, mass ? *mass : NULL));
    PetscCall(MatAssemblyBegin(*stiffness, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*stiffness, MAT_FINAL_ASSEMBLY));
    PetscCall(MatGetTrace(*stiffness, &traces[0]));
    if (mass) {
        PetscCall(MatAssemblyBegin(*mass, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(*mass, MAT_FINAL_ASSEMBLY));
        PetscCall(MatGetTrace(*mass, &traces[1]));
    }
    if (mean)
        *mean = traces[0] / traces[1];
    PetscFunctionReturn(0);
}
