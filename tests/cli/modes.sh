#!/usr/bin/env bash
# Eigenmodes: modes, its folder, plot and export of it.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter modes
expect 0 slipstick new squeal --template squeal
expect 0 slipstick modes squeal.yaml --no-plot
err_has 'the state is no equilibrium' # it is disturbed a little
out_has '^ +2 +0\.226326[0-9]* +0\.107242[0-9]* +1\.42204'
out_has '^1 mode grows$'
have_file squeal.modes/summary.json
[ "$(head -1 squeal.modes/modes.csv)" = value,mode,frequency,real,imaginary,damping_ratio ] || fail "the columns of modes.csv"
[ "$(wc -l <squeal.modes/modes.csv)" -eq 3 ] || fail "the rows of modes.csv"
[ "$(head -1 squeal.modes/shapes.csv)" = value,mode,name,real,imaginary,participation ] || fail "the columns of shapes.csv"
grep -q '^nan,2,belt,slip-,' squeal.modes/contacts.csv || fail "what the contact does in contacts.csv"
expect 0 slipstick modes squeal.yaml --over mu=0:1.2:25 --set c1=0 --set c2=0 -q -o map
out_is_empty
have_file map/modes.png
grep -qE '^[12],1,FL,0\.(75|7499999999[0-9]*|7500000000[0-9]*),,stable,flutter$' map/labels.csv || fail "the flutter in labels.csv"
expect 0 slipstick plot map --from 0.5 --to 1
expect 0 slipstick export map --format csv
have_file map/result.csv
expect 1 slipstick export map --format vtu
expect 0 slipstick modes squeal.yaml --set vb=0 --no-plot # it sticks, and y is left
out_has '^ +1 +0\.'
# The commands of the page for brakes are about equilibria.
expect 0 slipstick new pad --template pad-on-belt
while IFS= read -r line; do
    expect 0 bash -c "${line%%#*} --no-plot"
    err_is_empty
done < <(grep '^slipstick modes' "$source/docs/for-brakes.md")
printf 'slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[4]]\ncontacts: {pad: {kind: friction, slip: "x'"'"'", law: {type: coulomb, mu: 1}}}\n' >held.yaml
expect 0 slipstick modes held.yaml --no-plot
out_has 'no motion is left'
expect 0 slipstick modes held.yaml --json --no-plot
out_has '"count": 0'
expect 1 slipstick modes squeal.yaml --over mu
err_has 'expected NAME=FROM:TO:COUNT'
expect 1 slipstick modes squeal.yaml --over mu=0:1:1
expect 1 slipstick modes squeal.yaml --over mu=0:1:5:6
expect 1 slipstick modes squeal.yaml --over mu=1:0:5
err_has 'the range of `mu` is empty'
expect 1 slipstick modes squeal.yaml --over nu=0:1:5
err_has '`mu`'
expect 1 slipstick modes squeal.yaml --about rests
err_has 'did you mean `rest`'
expect 2 slipstick modes "$source/examples/two-blocks.yaml"
expect 2 slipstick modes "$source/examples/gear-pair.yaml"
finish
