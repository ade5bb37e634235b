#!/usr/bin/env bash
# The layout of all C files is that of clang-format by .clang-format. Other versions than Debian 12's differ in details: then this
# is skipped.
#   tests/format.sh SOURCE_DIR
set -euo pipefail
cd "$1"
version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$version" != 14 ]; then
    echo "skipped: found clang-format ${version:-none}, expected 14 (package clang-format)"
    exit 77
fi
mapfile -t files < <(git ls-files -co --exclude-standard '*.c' '*.h')
[ "${#files[@]}" -gt 900 ] || { echo "only ${#files[@]} files were found: the check itself is broken"; exit 1; }
wrong=$(printf '%s\n' "${files[@]}" | xargs -n 100 clang-format --dry-run 2>&1 | sed -n 's/^\([^:]*\):\([0-9]*\):.*warning.*/\1:\2/p' | sort -u -t: -k1,1)
[ -z "$wrong" ] || { printf '%s\n' "$wrong"; echo "the layout differs: run \`clang-format -i\` on these files"; exit 1; }
