#!/usr/bin/env bash
# Runs a test and writes the processor time that it and its children took, in seconds, to a file; fails where the test
# does, or where it took more than the limit. Other work on the machine hardly changes that time.
#   tests/processor_time.sh LIMIT FILE COMMAND...
set -uo pipefail
limit=$1
file=$2
shift 2
mkdir -p "$(dirname "$file")"
TIMEFORMAT='%U %S'
{ time "$@" 2>&3; } 3>&2 2>"$file"
code=$?
seconds=$(awk 'END { printf "%.2f", $1 + $2 }' "$file")
echo "$seconds" >"$file"
if awk "BEGIN { exit !($seconds > $limit) }"; then
    echo "took $seconds s of processor time, expected at most $limit s: split the test, or let it do less" >&2
    exit 1
fi
exit "$code"
