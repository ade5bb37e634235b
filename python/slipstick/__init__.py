"""Slipstick: simulation of mechanical systems with dry friction and contact.

    import slipstick
    m = slipstick.example("stick-slip-belt")
    r = m.run(mu=0.4)
    r["x"], r.events, r.number("max.x")
"""
from ._library import (FileError, ModelError, OutOfMemory, SlipstickError, SolverError, UsageError, decode, library)
from ._model import Model, SavedState, Simulation, example, examples, load, parse
from ._result import Result, draw, load_result

__version__ = decode(library.slip_version())
__all__ = ["FileError", "Model", "ModelError", "OutOfMemory", "Result", "SavedState", "Simulation", "SlipstickError",
           "SolverError", "UsageError", "draw", "example", "examples", "load", "load_result", "parse"]
