/* A contact area on its own: what friction takes when it slides and spins, what it holds, and how good the
 * formulas are. Prints the table of `slipstick patch`, without files. */
#include <slipstick/slipstick.h>

#include <stdio.h>

static void print_line(void *user, const char *line)
{
    (void)user;
    printf("%s\n", line);
}

/* A spinning foot slides more easily: the force that it takes to push it along x, over mu N. */
static void push(const slip_patch *foot)
{
    for (double spin = 0; spin <= 8; spin += 2) {
        const double velocity[3] = {0.1, 0, spin};
        double force[3];
        slip_patch_evaluate(foot, velocity, force, NULL);
        printf("0.1 m/s and %g rad/s: force %.6f, moment %.6f m\n", spin, force[0], force[2]);
    }
}

int main(void)
{
    slip_context *ctx = slip_context_create();
    slip_patch_options options = slip_patch_options_default();
    slip_patch *foot = NULL;
    int status;
    if (!ctx)
        return 1;
    options.shape = "rectangle";
    options.sides[0] = 0.2;
    options.sides[1] = 0.1;
    options.pressure = "linear"; /* more on the toes */
    options.linear[0] = 0.4;
    options.surface = "integral";
    status = slip_patch_create(ctx, &options, &foot);
    if (status == SLIP_OK) {
        const double load[3] = {0.5, 0, 0.02};
        double ratio, direction[3];
        push(foot);
        status = slip_patch_limit(ctx, foot, load, &ratio, direction);
        printf("a load of 0.5 and 0.02 m is %.1f %% of what it holds\n\n", 100 * ratio);
    }
    if (status == SLIP_OK) {
        const slip_patch *const areas[] = {foot};
        const char *const names[] = {"foot"};
        slip_result *result = NULL;
        status = slip_patch_study(ctx, 1, areas, names, print_line, NULL, &result);
        slip_result_destroy(result);
    }
    if (status < 0)
        fprintf(stderr, "%s\n", slip_context_message(ctx));
    slip_patch_destroy(foot);
    slip_context_destroy(ctx);
    return status < 0;
}
