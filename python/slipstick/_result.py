"""Results: named series as NumPy arrays, numbers, events, labels."""
from __future__ import annotations

import ctypes as c
import html
import json
import os
import pathlib
import shutil
import tempfile
from typing import TYPE_CHECKING, Union

import numpy as np

from ._library import Context, Handle, PlotOptions, WrittenFunction, decode, encode, library

if TYPE_CHECKING:
    import pandas

Path = Union[str, "os.PathLike[str]"]


class Result:
    """What a run or a study has left.

    `result["x"]` is a series as an array (of a copy: it outlives the result); words such as modes of contacts come as
    texts. `result.number("max.x")` looks a number of the summary up, `result.summary` has them all as a dictionary.
    """

    def __init__(self, handle):
        self._handle = handle
        self._names = [decode(library.slip_result_series_name(handle, k))
                       for k in range(library.slip_result_series_count(handle))]

    def __del__(self):
        if getattr(self, "_handle", None):
            library.slip_result_destroy(self._handle)
            self._handle = None

    @property
    def kind(self) -> str:
        """Which verb made it: "run", "sweep", "modes" ..."""
        return decode(library.slip_result_kind(self._handle))

    @property
    def method(self) -> str:
        return decode(library.slip_result_method(self._handle))

    @property
    def names(self) -> list[str]:
        """The names of all series."""
        return list(self._names)

    def __contains__(self, name):
        return self._series(name)[0] is not None

    def _series(self, name):
        count = c.c_int64()
        values = library.slip_result_series(self._handle, encode(name), c.byref(count))
        return (values if values else None), count.value

    def __getitem__(self, name: str) -> np.ndarray:
        values, count = self._series(name)
        if values is None and name not in self._names:
            raise KeyError("%s; there are: %s" % (name, ", ".join(self._names)))
        array = np.ctypeslib.as_array(values, (count,)).copy() if count else np.empty(0)
        if count and library.slip_result_word(self._handle, encode(name), 0) is not None:
            words = {}
            for value, index in zip(*np.unique(array, return_index=True)):
                words[value] = decode(library.slip_result_word(self._handle, encode(name), int(index)))
            return np.array([words[value] for value in array])
        return array

    def unit(self, name: str) -> str:
        """The unit of a series, "" where it is not known."""
        return decode(library.slip_result_unit(self._handle, encode(name)))

    def __len__(self) -> int:
        return self._series(self._names[0])[1] if self._names else 0

    @property
    def summary(self) -> dict:
        """The numbers of summary.json as a dictionary."""
        context = Context()
        text = library.slip_result_summary(context.handle, self._handle)
        if text is None:
            context.check(-5)
        return json.loads(decode(text))

    def number(self, path: str) -> float:
        """A number of the summary by its path, such as "max.x" or "steady.amplitude.x"."""
        found = self.summary
        for key in path.split("."):
            if not isinstance(found, dict) or key not in found:
                raise KeyError(path)
            found = found[key]
        return found

    @property
    def events(self) -> list[tuple[float, str, str, str]]:
        """A list of (time, contact, from, to); contacts and modes by name."""
        events = []
        for k in range(library.slip_result_event_count(self._handle)):
            event = library.slip_result_event(self._handle, k).contents
            events.append((event.time, decode(library.slip_result_event_contact(self._handle, k)),
                           decode(library.slip_mode_name(event.start)), decode(library.slip_mode_name(event.to))))
        return events

    @property
    def labels(self) -> list[dict]:
        """Points of a path that are worth a name, as dictionaries."""
        labels = []
        for k in range(library.slip_result_label_count(self._handle)):
            label = library.slip_result_label(self._handle, k).contents
            labels.append({"number": label.number, "branch": label.branch, "type": decode(label.type),
                           "value": label.value, "contact": decode(label.contact), "from": decode(label.start),
                           "to": decode(label.to), "note": decode(label.note)})
        return labels

    def to_dict(self) -> dict[str, np.ndarray]:
        """All series of the main table, by name."""
        return {name: self[name] for name in self._names if self._series(name)[1] == len(self)}

    def to_frame(self) -> pandas.DataFrame:
        """The same as a pandas frame; pandas must be installed."""
        import pandas
        return pandas.DataFrame(self.to_dict())

    # ---- Files.

    def save(self, folder: Path) -> None:
        """Writes the folder of the result: result.h5, summary.json, tables."""
        context = Context()
        context.check(library.slip_result_save(context.handle, self._handle, encode(folder)))

    def plot(self, folder: Path) -> list[str]:
        """Saves the result and draws its pictures there; returns the paths of the PNG and SVG files."""
        self.save(folder)
        return draw(folder)

    def export(self, path: Path, form: str | None = None) -> None:
        """All series as one file: CSV or MATLAB, by the ending of the path unless `form` says it."""
        form = form or pathlib.Path(path).suffix.lstrip(".")
        work = tempfile.mkdtemp()
        try:
            context = Context()
            self.save(work)
            context.check(library.slip_export(context.handle, encode(work), encode(form), encode(path)))
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def report(self, path: Path) -> None:
        """One HTML file that shows the result in a browser, offline."""
        work = tempfile.mkdtemp()
        try:
            context = Context()
            self.save(work)
            context.check(library.slip_report(context.handle, encode(work), encode(path)))
        finally:
            shutil.rmtree(work, ignore_errors=True)

    # ---- Notebooks.

    def _repr_png_(self):
        work = tempfile.mkdtemp()
        try:
            pictures = [path for path in self.plot(work) if path.endswith(".png")]
            return pathlib.Path(pictures[0]).read_bytes() if pictures else None
        except Exception:  # without gnuplot there is the table
            return None
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _repr_html_(self):
        rows = []

        def walk(prefix, values):
            for key, value in values.items():
                if isinstance(value, dict):
                    walk(prefix + key + ".", value)
                elif isinstance(value, (int, float, str, bool)) and len(rows) < 40:
                    text = "%.9g" % value if isinstance(value, float) else str(value)
                    rows.append("<tr><td>%s</td><td>%s</td></tr>" % (html.escape(prefix + key), html.escape(text)))

        walk("", self.summary)
        picture = self._repr_png_()
        import base64
        image = "" if picture is None else '<img style="max-width:100%%" alt="%s" src="data:image/png;base64,%s">' % (
            self.kind, base64.b64encode(picture).decode())
        return image + "<table><tr><th>number</th><th>value</th></tr>%s</table>" % "".join(rows)

    def __repr__(self):
        return "<slipstick result of kind %s: %d records of %s>" % (self.kind, len(self), ", ".join(self._names[:8]))


def load_result(folder: Path) -> Result:
    """Reads the folder of a result, whichever verb has left it."""
    context = Context()
    handle = Handle()
    context.check(library.slip_result_load(context.handle, encode(folder), c.byref(handle)))
    return Result(handle)


def draw(folder: Path, start: float = float("nan"), to: float = float("nan")) -> list[str]:
    """Draws the pictures of a result in a folder; returns their paths."""
    context = Context()
    options = PlotOptions.default()
    paths = []
    written = WrittenFunction(lambda _, path: paths.append(decode(path)))
    options.written = written
    options.start, options.to = start, to
    context.check(context.call(library.slip_plot, encode(folder), c.byref(options)))
    return paths
