#!/usr/bin/env bash
# The page of `slipstick report` in a browser: headless Chromium opens it, acts as a user does (page.js), and what it finds is held
# against the result. Without Chromium, or in a build without uPlot, it says so and is skipped.
#   tests/page.sh PROGRAM SOURCE_DIR
set -uo pipefail
program=$(realpath "$1")
source=$(realpath "$2")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "skipped: there is no chromium (scripts/setup --test installs it)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# open FOLDER: makes its page, opens it, leaves what page.js found in FOLDER.found, and in $took the milliseconds that it took
open() {
    local folder=$1 began
    "$program" report "$folder" >/dev/null || fail "report $folder"
    {
        sed '/<\/body>/,$d' "$folder/report.html"
        echo "<script>"
        cat "$source/tests/page.js"
        echo "</script></body></html>"
    } >"$folder.html"
    began=$(date +%s%3N)
    # A profile of its own, nothing from the network, and time that runs as fast as the page does.
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic \
        --no-first-run --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$work/profile" \
        --window-size=1200,1000 --virtual-time-budget=60000 --enable-logging=stderr --dump-dom "file://$PWD/$folder.html" \
        2>"$folder.log" | sed -n '/<pre id="found">/,/<\/pre>/p' | sed 's/<pre id="found">//; s/<\/pre>.*//; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >"$folder.found"
    took=$(($(date +%s%3N) - began))
    [ -s "$folder.found" ] || fail "$folder: the page did not come to its end: $(tail -3 "$folder.log")"
    ! grep -E 'CONSOLE.*(Error|error|Refused)' "$folder.log" || fail "$folder: errors in the console"
    ! grep '^failed' "$folder.found" || fail "$folder: the page failed"
    [ "$(found "$folder" errors)" = 0 ] || fail "$folder: the page shows an error"
    [ "$(found "$folder" described)" = true ] || fail "$folder: a chart has no text for those who cannot see it"
    [ "$(found "$folder" tables)" = true ] || fail "$folder: a table has no caption or no heads"
}
found() {
    sed -n "s/^$2 //p" "$1.found"
}
# expect FOLDER KEY PATTERN
expect() {
    [[ "$(found "$1" "$2")" == $3 ]] || fail "$1: $2: found \`$(found "$1" "$2")\`, expected \`$3\`"
}
# close A B TOLERANCE WHAT
close() {
    awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { exit !(a - b <= e && b - a <= e) }' || fail "$4: found $1, expected $2"
}
# The sums of page.js over all series, from the export; every one within the rounding of the page.
same_series() {
    "$program" export "$1" --format csv -o "$1.csv" >/dev/null
    awk -F, -v most="$2" 'NR == 1 { n = split($0, name, ","); next }
        { for (k = 1; k <= n; k++) { sum[k] += $k * (1 + (NR - 2) % 7); size[k] += ($k < 0 ? -$k : $k) * 7 } }
        END { for (k = 1; k <= n; k++) printf "%s %d %.12e %.3e\n", name[k], NR - 1, sum[k], size[k] * most + 1e-300 }' "$1.csv" >"$1.sums"
    found "$1" series >"$1.series"
    [ "$(wc -l <"$1.sums")" = "$(wc -l <"$1.series")" ] || fail "$1: not all series are in the page"
    paste -d' ' "$1.sums" "$1.series" | awk '{ d = $3 - $7; if (d < 0) d = -d; if ($1 != $5 || $2 != $6 || d > $4) print }' >"$1.wrong"
    [ ! -s "$1.wrong" ] || fail "$1: series differ: $(cat "$1.wrong")"
}

"$program" new belt >/dev/null
if ! "$program" run belt.yaml --no-plot -q -o belt.run --report 2>message; then
    grep -q "scripts/setup" message || fail "run --report: $(cat message)"
    [ "$failures" -gt 0 ] || { echo "skipped: the build has no uPlot (scripts/setup fetches it)"; exit 77; }
fi
# Nothing is loaded from anywhere.
! grep -Eo '(src|href)="[^"#]+"|@import|url\([^)]*\)' belt.run/report.html || fail "the page names other files"
open belt.run
short=$took
expect belt.run title "Stick-slip of a block on a belt"
expect belt.run headings "Time histories|Phase curves|Every series|Energy balance|Numbers|Tables|Model"
expect belt.run model "# slipstick *"
same_series belt.run 1e-13
# A drag over a quarter of the width shows a quarter of the time, in all linked charts; the pan moves it by as much.
read -r from to <<<"$(found belt.run span)"
read -r zoomed_from zoomed_to <<<"$(found belt.run zoomed)"
quarter=$(awk -v a="$from" -v b="$to" 'BEGIN { print (b - a) / 4 }')
near=$(awk -v q="$quarter" 'BEGIN { print q / 50 }')
close "$zoomed_from" "$(awk -v a="$from" -v q="$quarter" 'BEGIN { print a + q }')" "$near" "start of the zoom"
close "$zoomed_to" "$(awk -v a="$from" -v q="$quarter" 'BEGIN { print a + 2 * q }')" "$near" "end of the zoom"
read -r panned_from _ <<<"$(found belt.run panned)"
close "$panned_from" "$(awk -v a="$zoomed_from" -v q="$quarter" 'BEGIN { print a + q / 4 }')" "$near" "pan"
read -r wider_from wider_to <<<"$(found belt.run wider)"
close "$(awk -v a="$wider_from" -v b="$wider_to" 'BEGIN { print b - a }')" "$(awk -v q="$quarter" 'BEGIN { print q / 0.75 }')" "$near" "zoom by a key"
[ "$(found belt.run all)" = "$(found belt.run span)" ] || fail "a double click does not show all"
# Values under the pointer are those of the record.
record=$(found belt.run record)
read -r -a under <<<"$(found belt.run under | sed 's/−/-/g')"
values=$(sed -n "$((record + 2))p" belt.run.csv)
close "${under[0]%,*}" "${values%%,*}" 1e-5 "time under the pointer"
close "${under[0]#*,}" "$(cut -d, -f2 <<<"$values")" 1e-6 "x under the pointer"
close "${under[1]#*,}" "$(cut -d, -f3 <<<"$values")" 1e-6 "x' under the pointer"

# A million records: below 5 MB, and all of them are there, which takes long to look at and is left to scripts/test --all.
"$program" run belt.yaml --no-plot -q -o million.run --set 'simulate.time=[0, 1000]' --set simulate.record.every=0.001
"$program" report million.run >/dev/null
[ "$(stat -c %s million.run/report.html)" -lt 5000000 ] || fail "a million records take $(stat -c %s million.run/report.html) bytes"
if [ -n "${SLIPSTICK_TEST_ALL:-}" ]; then
    open million.run
    echo "a million records: $(stat -c %s million.run/report.html) bytes, $((took - short)) ms more than 6000 records"
    same_series million.run 1e-6
    awk '$2 < 1000000 { exit 1 }' million.run.series || fail "records are missing"
fi

# Studies, bodies, areas: all of them open, with their charts.
cp "$source/examples/impact-diagram.yaml" "$source/examples/two-blocks.yaml" .
"$program" bifurcation impact-diagram.yaml --over w=2.6:2.8:9 --no-plot -q -o stop.bifurcation
open stop.bifurcation
expect stop.bifurcation headings "Bifurcation diagram|*"
same_series stop.bifurcation 1e-13
"$program" basin belt.yaml --over x=-2:2:3 --over "x'=-2:2:3" --no-plot -q -o belt.basin
open belt.basin
expect belt.basin headings "Basins of attraction|*"
"$program" statics two-blocks.yaml --no-plot -q -o two.statics
open two.statics
expect two.statics scenes 1
"$program" patch --area disc --no-plot -q -o disc.patch
open disc.patch
expect disc.patch scenes "[1-9]*"
[ "$failures" -eq 0 ] && echo "the page is as it should be"
exit $((failures > 0))
