#!/usr/bin/env bash
# Basins: basin, its folder, plot, export, parts and merge; interrupted ones.
# shellcheck disable=SC2016,SC2317 # the messages have names in backquotes; functions are called by name
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter basin
expect 0 slipstick new belt --template belt-basins
expect 0 slipstick check belt.yaml
out_has 'basin +x from -1.5 to 2.5, 41 values'
over=(--over x=-1.5:2.5:9 --over "x'=-2.05:1.95:9")
expect 0 slipstick basin belt.yaml "${over[@]}"
out_has '^cycle 1 +7[0-9] .*6\.343783.*belt stick>slip-; belt slip->stick'
out_has '^sliding 1 .* belt slip-$'
[ "$(head -1 belt.basin/basin.csv)" = "run,x,x',attractor,kind,multiple,period,time,end.x,end.x',size.x,size.x',signature,status,message" ] || fail "the columns of basin.csv"
[ "$(wc -l <belt.basin/basin.csv)" -eq 82 ] || fail "the rows of basin.csv"
have_file belt.basin/basin.png
have_file belt.basin/result.h5
have_file belt.basin/summary.json
grep -q '"kind": "sliding"' belt.basin/attractors.json || fail "steady sliding is not in attractors.json"
[ ! -e belt.basin/basin.journal ] || fail "the journal of a finished job is left"
expect 0 slipstick plot belt.basin
expect 0 slipstick export belt.basin --format csv
expect 0 slipstick basin belt.yaml --over x=-1,0,1,2 -q -o one
out_is_empty
have_file one/basin.png
for k in 1 2 3; do
    expect 0 slipstick basin belt.yaml "${over[@]}" -q --part $k/3 -o part$k --threads 1
done
expect 0 slipstick merge part1 part2 part3 -o all --no-plot
out_has '^sliding 1'
cmp -s all/basin.csv belt.basin/basin.csv || fail "the parts are not the whole"
cmp -s all/attractors.json belt.basin/attractors.json || fail "the parts are not the whole"
cmp -s all/result.h5 belt.basin/result.h5 || fail "the parts are not the whole"
expect 1 slipstick merge part1 one -o some
err_has 'is of another basin'
expect 0 slipstick basin belt.yaml --over x=-1.5:2.5:9 --over "x'=-2.05:1.95:9" --refine 2 --json -o fine
out_has '"attractors": 2'
[ "$(wc -l <fine/basin.csv)" -gt 150 ] || fail "nothing was refined"
expect 1 slipstick basin belt.yaml "${over[@]}" --refine 1 --part 1/2 -o some
err_has 'expected one of both'
expect 1 slipstick basin belt.yaml "${over[@]}" --section y -o some
err_has 'expected a coordinate such as `x`'
expect 1 slipstick basin belt.yaml --over z=0:1:2 -o some
expect 1 slipstick basin belt.yaml --refine 1.5 -o some
expect 1 slipstick basin belt.yaml --within 0 -o some
# x comes to rest, y sticks and slips: the section is that of a coordinate that moves
cat >two.yaml <<'END'
slipstick: 1
coordinates: [x, y]
mass: {diagonal: [1, 1]}
stiffness: {diagonal: [1, 1]}
contacts:
  a: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: 0.3}}
  b: {kind: friction, slip: y' - 0.4, normal_force: 1, law: {type: stribeck, mu: 0.3, static_ratio: 1.6, velocity: 0.3}}
simulate: {method: event, time: [0, 40]}
END
expect 0 slipstick basin two.yaml --over x=-2:2:3 --over y=0:1:3 --no-plot -o chosen
out_has '^cycle set 1 +9 .* 6\.7380949 '
err_is_empty
expect 0 slipstick basin two.yaml --over x=-2:2:3 --over y=0:1:3 --section y --no-plot -o given
out_has '^cycle set 1 +9 .* 6\.7380949 '
expect 0 slipstick basin two.yaml --over x=-2:2:3 --over y=0:1:3 --section x --within 5 --no-plot -o wrong
err_has '9 of 9 starts are undecided: .*--section'
expect 0 slipstick new impact --template impact-oscillator
expect 1 slipstick basin impact.yaml --over x=-2:0:3 --set 'forces.x=cos(w*t)+cos(sqrt(2)*t)' -o some
err_has 'no period is found .*expected one: --period'
expect 0 slipstick basin impact.yaml --over x=-2:0:3 --within 40 --no-plot -o some
expect 0 slipstick basin impact.yaml --over x=-2:0:3 --period 3 --within 40 --no-plot -o wrong
err_has '3 of 3 starts are undecided: .*is that the period of the load'

# Interrupted: what is finished is kept, and the same command goes on.
long=(basin belt.yaml --over x=-1:2:1000000 --threads 1 -o long --no-plot)
interrupt() {
    local pid
    env --default-signal=INT "$@" &
    pid=$!
    until_holds finished_some
    kill -INT $pid
    wait $pid
}
finished_some() { [ -s long/basin.journal ] && [ "$(grep -c ' +' long/basin.journal)" -gt 3 ]; }
expect 130 interrupt slipstick "${long[@]}"
out_has 'The same command goes on from there'
have_file long/basin.journal
have_file long/basin.csv
expect 1 slipstick "${long[@]}" --tolerance 1e-7
err_has 'with other settings'
finish
