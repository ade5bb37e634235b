#include "solve.h"

#include "matrices.h"

#include <math.h>
#include <slepceps.h>

static const double pi = 3.14159265358979323846;
/* Of the mean eigenvalue: by so much K is shifted, so that bodies that move as a whole have a factor too; and
 * what is taken for such a motion. */
static const double shift_part = 1e-8, rigid_part = 1e-13;

/* Cholesky's factor by MUMPS, ordered by PT-Scotch where several processes share the matrix and MUMPS has it,
 * else by Scotch. What PETSc's command line says comes first. */
static PetscErrorCode choose_solver(void)
{
    PetscMPIInt processes;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
    const char *const options[][2] = {
        {"-st_ksp_type", "preonly"},
        {"-st_pc_type", "cholesky"},
        {"-st_pc_factor_mat_solver_type", "mumps"},
        {"-st_mat_mumps_icntl_7", "3"}, /* Scotch, where one process orders */
        {"-st_mat_mumps_icntl_28", processes > 1 && SLIPSTICK_PTSCOTCH ? "2" : "1"}, /* all processes order */
        {"-st_mat_mumps_icntl_29", "1"},                                             /* by PT-Scotch */
    };
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        PetscBool given;
        PetscCall(PetscOptionsHasName(NULL, NULL, options[k][0], &given));
        if (!given)
            PetscCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
    }
    PetscFunctionReturn(0);
}

/* Krylov-Schur (Stewart 2001) on (K - sigma M)^-1 M. It has one vector at a time: equal frequencies come one
 * after the other, from rounding, which a small tolerance lets grow. */
PetscErrorCode solve_modes(const slip_pieces *pieces, int count, double *frequencies, double *residual)
{
    Mat stiffness, mass;
    EPS eps;
    ST st;
    PetscInt found;
    double mean;
    PetscFunctionBeginUser;
    PetscCall(matrices_assemble(pieces, &stiffness, &mass, &mean));
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
    PetscCall(EPSSetOperators(eps, stiffness, mass));
    PetscCall(EPSSetProblemType(eps, EPS_GHEP));
    PetscCall(EPSSetTarget(eps, -shift_part * mean));
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    PetscCall(EPSSetDimensions(eps, count, 2 * count + 32, PETSC_DEFAULT));
    PetscCall(EPSSetTolerances(eps, 1e-13, 1000));
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STSetType(st, STSINVERT));
    PetscCall(choose_solver());
    PetscCall(EPSSetFromOptions(eps));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &found));
    PetscCheck(found >= count, PETSC_COMM_WORLD, PETSC_ERR_CONV_FAILED, "%d of %d modes were found",
               (int)found, count);
    *residual = 0;
    for (int k = 0; k < count; k++) {
        PetscScalar value;
        PetscReal error;
        PetscCall(EPSGetEigenvalue(eps, k, &value, NULL));
        PetscCall(EPSComputeError(eps, k, EPS_ERROR_RELATIVE, &error));
        frequencies[k] = value > rigid_part * mean ? sqrt(value) / (2 * pi) : 0;
        *residual = frequencies[k] > 0 ? fmax(*residual, error) : *residual;
    }
    PetscCall(EPSDestroy(&eps));
    PetscCall(MatDestroy(&stiffness));
    PetscCall(MatDestroy(&mass));
    PetscFunctionReturn(0);
}

PetscErrorCode solve_statics(const slip_pieces *pieces, const double *load, double *displacements)
{
    Mat stiffness;
    Vec right, solution, all;
    VecScatter gather;
    KSP ksp;
    PetscInt first, last, size;
    PetscFunctionBeginUser;
    PetscCall(matrices_assemble(pieces, &stiffness, NULL, NULL));
    PetscCall(MatSetOption(stiffness, MAT_SPD, PETSC_TRUE));
    PetscCall(MatCreateVecs(stiffness, &solution, &right));
    PetscCall(VecGetOwnershipRange(right, &first, &last));
    for (PetscInt i = first; i < last; i++)
        PetscCall(VecSetValue(right, i, load[i], INSERT_VALUES));
    PetscCall(VecAssemblyBegin(right));
    PetscCall(VecAssemblyEnd(right));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, stiffness, stiffness));
    PetscCall(choose_solver());
    PetscCall(KSPSetOptionsPrefix(ksp, "st_"));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
    PetscCall(KSPSolve(ksp, right, solution));
    PetscCall(VecScatterCreateToZero(solution, &gather, &all));
    PetscCall(VecScatterBegin(gather, solution, all, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(gather, solution, all, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecGetLocalSize(all, &size));
    if (size > 0) {
        const PetscScalar *values;
        PetscCall(VecGetArrayRead(all, &values));
        for (PetscInt i = 0; i < size; i++)
            displacements[i] = values[i];
        PetscCall(VecRestoreArrayRead(all, &values));
    }
    PetscCall(VecScatterDestroy(&gather));
    PetscCall(VecDestroy(&all));
    PetscCall(VecDestroy(&right));
    PetscCall(VecDestroy(&solution));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&stiffness));
    PetscFunctionReturn(0);
}
