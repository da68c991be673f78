#!/bin/sh
# format.sh [--check]: formats all C++ sources, or only says whether they are.
set -eu

cd "$(dirname "$0")/.."
mode=-i
[ "${1:-}" = --check ] && mode="--dry-run --Werror"

# shellcheck disable=SC2086
find include src cli mpi studio python tests bench examples \( -name '*.hpp' -o -name '*.cpp' \) -print0 2>/dev/null |
  xargs -0 -r clang-format-14 $mode || {
  echo "format: run 'make format'" >&2
  exit 1
}
