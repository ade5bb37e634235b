#!/usr/bin/env bash
# Processes of mpirun that share a sweep and a basin: 1, 2 and 4 of them write the same tables; after a process was
# killed, the same command completes what is there.
#   tests/mpi.sh PROGRAM SOURCE_DIR          PROGRAM: of the preset mpi
set -euo pipefail
program=$(realpath "$1") source=$(realpath "$2")
command -v mpirun >/dev/null || { echo "mpi: skipped, no mpirun (package openmpi-bin)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# of all machines also one with fewer cores than processes, and where this is the only user
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1
fail() { echo "mpi: $1" >&2; exit 1; }
belt=$source/examples/stick-slip-belt.yaml
for count in 1 2 4; do
    mpirun -n $count "$program" sweep "$belt" --over vb=0.05:1:20 --over x=-1,0,1 --no-plot -q -o sweep.$count
    mpirun -n $count "$program" basin "$source/examples/belt-basins.yaml" --no-plot -q -o basin.$count
    cmp -s sweep.1/table.csv sweep.$count/table.csv || fail "$count processes write another table"
    cmp -s basin.1/basin.csv basin.$count/basin.csv || fail "$count processes find other basins"
done
# A verb whose work is not shared is done once.
[ "$(mpirun -n 2 "$program" version | wc -l)" = 1 ] || fail "two processes say their version"
# A mistake is told once, and ends all.
code=0
mpirun -n 2 "$program" sweep "$belt" --over vbb=0:1:3 -o none 2>message || code=$?
{ [ "$code" != 0 ] && [ "$(grep -c 'vbb' message)" = 1 ]; } || fail "a wrong name: status $code, $(cat message)"
# Killed at three moments, then done.
long=(sweep "$belt" --over vb=0.05:1:400 --set "simulate.time=[0,2000]" --no-plot -q)
for moment in 0.5 1 1.5; do
    mpirun -n 3 "$program" "${long[@]}" -o killed >/dev/null 2>&1 &
    started=$!
    sleep $moment
    pkill -9 -n -P $started || true # one of the processes; mpirun ends the others
    wait $started || true
done
mpirun -n 3 "$program" "${long[@]}" -o killed
"$program" "${long[@]}" -o once
cmp -s once/table.csv killed/table.csv || fail "what was killed and repeated differs"
echo "mpi: 1, 2 and 4 processes write the same; killed and repeated: the same"
