/* Watches a run step by step and stops it: a block on a belt, until it has been torn off three times. */
#include <slipstick/slipstick.h>

#include <stdio.h>

typedef struct watch {
    long long steps;
    int carried; /* the belt carries the block along right now */
    int torn_off;
} watch;

/* Sees every accepted step. 1 ends the run and keeps what there is. */
static int on_step(void *user, double t, const double *q, const double *v)
{
    watch *w = user;
    const double belt = 0.2;
    const int carried = v[0] > 0.9 * belt;
    w->steps++;
    if (w->carried && !carried) {
        w->torn_off++;
        printf("t = %7.3f: torn off at x = %.4f\n", t, q[0]);
    }
    w->carried = carried;
    return w->torn_off == 3;
}

int main(void)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_result *result = NULL;
    watch w = {0};
    if (!ctx)
        return 1;
    /* One of the models that come with the library; slip_model_load reads a file. */
    int status = slip_model_parse(ctx, slip_example_text("stick-slip-belt"), "stick-slip-belt", NULL, &model);
    if (status == SLIP_OK) {
        slip_run_options options = slip_run_options_default();
        options.step_observer = on_step;
        options.observer_user = &w;
        status = slip_run(ctx, model, &options, &result);
    }
    if (status < 0)
        fprintf(stderr, "%s\n", slip_context_message(ctx));
    else
        printf("%s after %lld steps, at t = %.3f\n", status == SLIP_STOPPED ? "stopped" : "done", w.steps,
               slip_result_number(result, "final.t"));
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return status == SLIP_STOPPED ? 0 : 1;
}
