#!/usr/bin/env bash
# Every verb, wherever it is, answers an interrupt: it ends with 130 and uses less than half a second of processor time after the signal
# (more under the sanitizers). Wall time says nothing on a busy machine.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter answers
write_long
cp "$source"/examples/*.yaml .
limit=150 # hundredths of a second: half a second of this machine may be more of another one
if ldd "$program" | grep -q libasan; then limit=500; fi
# after TICKS COMMAND...: the signal comes when it has used so many hundredths of a second of processor time, its
# children that ended included.
used_by() { # PID
    local fields
    read -r -a fields <"/proc/$1/stat" && used=$((fields[13] + fields[14] + fields[15] + fields[16]))
}
has_used() { # PID TICKS: also true when it is over
    used=-1
    [ ! -d "/proc/$1" ] || { used_by "$1" 2>/dev/null && [ "$used" -ge "$2" ]; }
}
after() {
    local ticks=$1 pid before used
    shift
    rm -rf out.run
    # The shell that waits tells at its end what its children used.
    bash -c 'env --default-signal=INT "$@" & echo $! >pid; wait $!; code=$?; times >times; exit $code' - "$@" >"$work/out" 2>"$work/err" &
    until_holds test -s pid
    pid=$(cat pid)
    until_holds has_used "$pid" "$ticks"
    before=$used
    kill -INT "$pid" 2>/dev/null
    wait $!
    code=$?
    rm -f pid
    command="after $ticks: $*"
    checks=$((checks + 1))
    if [ "$code" -ne 130 ]; then
        [ "$before" -ge 0 ] && [ "$code" -ne 0 ] && fail "exit code $code"
        return # it was over
    fi
    answered=$((answered + 1))
    total=$(sed -n '2 s/[ms]/ /gp' times | awk '{ printf "%d", 100*(60*$1 + $2 + 60*$3 + $4) }')
    [ $((total - before)) -lt "$limit" ] || fail "$((total - before)) hundredths of a second after the signal"
}
answered=0
slipstick run long.yaml --no-plot -q --set simulate.time=[0,30] --set simulate.record.every=1e-4 -o series
polygon=$(awk 'BEGIN { for (i = 0; i < 200; i++) { r = 1 + 0.3*sin(0.2827433388*i)
    printf "%s%.6g,%.6g", i ? ":" : "", r*cos(0.031415926536*i), r*sin(0.031415926536*i) } }')
blocks=(two-blocks.yaml --set 'bodies.upper.mesh.block.elements=[120,40]' --set 'bodies.lower.mesh.block.elements=[120,40]')
moments=(20)
[ -z "${SLIPSTICK_TEST_ALL:-}" ] || moments=(5 20 45)
for ticks in "${moments[@]}"; do
    after "$ticks" slipstick run long.yaml --no-plot -o out.run
    after "$ticks" slipstick compare long.yaml --methods event,rk4 --set simulate.step=1e-3
    after "$ticks" slipstick plot series
    after "$ticks" slipstick export series --format csv
    after "$ticks" slipstick statics "${blocks[@]}" -o out.run
    after "$ticks" slipstick statics one-point.yaml --map fn=-1:1,ft=-3:3 -o out.run
    after "$ticks" slipstick continue "${blocks[@]}" -o out.run
    after "$ticks" slipstick patch --area polygon --points "$polygon" -o out.run
    after "$ticks" slipstick gear mesh gear-pair.yaml -o out.run
    after "$ticks" slipstick gear modes gear-impact.yaml -o out.run
    after "$ticks" slipstick gear reduce gear-impact.yaml --whole -o out.run
    after "$ticks" slipstick gear run gear-impact.yaml -o out.run
    after "$ticks" slipstick gear run gear-impact.yaml --set simulate.method=explicit -o out.run
    after "$ticks" slipstick gear select gear-impact.yaml -o out.run
    after "$ticks" slipstick gear cycle gear-cycle.yaml -o out.run
    after "$ticks" slipstick reproduce disk-on-belt -o out.run
    after "$ticks" slipstick reproduce two-blocks -o out.run
done
[ "$answered" -ge $((10 * ${#moments[@]})) ] || fail "only $answered answers were seen"

finish
