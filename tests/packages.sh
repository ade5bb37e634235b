#!/usr/bin/env bash
# The Debian packages in an empty system, made with debootstrap: they install, run, and go without a trace. Needs root and the
# network; scripts/test --all runs it, and it is skipped where that cannot be.
#   tests/packages.sh FOLDER_WITH_PACKAGES
set -euo pipefail
packages=$(realpath "$1")
command -v debootstrap >/dev/null && [ "$(id -u)" -eq 0 ] || { echo "skipped: needs root and debootstrap"; exit 77; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mirror=$(grep -hoE '(https?|file|copy):[^ ]*debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1 | tr -d ' ' || true)
debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 || { tail -5 "$root.log"; echo "skipped: debootstrap cannot fetch a system"; exit 77; }
rm -f "$root.log"
cp /etc/apt/apt.conf.d/*prox* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive OPENBLAS_NUM_THREADS=1 "$@"
}
list() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./etc/ld.so.cache \) -prune -o -print | sort)
}
inside apt-get update -qq
# What the packages need first, so that only what is theirs is looked at afterwards.
needed=$(for file in "$packages"/*.deb; do dpkg-deb -f "$file" Depends; done | tr ',' '\n' | sed 's/^ *//; s/[ (|].*//' | grep -v slipstick | sort -u)
# shellcheck disable=SC2086 # one word a package
inside apt-get install -y -qq --no-install-recommends $needed >/dev/null
list >"$packages/before.txt"
mkdir "$root/tmp/packages"
cp "$packages"/*.deb "$root/tmp/packages"
inside sh -c 'apt-get install -y -qq --no-install-recommends /tmp/packages/*.deb >/dev/null'
inside sh -ec '
    cd /tmp
    slipstick version
    slipstick new belt
    slipstick run belt.yaml --no-plot -q
    test -s belt.run/events.csv
    slipstick report belt.run || slipstick report belt.run 2>&1 | grep scripts/setup
    slipstick run /usr/share/slipstick/examples/bouncing-ball.yaml --no-plot --json | grep -q accumulations
    python3 -c "import slipstick; print(slipstick.load(\"belt.yaml\").run(mu=0.4).number(\"max.x\"))"
    test -s /usr/share/man/man1/slipstick-run.1
    test -s /usr/share/bash-completion/completions/slipstick
    test -s /usr/include/slipstick/slipstick.h
    test -L /usr/lib/libslipstick.so'
inside apt-get purge -y -qq $(basename -a "$packages"/*.deb | cut -d_ -f1) >/dev/null
list >"$packages/after.txt"
if ! diff "$packages/before.txt" "$packages/after.txt"; then
    echo "FAILED: the packages leave traces"
    exit 1
fi
echo "the packages install, run and go without a trace"
