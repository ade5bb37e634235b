#!/usr/bin/env bash
# Lyapunov exponents: lyapunov, its folder, plot, export.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter lyapunov
expect 0 slipstick new stop --template impact-diagram
expect 0 slipstick lyapunov stop.yaml --set w=2.8 --interval '2*pi/w' --intervals 400
out_has '^ +1 +0\.1[0-9]+ '
out_has 'The motion is chaotic'
have_file stop.lyapunov/lyapunov.png
have_file stop.lyapunov/result.h5
[ "$(head -1 stop.lyapunov/lyapunov.csv)" = "time,exponent1,exponent2" ] || fail "the columns of lyapunov.csv"
grep -q '"chaotic": true' stop.lyapunov/lyapunov.json || fail "chaos in lyapunov.json"
expect 0 slipstick plot stop.lyapunov
expect 0 slipstick export stop.lyapunov --format mat
expect 0 slipstick new belt --template stick-slip-belt
expect 0 slipstick lyapunov belt.yaml --intervals 100 --no-plot
out_has '^ +2 +-inf$'
out_has '1 exponent is minus infinity'
grep -q '"-inf"' belt.lyapunov/lyapunov.json || fail "minus infinity in lyapunov.json"
expect 0 slipstick lyapunov belt.yaml --intervals 100 --no-plot --json
out_has '"lost": 1'
# Over axes: a table, its picture, parts that become one.
expect 0 slipstick lyapunov stop.yaml --over w=2.5:2.8:4 --interval '2*pi/w' --intervals 100 -o over
have_file over/sweep.png
[ "$(head -1 over/table.csv)" = "run,w,exponent1,exponent2,dimension,lost,time,skipped,error1,error2,status,message" ] || fail "the columns of table.csv"
# panels that have the numbers of one axis have its range, also where some values are not finite
expect 0 slipstick new rubbed --template coulomb-oscillator
expect 0 slipstick lyapunov rubbed.yaml --over h=0.5,1,3.2 --intervals 64 -o rubbed
grep -q -e ',-inf,' rubbed/table.csv || fail "minus infinity in table.csv"
[ "$(grep 'set xrange' rubbed/sweep.gp | sort -u | wc -l)" -eq 1 ] || fail "panels of other ranges"
for part in 1 2; do
    expect 0 slipstick lyapunov stop.yaml --over w=2.5:2.8:4 --interval '2*pi/w' --intervals 100 --part $part/2 --no-plot -o part.$part
done
expect 0 slipstick merge part.1 part.2 --no-plot -o merged
cmp -s over/table.csv merged/table.csv || fail "what is merged differs"
expect 0 slipstick lyapunov stop.yaml --over w=2.5:2.65:20 --interval '2*pi/w' --intervals 100 --no-plot -o lanes
out_has '^20 runs together, 0 one by one$'
expect 0 slipstick lyapunov stop.yaml --over w=2.5:2.65:20 --interval '2*pi/w' --intervals 100 --no-plot --device none -o alone
expect 1 slipstick lyapunov stop.yaml --over w=2.5:2.65:20 --device cuda -o none
err_has 'carries no derivatives'
expect 1 slipstick lyapunov stop.yaml --over u=2.5:2.8:4 -o none
expect 1 slipstick lyapunov belt.yaml --intervals 10
expect 1 slipstick lyapunov belt.yaml --interval 2*pi/w
expect 1 slipstick lyapunov belt.yaml --transient -1
expect 1 slipstick lyapunov belt.yaml --interval 1e-12
err_has 'expected at most 1e\+09: give a longer --interval'
expect 2 slipstick lyapunov belt.yaml --set simulate.method=moreau --set simulate.step=0.01
err_has 'method `event`'
finish
