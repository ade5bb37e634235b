/* Runs the same model with two values of a parameter at the same time, each thread with a context of its own.
 */
#include <slipstick/slipstick.h>

#include <pthread.h>
#include <stdio.h>

typedef struct job {
    const char *setting;
    int status;
    double largest; /* |x| */
    char message[200];
} job;

static void *work(void *user)
{
    job *j = user;
    const char *settings[] = {j->setting, NULL};
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_result *result = NULL;
    j->status = SLIP_ERROR_MEMORY;
    if (ctx)
        j->status = slip_model_parse(ctx, slip_example_text("oscillator"), "oscillator", settings, &model);
    if (j->status == SLIP_OK) {
        slip_run_options options = slip_run_options_default();
        j->status = slip_run(ctx, model, &options, &result);
    }
    if (j->status == SLIP_OK)
        j->largest = slip_result_number(result, "max.x");
    else if (ctx)
        snprintf(j->message, sizeof j->message, "%s", slip_context_message(ctx));
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return NULL;
}

int main(void)
{
    job jobs[] = {{.setting = "mu=0.2"}, {.setting = "mu=0.6"}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0)
            return 1;
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        if (jobs[i].status == SLIP_OK)
            printf("%s: largest |x| = %.6f\n", jobs[i].setting, jobs[i].largest);
        else
            printf("%s: %s\n", jobs[i].setting, jobs[i].message);
        failed |= jobs[i].status != SLIP_OK;
    }
    return failed;
}
