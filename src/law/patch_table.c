#include "law/patch.h"
int slip_patch_table_build(slip_context *ctx, const slip_patch *patch, double tolerance,
                           slip_patch_table **table)
{
    (void)patch;
    (void)tolerance;
    (void)table;
    return slip_fail(ctx, SLIP_ERROR_USAGE, "not yet");
}
void slip_patch_table_destroy(slip_patch_table *table)
{
    (void)table;
}
void slip_patch_table_evaluate(const slip_patch_table *table, const double q[3], double T[3],
                               double *derivative)
{
    (void)table;
    (void)q;
    (void)T;
    (void)derivative;
}
int slip_patch_table_cells(const slip_patch_table *table)
{
    (void)table;
    return 0;
}
double slip_patch_table_error(const slip_patch_table *table)
{
    (void)table;
    return 0;
}
