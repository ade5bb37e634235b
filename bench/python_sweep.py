"""What Python adds to a sweep: 10^4 runs of a block on a belt by `slipstick sweep` and by the Python package, on one thread, in
processor time.

    python_sweep.py PROGRAM LIBRARY"""
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
model = slipstick.example("stick-slip-belt")
began = time.process_time()
result = model.sweep(vb=(0.05, 1, RUNS), threads=1)
largest = result["max.x"].max()
ours = time.process_time() - began
with tempfile.TemporaryDirectory() as work:
    subprocess.check_call([program, "new", "belt", "--template", "stick-slip-belt"], cwd=work, stdout=subprocess.DEVNULL)
    subprocess.check_call([program, "sweep", "belt.yaml", "--over", "vb=0.05:1:%d" % RUNS, "--threads", "1", "--no-plot", "-q"],
                          cwd=work)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
theirs = used.ru_utime + used.ru_stime
print("%d runs, largest x %.9g: Python %.2f s, the program %.2f s: %.2f times" % (RUNS, largest, ours, theirs, ours / theirs))
