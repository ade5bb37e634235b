/* Sparse symmetric matrices by compressed columns, put together from element matrices. */
#ifndef SLIP_MATH_SPARSE_H
#define SLIP_MATH_SPARSE_H

#include "base/context.h"

/* The lower triangle of a symmetric matrix: column j has the rows row[start[j]] to row[start[j + 1] - 1], in
 * ascending order, the diagonal first. */
typedef struct slip_sparse {
    int64_t size;
    int64_t *start; /* size + 1 */
    int64_t *row;
    double *value;
} slip_sparse;

void slip_sparse_destroy(slip_sparse *matrix);
SLIP_OWNED(slip_sparse, slip_sparse_destroy)

/* The part of a matrix whose unknowns have part[i] >= 0: their numbers in it, ascending; `size` of them. */
int slip_sparse_part(slip_context *ctx, const slip_sparse *matrix, const int64_t *part, int64_t size,
                     slip_sparse **result);

/* The sum of entries by row and column, in any order, of which those above the diagonal are taken for their
 * mirror images; every diagonal entry is there. */
int slip_sparse_gather(slip_context *ctx, int64_t size, int64_t count, const int64_t *row,
                       const int64_t *column, const double *value, slip_sparse **result);

/* a A + b B, with every entry that either has. */
int slip_sparse_sum(slip_context *ctx, double a, const slip_sparse *first, double b,
                    const slip_sparse *second, slip_sparse **result);

/* A + b B in place: unknown i of B is unknown part[i] of A, none where that is negative, and ascending
 * (NULL: the same). A has every entry that B has. */
void slip_sparse_add(slip_sparse *to, double b, const slip_sparse *from, const int64_t *part);

/* y = A x; x and y do not overlap. */
void slip_sparse_multiply(const slip_sparse *matrix, const double *x, double *y);
/* x . A x; y has A x then. */
double slip_sparse_form(const slip_sparse *matrix, const double *x, double *y);
double slip_sparse_trace(const slip_sparse *matrix);
/* The same for two vectors, with the matrix read once. */
void slip_sparse_multiply_two(const slip_sparse *matrix, const double *restrict x0, const double *restrict x1,
                              double *restrict y0, double *restrict y1);

/* Which unknowns an element couples, and in which order elements may be added. Elements of one colour share
 * no unknown, so that threads can add them at the same time; the colours come one after the other. An entry
 * is a sum in the order of the colours then: the same bits for any number of threads. */
typedef struct slip_assembly {
    slip_arena arena;
    int64_t unknown_count, element_count;
    int64_t *start;    /* of the element's unknowns; element_count + 1 */
    int64_t *unknowns; /* negative: no unknown, the row and column are left out */
    int largest;       /* number of unknowns of the largest element */
    int64_t *order;    /* elements by colour */
    int64_t *colour;   /* where each colour starts in `order`; colour_count + 1 */
    int64_t colour_count;
} slip_assembly;

/* Copies the lists. */
int slip_assembly_create(slip_context *ctx, int64_t unknown_count, int64_t element_count,
                         const int64_t *start, const int64_t *unknowns, slip_assembly **assembly);
void slip_assembly_destroy(slip_assembly *assembly);
SLIP_OWNED(slip_assembly, slip_assembly_destroy)

/* The symbolic pass: a matrix of zeros with every entry that the elements need, and every diagonal entry. */
int slip_sparse_create(slip_context *ctx, const slip_assembly *assembly, slip_sparse **matrix);

/* The matrix of an element, row by row, as large as its list; only the lower triangle is read. Called from
 * several threads. */
typedef void (*slip_element_function)(const void *user, int64_t element, double *element_matrix);

/* Adds all elements to the matrix. */
int slip_sparse_assemble(slip_context *ctx, const slip_assembly *assembly, slip_element_function function,
                         const void *user, slip_sparse *matrix);

#endif
