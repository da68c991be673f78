#!/bin/sh
# build.sh PRESET [TARGET...]: configures a preset of CMakePresets.json where need be, then builds.
set -eu

cd "$(dirname "$0")/.."
preset=$1
shift
[ "$preset" = release ] && dir=build || dir=build/$preset

# What was not found the last time (LIBSVM, for the tests) may have been installed since.
if ! [ -f "$dir/build.ninja" ] || grep -q '^LIBSVM_.*-NOTFOUND' "$dir/CMakeCache.txt"; then
  cmake --preset "$preset"
fi
if [ $# = 0 ]; then
  cmake --build "$dir"
else
  cmake --build "$dir" --target "$@"
fi
