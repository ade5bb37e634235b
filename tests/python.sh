#!/usr/bin/env bash
# The Python package: its tests on the library of a build, then the wheel as `pip install ./python` makes it, and five lines of a
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
