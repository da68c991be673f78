#!/bin/sh
# test_neon.sh BUILD_DIR: the vector loops and their tests, compiled for ARM with NEON and run by an emulator.
# Takes the packages g++-aarch64-linux-gnu, qemu-user and googletest; of Highway and fmt the headers are enough.
set -eu

cd "$(dirname "$0")/.."
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
  if ! command -v "$tool" >/dev/null; then
    echo "test_neon.sh: $tool is missing; install g++-aarch64-linux-gnu and qemu-user" >&2
    exit 1
  fi
done
gtest=/usr/src/googletest/googletest
out=$1/neon
mkdir -p "$out/include"
# Headers that do not depend on the CPU, without those of this machine's C library beside them.
for library in hwy fmt gtest; do ln -sfn "/usr/include/$library" "$out/include/$library"; done
compile() {
  aarch64-linux-gnu-g++ -O2 -std=c++20 -DFMT_HEADER_ONLY -Iinclude -Isrc -Itests -isystem "$out/include" -I"$gtest" \
    -c "$1" -o "$out/$(basename "$1").o"
}
for source in src/simd/*.cpp src/base/error.cpp src/base/matrix.cpp src/base/text.cpp src/base/utf8.cpp \
  tests/simd/*_test.cpp tests/simd/neon/highway.cpp "$gtest/src/gtest-all.cc" "$gtest/src/gtest_main.cc"; do
  compile "$source"
done
aarch64-linux-gnu-g++ -static "$out"/*.o -o "$out/tests"
MERCER_SIMD=neon qemu-aarch64 "$out/tests" --gtest_brief=1
