/* The page of a result. All numbers are packed into separate elements (io/pack), described by JSON. Short
 * series are stored with all bits, long ones with a resolution of 2^-24 of their range. If the file is still
 * too large to be mailed, records are left out: in each interval of the main table those with the smallest
 * and the largest value of a series are kept, and all at which a contact changes its mode. */
#include "figure/page/types.h"

#include "figure/axis.h"
#include "io/file.h"
#include "io/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { axis_bits = 36, value_bits = 24 };
static const size_t budget = 4200000;        /* characters of the main table: a page below 5 MB */
static const int64_t exact_numbers = 300000; /* tables of more numbers do not have all bits */

double slip_page_step(const double *values, int64_t count, int bits)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            low = fmin(low, values[i]);
            high = fmax(high, values[i]);
        }
    return high > low ? ldexp(high - low, -bits) : 1;
}

int slip_page_pack(slip_page *page, slip_json_writer *json, const double *values, int64_t count, double step)
{
    slip_packing packing;
    slip_text_printf(&page->packs, "<script type=\"text/plain\" id=\"pack-%d\">", page->pack_count);
    const int status = slip_pack(page->ctx, values, count, step, &packing, &page->packs);
    slip_text_append(&page->packs, "</script>\n");
    slip_json_integer(json, "pack", page->pack_count++);
    slip_json_integer(json, "count", count);
    slip_json_integer(json, "order", packing.order);
    slip_json_number(json, "low", packing.low);
    slip_json_number(json, "step", packing.step);
    return status;
}

int slip_page_pack_kept(slip_page *page, slip_json_writer *json, const double *values, int64_t count,
                        double step)
{
    if (!page->kept || count != page->result->main.count)
        return slip_page_pack(page, json, values, count, step);
    SLIP_FREED double *some = slip_alloc(page->kept_count, sizeof *some);
    SLIP_PASS(slip_allocated(page->ctx, some));
    for (int64_t i = 0; i < page->kept_count; i++)
        some[i] = values[page->kept[i]];
    return slip_page_pack(page, json, some, page->kept_count, step);
}

/* ---- Records that stay. */

static void mark_extremes(const slip_table *t, int64_t from, int64_t to, unsigned char *keep)
{
    keep[from] = keep[to - 1] = 1;
    for (int c = 1; c < t->column_count; c++) {
        const double *v = t->columns[c].values;
        int64_t low = from, high = from;
        for (int64_t i = from; i < to; i++) {
            low = v[i] < v[low] ? i : low;
            high = v[i] > v[high] ? i : high;
            if (t->columns[c].words && i > 0 && v[i] != v[i - 1])
                keep[i] = keep[i - 1] = 1;
        }
        if (!t->columns[c].words)
            keep[low] = keep[high] = 1;
    }
}

/* About `wanted` records of the main table. */
static int choose_records(slip_page *page, int64_t wanted)
{
    const slip_table *t = &page->result->main;
    const int64_t pieces = wanted / (2 * t->column_count) + 1;
    SLIP_FREED unsigned char *keep = slip_alloc(t->count, 1);
    free(page->kept);
    page->kept_count = 0;
    page->kept = slip_alloc(t->count, sizeof *page->kept);
    SLIP_PASS(slip_allocated(page->ctx, keep && page->kept));
    for (int64_t k = 0; k < pieces; k++) {
        const int64_t from = k * t->count / pieces, to = (k + 1) * t->count / pieces;
        if (to > from)
            mark_extremes(t, from, to, keep);
    }
    for (int64_t i = 0; i < t->count; i++)
        if (keep[i])
            page->kept[page->kept_count++] = i;
    return SLIP_OK;
}

void slip_page_label(slip_json_writer *json, const char *key, const char *text)
{
    SLIP_FREED_BY(slip_text_free) slip_text printed = {0};
    if (!text)
        return;
    slip_script_print(&printed, text);
    slip_json_string(json, key, printed.data ? printed.data : "");
}

/* ---- Tables. */

/* In brackets, as behind the names of axes. */
static void write_unit(slip_json_writer *json, const char *unit)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    if (!*unit)
        return;
    slip_text_append(&text, "[");
    slip_text_append(&text, unit);
    slip_text_append(&text, "]");
    slip_page_label(json, "unit", text.failed ? unit : text.data);
}

static int write_column(slip_page *page, slip_json_writer *json, const slip_table *t, int index, bool exact)
{
    const slip_column *column = &t->columns[index];
    const int bits = index == 0 ? axis_bits : value_bits;
    const double step = column->words ? 1 : exact ? 0 : slip_page_step(column->values, t->count, bits);
    const bool main = t == &page->result->main;
    slip_json_object(json, NULL);
    slip_json_string(json, "name", column->name);
    write_unit(json, column->unit);
    if (column->words) {
        slip_json_list(json, "words");
        for (int k = 0; k < column->word_count; k++)
            slip_json_string(json, NULL, column->words[k]);
        slip_json_end_list(json);
    }
    SLIP_PASS(main ? slip_page_pack_kept(page, json, column->values, t->count, step)
                   : slip_page_pack(page, json, column->values, t->count, step));
    slip_json_end_object(json);
    return SLIP_OK;
}

static int write_table(slip_page *page, slip_json_writer *json, const slip_table *t)
{
    const bool exact = t->count * t->column_count <= exact_numbers;
    slip_json_object(json, NULL);
    slip_json_string(json, "name", t->name);
    slip_json_integer(json, "rows", t->count);
    slip_json_list(json, "columns");
    for (int k = 0; k < t->column_count; k++)
        SLIP_PASS(write_column(page, json, t, k, exact));
    slip_json_end_list(json);
    slip_json_end_object(json);
    return SLIP_OK;
}

/* The main table in as much room as there is: with all records, or fewer and fewer of them. */
static int write_main(slip_page *page, slip_json_writer *json)
{
    const slip_table *t = &page->result->main;
    for (;;) {
        const slip_json_writer before = *json;
        const size_t length = json->text->length, packs = page->packs.length;
        const int count = page->pack_count;
        const int status = write_table(page, json, t);
        const double size = (double)(page->packs.length - packs);
        const int64_t now = page->kept ? page->kept_count : t->count;
        if (status < 0 || size <= (double)budget || now <= 2 * (int64_t)t->column_count)
            return status;
        const int64_t wanted = (int64_t)fmin(0.5 * (double)now, 0.8 * (double)now * (double)budget / size);
        const int chosen = choose_records(page, wanted);
        if (chosen < 0 || page->kept_count >= now)
            return chosen;
        *json = before;
        json->text->length = length;
        page->packs.length = packs;
        page->pack_count = count;
    }
}

static int write_tables(slip_page *page)
{
    slip_result *r = page->result;
    slip_json_writer json = {.text = &page->tables};
    const char *summary = slip_result_summary(page->ctx, r), *model = NULL;
    SLIP_PASS(slip_allocated(page->ctx, summary));
    SLIP_PASS(slip_result_model_text(page->ctx, r, &model));
    slip_json_object(&json, NULL);
    slip_json_string(&json, "version", slip_version());
    slip_json_string(&json, "kind", r->kind);
    slip_json_string(&json, "method", r->method);
    slip_json_string(&json, "title", r->title ? r->title : "");
    slip_json_string(&json, "model", model ? model : "");
    slip_json_string(&json, "summary", summary);
    slip_json_list(&json, "tables");
    SLIP_PASS(write_main(page, &json));
    for (int k = 0; k < r->table_count; k++)
        SLIP_PASS(write_table(page, &json, r->tables[k]));
    slip_json_end_list(&json);
    slip_json_end_object(&json);
    return SLIP_OK;
}

/* ---- Life. */

int slip_page_create(slip_context *ctx, slip_result *result, slip_page **made)
{
    *made = NULL;
    if (!slip_page_text)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "this build has no page: it was made without uPlot, which draws its curves. Run "
                         "scripts/setup where npm is, and build again");
    SLIP_FREED_BY(slip_page_drop) slip_page *page = slip_alloc(1, sizeof *page);
    SLIP_PASS(slip_allocated(ctx, page));
    page->ctx = ctx;
    page->result = result;
    page->figure_list = (slip_json_writer){.text = &page->figures};
    page->frame_list = (slip_json_writer){.text = &page->frames};
    slip_json_list(&page->figure_list, NULL);
    slip_json_list(&page->frame_list, NULL);
    SLIP_PASS(write_tables(page));
    SLIP_HAND(made, page);
    return SLIP_OK;
}

void slip_page_destroy(slip_page *page)
{
    if (!page)
        return;
    slip_text_free(&page->tables);
    slip_text_free(&page->figures);
    slip_text_free(&page->frames);
    slip_text_free(&page->packs);
    free(page->kept);
    free(page);
}

/* ---- The file. */

/* JSON in an element: what looks like a tag to a browser is written as an escape, which JSON has for it. */
static void write_json(slip_text *to, const char *id, const slip_text *json, const char *end)
{
    slip_text_printf(to, "<script type=\"application/json\" id=\"%s\">", id);
    for (const char *at = json->data ? json->data : ""; *at;) {
        const size_t plain = strcspn(at, "<");
        slip_text_append_bytes(to, at, plain);
        at += plain;
        if (*at == '<') {
            slip_text_append(to, "\\u003c");
            at++;
        }
    }
    slip_text_append(to, end);
    slip_text_append(to, "</script>\n");
}

int slip_page_write(slip_context *ctx, const slip_page *page, const char *path)
{
    static const char mark[] = "<!-- RESULT -->";
    const char *at = strstr(slip_page_text, mark);
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    slip_text_append_bytes(&text, slip_page_text, (size_t)(at - slip_page_text));
    write_json(&text, "result", &page->tables, "");
    write_json(&text, "figures", &page->figures, "]");
    write_json(&text, "frames", &page->frames, "]");
    if (page->packs.data)
        slip_text_append_bytes(&text, page->packs.data, page->packs.length);
    slip_text_append(&text, at + strlen(mark));
    const bool failed = text.failed || page->tables.failed || page->figures.failed || page->frames.failed ||
                        page->packs.failed;
    return failed ? slip_fail_memory(ctx) : slip_file_write(ctx, path, text.data, text.length);
}
