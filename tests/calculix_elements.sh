#!/usr/bin/env bash
# Static displacements of each type of element, and natural frequencies held and free, against CalculiX (Debian's calculix-ccx),
# run anew: 1e-6 of the largest.
# Slow to install, quick to run; `scripts/test --all` runs it. With a second argument the numbers are kept in that file:
#   tests/calculix_elements.sh PROGRAM [tests/calculix_elements.dat]
set -euo pipefail
program=$(realpath "$1")
keep=${2:+$(realpath "$2")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$program" write .
for input in *.inp; do
    name=${input%.inp}
    OMP_NUM_THREADS=1 ccx "$name" >ccx.log 2>&1 || { tail -20 ccx.log; exit 1; }
    case $name in
    *+*) awk -v name="$name" 'NF == 5 && $1 ~ /^[0-9]+$/ { print name, $1, $2, $3, $4 }' "$name.dat" ;;
    *) awk -v name="$name" 'NF == 4 && $1 ~ /^[0-9]+$/ { print name, $0 }' "$name.dat" ;;
    esac
done | tr -s ' ' >numbers.dat
"$program" numbers.dat
if [ -n "$keep" ]; then cp numbers.dat "$keep"; fi
