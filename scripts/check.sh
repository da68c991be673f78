#!/bin/sh
# check.sh PART: installs what a part of `make check` needs and runs it.
set -eu

cd "$(dirname "$0")/.."
case $1 in
  simd) scripts/setup.sh test python ;;
  neon) scripts/setup.sh neon ;;
  alone | dev) scripts/setup.sh test python check bench ;;
  *) scripts/setup.sh test python check ;;
esac

case $1 in
  format) scripts/format.sh --check ;;
  arrows) "${PYTHON:-/usr/bin/python3}" scripts/arrows.py ;;
  # The tests once for each instruction set that this CPU has.
  simd)
    scripts/build.sh release
    scripts/test_simd.sh build -LE 'slow|simd'
    ;;
  # Vector loops as on an ARM CPU, by an emulator.
  neon) scripts/test_neon.sh build ;;
  # Every file and public header by itself; clang-tidy over batches of them.
  alone | tidy) "${PYTHON:-/usr/bin/python3}" scripts/lint.py "$1" ;;
  # The sanitizers run this code with the same asserts: here compiling without a warning is enough.
  dev) scripts/build.sh dev all mercer_bench ;;
  clang)
    scripts/build.sh clang
    scripts/test.sh build/clang -LE slow
    ;;
  asan)
    scripts/build.sh asan-ubsan
    scripts/test.sh build/asan-ubsan -LE slow
    ;;
  tsan)
    scripts/build.sh tsan
    TSAN_OPTIONS=ignore_noninstrumented_modules=1 scripts/test.sh build/tsan -LE slow
    ;;
  *)
    echo "check: what is $1? See make help" >&2
    exit 2
    ;;
esac
