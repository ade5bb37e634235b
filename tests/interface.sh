#!/usr/bin/env bash
# The public headers as a user meets them: the map docs/c-interface.md names all that they declare and nothing else, each header
# stands alone, and a mass on a spring needs no gears.
#   tests/interface.sh SOURCE_DIR
set -euo pipefail
cd "$1"
failures=0
complain() {
    echo "$1"
    failures=$((failures + 1))
}
map=docs/c-interface.md
declared=$(cat include/slipstick/*.h | tr '\n' ' ' | grep -oP 'SLIP_API[^;{]*?\bslip_\w+\(|SLIP_OPTIONS_DEFAULT\(slip_\w+\)|typedef [^;{]*?\(\*slip_\w+\)' |
    grep -oP 'slip_\w+(?=[()]$)' | sort -u)
[ "$(wc -w <<<"$declared")" -gt 200 ] || complain "only $(wc -w <<<"$declared") names were found: the check itself is broken"
for name in $declared; do
    grep -q "\`$name\`" $map || complain "$map: lacks $name, which a header declares: add it where it belongs"
done
for name in $(grep -oP '`\Kslip_\w+(?=`)' $map | sort -u); do
    grep -qw "$name" include/slipstick/*.h || complain "$map: names $name, which no header has"
done
for header in include/slipstick/*.h; do
    grep -q "(../$header)" $map docs/c-api.md || complain "$map: lacks a link to $header"
    echo "#include \"${header#include/}\"" | "${CC:-cc}" -std=c17 -Wall -Wextra -Werror -fsyntax-only -Iinclude -x c - || complain "$header does not stand alone"
done
for header in run simulation result statics sweep figure; do
    if echo "#include \"slipstick/$header.h\"" | "${CC:-cc}" -Iinclude -E -x c - | grep -q 'slip_gear_\|slip_reduced_mode'; then
        complain "slipstick/$header.h brings gears in"
    fi
done
exit $((failures > 0))
