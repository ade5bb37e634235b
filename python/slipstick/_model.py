"""Models, simulations and what is done with them."""
from __future__ import annotations

import contextlib
import ctypes as c
import json
import os
from collections import abc
from typing import Any, Callable, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._library import (Axis, BasinOptions, BifurcationOptions, BranchOptions, Context, ContinueOptions, Doubles, EventObserver,
                       FitOptions, GearCycleOptions, Handle, LyapunovOptions, ModesOptions, OrbitOptions, RunOptions, STOPPED, SimulationOptions,
                       StepObserver, SweepOptions, Text, UsageError, decode, encode, library, texts)
from ._result import Path, Result

Start = Mapping[str, float]
Values = Union[Sequence[float], np.ndarray, Tuple[float, float, int], Tuple[float, float, int, str]]
OnStep = Callable[[float, np.ndarray, np.ndarray], Any]
OnEvent = Callable[[float, str, str, str], Any]


def _numbers(values):
    """An array as the library reads it, and the array that must live as long."""
    array = np.ascontiguousarray(values, dtype=float)
    return array.ctypes.data_as(Doubles), array


def _make_axes(over):
    """Axes from {name: values}: an array or list of numbers, or (from, to, count), or (from, to, count, "log")."""
    axes = (Axis * max(1, len(over)))()
    kept = []
    for axis, (name, values) in zip(axes, over.items()):
        axis.name = encode(name)
        if isinstance(values, tuple):
            if len(values) not in (3, 4) or (len(values) == 4 and values[3] not in ("log", "linear")):
                raise UsageError('%s: found %r, expected numbers, (from, to, count) or (from, to, count, "log")' %
                                 (name, values))
            axis.start, axis.to, axis.count = float(values[0]), float(values[1]), int(values[2])
            axis.logarithmic = len(values) == 4 and values[3] == "log"
        else:
            axis.list, array = _numbers(np.atleast_1d(values))
            if array.ndim != 1:
                raise UsageError("%s: found an array of %d dimensions, expected one" % (name, array.ndim))
            kept.append(array)
            axis.count = array.size
            axis.start, axis.to = (float(array[0]), float(array[-1])) if array.size else (0.0, 0.0)
    return axes, kept


class Model:
    """A model: read once, run as often as one likes, with any numbers for its parameters.

    `Model({...})` takes a dictionary with the sections of a model file, `load(path)` reads a file, `parse(text)` a
    text, `example(name)` one of the built-in examples.
    """

    def __init__(self, source: Union[str, Mapping[str, Any]], name: str = "model",
                 settings: Optional[Mapping[str, Any]] = None):
        self._handle = None
        context = Context()
        handle = Handle()
        if isinstance(source, abc.Mapping):
            # JSON is YAML: what a file would say
            source = json.dumps(_plain({"slipstick": 1, **source}))
        context.check(library.slip_model_parse(context.handle, encode(source), encode(name), _settings(settings),
                                               c.byref(handle)))
        self._handle = handle

    @classmethod
    def _of(cls, handle):
        model = cls.__new__(cls)
        model._handle = handle
        return model

    def __del__(self):
        if getattr(self, "_handle", None):
            library.slip_model_destroy(self._handle)
            self._handle = None

    # ---- Looking.

    @property
    def title(self) -> str:
        return decode(library.slip_model_title(self._handle))

    def _list(self, what):
        count = getattr(library, "slip_model_%s_count" % what)(self._handle)
        name = getattr(library, "slip_model_%s_name" % what)
        return [decode(name(self._handle, k)) for k in range(count)]

    @property
    def coordinates(self) -> list[str]:
        return self._list("coordinate")

    @property
    def states(self) -> list[str]:
        return self._list("state")

    @property
    def contacts(self) -> list[str]:
        return self._list("contact")

    def __str__(self) -> str:
        context = Context()
        text = library.slip_model_describe(context.handle, self._handle)
        if text is None:
            context.check(-5)
        return decode(text)

    def __repr__(self):
        return "<slipstick model %r: %s>" % (self.title, ", ".join(self.coordinates[:8]))

    # ---- Running.

    @contextlib.contextmanager
    def _values(self, context, values):
        """Numbers of the parameters, as long as the block runs; None where none is given."""
        if not values:
            yield None
            return
        handle = Handle()
        context.check(library.slip_values_create(context.handle, self._handle, c.byref(handle)))
        try:
            for name, number in values.items():
                context.check(library.slip_values_set(context.handle, handle, encode(name), float(number)))
            yield handle
        finally:
            library.slip_values_destroy(handle)

    def _start(self, start):
        """Arrays of q and v with the states behind, NaN where nothing is given."""
        names, states = self.coordinates, self.states
        q = np.full(len(names) + len(states), np.nan)
        v = q.copy()
        for name, number in (start or {}).items():
            if not np.isfinite(number):
                raise UsageError("start: `%s` is %g, expected a finite number" % (name, number))
            if name in names:
                q[names.index(name)] = number
            elif name.endswith("'") and name[:-1] in names:
                v[names.index(name[:-1])] = number
            elif name in states:
                v[len(names) + states.index(name)] = number
            else:
                raise UsageError("start: there is no coordinate, velocity or state `%s`" % name)
        return q, v

    def run(self, *, method: Optional[str] = None, time: Union[None, float, Tuple[float, float]] = None,
            tolerance: Optional[float] = None, step: Optional[float] = None, record: Optional[int] = None,
            start: Optional[Start] = None, on_step: Optional[OnStep] = None, on_event: Optional[OnEvent] = None,
            **parameters: float) -> Result:
        """Runs the model and returns its result. Keywords that are none of the below are parameters of the model.

        method, tolerance, step: as `simulate` of the model file; time: the end, or (begin, end); record: how many
        points are recorded; start: initial values by name, {"x": 1, "x'": 0}; on_step(t, q, v), on_event(time, contact,
        from, to): called while it runs, a true return value stops the run.
        """
        context = Context()
        options = _run_options(method, time, tolerance, step, record)
        handle = Handle()
        kept = _observe(context, options, on_step, on_event, self)
        if start:
            q, v = self._start(start)
            options.start_q, options.start_v = q.ctypes.data_as(Doubles), v.ctypes.data_as(Doubles)
        with self._values(context, parameters) as options.values:
            status = context.call(library.slip_run, self._handle, c.byref(options), c.byref(handle))
        del kept
        return _finish(context, status, handle)

    def simulation(self, *, method: Optional[str] = None, tolerance: Optional[float] = None,
                   step: Optional[float] = None, on_step: Optional[OnStep] = None,
                   on_event: Optional[OnEvent] = None, **parameters: float) -> Simulation:
        """Opens a simulation that is stepped: `with model.simulation() as s: s.advance(1.0)`."""
        return Simulation(self, method, tolerance, step, on_step, on_event, parameters)

    # ---- Studies.

    def sweep(self, over: Optional[Mapping[str, Values]] = None, *, collect: Optional[Sequence[str]] = None,
              carry: Optional[bool] = None, threads: int = 0, folder: Optional[Path] = None,
              method: Optional[str] = None, time: Union[None, float, Tuple[float, float]] = None,
              tolerance: Optional[float] = None, step: Optional[float] = None, device: Optional[str] = None,
              **axes: Values) -> Result:
        """Runs over parameters and initial values. `m.sweep(vb=np.linspace(0, 1, 20))` or `m.sweep({"x'": (0, 1, 5)})`:
        numbers, (from, to, count) or (from, to, count, "log"). collect: paths of numbers of the summary. `device`
        moves many runs together: "cpu", "cuda", "auto" (from 1000 runs on) or "none"."""
        over = {**(over or {}), **axes}
        context = Context()
        options = SweepOptions.default()
        run = _run_options(method, time, tolerance, step, None)
        made, kept = _make_axes(over)
        options.axes, options.axis_count = (made if over else None), len(over)
        names = texts(collect)
        options.collect = names if names is None else c.cast(names, c.POINTER(Text))
        options.carry = -1 if carry is None else int(carry)
        options.threads = threads
        options.folder, options.device = encode(folder), encode(device)
        options.run = c.pointer(run)
        handle = Handle()
        status = context.call(library.slip_sweep, self._handle, c.byref(options), c.byref(handle))
        del kept
        return _finish(context, status, handle)

    def bifurcation(self, over: Optional[Mapping[str, Values]] = None, *, period: Optional[str] = None,
                    section: Optional[str] = None, maxima: Optional[str] = None, transient: Optional[int] = None,
                    points: Optional[int] = None, carry: Optional[bool] = None, threads: int = 0,
                    device: Optional[str] = None, folder: Optional[Path] = None, **axis: Values) -> Result:
        """Points of the settled motion over a parameter: once a `period` (a text such as "2*pi/w"), where the text
        `section` passes zero upwards, or at the `maxima` of a coordinate. Without `carry` and with a period `device` moves
        many values together: "cpu", "cuda", "auto" or "none", and finished values are kept in `folder`."""
        over = {**(over or {}), **axis}
        context = Context()
        options = BifurcationOptions.default()
        if len(over) > 1:
            raise UsageError("bifurcation: found %d parameters, expected one" % len(over))
        made, kept = _make_axes(over)
        options.axis = c.pointer(made[0]) if over else None
        options.period, options.section, options.maxima = encode(period), encode(section), encode(maxima)
        options.transient = -1 if transient is None else transient
        options.points = -1 if points is None else points
        options.carry = -1 if carry is None else int(carry)
        options.threads = threads
        options.device, options.folder = encode(device), encode(folder)
        handle = Handle()
        status = context.call(library.slip_bifurcation, self._handle, c.byref(options), c.byref(handle))
        del kept
        return _finish(context, status, handle)

    def orbit(self, *, period: Optional[str] = None, multiple: Optional[int] = None, guess: Optional[float] = None,
              start: Optional[str] = None, tolerance: Optional[float] = None, **parameters: float) -> Result:
        """A periodic motion, stable or not. `period` is an expression such as "2*pi/w", or "auto": the motion has a
        period of its own; start: "run" (the end of a run) or "initial". The result has the motion over one period;
        `r.summary` has period, state, residual, multipliers, signature and stable."""
        context = Context()
        options = _orbit_options(period, multiple, guess, start, tolerance)
        handle = Handle()
        with self._values(context, parameters) as options.values:
            status = context.call(library.slip_orbit_find, self._handle, c.byref(options), c.byref(handle))
        return _finish(context, status, handle)

    def branch(self, over: Optional[Mapping[str, Tuple[float, float]]] = None, *, at: Optional[float] = None,
               spacing: Optional[float] = None, points: Optional[int] = None, doublings: Optional[int] = None,
               curve: Optional[str] = None, resonance: Optional[str] = None, harmonics: Optional[int] = None,
               **axis: Tuple[float, float]) -> Result:
        """Follows a periodic motion over a parameter: `m.branch(w=(1.6, 2.2))`. Labels: folds, doublings, tori, grazing,
        sliding, ends. With `curve` labels of a kind over two parameters: `m.branch(w=(1.6, 2.2), r=(0.3, 1), curve="LP")`."""
        over = {**(over or {}), **axis}
        if len(over) > 2:
            raise UsageError("branch: found %d parameters, expected one, and of a curve two" % len(over))
        context = Context()
        options = BranchOptions.default()
        for name, ends in over.items():
            if np.ndim(ends) != 1 or len(ends) != 2:
                raise UsageError("%s: found %r, expected (from, to)" % (name, ends))
        made, kept = _make_axes({name: (*ends, 2) for name, ends in over.items()})
        options.axis = c.pointer(made[0]) if over else None
        options.second = c.pointer(made[1]) if len(over) > 1 else None
        _give(options, start=at, spacing=spacing, points=points, doublings=doublings, harmonics=harmonics)
        options.curve, options.resonance = encode(curve), encode(resonance)
        handle = Handle()
        status = context.call(library.slip_branch_follow, self._handle, c.byref(options), c.byref(handle))
        del kept
        return _finish(context, status, handle)

    def basin(self, over: Optional[Mapping[str, Values]] = None, *, period: Optional[str] = None,
              section: Optional[str] = None, refine: int = 0, threads: int = 0, folder: Optional[Path] = None,
              device: Optional[str] = None, labels: bool = False, **axes: Values) -> Result:
        """Which attractor each start leads to: `m.basin({"x": (-2, 2, 41), "x'": (-2, 2, 41)})`. `device` moves the
        starts together; of `labels` a row is a line of starts, of which the attractors are kept and no more."""
        over = {**(over or {}), **axes}
        context = Context()
        options = BasinOptions.default()
        made, kept = _make_axes(over)
        options.axes, options.axis_count = (made if over else None), len(over)
        options.period, options.section, options.folder = encode(period), encode(section), encode(folder)
        options.refine, options.threads, options.device = refine, threads, encode(device)
        options.labels = 1 if labels else -1
        handle = Handle()
        status = context.call(library.slip_basin, self._handle, c.byref(options), c.byref(handle))
        del kept
        return _finish(context, status, handle)

    def lyapunov(self, over: Optional[Mapping[str, Values]] = None, *, interval: Optional[str] = None,
                 transient: Optional[float] = None, intervals: Optional[int] = None, threads: int = 0,
                 folder: Optional[Path] = None, device: Optional[str] = None, **parameters: float) -> Result:
        """Lyapunov exponents with the jumps at events; `r.summary` has exponents, error and time. With `over` at every
        point of axes, `m.lyapunov({"w": (2.6, 2.8, 41)}, interval="2*pi/w")`: `r["exponent1"]`, `r["error1"]`, ...
        `device`: "cpu" moves the points side by side, "none" one by one."""
        context = Context()
        options = LyapunovOptions.default()
        run = RunOptions.default()
        made, kept = _make_axes(over or {})
        options.axes, options.axis_count = (made if over else None), len(over or {})
        options.interval, options.folder, options.threads = encode(interval), encode(folder), threads
        options.device = encode(device)
        _give(options, transient=transient, intervals=intervals)
        options.run = c.pointer(run)
        handle = Handle()
        with self._values(context, parameters) as run.values:
            status = context.call(library.slip_lyapunov, self._handle, c.byref(options), c.byref(handle))
        del kept
        return _finish(context, status, handle)

    def fit(self, data: Optional[Path] = None, vary: Optional[Sequence[str]] = None, *,
            series: Optional[Sequence[str]] = None, confidence: Optional[float] = None,
            iterations: Optional[int] = None, method: Optional[str] = None, tolerance: Optional[float] = None,
            step: Optional[float] = None, **parameters: float) -> Result:
        """Parameters from a CSV file of measured series or events: `m.fit("run.csv", ["mu", "c=0:1"], mu=0.2)`. They
        start from the model's numbers, or those given; `r.summary["value"]` and `["error"]` have them."""
        context = Context()
        options = FitOptions.default()
        run = _run_options(method, None, tolerance, step, None)
        options.data = encode(data)
        wanted, counted = texts(vary), texts(series)
        options.vary = wanted if wanted is None else c.cast(wanted, c.POINTER(Text))
        options.series = counted if counted is None else c.cast(counted, c.POINTER(Text))
        _give(options, confidence=confidence, iterations=iterations)
        options.run = c.pointer(run)
        handle = Handle()
        with self._values(context, parameters) as run.values:
            status = context.call(library.slip_fit, self._handle, c.byref(options), c.byref(handle))
        return _finish(context, status, handle)

    def fmu(self, path: Path) -> None:
        """Packs the model as a unit of FMI 3.0 for other simulators."""
        context = Context()
        context.check(context.call(library.slip_fmu_save, self._handle, encode(path), None, None))

    def modes(self, about: Optional[str] = None, over: Optional[tuple] = None, count: Optional[int] = None) -> Result:
        """Natural frequencies, damping and shapes about "rest", "static" or "sliding"; over=("mu", 0, 1, 51) follows
        them over a parameter. Of whole bodies the `count` lowest (40)."""
        context = Context()
        options = ModesOptions.default()
        options.about = encode(about)
        _give(options, count=count)
        if over:
            if not isinstance(over, tuple) or len(over) not in (3, 4):
                raise UsageError("modes: found over = %r, expected (name, from, to) or (name, from, to, count)" % (over,))
            options.parameter, options.low, options.high = encode(over[0]), float(over[1]), float(over[2])
            options.points = int(over[3]) if len(over) > 3 else options.points
        handle = Handle()
        status = context.call(library.slip_modes_solve, self._handle, c.byref(options), c.byref(handle))
        return _finish(context, status, handle)

    def gear_cycle(self, **options: float) -> Result:
        """Transmission error, mesh stiffness and load sharing of two elastic gears (the verb `gear cycle`). Options are
        those of slip_gear_cycle_options (torque, distance, penalty, points, cycles, ...); the model's where not given."""
        context = Context()
        own = GearCycleOptions()
        context.check(library.slip_gear_cycle_options_of(context.handle, self._handle, c.byref(own)))
        names = [name for name, _ in GearCycleOptions._fields_]
        for name in options:
            if name not in names:
                raise UsageError("gear_cycle: unknown option `%s`; expected one of %s" % (name, ", ".join(names)))
        _give(own, **options)
        handle = Handle()
        status = context.call(library.slip_gear_cycle_model, self._handle, c.byref(own), c.byref(handle))
        return _finish(context, status, handle)

    def statics(self) -> Result:
        """Every static solution."""
        context = Context()
        found, handle = Handle(), Handle()
        context.check(context.call(library.slip_statics_solve, self._handle, None, c.byref(found)))
        try:
            context.check(library.slip_statics_result(context.handle, found, c.byref(handle)))
        finally:
            library.slip_statics_destroy(found)
        return Result(handle)

    def follow(self, parameter: Optional[str] = None, low: float = float("nan"), high: float = float("nan")) -> Result:
        """Static solutions over a parameter (the verb `continue`)."""
        context = Context()
        options = ContinueOptions.default()
        options.parameter, options.low, options.high = encode(parameter), low, high
        handle = Handle()
        status = context.call(library.slip_continue, self._handle, c.byref(options), c.byref(handle))
        return _finish(context, status, handle)


class Simulation:
    """A model in motion that the caller steps. Use it as a context manager, or close it."""

    def __init__(self, model, method, tolerance, step, on_step, on_event, parameters):
        self._handle = None
        self._model = model  # outlives the simulation
        self._context = Context()
        options = SimulationOptions.default()
        options.method = encode(method)
        _give(options, tolerance=tolerance, step=step)
        self._kept = _observe(self._context, options, on_step, on_event, model)
        handle = Handle()
        with model._values(self._context, parameters) as values:
            self._context.check(library.slip_simulation_open(self._context.handle, model._handle, values,
                                                             c.byref(options), c.byref(handle)))
        self._handle = handle

    def close(self) -> None:
        if self._handle:
            library.slip_simulation_close(self._handle)
            self._handle = None

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _need(self):
        if not self._handle:
            raise UsageError("the simulation is closed")
        return self._handle

    @property
    def time(self) -> float:
        return library.slip_simulation_time(self._need())

    def advance(self, time: float) -> bool:
        """To a time, which is reached exactly. True: an observer stopped it before."""
        status = self._context.call(library.slip_simulation_advance, self._need(), float(time))
        return self._context.check(status) == STOPPED

    def advance_until(self, time: float, condition: str) -> bool:
        """To where the condition, a text such as "x - 1", passes zero, but not beyond the time. True: it passed zero."""
        status = self._context.call(library.slip_simulation_advance_until, self._need(), float(time),
                                    encode(condition))
        return self._context.check(status) == STOPPED

    def drive(self, time: float, every: float, **inputs: Callable[[Simulation], float]) -> bool:
        """To a time, with parameters that functions give: `s.drive(10, 1e-3, F=lambda s: -2*s["x"])`. Each is called with the
        simulation, again and again after `every`, and its number holds until the next call, as that of a digital
        controller does. True: an observer stopped it before."""
        if not every > 0:
            raise UsageError("drive: found every = %g, expected a positive time" % every)
        start, count, stopped = self.time, 0, False
        with self._context.interruptible():
            while self.time < time and not stopped:
                for name, function in inputs.items():
                    self[name] = function(self)
                count += 1
                stopped = self.advance(min(start + count * every, float(time)))
        self._context.check(0)
        return stopped

    def __getitem__(self, name: str) -> Union[float, str]:
        """A number of now by the name of its series: "x", "x'", "pad.force"."""
        if name.endswith(".mode"):
            if name[:-5] not in self._model.contacts:
                raise KeyError(name)
            return decode(library.slip_mode_name(library.slip_simulation_mode(self._need(), encode(name[:-5]))))
        value = library.slip_simulation_number(self._need(), encode(name))
        if np.isnan(value):
            raise KeyError(name)
        return value

    def __setitem__(self, name: str, value: float) -> None:
        """Gives a parameter of the model another number from now on."""
        self._context.check(library.slip_simulation_input(self._need(), encode(name), float(value)))

    @property
    def state(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(q, v, states) of now."""
        q, v = np.empty(len(self._model.coordinates)), np.empty(len(self._model.coordinates))
        z = np.empty(len(self._model.states))
        library.slip_simulation_state(self._need(), q.ctypes.data_as(Doubles), v.ctypes.data_as(Doubles))
        if z.size:
            library.slip_simulation_states(self._need(), z.ctypes.data_as(Doubles))
        return q, v, z

    def set_state(self, q: Optional[Sequence[float]] = None, v: Optional[Sequence[float]] = None, time: Optional[float] = None,
                  states: Optional[Sequence[float]] = None) -> None:
        """Puts the simulation at another state and time; None leaves what it is."""
        n = len(self._model.coordinates)
        arrays = []
        for name, values, size in (("q", q, n), ("v", v, n), ("states", states, len(self._model.states))):
            array = None if values is None else np.ascontiguousarray(values, dtype=float)
            if array is not None and array.shape != (size,):
                raise UsageError("%s: found %s numbers, expected %d" % (name, array.shape, size))
            arrays.append(array)
        pointers = [None if a is None else a.ctypes.data_as(Doubles) for a in arrays]
        context = self._context
        context.check(library.slip_simulation_set_state(context.handle, self._need(),
                                                        self.time if time is None else float(time), *pointers[:2]))
        if states is not None:
            context.check(library.slip_simulation_set_states(context.handle, self._need(), pointers[2]))

    def save(self) -> SavedState:
        """Keeps where the simulation stands; `restore` goes back there, and gives the same bits from there on."""
        handle = Handle()
        self._context.check(library.slip_simulation_save(self._context.handle, self._need(), c.byref(handle)))
        return SavedState(handle)

    def restore(self, saved: SavedState) -> None:
        self._context.check(library.slip_simulation_restore(self._context.handle, self._need(), saved._handle))


class SavedState:
    """A state of a simulation."""

    def __init__(self, handle):
        self._handle = handle

    def __del__(self):
        library.slip_saved_state_destroy(self._handle)


# ---- What the above share.


def _plain(value):
    """Arrays and NumPy numbers as lists and numbers."""
    if isinstance(value, abc.Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _settings(settings):
    """Overrides {"mu": 0.4, "simulate.method": "smooth"} as the library takes them."""
    return texts("%s=%s" % item for item in settings.items()) if settings else None


def _give(options, **fields):
    """Sets the fields that are given."""
    for name, value in fields.items():
        if value is not None:
            setattr(options, name, value)


def _orbit_options(period, multiple, guess, start, tolerance):
    options = OrbitOptions.default()
    options.period, options.source = encode(period), encode(start)
    _give(options, multiple=multiple, guess=guess, tolerance=tolerance)
    return options


def _run_options(method, time, tolerance, step, record):
    options = RunOptions.default()
    options.method = encode(method)
    if time is not None:
        span = np.atleast_1d(time)
        if span.ndim != 1 or span.size > 2:
            raise UsageError("time: found %r, expected the end or (begin, end)" % (time,))
        options.start, options.end = (0.0, float(span[0])) if span.size == 1 else map(float, span)
    if record is not None and record < 2:
        raise UsageError("record: found %r points, expected 2 or more" % (record,))
    _give(options, tolerance=tolerance, step=step, record_points=record)
    return options


def _observe(context, options, on_step, on_event, model):
    """Puts Python functions in the place of observers; an exception of theirs ends the run and is raised after it."""

    def guard(function):
        def call(*arguments):
            try:
                return 1 if function(*arguments) else 0
            except BaseException as failure:  # it may not pass through C
                context.failure = failure
                return 1

        return call

    kept = []
    if on_step:
        n = len(model.coordinates)
        kept.append(StepObserver(guard(lambda _, t, q, v: on_step(
            t, np.ctypeslib.as_array(q, (n,)).copy(), np.ctypeslib.as_array(v, (n,)).copy()))))
        options.step_observer = kept[-1]
    if on_event:
        contacts = model.contacts
        kept.append(EventObserver(guard(lambda _, e: on_event(
            e.contents.time, contacts[e.contents.contact], decode(library.slip_mode_name(e.contents.start)),
            decode(library.slip_mode_name(e.contents.to))))))
        options.event_observer = kept[-1]
    return kept


def _finish(context, status, handle):
    """The result of a job, or its exception, which has the result of what was done."""
    result = Result(handle) if handle else None
    context.check(status, result)
    return result


# ---- Where models come from.


def load(path: Path, **settings: Any) -> Model:
    """Reads a model file; keywords override parameters: `load("belt.yaml", mu=0.4)`."""
    context = Context()
    handle = Handle()
    context.check(library.slip_model_load_with(context.handle, encode(os.fspath(path)), _settings(settings),
                                               c.byref(handle)))
    return Model._of(handle)


def parse(text: str, name: str = "model", **settings: Any) -> Model:
    """Reads a model from text."""
    return Model(text, name, settings)


def examples() -> list[str]:
    """The names of the models that come with the library."""
    return [decode(library.slip_example_name(k)) for k in range(library.slip_example_count())]


def example(name: str, **settings: Any) -> Model:
    """One of the models that come with the library."""
    text = library.slip_example_text(encode(name))
    if text is None:
        raise UsageError("there is no example `%s`; there are: %s" % (name, ", ".join(examples())))
    return Model(decode(text), name, settings)
