/* The peer of bench_modes: the same pad by shift and invert, ARPACK with UMFPACK, in one thread.
 *
 *     peer_arpack             100,000 unknowns, 40 modes
 *     peer_arpack 224 224 40  columns, rows, modes */
#include "../tests/pad_lattice.h"
#include "measure.h"

#include <arpack/arpack.h>
#include <complex.h>
#include <math.h>
#include <string.h>
#include <suitesparse/umfpack.h>
#include <sys/resource.h>

typedef struct operator_of_pad {
    const slip_compressed *m, *c, *k;
    void *numeric;
    double *work;
} operator_of_pad;

static void multiply_add(const slip_compressed *a, const double *x, double *y)
{
    for (int64_t j = 0; j < a->size; j++)
        for (int64_t i = a->start[j]; i < a->start[j + 1]; i++)
            y[a->row[i]] += a->value[i] * x[j];
}

/* y = A^-1 E x for x = (q, v): y1 = -K^-1 (M x2 + C x1), y2 = x1. */
static void apply(operator_of_pad *o, const double *x, double *y)
{
    const int64_t n = o->m->size;
    memset(o->work, 0, sizeof(double) * (size_t)n);
    multiply_add(o->m, x + n, o->work);
    multiply_add(o->c, x, o->work);
    umfpack_dl_solve(UMFPACK_A, (const SuiteSparse_long *)o->k->start, (const SuiteSparse_long *)o->k->row,
                     o->k->value, y, o->work, o->numeric, NULL, NULL);
    for (int64_t i = 0; i < n; i++)
        y[i] = -y[i];
    memcpy(y + n, x, sizeof(double) * (size_t)n);
}

static int by_size(const void *a, const void *b)
{
    const double x = cabs(*(const double complex *)a), y = cabs(*(const double complex *)b);
    return x < y ? -1 : x > y;
}

/* UMFPACK wants rows in order. */
static void sort_rows(const slip_compressed *a)
{
    int64_t *row = (int64_t *)a->row;
    double *value = (double *)a->value;
    for (int64_t j = 0; j < a->size; j++)
        for (int64_t k = a->start[j] + 1; k < a->start[j + 1]; k++)
            for (int64_t i = k; i > a->start[j] && row[i] < row[i - 1]; i--) {
                const int64_t r = row[i];
                const double v = value[i];
                row[i] = row[i - 1];
                value[i] = value[i - 1];
                row[i - 1] = r;
                value[i - 1] = v;
            }
}

int main(int argc, char **argv)
{
    const int columns = argc > 2 ? atoi(argv[1]) : 224, rows = argc > 2 ? atoi(argv[2]) : 224,
              modes = argc > 3 ? atoi(argv[3]) : 40;
    pad_matrix mass = {0}, damper = {0}, stiffness = {0};
    void *symbolic = NULL;
    pad_build(columns, rows, 30, 0.5, 0.02, -0.001, &mass, &damper, &stiffness);
    sort_rows(&stiffness.compressed);
    operator_of_pad o = {&mass.compressed, &damper.compressed, &stiffness.compressed, NULL, NULL};
    const int64_t n = mass.size;
    const int size = (int)(2 * n), nev = 2 * modes + 2, ncv = 2 * nev + 10, lworkl = 3 * ncv * ncv + 6 * ncv;
    const double started = bench_seconds(), cpu = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
    if (umfpack_dl_symbolic(n, n, (const SuiteSparse_long *)o.k->start, (const SuiteSparse_long *)o.k->row,
                            o.k->value, &symbolic, NULL, NULL) != UMFPACK_OK ||
        umfpack_dl_numeric((const SuiteSparse_long *)o.k->start, (const SuiteSparse_long *)o.k->row,
                           o.k->value, symbolic, &o.numeric, NULL, NULL) != UMFPACK_OK)
        return 1;
    double *v = malloc(sizeof(double) * (size_t)size * (size_t)ncv),
           *resid = calloc((size_t)size, sizeof(double)), *workd = calloc(3 * (size_t)size, sizeof(double)),
           *workl = calloc((size_t)lworkl, sizeof(double)), *dr = calloc((size_t)nev + 2, sizeof(double)),
           *di = calloc((size_t)nev + 2, sizeof(double)), *workev = calloc(3 * (size_t)ncv, sizeof(double));
    int iparam[11] = {1, 0, 300, 1, 0, 0, 1}, ipntr[14] = {0}, ido = 0, info = 0, solves = 0;
    o.work = malloc(sizeof(double) * (size_t)n);
    do {
        dnaupd_c(&ido, "I", size, "LM", nev, 1e-9, resid, ncv, v, size, iparam, ipntr, workd, workl, lworkl,
                 &info);
        if (ido == 1 || ido == -1) {
            apply(&o, workd + ipntr[0] - 1, workd + ipntr[1] - 1);
            solves++;
        }
    } while (ido == 1 || ido == -1);
    int *select = calloc((size_t)ncv, sizeof *select);
    dneupd_c(0, "A", select, dr, di, v, size, 0, 0, workev, "I", size, "LM", nev, 1e-9, resid, ncv, v, size,
             iparam, ipntr, workd, workl, lworkl, &info);
    double complex *found = calloc((size_t)nev + 2, sizeof *found);
    int count = 0;
    for (int k = 0; k < iparam[4]; k++) {
        const double complex s = 1 / (dr[k] + I * di[k]);
        if (cimag(s) >= 0)
            found[count++] = s;
    }
    qsort(found, (size_t)count, sizeof *found, by_size);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%lld unknowns, %d modes: %.2f s, processor %.2f s, %.0f MB; %d solves\n", (long long)n, count,
           bench_seconds() - started, bench_clock(CLOCK_PROCESS_CPUTIME_ID) - cpu,
           (double)usage.ru_maxrss / 1024, solves);
    for (int k = 0; k < 5 && k < count; k++)
        printf("  %.9g %+.9g i\n", creal(found[k]), cimag(found[k]));
    return 0;
}
