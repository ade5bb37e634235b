#!/usr/bin/env bash
# Gears in motion: gear run, select.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter gear-run
# What can be told without reduced bodies is told before they are made.
refused() { # CODE MESSAGE COMMAND...
    expect "$1" "${@:3}" -o refused
    err_has "$2"
    out_is_empty
    have_no refused/pinion.h5
}
expect 0 slipstick new impact --template gear-impact
out_has 'slipstick run impact.yaml'
cat >pair.yaml <<'END'
slipstick: 1
title: A coarse pair
parameters: {w: 5}
gears:
  pinion: {teeth: 12, module: 0.005, width: 0.02, bore: 0.03, profile_shift: 0.5, modes: 8, speed: w,
           mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 2, width: 2}}
  wheel: {teeth: 18, module: 0.005, width: 0.02, bore: 0.05, modes: 6,
          mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 2, width: 2}}
flanks: {penalty: 1e9}
simulate: {time: [0, 1e-4], samples: 200, history: true}
END
expect 0 slipstick gear run pair.yaml
err_is_empty
out_has '^pinion: [89] modes, 24 surfaces; wrote pair.run/pinion.h5$'
out_has '^peak force +[0-9.]+ N$'
out_has '^contact +[0-9.e-]+ s in all, from '
out_has '^wheel +[-0-9.e]+ +-[0-9.]+$'
out_has '^energy .* drift [0-9.e-]+$'
out_has '^Results in pair.run$'
out_has '^Pictures \(8 files'
for file in model.yaml result.h5 summary.json force.png speed.png energy.svg participation.png plot.gp; do
    have_file "pair.run/$file"
done
for key in contact_time peak_force final energy drift residual wall_seconds; do
    grep -q "\"$key\"" pair.run/summary.json || fail "summary.json lacks $key"
done
grep -q '"method": "exponential"' pair.run/summary.json || fail "summary.json has another method"
grep -q '^[-0-9.e]*,flanks,open,closed$' pair.run/events.csv || fail "events.csv lacks the first contact"
grep -q 'method: exponential' pair.run/model.yaml || fail "model.yaml lacks the method"
# The same again from what was written: bodies are kept, results are the same, old pictures are gone.
slipstick export pair.run --format csv -o first.csv >"$work/out"
expect 0 slipstick gear run pair.run/model.yaml -o pair.run --no-plot
out_has 'kept pair.run/wheel.h5'
have_no pair.run/force.png
expect 0 slipstick export pair.run --format csv
cmp -s first.csv pair.run/result.csv || fail "the same run gives another result"
[ "$(wc -l <pair.run/result.csv)" -eq 201 ] || fail "the number of lines in result.csv"
head -1 pair.run/result.csv | grep -q '^t,flanks.slip,flanks.normal,flanks.force,flanks.mode,pinion.angle,pinion.speed,.*,force,touching,' || fail "the columns of result.csv"
expect 0 slipstick export pair.run --format mat
have_file pair.run/result.mat
expect 0 slipstick plot pair.run --to 5e-5
out_has '^pair.run/force.png$'
expect 1 slipstick plot pair.run --from 1
err_has 'nothing was recorded'
# Quiet, overrides, other reductions and methods.
expect 0 slipstick gear run pair.yaml -q -n --set w=2.5 --set simulate.samples=20 -o slow
out_is_empty
err_is_empty
for reduction in none all switch switch_teeth; do
    expect 0 slipstick gear run pair.yaml -n --set "gears.pinion.static=$reduction" \
        --set "gears.wheel.static=$reduction" --set simulate.time='[0, 2e-6]' -o "$reduction"
    grep -q '"method": "rk4"' "$reduction/summary.json" || fail "$reduction does not run by rk4"
done
expect 0 slipstick gear run pair.yaml -n --set simulate.method=explicit --threads 1 -o explicit
have_no explicit/pinion.h5
have_no explicit/checkpoint.h5
# What goes wrong.
expect 1 slipstick gear run pair.yaml --resume
err_has 'only it has checkpoints'
expect 1 slipstick gear run pair.yaml --resume --restart
expect 1 slipstick gear run pair.yaml --points 5
err_has 'found `--points` with `gear run`, it is for `gear cycle`'
expect 1 slipstick gear run pair.yaml --threads 0
err_has 'expected a whole number from 1 to 1000'
expect 1 slipstick gear run pair.yaml --set simulate.method=explicit --resume -o nothing
err_has 'found no nothing/checkpoint.h5 to resume from'
mkdir stale && echo old >stale/checkpoint.h5
expect 1 slipstick gear run pair.yaml --set simulate.method=explicit -o stale
err_has '`--resume` to go on from it or `--restart`'
have_file stale/checkpoint.h5
expect 0 slipstick gear run pair.yaml -n --set simulate.method=explicit --set simulate.frames=2 --set flanks.penalty=rigid --restart -o stale
have_no stale/checkpoint.h5
have_file stale/frames/frame-0001.vtu
have_file stale/frames/frames.pvd
have_no stale/frames/frame-0001.png
expect 0 slipstick export stale --format vtu -o copied
have_file copied/frame-0001.vtu
have_file copied/frames.pvd
expect 1 slipstick export pair.run --format vtu
err_has 'has no frames of its gears'
expect 1 slipstick run "$source/examples/oscillator.yaml" --resume
err_has '`--resume` is for a model with gears'
expect 0 slipstick gear run pair.yaml -q --set simulate.frames=2 -o reduced
have_file reduced/frames/frame-0001.vtu
have_file reduced/frames/frame-0001.png
expect 2 slipstick gear run pair.yaml --set gears.pinion.static=all
err_has 'gear `pinion`: found `static: all` with method exponential'
expect 2 slipstick gear run pair.yaml --set simulate.method=event
err_has 'method: unknown word `event`'
expect 2 slipstick gear run pair.yaml --set flanks.penalty=rigid --set gears.pinion.static=all --set gears.wheel.static=all
err_has 'rigid flanks are for `static: condensed`'
expect 2 slipstick compare pair.yaml --methods event,smooth
err_has '`slipstick run` has its motion'
sed '/^  wheel/,$d' pair.yaml >one.yaml
expect 2 slipstick gear run one.yaml
err_has 'one.yaml has 1 gear, expected two'
expect 2 slipstick gear run "$source/examples/oscillator.yaml"
err_has 'has no gears'

torque=(--set gears.wheel.torque=80)
refused 1 '`--cycles`: found 0, expected more than 0' slipstick gear cycle pair.yaml "${torque[@]}" --cycles 0
refused 1 '`--cycles`: found -1' slipstick gear cycle pair.yaml "${torque[@]}" --cycles -1
refused 1 '`--points`: found 0' slipstick gear cycle pair.yaml "${torque[@]}" --points 0
refused 1 'found no torque' slipstick gear cycle pair.yaml
refused 2 'found torque 1e-09 N m' slipstick gear cycle pair.yaml --torque 1e-9
refused 2 'found distance 0.01 m' slipstick gear cycle pair.yaml "${torque[@]}" --set flanks.distance=0.01
refused 1 '`--tolerance`: found 0' slipstick gear select pair.yaml --tolerance 0
refused 2 'found method explicit' slipstick gear select pair.yaml --set simulate.method=explicit
refused 2 'wheel: found `drive: true`' slipstick gear select pair.yaml --set gears.wheel.drive=true
refused 2 'both|static: all' slipstick gear select pair.yaml --set gears.pinion.static=all
refused 2 'time' slipstick gear run pair.yaml --set simulate.time='[0, -1]'
refused 1 'only it has checkpoints' slipstick gear run pair.yaml --restart
refused 1 '`--threads`: found 1.5' slipstick gear run pair.yaml --threads 1.5
refused 1 'memory' slipstick gear run pair.yaml --memory -1

expect 0 slipstick gear select pair.yaml --tolerance 20
out_has '^enough: [0-9]+ modes of pinion, [0-9]+ of wheel, penalty [0-9.e+]+ N/m$'
have_file pair.run/select.csv

# Gears that never touch: a run says so, and there is nothing to select by.
expect 2 slipstick gear select pair.yaml --set gears.pinion.speed=0 -o apart
err_has 'the gears do not touch within'
grep -q changed "$work/out" && fail "the head of a table without rows"
have_no apart/select.csv
expect 0 slipstick gear run pair.yaml -n -q --set gears.pinion.speed=0 -o apart
err_has '^slipstick: warning: the flanks did not touch in 0.0001 s: no gear has `speed` or `torque`$'
grep -q '"peak_force": 0[,.]' apart/summary.json || fail "a peak force without contact"
expect 0 slipstick gear run pair.yaml -n --set gears.pinion.speed=0 --set gears.wheel.torque=1e-30 -o apart
err_has 'did not touch in 0.0001 s: see `speed` and `torque` of the gears'
out_has '^contact +none$'

finish
