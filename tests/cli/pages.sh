#!/usr/bin/env bash
# The commands of the pages of docs/ work as a reader would type them: page by page, from top to bottom, in a folder of their
# own beside the examples.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

# Words for something of the reader's own, what goes on with an interrupted run, and machines that a test does not have.
own='FILE|DIR|NAME|VERB|FOLDER|\$SLURM|\[|cuda|mpirun|--resume|part\.\*|pressure\.csv'
# Gears and many motions take long, and other tests run them.
long='^slipstick gear|impact\.yaml|:10000|:4001|:300|:301|waves|backbone|polygon|--over mu=0.1:0.5:41|--report'
[ -z "${SLIPSTICK_TEST_ALL:-}" ] || long='^$'

# commands PAGE: its lines of code, indented or fenced, that begin with the program's name.
commands() {
    awk '/^```/ { fenced = !fenced } /^(    )?slipstick / && (fenced || /^    /) { sub(/^ +/, ""); print }' "$1" |
        grep -Ev "$own" | grep -Ev "$long"
}

for page in "$source"/docs/*.md; do
    name=$(basename "$page" .md)
    [ "$name" != getting-started ] || continue # walk_through.sh
    enter "$name"
    ln -s "$source/examples" examples
    case "$name" in clusters | model-files) expect 0 slipstick new belt ;; esac # of README
    while IFS= read -r line; do
        expect 0 bash -c "$line"
    done < <(commands "$page")
done

finish
