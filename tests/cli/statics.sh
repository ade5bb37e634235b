#!/usr/bin/env bash
# Static solutions and paths: statics, continue.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter statics
expect 0 slipstick new point --template one-point
expect 0 slipstick check point.yaml
out_has '^continue +ft from -4 to 4$'
out_has '^initial +a static solution, at rest$'
expect 0 slipstick statics point.yaml
err_is_empty
out_has '^3 static solutions; every set of modes was tried: there are no others$'
out_has '^ +plane +slip- +0\.5 +1 +0 +-0\.5$'
have_file point.statics/solutions.json
have_file point.statics/model.yaml
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
grep -qE '^1,2,EP,(1|0\.99999999999[0-9]*|1\.00000000000[0-9]*),,,infinity$' pole.path/labels.csv || fail "the pole in labels.csv"
expect 1 slipstick continue pole.yaml --from 2 -o more.run
err_has 'at label 2 the path goes to infinity'
expect 0 slipstick statics point.yaml --map fn=-1:1,ft=-3:3 --points 11 -o map.run
have_file map.run/counts.csv
have_file map.run/counts.png
expect 1 slipstick statics point.yaml --map fn=-1:1
err_has 'expected two parameters with their ranges'
expect 1 slipstick statics point.yaml --map fm=-1:1,ft=-3:3
err_has 'the model has no parameter `fm`'
expect 0 slipstick continue point.yaml
out_has '^ +1 +2 +LP +-1\.2[0-9]* +plane: open to slip-$'
have_file point.path/path.csv
have_file point.path/result.h5
have_file point.path/path.png
head -1 point.path/labels.csv | grep -qx 'branch,label,type,value,contact,from,to' || fail "the head of labels.csv"
head -1 point.path/path.csv | grep -q '^branch,value,' || fail "the head of path.csv"
expect 0 slipstick continue point.yaml --from 3 -p F -r 0:3 -o more.run --no-plot
out_has 'paths? over F'
have_no more.run/path.png
# one model file, one folder: a run does not take away what the path needs, nor the other way round
expect 0 slipstick run point.yaml -q --no-plot
expect 0 slipstick continue point.yaml --from 3 -p F -r 0:3 -o more.run --no-plot
expect 0 slipstick plot point.path
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
[ "$(grep -c ',MC,' blocks.path/labels.csv)" -eq 36 ] || fail "load A has 36 changes of modes"
expect 0 slipstick statics blocks.yaml -q
have_file blocks.statics/solution-1.vtu
have_file blocks.statics/solution-1.png
# plot and export take what these verbs have left.
expect 0 slipstick statics blocks.yaml -q --no-plot -o solutions
expect 0 slipstick continue blocks.yaml -q --no-plot --restarts 0 -o path
for folder in solutions path map.run; do
    expect 0 slipstick plot $folder
    out_has '\.png$'
    expect 0 slipstick export $folder --format csv
    expect 0 slipstick export $folder --format mat
    have_file $folder/result.mat
done
head -1 solutions/result.csv | grep -q '^stability,continuum,joint\[1\].normal,' || fail "the head of the solutions"
expect 0 slipstick export solutions --format vtu -o bodies
have_file bodies/solution-1.vtu
expect 1 slipstick export path --format vtu
err_has 'is for results with bodies'
expect 1 slipstick plot map.run --from 1
err_has 'holds nothing over time'
expect 1 slipstick plot solutions --quantity x
err_has 'which only paths'
expect 0 slipstick plot path --quantity 'joint[20].gap' --from 1 --to 2
expect 1 slipstick plot path --from 1e9
err_has 'there is no point of the paths from 1e'
# A new result replaces the one before, of whatever kind, with what was made of it; what is not ours stays.
echo mine >solutions/mine
expect 0 slipstick run point.yaml -q --no-plot -o solutions
for file in solutions.json solution-1.png solution-1.vtu result.csv; do have_no solutions/$file; done
have_file solutions/events.csv
have_file solutions/mine
expect 0 slipstick statics "$source/examples/stick-slip-belt.yaml" --no-plot # steady sliding: mu N/k
out_has '^    x  *0.3$'
out_has '^    belt  *slip- '
expect 2 slipstick statics "$source/examples/pid-hunting.yaml"
err_has 'statics knows'
expect 0 slipstick run point.yaml --no-plot
[ "$(wc -l <point.run/events.csv)" -eq 1 ] || fail "a run from a static solution has events"

finish
