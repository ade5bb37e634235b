#!/usr/bin/env bash
# Runs in time: run, plot, export.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# ---- run, plot, export
enter run
cp "$source/examples/oscillator.yaml" .
expect 0 slipstick run oscillator.yaml
err_is_empty # no progress into a pipe or a file
out_has 'Forced oscillator with friction'
out_has '^method +smooth, [0-9]+ steps'
out_has 'oscillator.run'
for file in model.yaml result.h5 events.csv summary.json; do
    have_file "oscillator.run/$file"
done
ls oscillator.run/*.png oscillator.run/*.svg >/dev/null || fail "run draws no pictures"
expect 0 slipstick run "$PWD/oscillator.yaml" --no-plot -q -o quiet --set mu=0.2
out_is_empty
err_is_empty
have_file quiet/summary.json
if ls quiet/*.png >/dev/null 2>&1; then fail "--no-plot draws"; fi
grep -q 'mu: 0.2' quiet/model.yaml || fail "model.yaml lacks the override"
expect 0 slipstick run oscillator.yaml --no-plot -oother --set simulate.method=rk4 --set simulate.step=0.01
out_has '^method +rk4'
out_has 'slipstick plot other'
expect 0 slipstick run oscillator.yaml --no-plot --output=third --method rk4 --set simulate.step=0.01
out_has '^method +rk4'
expect 1 slipstick run oscillator.yaml --no-plot -o x --method smoth
err_has 'smooth'
expect 0 slipstick plot quiet --from 1 --to 20
out_has '^quiet/.*\.png$'
out_has '^quiet/.*\.svg$'
while IFS= read -r picture; do
    have_file "$picture"
done <"$work/out"
expect 0 slipstick export quiet --format csv
out_has '^quiet/result.csv$'
head -1 quiet/result.csv | grep -q "^t,x,x'" || fail "the header of result.csv"
# a header, 3001 records at equal distances, and two of each event
[ "$(wc -l <quiet/result.csv)" -eq $((3002 + 2 * ($(wc -l <quiet/events.csv) - 1))) ] || fail "the number of lines in result.csv"
expect 0 slipstick export quiet -f mat -o out.mat
have_file out.mat
expect 1 slipstick export quiet --format xls
err_has 'xls'
expect 4 slipstick export nowhere --format csv
err_has 'nowhere'
expect 4 slipstick plot nowhere
# Without gnuplot a run has still succeeded.
mkdir empty
expect 0 env PATH="$PWD/empty" "$program" run oscillator.yaml -o without
err_has 'warning: no pictures'
have_file without/summary.json

# ---- The solver cannot go on: exit code 3, and what was computed is kept.
enter solver
sed 's/^  x: .*/  x: sqrt(20 - t)/' "$source/examples/oscillator.yaml" >domain.yaml
expect 3 slipstick run domain.yaml --no-plot
err_has '^slipstick: .*20'
out_has 'What was computed until then is in domain.run'
have_file domain.run/summary.json
have_file domain.run/result.h5
expect 0 slipstick export domain.run --format csv

# The model itself is not replaced by that of its results.
mkdir own
cp "$source/examples/end-stops.yaml" own/model.yaml
expect 4 slipstick run own/model.yaml -o own --no-plot
err_has 'would replace own/model.yaml, the model itself'
cmp -s "$source/examples/end-stops.yaml" own/model.yaml || fail "the model was changed"
expect 0 slipstick run own/model.yaml -q --no-plot
expect 0 slipstick run model.run/model.yaml -q --no-plot -o model.run

finish
