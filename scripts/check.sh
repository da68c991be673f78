#!/bin/sh
# check.sh PART: installs what a part of `make check` needs and runs it.
#
# Every source becomes code twice, which is most of the cost: by g++ as users have it, and by clang++ with asserts under the
# address and undefined-behaviour sanitizers, both with warnings as errors. There is no third build by clang++ alone: what
# that compiler warns of and what its code does wrong shows in the second.
set -eu

cd "$(dirname "$0")/.."
case $1 in
  simd) scripts/setup.sh test python bench ;;
  neon) scripts/setup.sh neon ;;
  *) scripts/setup.sh test python check ;;
esac

case $1 in
  format) scripts/format.sh --check ;;
  arrows) "${PYTHON:-/usr/bin/python3}" scripts/arrows.py ;;
  # What users build, and the tests once for each instruction set that this CPU has.
  simd)
    scripts/build.sh release -DMERCER_WERROR=ON all mercer_bench
    scripts/test_simd.sh build -LE 'slow|simd|distributed'
    ;;
  # Vector loops as on an ARM CPU, by an emulator.
  neon) scripts/test_neon.sh build ;;
  # Every file that is no test and every public header by itself; clang-tidy over batches of them.
  alone | tidy) "${PYTHON:-/usr/bin/python3}" scripts/lint.py "$1" ;;
  # Scripts and the page are not compiled. Tests of vector loops go through all instruction sets by themselves; what must not
  # compile was seen not to.
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
