"""An FMU against `slipstick run`: times of events, states, contacts, event indicators.

    compare.py PROGRAM IMPORTER MODEL.yaml FOLDER END[:UNTIL] [TOLERANCE [NAME=VALUE ...]]

Events count until UNTIL: bounces that accumulate end, in the unit, where they are lower than what the importer resolves.

Packs the model, checks the unit, unpacks it, has the importer integrate it (model exchange) and step it (co-simulation), and
compares both with the run. Prints one line; what is wrong goes to stderr, with status 1.
"""
import bisect
import csv
import math
import os
import pathlib
import subprocess
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check

MODES = ["open", "stick", "slip+", "slip-", "slip", "closed"]
EVENTS = 1e-8  # in units of the model's time


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def main(program, importer, model, folder, end, tolerance="1e-12", *settings):
    problems = []
    end, _, until = end.partition(":")
    until = float(until or end)
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    name = pathlib.Path(model).stem
    unit, run = folder / f"{name}.fmu", folder / f"{name}.run"
    call = [a for s in ("simulate.tolerance=1e-11", *settings) for a in ("--set", s)]

    def do(*command):
        return subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, text=True).stdout

    do(program, "fmu", model, "-o", unit, "-q", *call)
    problems += check.check(unit)
    with zipfile.ZipFile(unit) as archive:
        archive.extractall(folder / name)
    do(program, "run", model, "-o", run, "-q", "--no-plot", "--set", f"simulate.time=[0, {end}]", *call,
       "--set", "simulate.method=event")
    do(program, "export", run, "--format", "csv", "-q")
    own = rows(run / "result.csv")
    # Samples that stand alone: at an event there are two.
    times = [float(r["t"]) for r in own]
    events = rows(run / "events.csv")
    ours = sorted(float(e["time"]) for e in events)

    def distance(list_, t):
        k = bisect.bisect(list_, t)
        return min((abs(list_[j] - t) for j in (k - 1, k) if 0 <= j < len(list_)), default=math.inf)

    alone = [k for k in range(len(own)) if times.count(times[k]) == 1 and distance(ours, times[k]) > 1e-6] \
        if len(own) < 3000 else [k for k in range(1, len(own) - 1)
                                 if times[k - 1] < times[k] < times[k + 1] and distance(ours, times[k]) > 1e-6]
    wanted = alone[::max(1, len(alone) // 60)]
    (folder / "times").write_text("\n".join(
        repr(t) for t in [0.0] + [times[k] for k in wanted if times[k] > 0]) + "\n")
    wanted = [k for k in wanted if times[k] > 0]
    worst = {}
    derivative = 0
    for kind in ("me", "cs"):
        derivative = max(derivative, float(do(importer, folder / name, kind, tolerance, folder / "times",
                                              folder / "samples.csv", folder / "events.csv")))
        found = rows(folder / "samples.csv")[1:]
        size = {k: max(abs(float(own[i][k])) for i in wanted) for k in own[0] if k in found[0]}
        size = {k: max(v, 1e-6 * max(size.values())) for k, v in size.items()}
        for k, i in enumerate(wanted):
            for series, value in found[k].items():
                if series.endswith(".mode"):
                    mode = MODES[int(value)]
                    if series in own[i] and own[i][series] not in (value, mode):
                        problems.append(f"{kind}: {series} at t = {times[i]} is {mode}, of run {own[i][series]}")
                elif series in size:
                    off = abs(float(value) - float(own[i][series])) / size[series]
                    worst[kind] = max(worst.get(kind, (0, "")), (off, series))
        if kind == "me":
            check_indicators(found, problems)
            theirs = read_events(folder / "events.csv", problems)
            # events that run tells, and events at which something changes
            missed = max((distance(theirs["all"], t) for t in ours if t < min(until, times[wanted[-1]])), default=0)
            extra = max((distance(ours, t) for t in theirs["changing"] if 0 < t < until), default=0)
    if missed > EVENTS or extra > EVENTS:
        problems.append(f"events: {missed:.3g} between those of run and the nearest, {extra:.3g} the other way")
    print(f"{name}: {len(ours)} events, within {max(missed, extra):.2g}; "
          f"me {worst['me'][0]:.2g} ({worst['me'][1]}), cs {worst['cs'][0]:.2g} ({worst['cs'][1]}), "
          f"derivatives {derivative:.2g}")
    if worst["me"][0] > 1e-6 or worst["cs"][0] > 1e-6:
        problems.append(f"samples: {worst}")
    if derivative > 1e-5:
        problems.append(f"directional derivatives: {derivative:.3g}")
    for problem in problems[:20]:
        print(f"{name}: {problem}", file=sys.stderr)
    return 1 if problems else 0


def read_events(path, problems):
    """All times at which the importer stopped, and those at which modes or states changed."""
    every, changing, before = [], [], None
    for line in pathlib.Path(path).read_text().splitlines():
        time, jumped, *modes = line.split(",")
        every.append(float(time))
        if before is not None and modes != before:
            changing.append(float(time))
        before = modes
    if every != sorted(every):
        problems.append("events: times do not rise")
    return {"all": every, "changing": changing}


def check_indicators(found, problems):
    """What the indicators of a contact are by its mode and its forces."""
    holds = {}
    for row in found:
        for key, value in row.items():
            if not key.startswith("indicator(") or key.startswith("indicator(switch."):
                continue
            contact, part = key[len("indicator("):-1].split(".")[:2]
            mode, value = MODES[int(row[f"{contact}.mode"])], float(value)
            slip, normal, force = (float(row[f"{contact}.{p}"]) for p in ("slip", "normal", "force"))
            if value < -1e-9:
                problems.append(f"{key} at t = {row['t']} is {value}")
            expected = value
            if part == "gap" and mode != "open":
                expected = normal
            elif part == "friction" and mode in ("slip+", "slip-"):
                expected = abs(slip)
            elif part == "friction" and mode == "stick" and normal > 0 and value != 1:
                holds.setdefault(contact, []).append((value + abs(force)) / normal)
            if abs(value - expected) > 1e-9 * (1 + abs(expected)) and value != 1:
                problems.append(f"{key} at t = {row['t']} is {value}, expected {expected}")
    for contact, ratios in holds.items():
        if max(ratios) - min(ratios) > 1e-9 * max(ratios):
            problems.append(f"{contact}: what stick holds at most is {min(ratios)} to {max(ratios)} of its normal force")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
