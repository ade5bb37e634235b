#!/usr/bin/env bash
# Mesh cycles: gear cycle.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter gear-cycle
expect 0 slipstick new mesh --template gear-cycle
out_has 'slipstick gear cycle mesh.yaml'
cat >pair.yaml <<'END'
slipstick: 1
gears:
  pinion: {teeth: 12, module: 0.005, width: 0.02, bore: 0.03, profile_shift: 0.5, modes: 8,
           mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 2, width: 2}}
  wheel: {teeth: 18, module: 0.005, width: 0.02, bore: 0.05, modes: 6, torque: 80,
          mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 2, width: 2}}
flanks: {penalty: rigid}
END
expect 0 slipstick gear cycle pair.yaml --points 12
err_is_empty
out_has '^wheel: [67] modes; wrote pair.run/wheel.h5$'
out_has '^  0\.5000 +[0-9.]+ +-?[0-9.]+ '
out_has '^mesh stiffness +mean '
out_has 'come into contact$'
for file in cycle.csv cycle-changes.csv summary.json cycle.png cycle.svg cycle-load.png cycle-load.svg cycle.gp; do
    have_file "pair.cycle/$file"
done
[ "$(wc -l <pair.cycle/cycle.csv)" = 14 ] || fail "cycle.csv has another number of rows"
head -1 pair.cycle/cycle.csv | grep -q '^position,first_angle,second_angle,error,unloaded_error,stiffness,tangent,' ||
    fail "the head of cycle.csv"
[ "$(head -1 pair.cycle/cycle-changes.csv)" = position,first_tooth,second_tooth,change ] || fail "the head of cycle-changes.csv"
for key in torque contact_ratio loaded_contact_ratio transmission_error stiffness torque_ratio balance; do
    grep -q "\"$key\"" pair.cycle/summary.json || fail "summary.json lacks $key"
done
cp pair.cycle/cycle.csv first.csv
expect 0 slipstick gear cycle pair.yaml --points 12 --no-plot
out_has '^wheel: [67] modes; kept pair.run/wheel.h5$'
cmp -s first.csv pair.cycle/cycle.csv || fail "the same cycle again has other numbers"
expect 0 slipstick gear cycle pair.yaml --points 3 --torque -80 --cycles 2 --facets -q -n -o other
[ "$(wc -l <other/cycle.csv)" = 8 ] || fail "two cycles have another number of rows"
# Gears without backlash of coarse meshes: with a small torque the back flanks touch too.
expect 0 slipstick gear cycle pair.yaml --points 4 --torque 1 -n
out_has '^tight +at 1 of 5 positions the back flanks touch too'
expect 2 slipstick gear cycle pair.yaml --torque 1e-9
err_has 'found torque 1e-09 N m, expected at least [0-9.e-]+ N m'
expect 1 slipstick gear cycle pair.yaml --points 1.5
err_has 'expected a whole number'
expect 1 slipstick gear cycle pair.yaml --torque 0
err_has 'found no torque'
expect 1 slipstick gear cycle pair.yaml --whole -o whole
err_has 'symmetry'
sed '/^  wheel/,$d' pair.yaml >one.yaml
expect 2 slipstick gear cycle one.yaml
err_has 'one.yaml has 1 gear; a mesh cycle needs two'

finish
