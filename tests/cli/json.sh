#!/usr/bin/env bash
# --json, --quiet and standard input: the same for every verb that computes.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# Strings to S, numbers and words to V, then pairs to P, and lists and objects to V, until nothing changes (RFC 8259).
is_json() {
    local left
    left=$(tr '\n' ' ' <"$1" | sed -E 's/"([^"\\]|\\["\\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/S/g
        s/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null/V/g
        s/[[:space:]]//g
        :again
        s/S:[VS]/P/g
        s/\{(P(,P)*)?\}|\[([VS](,[VS])*)?\]/V/g
        t again')
    [ "$left" = V ]
}
# json NAME COMMAND...: its stdout is one JSON value and nothing else; the same with -q prints nothing.
json() {
    local name=$1
    shift
    expect 0 "$@" --json
    err_is_empty
    is_json "$work/out" || fail "$name: stdout is no JSON"
    cp "$work/out" "$name.json"
    expect 0 "$@" -q
    out_is_empty
    err_is_empty
}

enter validator # the checks above can fail
for text in '{"a": 1,}' '{"a" 1}' '[1 2]' '{"a": 01}' '"a' '{"a": nan}' '{} {}' '' '{"a": "\q"}' '[1, 2'; do
    printf '%s' "$text" >text
    checks=$((checks + 1))
    is_json text && fail "taken for JSON: $text"
done
printf '%s' '{"a": [1, -2.5e-3, {"b\"": null}], "c": {}, "d": [], "e": "\u00e9"}' >text
is_json text || fail "not taken for JSON: $(cat text)"

enter json
cp "$source"/examples/{oscillator,one-point,two-blocks,disk-on-belt,gear-impact,gear-pair}.yaml .
json check slipstick check oscillator.yaml
json check-gears slipstick check gear-pair.yaml
json run slipstick run oscillator.yaml --no-plot
cmp -s run.json oscillator.run/summary.json && fail "the second run, -q, left no summary of its own"
sed '/wall_seconds/d' run.json >a
sed '/wall_seconds/d' oscillator.run/summary.json | cmp -s - a || fail "run --json is not summary.json"
expect 0 slipstick run oscillator.yaml -o drawn --json
is_json "$work/out" || fail "run with pictures: stdout is no JSON"
json plot slipstick plot oscillator.run
grep -q '"oscillator.run/history.png"' plot.json || fail "plot --json lacks a file"
json export slipstick export oscillator.run --format csv
json compare slipstick compare oscillator.yaml --methods event,smooth
grep -q '"method": "smooth"' compare.json || fail "compare --json lacks a method"
json statics slipstick statics two-blocks.yaml --no-plot
cmp -s statics.json two-blocks.statics/summary.json || fail "statics --json is not summary.json"
json map slipstick statics one-point.yaml --map fn=-1:1,ft=-3:3 --points 3 -o map
json continue slipstick continue one-point.yaml --no-plot
[ "$(grep -c '"type": "LP"' continue.json)" -eq 2 ] || fail "continue --json lacks the two folds"
json patch slipstick patch disk-on-belt.yaml
grep -q '"c_2,0,0": 0.25' patch.json || fail "patch --json lacks a moment of the disc"
expect 0 slipstick patch --area disc --order 0,1 --json
is_json "$work/out" || fail "patch --area: stdout is no JSON"
json list slipstick reproduce --list
json reproduce slipstick reproduce one-point-statics/line
cat >pair.yaml <<'END'
slipstick: 1
gears:
  pinion: {teeth: 12, module: 0.005, width: 0.02, bore: 0.03, profile_shift: 0.5, modes: 8, speed: 5,
           mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 2, width: 2}}
  wheel: {teeth: 18, module: 0.005, width: 0.02, bore: 0.05, modes: 6,
          mesh: {flank: 4, fillet: 1, thickness: 2, root: 2, rim: 2, width: 2}}
flanks: {penalty: 1e9}
simulate: {time: [0, 1e-4], samples: 200}
END
json mesh slipstick gear mesh pair.yaml --no-plot
json modes slipstick gear modes pair.yaml --no-plot
grep -q '"frequency_hz": ' modes.json || fail "gear modes --json lacks frequencies"
json reduce slipstick gear reduce pair.yaml
json gear-run slipstick gear run pair.yaml --no-plot
grep -q '"peak_force": ' gear-run.json || fail "gear run --json lacks the force"
json cycle slipstick gear cycle pair.yaml --no-plot --torque 20 --points 4
cmp -s cycle.json pair.cycle/summary.json || fail "gear cycle --json is not summary.json"
expect 3 slipstick gear select pair.yaml --tolerance 1e-6 --json # too few modes
is_json "$work/out" || fail "gear select: stdout is no JSON"
grep -q '"runs": ' "$work/out" || fail "gear select --json lacks its runs"

# ---- Errors go to stderr, and the JSON that was begun is ended.
expect 3 slipstick compare oscillator.yaml --methods event,moreau --json
is_json "$work/out" || fail "compare --json is no JSON where a method failed"
grep -q '"message": ' "$work/out" || fail "compare --json lacks the message of a method that failed"
expect 2 slipstick run oscillator.yaml --set mu=-1 --json
out_is_empty
err_has 'oscillator.yaml:.*mu'
expect 2 slipstick check oscillator.yaml --set mu=-1 -q
err_has 'mu'
expect 1 slipstick version --json
err_has 'unknown option `--json`'
if [ -c /dev/full ]; then
    full() { "$@" --json >/dev/full; }
    expect 4 full slipstick check oscillator.yaml
    err_has 'cannot write to standard output'
fi

# ---- Standard input in place of a file; files that it names are beside the current directory.
enter input
cp "$source"/examples/{oscillator,one-point,disk-on-belt,gear-impact}.yaml .
from() { "${@:2}" <"$1"; } # FILE COMMAND...
expect 0 from oscillator.yaml slipstick check -
slipstick check oscillator.yaml | cmp -s - "$work/out" || fail "check - says something else"
expect 0 from oscillator.yaml slipstick run - --no-plot --set mu=0.2
have_file stdin.run/summary.json
grep -q 'mu: 0.2' stdin.run/model.yaml || fail "model.yaml lacks the override"
expect 0 from oscillator.yaml slipstick run --no-plot -o named -
have_file named/summary.json
expect 0 from oscillator.yaml slipstick compare - -m event,smooth
expect 0 from one-point.yaml slipstick statics - -o states --no-plot
have_file states/solutions.json
expect 0 from one-point.yaml slipstick continue - -o paths --no-plot
have_file paths/path.csv
expect 0 from disk-on-belt.yaml slipstick patch - -q
have_file stdin.patch/pad-moments.csv
expect 0 from gear-impact.yaml slipstick gear mesh - --no-plot
have_file stdin.run/pinion.vtu
sed 's/stiffness:/stifness:/' oscillator.yaml >wrong.yaml
expect 2 from wrong.yaml slipstick check -
err_has '^<stdin>:30:1: unknown key `stifness`'
expect 2 from /dev/null slipstick run -
err_has '<stdin>:1:1: the file is empty'
printf 'slipstick: 1\0\n' >zero.yaml
expect 2 from zero.yaml slipstick check -
err_has 'found byte 0x00'

finish
