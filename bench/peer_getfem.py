#!/usr/bin/python3
"""The published two blocks by GetFEM (Debian: python3-getfem), once for each coefficient of friction on standard input.

Elements, material, loads and contact points are those of examples/two-blocks.yaml. Contact with Coulomb friction is node to
node by the basic contact brick (augmented Lagrangian, Newton's method), each solve from the solution before. The lower
block is drawn further down, which linear elasticity does not see.
    build/bench/bench/bench_statics values | bench/peer_getfem.py [TURNS]
Prints the seconds of the loop of solves (not of building the model), best of TURNS, and the sums of the normal and
tangential forces at the last value.
"""
import sys
import time

import getfem as gf
import numpy as np

POISSON = 0.277
LEFT, RIGHT, TOP, UPPER, LOWER = 1, 2, 3, 11, 12
gf.util_trace_level(0)
gf.util_warning_level(0)


def build():
    mesh = gf.Mesh("cartesian", np.linspace(0, 3, 31), np.linspace(1, 2, 11))
    mesh.merge(gf.Mesh("cartesian", np.linspace(0, 3, 31), np.linspace(-2, -1, 11)))
    fem = gf.MeshFem(mesh, 2)
    fem.set_fem(gf.Fem("FEM_QK(2,1)"))
    integration = gf.MeshIm(mesh, gf.Integ("IM_GAUSS_PARALLELEPIPED(2,3)"))
    faces = mesh.outer_faces()
    normals = mesh.normal_of_faces(faces)
    cells = mesh.cvid()
    above = np.array([mesh.pts(mesh.pid_from_cvid(int(cell))[0])[1].mean() > 0 for cell in cells])

    def edge(region, x, y, upper_only):
        chosen = np.abs(normals[0] - x) + np.abs(normals[1] - y) < 1e-6
        if upper_only:
            chosen &= above[np.searchsorted(cells, faces[0])]
        mesh.set_region(region, faces[:, chosen])

    edge(LEFT, -1, 0, False)
    edge(RIGHT, 1, 0, True)
    edge(TOP, 0, 1, True)
    model = gf.Model("real")
    model.add_fem_variable("u", fem)
    for region, inside, young in ((UPPER, above, 21190.0), (LOWER, ~above, 211900.0)):
        mesh.set_region(region, np.vstack([cells[inside], -np.ones(inside.sum())]).astype(int))
        model.add_initialized_data(f"lame{region}", young * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)))
        model.add_initialized_data(f"shear{region}", young / (2 * (1 + POISSON)))
        model.add_isotropic_linearized_elasticity_brick(integration, "u", f"lame{region}", f"shear{region}", region)
    model.add_Dirichlet_condition_with_simplification("u", LEFT)
    scalar = gf.MeshFem(mesh, 1)
    scalar.set_fem(gf.Fem("FEM_QK(2,1)"))
    model.add_initialized_fem_data("top", scalar,
                                   np.array([0 * scalar.basic_dof_nodes()[0], -6 - scalar.basic_dof_nodes()[0] / 3]))
    model.add_source_term_brick(integration, "u", "top", TOP)
    model.add_initialized_data("right", [2, 2])
    model.add_source_term_brick(integration, "u", "right", RIGHT)

    nodes = fem.basic_dof_nodes()

    def degrees(y):
        """Degrees of freedom along x on a contact edge, from left to right; that along y is the next one."""
        found = [d for d in range(0, nodes.shape[1], 2) if abs(nodes[1, d] - y) < 1e-9 and nodes[0, d] > 1e-9]
        return sorted(found, key=lambda d: nodes[0, d])

    pairs = list(zip(degrees(1), degrees(-1)))
    normal = gf.Spmat("empty", len(pairs), fem.nbdof())
    tangent = gf.Spmat("empty", len(pairs), fem.nbdof())
    for i, (first, second) in enumerate(pairs):
        normal.add(i, first + 1, -1.0)
        normal.add(i, second + 1, 1.0)
        tangent.add(i, first, 1.0)
        tangent.add(i, second, -1.0)
    normal.to_csc()
    tangent.to_csc()
    model.add_variable("ln", len(pairs))
    model.add_variable("lt", len(pairs))
    model.add_initialized_data("r", 1e3)
    model.add_initialized_data("friction", 0.1)
    model.add_initialized_data("gap", np.zeros(len(pairs)))
    model.add_initialized_data("alpha", np.ones(len(pairs)))
    model.add_basic_contact_brick("u", "ln", "lt", "r", normal, tangent, "friction", "gap", "alpha", 1)
    return model, (mesh, fem, integration, scalar, normal, tangent)  # GetFEM does not keep them alive itself


def main():
    values = [float(line) for line in sys.stdin]
    best = None
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        model, parts = build()
        started = time.perf_counter()
        for value in values:
            model.set_variable("friction", value)
            model.solve("max_res", 1e-9, "max_iter", 100)
        seconds = time.perf_counter() - started
        best = seconds if best is None else min(best, seconds)
    print(f"GetFEM: {len(values)} solves, {best:.3f} s (sums of the contact forces at the last: "
          f"{model.variable('ln').sum():.9g}, {model.variable('lt').sum():.9g})")


main()
