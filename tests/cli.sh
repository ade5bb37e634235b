#!/usr/bin/env bash
# Tests the command line program from outside: what it prints, where, and its exit codes.
#   tests/cli.sh PROGRAM SOURCE_DIR
# shellcheck disable=SC2016 # the messages have names in backquotes
set -uo pipefail

program=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/slipstick"
export PATH="$work/bin:$PATH"
export LC_ALL=C.UTF-8
unset TERM
checks=0
failures=0

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$1"
    if [ -n "${command:-}" ]; then
        printf '  command: %s\n  exit code: %s\n' "$command" "$code"
        sed 's/^/  stdout: /' "$work/out" | head -20
        sed 's/^/  stderr: /' "$work/err" | head -20
    fi
}

# expect CODE COMMAND...: runs it, keeps its output for the checks that follow.
expect() {
    local wanted=$1
    shift
    command="$*"
    "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    checks=$((checks + 1))
    [ "$code" -eq "$wanted" ] || fail "expected exit code $wanted"
}
out_has() {
    checks=$((checks + 1))
    grep -qE -e "$1" "$work/out" || fail "stdout lacks: $1"
}
err_has() {
    checks=$((checks + 1))
    grep -qE -e "$1" "$work/err" || fail "stderr lacks: $1"
}
err_is_empty() {
    checks=$((checks + 1))
    [ ! -s "$work/err" ] || fail "stderr should be empty"
}
out_is_empty() {
    checks=$((checks + 1))
    [ ! -s "$work/out" ] || fail "stdout should be empty"
}
have_file() {
    checks=$((checks + 1))
    [ -s "$1" ] || fail "no file $1"
}
have_no() {
    checks=$((checks + 1))
    [ ! -e "$1" ] || fail "$1 should not be there"
}
# A fresh current directory for each part.
enter() {
    mkdir "$work/$1"
    cd "$work/$1" || exit 1
}

# ---- Help, version, and what is said about mistakes.
enter usage
verbs="new check run compare statics continue plot export laws patch gear reproduce help version"
expect 0 slipstick help
for verb in $verbs; do
    out_has "^  $verb "
done
out_has '130  interrupted'
cp "$work/out" help.txt
expect 0 slipstick --help
cmp -s "$work/out" help.txt || fail "help and --help differ"
expect 0 slipstick -h
expect 1 slipstick
out_is_empty
err_has 'Usage'
version=$(slipstick --version)
for word in -V version; do
    expect 0 slipstick $word
    out_has "^slipstick [0-9]+\.[0-9]+\.[0-9]+$"
    [ "$version" = "$(cat "$work/out")" ] || fail "two versions"
done
for verb in $verbs; do
    expect 0 slipstick help "$verb"
    out_has "^Usage: slipstick $verb"
    out_has '^Example:'
    err_is_empty
    cp "$work/out" help.txt
    expect 0 slipstick "$verb" --help
    cmp -s "$work/out" help.txt || fail "help $verb and $verb --help differ"
done
expect 0 slipstick run nowhere.yaml -h
out_has 'Usage: slipstick run'
expect 1 slipstick rnu
err_has 'slipstick: unknown verb `rnu`; did you mean `run`'
out_is_empty
expect 1 slipstick help chek
err_has 'did you mean .*check'
expect 1 slipstick xyzzy
err_has 'unknown verb `xyzzy`$'
expect 1 slipstick run
err_has 'run: FILE is missing'
err_has 'slipstick help run'
expect 1 slipstick check a.yaml b.yaml
err_has 'unexpected argument `b.yaml`'
expect 1 slipstick run a.yaml --outptu x
err_has 'unknown option `--outptu`; did you mean `--output`'
expect 1 slipstick run a.yaml -x
err_has 'unknown option `-x`'
expect 1 slipstick run a.yaml --set
err_has '`--set` needs a value'
expect 1 slipstick run a.yaml --quiet=yes
err_has '`--quiet` takes no value'
expect 1 slipstick plot a.run --from soon
err_has 'needs a number, not `soon`'
expect 1 slipstick plot a.run --from 2 --to=1
err_has 'must be larger'
expect 1 slipstick export a.run
err_has 'format is missing'
expect 1 slipstick version 3

# ---- Every example of the help texts works as typed.
example_lines() { # the commands under "Example:"
    sed -n '/^Example:$/,$ s/^    //p' "$1"
}
for verb in $verbs; do
    enter "example-$verb"
    slipstick help "$verb" >help.txt
    while IFS= read -r line; do
        expect 0 bash -c "$line"
    done < <(example_lines help.txt)
done

# ---- So do the commands of the walk-through.
enter walk-through
while IFS= read -r line; do
    expect 0 bash -c "$line"
done < <(sed -n '/^```sh run$/,/^```$/ { /^```/d; p }' "$source/docs/getting-started.md")
have_file first.run/summary.json

# ---- new
enter new
expect 0 slipstick new --list
for file in "$source"/examples/*.yaml; do
    out_has "^  $(basename "$file" .yaml) +[A-Z]"
done
expect 0 slipstick new belt
cmp -s belt.yaml "$source/examples/oscillator.yaml" || fail "new does not write the default template"
out_has 'slipstick run belt.yaml'
echo mine >belt.yaml
expect 1 slipstick new belt
err_has 'belt.yaml` is there already'
[ "$(cat belt.yaml)" = mine ] || fail "new has overwritten a file"
expect 0 slipstick new belt.yaml -f --template=linear
cmp -s belt.yaml "$source/examples/linear.yaml" || fail "new --force does not write the template"
[ "$(ls)" = belt.yaml ] || fail "new leaves something behind"
expect 1 slipstick new other --template lineer
err_has 'did you mean `linear`'
have_no other.yaml
expect 1 slipstick new
err_has 'NAME is missing'
expect 1 slipstick new ''
expect 4 slipstick new nowhere/belt
err_has 'nowhere/belt.yaml'
expect 0 slipstick new -- -odd
have_file -odd.yaml

# ---- check
enter check
expect 0 slipstick check "$source/examples/oscillator.yaml"
out_has 'Forced oscillator with friction'
out_has 'table'
err_is_empty
expect 4 slipstick check nowhere.yaml
err_has 'nowhere.yaml'
sed 's/^stiffness/stifness/' "$source/examples/oscillator.yaml" >wrong.yaml
expect 2 slipstick check wrong.yaml
err_has '^wrong.yaml:[0-9]+:[0-9]+: .*stifness.*stiffness'
out_is_empty
expect 2 slipstick check "$source/examples/oscillator.yaml" --set mu=-1
expect 2 slipstick check "$source/examples/oscillator.yaml" --set nonsense=1
err_has 'nonsense'

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
[ "$(wc -l <quiet/result.csv)" -eq 3002 ] || fail "the number of lines in result.csv"
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

# ---- Every example checks and, unless it is for statics, runs.
enter examples
for file in "$source"/examples/*.yaml; do
    expect 0 slipstick check "$file"
    if grep -q '^bodies:' "$file"; then # for statics
        expect 2 slipstick run "$file" --no-plot
        err_has 'a model of elastic bodies is for statics'
        continue
    fi
    if grep -q '^gears:' "$file"; then # for `gear`
        expect 2 slipstick run "$file" --no-plot
        err_has '`slipstick gear run` has its motion'
        grep -q '^simulate:' "$file" || continue
        expect 0 slipstick gear run "$file" --no-plot
        err_is_empty
        have_file "$(basename "$file" .yaml).run/result.h5"
        expect 0 slipstick check "$(basename "$file" .yaml).run/model.yaml"
        continue
    fi
    expect 0 slipstick run "$file" --no-plot
    err_is_empty
    have_file "$(basename "$file" .yaml).run/result.h5"
    expect 0 slipstick check "$(basename "$file" .yaml).run/model.yaml"
done
expect 0 slipstick run "$source/examples/elliptic.yaml" --no-plot
out_has '^u +-?[0-9.]+ +[0-9.]+ +1\.34145[0-9]* +1\.78225[0-9]*$'
out_has "^u'' .* 2\.8901[0-9]*$"
out_has '^steady +period 6\.283'

# ---- compare
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
out_has 'are in disk-on-belt.patch$'
for file in pad-limit-surface.png pad-directions.svg pad-pressure.png pad.gp pad.dat pad-moments.csv; do
    have_file "disk-on-belt.patch/$file"
done
expect 0 slipstick patch "$source/examples/brake-pad.yaml" --set a=0.02 -o other
out_has '^pad: area 0\.0016, size 0\.04$'
have_file other/pad-limit-surface.png
printf '0 0 1\n1 0 2\n0 1 1\n' >loads.txt
expect 0 slipstick patch --area table --file loads.txt
out_has '^table: area 1, size 0\.564189584, point loads$'
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
# ---- statics and continue
enter statics
expect 0 slipstick new point --template one-point
expect 0 slipstick check point.yaml
out_has '^continue +ft from -4 to 4$'
out_has '^initial +a static solution, at rest$'
expect 0 slipstick statics point.yaml
err_is_empty
out_has '^3 static solutions; every set of modes was tried: there are no others$'
out_has '^ +plane +slip- +0\.5 +1 +0 +-0\.5$'
have_file point.run/solutions.json
have_file point.run/model.yaml
expect 0 slipstick statics point.yaml --set ft=-2 -o fold.run
out_has 'on the boundary of 2 sets of modes'
out_has 'stick\|slip-'
expect 0 slipstick statics point.yaml -q --set F=1.2 --set ft=-1.2 -o line.run
out_is_empty
grep -q '"continuum": 1' line.run/solutions.json || fail "the continuum is missing in solutions.json"
expect 0 slipstick statics point.yaml --set F=1.2 --set ft=-1.2 -o line.run
out_has '^1 static solution; every set of modes was tried'
out_has '^1\. a continuum of dimension 1 between these:$'
cat >pole.yaml <<'END'
slipstick: 1
parameters: {s: 2}
coordinates: [x, y]
stiffness: [[s, -1], [-1, s]]
forces: {x: 1, y: 0.5}
contacts:
  wall: {kind: unilateral, gap: 5 + x, slip: y', law: {type: coulomb, mu: 0.3}}
continue: {parameter: s, range: [0.5, 3], start: 3}
END
expect 0 slipstick continue pole.yaml --no-plot
out_has '^ +1 +2 +EP +1  goes to infinity here: a pole$'
grep -qE '^1,2,EP,(1|0\.99999999999[0-9]*|1\.00000000000[0-9]*),,,infinity$' pole.run/labels.csv || fail "the pole in labels.csv"
expect 1 slipstick continue pole.yaml --from 2 -o more.run
err_has 'at label 2 the path goes to infinity'
expect 0 slipstick statics point.yaml --map fn=-1:1,ft=-3:3 --points 11 -o map.run
out_has 'map.run/counts.csv'
have_file map.run/counts.png
expect 1 slipstick statics point.yaml --map fn=-1:1
err_has 'expected two parameters with their ranges'
expect 1 slipstick statics point.yaml --map fm=-1:1,ft=-3:3
err_has 'the model has no parameter `fm`'
expect 0 slipstick continue point.yaml
out_has '^ +1 +2 +LP +-1\.2[0-9]* +plane: open to slip-$'
have_file point.run/path.csv
have_file point.run/path.h5
have_file point.run/path.png
head -1 point.run/labels.csv | grep -qx 'branch,label,type,value,contact,from,to' || fail "the head of labels.csv"
head -1 point.run/path.csv | grep -q '^branch,value,' || fail "the head of path.csv"
expect 0 slipstick continue point.yaml --from 3 -p F -r 0:3 -o more.run --no-plot
out_has 'paths? over F'
have_no more.run/path.png
# one model file, one folder: a run does not take away what the path needs, nor the other way round
expect 0 slipstick run point.yaml -q --no-plot
expect 0 slipstick continue point.yaml --from 3 -p F -r 0:3 -o more.run --no-plot
expect 0 slipstick plot point.run
expect 1 slipstick continue point.yaml --spacing 0
err_has 'expected more than 0'
expect 1 slipstick continue point.yaml --restarts=-1
err_has 'expected 0 to 1e6'
sed '/^mass/d' point.yaml >massless.yaml
expect 0 slipstick statics massless.yaml
expect 0 slipstick check massless.yaml
out_has '^mass +none: for statics only$'
expect 2 slipstick run massless.yaml
err_has '`mass` is missing'
expect 1 slipstick continue point.yaml --from 30 -p F -r 0:3 -o more.run
err_has 'there is no label 30'
expect 1 slipstick continue point.yaml -r 3:0
err_has 'the range of `ft` is missing or empty'
expect 1 slipstick continue point.yaml -r abc
err_has 'expected LOW:HIGH'
expect 1 slipstick continue point.yaml -p Ff -r 0:1
err_has 'the model has no parameter `Ff`; did you mean `F`\?'
expect 1 slipstick continue point.yaml -y plane.nothing
err_has 'there is no quantity `plane.nothing`'
sed 's/joint\[20\].slip/joint[99].slip/' "$source/examples/two-blocks.yaml" >quantity.yaml
expect 2 slipstick continue quantity.yaml
err_has "^quantity.yaml:$(grep -n 'quantity:' quantity.yaml | cut -d: -f1):13: continue.quantity: there is no quantity .joint\[99\].slip"
expect 2 slipstick continue quantity.yaml --set continue.quantity=joint[98].gap
err_has '^(slipstick: )?--set continue.quantity=joint\[98\].gap: continue.quantity: there is no quantity'
expect 1 slipstick continue quantity.yaml --quantity joint[97].gap
expect 0 slipstick new blocks --template two-blocks
expect 0 slipstick continue blocks.yaml --restarts 0 --no-plot
[ "$(grep -c ',MC,' blocks.run/labels.csv)" -eq 36 ] || fail "load A has 36 changes of modes"
expect 0 slipstick statics blocks.yaml -q
have_file blocks.run/solution-1.vtu
have_file blocks.run/solution-1.png
# What is not a run in time: plot and export say whose it is.
expect 0 slipstick statics blocks.yaml -q --no-plot -o solutions
expect 0 slipstick continue blocks.yaml -q --no-plot --restarts 0 -o path
# shellcheck disable=SC2086 # a verb with its option
for verb in plot "export --format csv" "export --format vtu"; do
    expect 4 slipstick $verb solutions
    err_has 'holds no run in time but static solutions: `slipstick statics FILE` draws'
    expect 4 slipstick $verb path
    err_has 'holds no run in time but paths of static solutions: `slipstick continue FILE --quantity NAME` draws'
    expect 4 slipstick $verb map.run
    err_has 'slipstick statics FILE --map'
done
expect 2 slipstick statics "$source/examples/stick-slip-belt.yaml"
err_has 'statics'
expect 0 slipstick run point.yaml --no-plot
[ "$(wc -l <point.run/events.csv)" -eq 1 ] || fail "a run from a static solution has events"

# ---- gear: on a coarse pair, so that it is quick.
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

# ---- gear run
enter gear-run
# What can be told without reduced bodies is told before they are made.
refused() { # CODE MESSAGE COMMAND...
    expect "$1" "${@:3}" -o refused
    err_has "$2"
    out_is_empty
    have_no refused/pinion.h5
}
expect 0 slipstick new impact --template gear-impact
out_has 'slipstick gear run impact.yaml'
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
for key in contact_time peak_force final energy drift wall_seconds; do
    grep -q "\"$key\"" pair.run/summary.json || fail "summary.json lacks $key"
done
grep -q '"method": "exponential"' pair.run/summary.json || fail "summary.json has another method"
grep -q 'method: exponential' pair.run/model.yaml || fail "model.yaml lacks the method"
# The same again from what was written: bodies are kept, results are the same, old pictures are gone.
slipstick export pair.run --format csv -o first.csv >"$work/out"
expect 0 slipstick gear run pair.run/model.yaml -o pair.run --no-plot
out_has 'kept pair.run/wheel.h5'
have_no pair.run/force.png
expect 0 slipstick export pair.run --format csv
cmp -s first.csv pair.run/result.csv || fail "the same run gives another result"
[ "$(wc -l <pair.run/result.csv)" -eq 201 ] || fail "the number of lines in result.csv"
head -1 pair.run/result.csv | grep -q '^t,pinion.angle,pinion.speed,.*,force,touching,' || fail "the columns of result.csv"
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
expect 0 slipstick gear run pair.yaml -q --set simulate.frames=2 -o reduced
have_file reduced/frames/frame-0001.vtu
have_file reduced/frames/frame-0001.png
refused 2 'found 300 frames and 200 samples' slipstick gear run pair.yaml --set simulate.frames=300
expect 2 slipstick gear run pair.yaml --set gears.pinion.static=all
err_has 'gear `pinion`: found `static: all` with method exponential'
expect 2 slipstick gear run pair.yaml --set simulate.method=event
err_has 'method: unknown word `event`'
expect 2 slipstick gear run pair.yaml --set flanks.penalty=rigid --set gears.pinion.static=all --set gears.wheel.static=all
err_has 'rigid flanks are for `static: condensed`'
expect 2 slipstick compare pair.yaml --methods event,smooth
err_has '`slipstick gear run`'
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

# ---- gear cycle
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
for file in cycle.csv cycle-changes.csv cycle.json cycle.png cycle.svg cycle-load.png cycle-load.svg cycle.gp; do
    have_file "pair.run/$file"
done
[ "$(wc -l <pair.run/cycle.csv)" = 14 ] || fail "cycle.csv has another number of rows"
head -1 pair.run/cycle.csv | grep -q '^position,first_angle,second_angle,error,unloaded_error,stiffness,tangent,' ||
    fail "the head of cycle.csv"
[ "$(head -1 pair.run/cycle-changes.csv)" = position,first_tooth,second_tooth,change ] || fail "the head of cycle-changes.csv"
for key in torque contact_ratio loaded_contact_ratio transmission_error stiffness torque_ratio balance; do
    grep -q "\"$key\"" pair.run/cycle.json || fail "cycle.json lacks $key"
done
cp pair.run/cycle.csv first.csv
expect 0 slipstick gear cycle pair.yaml --points 12 -q --no-plot
out_has '^wheel: [67] modes; kept pair.run/wheel.h5$'
cmp -s first.csv pair.run/cycle.csv || fail "the same cycle again has other numbers"
expect 0 slipstick gear cycle pair.yaml --points 3 --torque -80 --cycles 2 --facets -q -n -o other
[ "$(wc -l <other/cycle.csv)" = 8 ] || fail "two cycles have another number of rows"
# Gears without backlash of coarse meshes: with a small torque the back flanks touch too.
expect 0 slipstick gear cycle pair.yaml --points 4 --torque 1 -q -n
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

# ---- reproduce
enter reproduce
expect 0 slipstick reproduce --list
out_has 'elliptic'
out_has 'figures: D0.8 D0.4 D0.2 static$'
out_has 'figures: modal static .*animation table$'
for study in $(awk '$1 ~ /^[a-z-]+$/ { print $1 }' "$work/out"); do
    expect 0 slipstick reproduce "$study" --list
    out_has "^$study: [a-z]"
    out_has "^  $study/[A-Za-z0-9.]+ +[a-z]"
done
expect 0 slipstick reproduce gear-impact --list
out_has '^  gear-impact/participation +participation of residual modes'
[ "$(wc -l <"$work/out")" -eq 12 ] || fail "the number of figures of gear-impact"
have_no reproduce
expect 1 slipstick reproduce nothing --list
err_has 'there is no published example `nothing`'
expect 1 slipstick reproduce eliptic
err_has 'elliptic'
have_no reproduce/elliptic
out_is_empty
expect 0 slipstick reproduce jack-plane/a -o figures
out_has '^  \(a\) event +60 +\(60\) +3 '
have_file figures/jack-plane-a.png
have_file figures/jack-plane-a.run/summary.json
expect 0 slipstick reproduce jack-plane/c -o figures
out_has '^  \(c\) midpoint +[0-9]{4,} +[0-9]{4,} .*\(2495\.6\)'
out_has '^  \(c\) midpoint_stabilised +60 +3 .*\(64\.84\)'
have_file figures/jack-plane-c-start.svg
have_file figures/jack-plane-c-periodic.svg
expect 0 slipstick reproduce jack-plane/widths -o figures
out_has '^  Coulomb +0\.77487871'
expect 0 slipstick reproduce disk-on-belt/attractors -o figures
out_has '^    event +4\.980000 +131\.1307113 +1 +1$'
out_has '^    smooth, epsilon = 1e-5 +4\.980011 +13\.762700 +131\.139579[567] '
out_has '^    event +2\.700000 +901\.20128[0-9]* +11 +11$'
out_has "eta'\(2\.7\) = 6\.708519, and 6\.7627 belongs to eta = 2\.717426"
out_has 'steady sliding instead: x = 18\.0180180, phi = -15\.3153153'
have_file figures/disk-on-belt-attractors.png
expect 0 slipstick reproduce one-point-statics/line -o figures
out_has 'LP +slip-, stick +-(2|1\.99999999999)[0-9]* +-2 '
have_file figures/one-point-line/path.png
expect 0 slipstick reproduce two-blocks/B -o figures
out_has 'fold at F = 4\.3918179[0-9]*: joint\[5\], open to slip\+'
out_has 'fold at F = 3\.6564144[0-9]*: joint\[4\], slip\+ to stick'
out_has 'leaves its loads open'
have_file figures/two-blocks-B.png
expect 1 slipstick reproduce jack-plane/d
err_has 'expected one of `a`, `b`, `c`, `widths`'
expect 4 slipstick reproduce elliptic -o /dev/null/x

# ---- The solver cannot go on: exit code 3, and what was computed is kept.
enter solver
sed 's/^  x: .*/  x: sqrt(20 - t)/' "$source/examples/oscillator.yaml" >domain.yaml
expect 3 slipstick run domain.yaml --no-plot
err_has '^slipstick: .*20'
out_has 'What was computed until then is in domain.run'
have_file domain.run/summary.json
have_file domain.run/result.h5
expect 0 slipstick export domain.run --format csv

# ---- Input and output: exit code 4.
enter io
cp "$source/examples/oscillator.yaml" .
touch file
expect 4 slipstick run oscillator.yaml -o file
err_has 'slipstick: .*file'
expect 4 slipstick run oscillator.yaml -o file/folder
expect 4 slipstick run oscillator.yaml -o /proc/nowhere/folder
expect 4 slipstick run oscillator.yaml -o ''
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod a-w locked
    expect 4 slipstick run oscillator.yaml -o locked/folder
fi
expect 0 slipstick run oscillator.yaml --no-plot -o deep/er/folder
have_file deep/er/folder/summary.json
expect 0 slipstick export deep/er/folder --format csv -o deep/est/of/all.csv
have_file deep/est/of/all.csv
expect 4 slipstick export deep/er/folder --format csv -o file/all.csv
cat >gears.yaml <<'END'
slipstick: 1
gears:
  g: {teeth: 12, module: 0.005, width: 0.02, bore: 0.03, profile_shift: 0.5, modes: 2,
      mesh: {flank: 3, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}}
END
for word in mesh modes reduce; do
    expect 0 slipstick gear $word gears.yaml -o deep/gear/$word --no-plot
done
have_file deep/gear/mesh/g.vtu
have_file deep/gear/modes/modes.csv
have_file deep/gear/reduce/g.h5
expect 4 slipstick gear mesh gears.yaml -o file/gear
expect 0 slipstick statics "$source/examples/one-point.yaml" -q -o deep/statics/a
have_file deep/statics/a/solutions.json
expect 0 slipstick statics "$source/examples/one-point.yaml" -q --map fn=-1:1,ft=-3:3 --points 3 -o deep/map/a
expect 0 slipstick continue "$source/examples/two-blocks.yaml" -q --no-plot -o deep/continue/a
have_file deep/continue/a/path.csv
expect 0 slipstick patch "$source/examples/disk-on-belt.yaml" -o deep/patch/a
expect 4 bash -c 'slipstick laws >/dev/full'
err_has 'cannot write to standard output'
expect 4 bash -c 'slipstick help >/dev/full'
expect 4 bash -c 'slipstick version >&-'
expect 4 bash -c 'slipstick run oscillator.yaml --no-plot -o closed >&-'
expect 0 slipstick export closed --format csv # closed streams do not leak into the files
expect 0 bash -c 'set -o pipefail; slipstick laws | head -1'
err_is_empty
expect 0 bash -c 'set -o pipefail; slipstick run oscillator.yaml --no-plot -o piped | true'
err_is_empty
have_file piped/summary.json

# A disk that is full while a folder is written again: the earlier result stays as it was, all of it. A limit
# on the size of files stands for the disk.
full_disk() { # KILOBYTES COMMAND...
    trap "" XFSZ
    ulimit -f "$1"
    shift
    "$@"
}
keeps_folder() { # FOLDER KILOBYTES COMMAND...: fails with the folder as it was
    local folder=$1
    shift
    rm -rf before && cp -r "$folder" before
    expect 4 bash -c "$(declare -f full_disk); full_disk $*"
    err_has "cannot write $folder/[a-z0-9.-]+: File too large"
    checks=$((checks + 1))
    diff -r before "$folder" >"$work/out" || fail "the folder was changed"
}
expect 0 slipstick run oscillator.yaml -o again
keeps_folder again 8 slipstick run oscillator.yaml -o again --no-plot --set mu=0.2
expect 0 slipstick run oscillator.yaml --no-plot -q -o again --set mu=0.2
have_no again/history.png
expect 0 slipstick new blocks --template two-blocks
expect 0 slipstick statics blocks.yaml -q -o states
keeps_folder states 40 slipstick statics blocks.yaml -q -o states --set F=0.1
expect 0 slipstick continue blocks.yaml -q -o paths
keeps_folder paths 40 slipstick continue blocks.yaml -q -o paths --set "bodies.upper.material.young=22000"

# A run that takes hours.
write_long() {
    sed 's/time: \[0, 60\]/time: [0, 1e9]/; s/every: 0.02/every: 10/' "$source/examples/oscillator.yaml" \
        >long.yaml
}

# ---- Ctrl-C: exit code 130, and what was computed is kept.
enter interrupt
write_long
# --foreground: otherwise timeout sends the signal to the group too, and the second one kills.
# On a busy machine the program may need long to get going: as long as ten short runs is long enough.
began=$(date +%s%N)
slipstick run "$source/examples/oscillator.yaml" --no-plot -q -o short >/dev/null
patience=$((2 + ($(date +%s%N) - began) / 100000000))
expect 130 timeout --foreground --preserve-status -s INT "$patience" slipstick run long.yaml
err_has '^slipstick: .*interrupt'
out_has 'What was computed until then is in long.run'
have_file long.run/summary.json
expect 0 slipstick export long.run --format csv
# What a batch system sends before it kills does the same.
expect 130 timeout --foreground --preserve-status "$patience" slipstick run long.yaml --no-plot -o ended
have_file ended/summary.json
# Started with SIGINT ignored (as nohup does), the program leaves it so; killed, it leaves no half results.
expect 137 bash -c 'trap "" INT
    slipstick run long.yaml -q -o ignored &
    sleep '"$patience"'; kill -INT $!; sleep 1; kill -KILL $!; wait $!'
have_no ignored/result.h5

# ---- A terminal gets progress, and it is cleared at the end.
if command -v script >/dev/null; then
    enter terminal
    write_long
    TERM=xterm timeout 60 script -qec "timeout --foreground -s INT $patience slipstick run long.yaml >out.txt" \
        typescript >/dev/null 2>&1 </dev/null
    command="run in a terminal"
    grep -qE 'run +(\[[#-]+\] +)?[0-9]+%  t = ' typescript || fail "no progress on a terminal"
    grep -q '%  t = ' out.txt && fail "progress on stdout"
    TERM=xterm timeout 60 script -qec 'timeout --foreground -s INT 1 slipstick run long.yaml -q' typescript \
        >/dev/null 2>&1 </dev/null
    grep -q '%  t = ' typescript && fail "progress in spite of --quiet"
    TERM=dumb timeout 60 script -qec 'timeout --foreground -s INT 1 slipstick run long.yaml' typescript \
        >/dev/null 2>&1 </dev/null
    grep -q '%  t = ' typescript && fail "progress on a dumb terminal"
    checks=$((checks + 4))
fi

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" -eq 0 ]
