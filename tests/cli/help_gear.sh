#!/usr/bin/env bash
# The examples of `slipstick help gear` work as typed: those of its templates gear-pair and gear-impact.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

run_examples gear grep -E 'pair|impact'
# The energy of the impact balances as that of every example does.
balance=$(sed -n 's/.*"balance": *\([-+.0-9e]*\).*/\1/p' impact.run/summary.json)
awk -v x="$balance" 'BEGIN { exit !(x != "" && x < 1e-6 && x > -1e-6) }' || fail "the energy balance is $balance"

finish
