#!/usr/bin/env bash
# Installs a build into a fresh folder and builds a program against it, by pkg-config and by CMake.
#   tests/install.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
build=$(realpath "$1")
source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >/dev/null
config=$(find "$work/installed" -name slipstick.pc)
library=$(dirname "$(dirname "$config")")
example=$source/examples/c/load_and_run.c

"$work/installed/bin/slipstick" version
cd "$work"
read -ra flags < <(PKG_CONFIG_PATH=$(dirname "$config") pkg-config --cflags --libs slipstick)
cc -std=c17 -o by-pkg-config "$example" "${flags[@]}"
LD_LIBRARY_PATH=$library ./by-pkg-config "$source/examples/linear.yaml"

mkdir project
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(slipstick REQUIRED)
add_executable(by-cmake $example)
target_link_libraries(by-cmake PRIVATE slipstick::slipstick)
END
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$work/installed" >/dev/null
cmake --build project/build >/dev/null
project/build/by-cmake "$work/installed/share/slipstick/examples/oscillator.yaml"
