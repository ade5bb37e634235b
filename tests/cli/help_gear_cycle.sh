#!/usr/bin/env bash
# The examples of `slipstick help gear` work as typed: those that help_gear.sh leaves.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

run_examples gear grep -vE 'pair|impact'

finish
