"""Builds the wheel: the C library is compiled by CMake from the folder above and put into the package. One wheel serves every
Python 3, since the package talks to the library by ctypes.

SLIPSTICK_LIBRARY=PATH takes a library that is there already instead; the path begins at the folder above, since pip builds in another
folder than the one where it was called."""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel  # since setuptools 70.1
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(\s*\w+\s+VERSION\s+([0-9.]+)", text).group(1)


def make_library(work):
    """Compiles the library; returns its path."""
    given = os.environ.get("SLIPSTICK_LIBRARY")
    if given:
        return ROOT / given
    work.mkdir(parents=True, exist_ok=True)
    subprocess.check_call(["cmake", "-S", str(ROOT), "-B", str(work), "-DCMAKE_BUILD_TYPE=Release"])
    subprocess.check_call(["cmake", "--build", str(work), "--target", "slipstick", "--parallel"])
    return work / "libslipstick.so"


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        target = pathlib.Path(self.build_lib) / "slipstick" / "libslipstick.so"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(make_library(ROOT / "build" / "python").resolve(), target)


class PlatformWheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(version=version(), cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel})
