"""The Python package against the C library: the same numbers, the same messages."""
import ast
import ctypes
import inspect
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings
import zipfile

import numpy as np

import slipstick
from slipstick import _library

ROOT = pathlib.Path(os.environ["SLIPSTICK_SOURCE"])


class Layout(unittest.TestCase):
    """Every struct of the package has the fields of the C header, where the compiler puts them."""

    NAMES = {"start": {"slip_event": "from", "slip_label": "from", "slip_axis": "from", "slip_plot_options": "from"},
             "source": {"slip_continue_options": "from", "slip_orbit_options": "from"}, "source_label": {"slip_continue_options": "from_label"}}

    def test_interface(self):
        """An installed library is found by the version of the interface that is described here."""
        self.assertTrue(slipstick.__version__.startswith(_library._INTERFACE + "."), slipstick.__version__)
        folder = pathlib.Path(os.environ["SLIPSTICK_LIBRARY"]).parent
        self.assertTrue((folder / ("libslipstick.so." + _library._INTERFACE)).exists())

    def test_offsets(self):
        structs = {"slip_event": _library.Event, "slip_label": _library.Label, "slip_axis": _library.Axis}
        for struct in vars(_library).values():
            if isinstance(struct, type) and issubclass(struct, _library._Options) and hasattr(struct, "_name_"):
                structs[struct._name_] = struct
        self.assertGreater(len(structs), 9)
        lines = ['#include "slipstick/slipstick.h"', "#include <stdio.h>", "int main(void){"]
        for name, struct in structs.items():
            lines.append('printf("%s %%zu\\n", sizeof(%s));' % (name, name))
            for field, _ in struct._fields_:
                there = self.NAMES.get(field, {}).get(name, field)
                lines.append('printf("%s.%s %%zu\\n", offsetof(%s, %s));' % (name, field, name, there))
        with tempfile.TemporaryDirectory() as work:
            source, program = pathlib.Path(work, "layout.c"), pathlib.Path(work, "layout")
            source.write_text("#include <stddef.h>\n" + "\n".join(lines) + "}\n")
            subprocess.check_call(["cc", "-I", str(ROOT / "include"), "-o", str(program), str(source), "-L",
                                   os.path.dirname(os.environ["SLIPSTICK_LIBRARY"]), "-lslipstick"])
            output = subprocess.check_output([str(program)], text=True, env={
                **os.environ, "LD_LIBRARY_PATH": os.path.dirname(os.environ["SLIPSTICK_LIBRARY"])})
        found = dict(line.split() for line in output.splitlines())
        for name, struct in structs.items():
            self.assertEqual(int(found[name]), ctypes.sizeof(struct), name)
            for field, _ in struct._fields_:
                self.assertEqual(int(found["%s.%s" % (name, field)]), getattr(struct, field).offset, (name, field))


class Models(unittest.TestCase):
    def test_examples_and_names(self):
        self.assertIn("stick-slip-belt", slipstick.examples())
        m = slipstick.example("stick-slip-belt")
        self.assertEqual((m.coordinates, m.contacts, m.states), (["x"], ["belt"], []))
        self.assertIn("law coulomb", str(m))
        self.assertRegex(slipstick.__version__, r"^\d+\.\d+\.\d+$")

    def test_a_model_without_a_file(self):
        m = slipstick.Model({"coordinates": ["x", "y"], "mass": np.eye(2), "stiffness": np.array([[2.0, -1], [-1, 1]]),
                             "simulate": {"time": [0, np.float64(5)], "initial": {"x": 1}}})
        r = m.run(tolerance=1e-11)
        w, v = np.linalg.eigh([[2.0, -1], [-1, 1]])
        x = v @ (np.cos(np.sqrt(w)[:, None] * r["t"]) * (v.T @ [1, 0])[:, None])
        self.assertLess(np.abs(x[0] - r["x"]).max(), 1e-10)
        self.assertLess(np.abs(np.sort(m.modes()["frequency"]) - np.sqrt(w) / 2 / math.pi).max(), 1e-12)

    def test_errors_are_exceptions_with_the_same_message(self):
        with self.assertRaisesRegex(slipstick.ModelError, "did you mean `mass`"):
            slipstick.parse("slipstick: 1\ncoordinates: [x]\nmas: [[1]]\n")
        m = slipstick.example("stick-slip-belt")
        with self.assertRaisesRegex(slipstick.UsageError, "did you mean `mu`"):
            m.run(nu=1)
        with self.assertRaises(ValueError):
            m.run(method="evnt")
        with self.assertRaisesRegex(slipstick.ModelError, "mu"):
            m.run(mu=-1)
        with self.assertRaises(OSError):
            slipstick.load("/nowhere/belt.yaml")
        with self.assertRaisesRegex(slipstick.UsageError, "there is no example"):
            slipstick.example("belts")
        with self.assertRaises(slipstick.UsageError):
            m.run(start={"y": 1})


class Runs(unittest.TestCase):
    def test_series_events_numbers(self):
        m = slipstick.example("stick-slip-belt")
        r = m.run(time=20)
        self.assertEqual(r.kind, "run")
        self.assertEqual(set(r["belt.mode"]), {"stick", "slip-"})
        release = r.events[0]
        self.assertEqual(release[1:], ("belt", "stick", "slip-"))
        self.assertAlmostEqual(release[0], (0.48 - 0.02 * 0.2) / 0.2, places=12)
        self.assertEqual(r.number("final.t"), 20)
        self.assertEqual(r.number("max.x"), r.summary["max"]["x"])
        self.assertIn("x", r)
        self.assertNotIn("y", r)
        with self.assertRaises(KeyError):
            r["y"]
        self.assertEqual(len(r.to_dict()["x"]), len(r))
        self.assertLess(m.run(vb=0.1, time=20).number("max.x"), r.number("max.x"))
        self.assertEqual(m.run(start={"x": 0.25, "x'": 0}, time=1)["x"][0], 0.25)

    def test_observers(self):
        m = slipstick.example("stick-slip-belt")
        events, steps = [], []
        m.run(time=20, on_event=lambda *e: events.append(e), on_step=lambda t, q, v: steps.append((t, q[0], v[0])))
        self.assertEqual(events, m.run(time=20).events)
        self.assertGreater(len(steps), 5)
        stopped = m.run(time=20, on_event=lambda *e: True)
        self.assertLess(stopped.number("final.t"), 5)

        def fails(t, q, v):
            raise RuntimeError("from the observer")

        with self.assertRaisesRegex(RuntimeError, "from the observer"):
            m.run(on_step=fails)

    def test_a_simulation_is_the_run(self):
        m = slipstick.example("stick-slip-belt")
        r = m.run(time=10, record=11)
        at = {t: x for t, x in zip(r["t"], r["x"])}
        with m.simulation() as s:
            for t in range(1, 11):
                s.advance(t)
                self.assertAlmostEqual(s["x"], at[t], places=12)
            saved = s.save()
            s.advance(12)
            there = s.state[0][0]
            s.restore(saved)
            self.assertEqual(s.time, 10)
            s.advance(12)
            self.assertEqual(s.state[0][0], there)
            self.assertTrue(s.advance_until(30, "x'"))
            self.assertLess(abs(s["x'"]), 1e-12)
            s["vb"] = 0.3
            s.set_state(q=[0.1], v=[0.3])
            s.advance(s.time + 0.1)
            self.assertAlmostEqual(s["x'"], 0.3, places=12)
            self.assertEqual(s["belt.mode"], "stick")
        with self.assertRaises(slipstick.UsageError):
            s.advance(100)

    def test_functions_as_inputs(self):
        """A parameter by a function that is called every 0.25 is a table that holds its numbers for 0.25."""
        t = np.arange(0, 3, 0.25)
        model = {"coordinates": ["x"], "mass": [[1]], "stiffness": [[4]],
                 "contacts": {"pad": {"kind": "friction", "slip": "x'", "law": {"type": "coulomb", "mu": 0.3}}}}
        table = {"inputs": {"load": {"points": np.column_stack((t, np.cos(t))), "between": "hold"}}}
        expected = slipstick.Model({**model, **table, "forces": {"x": "load(t)"}, "simulate": {"time": [0, 3]}}).run()
        driven = slipstick.Model({**model, "parameters": {"F": 0}, "forces": {"x": "F"}, "simulate": {"time": [0, 3]}})
        with driven.simulation() as s:
            self.assertFalse(s.drive(3, 0.25, F=lambda s: math.cos(s.time)))
            self.assertEqual(s.time, 3)
            self.assertAlmostEqual(s["x"], expected.number("final.x"), places=12)
            with self.assertRaises(slipstick.UsageError):
                s.drive(4, 0)
            with self.assertRaisesRegex(slipstick.UsageError, "G"):
                s.drive(4, 0.1, G=lambda s: 1)

    def test_folders(self):
        r = slipstick.example("stick-slip-belt").run(time=5)
        with tempfile.TemporaryDirectory() as work:
            folder = os.path.join(work, "belt.run")
            r.save(folder)
            again = slipstick.load_result(folder)
            np.testing.assert_array_equal(again["x"], r["x"])
            path = os.path.join(work, "belt.csv")
            r.export(path)
            with open(path) as file:
                self.assertTrue(file.readline().startswith("t,x,"))
            page = os.path.join(work, "belt.html")
            try:
                r.report(page)
                with open(page) as file:
                    self.assertIn('"kind": "run"', file.read())
            except slipstick.UsageError as error:  # a build without uPlot
                self.assertIn("scripts/setup", str(error))
            if subprocess.call(["sh", "-c", "command -v gnuplot >/dev/null"]) == 0:
                self.assertIn("history.png", [os.path.basename(p) for p in r.plot(folder)])
                self.assertIn("<img", r._repr_html_())
        self.assertIn("max.x", r._repr_html_())

    def test_report_without_a_picture(self):
        """A sweep of one run, or over three axes, has no picture: its page has the numbers."""
        m = slipstick.example("stick-slip-belt")
        for over in ({"vb": [0.1]}, {"vb": [0.1, 0.2], "mu": [0.2, 0.3], "x": [0, 0.1]}):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "page.html")
                try:
                    m.sweep(over, collect=["max.x"]).report(path)
                except slipstick.UsageError as error:  # a build without uPlot
                    self.assertIn("scripts/setup", str(error))
                else:
                    with open(path) as file:
                        self.assertIn('"kind": "sweep"', file.read())

    def test_interrupt(self):
        """Ctrl-C ends a run within half a second, also while the library computes."""
        m = slipstick.example("stribeck-belt")
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            m.run(time=1e9, record=2)
        self.assertLess(time.monotonic() - began, 20)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_interrupted_simulation_goes_on(self):
        """After Ctrl-C a simulation stands where it was interrupted, and can be advanced."""
        m = slipstick.example("stick-slip-belt")
        with m.simulation() as s:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                s.advance(1e12)
            there = s.time
            self.assertFalse(s.advance(there + 1))
            self.assertEqual(s.time, there + 1)

            def press(s):
                os.kill(os.getpid(), signal.SIGINT)
                return 0.2

            with self.assertRaises(KeyboardInterrupt):
                s.drive(there + 3, 0.1, vb=press)
            self.assertFalse(s.drive(there + 3, 0.1, vb=lambda s: 0.2))
            self.assertEqual(s.time, there + 3)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_other_signals_do_not_interrupt(self):
        old = signal.signal(signal.SIGALRM, lambda *_: None)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            r = slipstick.example("stribeck-belt").run(time=20000, record=2)
            self.assertEqual(r["t"][-1], 20000)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)

    def test_drive_costs_no_thread_a_call(self):
        """Calls within one drive share the thread that waits for Ctrl-C."""
        threads = []
        with slipstick.example("stick-slip-belt").simulation() as s:
            s.drive(1, 0.1, vb=lambda s: threads.append(threading.active_count()) or 0.2)
            began = [thread.name for thread in threading.enumerate()]
        self.assertEqual(set(threads), {len(began) + 1})

    def test_wrong_arguments_say_what_was_expected(self):
        m = slipstick.example("stick-slip-belt")
        for call in (lambda: m.run(time=(0, 1, 2)), lambda: m.run(record=-1), lambda: m.run(start={"x": float("nan")}),
                     lambda: m.sweep(vb=np.ones((2, 2))), lambda: m.branch(vb=0.1), lambda: m.branch(vb=(0.1,)),
                     lambda: m.modes(over=("mu",)), lambda: slipstick.parse("a\0b")):
            with self.assertRaisesRegex(slipstick.UsageError, "found|expected"):
                call()
        self.assertEqual(m.run(time=np.array(5.0))["t"][-1], 5)
        with m.simulation() as s:
            with self.assertRaises(KeyError):
                s["nothing.mode"]
        self.assertIn("max.x", m.sweep(vb=[0.1, 0.2], collect="max.x").names)
        made = slipstick.Model(types.MappingProxyType({
            "title": "a <b> & c", "coordinates": ["x"], "mass": np.eye(1), "stiffness": [[1.0]],
            "simulate": {"time": [0, 1], "initial": {"x": 1}}}))
        self.assertNotIn("<b>", made.run()._repr_html_())

    def test_threads_share_a_model(self):
        m = slipstick.example("stick-slip-belt")
        expected = [m.run(vb=v).number("max.x") for v in (0.1, 0.2, 0.3, 0.4)]
        found = [None] * 4

        def work(k, v):
            found[k] = m.run(vb=v).number("max.x")

        threads = [threading.Thread(target=work, args=(k, v)) for k, v in enumerate((0.1, 0.2, 0.3, 0.4))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, expected)


class Studies(unittest.TestCase):
    def test_sweep(self):
        m = slipstick.example("stick-slip-belt")
        r = m.sweep(vb=np.linspace(0.1, 0.4, 4), collect=["max.x", "events.total"])
        self.assertEqual(list(r["max.x"]), [m.run(vb=v).number("max.x") for v in r["vb"]])
        r = m.sweep({"x'": (0.01, 1, 3, "log"), "mu": [0.1, 0.3]}, collect=["final.x"])
        self.assertEqual(len(r), 6)
        self.assertAlmostEqual(r["x'"][2], 0.1)
        with self.assertRaises(slipstick.UsageError):
            m.sweep(vb=(1, 2))

    def test_bifurcation(self):
        r = slipstick.example("impact-diagram").bifurcation(w=[2.65, 2.66])
        self.assertEqual(list(r["values.multiple"]), [1, 2, 2, 1])

    def test_orbits_branches_basins_exponents(self):
        """Reference numbers of a belt whose friction falls with the velocity, and of an impact oscillator."""
        orbit = slipstick.example("stick-slip-orbit").orbit(tolerance=1e-12)
        self.assertAlmostEqual(orbit.summary["period"], 6.758548507326905, places=9)
        self.assertTrue(orbit.summary["stable"])
        self.assertAlmostEqual(orbit.summary["multipliers"][0][0], 1, places=8)
        branch = slipstick.example("impact-branch").branch(w=(1.6, 2.2))
        folds = [label["value"] for label in branch.labels if label["type"] == "LP"]
        self.assertAlmostEqual(folds[0], 1.8929790976609646, places=9)
        basin = slipstick.example("belt-basins").basin({"x": (-1.5, 2.5, 5), "x'": (-2.05, 1.95, 5)})
        self.assertEqual(len(basin), 25)
        chaos = slipstick.example("impact-diagram").lyapunov(w=2.8, intervals=200)
        self.assertGreater(chaos.summary["exponents"][0], 0.05)
        over = slipstick.example("impact-diagram").lyapunov({"w": [2.5, 2.8]}, intervals=200)
        self.assertEqual(over["exponent1"][1], chaos.summary["exponents"][0])

    def test_curves_over_two_parameters(self):
        """A ball on a table A cos t bounces once a period from A = pi (1 - r)/(1 + r) on; a mass whose damper sticks lags a
        quarter of a period at sqrt(1 + kd)."""
        ball = slipstick.Model({
            "parameters": {"A": 0.78, "r": 0.8}, "coordinates": ["x"], "mass": [[1]], "forces": {"x": -1},
            "contacts": {"table": {"kind": "unilateral", "gap": "x - A*cos(t)", "restitution": "r"}},
            "simulate": {"initial": {"x": 2.0476, "x'": 2.6776}}, "orbit": {"period": "2*pi", "from": "initial"}})
        folds = ball.branch(A=(0.2, 0.9), r=(0.75, 0.85), curve="LP", spacing=0.2)
        self.assertGreater(len(folds), 3)
        np.testing.assert_allclose(folds["A"], np.pi * (1 - folds["r"]) / (1 + folds["r"]), rtol=1e-8)
        damper = slipstick.Model({
            "parameters": {"kd": 0.5, "P": 0.002, "w": 1.4}, "coordinates": ["x"], "mass": [[1]], "damping": [[0.02]],
            "stiffness": [[1]], "forces": {"x": "P*sin(w*t)"},
            "contacts": {"d": {"kind": "friction", "slip": "x'", "law": {"type": "jenkins", "mu": 0.2, "stiffness": "kd"}}},
            "simulate": {"time": [0, 300]}, "orbit": {"period": "2*pi/w"}})
        peaks = damper.branch({"w": (1.1, 1.4), "kd": (0.45, 0.55)}, curve="PR", resonance="x", spacing=0.2)
        self.assertGreater(len(peaks), 3)
        np.testing.assert_allclose(peaks["w"], np.sqrt(1 + peaks["kd"]), rtol=1e-6)
        with self.assertRaisesRegex(slipstick.UsageError, "found 3 parameters"):
            ball.branch(A=(0, 1), r=(0, 1), g=(0, 1))

    def test_fit_and_unit(self):
        """Parameters of data without noise come back; a unit of FMI is an archive with its description."""
        m = slipstick.example("fit-coulomb")
        run = m.run(mu=0.31, c=0.16)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "measured.csv")
            keep = np.concatenate(([True], np.diff(run["t"]) > 0))
            np.savetxt(path, np.column_stack((run["t"], run["x"]))[keep], delimiter=",", header="t,x", comments="",
                       fmt="%.17g")
            r = m.fit(path, ["mu=0:2", "c"], mu=0.28)
            self.assertAlmostEqual(r.summary["value"]["mu"], 0.31, places=7)
            self.assertAlmostEqual(r.summary["value"]["c"], 0.16, places=7)
            self.assertEqual(r.kind, "fit")
            with self.assertRaises(slipstick.UsageError):
                m.fit(path, ["nu"])
            unit = os.path.join(folder, "swing.fmu")
            m.fmu(unit)
            with zipfile.ZipFile(unit) as archive:
                self.assertIn("modelDescription.xml", archive.namelist())

    def test_statics_and_paths(self):
        m = slipstick.example("one-point")
        self.assertEqual(len(m.statics()), m.statics().number("count"))
        path = m.follow()
        self.assertEqual(path.kind, "path")
        self.assertTrue({"LP", "MC"} & {label["type"] for label in path.labels})

    def test_gears(self):
        """The mesh cycle of two gears: no energy is made in it, so that the mean ratio of the torques is that of the teeth."""
        gear = {"module": 0.005, "width": 0.038, "bore": 0.05, "modes": 8,
                "mesh": {"flank": 4, "fillet": 1, "thickness": 2, "root": 2, "rim": 2, "width": 1}}
        m = slipstick.Model({"gears": {"pinion": {**gear, "teeth": 18, "profile_shift": 0.5},
                                       "wheel": {**gear, "teeth": 37, "torque": 500}}, "flanks": {"penalty": "rigid"}})
        cycle = m.gear_cycle(points=8, locate=0)
        self.assertEqual(len(cycle), 9)
        self.assertAlmostEqual(cycle.summary["torque_ratio"]["mean"], 1, places=2)
        self.assertLess(cycle.summary["balance"], 1e-12)
        self.assertTrue((cycle["stiffness"] > 1e8).all())
        self.assertGreater(m.gear_cycle(points=2, locate=0, torque=1000)["error"].mean(), 1.5 * cycle["error"].mean())
        with self.assertRaisesRegex(slipstick.UsageError, "unknown option `torqe`"):
            m.gear_cycle(torqe=1)
        with self.assertRaisesRegex(slipstick.ModelError, "expected two for a mesh cycle"):
            slipstick.example("stick-slip-belt").gear_cycle()

    def test_modes_over_a_parameter(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            r = slipstick.example("squeal", c1=0, c2=0).modes(over=("mu", 0, 1.2, 25))
        flutter = [label for label in r.labels if label["type"] == "FL"]
        self.assertAlmostEqual(flutter[0]["value"], 0.75, places=8)


class Hints(unittest.TestCase):
    def test_what_users_call_has_types(self):
        owners = [slipstick.Model, slipstick.Simulation, slipstick.Result]
        calls = [f for owner in owners for name, f in vars(owner).items() if inspect.isfunction(f) and name[0] != "_"]
        calls += [slipstick.load, slipstick.parse, slipstick.example, slipstick.examples, slipstick.load_result]
        for f in calls:
            signature = inspect.signature(f)
            kinds = [signature.return_annotation] + [p.annotation for p in signature.parameters.values() if p.name != "self"]
            self.assertNotIn(inspect.Signature.empty, kinds, f.__qualname__)


class Notebook(unittest.TestCase):
    """The cells of the tour, one after the other, and what Jupyter would show at their ends."""

    def test_the_tour_runs(self):
        cells = json.loads((ROOT / "docs" / "python-tour.ipynb").read_text())["cells"]
        names, shown = {}, 0
        for cell in cells:
            if cell["cell_type"] != "code":
                continue
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, cell["id"], "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), names)
                shown += value is not None and "<table>" in value._repr_html_()
        self.assertEqual(shown, 2)

    @unittest.skipUnless(os.environ.get("SLIPSTICK_TEST_ALL"), "by a kernel of Jupyter under scripts/test --all")
    def test_the_tour_runs_in_jupyter(self):
        try:
            import ipykernel  # noqa: F401
            import nbclient
            import nbformat
        except ImportError as error:
            self.skipTest(str(error))
        notebook = nbformat.read(ROOT / "docs" / "python-tour.ipynb", 4)
        nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
        shown = [output.data for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output]
        self.assertEqual(len(shown), 2)
        for data in shown:
            self.assertIn("image/png", data)
            self.assertIn("<table>", data["text/html"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-q", *sys.argv[1:]])
