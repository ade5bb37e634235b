#!/usr/bin/env bash
# Bifurcation diagrams: bifurcation, its folder, plot and export of it.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter bifurcation
expect 0 slipstick new stop --template impact-diagram
expect 0 slipstick bifurcation stop.yaml --over w=2.65:2.66:3
out_has '^ +2\.65 +2\.65 +up +1$'
out_has '^ +2\.655 +2\.66 +up +2$'
[ "$(head -1 stop.bifurcation/points.csv)" = "w,direction,time,x,x'" ] || fail "the columns of points.csv"
[ "$(head -1 stop.bifurcation/values.csv)" = w,direction,multiple,returns,points,message ] || fail "the columns of values.csv"
[ "$(wc -l <stop.bifurcation/values.csv)" -eq 7 ] || fail "the rows of values.csv"
have_file stop.bifurcation/bifurcation.png
expect 0 slipstick plot stop.bifurcation
expect 0 slipstick export stop.bifurcation --format csv
expect 0 slipstick bifurcation stop.yaml --over w=2.76:2.8:3 --fresh --threads 2 --points 7 --no-plot --json -o fresh
out_has '"points": 21'
# What is finished is kept in a journal until the result is saved.
expect 0 slipstick bifurcation stop.yaml --over w=2.5:2.6:3 --fresh --device none --no-plot -q -o whole
[ ! -e whole/bifurcation.journal ] || fail "a journal is left"
expect 0 slipstick bifurcation stop.yaml --over w=2.5:2.6:3 --fresh --restart --no-plot -q -o whole
expect 0 slipstick bifurcation stop.yaml --over w=2.6,2.7 --section "x + 0.2" --no-plot -q -o section
out_is_empty
expect 0 slipstick bifurcation stop.yaml --over w=2.6,2.7 --maxima x --no-plot -o maxima
expect 1 slipstick bifurcation stop.yaml --over w=2.6,2.7 --maxima y
err_has 'expected a coordinate'
expect 1 slipstick bifurcation stop.yaml --over wd=2.6,2.7
err_has 'did you mean `w`'
expect 1 slipstick bifurcation stop.yaml --points 1.5
expect 1 slipstick bifurcation stop.yaml --over w=2.5:2.6:3 --fresh --section "x + u" -o refused
[ ! -e refused ] || fail "a refused job leaves something"
expect 1 slipstick bifurcation stop.yaml --over w=1:2
expect 1 slipstick bifurcation stop.yaml --period 2*pi/u
expect 2 slipstick check stop.yaml --set bifurcation.over.u.list=[1]
expect 0 slipstick new belt --template stick-slip-belt
expect 1 slipstick bifurcation belt.yaml --over vb=0.1:0.3:3
err_has 'found no section'
expect 0 slipstick bifurcation belt.yaml --over vb=0.1:0.3:3 --maxima x --no-plot
out_has '^ +0\.1 +0\.3 +up +1$'
finish
