#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* A signal handler takes no argument of ours, so these two variables have to be global. */
static slip_context *_Atomic interruptible = NULL;

/* When the first one came, in milliseconds; 0 before. */
static _Atomic int64_t first_interrupt = 0;

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* safe in a handler */
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
}

/* The first interrupt ends the run and keeps what there is; another one kills, but not within half a second:
 * some programs send the signal to a process and to its group, which is twice. */
static void on_interrupt(int signal_number)
{
    slip_context *ctx = atomic_load(&interruptible);
    int64_t none = 0, now = milliseconds();
    if (!atomic_compare_exchange_strong(&first_interrupt, &none, now)) {
        if (now - none > 500) {
            signal(signal_number, SIG_DFL);
            raise(signal_number);
        }
        return;
    }
    if (ctx)
        slip_context_interrupt(ctx);
}

void interrupt_begin(slip_context *ctx)
{
    struct sigaction before;
    /* Whoever started us with SIGINT ignored (nohup, a shell's background job) wants it to stay so. */
    if (sigaction(SIGINT, NULL, &before) != 0 || before.sa_handler == SIG_IGN)
        return;
    atomic_store(&first_interrupt, 0);
    atomic_store(&interruptible, ctx);
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

void interrupt_end(void)
{
    if (atomic_exchange(&interruptible, NULL))
        signal(SIGINT, SIG_DFL);
}
