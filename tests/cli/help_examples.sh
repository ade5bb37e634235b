#!/usr/bin/env bash
# Every example of the help texts works as typed.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

example_lines() { # the commands under "Example:"
    sed -n '/^Example:$/,$ s/^    //p' "$1"
}
for verb in $verbs; do
    enter "example-$verb"
    slipstick help "$verb" >help.txt
    while IFS= read -r line; do
        expect 0 bash -c "$line"
    done < <(example_lines help.txt)
done

finish
