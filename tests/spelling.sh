#!/usr/bin/env bash
# Common misspellings in docs, examples, messages and comments, by codespell.
#   tests/spelling.sh SOURCE_DIR
set -euo pipefail
cd "$1"
if ! command -v codespell >/dev/null; then
    echo "skipped: there is no codespell (package codespell)"
    exit 77
fi
# Ours: statics; to and fro; the names Canudas de Wit, Numer. (Numerical), Commun. (Communications); nin, a number of inputs;
# ndoes, an example of a mistyped word.
known=statics,fro,wit,numer,commun,nin,ndoes
[ "$(echo 'seperate' | codespell - | wc -l)" -gt 0 ] || { echo "codespell finds no mistake in \`seperate\`: the check itself is broken"; exit 1; }
mapfile -t files < <(git ls-files -co --exclude-standard '*.md' '*.yaml' '*.ipynb' src cli include python report published parallel scripts)
codespell -L "$known" "${files[@]}" || { echo "mend these words, or add those that are ours to the list in tests/spelling.sh"; exit 1; }
