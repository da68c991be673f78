#!/bin/sh
# build.sh PRESET [-DNAME=VALUE] [TARGET...]: configures a preset of CMakePresets.json where need be, or with a setting that
# its folder then keeps, and builds.
set -eu

cd "$(dirname "$0")/.."
preset=$1
shift
[ "$preset" = release ] && dir=build || dir=build/$preset
setting=
case ${1:-} in -D*) setting=$1 && shift ;; esac

# What was not found the last time (LIBSVM for the tests, Python's packages) may have been installed since.
if [ -n "$setting" ] || ! [ -f "$dir/build.ninja" ] || [ CMakePresets.json -nt "$dir/build.ninja" ] ||
  grep -q -e '^LIBSVM_.*-NOTFOUND' -e '^MERCER_PYTHON_.*-NOTFOUND' "$dir/CMakeCache.txt"; then
  cmake --preset "$preset" --no-warn-unused-cli -DPython_EXECUTABLE="${PYTHON:-/usr/bin/python3}" ${setting:+"$setting"}
fi
if [ $# = 0 ]; then
  cmake --build "$dir"
else
  cmake --build "$dir" --target "$@"
fi
