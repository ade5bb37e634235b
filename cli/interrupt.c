#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* A signal handler takes no argument of ours, so this one variable has to be global. */
static slip_context *_Atomic interruptible = NULL;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    slip_context *ctx = atomic_load(&interruptible);
    if (ctx)
        slip_context_interrupt(ctx);
}

void interrupt_begin(slip_context *ctx)
{
    struct sigaction before;
    /* Whoever started us with SIGINT ignored (nohup, a shell's background job) wants it to stay so. */
    if (sigaction(SIGINT, NULL, &before) != 0 || before.sa_handler == SIG_IGN)
        return;
    atomic_store(&interruptible, ctx);
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

void interrupt_end(void)
{
    if (atomic_exchange(&interruptible, NULL))
        signal(SIGINT, SIG_DFL);
}
