#!/usr/bin/env bash
# A sweep that is killed with SIGKILL at random moments and started again: complete, and with the bits of one go, in 1, 2 and
# 7 parts and with 1 and 2 threads. 200 times with SLIPSTICK_TEST_ALL=1.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter sweep_killed
expect 0 slipstick new belt --template stick-slip-belt
study=(sweep belt.yaml --over vb=0.1:1:40 --over x=-1,0,1 --collect "max.x,final.x,events.total" --no-plot -q)
expect 0 slipstick "${study[@]}" --threads 1 -o once
out_is_empty
RANDOM=18
kills=0
enough=12
[ -n "${SLIPSTICK_TEST_ALL:-}" ] && enough=200

# How long one go takes, in milliseconds: later moments would find nothing to kill.
begin=$(date +%s%N)
slipstick "${study[@]}" --threads 1 -o timed
lasts=$((($(date +%s%N) - begin) / 1000000 + 1))

# Starts a part again and again, each time to be killed at a random moment, until one of them gets to its end. Moments come
# later and later: on a busy machine it may take long until a process does anything at all.
complete() {
    local folder=$1 part=$2 parts=$3 threads=$4 moment pid code=137 latest=$((lasts / parts + 10))
    while [ $code -eq 137 ]; do
        slipstick "${study[@]}" --part "$part/$parts" --threads "$threads" -o "$folder" 2>"$folder.err" &
        pid=$!
        moment=$((RANDOM % latest))
        if [ $kills -lt $enough ]; then
            sleep "$((moment / 1000)).$(printf '%03d' $((moment % 1000)))"
            kill -KILL $pid 2>/dev/null
        fi
        wait $pid 2>/dev/null
        code=$?
        [ $code -eq 137 ] && kills=$((kills + 1))
        latest=$((latest * 5 / 4))
    done
    [ $code -eq 0 ] || fail "part $part/$parts after a kill ends with $code: $(cat "$folder.err")"
}

round=0
while [ $kills -lt $enough ]; do
    for parts in 1 2 7; do
        threads=$((1 + (round + parts) % 2))
        rm -rf whole part.*
        list=()
        for ((part = 1; part <= parts; part++)); do
            complete "part.$part" $part $parts $threads
            list+=("part.$part")
        done
        if [ $parts -gt 1 ]; then
            expect 0 slipstick merge "${list[@]}" -o whole --no-plot -q
        else
            mv part.1 whole
        fi
        checks=$((checks + 1))
        for file in table.csv result.h5; do
            cmp -s once/$file whole/$file || fail "$file after kills differs from one go: $parts parts, $threads threads"
        done
        [ ! -e whole/sweep.journal ] || fail "the journal of a finished sweep is left"
    done
    round=$((round + 1))
done
printf '%d times killed\n' $kills
finish
