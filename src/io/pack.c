/* Numbers k of steps from the lowest value are predicted by the polynomial through the last `order` of them,
 * so that what is kept is the difference of that order. A smooth curve that is sampled densely leaves a few
 * bits a number: those of the rounding. What is not finite is kept as the byte 0, a difference d as 1 + (d <
 * 0 ? -2d - 1 : 2d) in groups of seven bits, lowest first, the eighth says that another follows. Bits as they
 * are go by planes: first the first bytes of all numbers. */
#include "io/pack.h"

#include "base/memory.h"
#include "io/deflate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { orders = 4, longest = 10 };
static const double most_steps = 281474976710656.0; /* 2^48: also in a browser third differences are exact */

static int64_t differ(const int64_t past[3], int order, int64_t k)
{
    switch (order) {
    case 0:
        return k;
    case 1:
        return k - past[0];
    case 2:
        return k - 2 * past[0] + past[1];
    default:
        return k - 3 * past[0] + 3 * past[1] - past[2];
    }
}

static void shift(int64_t past[3], int64_t k)
{
    past[2] = past[1];
    past[1] = past[0];
    past[0] = k;
}

/* The lowest and the highest of the finite ones; false where there are none. */
static bool find_range(const double *values, int64_t count, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            *low = fmin(*low, values[i]);
            *high = fmax(*high, values[i]);
        }
    return *low <= *high;
}

static int64_t number_of(const slip_packing *p, double value)
{
    return p->step > 0 ? llround((value - p->low) / p->step) : 0;
}

/* The order whose differences have the fewest bits. */
static int find_order(const double *values, const slip_packing *p)
{
    double bits[orders] = {0};
    int64_t past[3] = {0};
    int best = 0;
    for (int64_t i = 0; i < p->count; i++) {
        if (!isfinite(values[i]))
            continue;
        const int64_t k = number_of(p, values[i]);
        for (int order = 0; order < orders; order++)
            bits[order] += log2(1 + fabs((double)differ(past, order, k)));
        shift(past, k);
    }
    for (int order = 1; order < orders; order++)
        best = bits[order] < bits[best] ? order : best;
    return best;
}

static size_t write_differences(const double *values, const slip_packing *p, unsigned char *to)
{
    int64_t past[3] = {0};
    size_t size = 0;
    for (int64_t i = 0; i < p->count; i++) {
        if (!isfinite(values[i])) {
            to[size++] = 0;
            continue;
        }
        const int64_t k = number_of(p, values[i]), d = differ(past, p->order, k);
        uint64_t left = 1 + (d < 0 ? 2 * (uint64_t)-d - 1 : 2 * (uint64_t)d);
        shift(past, k);
        for (; left > 127; left >>= 7)
            to[size++] = (unsigned char)(128 | (left & 127));
        to[size++] = (unsigned char)left;
    }
    return size;
}

/* Little-endian whatever the machine. */
static size_t write_planes(const double *values, int64_t count, unsigned char *to)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int byte = 0; byte < 8; byte++)
            to[byte * count + i] = (unsigned char)(bits >> (8 * byte));
    }
    return 8 * (size_t)count;
}

static void write_base64(const unsigned char *from, size_t size, char *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3, to += 4) {
        const unsigned b = i + 1 < size ? from[i + 1] : 0, c = i + 2 < size ? from[i + 2] : 0;
        to[0] = digits[from[i] >> 2];
        to[1] = digits[(from[i] & 3u) << 4 | b >> 4];
        to[2] = i + 1 < size ? digits[(b & 15) << 2 | c >> 6] : '=';
        to[3] = i + 2 < size ? digits[c & 63] : '=';
    }
    *to = 0;
}

static void choose(const double *values, double step, slip_packing *p)
{
    double high;
    if (!find_range(values, p->count, &p->low, &high))
        p->low = high = 0;
    if (!(step > 0) || !isfinite(high - p->low)) {
        p->order = -1;
        return;
    }
    p->step = high > p->low ? fmax(step, (high - p->low) / most_steps) : 0;
    p->order = find_order(values, p);
}

int slip_pack(slip_context *ctx, const double *values, int64_t count, double step, slip_packing *packing,
              slip_text *text)
{
    *packing = (slip_packing){.count = count};
    choose(values, step, packing);
    SLIP_FREED unsigned char *bytes = slip_alloc(count + 1, longest), *small = NULL;
    SLIP_FREED char *letters = NULL;
    int status = SLIP_OK;
    if (bytes) {
        const size_t size = packing->order < 0 ? write_planes(values, count, bytes)
                                               : write_differences(values, packing, bytes);
        size_t length = 0;
        small = slip_deflate(bytes, size, true, &length);
        letters = malloc(4 * ((length + 2) / 3) + 1);
        if (small && letters) {
            write_base64(small, length, letters);
            slip_text_append(text, letters);
        } else {
            status = slip_fail_memory(ctx);
        }
    }
    if (!bytes || text->failed)
        status = slip_fail_memory(ctx);
    return status;
}
