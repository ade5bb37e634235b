#!/usr/bin/env bash
# Model files: new and check.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# ---- new
enter new
expect 0 slipstick new --list
for file in "$source"/examples/*.yaml; do
    out_has "^  $(basename "$file" .yaml) +[A-Z]"
done
expect 0 slipstick new belt
cmp -s belt.yaml "$source/examples/stick-slip-belt.yaml" || fail "new does not write the default template"
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

finish
