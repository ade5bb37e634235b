"""SciPy's turn in `bench/run`: u'' + 0.1 u' + u = 4 sin t - 3.2 Sign(u') from rest over 50 periods by
solve_ivp with DOP853 and terminal events, the same machine of two states as peer_cvode.c.

    peer_scipy.py [TURNS]

The clock runs over the integration only. Prints the line of oscillator.h for the best turn."""
import math
import sys
import time

from scipy.integrate import solve_ivp

DAMPING, LOAD, FRICTION = 0.1, 4.0, 3.2
PERIODS = 50
AMPLITUDE = 0.774878712706875795
SWITCHES = (0.9272952180016122, 2.6543667075490123)
TOLERANCE = 1e-10
LONGEST_STEP_IN_STICK = 0.1


def slip(sign):
    """Right side and end of slip with u' of this sign."""

    def right_side(t, y):
        return (y[1], LOAD * math.sin(t) - DAMPING * y[1] - y[0] - sign * FRICTION)

    def stops(t, y):
        return sign * y[1]

    # Slip starts with u' = 0; without a direction that would be an event.
    stops.terminal, stops.direction = True, -1
    return right_side, stops


def stick():
    """Right side and end of stick."""

    def right_side(t, y):
        return (0.0, 0.0)

    def releases(t, y):
        return FRICTION - abs(LOAD * math.sin(t) - y[0])

    releases.terminal, releases.direction = True, -1
    return right_side, releases


def run():
    steps, events, amplitude_error, time_error = 0, 0, 0.0, 0.0
    end = 2 * math.pi * PERIODS
    t, y, sign, half = 0.0, [0.0, 0.0], 0, 1
    started = time.perf_counter()
    while True:
        right_side, event = slip(sign) if sign else stick()
        part = solve_ivp(right_side, (t, end), y, method="DOP853", rtol=TOLERANCE, atol=TOLERANCE, events=event,
                         max_step=math.inf if sign else LONGEST_STEP_IN_STICK)
        steps += len(part.t) - 1
        if part.status != 1:
            break
        t, y = part.t_events[0][0], part.y_events[0][0]
        force = LOAD * math.sin(t) - y[0]
        if sign == 0:
            sign = 1 if force > 0 else -1
        else:
            y[1] = 0.0
            sign = 0 if abs(force) <= FRICTION else -sign
            if half > 2 * (PERIODS - 10):
                amplitude_error = max(amplitude_error, abs(abs(y[0]) - AMPLITUDE))
            half += 1
        if events < 2:
            time_error = max(time_error, abs(t - SWITCHES[events]))
        events += 1
    return time.perf_counter() - started, steps, events, amplitude_error, time_error


best = min(run() for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
print("%d %d %.9g %.3g %.3g" % (best[1], best[2], best[0], best[3], best[4]))
