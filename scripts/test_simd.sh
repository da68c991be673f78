#!/bin/sh
# test_simd.sh BUILD_DIR CTEST_OPTION...: runs the tests as on a CPU without vector instructions, with AVX2 and with
# AVX-512, where this one has them: BLAS and the mathematics of the C library choose their code by the CPU as well.
set -eu

cd "$(dirname "$0")/.."
no_512=-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ
status=0
for cpu in "scalar Prescott $no_512,-AVX2,-AVX,-FMA" "avx2 Haswell $no_512" "avx512 SkylakeX"; do
  IFS=' ' read -r simd blas hidden <<WORDS
$cpu
WORDS
  if ! MERCER_SIMD=$simd "$1/mercer" --version >/dev/null 2>&1; then
    echo "this CPU has no $simd: left out"
    continue
  fi
  echo "as on a CPU with $simd:"
  MERCER_SIMD=$simd OPENBLAS_CORETYPE=$blas GLIBC_TUNABLES=glibc.cpu.hwcaps=$hidden scripts/test.sh "$@" || status=1
done
exit "$status"
