/* A state of a method that keeps its own belongs to one run: its settings tell it from states of other runs.
 */
#include "io/hdf5.h"
#include "simulation/course.h"

#include <stdio.h>
#include <string.h>

/* The first lines of two texts that differ; "nothing" where one has ended. */
typedef struct setting_pair {
    char found[120], expected[120];
} setting_pair;

static void copy_line(char to[120], const char *from)
{
    const size_t length = strcspn(from, "\n");
    if (length == 0)
        snprintf(to, 120, "nothing");
    else
        snprintf(to, 120, "%.*s", length < 119 ? (int)length : 119, from);
}

static bool differ(const char *found, const char *expected, setting_pair *pair)
{
    const char *a = found, *b = expected;
    if (strcmp(a, b) == 0)
        return false;
    for (size_t length = strcspn(a, "\n"); a[length] && strncmp(a, b, length + 1) == 0;
         length = strcspn(a, "\n")) {
        a += length + 1;
        b += length + 1;
    }
    copy_line(pair->found, a);
    copy_line(pair->expected, b);
    return true;
}

/* loads: with what may change on the way. */
static int write(const slip_simulation *s, const slip_model *model, bool loads, slip_text *text)
{
    const slip_method_options options = slip_course_method_options(s, NULL);
    slip_model_gear_settings(model, slip_gear_effective(&model->gear_run, &options), loads, text);
    return text->failed ? slip_fail_memory(s->ctx) : SLIP_OK;
}

int slip_course_check_settings(const slip_simulation *s, const slip_model *model)
{
    slip_text before = {0}, after = {0};
    setting_pair pair;
    int status;
    SLIP_TRY(write(s, s->ready, false, &before));
    SLIP_TRY(write(s, model, false, &after));
    if (differ(after.data, before.data, &pair))
        status = slip_fail(s->ctx, SLIP_ERROR_USAGE,
                           "found `%s`, expected `%s`, as when the simulation was opened: of gears in motion "
                           "only `torque` follows a parameter; open another simulation",
                           pair.found, pair.expected);
done:
    slip_text_free(&before);
    slip_text_free(&after);
    return status;
}

void slip_course_keep_settings(const slip_simulation *s, slip_keeper *k)
{
    slip_arena arena = {0};
    slip_text own = {0};
    setting_pair pair;
    k->status = write(s, s->ready, k->file != NULL, &own);
    char *text = own.data;
    int64_t length = (int64_t)own.length;
    if (k->status >= 0 && k->file)
        k->status = k->back ? slip_h5_read_text(k->file, "/", "settings", &arena, &text)
                            : slip_h5_write_text(k->file, "/", "settings", text);
    if (k->status >= 0 && !k->file) {
        SLIP_KEEP(k, length);
        if (k->back && !(text = slip_arena_alloc(&arena, (size_t)length + 1)))
            k->status = slip_fail_memory(k->ctx);
        slip_keep_bytes(k, text, (size_t)length);
    }
    if (slip_kept_back(k) && differ(text ? text : "", own.data, &pair))
        k->status =
            k->file ? slip_fail(
                          k->ctx, SLIP_ERROR_MODEL,
                          "the checkpoint is of another run: found `%s` in it, expected `%s`; go on with the "
                          "settings of that run, or begin again with `--restart`",
                          pair.found, pair.expected)
                    : slip_fail(k->ctx, SLIP_ERROR_USAGE,
                                "slip_simulation_restore: found a state with `%s`, expected one with `%s`",
                                pair.found, pair.expected);
    slip_text_free(&own);
    slip_arena_free(&arena);
}
