"""The C library: found, declared, and its errors as exceptions. Nothing else in the package talks to it directly."""
import contextlib
import ctypes as c
import os
import pathlib
import signal
import threading

_FILE = "libslipstick.so"
_INTERFACE = "0.2"  # MAJOR.MINOR of the library whose structs and functions stand below


def _find():
    """The library of this package, unless SLIPSTICK_LIBRARY names another one."""
    given = os.environ.get("SLIPSTICK_LIBRARY")
    if given:
        return given
    own = pathlib.Path(__file__).parent / _FILE
    return str(own) if own.exists() else f"{_FILE}.{_INTERFACE}"


library = c.CDLL(_find())

# ---- Errors.


class SlipstickError(Exception):
    """Something that the library could not do; the message is the library's own."""


class UsageError(SlipstickError, ValueError):
    """The call itself was wrong: an unknown name, an argument out of range."""


class ModelError(SlipstickError, ValueError):
    """The model is wrong: the message has file, line, what was found and expected."""


class SolverError(SlipstickError, ArithmeticError):
    """The solver could not go on. `result` has what was computed until then, where there is anything."""

    result = None


class FileError(SlipstickError, OSError):
    """A file could not be read or written."""


class OutOfMemory(SlipstickError, MemoryError):
    """Out of memory."""


STOPPED, OK, INTERRUPTED = 1, 0, -6
_ERRORS = {-1: UsageError, -2: ModelError, -3: SolverError, -4: FileError, -5: OutOfMemory}

# ---- Types.

Handle = c.c_void_p
Text = c.c_char_p
Double = c.c_double
Doubles = c.POINTER(c.c_double)
StepObserver = c.CFUNCTYPE(c.c_int, c.c_void_p, Double, Doubles, Doubles)


class Event(c.Structure):
    _fields_ = [("time", Double), ("contact", c.c_int), ("start", c.c_int), ("to", c.c_int)]


EventObserver = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Event))


class Label(c.Structure):
    _fields_ = [("number", c.c_int), ("branch", c.c_int), ("type", Text), ("value", Double), ("contact", Text),
                ("start", Text), ("to", Text), ("note", Text)]


class Axis(c.Structure):
    _fields_ = [("name", Text), ("start", Double), ("to", Double), ("count", c.c_int64), ("logarithmic", c.c_int),
                ("list", Doubles)]


class _Options(c.Structure):
    """Options with their defaults, which the library fills in; `size` lets either side be older than the other."""

    @classmethod
    def default(cls):
        options = cls()
        getattr(library, cls._name_ + "_fill")(c.byref(options), c.c_size_t(c.sizeof(cls)))
        return options


class RunOptions(_Options):
    _name_ = "slip_run_options"
    _fields_ = [("size", c.c_size_t), ("method", Text), ("segments", Text), ("start", Double), ("end", Double),
                ("tolerance", Double), ("step", Double), ("theta", Double), ("record_every", Double),
                ("record_points", c.c_int64), ("record_steps", c.c_int), ("record_from", Double),
                ("steady_period", Double), ("steady_tolerance", Double), ("steady_within", c.c_int64),
                ("step_observer", StepObserver), ("event_observer", EventObserver), ("observer_user", c.c_void_p),
                ("record_events", c.c_int), ("gears", c.c_void_p), ("values", Handle), ("start_q", Doubles),
                ("start_v", Doubles), ("start_modes", c.POINTER(c.c_int))]


class SimulationOptions(_Options):
    _name_ = "slip_simulation_options"
    _fields_ = [("size", c.c_size_t), ("method", Text), ("segments", Text), ("start", Double), ("tolerance", Double),
                ("step", Double), ("theta", Double), ("step_observer", StepObserver),
                ("event_observer", EventObserver), ("observer_user", c.c_void_p), ("bodies", c.c_void_p * 2),
                ("threads", c.c_int), ("device", Text)]


class ModesOptions(_Options):
    _name_ = "slip_modes_options"
    _fields_ = [("size", c.c_size_t), ("about", Text), ("parameter", Text), ("low", Double), ("high", Double),
                ("points", c.c_int), ("count", c.c_int)]


class ContinueOptions(_Options):
    _name_ = "slip_continue_options"
    _fields_ = [("size", c.c_size_t), ("parameter", Text), ("low", Double), ("high", Double), ("start", Double),
                ("spacing", Double), ("restarts", c.c_int), ("also", Text), ("also_low", Double),
                ("also_high", Double), ("source", Text), ("source_label", c.c_int), ("quantity", Text)]


class SweepOptions(_Options):
    _name_ = "slip_sweep_options"
    _fields_ = [("size", c.c_size_t), ("axes", c.POINTER(Axis)), ("axis_count", c.c_int),
                ("collect", c.POINTER(Text)), ("carry", c.c_int), ("threads", c.c_int), ("part", c.c_int),
                ("parts", c.c_int), ("folder", Text), ("restart", c.c_int), ("run", c.POINTER(RunOptions)),
                ("device", Text)]


class BifurcationOptions(_Options):
    _name_ = "slip_bifurcation_options"
    _fields_ = [("size", c.c_size_t), ("axis", c.POINTER(Axis)), ("period", Text), ("section", Text),
                ("maxima", Text), ("transient", c.c_int64), ("points", c.c_int64), ("tolerance", Double),
                ("carry", c.c_int), ("threads", c.c_int), ("run", c.POINTER(RunOptions)), ("device", Text),
                ("folder", Text), ("restart", c.c_int)]


class OrbitOptions(_Options):
    _name_ = "slip_orbit_options"
    _fields_ = [("size", c.c_size_t), ("period", Text), ("multiple", c.c_int), ("guess", Double), ("source", Text),
                ("arcs", c.c_int), ("tolerance", Double), ("values", Handle)]


class BranchOptions(_Options):
    _name_ = "slip_branch_options"
    _fields_ = [("size", c.c_size_t), ("axis", c.POINTER(Axis)), ("start", Double), ("spacing", Double),
                ("points", c.c_int), ("doublings", c.c_int), ("orbit", c.POINTER(OrbitOptions)), ("second", c.POINTER(Axis)),
                ("curve", Text), ("resonance", Text), ("harmonics", c.c_int)]


class BasinOptions(_Options):
    _name_ = "slip_basin_options"
    _fields_ = [("size", c.c_size_t), ("axes", c.POINTER(Axis)), ("axis_count", c.c_int), ("period", Text),
                ("section", Text), ("tolerance", Double), ("within", c.c_int64), ("refine", c.c_int),
                ("threads", c.c_int), ("part", c.c_int), ("parts", c.c_int), ("folder", Text), ("restart", c.c_int),
                ("run", c.POINTER(RunOptions)),
                ("device", Text), ("labels", c.c_int)]


class FitOptions(_Options):
    _name_ = "slip_fit_options"
    _fields_ = [("size", c.c_size_t), ("data", Text), ("vary", c.POINTER(Text)), ("series", c.POINTER(Text)),
                ("confidence", Double), ("iterations", c.c_int), ("run", c.POINTER(RunOptions))]


class GearCycleOptions(_Options):
    _name_ = "slip_gear_cycle_options"
    _fields_ = [("torque", Double), ("distance", Double), ("penalty", Double), ("two_pass", Double), ("smooth", c.c_int),
                ("points", c.c_int), ("cycles", Double), ("phase", Double), ("locate", c.c_int), ("room", Double * 8)]


class LyapunovOptions(_Options):
    _name_ = "slip_lyapunov_options"
    _fields_ = [("size", c.c_size_t), ("interval", Text), ("transient", Double), ("intervals", c.c_int64),
                ("run", c.POINTER(RunOptions)), ("axes", c.POINTER(Axis)), ("axis_count", c.c_int), ("threads", c.c_int),
                ("part", c.c_int), ("parts", c.c_int), ("folder", Text), ("restart", c.c_int), ("device", Text)]


WrittenFunction = c.CFUNCTYPE(None, c.c_void_p, Text)


class PlotOptions(_Options):
    _name_ = "slip_plot_options"
    _fields_ = [("size", c.c_size_t), ("start", Double), ("to", Double), ("written", WrittenFunction),
                ("user", c.c_void_p), ("quantity", Text), ("formats", Text), ("xy", Text)]


LogFunction = c.CFUNCTYPE(None, c.c_void_p, c.c_int, Text)

_OUT = c.POINTER(Handle)
_FUNCTIONS = {
    "slip_version": (Text, []),
    "slip_context_create": (Handle, []),
    "slip_context_destroy": (None, [Handle]),
    "slip_context_message": (Text, [Handle]),
    "slip_context_interrupt": (None, [Handle]),
    "slip_context_resume": (None, [Handle]),
    "slip_context_set_log": (None, [Handle, LogFunction, c.c_void_p]),
    "slip_model_load_with": (c.c_int, [Handle, Text, c.POINTER(Text), _OUT]),
    "slip_model_parse": (c.c_int, [Handle, Text, Text, c.POINTER(Text), _OUT]),
    "slip_model_destroy": (None, [Handle]),
    "slip_model_coordinate_count": (c.c_int, [Handle]),
    "slip_model_coordinate_name": (Text, [Handle, c.c_int]),
    "slip_model_given_count": (c.c_int, [Handle]),
    "slip_model_state_count": (c.c_int, [Handle]),
    "slip_model_state_name": (Text, [Handle, c.c_int]),
    "slip_model_contact_count": (c.c_int, [Handle]),
    "slip_model_contact_name": (Text, [Handle, c.c_int]),
    "slip_model_title": (Text, [Handle]),
    "slip_model_describe": (Text, [Handle, Handle]),
    "slip_mode_name": (Text, [c.c_int]),
    "slip_values_create": (c.c_int, [Handle, Handle, _OUT]),
    "slip_values_destroy": (None, [Handle]),
    "slip_values_set": (c.c_int, [Handle, Handle, Text, Double]),
    "slip_values_number": (Double, [Handle, Text]),
    "slip_example_count": (c.c_int, []),
    "slip_example_name": (Text, [c.c_int]),
    "slip_example_text": (Text, [Text]),
    "slip_run": (c.c_int, [Handle, Handle, c.POINTER(RunOptions), _OUT]),
    "slip_modes_solve": (c.c_int, [Handle, Handle, c.POINTER(ModesOptions), _OUT]),
    "slip_statics_solve": (c.c_int, [Handle, Handle, c.c_void_p, _OUT]),
    "slip_statics_result": (c.c_int, [Handle, Handle, _OUT]),
    "slip_statics_destroy": (None, [Handle]),
    "slip_continue": (c.c_int, [Handle, Handle, c.POINTER(ContinueOptions), _OUT]),
    "slip_sweep": (c.c_int, [Handle, Handle, c.POINTER(SweepOptions), _OUT]),
    "slip_bifurcation": (c.c_int, [Handle, Handle, c.POINTER(BifurcationOptions), _OUT]),
    "slip_orbit_find": (c.c_int, [Handle, Handle, c.POINTER(OrbitOptions), _OUT]),
    "slip_branch_follow": (c.c_int, [Handle, Handle, c.POINTER(BranchOptions), _OUT]),
    "slip_basin": (c.c_int, [Handle, Handle, c.POINTER(BasinOptions), _OUT]),
    "slip_lyapunov": (c.c_int, [Handle, Handle, c.POINTER(LyapunovOptions), _OUT]),
    "slip_fit": (c.c_int, [Handle, Handle, c.POINTER(FitOptions), _OUT]),
    "slip_gear_cycle_options_of": (c.c_int, [Handle, Handle, c.POINTER(GearCycleOptions)]),
    "slip_gear_cycle_model": (c.c_int, [Handle, Handle, c.POINTER(GearCycleOptions), _OUT]),
    "slip_fmu_save": (c.c_int, [Handle, Handle, Text, c.c_void_p, c.c_void_p]),
    "slip_result_destroy": (None, [Handle]),
    "slip_result_series": (Doubles, [Handle, Text, c.POINTER(c.c_int64)]),
    "slip_result_word": (Text, [Handle, Text, c.c_int64]),
    "slip_result_unit": (Text, [Handle, Text]),
    "slip_result_kind": (Text, [Handle]),
    "slip_result_method": (Text, [Handle]),
    "slip_result_series_count": (c.c_int, [Handle]),
    "slip_result_series_name": (Text, [Handle, c.c_int]),
    "slip_result_event_count": (c.c_int64, [Handle]),
    "slip_result_event": (c.POINTER(Event), [Handle, c.c_int64]),
    "slip_result_event_contact": (Text, [Handle, c.c_int64]),
    "slip_result_label_count": (c.c_int64, [Handle]),
    "slip_result_label": (c.POINTER(Label), [Handle, c.c_int64]),
    "slip_result_summary": (Text, [Handle, Handle]),
    "slip_result_save": (c.c_int, [Handle, Handle, Text]),
    "slip_result_load": (c.c_int, [Handle, Text, _OUT]),
    "slip_plot": (c.c_int, [Handle, Text, c.POINTER(PlotOptions)]),
    "slip_export": (c.c_int, [Handle, Text, Text, Text]),
    "slip_report": (c.c_int, [Handle, Text, Text]),
    "slip_simulation_open": (c.c_int, [Handle, Handle, Handle, c.POINTER(SimulationOptions), _OUT]),
    "slip_simulation_close": (None, [Handle]),
    "slip_simulation_advance": (c.c_int, [Handle, Handle, Double]),
    "slip_simulation_advance_until": (c.c_int, [Handle, Handle, Double, Text]),
    "slip_simulation_time": (Double, [Handle]),
    "slip_simulation_number": (Double, [Handle, Text]),
    "slip_simulation_mode": (c.c_int, [Handle, Text]),
    "slip_simulation_state": (None, [Handle, Doubles, Doubles]),
    "slip_simulation_states": (None, [Handle, Doubles]),
    "slip_simulation_input": (c.c_int, [Handle, Text, Double]),
    "slip_simulation_set_state": (c.c_int, [Handle, Handle, Double, Doubles, Doubles]),
    "slip_simulation_set_states": (c.c_int, [Handle, Handle, Doubles]),
    "slip_simulation_save": (c.c_int, [Handle, Handle, _OUT]),
    "slip_simulation_restore": (c.c_int, [Handle, Handle, Handle]),
    "slip_saved_state_destroy": (None, [Handle]),
}
for _name, (_result, _arguments) in _FUNCTIONS.items():
    _function = getattr(library, _name)
    _function.restype = _result
    _function.argtypes = _arguments


def encode(text):
    """A text or a path as the library takes it; None stays None."""
    if text is None:
        return None
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise UsageError("found a zero byte in %r, expected a text without" % (text[:40],))
    return encoded


def decode(text):
    return None if text is None else text.decode("utf-8", "replace")


class Context:
    """What a job reports to: messages of errors, warnings, the interrupt. Python's Ctrl-C reaches the library only where
    it calls back; `call` therefore runs long jobs with the default action of SIGINT replaced by an interrupt."""

    def __init__(self, warn=True):
        self.handle = library.slip_context_create()
        if not self.handle:
            raise OutOfMemory("out of memory")
        self._log = LogFunction(self._take)
        if warn:
            library.slip_context_set_log(self.handle, self._log, None)
        self.failure = None  # an exception of a callback, or of Ctrl-C
        self._calling = False

    @staticmethod
    def _take(_, level, message):
        if level >= 2:
            import warnings
            warnings.warn(decode(message), stacklevel=5)

    def message(self):
        return decode(library.slip_context_message(self.handle))

    def check(self, status, result=None):
        """Raises the exception of a status; returns the status where it is none."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure
        if status >= 0:
            return status
        if status == INTERRUPTED:
            raise KeyboardInterrupt
        error = _ERRORS.get(status, SlipstickError)(self.message())
        if isinstance(error, SolverError):
            error.result = result
        raise error

    @contextlib.contextmanager
    def interruptible(self):
        """In the block Ctrl-C ends a call of the library within half a second, and all else as Python does. `check` after the
        block raises it."""
        if (threading.current_thread() is not threading.main_thread() or
                signal.getsignal(signal.SIGINT) is not signal.default_int_handler):  # of somebody else, or of a block around
            yield
            return
        # A Python handler would run only after the call: the library's own flag is set by a thread that waits for
        # the signal's byte.
        wake, wake_end = os.pipe()
        os.set_blocking(wake_end, False)
        pressed = threading.Event()

        def wait():
            while (byte := os.read(wake, 1)) != b"\0":
                if byte[0] == signal.SIGINT:
                    pressed.set()
                    library.slip_context_interrupt(self.handle)

        def handle(*_):
            if not self._calling:
                raise KeyboardInterrupt

        waiter = threading.Thread(target=wait, daemon=True)
        waiter.start()
        before = signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        try:
            signal.signal(signal.SIGINT, handle)
            yield
        finally:
            signal.set_wakeup_fd(before)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.write(wake_end, b"\0")
            waiter.join()
            os.close(wake)
            os.close(wake_end)
            if pressed.is_set():
                library.slip_context_resume(self.handle)
        if pressed.is_set():
            self.failure = self.failure or KeyboardInterrupt()

    def call(self, function, *arguments):
        """Calls a function of the library with this context; Ctrl-C ends it within half a second."""
        with self.interruptible():
            self._calling = True
            try:
                return function(self.handle, *arguments)
            finally:
                self._calling = False

    def __del__(self):
        if getattr(self, "handle", None):
            library.slip_context_destroy(self.handle)
            self.handle = None


def texts(items):
    """A list of texts that ends with NULL; None where there is none. One text is a list of one."""
    if items is None:
        return None
    items = [items] if isinstance(items, str) else list(items)
    return (Text * (len(items) + 1))(*[encode(item) for item in items], None)
