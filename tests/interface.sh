#!/usr/bin/env bash
# The public headers as a user meets them: the map docs/c-interface.md names all that they declare and nothing else, each header
# stands alone, a mass on a spring needs no gears, and the library has all that they declare and nothing else.
#   tests/interface.sh SOURCE_DIR LIBRARY
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
exported=$(nm -D --defined-only "$2" | awk '$3 ~ /^(slip_|fmi3)/ {print $3}')
for name in $declared; do
    grep -qE "^$name(_fill)?\$" <<<"$exported" || grep -q "(\*$name)" include/slipstick/*.h ||
        complain "$name is declared and the library lacks it: its source must include the header, which makes it visible"
done
for name in $exported; do
    [[ $name == fmi3* ]] || grep -qw "${name%_fill}" <<<"$declared" || complain "the library exports $name, which no public header declares: drop SLIP_API"
done
for header in run simulation result statics sweep figure; do
    if echo "#include \"slipstick/$header.h\"" | "${CC:-cc}" -Iinclude -E -x c - | grep -q 'slip_gear_\|slip_reduced_mode'; then
        complain "slipstick/$header.h brings gears in"
    fi
done
exit $((failures > 0))
