#!/usr/bin/env bash
# Interrupts and terminals.
# shellcheck disable=SC2016,SC2317 # the messages have names in backquotes; functions are called by name
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

catches() { # PID NUMBER: the process has a handler for this signal
    local mask
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
    [ -n "$mask" ] && (((16#$mask >> ($2 - 1)) & 1))
}
computed() { # PID TICKS: it has used so many hundredths of a second of processor time
    local fields
    read -r -a fields <"/proc/$1/stat" && [ $((fields[13] + fields[14])) -ge "$2" ]
}
at_work() { # PID: it would stop when told to, and has begun
    catches "$1" 15 && computed "$1" 30
}
# signal_at_work SIGNAL COMMAND...: starts it as from a terminal (bash has what runs beside it ignore SIGINT), sends the
# signal when it is at work; its exit code is that of this function.
signal_at_work() {
    local signal=$1 pid
    shift
    env --default-signal=INT "$@" &
    pid=$!
    until_holds at_work "$pid"
    kill -s "$signal" "$pid"
    wait "$pid"
}

# ---- Ctrl-C: exit code 130, and what was computed is kept.
enter interrupt
write_long
expect 130 signal_at_work INT slipstick run long.yaml
err_has '^slipstick: .*interrupt'
out_has 'What was computed until then is in long.run'
have_file long.run/summary.json
expect 0 slipstick export long.run --format csv
# What a batch system sends before it kills does the same.
expect 130 signal_at_work TERM slipstick run long.yaml --no-plot -o ended
have_file ended/summary.json
# Started with SIGINT ignored (as nohup does), the program leaves it so; killed, it leaves no half results.
kill_at_work() {
    local pid used
    env --ignore-signal=INT "$@" &
    pid=$!
    until_holds at_work "$pid"
    kill -INT "$pid"
    read -r -a used <"/proc/$pid/stat"
    until_holds computed "$pid" $((used[13] + used[14] + 50)) # it goes on
    kill -KILL "$pid"
    wait "$pid"
}
expect 137 kill_at_work slipstick run long.yaml -q -o ignored
have_no ignored/result.h5

# ---- A terminal gets progress, and it is cleared at the end.
if command -v script >/dev/null; then
    enter terminal
    write_long
    # in_terminal CONDITION COMMAND: runs the command in a terminal until the condition holds of its process.
    in_terminal() {
        local pid
        rm -f pid typescript
        env --default-signal=INT script -qfec "echo \$\$ >pid; exec $2" typescript >/dev/null 2>&1 </dev/null &
        until_holds test -s pid
        pid=$(cat pid)
        until_holds "$1" "$pid"
        kill -INT "$pid"
        wait
        checks=$((checks + 1))
        command=$2
    }
    shows_progress() {
        at_work "$1" && grep -qE 'run +(\[[#-]+\] +)?[0-9]+%  t = ' typescript
    }
    has_worked() { # long enough for progress
        at_work "$1" && computed "$1" 150
    }
    export TERM=xterm
    in_terminal shows_progress 'slipstick run long.yaml >out.txt'
    grep -q '%  t = ' out.txt && fail "progress on stdout"
    # Statics too, with the part that is done.
    shows_map() { grep -qE 'map +(\[[#-]+\] +)?[0-9]+%' typescript; }
    in_terminal shows_map "slipstick statics $source/examples/one-point.yaml --map fn=-1:1,ft=-3:3 --points 1000"
    shows_restarts() { grep -qE 'restarts +(\[[#-]+\] +)?[0-9]+%' typescript; }
    in_terminal shows_restarts "slipstick statics $source/examples/two-blocks.yaml --restarts 100000 --no-plot"
    in_terminal has_worked 'slipstick run long.yaml -q'
    grep -q '%  t = ' typescript && fail "progress in spite of --quiet"
    TERM=dumb
    in_terminal has_worked 'slipstick run long.yaml'
    grep -q '%  t = ' typescript && fail "progress on a dumb terminal"
fi

finish
