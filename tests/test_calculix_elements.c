/* Displacements of distorted bodies of each type of element under nodal forces, and the squares of their
 * lowest natural frequencies, held and free, against CalculiX on the same mesh: calculix_elements.dat, which
 * tests/calculix_elements.sh makes anew and compares (scripts/test --all).
 *
 * CalculiX makes bricks of plane elements, and those of plane stress (CPS) have a thickness at each node: the
 * stress across the plane is zero in the mean only, and displacements of coarse meshes differ by some per
 * cent from plane stress. The same displacements follow exactly from plane strain with young (1 + 2 nu)/(1 +
 * nu)^2 and poisson nu/(1 + nu), which is what CalculiX gets. Its incompatible modes (C3D8I) are ours for
 * bricks with parallel faces only. Its masses of triangles and of tetrahedra are
 * integrated at the points of their stiffness, which is not exact (on these meshes omega^2 differs by up to a
 * half): frequencies are compared with masses at these points; the exact ones are held by test_element_types,
 * by integrals in closed form. Frequencies of C3D8I are not compared.
 *
 *   test_calculix_elements [FILE.dat]      compares
 *   test_calculix_elements write FOLDER    writes the input files of CalculiX, FOLDER/TYPE.inp, and
 *                                          FOLDER/TYPE+held.inp, FOLDER/TYPE+loose.inp of the frequencies */
#include "fem/assemble.h"
#include "grid_test.h"
#include "io/file.h"
#include "math/dense.h"
#include "math/factor.h"

/* What is asked of each: displacements, or eigenvalues of a body that is held or nothing holds. */
typedef enum question { DISPLACEMENTS, HELD, LOOSE } question;
static const char *const endings[] = {"", "+held", "+loose"};

typedef struct body_case {
    const char *name; /* CalculiX's type, and what else tells it apart */
    const slip_cell *cell;
    slip_elastic_kind kind;
    bool incompatible;
    double shake;
    question last; /* of the questions; CalculiX has no frequencies of loose meshes of CPE3 and CPE4 */
    /* Its masses of triangles and tetrahedra are integrated at the points of their stiffness, which is not
     * exact as ours are: frequencies are then those of our elements with masses at these points. */
    bool same_points;
} body_case;

static const body_case cases[] = {
    {"CPE3", &slip_cell_tri3, SLIP_PLANE_STRAIN, false, 0.2, HELD, true},
    {"CPE3-stress", &slip_cell_tri3, SLIP_PLANE_STRESS, false, 0.2, HELD, true},
    {"CPE6", &slip_cell_tri6, SLIP_PLANE_STRAIN, false, 0.2, LOOSE, true},
    {"CPE6-stress", &slip_cell_tri6, SLIP_PLANE_STRESS, false, 0.2, LOOSE, true},
    {"CPE4", &slip_cell_quad4, SLIP_PLANE_STRAIN, false, 0.2, HELD, false},
    {"CPE4-stress", &slip_cell_quad4, SLIP_PLANE_STRESS, false, 0.2, HELD, false},
    {"CPE8", &slip_cell_quad8, SLIP_PLANE_STRAIN, false, 0.2, LOOSE, false},
    {"CPE8-stress", &slip_cell_quad8, SLIP_PLANE_STRESS, false, 0.2, LOOSE, false},
    {"C3D4", &slip_cell_tet4, SLIP_SOLID, false, 0.2, LOOSE, true},
    {"C3D10", &slip_cell_tet10, SLIP_SOLID, false, 0.2, LOOSE, true},
    {"C3D8", &slip_cell_hex8, SLIP_SOLID, false, 0.2, LOOSE, false},
    {"C3D8I", &slip_cell_hex8, SLIP_SOLID, true, 0, DISPLACEMENTS, false},
    {"C3D20", &slip_cell_hex20, SLIP_SOLID, false, 0.2, LOOSE, false}};
enum { case_count = sizeof cases / sizeof *cases, path_size = 500 };

static const double young = 1000, poisson = 0.3, density = 1.5;
enum { modes = 2 }; /* CalculiX wants four times as many unknowns, rigid motions included */
static const char *reference = SLIPSTICK_SOURCE_DIR "/tests/calculix_elements.dat";

static slip_mesh *make_mesh(slip_context *ctx, const body_case *c)
{
    const int counts[3] = {3, 2, 2};
    const double size[3] = {1.5, 1, 0.8};
    return grid_make(ctx, c->cell, counts, size, c->shake);
}

/* Of the nodes at the right end, which is not constant over it. */
static double force_at(const slip_mesh *mesh, int node, int direction)
{
    static const double part[3] = {1, -2, 0.5};
    const double *p = mesh->points + (int64_t)node * mesh->dimension;
    return part[direction] * (1 + p[1] + (mesh->dimension == 3 ? 2 * p[2] : 0));
}

static int rigid_motions(const slip_mesh *mesh)
{
    return mesh->dimension == 2 ? 3 : 6;
}

/* ---- for CalculiX ---- */

static void write_case(slip_context *ctx, const body_case *c, question what, const char *folder)
{
    slip_mesh *mesh = make_mesh(ctx, c);
    const slip_mesh_set *right = slip_mesh_find(mesh, "right", SLIP_SET_NODES);
    const bool stress = c->kind == SLIP_PLANE_STRESS;
    char path[path_size], plain[32], *at;
    slip_text text = {0};
    snprintf(path, sizeof path, "%s/%s%s.inp", folder, c->name, endings[what]);
    assert_int_equal(slip_mesh_write_abaqus(ctx, mesh, path), SLIP_OK);
    assert_int_equal(slip_file_read(ctx, path, 1 << 20, &text), SLIP_OK);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    snprintf(plain, sizeof plain, "TYPE=%s\n", c->cell->abaqus[0]);
    at = strstr(text.data, plain);
    assert_non_null(at);
    fprintf(file, "%.*sTYPE=%.*s, ELSET=all\n%s", (int)(at - text.data), text.data,
            (int)strcspn(c->name, "-"), c->name, at + strlen(plain));
    fprintf(
        file,
        "*NSET, NSET=nodes, GENERATE\n1, %d\n*MATERIAL, NAME=m\n*ELASTIC\n%.14e, %.14e\n*DENSITY\n%.14e\n",
        mesh->node_count, stress ? young * (1 + 2 * poisson) / (1 + poisson) / (1 + poisson) : young,
        stress ? poisson / (1 + poisson) : poisson, density);
    fprintf(file, "*SOLID SECTION, ELSET=all, MATERIAL=m\n%s", mesh->dimension == 2 ? "1.\n" : "");
    if (what != LOOSE)
        fprintf(file, "*BOUNDARY\nleft, 1, %d\n", mesh->dimension);
    fprintf(file, what == DISPLACEMENTS ? "*STEP\n*STATIC\n*CLOAD\n" : "*STEP\n*FREQUENCY\n%d\n",
            modes + (what == LOOSE ? rigid_motions(mesh) : 0));
    for (int i = 0; i < right->count && what == DISPLACEMENTS; i++)
        for (int d = 0; d < mesh->dimension; d++)
            fprintf(file, "%d, %d, %.12e\n", right->items[i] + 1, d + 1, force_at(mesh, right->items[i], d));
    fprintf(file, what == DISPLACEMENTS ? "*NODE PRINT, NSET=nodes\nU\n*END STEP\n" : "*END STEP\n");
    fclose(file);
    slip_text_free(&text);
    slip_mesh_destroy(mesh);
}

/* ---- here ---- */

/* The nodes with unknowns, all or those that are not held at the left end; returns how many. */
static int number_nodes(const slip_mesh *mesh, bool held, int *number)
{
    const slip_mesh_set *left = slip_mesh_find(mesh, "left", SLIP_SET_NODES);
    int count = 0;
    for (int i = 0; i < left->count && held; i++)
        number[left->items[i]] = -1;
    for (int i = 0; i < mesh->node_count; i++)
        number[i] = number[i] < 0 ? -1 : count++;
    return count;
}

static double *solve(slip_context *ctx, const body_case *c, const slip_mesh *mesh)
{
    const slip_mesh_set *right = slip_mesh_find(mesh, "right", SLIP_SET_NODES);
    const int d = mesh->dimension;
    slip_elastic elastic = slip_elastic_make(c->kind, young, poisson, 1);
    int *number = slip_alloc(mesh->node_count, sizeof *number);
    const int count = number_nodes(mesh, true, number);
    double *u = slip_alloc((int64_t)d * mesh->node_count, sizeof *u);
    double *x = slip_alloc((int64_t)d * mesh->node_count, sizeof *x);
    slip_sparse *stiffness = NULL;
    slip_factor *factor = NULL;
    elastic.incompatible = c->incompatible;
    for (int i = 0; i < right->count; i++)
        for (int k = 0; k < d; k++)
            x[d * number[right->items[i]] + k] = force_at(mesh, right->items[i], k);
    assert_int_equal(slip_assemble_stiffness(ctx, mesh, &elastic, number, count, &stiffness), SLIP_OK);
    assert_int_equal(slip_factor_create(ctx, stiffness, NULL, &factor, NULL), SLIP_OK);
    assert_int_equal(slip_factor_solve(ctx, factor, 1, x, x), SLIP_OK);
    for (int i = 0; i < d * mesh->node_count; i++)
        u[i] = number[i / d] < 0 ? 0 : x[d * number[i / d] + i % d];
    slip_factor_destroy(factor);
    slip_sparse_destroy(stiffness);
    free(number);
    free(x);
    return u;
}

static double *to_dense(const slip_sparse *matrix)
{
    const int64_t n = matrix->size;
    double *dense = slip_alloc(n * n, sizeof *dense);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++)
            dense[j * n + matrix->row[k]] = dense[matrix->row[k] * n + j] = matrix->value[k];
    return dense;
}

/* The mass with the points of the stiffness, by the unknowns of the stiffness. */
static double *mass_at_same_points(const slip_mesh *mesh, const int *number, int64_t size)
{
    const int d = mesh->dimension;
    double *dense = slip_alloc(size * size, sizeof *dense);
    for (int g = 0; g < mesh->group_count; g++) {
        const slip_mesh_group *group = &mesh->groups[g];
        const int count = group->cell->node_count;
        slip_element_type type = *slip_element_find(group->cell);
        type.exact = type.rule;
        for (int e = 0; e < group->count; e++) {
            const int *nodes = group->nodes + (int64_t)e * count;
            double points[3 * slip_cell_nodes_max], part[slip_cell_nodes_max * slip_cell_nodes_max];
            for (int a = 0; a < count * d; a++)
                points[a] = mesh->points[(int64_t)nodes[a / d] * d + a % d];
            slip_element_mass(&type, points, part);
            for (int a = 0; a < count; a++)
                for (int b = 0; b < count; b++)
                    for (int k = 0; k < d && number[nodes[a]] >= 0 && number[nodes[b]] >= 0; k++)
                        dense[(d * number[nodes[a]] + k) * size + d * number[nodes[b]] + k] +=
                            density * part[a * count + b];
        }
    }
    return dense;
}

/* omega^2, ascending, in memory that the caller frees: M x = x (K + M)/(1 + omega^2), since masses at few
 * points may leave motions without any. */
static double *find_squares(slip_context *ctx, const body_case *c, const slip_mesh *mesh, bool held)
{
    slip_elastic elastic = slip_elastic_make(c->kind, young, poisson, 1);
    int *number = slip_alloc(mesh->node_count, sizeof *number);
    const int nodes = number_nodes(mesh, held, number);
    slip_sparse *stiffness = NULL, *mass = NULL;
    elastic.density = density;
    elastic.incompatible = c->incompatible;
    assert_int_equal(slip_assemble_stiffness(ctx, mesh, &elastic, number, nodes, &stiffness), SLIP_OK);
    assert_int_equal(slip_assemble_mass(ctx, mesh, &elastic, mesh->dimension, number, nodes, &mass), SLIP_OK);
    const int64_t n = mass->size;
    double *a = to_dense(stiffness),
           *b = c->same_points ? mass_at_same_points(mesh, number, n) : to_dense(mass),
           *values = slip_alloc(n, sizeof *values), *squares = slip_alloc(n, sizeof *squares);
    for (int64_t i = 0; i < n * n; i++)
        a[i] += b[i];
    assert_true(slip_dense_eigenvectors_pair((int)n, b, a, values));
    for (int64_t i = 0; i < n; i++)
        squares[i] = values[n - 1 - i] > 0 ? 1 / values[n - 1 - i] - 1 : INFINITY;
    slip_sparse_destroy(stiffness);
    slip_sparse_destroy(mass);
    free(number);
    free(values);
    free(a);
    free(b);
    return squares;
}

/* Lines "TYPE+held mode omega^2 ..." of the type: the largest difference of one that is not rigid, over it.
 */
static double compare_squares(slip_context *ctx, const body_case *c, question what)
{
    slip_mesh *mesh = make_mesh(ctx, c);
    const int rigid = what == LOOSE ? rigid_motions(mesh) : 0;
    double *squares = find_squares(ctx, c, mesh, what == HELD), worst = 0, their[3];
    char wanted[32], name[32];
    int mode, seen = 0;
    FILE *file = fopen(reference, "r");
    assert_non_null(file);
    snprintf(wanted, sizeof wanted, "%.20s%s", c->name, endings[what]);
    while (fscanf(file, "%31s %d %lf %lf %lf", name, &mode, &their[0], &their[1], &their[2]) == 5) {
        if (strcmp(name, wanted) != 0 || mode <= rigid)
            continue;
        assert_true(mode <= modes + rigid);
        worst = fmax(worst, fabs(squares[mode - 1] / their[0] - 1));
        seen++;
    }
    fclose(file);
    assert_int_equal(seen, modes);
    free(squares);
    slip_mesh_destroy(mesh);
    return worst;
}

/* Lines "TYPE node ux uy uz" of the type, against ours: the largest difference over the largest displacement.
 * CalculiX prints seven digits. */
static double compare_case(slip_context *ctx, const body_case *c)
{
    slip_mesh *mesh = make_mesh(ctx, c);
    double *u = solve(ctx, c, mesh), largest = 0, worst = 0, their[3];
    char name[32];
    int node, seen = 0;
    FILE *file = fopen(reference, "r");
    assert_non_null(file);
    while (fscanf(file, "%31s %d %lf %lf %lf", name, &node, &their[0], &their[1], &their[2]) == 5) {
        if (strcmp(name, c->name) != 0)
            continue;
        assert_true(node >= 1 && node <= mesh->node_count);
        for (int d = 0; d < mesh->dimension; d++) {
            const double our = u[(node - 1) * mesh->dimension + d];
            largest = fmax(largest, fabs(our));
            worst = fmax(worst, fabs(our - their[d]));
        }
        seen++;
    }
    fclose(file);
    assert_int_equal(seen, mesh->node_count);
    slip_mesh_destroy(mesh);
    free(u);
    return worst / largest;
}

static void same_as_calculix(void **state)
{
    slip_context *ctx = slip_context_create();
    bool good = true;
    (void)state;
    for (int i = 0; i < case_count; i++) {
        const double worst = compare_case(ctx, &cases[i]);
        print_message("%-11s largest difference %.1e of the largest displacement\n", cases[i].name, worst);
        good = good && worst < 1e-6;
        for (int what = HELD; what <= (int)cases[i].last; what++) {
            const double off = compare_squares(ctx, &cases[i], (question)what);
            print_message("%-11s %s: %.1e of omega^2\n", cases[i].name, endings[what], off);
            good = good && off < 1e-6;
        }
    }
    assert_true(good);
    slip_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_calculix)};
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        slip_context *ctx = slip_context_create();
        for (int i = 0; i < case_count; i++)
            for (int what = 0; what <= (int)cases[i].last; what++)
                write_case(ctx, &cases[i], (question)what, argv[2]);
        slip_context_destroy(ctx);
        return 0;
    }
    if (argc == 2)
        reference = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
