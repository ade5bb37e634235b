"""What Python adds to a sweep: 10^4 runs of a block on a belt by `slipstick sweep` and by the Python package, on one thread, in
processor time. They take turns, the best of each counts; it fails above 1.1.

    python_sweep.py PROGRAM LIBRARY [ROUNDS]"""
import os
import resource
import subprocess
import sys
import tempfile
import time

program, library = map(os.path.abspath, sys.argv[1:3])
os.environ["SLIPSTICK_LIBRARY"] = library
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "python"))
import slipstick  # noqa: E402

RUNS = 10000
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
model = slipstick.example("stick-slip-belt")


def by_python():
    began = time.process_time()
    assert model.sweep(vb=(0.05, 1, RUNS), threads=1)["max.x"].max() > 1
    return time.process_time() - began


def by_program(folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.check_call([program, "sweep", "belt.yaml", "--over", "vb=0.05:1:%d" % RUNS, "--threads", "1", "--no-plot", "-q",
                           "-o", folder], cwd=work)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime


with tempfile.TemporaryDirectory() as work:
    subprocess.check_call([program, "new", "belt", "--template", "stick-slip-belt"], cwd=work, stdout=subprocess.DEVNULL)
    turns = [(by_python(), by_program("turn-%d" % k)) for k in range(ROUNDS)]
ours, theirs = (min(times) for times in zip(*turns))
print("%d runs, best of %d turns: Python %.2f s, the program %.2f s: %.2f times" % (RUNS, ROUNDS, ours, theirs, ours / theirs))
sys.exit(ours > 1.1 * theirs)
