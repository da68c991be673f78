#!/bin/sh
# as_on_cpu.sh BUILD_DIR INSTRUCTIONS COMMAND...: runs the command as on a CPU with these vector instructions and no
# better ones (scalar, avx2 or avx512): BLAS and the mathematics of the C library choose their code by the CPU as well.
# Ends with 77, "skipped" to ctest, where this CPU lacks them.
set -eu

mercer=$1/mercer
no_512=-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ
export MERCER_SIMD="$2" OPENBLAS_CORETYPE GLIBC_TUNABLES
case $2 in
scalar) OPENBLAS_CORETYPE=Prescott GLIBC_TUNABLES=glibc.cpu.hwcaps=$no_512,-AVX2,-AVX,-FMA ;;
avx2) OPENBLAS_CORETYPE=Haswell GLIBC_TUNABLES=glibc.cpu.hwcaps=$no_512 ;;
avx512) OPENBLAS_CORETYPE=SkylakeX GLIBC_TUNABLES= ;;
*) echo "as_on_cpu.sh: there are no instructions called $2" >&2 && exit 2 ;;
esac
if ! "$mercer" --version >/dev/null 2>&1; then
  echo "this CPU has no $2: left out"
  exit 77
fi
shift 2
exec "$@"
