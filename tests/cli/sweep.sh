#!/usr/bin/env bash
# Sweeps: sweep and merge, their folders, plot and export of these; interrupted and killed ones.
# shellcheck disable=SC2016,SC2317 # the messages have names in backquotes; functions are called by name
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter sweep
expect 0 slipstick new belt --template stick-slip-belt
expect 0 slipstick sweep belt.yaml --over vb=0.1:1:10
out_has '^ +10 +1 +1\.30017'
[ "$(head -1 belt.sweep/table.csv)" = "run,vb,max.x,max.x',events.total,status,message" ] || fail "the columns of table.csv"
[ "$(wc -l <belt.sweep/table.csv)" -eq 11 ] || fail "the rows of table.csv"
have_file belt.sweep/summary.json
have_file belt.sweep/sweep.png
[ ! -e belt.sweep/sweep.journal ] || fail "the journal of a finished sweep is left"
expect 0 slipstick plot belt.sweep
expect 0 slipstick export belt.sweep --format mat
expect 0 slipstick sweep belt.yaml --over vb=0.1:1:4:log --over x=-1,0,1 --collect final.x,events.total -q -o whole
out_is_empty
have_file whole/sweep.png
for k in 1 2 3; do
    expect 0 slipstick sweep belt.yaml --over vb=0.1:1:4:log --over x=-1,0,1 --collect final.x,events.total -q --part $k/3 -o part$k --threads 1
done
expect 0 slipstick merge part1 part2 part3 -o all --no-plot
cmp -s all/table.csv whole/table.csv || fail "the parts are not the whole"
cmp -s all/result.h5 whole/result.h5 || fail "the parts are not the whole"
expect 1 slipstick merge part1 part3 -o some
err_has 'expected all 3 parts'
expect 1 slipstick merge part1 belt.sweep -o some
err_has 'is of another sweep'
expect 1 slipstick merge part1 part2 part3
expect 0 slipstick sweep belt.yaml --over vb=0.1:0.9:5 --carry --no-plot -o carry
grep -q '^10,0.10*[0-9]*,back,' carry/table.csv || fail "the way back"
expect 0 slipstick sweep belt.yaml --over mu=-0.1:0.3:5 --no-plot -o some
err_has '1 of 5 runs failed'
grep -q ',failed,.*mu' some/table.csv || fail "the reason of a failed run"
# a curve goes along its axis, whatever the order of a list, and a map has a cell about each run
expect 0 slipstick sweep belt.yaml --over vb=0.5,0.1,0.3 --collect final.t -q -o list
[ "$(sed '1d; s/ .*//' list/sweep.dat | paste -sd' ')" = "0.1 0.3 0.5" ] || fail "the picture of a list"
expect 0 slipstick sweep belt.yaml --over vb=3,1 --over mu=0.1:0.3:2 --collect contacts.belt.dissipation -q -o map
[ "$(sed '1d; /^$/d' map/sweep.dat | cut -d' ' -f1 | uniq -c | tr -s ' \n' ' ')" = " 4 0 8 2 4 4 " ] || fail "the cells of a map"
[ "$(sed '1d; /^$/d' map/sweep.dat | cut -d' ' -f3 | sort -u | wc -l)" -eq 4 ] || fail "the colours of a map"
printf 'sweep:\n  over: {mu: {from: 0.1, to: 0.3, count: 3}}\n  collect: [max.x]\n' | cat belt.yaml - >section.yaml
expect 0 slipstick check section.yaml
out_has 'mu from 0.1 to 0.3, 3 values'
expect 0 slipstick sweep section.yaml --json --no-plot
out_has '"finished": 3'
sed -i 's/mu: {from/nu: {from/' section.yaml
expect 2 slipstick check section.yaml
err_has 'did you mean `mu`'
expect 1 slipstick sweep belt.yaml
err_has 'nothing to vary'
expect 1 slipstick sweep belt.yaml --over vb=1:2
expect 1 slipstick sweep belt.yaml --over ub=1:2:3
err_has 'did you mean `vb`'
for count in 0 -3 2.5 1e9; do
    expect 1 slipstick sweep belt.yaml --over vb=1:2:$count
    err_has 'COUNT is [-0-9.e+]+, expected a whole number from 1 to 100000000'
done
expect 1 slipstick sweep belt.yaml --over vb=1:2:3 --part 3/2
expect 1 slipstick sweep belt.yaml --over vb=1:2:3 --part one
expect 1 slipstick sweep belt.yaml --over vb=1:2:3 --threads 1.5
expect 1 slipstick sweep belt.yaml --over vb=1:2:3 --collect max.y
err_has 'no number `max.y`'
expect 1 slipstick sweep belt.yaml --over vb=1:2:3 --collect max.x,events.total,max.x
err_has '`max.x` is collected twice'
# what is refused leaves nothing, and the corrected command runs; what was there before stays
[ ! -e belt.sweep/sweep.journal ] || fail "a refused sweep leaves its journal"
expect 1 slipstick sweep belt.yaml --over vb=1:2:3 --collect max.y -o new/deep/cc
[ ! -e new ] || fail "a refused sweep leaves a folder"
mkdir empty
expect 1 slipstick sweep belt.yaml --over vb=1:2:3 --collect max.y -o empty
[ -d empty ] && [ -z "$(ls -A empty)" ] || fail "a refused sweep leaves something, or takes a folder that was there"
expect 0 slipstick sweep belt.yaml --over vb=1:2:3 --collect max.x -o empty --no-plot

# Interrupted: what is finished is kept, and the same command goes on.
long=(sweep belt.yaml --over vb=0.1:1:1000000 --threads 1 -o long --no-plot)
interrupt() {
    local pid
    env --default-signal=INT "$@" &
    pid=$!
    until_holds finished_some
    kill -INT $pid
    wait $pid
}
finished_some() { [ -s long/sweep.journal ] && [ "$(grep -c ' +' long/sweep.journal)" -gt 3 ]; }
expect 130 interrupt slipstick "${long[@]}"
out_has 'The same command goes on from there'
have_file long/sweep.journal
have_file long/table.csv
kept=$(grep -c ' +' long/sweep.journal)
expect 1 slipstick "${long[@]}" --set mu=0.2
err_has 'with other settings'
[ "$(grep -c ' +' long/sweep.journal)" -eq "$kept" ] || fail "another sweep has changed the journal"
finish
