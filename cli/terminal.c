#include "terminal.h"

#include "report.h"

#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { default_width = 80, narrow = 50, line_size = 512 };

static int width_now(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return default_width;
}

/* Cuts the text after `width` characters, never inside one of UTF-8. */
static void cut(char *text, int width)
{
    int characters = 0;
    for (char *c = text; *c; c++) {
        const bool begins = ((unsigned char)*c & 0xC0) != 0x80;
        if (begins && ++characters > width) {
            *c = '\0';
            return;
        }
    }
}

static void write_bar(char *text, size_t size, double fraction, int width)
{
    const int cells = width >= narrow + 30 ? 30 : 10;
    char bar[31];
    const double clipped = fraction > 1 ? 1 : fraction;
    const int full = (int)(clipped * cells);
    for (int i = 0; i < cells; i++)
        bar[i] = i < full ? '#' : '-';
    bar[cells] = '\0';
    if (width >= narrow)
        snprintf(text, size, "[%s] %3.0f%%", bar, 100 * clipped);
    else
        snprintf(text, size, "%3.0f%%", 100 * clipped);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* "  about 12 s left", once a job has run long enough to tell. */
static void write_left(cli_terminal *terminal, double fraction, char *text, size_t size)
{
    const double now = seconds_now();
    if (fraction < terminal->fraction || terminal->begin == 0) { /* another job */
        terminal->begin = now;
        terminal->begin_fraction = fraction;
    }
    terminal->fraction = fraction;
    const double gone = now - terminal->begin, done = fraction - terminal->begin_fraction;
    *text = '\0';
    if (gone < 5 || done < 0.01)
        return;
    const double left = gone * (1 - fraction) / done;
    if (left < 100)
        snprintf(text, size, "  about %.0f s left", left);
    else if (left < 6000)
        snprintf(text, size, "  about %.0f min left", left / 60);
    else
        snprintf(text, size, "  about %.1f h left", left / 3600);
}

static void show_progress(void *user, const slip_progress *progress)
{
    cli_terminal *terminal = user;
    if (!terminal->shows_progress)
        return;
    const int width = width_now();
    char bar[64] = "...", left[64] = "", events[40] = "";
    if (progress->fraction >= 0) {
        write_bar(bar, sizeof bar, progress->fraction, width);
        write_left(terminal, progress->fraction, left, sizeof left);
    }
    if (progress->events > 0)
        snprintf(events, sizeof events, "  %lld events", (long long)progress->events);
    char line[line_size], time[40] = "";
    if (progress->modes && !isnan(progress->time))
        snprintf(time, sizeof time, "  t = %.6g", progress->time);
    snprintf(line, sizeof line, "%s %s%s%s%s%s%s", progress->what ? progress->what : "", bar, left, time,
             progress->modes ? events : "", progress->modes ? "  " : "",
             progress->modes ? progress->modes : "");
    cut(line, width - 1); /* a full line would wrap and could not be taken back */
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    terminal->line_in_use = true;
}

static void show_warning(void *user, slip_log_level level, const char *message)
{
    if (level < SLIP_LOG_WARNING)
        return;
    terminal_clear(user);
    warn("%s", message);
}

void terminal_open(cli_terminal *terminal, slip_context *ctx, bool quiet)
{
    const char *type = getenv("TERM");
    const bool can_move = type && strcmp(type, "dumb") != 0;
    *terminal = (cli_terminal){.shows_progress = !quiet && can_move && isatty(STDERR_FILENO)};
    if (terminal->shows_progress)
        slip_context_set_progress(ctx, show_progress, terminal);
    slip_context_set_log(ctx, show_warning, terminal);
}

void terminal_clear(cli_terminal *terminal)
{
    if (!terminal->line_in_use)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    terminal->line_in_use = false;
}

bool terminal_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
