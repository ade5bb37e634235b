#!/usr/bin/env bash
# Friction laws and areas: laws, patch.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# ---- laws
enter laws
expect 0 slipstick laws
for law in coulomb stribeck tanh arctan sqrt elliptic; do
    out_has "^$law \((set-valued|smooth)\): "
    out_has "law: \{type: $law, mu: "
done
out_has '⣀⣀⣀'
expect 0 env LC_ALL=C slipstick laws tanh
if LC_ALL=C grep -q '[^ -~]' "$work/out"; then fail "laws is not plain ASCII in the C locale"; fi
expect 0 slipstick laws sqrt --set eta_prime=2 --from=-0.5 --to 0.5
out_has 'eta_prime: 2'
expect 1 slipstick laws tanhh
err_has 'did you mean `tanh`'
expect 1 slipstick laws tanh --set velocty=1
err_has 'did you mean `velocity`'
expect 1 slipstick laws tanh --set velocity=0
err_has 'velocity'
expect 1 slipstick laws --set mu=1

# ---- patch
enter patch
expect 0 slipstick patch "$source/examples/disk-on-belt.yaml"
out_has '^pad: area 3\.14159265, size 1, circular$'
out_has '^    c_0,0,-1     0\.666666666667$'
out_has '^    own \(0,0\)    2\.00000000   1\.00000000 '
out_has '^    \(1,1\)        0\.7648178'
out_has '^Results in disk-on-belt.patch$'
for file in pad-limit-surface.png pad-directions.svg pad-pressure.png pad.gp pad.dat pad-moments.csv; do
    have_file "disk-on-belt.patch/$file"
done
expect 0 slipstick patch "$source/examples/brake-pad.yaml" --set a=0.02 -o other
out_has '^pad: area 0\.0016, size 0\.04$'
have_file other/pad-limit-surface.png
printf '0 0 1\n1 0 2\n0 1 1\n' >loads.txt
expect 0 slipstick patch --area table --file loads.txt
out_has '^table: area 1, size 0\.564189584, point loads$'
expect 0 slipstick patch --area polygon --points 0,0:2,0:0,2 -o polygon
out_has '^polygon: area 2, '
expect 1 slipstick patch
err_has 'expected a model FILE, or an area such as `--area disc`'
expect 1 slipstick patch "$source/examples/oscillator.yaml"
err_has 'has no contact of kind patch'
for file in $(grep -l '^bodies:' "$source"/examples/*.yaml); do
    expect 1 slipstick patch "$file"
    err_has 'has no contact of kind patch'
done
expect 1 slipstick patch "$source/examples/disk-on-belt.yaml" --radius 2
err_has '`--radius` is for an area without a model FILE'
expect 1 slipstick patch --area disc --set m=1
err_has '`--set` needs a model FILE'
expect 1 slipstick patch --area rectangle
err_has '`--area rectangle` needs `--sides`'
expect 1 slipstick patch --area rectangle --sides 2
err_has '`--sides` needs two numbers such as 2,1, not `2`'
expect 1 slipstick patch --area disc --sides 2,1
err_has '`--sides` is of shape rectangle, not of disc'
expect 1 slipstick patch --area polygon --points 0,0:1
err_has '`--points` needs corners such as 0,0:1,0:0,1, not `0,0:1`'
expect 1 slipstick patch --area disc --pressure linear:1
err_has 'needs two numbers, as in linear:0\.5,0'
expect 1 slipstick patch --area disc --m 2
err_has '`--m` and `--b` need `--order N1,N2`'
expect 1 slipstick patch --area disc --order 0,2
err_has 'two numbers that are 0 or 1'
expect 1 slipstick patch --area disk
err_has 'unknown shape `disk`, did you mean `disc`'
expect 1 slipstick patch --area disc --pressure '1 + z'
err_has 'unknown name `z`'
expect 1 slipstick patch --area disc --radius 0
expect 4 slipstick patch --area table --file nowhere.txt
expect 4 slipstick patch --area disc -o /dev/null/x
expect 4 slipstick patch nowhere.yaml

finish
