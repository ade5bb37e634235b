#!/usr/bin/env bash
# The examples of `slipstick help gear` work as typed: those of its templates gear-pair and gear-impact.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

run_examples gear grep -E 'pair|impact'

finish
