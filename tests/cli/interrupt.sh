#!/usr/bin/env bash
# Interrupts and terminals.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# ---- Ctrl-C: exit code 130, and what was computed is kept.
enter interrupt
write_long
# --foreground: otherwise timeout sends the signal to the group too, and the second one kills.
# On a busy machine the program may need long to get going: as long as ten short runs is long enough.
began=$(date +%s%N)
slipstick run "$source/examples/oscillator.yaml" --no-plot -q -o short >/dev/null
patience=$((2 + ($(date +%s%N) - began) / 100000000))
expect 130 timeout --foreground --preserve-status -s INT "$patience" slipstick run long.yaml
err_has '^slipstick: .*interrupt'
out_has 'What was computed until then is in long.run'
have_file long.run/summary.json
expect 0 slipstick export long.run --format csv
# What a batch system sends before it kills does the same.
expect 130 timeout --foreground --preserve-status "$patience" slipstick run long.yaml --no-plot -o ended
have_file ended/summary.json
# Started with SIGINT ignored (as nohup does), the program leaves it so; killed, it leaves no half results.
expect 137 bash -c 'trap "" INT
    slipstick run long.yaml -q -o ignored &
    sleep '"$patience"'; kill -INT $!; sleep 1; kill -KILL $!; wait $!'
have_no ignored/result.h5

# ---- A terminal gets progress, and it is cleared at the end.
if command -v script >/dev/null; then
    enter terminal
    write_long
    TERM=xterm timeout 60 script -qec "timeout --foreground -s INT $patience slipstick run long.yaml >out.txt" \
        typescript >/dev/null 2>&1 </dev/null
    command="run in a terminal"
    grep -qE 'run +(\[[#-]+\] +)?[0-9]+%  t = ' typescript || fail "no progress on a terminal"
    grep -q '%  t = ' out.txt && fail "progress on stdout"
    TERM=xterm timeout 60 script -qec 'timeout --foreground -s INT 1 slipstick run long.yaml -q' typescript \
        >/dev/null 2>&1 </dev/null
    grep -q '%  t = ' typescript && fail "progress in spite of --quiet"
    TERM=dumb timeout 60 script -qec 'timeout --foreground -s INT 1 slipstick run long.yaml' typescript \
        >/dev/null 2>&1 </dev/null
    grep -q '%  t = ' typescript && fail "progress on a dumb terminal"
    checks=$((checks + 4))
fi

finish
