#!/usr/bin/env bash
# Gears at rest, on a coarse pair, so that it is quick: gear mesh, modes, reduce.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter gear
cat >pair.yaml <<'END'
slipstick: 1
parameters: {m: 0.005}
gears:
  pinion: {teeth: 12, module: m, width: 0.02, bore: 0.03, profile_shift: 0.5, modes: 8,
           mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 2, width: 2}}
  wheel: {teeth: 18, module: m, width: 0.02, bore: 0.05, modes: 6, element: full,
          mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 2, width: 1}}
END
expect 0 slipstick check pair.yaml
out_has 'centre distance 0.07[0-9]* m'
expect 0 slipstick gear mesh pair.yaml
out_has '^pinion: [0-9]+ nodes, [0-9]+ elements, 24 flanks of 15 nodes'
for file in pinion.vtu pinion.inp pinion-mesh.png wheel.vtu wheel.inp wheel-mesh.png; do
    have_file "pair.run/$file"
done
expect 0 slipstick gear modes pair.yaml --draw 1,3 --check
err_is_empty
have_file pair.run/pinion-modes.png
have_file pair.run/pinion-mode003.vtu
[ "$(head -1 pair.run/modes.csv)" = gear,mode,frequency_hz,nodal_diameter ] || fail "modes.csv has another header"
[ "$(grep -c '^pinion,' pair.run/modes.csv)" -ge 8 ] || fail "modes.csv lacks modes of the pinion"
expect 0 slipstick gear reduce pair.yaml --plot
out_has '^  45 residual attachment modes'
have_file pair.run/pinion-attachment.png
have_file pair.run/wheel.h5
expect 0 slipstick gear reduce pair.yaml
out_has 'nothing changed: kept pair.run/wheel.h5'
expect 0 slipstick gear reduce pair.yaml --set gears.wheel.modes=5
out_has 'nothing changed: kept pair.run/pinion.h5'
out_has 'wrote pair.run/wheel.h5'
# A mesh of one's own: the same frequencies as the gear that it came from.
cp pair.run/wheel.inp part.inp
cat >own.yaml <<'END'
slipstick: 1
gears: {wheel: {mesh: {file: part.inp, flanks: [tooth1_left]}, element: full, modes: 6}}
END
expect 0 slipstick gear reduce own.yaml
out_has 'needs 0.[0-9]+ GB'
frequencies() { awk '$1 ~ /^[1-6]$/ && $2 > 1000 { print $1, int($2) }'; }
frequencies <"$work/out" >own.txt
slipstick gear modes pair.yaml -n --set gears.pinion.modes=1 | sed -n '/^wheel/,$p' | frequencies >made.txt
cmp -s own.txt made.txt || fail "a mesh file gives other frequencies: $(paste own.txt made.txt | tr '\n' ';')"
expect 3 slipstick gear reduce own.yaml --memory 0.0001 --set gears.wheel.modes=5
err_has 'needs .* GB of memory'
sed -i 's/tooth1_left/tooth99_left/' own.yaml
expect 2 slipstick gear reduce own.yaml
err_has 'no set of nodes `tooth99_left`'
rm part.inp
expect 4 slipstick gear reduce own.yaml
expect 1 slipstick gear spin pair.yaml
err_has 'expected mesh, modes, reduce, run, select or cycle'
expect 1 slipstick gear modes pair.yaml --draw 99
expect 2 slipstick gear modes "$source/examples/oscillator.yaml"
err_has 'has no gears'
expect 4 slipstick gear modes pair.yaml -o /dev/null/x

finish
