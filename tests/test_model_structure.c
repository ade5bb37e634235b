/* Mass, damping and stiffness in their other forms: diagonals, Matrix Market files, springs. */
#include "model_test.h"

#include "test_folder.h"

#define HEAD3 "slipstick: 1\nparameters: {k: 2, c: 0.5, m: 3}\ncoordinates: [x, y, z]\n"
#define ONES "mass: {diagonal: [m, 1, m + 1]}\n"

static void expect_matrix(const double *found, const double *expected)
{
    for (int i = 0; i < 9; i++)
        assert_close(found[i], expected[i], 0);
}

static void springs_are_stiffness_and_damping(void **state)
{
    slip_model *model = parse(HEAD3 ONES "stiffness: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"
                                         "springs: [{between: [x, y], stiffness: k, damping: c},\n"
                                         "  {between: [z, ground], stiffness: 5}]\n");
    slip_model *bound;
    (void)state;
    expect_matrix(model->system->mass, (double[]){3, 0, 0, 0, 1, 0, 0, 0, 4});
    expect_matrix(model->system->stiffness, (double[]){3, -2, 0, -2, 3, 0, 0, 0, 6});
    expect_matrix(model->system->damping, (double[]){0.5, -0.5, 0, -0.5, 0.5, 0, 0, 0, 0});
    assert_int_equal(slip_model_bind_one(ctx, model, "k", 7, &bound), SLIP_OK);
    expect_matrix(bound->system->stiffness, (double[]){8, -7, 0, -7, 8, 0, 0, 0, 6});
    slip_model_destroy(bound);
    slip_model_destroy(model);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A model file beside a matrix file of this text. */
static int load_matrix(const char *folder, const char *matrix, slip_model **model)
{
    char path[test_path_size + 20];
    snprintf(path, sizeof path, "%s/K.mtx", folder);
    write_file(path, matrix);
    snprintf(path, sizeof path, "%s/m.yaml", folder);
    write_file(path, HEAD3 ONES "stiffness: {file: K.mtx}\nsimulate: {time: [0, 1]}\n");
    return slip_model_load(ctx, path, model);
}

static void matrices_come_from_files(void **state)
{
    static const struct {
        const char *text;
        double expected[9];
    } files[] = {
        {"%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 4\n1 1 2\n2 1 -1.5\n3 3 1e2\n2 2 "
         "4\n",
         {2, -1.5, 0, -1.5, 4, 0, 0, 0, 100}},
        {"%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 7\n1 2 1\n",
         {0, 8, 0, 0, 0, 0, 0, 0, 0}},
        {"%%MatrixMarket MATRIX Array real general\n3 3\n1\n2\n3\n4\n5\n6\n7\n8\n9\n",
         {1, 4, 7, 2, 5, 8, 3, 6, 9}},
        {"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", {0, -1, -2, 1, 0, -3, 2, 3, 0}}};
    char folder[test_path_size];
    (void)state;
    test_folder_make(folder);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        slip_model *model, *bound, *again;
        slip_text text = {0};
        char path[test_path_size + 20];
        assert_int_equal(load_matrix(folder, files[i].text, &model), SLIP_OK);
        expect_matrix(model->system->stiffness, files[i].expected);
        /* what is written finds the file from anywhere */
        assert_int_equal(slip_model_write(ctx, model, "event", &text), SLIP_OK);
        again = parse(text.data);
        expect_matrix(again->system->stiffness, files[i].expected);
        /* other values do not need it again */
        snprintf(path, sizeof path, "%s/K.mtx", folder);
        assert_int_equal(remove(path), 0);
        assert_int_equal(slip_model_bind_one(ctx, model, "m", 9, &bound), SLIP_OK);
        expect_matrix(bound->system->stiffness, files[i].expected);
        assert_close(bound->system->mass[0], 9, 0);
        slip_text_free(&text);
        slip_model_destroy(bound);
        slip_model_destroy(again);
        slip_model_destroy(model);
    }
    test_folder_remove(folder);
}

static void wrong_files_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } files[] = {
        {"", "K.mtx:1: found ` `, expected `%%MatrixMarket matrix"},
        {"%%MatrixMarket matrix array real skew-symmetric symmetric\n3 3\n1\n2\n3\n",
         "K.mtx:1: found `symmetric` after the symmetry, expected the end of the line"},
        {"1 2 3\n", "K.mtx:1: found `1 2`"},
        {"%%MatrixMarket matrix list real general\n", "found format `list`, expected coordinate or array"},
        {"%%MatrixMarket matrix array complex general\n", "found field `complex`, expected real or integer"},
        {"%%MatrixMarket matrix array real hermitian\n", "found symmetry `hermitian`"},
        {"%%MatrixMarket matrix array real general\n2 3\n", "K.mtx:2: found 2 rows, expected 3"},
        {"%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1\n", "K.mtx:3: "},
        {"%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n", "K.mtx:"},
        {"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 inf\n", "K.mtx:3: "},
        {"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1 5\n", "found more than the entries"}};
    char folder[test_path_size];
    (void)state;
    test_folder_make(folder);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        slip_model *model;
        assert_int_equal(load_matrix(folder, files[i].text, &model), SLIP_ERROR_MODEL);
        assert_null(model);
        expect_message(files[i].text, "m.yaml:5:19: stiffness: ");
        expect_message(files[i].text, files[i].message);
    }
    test_folder_remove(folder);
}

static void wrong_structures_are_refused(void **state)
{
    static const refusal refusals[] = {
        {HEAD3 "mass: {diagonal: [1, 2]}\n",
         "m.yaml:4:18: mass: diagonal: found a list of 2, expected a list of 3 numbers"},
        {HEAD3 "mass: {diagonal: [1, 2, 0]}\n", "`z` has no mass, and nothing decides its motion"},
        {HEAD3 "mass: {}\n", "mass: found neither, expected one of `diagonal` and `file`"},
        {HEAD3 "mass: {diag: [1, 2, 3]}\n", "unknown key `diag`, expected one of `diagonal`, `file`"},
        {HEAD3 "mass: {file: none.mtx}\n", "m.yaml:4:14: mass: "},
        {HEAD3 ONES "springs: {between: [x, y]}\n", "m.yaml:5:10: springs: found a mapping, expected a list"},
        {HEAD3 ONES "springs: [{stiffness: 1}]\n", "springs: `between` is missing"},
        {HEAD3 ONES "springs: [{between: [x, y]}]\n", "found neither stiffness nor damping"},
        {HEAD3 ONES "springs: [{between: [x, w], stiffness: 1}]\n",
         "springs: between: unknown coordinate `w`"},
        {HEAD3 ONES "springs: [{between: [x, x], stiffness: 1}]\n",
         "found both ends on `x`, expected two places"},
        {HEAD3 ONES "springs: [{between: [x], stiffness: 1}]\n", "springs: between: found a list of 1"},
        {HEAD3 ONES "springs: [{between: [x, y], stiffness: t}]\n", "springs: stiffness: found `t`"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_are_stiffness_and_damping),
        cmocka_unit_test(matrices_come_from_files),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(wrong_structures_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
