#!/usr/bin/env bash
# What check refuses before a run does, and what it notes.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter gears
cat >pair.yaml <<'END'
slipstick: 1
parameters: {m2: 0.001, d: 0.0251}
gears:
  first: {teeth: 20, module: 0.001, width: 0.01, bore: 0.005, chamfer: 0, speed: 5}
  second: {teeth: 30, module: m2, width: 0.01, bore: 0.005, chamfer: 0}
flanks: {penalty: 1e9, distance: d}
simulate: {time: [0, 1e-4]}
END
refused() { # MESSAGE SETTING...: by check and, with the same words, by gear run
    expect 2 slipstick check pair.yaml "${@:2}"
    err_has "$1"
    out_is_empty
    expect 2 slipstick gear run pair.yaml "${@:2}" -o refused
    err_has "$1"
    have_no refused
}
# (sqrt(ra1^2 - rb1^2) + sqrt(ra2^2 - rb2^2) - sqrt(d^2 - (rb1 + rb2)^2))/(pi m cos 20): radii 11, 16 and 10, 15 times cos 20
ratio=$(awk 'BEGIN { c = cos(atan2(0, -1)/9); d = 25.1
    printf "%.6g", (sqrt(121 - 100*c*c) + sqrt(256 - 225*c*c) - sqrt(d*d - 625*c*c))/(atan2(0, -1)*c) }')
expect 0 slipstick check pair.yaml
out_has "^ +contact ratio $ratio\$"
err_is_empty
refused 'pair.yaml:.*module 0.001 and 0.002 m.*gears that mesh have the same' --set m2=0.002
refused 'found distance 0.028 m, at which the teeth of first and second do not reach each other' --set d=0.028
refused 'found distance 0.024 m, expected more than .* inside the root' --set d=0.024
refused 'found contact ratio 0\.[0-9]+ of first and second, expected at least 1' --set d=0.0263
# Two gears that only stand in one file, for their meshes and modes, need not mesh.
sed '/^flanks/d; /^simulate/d; s/, d: 0.0251//' pair.yaml >apart.yaml
expect 0 slipstick check apart.yaml --set m2=0.002
out_has 'these gears do not mesh: .*module 0.001 and 0.002 m'
# Lengths in millimetres.
sed 's/0\.001/1/g; s/0\.01/10/g; s/0\.005/5/g; s/0\.0251/25.1/' pair.yaml >mm.yaml
expect 0 slipstick check mm.yaml
err_has '^slipstick: warning: mm.yaml:4:3: gear `first` has a module of 1 m: lengths are in metres; a module of 1 mm would be 0.001$'

# What a run refuses at its start, in its words.
enter start
cat >start.yaml <<'END'
slipstick: 1
parameters: {h: 0}
coordinates: [x, y]
mass: [[1, 0], [0, 1]]
contacts:
  floor: {kind: unilateral, gap: y - h}
  pad: {kind: friction, slip: x', law: {type: jenkins, mu: 0.6, stiffness: 3}}
simulate: {time: [0, 1]}
END
unready() { # MESSAGE SETTING...
    expect 2 slipstick check start.yaml "${@:2}"
    err_has "$1"
    out_is_empty
    mv "$work/err" message
    expect 2 slipstick run start.yaml "${@:2}" --no-plot -o refused
    cmp -s message "$work/err" || fail "run says something else than check"
}
expect 0 slipstick check start.yaml
err_is_empty
unready 'contact `floor`: its gap `y - h` is -1 in the initial state' --set h=1
unready 'contact `floor` is unilateral, and method `smooth` has no impacts' --set simulate.method=smooth
unready 'method `moreau` has fixed steps; expected `simulate.step`' --set simulate.method=moreau
unready '`pad.z` starts at 1; expected a number within the limits' --set 'simulate.initial={pad.z: 1}'
# Without a time there is nothing that a run could refuse but that.
sed '/^simulate/d' start.yaml >still.yaml
expect 0 slipstick check still.yaml --set h=1

enter symmetry
cat >two.yaml <<'END'
slipstick: 1
parameters: {k: -1}
coordinates: [x, y]
mass: [[1, 0], [0, 1]]
stiffness: [[2, -1], [k, 2]]
simulate: {time: [0, 1]}
END
expect 0 slipstick check two.yaml
if grep -q symmetric "$work/out"; then fail "a symmetric matrix is noted"; fi
expect 0 slipstick check two.yaml --set k=0.5
out_has '^ +note: not symmetric: 0\.5 of x on y, -1 of y on x$'
err_is_empty

finish
