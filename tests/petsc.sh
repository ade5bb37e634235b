#!/usr/bin/env bash
# Bodies whose matrices processes share: frequencies and static displacements by 1, 2 and 4 of them are those of the library
# alone, within 1e-9; a free body has rigid motions; mistakes are told once.
#   tests/petsc.sh PROGRAM SOURCE_DIR [--full]      PROGRAM: slipstick-parallel of the preset petsc; --full: also 50 modes of
#                                                   the pinion at its published size, which takes minutes
set -euo pipefail
command -v mpirun >/dev/null || { echo "petsc: skipped, no mpirun (package openmpi-bin)"; exit 77; }
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# of all machines also one with fewer cores than processes, and where this is the only user
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1
fail() { echo "petsc: $1" >&2; exit 1; }
gear() { # MESH MODES: the published pinion with a mesh
    cat <<END
slipstick: 1
gears:
  pinion: {teeth: 18, module: 0.005, profile_shift: 0.5, width: 0.038, bore: 0.05, element: full, modes: $2, mesh: $1}
END
}
gear "{flank: 4, fillet: 1, thickness: 2, root: 2, rim: 3, width: 2}" 50 >pinion.yaml
cat >plate.yaml <<END
slipstick: 1
bodies:
  plate:
    mesh: {block: {x: [0, 2], y: [0, 1], elements: [12, 6], element: quad8}}
    material: {young: 100, poisson: 0.3, density: 2}
    thickness: 0.1
    fix: [left]
    reduce: {modes: 12, contact: none}
simulate: {method: moreau, step: 1e-3, time: [0, 1]}
END
sed '/fix:/d' plate.yaml >free.yaml
cat >blocks.yaml <<END
slipstick: 1
parameters: {p: 2}
bodies:
  one:
    mesh: {block: {x: [0, 4], y: [0, 0.6], z: [0, 0.5], elements: [8, 3, 2], element: hex20}}
    material: {young: 2000, poisson: 0.3, density: 1.5}
    fix: [left]
    tractions: {top: [0.1, 0, -p - x], right: [0.5, 0.2, 0]}
  two:
    mesh: {block: {x: [0, 1], y: [2, 3], z: [0, 1], elements: [2, 2, 2], element: tet4}}
    material: {young: 300, poisson: 0.2, density: 1}
    fix: {bottom: xyz}
    tractions: {top: [p, 0, 0]}
END
for count in 1 2 4; do
    mpirun -n $count "$program" modes pinion.yaml -gear pinion -modes 50 -compare -output gear.$count >out || fail "$count processes, gear: $(tail -1 out)"
    grep -q '^largest relative difference' out || fail "$count processes, gear: no comparison"
    mpirun -n $count "$program" modes plate.yaml -modes 12 -compare >out || fail "$count processes, plate: $(tail -1 out)"
    mpirun -n $count "$program" statics blocks.yaml -compare >out || fail "$count processes, statics: $(tail -1 out)"
    mpirun -n $count "$program" modes free.yaml -modes 6 -output free.$count >out || fail "$count processes, free plate"
    [ "$(awk -F, 'NR > 1 && $2 == 0' free.$count/modes.csv | wc -l)" = 3 ] || fail "$count processes: a free plate has not three rigid motions"
done
[ "$(wc -l <gear.4/modes.csv)" = 51 ] || fail "the rows of modes.csv"
# several processes order by PT-Scotch, where the program has it
if ldd "$program" | grep -q ptscotch-; then
    mpirun -n 2 "$program" modes plate.yaml -modes 2 -st_mat_mumps_icntl_4 2 >out
    grep -q 'Using PT-SCOTCH' out || fail "the ordering is not PT-Scotch's"
fi
code=0
mpirun -n 2 "$program" modes pinion.yaml -gear wheel >out 2>message || code=$?
{ [ "$code" != 0 ] && [ "$(grep -c 'no gear .wheel' message)" = 1 ]; } || fail "a wrong name: status $code, $(cat message)"
code=0
mpirun -n 1 "$program" modes plate.yaml -modes 0 >out 2>message || code=$?
[ "$code" = 1 ] || fail "no modes: status $code, $(cat message)"
echo "petsc: 1, 2 and 4 processes find what the library finds"
if [ "${3:-}" = "--full" ]; then
    gear "{flank: 25, fillet: 3, thickness: 10, root: 4, rim: 23, width: 8}" 50 >full.yaml
    for count in 1 4; do
        echo "petsc: the published pinion, 50 modes, $count processes"
        mpirun -n $count "$program" modes full.yaml -gear pinion -modes 50 -compare | grep 'unknowns\|largest' || fail "the published pinion, $count processes"
    done
fi
