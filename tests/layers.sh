#!/usr/bin/env bash
# Arrows point down only: a folder of src/ includes from itself and from folders below it; an outside library is included by
# one file; the command line program, the published examples and slipstick-parallel see the public headers only; no call changes the process.
#   tests/layers.sh SOURCE_DIR
set -euo pipefail
cd "$1"
layers=(base io card math ode law patch contact system method statics fem flex gear result model simulation batch figure study fmi) # lowest first
failures=0
complain() {
    echo "$1"
    failures=$((failures + 1))
}
declare -A rank
for i in "${!layers[@]}"; do
    rank[${layers[$i]}]=$i
done
for folder in src/*/; do
    folder=$(basename "$folder")
    [ -n "${rank[$folder]:-}" ] || complain "the folder src/$folder is in no layer"
done
checked=0
while IFS=: read -r file included; do
    own=${file#src/}
    own=${own%%/*}
    included=${included#*\"}
    included=${included%\"}
    folder=${included%%/*}
    [ "$folder" = slipstick ] && continue
    checked=$((checked + 1))
    [ "${rank[$folder]:--1}" -le "${rank[$own]:--1}" ] || complain "$file: includes $included from a layer above"
done < <(grep -Eo '^#include "[^"]*"' src --include='*.[ch]' -r)
[ "$checked" -gt 100 ] || complain "only $checked inclusions were found: the check itself is broken"
for library in libfyaml.h hdf5.h matio.h lapacke.h cblas.h cvode/cvode.h suitesparse/cholmod.h zlib.h mpi.h omp.h; do
    files=$(grep -l "#include <$library>" -r src cli || true)
    [ "$(wc -w <<<"$files")" -eq 1 ] || complain "<$library> is included by ${files:-no file}, expected one file: call its functions (of omp.h: base/threads.h)"
done
# A library leaves the process as it is. BLAS has one number of threads for all: held and given back in one place; chdir is the child's.
process='(setlocale|setenv|putenv|unsetenv|chdir|signal|sigaction|umask|srand|atexit|exit|abort|setrlimit|fesetround|omp_set_num_threads|openblas_set_num_threads|goto_set_num_threads|H5Eset_auto)'
while IFS=: read -r file line call; do
    case "${file#src/} $call" in
    "math/columns.c openblas_set_num_threads("* | "io/gnuplot.c chdir("*) ;;
    *) complain "$file:$line: ${call%(} changes the process that the library is in: find another way, or leave it to the program" ;;
    esac
done < <(grep -noE "\b$process\(" -r src --include='*.[ch]')
for file in cli/*.[ch] cli/*/*.[ch] published/*.[ch] parallel/*.[ch]; do
    while read -r included; do
        [ -e "${file%%/*}/$included" ] || [[ "$included" == slipstick/* ]] || [ "$file: $included" = "cli/run/reproduce.c: published.h" ] ||
            complain "$file: includes $included, which is neither public nor in ${file%%/*}/"
    done < <(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file")
done
exit $((failures > 0))
