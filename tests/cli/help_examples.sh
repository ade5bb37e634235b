#!/usr/bin/env bash
# Every example of the help texts works as typed; those of `gear` are in help_gear.sh and help_gear_cycle.sh, that of
# `report` in report.sh.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

for verb in $verbs; do
    [ "$verb" = gear ] || [ "$verb" = report ] || run_examples "$verb" cat
done

finish
