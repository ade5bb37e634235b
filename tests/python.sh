#!/usr/bin/env bash
# The Python package: its tests on the library of a build, its structs against those of the headers, then the wheel as `pip install ./python` makes it, and five lines of a
# new user with it.
#   tests/python.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
build=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=/usr/bin/python3
export SLIPSTICK_LIBRARY=$build/libslipstick.so SLIPSTICK_SOURCE=$source PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=$source/python $python "$source/python/tests/test_slipstick.py"

# A struct of options is as long as the header's, and so has all of its fields.
PYTHONPATH=$source/python $python - >"$work/sizes.c" <<'END'
from slipstick import _library
import ctypes
print('#include <stdio.h>\n#include "slipstick/slipstick.h"\n#include "slipstick/fit.h"\n#include "slipstick/gear.h"\nint main(void)\n{\n    int wrong = 0;')
for options in _library._Options.__subclasses__():
    print(f'    if (sizeof({options._name_}) != {ctypes.sizeof(options)})\n        wrong = printf("{options.__name__} has {ctypes.sizeof(options)} bytes, '
          f'{options._name_} of the header %zu: give it the missing fields\\n", sizeof({options._name_}));')
print("    return wrong != 0;\n}")
END
cc -I "$source/include" -o "$work/sizes" "$work/sizes.c"
"$work/sizes"

# No package index is at hand: what builds is Debian's. The library is the one of the build.
cp -r "$source/python" "$source/CMakeLists.txt" "$work"
rm -rf "$work/python/build" # what an earlier `pip install` left, which would seem to be as new as the copy
ln -s "$SLIPSTICK_LIBRARY" "$work/mine.so"
$python -m venv --system-site-packages "$work/env"
SLIPSTICK_LIBRARY=mine.so "$work/env/bin/pip" install --quiet --no-build-isolation --no-deps --no-index "$work/python"
cd "$work"
unset SLIPSTICK_LIBRARY PYTHONPATH
env/bin/python - <<'END'
import slipstick
m = slipstick.example("stick-slip-belt")
r = m.run(mu=0.4)
pictures = r.plot("belt.run")
print(r.number("max.x"), *pictures, slipstick.__file__)
END
[ -s belt.run/history.png ]
[ -e env/lib/python3*/site-packages/slipstick/libslipstick.so ]
