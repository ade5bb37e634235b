#!/usr/bin/env bash
# Published examples: reproduce.
# shellcheck disable=SC2016 # the messages have names in backquotes
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"

enter reproduce
expect 0 slipstick reproduce --list
out_has 'elliptic'
out_has 'figures: D0.8 D0.4 D0.2 static$'
out_has 'figures: modal static .*animation table$'
out_has 'elliptic law study$'
for study in $(awk '$1 ~ /^[a-z-]+$/ { print $1 }' "$work/out"); do
    expect 0 slipstick reproduce "$study" --list
    out_has "^$study: [a-z]"
    out_has "^  $study/[A-Za-z0-9.]+ +[a-z]"
done
expect 0 slipstick reproduce gear-impact --list
out_has '^  gear-impact/participation +participation of residual modes'
[ "$(wc -l <"$work/out")" -eq 13 ] || fail "the number of figures of gear-impact"
out_has '^T\. Tamarozzi, P\. Ziegler, P\. Eberhard, W\. Desmet: Static modes switching in gear contact simulation, 2013$'
have_no reproduce
expect 1 slipstick reproduce nothing --list
err_has 'there is no published example `nothing`'
expect 1 slipstick reproduce eliptic
err_has 'elliptic'
have_no reproduce/elliptic
out_is_empty
expect 0 slipstick reproduce jack-plane/a -o figures
out_has '^jack-plane: V\. Janovsky: Numerical analysis of a lumped parameter friction model, 2015$'
out_has '^  \(a\) event +60 +\(60\) +3 '
have_file figures/jack-plane-a.png
have_file figures/jack-plane-a.run/summary.json
expect 0 slipstick reproduce jack-plane/c -o figures
out_has '^  \(c\) midpoint +[0-9]{4,} +[0-9]{4,} .*\(2495\.6\)'
out_has '^  \(c\) midpoint_stabilised +60 +3 .*\(64\.84\)'
have_file figures/jack-plane-c-start.svg
have_file figures/jack-plane-c-periodic.svg
expect 0 slipstick reproduce jack-plane/widths -o figures
out_has '^  Coulomb +0\.77487871'
expect 0 slipstick reproduce disk-on-belt/attractors -o figures
out_has '^    event +4\.980000 +131\.1307113 +1 +1$'
out_has '^    smooth, epsilon = 1e-5 +4\.980011 +13\.762700 +131\.139579[567] '
out_has '^    event +2\.700000 +901\.20128[0-9]* +11 +11$'
out_has "eta'\(2\.7\) = 6\.708519, and 6\.7627 belongs to eta = 2\.717426"
out_has 'steady sliding instead: x = 18\.0180180, phi = -15\.3153153'
have_file figures/disk-on-belt-attractors.png
expect 0 slipstick reproduce one-point-statics/line -o figures
out_has 'LP +slip-, stick +-(2|1\.99999999999)[0-9]* +-2 '
have_file figures/one-point-line/path.png
expect 0 slipstick reproduce two-blocks/B -o figures
out_has 'fold at F = 4\.3918179[0-9]*: joint\[5\], open to slip\+'
out_has 'fold at F = 3\.6564144[0-9]*: joint\[4\], slip\+ to stick'
out_has 'leaves its loads open'
have_file figures/two-blocks-B.png
expect 0 slipstick reproduce classical -o figures
out_has '^  den-hartog  first harmonic +1\.77953369398'
out_has '^  den-hartog  mu from which on it stops, w = 0\.7 +0\.72207097[56]'
out_has '^  impact      w at which it grazes the stop +1\.7298857457'
out_has '^  impact      w of the fold with one impact +1\.892979097660'
out_has '^  ball        least A of one bounce a period, r = 0\.8 +0\.34906585039'
out_has '^  ball        A of the first doubling +1\.0708364682'
out_has '^  belt        period of the stick-slip cycle, vb = 0\.6 +6\.758548507'
out_has '^  two-blocks  period of stick-slip of both, vb = 0\.5 +3\.677377642'
have_file figures/classical-ball-8/branch.csv
expect 1 slipstick reproduce jack-plane/d
err_has 'expected one of `a`, `b`, `c`, `widths`'
expect 4 slipstick reproduce elliptic -o /dev/null/x

finish
