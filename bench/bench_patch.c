/* Cost of an evaluation of friction on a contact area: integral model (closed form, quadrature, tabulated),
 * approximations, smoothed ones; each without and with its derivative. The best of several turns counts. Also
 * the time that tables take to build. */
#include "measure.h"

#include <slipstick/slipstick.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { directions = 1024, turns = 7 };

/* Nanoseconds an evaluation, over directions spread evenly. */
static double measure(const slip_patch *patch, int derivative, double budget)
{
    double best = INFINITY, sum = 0, q[directions][3], T[3], H[9] = {0};
    for (int i = 0; i < directions; i++) {
        double theta = 3.14159265 * (fmod(0.6180339887498949 * i, 1) - 0.5), phi = 2.399963 * i;
        q[i][0] = cos(theta) * cos(phi);
        q[i][1] = cos(theta) * sin(phi);
        q[i][2] = sin(theta);
    }
    for (int turn = 0; turn < turns; turn++) {
        double begin = bench_seconds(), used;
        long count = 0;
        do {
            for (int i = 0; i < directions; i++) {
                slip_patch_evaluate(patch, q[i], T, derivative ? H : NULL);
                sum += T[0] + H[8];
            }
            count += directions;
            used = bench_seconds() - begin;
        } while (used < budget);
        best = fmin(best, 1e9 * used / (double)count);
    }
    return sum == 0.123 ? 0 : best;
}

static void report(slip_context *ctx, const char *name, const slip_patch_options *options, double budget)
{
    slip_patch *patch = NULL;
    double begin = bench_seconds(), made;
    slip_patch_info info;
    if (slip_patch_create(ctx, options, &patch) < 0) {
        printf("%-44s %s\n", name, slip_context_message(ctx));
        return;
    }
    made = bench_seconds() - begin;
    info = slip_patch_describe(patch);
    printf("%-44s %10.0f %10.0f %12.2f %8d\n", name, measure(patch, 0, budget), measure(patch, 1, budget),
           1e3 * made, info.table_cells);
    slip_patch_destroy(patch);
}

int main(void)
{
    static const double corners[] = {-1, -0.6, 0.9, -0.8, 1.2, 0.3, 0.1, 0.2, -0.4, 1};
    static const char *const names[3] = {"uniform disc", "uniform rectangle 2:1", "five-cornered polygon"};
    slip_context *ctx = slip_context_create();
    printf("%-44s %10s %10s %12s %8s\n", "", "value, ns", "with slope", "create, ms", "cells");
    for (int area = 0; area < 3; area++) {
        slip_patch_options o = slip_patch_options_default();
        char name[80];
        o.shape = area == 0 ? "disc" : area == 1 ? "rectangle" : "polygon";
        o.sides[0] = 2;
        o.sides[1] = 1;
        o.points = corners;
        o.point_count = 5;
        o.surface = "integral";
        snprintf(name, sizeof name, "%s: integral, direct", names[area]);
        report(ctx, name, &o, area == 2 ? 0.02 : 0.005);
        for (int k = 4; k <= 6; k++) {
            o.table_tolerance = pow(10, -k);
            snprintf(name, sizeof name, "%s: integral, table 1e-%d", names[area], k);
            report(ctx, name, &o, 0.005);
        }
        o.surface = "pade";
        for (int n = 0; n < 4; n++) {
            o.order[0] = n / 2;
            o.order[1] = n % 2;
            o.m = n == 0 ? 2 : 1.3;
            o.epsilon = 0;
            snprintf(name, sizeof name, "%s: pade (%d,%d), m = %g", names[area], n / 2, n % 2, o.m);
            report(ctx, name, &o, 0.005);
            o.epsilon = 1e-3;
            o.static_ratio = 1.5;
            snprintf(name, sizeof name, "%s: the same, smoothed", names[area]);
            report(ctx, name, &o, 0.005);
        }
    }
    slip_context_destroy(ctx);
    return 0;
}
