#!/usr/bin/env bash
# Gears go through the one engine. Traces three runs (every function that is called, by valgrind's callgrind): a clutch and a spring
# contact between two shafts, so stiff that it opens; the same clutch with elastic gears as bodies in place of the contact; and two gears of the sections
# `gears` and `flanks`. Lists by room how many functions each two share and which only one of them calls. Fails where the gears among
# bodies or the two gears need a function of their own (slip_...) of simulation, method, ode or result, but for the ledger and the numbers
# of the two gears, and where src/gear has an account, a record or a result.
#   tests/one_engine.sh PROGRAM OBJECTS     (OBJECTS: the folder of the library's object files, .../src/ROOM/FILE.c.o)
set -euo pipefail
program=$(realpath "$1")
objects=$(realpath "$2")
if ! command -v valgrind >/dev/null; then
    echo "skipped: there is no valgrind"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

shafts='
slipstick: 1
coordinates: [motor, a, b]
forces: {motor: 5, b: 1}
simulate: {time: [0, 4e-6], method: event, initial: {motor'"'"': 20, a: 1e-4}, record: {points: 5}}'
clutch="clutch: {kind: friction, slip: motor' - a', normal_force: 2, law: {type: coulomb, mu: 1}}"
outline='module: 0.005, profile_shift: 0.4, width: 0.01, bore: 0.03, backlash: 1e-4'
mesh='mesh: {flank: 2, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}'
cat >lumped.yaml <<END
$shafts
energy: {kinetic: 1e-3*(motor'^2 + (1 + a^2)*a'^2 + b'^2)/2}
contacts:
  $clutch
  mesh: {kind: unilateral, gap: -0.03*a - 0.04*b, normal: {stiffness: 1e12}}
END
cat >gears.yaml <<END
$shafts
mass: {diagonal: [1e-3, 0, 0]}
bodies:
  pinion: {gear: {teeth: 12, $outline}, $mesh, turn: a, reduce: {modes: 4, contact: none}}
  wheel: {gear: {teeth: 15, $outline}, $mesh, turn: b, reduce: {modes: 4, contact: none}}
contacts:
  $clutch
  mesh: {kind: flanks, between: [pinion, wheel], penalty: 1e8}
END
cat >pair.yaml <<END
slipstick: 1
gears:
  pinion: {teeth: 12, $outline, $mesh, modes: 4, static: none, speed: 20}
  wheel: {teeth: 15, $outline, $mesh, modes: 4, static: none}
flanks: {penalty: 1e8}
simulate: {time: [0, 4e-6], method: rk4, step: 1e-7, samples: 5}
END

# room function, of everything that the library defines
for room in "$objects"/src/*/; do
    find "$room" -name "*.o" -exec nm --defined-only {} + | awk -v room="$(basename "$room")" 'NF == 3 && $2 ~ /[tT]/ { sub(/\..*/, "", $3); print room, $3 }'
done | sort -u >rooms
for run in lumped gears pair; do
    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 valgrind --tool=callgrind --callgrind-out-file=$run.out "$program" run $run.yaml \
        -o $run.run --no-plot >$run.log 2>&1 || { cat $run.log; exit 1; }
    sed -n 's/^c\{0,1\}fn=([0-9]*) \([A-Za-z_0-9]*\).*/\1/p' $run.out | sort -u >$run.called
    # names that several rooms have are left out
    awk 'NR == FNR { count[$2]++; room[$2] = $1; next } count[$1] == 1 { print room[$1], $1 }' rooms $run.called | sort -u >$run.functions
done
failures=0
compare() { # ONE OTHER, and the functions that OTHER may have for itself
    echo "$1 and $2: room, functions that both call, only $1, only $2"
    for room in $(cut -d' ' -f1 "$1.functions" "$2.functions" | sort -u); do
        grep "^$room " "$1.functions" >one || true
        grep "^$room " "$2.functions" >other || true
        printf '  %-11s %4d %4d %4d\n' "$room" "$(comm -12 one other | wc -l)" "$(comm -23 one other | wc -l)" "$(comm -13 one other | wc -l)"
        comm -13 one other | cut -d' ' -f2 | tr '\n' ' ' | fold -s -w 110 | sed 's/^/      only '"$2"': /'
        [ "$(comm -13 one other | wc -l)" -eq 0 ] || echo
        if [[ $room =~ ^(simulation|method|ode|result)$ ]] && comm -13 one other | grep ' slip_' | grep -vE " ($3)"'$'; then
            echo "  $room: the $2 call functions that the lumped run does not"
            failures=$((failures + 1))
        fi
    done
}
compare lumped gears none
compare lumped pair 'slip_result_add_number|slip_account_ledger'
if grep -E '^gear .*(account|record|column|result)' rooms | grep -vE 'slip_gear_step_account|take_record|record_history|keep_record'; then
    echo "src/gear keeps accounts or results of its own"
    failures=$((failures + 1))
fi
for function in slip_simulation_open_with slip_simulation_observe slip_motion_advance slip_recorder_finish slip_account_step slip_summary_write_motion; do
    for run in lumped pair; do
        grep -q " $function$" $run.functions || { echo "the run $run does not call $function"; failures=$((failures + 1)); }
    done
done
[ "$(grep -c '^method ' gears.functions)" -gt 40 ] || { echo "only $(grep -c '^method ' gears.functions) functions of method were seen: the trace is broken"; failures=$((failures + 1)); }
exit $((failures > 0))
