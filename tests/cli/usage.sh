#!/usr/bin/env bash
# Help, version, and what is said about mistakes.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter usage
expect 0 slipstick help
for verb in $verbs; do
    out_has "^  $verb "
done
out_has '130  interrupted'
cp "$work/out" help.txt
expect 0 slipstick --help
cmp -s "$work/out" help.txt || fail "help and --help differ"
expect 0 slipstick -h
expect 1 slipstick
out_is_empty
err_has 'Usage'
version=$(slipstick --version)
for word in -V version; do
    expect 0 slipstick $word
    out_has "^slipstick [0-9]+\.[0-9]+\.[0-9]+$"
    [ "$version" = "$(cat "$work/out")" ] || fail "two versions"
done
for verb in $verbs; do
    expect 0 slipstick help "$verb"
    out_has "^Usage: slipstick $verb"
    out_has '^Example:'
    err_is_empty
    cp "$work/out" help.txt
    expect 0 slipstick "$verb" --help
    cmp -s "$work/out" help.txt || fail "help $verb and $verb --help differ"
done
expect 0 slipstick run nowhere.yaml -h
out_has 'Usage: slipstick run'
expect 1 slipstick rnu
err_has 'slipstick: unknown verb `rnu`; did you mean `run`'
out_is_empty
expect 1 slipstick help chek
err_has 'did you mean .*check'
expect 1 slipstick xyzzy
err_has 'unknown verb `xyzzy`$'
touch model.yaml
expect 1 slipstick model.yaml
err_has 'did you mean `slipstick run model.yaml`'
for name in model model.yml; do
    expect 4 slipstick run "$name"
    err_has 'did you mean `model.yaml`'
done
rm model.yaml
expect 4 slipstick run model
err_has 'model: cannot open: No such file or directory$'
expect 1 slipstick run a.yaml --time 5
err_has 'unknown option `--time`; fields of the model are set by `--set`'
expect 1 slipstick run
err_has 'run: FILE is missing'
err_has 'slipstick help run'
expect 1 slipstick check a.yaml b.yaml
err_has 'unexpected argument `b.yaml`'
expect 1 slipstick run a.yaml --outptu x
err_has 'unknown option `--outptu`; did you mean `--output`'
expect 1 slipstick run a.yaml -x
err_has 'unknown option `-x`'
expect 1 slipstick run a.yaml --set
err_has '`--set` needs a value'
expect 1 slipstick run a.yaml --quiet=yes
err_has '`--quiet` takes no value'
expect 1 slipstick plot a.run --from soon
err_has 'needs a number, not `soon`'
expect 1 slipstick plot a.run --from 2 --to=1
err_has 'must be larger'
expect 1 slipstick export a.run
err_has 'format is missing'
expect 1 slipstick version 3

finish
