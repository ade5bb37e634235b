#!/usr/bin/env bash
# Two gears that hit each other, against CalculiX (Debian's calculix-ccx): explicit dynamics, C3D8 bricks, lumped
# mass, node to surface contact, 27,306 unknowns. The wheel's speed after separation to 5 %, the contact time to
# 10 %. About five minutes of one core; `scripts/test --all` runs it.
#   tests/calculix_impact.sh HELPER      (build/release/tests/calculix_pair)
#
# The model in CalculiX 2.20: each bore is a *RIGID BODY whose reference node is held and whose rotation node turns
# about z only; all nodes of the pinion and its rotation node start with 5 rad/s; the pinion's flank is the slave;
# pressure over depth is linear, with the slope of the penalty here over a facet's area. ALPHA=0 takes the damping
# of the time steps out. *NODE PRINT does not obey *TIME POINTS there, so every fifth increment is written.
# Speeds are angular momentum over moment of inertia, both with the masses of this program, since the bore itself
# trembles. Contact lasts while the wheel's momentum goes from 0.5 % to 99.5 % of its final value: CalculiX writes
# no contact forces for node to surface contact.
set -euo pipefail
helper=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$helper" write pair
OMP_NUM_THREADS=2 timeout 900 ccx pair >ccx.log 2>&1 || { tail -20 ccx.log; exit 1; }
"$helper" compare pair
