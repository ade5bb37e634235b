#!/usr/bin/env bash
# The page of a result: report, run --report, what they refuse. What a browser makes of it is the subject of tests/page.sh.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter report
expect 0 slipstick new first
expect 0 slipstick run first.yaml --no-plot
expect 4 slipstick report nowhere
err_has "nowhere"
expect 1 slipstick report
expect 1 slipstick report first.run other.run
if ! slipstick report first.run >"$work/out" 2>"$work/err"; then
    # A build without uPlot says what to do, and makes nothing.
    err_has "scripts/setup"
    [ ! -e first.run/report.html ] || fail "a page without curves"
    expect 0 slipstick run first.yaml --no-plot
    finish
fi
run_examples report cat
expect 0 slipstick report first.run --json
out_has '"first.run/report.html"'
expect 0 slipstick report first.run -q -o deep/er/page.html
have_file deep/er/page.html
# The page is of its result, and goes with it.
have_file first.run/report.html
grep -q '"title": "Stick-slip of a block on a belt"' first.run/report.html || fail "the title is missing"
expect 0 slipstick run first.yaml --no-plot
[ ! -e first.run/report.html ] || fail "the page of an earlier result is still there"
expect 0 slipstick run first.yaml --no-plot --report
out_has "first.run/report.html"
have_file first.run/report.html
# What looks like a tag in a title is text.
sed 's/^title:.*/title: <\/script><b>bold/' first.yaml >tag.yaml
expect 0 slipstick run tag.yaml --no-plot --report
grep -q '</script><b>' tag.run/report.html && fail "a title ends the script"
# A folder that cannot be written: an error of the disk, and nothing half.
mkdir closed && chmod 500 closed
if [ ! -w closed ]; then
    expect 4 slipstick report first.run -o closed/page.html
fi
# Every kind of result has a page: of bodies with frames, studies, areas.
expect 0 slipstick statics "$source/examples/two-blocks.yaml" --no-plot -q -o two.statics
expect 0 slipstick report two.statics
grep -q '"stress"' two.statics/report.html || fail "the bodies are missing"
expect 0 slipstick run "$source/examples/pad-on-belt.yaml" --no-plot -q -o pad.run
expect 0 slipstick report pad.run
grep -q '"still": true' pad.run/report.html || fail "the bodies in motion are missing"
expect 0 slipstick modes "$source/examples/squeal.yaml" --no-plot -q -o squeal.modes
expect 0 slipstick report squeal.modes
expect 0 slipstick sweep first.yaml --over vb=0.1:0.3:3 --collect max.x --no-plot -q -o first.sweep
expect 0 slipstick report first.sweep
expect 0 slipstick orbit "$source/examples/stick-slip-orbit.yaml" --no-plot -q -o belt.orbit
expect 0 slipstick report belt.orbit
expect 0 slipstick patch --area disc --no-plot -q -o disc.patch
expect 0 slipstick report disc.patch
grep -q '"surface"' disc.patch/report.html || fail "the limit surface is missing"
[ -z "$(find . -name '.report*')" ] || fail "a hidden folder is left"

finish
