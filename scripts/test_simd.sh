#!/bin/sh
# test_simd.sh BUILD_DIR CTEST_OPTION...: runs the tests as on a CPU without vector instructions, with AVX2 and with
# AVX-512, where this one has them.
set -eu

cd "$(dirname "$0")/.."
status=0
for simd in scalar avx2 avx512; do
  echo "as on a CPU with $simd:"
  result=0
  scripts/as_on_cpu.sh "$1" $simd scripts/test.sh "$@" || result=$?
  [ $result = 0 ] || [ $result = 77 ] || status=1
done
exit "$status"
