#!/usr/bin/env bash
# Periodic motions: orbit, its folder, plot and export of it.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter orbit
expect 0 slipstick new belt --template stick-slip-orbit
expect 0 slipstick orbit belt.yaml
out_has '^period +6\.7585485'
out_has '^events +belt stick>slip-; belt slip->stick$'
out_has '^stable$'
have_file belt.orbit/orbit.json
have_file belt.orbit/events.csv
have_file belt.orbit/phase.png
[ "$(head -1 belt.orbit/multipliers.csv)" = real,imaginary ] || fail "the columns of multipliers.csv"
grep -q '"signature": "belt stick>slip-; belt slip->stick"' belt.orbit/orbit.json || fail "the signature in orbit.json"
expect 0 slipstick plot belt.orbit
expect 0 slipstick export belt.orbit --format csv
expect 0 slipstick orbit belt.yaml --set vb=1.3 --set "simulate.initial={x: 1.36}" --from initial --guess 6.28 --no-plot -o u
out_has '^unstable$'
# an area that sticks and slips in the plane; steady sliding beside it, an equilibrium, over any time
expect 0 slipstick orbit "$source/examples/disk-on-belt.yaml" --period auto --no-plot -o disk
grep -q '"signature": "pad stick>slip; pad slip>stick"' disk/orbit.json || fail "the signature of the disk"
grep -q '"period": 131.1307113' disk/orbit.json || fail "the period of the disk"
expect 0 slipstick orbit "$source/examples/disk-on-belt.yaml" --set "simulate.initial={x: 20, phi: -20}" --period 1 --no-plot -o slides
grep -q '"signature": "pad slip"' slides/orbit.json || fail "steady sliding of the disk"
# a model whose run looks for a steady motion: its period is that of the orbit
expect 0 slipstick orbit "$source/examples/coulomb-oscillator.yaml" --no-plot -o forced
grep -q '"period": 6.283185307' forced/orbit.json || fail "the period of the forced oscillator"
grep -q '"signature": "H stick>slip+; H slip+>stick; H stick>slip-; H slip->stick"' forced/orbit.json || fail "the signature of the forced oscillator"
# the least period: of a motion's own whatever is guessed, of a multiple it is said
expect 0 slipstick orbit belt.yaml --guess 27 --no-plot -o long
out_has '^period +6\.7585485'
expect 0 slipstick orbit "$source/examples/coulomb-oscillator.yaml" --multiple 6 --no-plot -o six
out_has '^ +6 times 6\.2831853[0-9]+, after which the motion repeats already'
grep -q '"least_period": 6.283185307' six/orbit.json || fail "the least period of a multiple"
expect 0 slipstick orbit belt.yaml --arcs 2 --no-plot --json -o a
out_has '"arcs": 2'
expect 1 slipstick orbit belt.yaml --multiple 1.5
err_has 'expected a whole number'
expect 1 slipstick orbit belt.yaml --period=-2
err_has 'orbit: the period `-2` is -2, expected more than 0'
for option in --multiple --arcs; do
    expect 1 slipstick orbit belt.yaml $option 0
    err_has 'found 0, expected a whole number from 1 to'
done
expect 1 slipstick orbit belt.yaml --guess 0
err_has 'orbit.guess: found 0, expected more than 0'
# a period in the file is looked at when the file is read
for period in -1 0*vb v; do
    for verb in check orbit; do
        expect 2 slipstick $verb belt.yaml --set orbit.period=$period
        err_has 'orbit.period'
    done
done
expect 0 slipstick check belt.yaml --set orbit.period=auto
expect 2 slipstick check belt.yaml --set basin.period=-1
expect 2 slipstick check belt.yaml --set lyapunov.interval=0
expect 2 slipstick check belt.yaml --set bifurcation.period=-1
expect 3 slipstick orbit belt.yaml --set vb=0
err_has 'nothing moves any more'

finish
