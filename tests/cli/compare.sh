#!/usr/bin/env bash
# Methods side by side: compare.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter compare
expect 0 slipstick compare "$source/examples/oscillator.yaml" --methods event,smooth,rk4 --set simulate.step=1e-3
err_is_empty
out_has 'Forced oscillator with friction'
for method in event smooth rk4; do
    out_has "^$method +[0-9]+ +[0-9]+ +[0-9.e-]+ +17 +[0-9.]+e[+-][0-9]+$"
done
out_has '^largest difference to event$'
out_has '^ +smooth +rk4$'
out_has '^x +[0-9.]+e-0[5-9] +[0-9.]+e-0[5-9]$'
[ "$(ls)" = "" ] || fail "compare leaves something behind"
expect 0 slipstick compare "$source/examples/elliptic.yaml" -m 'event, smooth' # the steady state
out_has '^u +[0-9.]+e-(0[7-9]|1[0-9])$'
expect 0 slipstick compare "$source/examples/linear.yaml" -m event --set 'simulate.record={steps: true}'
expect 3 slipstick compare "$source/examples/oscillator.yaml" --methods event,rk4,smooth
out_has '^rk4 +- +- +- +- +-$'
out_has '^    method `rk4` has fixed steps'
out_has '^x +- +[0-9.]+e-'
err_has '^slipstick: 1 of 3 methods did not run to the end'
expect 2 slipstick compare "$source/examples/oscillator.yaml" --methods rk4
expect 1 slipstick compare "$source/examples/oscillator.yaml" --methods event,smoth
err_has 'did you mean `smooth`'
out_is_empty
expect 1 slipstick compare "$source/examples/oscillator.yaml"
err_has 'methods are missing'
expect 1 slipstick compare "$source/examples/oscillator.yaml" --methods event,,rk4
err_has 'names with commas'
expect 2 slipstick compare "$source/examples/oscillator.yaml" --methods event --set mu=-1
expect 4 slipstick compare nowhere.yaml --methods event

finish
