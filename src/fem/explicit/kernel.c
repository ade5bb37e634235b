/* Forces of bricks. The theory is in the header, the code in kernel.inc. */
#include "fem/explicit/kernel.h"

#include "fem/hex8.h"

#include <math.h>
#include <string.h>

const int slip_brick_order[8] = {0, 1, 3, 2, 4, 5, 7, 6};

#include "fem/explicit/kernel_numbers.inc"

/* A number for each lane; in memory it need not be aligned. */
typedef double vector __attribute__((vector_size(8 * slip_lanes)));
typedef double loaded __attribute__((vector_size(8 * slip_lanes), aligned(8), may_alias));

#define UNROLL
#define CORNER(batch, a, i) (((const loaded *)(batch)->position)[3 * (a) + (i)])
#define REFERENCE(batch, k) (((const loaded *)(batch)->reference)[k])
#define FORCE(batch, a, i) (((loaded *)(batch)->force)[3 * (a) + (i)])

#define TARGET
#define KERNEL(name) name##_plain
#include "fem/explicit/kernel.inc"
#undef TARGET
#undef KERNEL

#if defined(__x86_64__)

#define TARGET __attribute__((target("avx2")))
#define KERNEL(name) name##_avx2
#include "fem/explicit/kernel.inc"
#undef TARGET
#undef KERNEL

#define TARGET __attribute__((target("avx512f")))
#define KERNEL(name) name##_avx512
#include "fem/explicit/kernel.inc"
#undef TARGET
#undef KERNEL

void slip_brick_kernel_list(slip_brick_kernel kernels[4])
{
    int count = 0;
    if (__builtin_cpu_supports("avx512f"))
        kernels[count++] = forces_avx512;
    if (__builtin_cpu_supports("avx2"))
        kernels[count++] = forces_avx2;
    kernels[count++] = forces_plain;
    kernels[count] = NULL;
}

#else

void slip_brick_kernel_list(slip_brick_kernel kernels[4])
{
    kernels[0] = forces_plain;
    kernels[1] = NULL;
}

#endif

slip_brick_kernel slip_brick_kernel_choose(void)
{
    slip_brick_kernel kernels[4];
    slip_brick_kernel_list(kernels);
    return kernels[0];
}

void slip_brick_tangents(const double points[24], double tangents[slip_brick_reference])
{
    double x[24 * slip_lanes];
    const slip_brick_batch batch = {.position = x};
    for (int i = 0; i < 24 * slip_lanes; i++)
        x[i] = points[i / slip_lanes];
    for (int i = 0; i < 3; i++) {
        vector t[3][4];
        derive_plain(&batch, i, t);
        for (int m = 0; m < 3; m++)
            for (int q = 0; q < 4; q++)
                tangents[3 * (4 * m + q) + i] = t[m][q][0];
    }
}

/* Mean slopes of the shape functions, in tensor order; returns the volume. Gauss' rule is exact for them. */
static double mean_slopes(const double points[24], double slopes[24])
{
    double brick[24], volume = 0;
    for (int k = 0; k < 8; k++)
        memcpy(brick + 3 * slip_brick_order[k], points + 3 * k, 3 * sizeof *brick);
    memset(slopes, 0, 24 * sizeof *slopes);
    for (int g = 0; g < 8; g++) {
        const double place = 1 / sqrt(3);
        const double at[3] = {g & 1 ? place : -place, g & 2 ? place : -place, g & 4 ? place : -place};
        double value[8], slope[24], part = slip_hex8_gradient(brick, at, value, slope);
        volume += part;
        for (int i = 0; i < 24; i++)
            slopes[i] += part * slope[3 * slip_brick_order[i / 3] + i % 3];
    }
    for (int i = 0; i < 24; i++)
        slopes[i] /= volume;
    return volume;
}

static double sign_of(int pattern, int node)
{
    int both = pattern & node, odd = (both ^ both >> 1 ^ both >> 2) & 1;
    return odd ? -1 : 1;
}

void slip_brick_means(const double points[24], double reference[slip_brick_reference])
{
    double slopes[24], square = 0, volume = mean_slopes(points, slopes);
    memset(reference, 0, sizeof *reference * slip_brick_reference);
    for (int i = 0; i < 24; i++)
        square += slopes[i] * slopes[i];
    reference[0] = volume;
    reference[1] = volume * square / 72;
    for (int n = 0; n < 8; n++)
        for (int k = 0; k < 3; k++) {
            for (int p = 1; p < 8; p++)
                reference[2 + 3 * (p - 1) + k] += sign_of(p, n) * slopes[3 * n + k] / 8;
            for (int m = 0; m < 4; m++)
                reference[23 + 3 * m + k] += sign_of(PATTERN(m), n) * points[3 * n + k];
        }
}
