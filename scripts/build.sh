#!/bin/sh
# build.sh PRESET [TARGET...]: configures a preset of CMakePresets.json once, then builds.
set -eu

cd "$(dirname "$0")/.."
preset=$1
shift
[ "$preset" = release ] && dir=build || dir=build/$preset

[ -f "$dir/build.ninja" ] || cmake --preset "$preset"
if [ $# = 0 ]; then
  cmake --build "$dir"
else
  cmake --build "$dir" --target "$@"
fi
