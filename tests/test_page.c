/* The page of a result: packed numbers against a reader written from the format's description, records that
 * are left out, bodies that are read back from VTU files. What a browser makes of it is the subject of
 * page.sh. */
#include "model_test.h"

#include "figure/page/page.h"
#include "io/pack.h"
#include "io/vtu.h"
#include "test_folder.h"

#include <math.h>
#include <zlib.h>

/* A whole file with a zero behind it; to be freed. */
static char *test_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    char *text = calloc((size_t)size + 1, 1);
    rewind(file);
    assert_true(fread(text, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    return text;
}

static void good(int status)
{
    if (status < 0)
        fail_msg("%s", slip_context_message(ctx));
}

/* ---- The reader. */

static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    assert_true(c && at);
    return (int)(at - digits);
}

/* Base64 and inflation, by the book; `bytes` to be freed. */
static size_t open_pack(const char *text, unsigned char **bytes)
{
    const size_t length = strlen(text);
    unsigned char *small = malloc(length + 1);
    size_t size = 0;
    for (size_t i = 0; i < length; i += 4) {
        uint32_t bits = 0;
        int have = 3;
        for (size_t k = 0; k < 4; k++) {
            have -= text[i + k] == '=';
            bits = bits << 6 | (text[i + k] == '=' ? 0 : (uint32_t)digit_of(text[i + k]));
        }
        for (int k = 0; k < have; k++)
            small[size++] = (unsigned char)(bits >> (16 - 8 * k));
    }
    uLongf room = 1 << 24;
    *bytes = malloc(room);
    assert_int_equal(uncompress(*bytes, &room, small, size), Z_OK);
    free(small);
    return room;
}

static double *read_pack(const slip_packing *p, const char *text)
{
    double *values = malloc(sizeof *values * (size_t)(p->count + 1)), past[3] = {0};
    unsigned char *bytes;
    const size_t size = open_pack(text, &bytes);
    const unsigned char *at = bytes;
    if (p->order < 0)
        assert_true(size == 8 * (size_t)p->count);
    for (int64_t i = 0; i < p->count; i++) {
        if (p->order < 0) {
            uint64_t bits = 0;
            for (int byte = 7; byte >= 0; byte--)
                bits = bits << 8 | bytes[byte * p->count + i];
            memcpy(&values[i], &bits, sizeof bits);
            continue;
        }
        double code = 0, scale = 1;
        do {
            code += scale * (*at & 127);
            scale *= 128;
        } while (*at++ > 127);
        if (code == 0) {
            values[i] = NAN;
            continue;
        }
        const double d = fmod(code, 2) == 1 ? (code - 1) / 2 : -code / 2;
        const double predicted[4] = {0, past[0], 2 * past[0] - past[1], 3 * past[0] - 3 * past[1] + past[2]};
        past[2] = past[1];
        past[1] = past[0];
        past[0] = d + predicted[p->order];
        values[i] = p->low + p->step * past[0];
    }
    if (p->order >= 0)
        assert_ptr_equal(at, bytes + size);
    free(bytes);
    return values;
}

/* The largest error, NAN where what is not finite came back as a number or the other way round. */
static double error_of(const double *values, int64_t count, double step, size_t *length)
{
    slip_text text = {0};
    slip_packing packing;
    double worst = 0;
    good(slip_pack(ctx, values, count, step, &packing, &text));
    double *back = read_pack(&packing, text.data);
    for (int64_t i = 0; i < count; i++) {
        if (step == 0)
            assert_memory_equal(&back[i], &values[i], sizeof back[i]);
        else if (isfinite(values[i]) != isfinite(back[i]))
            worst = NAN;
        else if (isfinite(values[i]))
            worst = fmax(worst, fabs(back[i] - values[i]));
    }
    *length = text.length;
    free(back);
    slip_text_free(&text);
    return worst;
}

static void numbers_come_back(void **state)
{
    enum { n = 20000 };
    double *v = malloc(n * sizeof *v);
    size_t length, least;
    (void)state;
    /* A sine sampled densely takes a few bits a number at seven digits; all its bits take many times that. */
    for (int i = 0; i < n; i++)
        v[i] = 3e-4 * sin(2e-3 * i) + 1;
    assert_true(error_of(v, n, 6e-4 * ldexp(1, -24), &least) <= 3.1e-4 * ldexp(1, -24) + 1e-15);
    assert_true((double)least < 0.75 * (double)n);
    assert_true(error_of(v, n, 0, &length) == 0 && length > 4 * least);
    /* Jumps, gaps, infinities, and numbers of all sizes. */
    v[17] = NAN;
    v[18] = INFINITY;
    v[19999] = -INFINITY;
    v[500] = -2e5;
    assert_true(error_of(v, n, 1e-3, &length) <= 0.5001e-3);
    assert_true(error_of(v, n, 0, &length) == 0);
    v[3] = 1e308;
    v[4] = -1e308; /* a range that is no number: all bits */
    assert_true(error_of(v, n, 1, &length) == 0);
    for (int i = 0; i < n; i++)
        v[i] = 7;
    assert_true(error_of(v, n, 1e-9, &length) == 0 && length < 200);
    for (int i = 0; i < n; i++)
        v[i] = (i * 7919) % 6; /* words */
    assert_true(error_of(v, n, 1, &length) == 0);
    assert_true(error_of(v, 0, 1, &length) == 0);
    free(v);
}

/* ---- Records. */

/* A million records of noise are too many for a page: those stay that have the extremes, and the page stays
 * small. */
static void extremes_stay(void **state)
{
    enum { n = 1000000 };
    char folder[test_path_size], path[test_path_size];
    slip_result *result = NULL;
    uint64_t seed = 1;
    struct stat about;
    (void)state;
    test_folder_make(folder);
    good(slip_result_create(ctx, "lyapunov", NULL, &result));
    good(slip_table_add_all(ctx, &result->main,
                            (const slip_column_info[]){{.name = "time"}, {.name = "a"}, {.name = "b"}, {0}}));
    assert_true(slip_table_reserve(&result->main, n));
    for (int i = 0; i < n; i++) {
        double row[3] = {1e-3 * i};
        for (int k = 1; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            row[k] = (double)(seed >> 11) * ldexp(1, -53);
        }
        if (i == 123456)
            row[1] = 17;
        if (i == 654321)
            row[2] = -17;
        good(slip_table_append(ctx, &result->main, row));
    }
    slip_text_append(&result->summary, "{}");
    good(slip_result_save(ctx, result, folder));
    slip_result_destroy(result);
    const int status = slip_report(ctx, folder, NULL);
    if (!slip_page_text) {
        assert_int_equal(status, SLIP_ERROR_USAGE);
        assert_non_null(strstr(slip_context_message(ctx), "scripts/setup"));
    } else {
        good(status);
        assert_int_equal(stat(test_path(path, folder, "report.html"), &about), 0);
        assert_true(about.st_size > 1000000 && about.st_size < 5000000);
        char *page = test_read(path);
        assert_non_null(strstr(page, "\"rows\": 1000000"));
        /* The packs stand in the order of the columns. */
        for (int k = 1; k < 3; k++) {
            char mark[40];
            slip_packing packing;
            long long count;
            snprintf(mark, sizeof mark, "\"pack\": %d,", k);
            const char *json = strstr(page, mark);
            assert_non_null(json);
            assert_int_equal(sscanf(strstr(json, "\"count\""),
                                    "\"count\": %lld, \"order\": %d, \"low\": %lf, \"step\": %lf", &count,
                                    &packing.order, &packing.low, &packing.step),
                             4);
            packing.count = count;
            assert_true(count > 20000 && count < n / 2);
            snprintf(mark, sizeof mark, "id=\"pack-%d\">", k);
            char *text = strstr(page, mark) + strlen(mark), *end = strstr(text, "</script>");
            *end = 0;
            double *values = read_pack(&packing, text), low = INFINITY, high = -INFINITY;
            *end = '<';
            for (int64_t i = 0; i < count; i++) {
                low = fmin(low, values[i]);
                high = fmax(high, values[i]);
            }
            assert_true(k == 1 ? fabs(high - 17) < 1e-5 : fabs(low + 17) < 1e-5);
            free(values);
        }
        free(page);
    }
    test_folder_remove(folder);
}

/* ---- Bodies. */

static void bodies_are_read_back(void **state)
{
    char folder[test_path_size], path[test_path_size];
    slip_mesh *made[2], *mesh = NULL;
    double moved[2][8], stress[2][4];
    slip_vtu_field fields[2][2];
    slip_vtu_piece pieces[2];
    slip_vtu_wanted wanted[3] = {{"displacement", 3, NULL}, {"von_mises", 1, NULL}, {"nothing", 1, NULL}};
    (void)state;
    test_folder_make(folder);
    for (int k = 0; k < 2; k++) {
        int *nodes;
        good(slip_mesh_create(ctx, 2, 4, &made[k]));
        good(slip_mesh_add_group(ctx, made[k], &slip_cell_quad4, 1, &nodes));
        for (int i = 0; i < 4; i++) {
            nodes[i] = 3 - i;
            made[k]->points[2 * i] = k + i;
            made[k]->points[2 * i + 1] = 0.1 * i;
            moved[k][2 * i] = 0.5 * k;
            moved[k][2 * i + 1] = i;
            stress[k][i] = 10 * k + i;
        }
        fields[k][0] = (slip_vtu_field){"displacement", 2, moved[k], false};
        fields[k][1] = (slip_vtu_field){"von_mises", 1, stress[k], false};
        pieces[k] = (slip_vtu_piece){made[k], fields[k], 2};
    }
    good(slip_vtu_write(ctx, test_path(path, folder, "two.vtu"), pieces, 2));
    good(slip_vtu_read(ctx, path, &mesh, wanted, 3));
    assert_int_equal(mesh->node_count, 8);
    assert_int_equal(mesh->element_count, 2);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(slip_mesh_nodes(mesh, i / 4)[i % 4], 4 * (i / 4) + 3 - i % 4);
        assert_true(mesh->points[3 * i] == made[i / 4]->points[2 * (i % 4)]);
        assert_true(wanted[0].values[3 * i + 1] == i % 4 && wanted[0].values[3 * i + 2] == 0);
        assert_true(wanted[1].values[i] == stress[i / 4][i % 4]);
    }
    assert_null(wanted[2].values);
    slip_mesh_destroy(mesh);
    free(wanted[0].values);
    free(wanted[1].values);
    /* Cut anywhere, or with any byte changed, a file is refused or read; nothing else happens. */
    char *text = test_read(path);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    for (long length = 0; length < about.st_size - 40; length += 7) {
        FILE *file = fopen(path, "wb");
        fwrite(text, 1, (size_t)length, file);
        fclose(file);
        assert_int_equal(slip_vtu_read(ctx, path, &mesh, wanted, 3), SLIP_ERROR_IO);
    }
    for (long at = 0; at < about.st_size; at += 5) {
        const char old = text[at];
        text[at] = (char)(old ^ 0x55);
        FILE *file = fopen(path, "wb");
        fwrite(text, 1, (size_t)about.st_size, file);
        fclose(file);
        text[at] = old;
        const int status = slip_vtu_read(ctx, path, &mesh, wanted, 3);
        assert_true(status == SLIP_OK || status == SLIP_ERROR_IO);
        slip_mesh_destroy(mesh);
        for (int k = 0; k < 3; k++)
            free(wanted[k].values);
    }
    free(text);
    slip_mesh_destroy(made[0]);
    slip_mesh_destroy(made[1]);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_come_back), cmocka_unit_test(extremes_stay),
                                       cmocka_unit_test(bodies_are_read_back)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
