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

/* The first interrupt ends the run and keeps its results; another one kills, but not within half a second,
 * since some programs send the signal to a process and to its group, so that it arrives twice. */
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

/* Ctrl-C, and what batch systems and `timeout` send before they kill. */
static const int signals[] = {SIGINT, SIGTERM};
enum { signal_count = sizeof signals / sizeof *signals };

void interrupt_begin(slip_context *ctx)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    atomic_store(&first_interrupt, 0);
    atomic_store(&interruptible, ctx);
    for (int i = 0; i < signal_count; i++) {
        /* If the signal was ignored when the program was started (nohup, a background job), it stays ignored.
         */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void interrupt_end(void)
{
    struct sigaction now;
    atomic_store(&interruptible, NULL);
    for (int i = 0; i < signal_count; i++) {
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == on_interrupt)
            signal(signals[i], SIG_DFL);
    }
}
