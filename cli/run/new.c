/* slipstick new: writes a model file to start from. */
#include "nearest.h"
#include "report.h"
#include "verb.h"

#include "slipstick/model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_template[] = "stick-slip-belt";

/* The text of the `title:` line, up to its end; `length` is 0 when there is none. */
static const char *title_of(const char *text, int *length)
{
    static const char key[] = "title:";
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (strncmp(line, key, sizeof key - 1) != 0)
            continue;
        const char *title = line + sizeof key - 1;
        title += strspn(title, " \"'");
        *length = (int)strcspn(title, "\"'\r\n");
        return title;
    }
    *length = 0;
    return "";
}

static void list_templates(void)
{
    printf("Templates:\n");
    for (int i = 0; i < slip_example_count(); i++) {
        const char *name = slip_example_name(i);
        int length;
        const char *title = title_of(slip_example_text(name), &length);
        printf("  %-20s %.*s%s\n", name, length, title,
               strcmp(name, default_template) == 0 ? " (default)" : "");
    }
}

static int fail_unknown_template(const cli_verb *verb, const char *name)
{
    nearest_name nearest = nearest_start(name, strlen(name));
    for (int i = 0; i < slip_example_count(); i++)
        nearest_try(&nearest, slip_example_name(i));
    if (nearest.best)
        return fail_usage(verb, "no template `%s`; did you mean `%s`?", name, nearest.best);
    return fail_usage(verb, "no template `%s`; `slipstick new --list` shows them", name);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static char *joined(const char *a, const char *b)
{
    const size_t size = strlen(a) + strlen(b) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s", a, b);
    return text;
}

static bool write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

/* Writes a file that must not be there yet; leaves none behind when that fails. */
static bool write_new(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0)
        return false;
    bool good = write_all(file, text, strlen(text));
    good = close(file) == 0 && good;
    if (!good) {
        const int error = errno;
        unlink(path);
        errno = error;
    }
    return good;
}

/* The old file stays whole until the new one is. */
static bool replace(const char *path, const char *text)
{
    char *part = joined(path, ".part");
    if (!part) {
        errno = ENOMEM;
        return false;
    }
    unlink(part);
    bool good = write_new(part, text);
    if (good && rename(part, path) != 0) {
        const int error = errno;
        unlink(part);
        errno = error;
        good = false;
    }
    free(part);
    return good;
}

/* Does a section of this name begin in the text? */
static bool has_section(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            return true;
    return false;
}

/* What is done with such a model after it was checked. */
static const char *next_verb(const char *text)
{
    if (has_section(text, "gears"))
        return has_section(text, "simulate") ? "run"
               : has_section(text, "flanks") ? "gear cycle"
                                             : "gear mesh";
    return has_section(text, "bodies") ? "statics" : "run";
}

static int write_model(const cli_verb *verb, const char *path, const char *text, bool force)
{
    if (force ? replace(path, text) : write_new(path, text)) {
        printf("%s is there. Next:\n"
               "    slipstick check %s\n"
               "    slipstick %s %s\n",
               path, path, next_verb(text), path);
        return exit_done;
    }
    if (errno == EEXIST)
        return fail_usage(verb, "`%s` is there already; `--force` overwrites it", path);
    return fail_io("cannot write `%s`", path);
}

static int new_model(cli_arguments *arguments)
{
    if (argument_given(arguments, "list")) {
        list_templates();
        return exit_done;
    }
    if (arguments->operand_count == 0)
        return fail_usage(arguments->verb, "NAME is missing");
    const char *name = arguments->operands[0];
    if (!*name || ends_with(name, "/"))
        return fail_usage(arguments->verb, "`%s` is no name for a file", name);
    const char *template = argument_text(arguments, "template", default_template);
    const char *text = slip_example_text(template);
    if (!text)
        return fail_unknown_template(arguments->verb, template);
    const bool has_ending = ends_with(name, ".yaml") || ends_with(name, ".yml");
    char *path = joined(name, has_ending ? "" : ".yaml");
    if (!path)
        return fail_memory();
    const int code = write_model(arguments->verb, path, text, argument_given(arguments, "force"));
    free(path);
    return code;
}

static const cli_option options[] = {{"template", 't', "NAME", "the model to start from"},
                                     {"list", 'l', NULL, "lists the templates and writes nothing"},
                                     {"force", 'f', NULL, "overwrites a file that is there"},
                                     {0}};

const cli_verb verb_new = {
    .name = "new",
    .summary = "writes a commented model file to start from",
    .operands = "NAME",
    .operand_maximum = 1,
    .options = options,
    .about = "Writes NAME.yaml, a commented model file that runs as it is and is meant to be\n"
             "changed.\n",
    .list = list_templates,
    .example = "slipstick new --list\n"
               "slipstick new forced --template oscillator\n",
    .run = new_model};
