#!/usr/bin/env bash
# Input and output: exit code 4, and folders stay whole.
# shellcheck disable=SC2016,SC2317 # the messages have names in backquotes; functions are called by name
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter io
cp "$source/examples/oscillator.yaml" .
touch file
expect 4 slipstick run oscillator.yaml -o file
err_has 'slipstick: .*file'
expect 4 slipstick run oscillator.yaml -o file/folder
expect 4 slipstick run oscillator.yaml -o /proc/nowhere/folder
expect 4 slipstick run oscillator.yaml -o ''
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod a-w locked
    expect 4 slipstick run oscillator.yaml -o locked/folder
fi
expect 0 slipstick run oscillator.yaml --no-plot -o deep/er/folder
have_file deep/er/folder/summary.json
expect 0 slipstick export deep/er/folder --format csv -o deep/est/of/all.csv
have_file deep/est/of/all.csv
expect 4 slipstick export deep/er/folder --format csv -o file/all.csv
cat >gears.yaml <<'END'
slipstick: 1
gears:
  g: {teeth: 12, module: 0.005, width: 0.02, bore: 0.03, profile_shift: 0.5, modes: 2,
      mesh: {flank: 3, fillet: 1, thickness: 2, root: 2, rim: 1, width: 1}}
END
for word in mesh modes reduce; do
    expect 0 slipstick gear $word gears.yaml -o deep/gear/$word --no-plot
done
have_file deep/gear/mesh/g.vtu
have_file deep/gear/modes/modes.csv
have_file deep/gear/reduce/g.h5
expect 4 slipstick gear mesh gears.yaml -o file/gear
expect 0 slipstick statics "$source/examples/one-point.yaml" -q -o deep/statics/a
have_file deep/statics/a/solutions.json
expect 0 slipstick statics "$source/examples/one-point.yaml" -q --map fn=-1:1,ft=-3:3 --points 3 -o deep/map/a
expect 0 slipstick continue "$source/examples/two-blocks.yaml" -q --no-plot -o deep/continue/a
have_file deep/continue/a/path.csv
expect 0 slipstick patch "$source/examples/disk-on-belt.yaml" -o deep/patch/a
expect 4 bash -c 'slipstick laws >/dev/full'
err_has 'cannot write to standard output'
expect 4 bash -c 'slipstick help >/dev/full'
expect 4 bash -c 'slipstick version >&-'
expect 4 bash -c 'slipstick run oscillator.yaml --no-plot -o closed >&-'
expect 0 slipstick export closed --format csv # closed streams do not leak into the files
expect 0 bash -c 'set -o pipefail; slipstick laws | head -1'
err_is_empty
expect 0 bash -c 'set -o pipefail; slipstick run oscillator.yaml --no-plot -o piped | true'
err_is_empty
have_file piped/summary.json

# A disk that is full while a folder is written again: the earlier result stays as it was, all of it. A limit
# on the size of files stands for the disk.
full_disk() { # KILOBYTES COMMAND...
    trap "" XFSZ
    ulimit -f "$1"
    shift
    "$@"
}
keeps_folder() { # FOLDER KILOBYTES COMMAND...: fails with the folder as it was
    local folder=$1
    shift
    rm -rf before && cp -r "$folder" before
    expect 4 bash -c "$(declare -f full_disk); full_disk $*"
    err_has "cannot write $folder/[a-z0-9.-]+: File too large"
    checks=$((checks + 1))
    diff -r before "$folder" >"$work/out" || fail "the folder was changed"
}
expect 0 slipstick run oscillator.yaml -o again
keeps_folder again 8 slipstick run oscillator.yaml -o again --no-plot --set mu=0.2
expect 0 slipstick run oscillator.yaml --no-plot -q -o again --set mu=0.2
have_no again/history.png
expect 0 slipstick new blocks --template two-blocks
expect 0 slipstick statics blocks.yaml -q -o states
keeps_folder states 40 slipstick statics blocks.yaml -q -o states --set F=0.1
expect 0 slipstick continue blocks.yaml -q -o paths
keeps_folder paths 40 slipstick continue blocks.yaml -q -o paths --set "bodies.upper.material.young=22000"

finish
