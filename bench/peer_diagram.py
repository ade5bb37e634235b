"""SciPy's turn beside bench_bifurcation: the impact oscillator x'' + x = cos(w t), x <= 0, restitution 0.8 over 300 periods
of its load by solve_ivp with DOP853 and a terminal event, the state once a period.

    peer_diagram.py [VALUES]

Prints seconds of processor time a value and microseconds a return, as bench_bifurcation does."""
import math
import sys
import time

from scipy.integrate import solve_ivp

LOW, HIGH, RETURNS, TOLERANCE = 2.76, 2.86, 300, 1e-10


def run(w):
    def right_side(t, y):
        return (y[1], math.cos(w * t) - y[0])

    def hits(t, y):
        return -y[0]

    hits.terminal, hits.direction = True, -1
    t, y = 0.0, [-0.5, 0.0]
    points = []
    for k in range(1, RETURNS + 1):
        end = k * 2 * math.pi / w
        while t < end:
            part = solve_ivp(right_side, (t, end), y, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE, events=hits)
            t, y = part.t[-1], part.y[:, -1]
            if part.status == 1:
                y = [0.0, -0.8 * y[1]]
        points.append(tuple(y))
    return points


values = int(sys.argv[1]) if len(sys.argv) > 1 else 2
started = time.process_time()
for k in range(values):
    run(LOW + (HIGH - LOW) * k / max(1, values - 1))
seconds = time.process_time() - started
print("SciPy, %d values: %.3f s, %.1f us a return" % (values, seconds, 1e6 * seconds / values / RETURNS))
