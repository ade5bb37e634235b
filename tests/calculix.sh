#!/usr/bin/env bash
# The natural frequencies of a coarse gear against CalculiX (Debian's calculix-ccx) on the exported mesh: fully
# integrated bricks, 50 modes, to 1e-4 relative. Slow; `scripts/test --all` runs it.
#   tests/calculix.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >gear.yaml <<'END'
slipstick: 1
gears:
  pinion: {teeth: 18, module: 0.005, width: 0.038, bore: 0.05, profile_shift: 0.5, modes: 50, element: full,
           mesh: {flank: 8, fillet: 2, thickness: 4, root: 2, rim: 5, width: 4}}
END
"$program" gear mesh gear.yaml -o out --no-plot >/dev/null
"$program" gear modes gear.yaml -o out --no-plot --check >/dev/null
{
    cat out/pinion.inp
    cat <<'END'
*MATERIAL, NAME=STEEL
*ELASTIC
210e9, 0.3
*DENSITY
7850
*SOLID SECTION, ELSET=EVERYTHING, MATERIAL=STEEL
*BOUNDARY
bore, 1, 3
*STEP
*FREQUENCY
50
*END STEP
END
} >run.inp
count=$(awk -F, 'tolower($1) ~ /^\*element/ { on = 1; next } /^\*/ { on = 0 } on { n++ } END { print n }' run.inp)
sed -i "s/^\*MATERIAL, NAME=STEEL/*ELSET, ELSET=EVERYTHING, GENERATE\n1, $count\n&/" run.inp
OMP_NUM_THREADS=2 ccx run >ccx.log 2>&1 || { tail -20 ccx.log; exit 1; }
# MODE NO, EIGENVALUE, RAD/TIME, CYCLES/TIME, ...
awk '/E I G E N V A L U E/ { on = 1 } /P A R T I C I P A T I O N/ { on = 0 } on && NF == 5 && $1 ~ /^[0-9]+$/ { print $4 }' \
    run.dat >theirs.txt
awk -F, 'NR > 1 { print $3 }' out/modes.csv | head -50 >ours.txt
[ "$(wc -l <theirs.txt)" -eq 50 ] || { echo "CalculiX gave $(wc -l <theirs.txt) modes"; exit 1; }
paste ours.txt theirs.txt | awk '
    { d = $1 / $2 - 1; if (d < 0) d = -d; if (d > worst) worst = d }
    END { printf "50 frequencies: largest relative difference from CalculiX %.2e\n", worst; exit !(NR == 50 && worst < 1e-4) }'
