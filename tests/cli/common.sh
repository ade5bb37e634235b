# shellcheck shell=bash
# What the tests of the command line program share. Each is one subject,
#   tests/cli/SUBJECT.sh PROGRAM SOURCE_DIR
# begins by sourcing this file and ends with `finish`, which fails where a check did or where there was none.
set -uo pipefail

program=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap break_off EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/slipstick"
# Pictures have a quarter of their width and height: most of the time of drawing goes into pixels, and what is drawn is the
# subject of test_plot.c and its like.
if gnuplot=$(command -v gnuplot); then
    cat >"$work/bin/gnuplot" <<END
#!/usr/bin/env bash
[ "\$1" = -d ] || exec "$gnuplot" "\$@"
exec "$gnuplot" -d <(sed -E 's/(pngcairo [a-z ]*size )([0-9]+),([0-9]+)/\1(\2\/4),(\3\/4)/' "\$2")
END
    chmod +x "$work/bin/gnuplot"
fi
export PATH="$work/bin:$PATH"
export LC_ALL=C.UTF-8
unset TERM
checks=0
failures=0
# shellcheck disable=SC2034 # for those who source this
verbs="new check run compare statics continue modes sweep basin merge bifurcation orbit branch lyapunov fit plot export report fmu laws patch gear reproduce help version"

clean_up() {
    chmod -R u+w "$work"
    rm -rf "$work"
}

# The last line of every test: without it a script that breaks off would pass.
finish() {
    printf '%d checks, %d failures\n' "$checks" "$failures"
    clean_up
    trap - EXIT
    [ "$failures" -eq 0 ] && [ "$checks" -gt 0 ]
    exit
}

break_off() {
    clean_up
    printf 'the test broke off after %d checks\n' "$checks"
    exit 1
}

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$1"
    if [ -n "${command:-}" ]; then
        printf '  command: %s\n  exit code: %s\n' "$command" "$code"
        sed 's/^/  stdout: /' "$work/out" | head -20
        sed 's/^/  stderr: /' "$work/err" | head -20
    fi
}

# expect CODE COMMAND...: runs it, keeps its output for the checks that follow.
expect() {
    local wanted=$1
    shift
    command="$*"
    "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    checks=$((checks + 1))
    [ "$code" -eq "$wanted" ] || fail "expected exit code $wanted"
}
out_has() {
    checks=$((checks + 1))
    grep -qE -e "$1" "$work/out" || fail "stdout lacks: $1"
}
err_has() {
    checks=$((checks + 1))
    grep -qE -e "$1" "$work/err" || fail "stderr lacks: $1"
}
err_is_empty() {
    checks=$((checks + 1))
    [ ! -s "$work/err" ] || fail "stderr should be empty"
}
out_is_empty() {
    checks=$((checks + 1))
    [ ! -s "$work/out" ] || fail "stdout should be empty"
}
have_file() {
    checks=$((checks + 1))
    [ -s "$1" ] || fail "no file $1"
}
have_no() {
    checks=$((checks + 1))
    [ ! -e "$1" ] || fail "$1 should not be there"
}
# A fresh current directory for each part.
enter() {
    mkdir "$work/$1"
    cd "$work/$1" || exit 1
}

# run_examples VERB FILTER...: the commands under "Example:" of its help text that the filter lets through, as typed.
run_examples() {
    local line
    enter "example-$1"
    slipstick help "$1" >help.txt
    while IFS= read -r line; do
        expect 0 bash -c "$line"
    done < <(sed -n '/^Example:$/,$ s/^    //p' help.txt | "${@:2}")
}

# A run that takes hours.
write_long() {
    sed 's/time: \[0, 60\]/time: [0, 1e9]/; s/every: 0.02/every: 10/' "$source/examples/oscillator.yaml" \
        >long.yaml
}

# No waiting for a number of seconds: on a busy machine none is long enough, on a quiet one they are all wasted.
until_holds() { # COMMAND...: waits for it, ten minutes at most
    for ((turn = 0; turn < 6000; turn++)); do
        "$@" && return 0
        sleep 0.1
    done
    fail "ten minutes without: $*"
}
