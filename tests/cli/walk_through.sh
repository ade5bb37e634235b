#!/usr/bin/env bash
# The commands of the walk-through work.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# walk PAGE: each line of its blocks "sh run", as typed; what the gears of README do takes long, and other tests run them.
walk() {
    while IFS= read -r line; do
        expect 0 bash -c "$line"
    done < <(sed -n '/^```sh run$/,/^```$/ { /^```/d; /impact\|mesh/d; p }' "$1")
}

enter walk-through
walk "$source/docs/getting-started.md"
have_file first.run/summary.json
# The first example sticks truly: it is released where k x + c vb = static_ratio mu N, at t = (0.48 - 0.004)/0.2, and
# while it sticks its velocity is that of the belt to the last digit.
[ "$(sed -n '2 s/,.*//p' first.run/events.csv | awk '{ print ($1 - 2.38)^2 < 1e-24 }')" = 1 ] || fail "the first release"
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["belt.mode"] == 1 { held++; wrong += $at["x\047"] != 0.2 || $at["belt.slip"] != 0 }
    END { print (held > 500 && wrong == 0) }' first.run/result.csv)" = 1 ] || fail "the block does not stick"
# README has the same model, and its commands work.
sed -n '/^```yaml$/,/^```$/ { /^```/d; p }' "$source/README.md" >readme.yaml
expect 0 slipstick run readme.yaml --no-plot --json
out_has '"stick>slip-": 9'
expect 0 slipstick new belt
walk "$source/README.md"
have_file belt.fit/parameters.csv

# Who types a page from top to bottom makes each of its model files once: `new` refuses to overwrite.
for page in "$source"/README.md "$source"/docs/*.md; do
    again=$(awk '$1 == "slipstick" && $2 == "new" && made[$3]++' "$page")
    checks=$((checks + 1))
    [ -z "$again" ] || fail "$page makes a file twice: $again"
done

finish
