#!/usr/bin/env bash
# The commands of the walk-through work.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter walk-through
while IFS= read -r line; do
    expect 0 bash -c "$line"
done < <(sed -n '/^```sh run$/,/^```$/ { /^```/d; p }' "$source/docs/getting-started.md")
have_file first.run/summary.json

finish
