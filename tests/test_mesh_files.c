/* Mesh files: what Gmsh and Abaqus write is read, with its sets; what is wrong is refused with its line; what
 * we write comes back. */
#include "fem/element.h"
#include "grid_test.h"
#include "io/file.h"
#include "io/mesh/mesh.h"
#include "io/vtu.h"
#include "plane_test.h"
#include "test_folder.h"

static slip_context *ctx;

static int setup(void **state)
{
    (void)state;
    ctx = slip_context_create();
    return ctx ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    slip_context_destroy(ctx);
    return 0;
}

/* ---- Gmsh ---- */

/* Two quadrilaterals in a row, as Gmsh writes them: tags with holes, a node of an arc's middle that no
 * element uses, a curve on the left and one at the bottom, a point, a group without a name. */
#define FORMAT "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NAMES                                                                                                \
    "$PhysicalNames\n4\n0 9 \"corner\"\n1 1 \"left side\"\n1 2 \"bottom\"\n2 1 "                             \
    "\"plate\"\n$EndPhysicalNames\n"
#define ENTITIES                                                                                             \
    "$Entities\n2 3 1 0\n1 0 0 0 1 9\n2 5 5 0 0\n"                                                           \
    "1 0 0 0 0 1 0 1 1 2 1 -2\n2 0 0 0 2 0 0 1 -2 2 1 2\n3 2 0 0 2 1 0 1 7 0\n"                              \
    "1 0 0 0 2 1 0 1 1 3 1 2 3\n$EndEntities\n"
#define NODES                                                                                                \
    "$Nodes\n4 7 1 40\n0 1 0 1\n10\n0 0 0\n0 2 0 1\n11\n5 5 0\n1 2 1 2\n20\n21\n1 0 0 0.5\n2 0 0 1\n"        \
    "2 1 0 3\n40\n30\n31\n0 1 0\n1 1.5 0\n2 1 0\n$EndNodes\n"
#define ELEMENTS                                                                                             \
    "$Elements\n5 7 1 7\n0 1 15 1\n1 10\n1 1 1 1\n2 40 10\n1 2 1 2\n3 10 20\n4 20 21\n1 3 1 1\n5 31 21\n"    \
    "2 1 3 2\n6 10 20 30 40\n7 20 21 31 30\n$EndElements\n"
static const char two_quads[] = FORMAT NAMES ENTITIES NODES ELEMENTS;

static slip_mesh *parse_gmsh(const char *text)
{
    slip_mesh *mesh = NULL;
    plane_ok(ctx, slip_mesh_parse_gmsh(ctx, "part.msh", text, strlen(text), &mesh));
    return mesh;
}

static const slip_mesh_set *set_of(const slip_mesh *mesh, const char *name, slip_set_kind kind, int count)
{
    const slip_mesh_set *set = slip_mesh_find(mesh, name, kind);
    assert_non_null(set);
    assert_int_equal(set->count, count);
    return set;
}

static void test_gmsh(void **state)
{
    slip_mesh *mesh = parse_gmsh(two_quads);
    const int *nodes = slip_mesh_nodes(mesh, 1);
    (void)state;
    assert_int_equal(mesh->dimension, 2);
    assert_int_equal(mesh->node_count, 6);
    assert_int_equal(mesh->element_count, 2);
    assert_string_equal(slip_mesh_group_of(mesh, 0)->cell->name, "quad4");
    /* Nodes are in the order of the file: 10, 20, 21, 40, 30, 31. */
    static const int labels[] = {10, 20, 21, 40, 30, 31};
    for (int i = 0; i < 6; i++)
        assert_int_equal(slip_mesh_node_label(mesh, i), labels[i]);
    assert_int_equal(slip_mesh_element_label(mesh, 0), 6);
    assert_int_equal(slip_mesh_element_label(mesh, 1), 7);
    assert_int_equal(nodes[0], 1);
    assert_int_equal(nodes[2], 5);
    assert_close(mesh->points[2 * 4], 1, 0);
    assert_close(mesh->points[2 * 4 + 1], 1.5, 0);
    assert_int_equal(set_of(mesh, "bottom", SLIP_SET_FACES, 2)->items[1], slip_cell_faces_max + 0);
    assert_int_equal(set_of(mesh, "left side", SLIP_SET_FACES, 1)->items[0], 3);
    assert_int_equal(set_of(mesh, "7", SLIP_SET_FACES, 1)->items[0], slip_cell_faces_max + 1);
    set_of(mesh, "bottom", SLIP_SET_NODES, 3);
    set_of(mesh, "corner", SLIP_SET_NODES, 1);
    set_of(mesh, "plate", SLIP_SET_ELEMENTS, 2);
    assert_null(slip_mesh_find(mesh, "corner", SLIP_SET_FACES));
    slip_mesh_destroy(mesh);
}

typedef struct refusal {
    const char *text, *message;
} refusal;

static void test_gmsh_refusals(void **state)
{
    static const refusal refusals[] = {
        {"", "part.msh:1: expected $MeshFormat"},
        {"solid cube", "part.msh:1: expected $MeshFormat"},
        {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", "part.msh:2: the format has version 4, expected 4.1 or 2.2"},
        {"$MeshFormat\n1 0 8\n$EndMeshFormat\n", "part.msh:2: the format has version 1, expected 4.1 or 2.2"},
        {"$MeshFormat\n4.1 1 4\n", "part.msh:2: size of a number: found `4`"},
        {"$MeshFormat\n4.1 1 8\n\1",
         "part.msh: byte 21: the file ends here, expected one as a binary number"},
        {"$MeshFormat\n4.1 1 8\n\1\1\1\1\n$EndMeshFormat\n",
         "part.msh: byte 25: the number 1 is written as 16843009: expected a file of a machine"},
        {FORMAT, "there are no elements"},
        {FORMAT "$Nodes\n1 1 1 1\n2 1 0 1\n1\n0 0\n", "part.msh:9: the file ends here"},
        {FORMAT "$Nodes\n1 1 1 1\n2 1 0 1\n1\n0 zero 0\n",
         "part.msh:8: coordinate of a node: found `zero`, expected a finite number"},
        {FORMAT "$Nodes\n1 1 1 1\n2 1 0 1\n1\n0 inf 0\n", "found `inf`, expected a finite number"},
        {FORMAT "$Nodes\n1 -1 1 1\n2 1 0 -1\n", "part.msh:6: number of nodes: found `-1`, expected a whole"},
        {FORMAT "$Nodes\n1 2 1 1\n2 1 0 2\n1\n1\n0 0 0\n1 0 0\n$EndNodes\n",
         "part.msh:10: node 1 is here for the second time"},
        {FORMAT NODES "$Elements\n1 1 1 1\n2 1 10 1\n1 10 20 30\n$EndElements\n",
         "elements of type 10 are not supported, expected triangles (2, 9), quadrangles (3, 16), tetrahedra"},
        {FORMAT NODES "$Elements\n1 1 1 1\n2 1 3 1\n1 10 20 30 99\n$EndElements\n",
         "element 1: there is no node 99"},
        {FORMAT NODES "$Elements\n1 1 1 1\n2 1 3 1\n1 10 20 30 40\n$EndNodes\n", "expected $EndElements"},
        {FORMAT "$Comments\nno end\n", "part.msh:4: this section has no end, expected $EndComments"},
        {FORMAT "nodes\n", "part.msh:4: expected a section such as $Nodes"},
        {FORMAT NAMES ENTITIES NODES
         "$Elements\n2 2 1 2\n1 1 1 1\n1 10 31\n2 1 3 1\n2 10 20 30 40\n$EndElements\n",
         "set `left side`: the line2 at (0, 0, 0) is no face of an element"},
        {FORMAT "$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n$EndNodes\n"
                "$Elements\n1 1 1 1\n2 1 3 1\n1 1 2 3 4\n$EndElements\n",
         "part.msh: the mesh is not plane: z runs from 0 to 0.5"}};
    slip_mesh *mesh;
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        plane_refused(
            ctx, slip_mesh_parse_gmsh(ctx, "part.msh", refusals[i].text, strlen(refusals[i].text), &mesh),
            refusals[i].message);
        assert_null(mesh);
    }
    plane_refused(ctx, slip_mesh_parse_gmsh(ctx, "part.msh", FORMAT "\0", strlen(FORMAT) + 1, &mesh),
                  "found a zero byte");
}

/* ---- Abaqus ---- */

static const char abaqus_quads[] =
    "*Heading\n two elements, a comment\n** nothing\n*NODE, NSET=Nall\n"
    " 1, 0., 0.\n2, 1, 0, 0\n 3 , 2., 0.\n4, 0, 1\n5, 1, 1.5\n6, 2., 1.\n 77, 9, 9\n"
    "*element, type=cps4, elset=plate\n1, 1, 2, 5,\n 4\n2, 2, 3, 6, 5\n"
    "*nset, nset=bottom, generate\n1, 3, 1\n*NSET, NSET=more\nBOTTOM, 4,\n77\n"
    "*ELSET, ELSET=second\n2\n"
    "*SURFACE, NAME=lower, TYPE=ELEMENT\nplate, S1\n"
    "*SURFACE, NAME=right\n2, S2\n*surface, type=node, name=dots\nbottom\n5\n"
    "*MATERIAL, NAME=steel\n*ELASTIC\n210000, 0.3\n*STEP\n*STATIC\n*END STEP\n";

static void test_abaqus(void **state)
{
    slip_mesh *mesh = NULL;
    (void)state;
    plane_ok(ctx, slip_mesh_parse_abaqus(ctx, "part.inp", abaqus_quads, strlen(abaqus_quads), &mesh));
    assert_int_equal(mesh->node_count, 6);
    assert_int_equal(mesh->element_count, 2);
    assert_int_equal(slip_mesh_nodes(mesh, 0)[3], 3);
    set_of(mesh, "Nall", SLIP_SET_NODES, 6); /* node 77 belongs to no element */
    set_of(mesh, "bottom", SLIP_SET_NODES, 3);
    set_of(mesh, "more", SLIP_SET_NODES, 4);
    set_of(mesh, "dots", SLIP_SET_NODES, 4);
    set_of(mesh, "plate", SLIP_SET_ELEMENTS, 2);
    assert_int_equal(set_of(mesh, "second", SLIP_SET_ELEMENTS, 1)->items[0], 1);
    assert_int_equal(set_of(mesh, "lower", SLIP_SET_FACES, 2)->items[1], slip_cell_faces_max);
    assert_int_equal(set_of(mesh, "right", SLIP_SET_FACES, 1)->items[0], slip_cell_faces_max + 1);
    slip_mesh_destroy(mesh);
}

#define SQUARE "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=CPE4\n1, 1, 2, 3, 4\n"

static void test_abaqus_refusals(void **state)
{
    static const refusal refusals[] = {
        {"", "there are no elements"},
        {"*NODE\n1, 0\n", "part.inp:2: node 1: found 1 coordinates, expected 2 or 3"},
        {"*NODE\none, 0, 0\n", "part.inp:2: number of a node: found `one`, expected a whole number"},
        {"*NODE\n1, 0, 1e999\n", "part.inp:2: node 1: found `1e999`, expected a finite number"},
        {"*NODE\n1, 0, 0\n1, 0, 0\n", "part.inp:3: node 1 is here for the second time"},
        {"*ELEMENT\n1, 1, 2, 3, 4\n", "part.inp:1: *ELEMENT: TYPE is missing"},
        {"*ELEMENT, TYPE=C3D6\n", "part.inp:1: elements of type C3D6 are not supported, expected CPE3"},
        {"*NODE\n1, 0, 0\n*ELEMENT, TYPE=CPE4\n1, 1, 1, 1, 2\n", "part.inp:4: element 1: there is no node 2"},
        {"*NODE\n1, 0, 0\n*ELEMENT, TYPE=CPE4\n1, 1, 1\n",
         "part.inp:4: element 1: found 2 nodes, expected 4"},
        {"*NODE\n1, 0, 0\n*ELEMENT, TYPE=CPE4\n1, 1, 1,\n*STEP\n",
         "part.inp:5: element 1 ends after 2 nodes, expected 4"},
        {"*NODE\n1, 0, 0\n*ELEMENT, TYPE=CPE4\n1, 1, 1, 1, 1, 1\n", "element 1: found more than 4 nodes"},
        {SQUARE "*NSET\n1\n", "part.inp:8: *NSET: NSET is missing, expected for example NSET=name"},
        {SQUARE "*NSET, NSET=a\n5\n", "part.inp:9: set `a`: there is no node 5"},
        {SQUARE "*NSET, NSET=a\nb\n", "part.inp:9: set `a`: there is no set of nodes `b` above"},
        {SQUARE "*NSET, NSET=a, GENERAT\n1, 3, 1\n",
         "part.inp:8: *NSET: found the parameter `GENERAT`, expected one of NSET, GENERATE, "},
        {"*NODE, SYSTEM=C\n1, 0, 0\n",
         "part.inp:1: *NODE: found the parameter `SYSTEM=C`, expected one of NSET"},
        {SQUARE "*NSET, NSET=a\n*NSET, NSET=b\n1\n",
         "part.inp:8: *NSET: set `a`: found nothing in it, expected nodes in the lines below"},
        {SQUARE "*NSET, NSET=a\n,\n", "part.inp:8: *NSET: set `a`: found nothing in it"},
        {SQUARE "*ELSET, ELSET=a\n*STEP\n",
         "part.inp:8: *ELSET: set `a`: found nothing in it, expected elements"},
        {SQUARE "*SURFACE, NAME=a\n", "part.inp:8: *SURFACE: set `a`: found nothing in it, expected faces"},
        {SQUARE "*SURFACE, NAME=a, TYPE=NODE\n", "*SURFACE: set `a`: found nothing in it, expected nodes"},
        {SQUARE "*SURFACE, NAME=s, TYPE=USER\n", "part.inp:8: surface `s`: found the type USER"},
        {SQUARE "*ELSET, ELSET=a, GENERATE\n3, 1\n", "part.inp:9: set `a`: found the range 3 to 1 by 1"},
        {SQUARE "*SURFACE, NAME=s\n1, S5\n",
         "part.inp:9: surface `s`: found the face `S5`, expected S1 to S4"},
        {SQUARE "*SURFACE, NAME=s\n9, S1\n", "part.inp:9: surface `s`: there is no element 9"},
        {SQUARE "*SURFACE, NAME=s\nnone, S1\n", "there is no set of elements `none` above"},
        {SQUARE "*SURFACE, NAME=s, TYPE=USER\n1\n", "found the type USER, expected ELEMENT or NODE"},
        {"*INCLUDE, INPUT=other.inp\n", "part.inp:1: *INCLUDE is not supported"}};
    slip_mesh *mesh;
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        plane_refused(
            ctx, slip_mesh_parse_abaqus(ctx, "part.inp", refusals[i].text, strlen(refusals[i].text), &mesh),
            refusals[i].message);
        assert_null(mesh);
    }
}

/* ---- files that Gmsh wrote: the same mesh in five formats ---- */

#define MESHES SLIPSTICK_SOURCE_DIR "/tests/meshes/"

static void add_size(void *user, const double *value, const double *place, double size)
{
    (void)value;
    (void)place;
    *(double *)user += size;
}

/* Length or area of a set of faces. */
static double size_of_faces(const slip_mesh *mesh, const char *name, int count)
{
    const slip_mesh_set *set = set_of(mesh, name, SLIP_SET_FACES, count);
    const int d = mesh->dimension;
    double size = 0;
    for (int i = 0; i < set->count; i++) {
        const slip_cell *face = slip_mesh_group_of(mesh, set->items[i] / slip_cell_faces_max)->cell->face;
        double points[3 * slip_face_nodes_max];
        int nodes[slip_face_nodes_max];
        for (int k = slip_mesh_face_nodes(mesh, set->items[i], nodes) * d; k-- > 0;)
            points[k] = mesh->points[nodes[k / d] * d + k % d];
        slip_element_integrate(slip_element_find(face), d, points, add_size, &size);
    }
    return size;
}

static void test_written_by_gmsh(void **state)
{
    static const struct {
        const char *name;
        const slip_cell *cell;
        int nodes, elements;
        double volume;
        const char *edge;
        int faces;
        double size;
    } meshes[] = {{"plate3", &slip_cell_tri3, 8, 8, 2, "bottom", 2, 2},
                  {"plate6", &slip_cell_tri6, 23, 8, 2, "bottom", 2, 2},
                  {"tet4", &slip_cell_tet4, 14, 24, 1, "low", 4, 1},
                  {"tet10", &slip_cell_tet10, 63, 24, 1, "low", 4, 1},
                  {"hex20", &slip_cell_hex20, 20, 1, 1, "low", 1, 1}};
    static const char *const endings[] = {"-4.msh", "-4-binary.msh", "-2.msh", "-2-binary.msh", ".inp"};
    (void)state;
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
        slip_mesh *first = NULL;
        for (int k = 0; k < 5; k++) {
            slip_mesh *mesh = NULL;
            char path[400];
            double volume = 0, worst = 0;
            snprintf(path, sizeof path, "%s%s%s", MESHES, meshes[m].name, endings[k]);
            plane_ok(ctx, slip_mesh_read(ctx, path, &mesh));
            assert_int_equal(mesh->node_count, meshes[m].nodes);
            assert_int_equal(mesh->element_count, meshes[m].elements);
            for (int e = 0; e < mesh->element_count; e++) {
                double points[slip_element_unknowns_max];
                const slip_cell *cell = slip_mesh_group_of(mesh, e)->cell;
                assert_ptr_equal(cell, meshes[m].cell);
                slip_element_points(mesh, e, points);
                /* Middle nodes that are in another order bend the edges, and most of them turn it inside out.
                 */
                assert_true(slip_element_quality(slip_element_find(cell), points, NULL) > 0.5);
                slip_element_integrate(slip_element_find(cell), mesh->dimension, points, add_size, &volume);
            }
            assert_close(volume, meshes[m].volume, 1e-10);
            assert_close(size_of_faces(mesh, meshes[m].edge, meshes[m].faces), meshes[m].size, 1e-10);
            assert_non_null(slip_mesh_find(mesh, meshes[m].edge, SLIP_SET_NODES));
            set_of(mesh, mesh->dimension == 2 ? "plate" : "solid", SLIP_SET_ELEMENTS, mesh->element_count);
            if (mesh->dimension == 2 && k < 4)
                set_of(mesh, "corner", SLIP_SET_NODES, 1);
            if (first) { /* .inp has 14 digits */
                for (int i = 0; i < mesh->node_count * mesh->dimension; i++)
                    worst = fmax(worst, fabs(mesh->points[i] - first->points[i]));
                assert_true(worst < 1e-13);
                for (int e = 0; e < mesh->element_count; e++)
                    assert_memory_equal(slip_mesh_nodes(mesh, e), slip_mesh_nodes(first, e),
                                        (size_t)meshes[m].cell->node_count * sizeof(int));
                slip_mesh_destroy(mesh);
            } else {
                first = mesh;
            }
        }
        slip_mesh_destroy(first);
    }
}

/* Every byte that is missing at the end, and every byte that is another one, gives an error or a mesh. */
static void test_damaged(void **state)
{
    static const char *const names[] = {"plate3-4-binary.msh", "plate6-2-binary.msh", "plate3-2.msh",
                                        "plate6.inp"};
    (void)state;
    for (int f = 0; f < 4; f++) {
        char path[400];
        slip_text text = {0};
        slip_mesh *mesh;
        snprintf(path, sizeof path, "%s%s", MESHES, names[f]);
        plane_ok(ctx, slip_file_read(ctx, path, 1 << 20, &text));
        for (size_t i = 0; i < text.length; i++) {
            const char kept = text.data[i];
            for (int turn = 0; turn < 2; turn++) {
                const size_t length = turn ? i : text.length;
                text.data[i] = turn ? 0 : (char)~kept;
                const int status = strstr(path, ".inp")
                                       ? slip_mesh_parse_abaqus(ctx, path, text.data, length, &mesh)
                                       : slip_mesh_parse_gmsh(ctx, path, text.data, length, &mesh);
                assert_true((status < 0) == !mesh);
                slip_mesh_destroy(mesh);
            }
            text.data[i] = kept;
        }
        slip_text_free(&text);
    }
}

/* Format 2: an element of two groups is there twice. Group 0 is none. */
static void test_gmsh_two(void **state)
{
    slip_mesh *mesh =
        parse_gmsh("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"a\"\n2 2 "
                   "\"b\"\n$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 "
                   "0\n$EndNodes\n$Elements\n5\n1 2 2 1 1 1 2 3\n2 2 2 2 1 1 2 3\n3 2 2 0 1 1 3 "
                   "4\n4 1 2 -7 1 1 2\n5 15 0 1\n$EndElements\n");
    (void)state;
    assert_int_equal(mesh->element_count, 2);
    set_of(mesh, "a", SLIP_SET_ELEMENTS, 1);
    set_of(mesh, "b", SLIP_SET_ELEMENTS, 1);
    assert_int_equal(set_of(mesh, "7", SLIP_SET_FACES, 1)->items[0], 0);
    slip_mesh_destroy(mesh);
}

/* Elements that belong to no body are left out, also where sets name them; lines give edges. */
static void test_left_out(void **state)
{
    static const char text[] =
        "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n5, 0.5, 0\n6, 1, .5\n7, .5, 1\n8, 0, .5\n"
        "*ELEMENT, TYPE=MASS, ELSET=weights\n7, 1\n*ELEMENT, TYPE=S9R5\n8, 1, 5, 2, 6,\n3, 7, 4, 8, 1\n"
        "*ELEMENT, TYPE=CPS8R, ELSET=body\n1, 1, 2, 3, 4, 5, 6, 7, 8\n"
        "*ELEMENT, TYPE=T3D3, ELSET=low\n2, 1, 5, 2\n"
        "*ELSET, ELSET=all\n1, 7, 8\n*ELSET, ELSET=heavy\n7\n*ELSET, ELSET=more\nweights\n"
        "*SURFACE, NAME=s\nweights, S1\n*SURFACE, NAME=q\n7, S1\n1, S3\n";
    slip_mesh *mesh = NULL;
    (void)state;
    plane_ok(ctx, slip_mesh_parse_abaqus(ctx, "part.inp", text, strlen(text), &mesh));
    assert_int_equal(mesh->element_count, 1);
    set_of(mesh, "all", SLIP_SET_ELEMENTS, 1);
    assert_int_equal(set_of(mesh, "low", SLIP_SET_FACES, 1)->items[0], 0);
    assert_int_equal(set_of(mesh, "q", SLIP_SET_FACES, 1)->items[0], 2);
    assert_close(size_of_faces(mesh, "low", 1), 1, 1e-15);
    assert_null(slip_mesh_find(mesh, "heavy", SLIP_SET_ELEMENTS));
    slip_mesh_destroy(mesh);
}

/* ---- bricks ---- */

static const char brick[] =
    "*NODE\n1, 0, 0, 0\n2, 2, 0, 0\n3, 2, 1, 0\n4, 0, 1, 0\n5, 0, 0, 1\n6, 2, 0, 1\n7, 2, 1, 1\n"
    "8, 0, 1, 1\n*ELEMENT, TYPE=C3D8, ELSET=all\n1, 1, 2, 3, 4,\n5, 6, 7, 8\n"
    "*SURFACE, NAME=back\nall, S5\n";

/* Faces of bricks have the numbers of Abaqus, and their normals point outwards. */
static void test_brick(void **state)
{
    slip_mesh *mesh = NULL;
    int nodes[slip_face_nodes_max];
    (void)state;
    plane_ok(ctx, slip_mesh_parse_abaqus(ctx, "part.inp", brick, strlen(brick), &mesh));
    assert_int_equal(mesh->dimension, 3);
    assert_int_equal(slip_mesh_face_nodes(mesh, set_of(mesh, "back", SLIP_SET_FACES, 1)->items[0], nodes), 4);
    for (int i = 0; i < 4; i++)
        assert_close(mesh->points[3 * nodes[i] + 1], 1, 0);
    for (int f = 0; f < 6; f++) {
        double a[3], b[3], middle[3] = {0}, outwards = 0;
        slip_mesh_face_nodes(mesh, f, nodes);
        for (int k = 0; k < 3; k++) {
            a[k] = mesh->points[3 * nodes[1] + k] - mesh->points[3 * nodes[0] + k];
            b[k] = mesh->points[3 * nodes[2] + k] - mesh->points[3 * nodes[1] + k];
            for (int i = 0; i < 4; i++)
                middle[k] += mesh->points[3 * nodes[i] + k] / 4;
            middle[k] -= k == 0 ? 1 : 0.5;
        }
        for (int k = 0; k < 3; k++)
            outwards += middle[k] * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
        assert_true(outwards > 0);
    }
    slip_mesh_destroy(mesh);
}

/* ---- writing ---- */

static void check_same(const slip_mesh *a, const slip_mesh *b)
{
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->element_count, b->element_count);
    /* Numbers with an exponent are cut to the 20 signs that CalculiX reads; all others come back bit for bit.
     */
    for (int i = 0; i < a->node_count * a->dimension; i++)
        assert_close_relative(a->points[i], b->points[i], fabs(b->points[i]) < 1e-4 ? 1e-12 : 0);
    for (int e = 0; e < a->element_count; e++)
        assert_memory_equal(slip_mesh_nodes(a, e), slip_mesh_nodes(b, e),
                            (size_t)slip_mesh_group_of(a, e)->cell->node_count * sizeof(int));
    for (int i = 0; i < a->set_count; i++) {
        const slip_mesh_set *set = &a->sets[i];
        assert_memory_equal(set->items, set_of(b, set->name, set->kind, set->count)->items,
                            (size_t)set->count * sizeof(int));
    }
}

static void test_written(void **state)
{
    slip_mesh *mesh = plane_block(ctx, 0.1, 1.0 / 3, -2, 7e-9, 3, 2), *again = NULL;
    char folder[test_path_size], path[test_path_size];
    (void)state;
    test_folder_make(folder);
    test_path(path, folder, "block.inp");
    plane_ok(ctx, slip_mesh_write_abaqus(ctx, mesh, path));
    plane_ok(ctx, slip_mesh_read(ctx, path, &again));
    check_same(mesh, again);
    slip_mesh_destroy(again);
    plane_ok(ctx, slip_mesh_parse_abaqus(ctx, "brick.inp", brick, strlen(brick), &again));
    slip_mesh_destroy(mesh);
    plane_ok(ctx, slip_mesh_write_abaqus(ctx, again, path));
    plane_ok(ctx, slip_mesh_read(ctx, path, &mesh));
    check_same(again, mesh);
    slip_mesh_destroy(again);
    for (int i = 0; slip_cells[i]; i++)
        if (slip_cells[i]->dimension >= 2) {
            const int counts[3] = {2, 2, 1};
            const double size[3] = {1, 1, 1};
            slip_mesh_destroy(mesh);
            again = grid_make(ctx, slip_cells[i], counts, size, 0.1);
            plane_ok(ctx, slip_mesh_write_abaqus(ctx, again, path));
            plane_ok(ctx, slip_mesh_read(ctx, path, &mesh));
            assert_ptr_equal(mesh->groups[0].cell, slip_cells[i]);
            check_same(again, mesh);
            slip_mesh_destroy(again);
        }
    plane_refused(ctx, slip_mesh_write_abaqus(ctx, mesh, "/nowhere/block.inp"), "/nowhere/block.inp");
    plane_refused(ctx, slip_mesh_read(ctx, "/nowhere/block.inp", &again), "cannot read /nowhere/block.inp");
    plane_refused(ctx, slip_mesh_read(ctx, "/dev/null.inp", &again), "/dev/null.inp");
    plane_refused(ctx, slip_mesh_read(ctx, "block.step", &again), "expected a file of Gmsh (.msh)");
    slip_mesh_destroy(mesh);
    test_folder_remove(folder);
}

/* The arrays of a VTU file, found by their offsets. */
static const char *vtu_array(const slip_text *text, const char *name, int skip)
{
    char key[80];
    const char *at = text->data, *data = strstr(text->data, "encoding=\"raw\">\n_");
    snprintf(key, sizeof key, "Name=\"%s\"", name);
    for (; skip >= 0; skip--) {
        at = strstr(at + 1, key);
        assert_non_null(at);
    }
    assert_non_null(data);
    at = strstr(at, "offset=\"");
    return data + strlen("encoding=\"raw\">\n_") + atoll(at + strlen("offset=\""));
}

static void test_vtu(void **state)
{
    slip_mesh *mesh = plane_block(ctx, 0, 2, 0, 1, 2, 1);
    const double u[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, body[2] = {1, 1};
    const slip_vtu_field fields[] = {{"u <a&b>", 2, u, false}, {"body", 1, body, true}};
    const slip_vtu_piece pieces[] = {{mesh, fields, 2}, {mesh, fields, 2}};
    char folder[test_path_size], path[test_path_size];
    slip_text text = {0};
    double found[3];
    uint64_t size;
    int32_t nodes[4];
    (void)state;
    test_folder_make(folder);
    test_path(path, folder, "out.vtu");
    plane_ok(ctx, slip_vtu_write(ctx, path, pieces, 2));
    plane_ok(ctx, slip_file_read(ctx, path, 1000000, &text));
    assert_non_null(strstr(text.data, "<Piece NumberOfPoints=\"6\" NumberOfCells=\"2\">"));
    for (int piece = 0; piece < 2; piece++) {
        const char *array = vtu_array(&text, "u &lt;a&amp;b>", piece);
        memcpy(&size, array, sizeof size);
        assert_int_equal(size, 6 * 3 * sizeof(double));
        memcpy(found, array + sizeof size + 3 * sizeof(double), sizeof found);
        assert_true(found[0] == 2 && found[1] == 3 && found[2] == 0);
        array = vtu_array(&text, "connectivity", piece);
        memcpy(nodes, array + sizeof size, sizeof nodes);
        assert_true(nodes[0] == 0 && nodes[1] == 1 && nodes[2] == 4 && nodes[3] == 3);
        array = vtu_array(&text, "types", piece);
        assert_int_equal(array[sizeof size], 9);
    }
    slip_text_free(&text);
    slip_mesh_destroy(mesh);
    test_folder_remove(folder);
}

/* Numbers of VTK's cells, and the nodes of an element in VTK's order: corners, then middles of the edges in
 * the order of Abaqus. */
static void test_vtu_types(void **state)
{
    static const struct {
        const slip_cell *cell;
        int type;
    } types[] = {{&slip_cell_tri3, 5},   {&slip_cell_tri6, 22}, {&slip_cell_quad4, 9},
                 {&slip_cell_quad8, 23}, {&slip_cell_tet4, 10}, {&slip_cell_tet10, 24},
                 {&slip_cell_hex8, 12},  {&slip_cell_hex20, 25}};
    char folder[test_path_size], path[test_path_size];
    (void)state;
    test_folder_make(folder);
    test_path(path, folder, "out.vtu");
    for (int i = 0; i < 8; i++) {
        const int counts[3] = {1, 1, 1};
        const double size[3] = {1, 1, 1};
        slip_mesh *mesh = grid_make(ctx, types[i].cell, counts, size, 0);
        const slip_vtu_piece piece = {mesh, NULL, 0};
        const int n = types[i].cell->node_count;
        slip_text text = {0};
        int64_t offset;
        plane_ok(ctx, slip_vtu_write(ctx, path, &piece, 1));
        plane_ok(ctx, slip_file_read(ctx, path, 1000000, &text));
        assert_int_equal(vtu_array(&text, "types", 0)[sizeof(uint64_t)], types[i].type);
        memcpy(&offset, vtu_array(&text, "offsets", 0) + sizeof(uint64_t), sizeof offset);
        assert_int_equal(offset, n);
        assert_memory_equal(vtu_array(&text, "connectivity", 0) + sizeof(uint64_t), slip_mesh_nodes(mesh, 0),
                            (size_t)n * sizeof(int32_t));
        slip_text_free(&text);
        slip_mesh_destroy(mesh);
    }
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_gmsh, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_gmsh_refusals, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_abaqus, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_abaqus_refusals, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_written_by_gmsh, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_gmsh_two, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_left_out, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_brick, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_written, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_vtu, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_vtu_types, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
