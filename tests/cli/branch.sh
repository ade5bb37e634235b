#!/usr/bin/env bash
# Periodic motions over a parameter: branch, its folder, plot and export of it.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter branch
expect 0 slipstick new stop --template impact-branch
expect 0 slipstick branch stop.yaml
out_has '^ +[0-9]+ +1 +GR +1\.72988574[0-9]+ +stop open to stop open>open$'
out_has '^ +[0-9]+ +1 +LP +1\.89297909766[0-9]+ +unstable to stable$'
out_has '^ +[0-9]+ +1 +EP +1\.6 +end of the range$'
[ "$(head -1 stop.branch/branch.csv)" = branch,w,period,stable,multiplier,events,x.max,x.min,x.amplitude,x.lag ] || fail "the columns of branch.csv"
have_file stop.branch/labels.csv
have_file stop.branch/branch.png
have_file stop.branch/response.png
expect 0 slipstick plot stop.branch
expect 0 slipstick export stop.branch --format csv
expect 0 slipstick branch stop.yaml --over w=2:2.1 --start 2.05 --points 5 --no-plot --json -o few
out_has '"parameter": "w"'
expect 0 slipstick branch stop.yaml --over w=1.8:2 --start 2 --over s=0.4:0.5 --curve GR --set s=0.41 --spacing 0.2 -o graze
head -1 graze/branch.csv | grep -q '^branch,w,s,period' || fail "the columns of a curve"
have_file graze/curve.png
expect 1 slipstick branch stop.yaml --over w=1:2 --over s=0:1 --over r=0:1
expect 1 slipstick branch stop.yaml --over q=1:2
err_has 'q'
expect 1 slipstick branch stop.yaml --start 9
err_has 'expected a value from 1\.6 to 2\.2'
expect 1 slipstick branch stop.yaml --points 2.5
err_has 'expected a whole number'
expect 1 slipstick branch stop.yaml --over w=2
err_has 'expected NAME=FROM:TO'
expect 1 slipstick branch stop.yaml --over w=1.8:2:3
err_has 'expected NAME=FROM:TO: .*--spacing'
for option in --multiple --points; do
    expect 1 slipstick branch stop.yaml $option 0
    err_has 'found 0, expected a whole number from 1 to'
done
expect 1 slipstick branch stop.yaml --guess 0
err_has 'orbit.guess: found 0, expected more than 0'
expect 1 slipstick branch stop.yaml --spacing 2
err_has 'branch.spacing: found 2, expected at least 1e-06 and at most 1'
expect 1 slipstick branch stop.yaml --over w=1.6:2.2 --over w=1:2 --curve LP
err_has 'found `w` twice'
expect 3 slipstick branch stop.yaml --over w=1.6:2.2 --start 2.2 --over s=0.4:0.6 --curve GR --points 4
err_has 'the branch ends at w = 2\.[0-9]+ \(.*points'

finish
