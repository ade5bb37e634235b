#!/usr/bin/env bash
# Every example checks and, unless it is for statics, runs.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter examples
for file in "$source"/examples/*.yaml; do
    expect 0 slipstick check "$file"
    if grep -q '^bodies:' "$file" && ! grep -q '^simulate:' "$file"; then # for statics
        expect 2 slipstick run "$file" --no-plot
        err_has 'a model of elastic bodies is for statics'
        continue
    fi
    case "$file" in # help_gear_cycle.sh, help_gear.sh and test_records run these, which take long
    *-cycle.yaml | *-impact.yaml | */solid-pad.yaml | */detachment-waves.yaml | */idler.yaml | */drivetrain.yaml) continue ;;
    esac
    if grep -q '^gears:' "$file" && ! grep -q '^simulate:' "$file"; then # for `gear mesh` and its like
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

finish
