#!/usr/bin/env bash
# Units of FMI 3.0 against `slipstick run`: states, modes, indicators, and times of events within 1e-8.
#   tests/fmi/fmi.sh PROGRAM SOURCE_DIR IMPORTER [COUNT]
# COUNT: of the examples, only the first so many.
# With FMI_SCHEMA=FOLDER, the folder schema/ of the standard's public repository, xmllint validates every description too.
set -euo pipefail
program=$1 source=$2 importer=$3 most=${4:-100} compared=0
here=$source/tests/fmi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS=detect_odr_violation=0:detect_leaks=1
failures=0
complain() {
    echo "$1"
    failures=$((failures + 1))
}

# MODEL END[:UNTIL] TOLERANCE: bounces that accumulate are compared until they are too low for the importer.
while read -r model end tolerance; do
    [ $((compared += 1)) -le "$most" ] || break
    python3 "$here/compare.py" "$program" "$importer" "$source/examples/$model.yaml" "$work/$model" "$end" "$tolerance" ||
        complain "$model: the unit and the run differ"
done <<'EXAMPLES'
stick-slip-belt 60 1e-12
bouncing-ball 20:3.5 1e-12
end-stops 20:3.99 1e-12
coulomb-oscillator 20 1e-12
jack-plane 40 1e-12
oscillator 20 1e-12
quarter-car 3 1e-12
stribeck-belt 30 1e-12
two-masses 30 1e-12
woodpecker 0.4 1e-12
bolted-joint 1 1e-12
elliptic 20 1e-12
painleve-rod 1 1e-12
EXAMPLES

# Numbers that are set before the start, and tuned on the way: model exchange and co-simulation agree with each other, and
# with a run up to the change.
unpack() { python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' "$1" "$2"; }
belt=$source/examples/stick-slip-belt.yaml
"$program" fmu "$belt" -o "$work/driven.fmu" --input vb --identifier driven --json >"$work/driven.json"
grep -q '"inputs": 1' "$work/driven.json" || complain "--json does not tell of the input"
python3 "$here/check.py" "$work/driven.fmu" || complain "the description of a unit with an input is wrong"
unpack "$work/driven.fmu" "$work/driven"
seq 0 0.5 30 >"$work/times"
for kind in me cs; do
    "$importer" "$work/driven" "$kind" 1e-12 "$work/times" "$work/$kind.csv" "$work/events.csv" \
        mu=0.35 x=0.1 @10:vb=0.5 @20:mu=0.2 >/dev/null || complain "$kind: tuning fails"
done
python3 - "$work/me.csv" "$work/cs.csv" <<'COMPARE' || complain "tuned: model exchange and co-simulation differ"
import csv, sys
one, other = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
worst = max(abs(float(a[k]) - float(b[k])) for a, b in zip(one, other) for k in ("x", "x'", "belt.force", "vb", "mu"))
modes = {row["belt.mode"] for row in one}
print(f"tuned: {len(one)} samples, within {worst:.2g}, modes {sorted(modes)}")
same = all(a["belt.mode"] == b["belt.mode"] for a, b in zip(one, other))
assert len(one) == len(other) == 61 and worst < 1e-8 and same and float(one[-1]["vb"]) == 0.5 and len(modes) > 1
COMPARE

# Where others cannot integrate: co-simulation alone, and it is said why.
"$program" fmu "$source/examples/friction-damper.yaml" -o "$work/damper.fmu" >"$work/damper.txt"
grep -q "without model exchange: coordinates without mass" "$work/damper.txt" || complain "friction-damper: no reason"
python3 "$here/check.py" "$work/damper.fmu" || complain "the description of a unit for co-simulation alone is wrong"
unpack "$work/damper.fmu" "$work/damper"
"$importer" "$work/damper" cs 0 "$work/times" "$work/cs.csv" "$work/events.csv" >/dev/null || complain "friction-damper: no step"

# The same input makes the same bytes; a file that a model reads goes along; what cannot be packed is said.
"$program" fmu "$belt" -q -o "$work/again.fmu" --input vb --identifier driven
cmp -s "$work/driven.fmu" "$work/again.fmu" || complain "two units of one model differ"
mkdir "$work/beside"
printf 't,z\n0,0\n1,0.1\n2,0\n' >"$work/beside/road.csv"
cat >"$work/beside/car.yaml" <<'MODEL'
slipstick: 1
coordinates: [x]
mass: 1
stiffness: 100
inputs: {road: {file: road.csv, time: t, value: z}}
forces: {x: 100*road(t)}
simulate: {time: [0, 3]}
MODEL
"$program" fmu "$work/beside/car.yaml" -q -o "$work/car.fmu"
unpack "$work/car.fmu" "$work/car"
rm -r "$work/beside"
seq 0 0.5 3 >"$work/times"
for kind in me cs; do
    "$importer" "$work/car" "$kind" 1e-12 "$work/times" "$work/$kind.csv" "$work/events.csv" >/dev/null ||
        complain "$kind: a unit with a file fails"
done
refuses() { # WHAT EXPECTED ARGUMENTS...
    local what=$1 expected=$2 code=0
    shift 2
    "$program" fmu "$@" -o "$work/none.fmu" 2>"$work/message" || code=$?
    { [ "$code" -ne 0 ] && grep -q "$expected" "$work/message" && [ ! -e "$work/none.fmu" ]; } ||
        complain "$what: status $code, $(cat "$work/message")"
}
refuses "an input that is none" "no parameter .vbb." "$belt" --input vbb
refuses "an identifier that is none" "expected letters" "$belt" --identifier 1a
refuses "gears alone" "put them among" "$source/examples/gear-impact.yaml"
refuses "bodies without motion" "nothing says how to run it" "$source/examples/two-blocks.yaml"

if [ -n "${FMI_SCHEMA:-}" ]; then
    for folder in "$work"/*/modelDescription.xml "$work"/*/*/modelDescription.xml; do
        xmllint --noout --schema "$FMI_SCHEMA/fmi3ModelDescription.xsd" "$folder" || complain "$folder is not valid"
    done
    for file in "$work"/*/terminalsAndIcons/*.xml "$work"/*/*/terminalsAndIcons/*.xml; do
        xmllint --noout --schema "$FMI_SCHEMA/fmi3TerminalsAndIcons.xsd" "$file" || complain "$file is not valid"
    done
fi
exit $((failures > 0))
