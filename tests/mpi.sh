#!/usr/bin/env bash
# Processes of mpirun that share sweeps, basins, bifurcation diagrams and Lyapunov exponents: 1, 2 and 4 of them write the same tables; after a process was
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
belt=$source/examples/stick-slip-belt.yaml stop=$source/examples/impact-diagram.yaml
for count in 1 2 4; do
    mpirun -n $count "$program" sweep "$belt" --over vb=0.05:1:20 --over x=-1,0,1 --no-plot -q -o sweep.$count
    mpirun -n $count "$program" basin "$source/examples/belt-basins.yaml" --no-plot -q -o basin.$count
    # with values that are moved together, and one by one
    mpirun -n $count "$program" bifurcation "$stop" --over w=2.6:3:81 --fresh --no-plot -q -o diagram.$count
    mpirun -n $count "$program" bifurcation "$stop" --over w=2.6:3:41 --fresh --device none --no-plot -q -o alone.$count
    mpirun -n $count "$program" lyapunov "$stop" --over w=2.6:3:21 --intervals 100 --interval '2*pi/w' --no-plot -q -o exponents.$count
    cmp -s sweep.1/table.csv sweep.$count/table.csv || fail "$count processes write another table"
    cmp -s basin.1/basin.csv basin.$count/basin.csv || fail "$count processes find other basins"
    for folder in diagram alone; do
        cmp -s $folder.1/points.csv $folder.$count/points.csv || fail "$count processes find other points ($folder)"
        cmp -s $folder.1/values.csv $folder.$count/values.csv || fail "$count processes find other values ($folder)"
    done
    cmp -s exponents.1/table.csv exponents.$count/table.csv || fail "$count processes find other exponents"
done
# A verb whose work is not shared is done once.
[ "$(mpirun -n 2 "$program" version | wc -l)" = 1 ] || fail "two processes say their version"
# A mistake is told once, and ends all.
code=0
mpirun -n 2 "$program" sweep "$belt" --over vbb=0:1:3 -o none 2>message || code=$?
{ [ "$code" != 0 ] && [ "$(grep -c 'vbb' message)" = 1 ]; } || fail "a wrong name: status $code, $(cat message)"
# killed TABLE VERB...: killed at three moments, then done: the same as when it is done at once.
killed() {
    local table=$1 moment started
    shift
    rm -rf killed once
    for moment in 0.5 1 1.5; do
        mpirun -n 3 "$program" "$@" --no-plot -q -o killed >/dev/null 2>&1 &
        started=$!
        sleep $moment
        pkill -9 -n -P $started || true # one of the processes; mpirun ends the others
        wait $started || true
    done
    mpirun -n 3 "$program" "$@" --no-plot -q -o killed
    "$program" "$@" --no-plot -q -o once
    cmp -s once/$table killed/$table || fail "what was killed and repeated differs: $*"
}
killed table.csv sweep "$belt" --over vb=0.05:1:400 --set "simulate.time=[0,2000]"
killed points.csv bifurcation "$stop" --over w=2.6:3:1000 --fresh --device none
killed table.csv lyapunov "$stop" --over w=2.7:2.85:200 --intervals 200 --interval '2*pi/w'
echo "mpi: 1, 2 and 4 processes write the same; killed and repeated: the same"
