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
    scripts/test_simd.sh build -LE 'slow|simd|distributed'
    ;;
  # Vector loops as on an ARM CPU, by an emulator.
  neon) scripts/test_neon.sh build ;;
  # Every file and public header by itself; clang-tidy over batches of them.
  alone | tidy) "${PYTHON:-/usr/bin/python3}" scripts/lint.py "$1" ;;
  # The sanitizers run this code with the same asserts: here compiling without a warning is enough.
  dev) scripts/build.sh dev all mercer_bench ;;
  # Scripts and the page are not compiled.
  clang)
    scripts/build.sh clang
    scripts/test.sh build/clang -LE slow -E '^(scripts|web)\.'
    ;;
  # Tests of vector loops go through all instruction sets by themselves; what must not compile was seen not to.
  asan)
    scripts/build.sh asan-ubsan
    scripts/test.sh build/asan-ubsan -LE 'slow|simd' -E '^(scripts|web|compile_fail)\.'
    ;;
  # Where threads meet: the pool, what is cut into tasks for it, the lanes of the studio.
  tsan)
    scripts/build.sh tsan mercer_tests
    suites=$(cd tests && grep -rhoE '^TEST(_F|_P)?\([A-Za-z]+' base linalg gram solve centres studio |
      sed 's/.*(/*/; s/$/.*:/' | sort -u | tr -d '\n')
    # The sanitizer starts no thread in a forked child, and has one of its own, which whoever counts threads would count.
    TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1" \
      build/tsan/mercer_tests --gtest_brief=1 --gtest_filter="$suites*Threads*:RowCache.*-*Slow*:*DeathTest*:*StudioFigures*:Pool.ForkedChildWorks:ResourcesTest.ThreadsReach*"
    ;;
  *)
    echo "check: what is $1? See make help" >&2
    exit 2
    ;;
esac
