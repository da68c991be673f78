#!/bin/bash
# tidy.sh: clang-tidy over the library and the command. A file that passed is looked at again only when it, any header
# or .clang-tidy has changed since.
set -eu

cd "$(dirname "$0")/.."
dir=build/clang
[ -f $dir/compile_commands.json ] || cmake --preset clang >/dev/null
stamps=$dir/tidy
mkdir -p $stamps

newest=$(find include src cli .clang-tidy \( -name '*.hpp' -o -name .clang-tidy \) -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-)
find src cli -name '*.cpp' | sort | while read -r file; do
  stamp=$stamps/$(echo "$file" | tr / _)
  if [ ! -f "$stamp" ] || [ "$file" -nt "$stamp" ] || [ "$newest" -nt "$stamp" ]; then
    printf '%s %s\n' "$file" "$stamp"
  fi
done >$stamps/pending

echo "tidy: $(wc -l <$stamps/pending) files to look at"
# shellcheck disable=SC2016
xargs -r -L 1 -P "${CMAKE_BUILD_PARALLEL_LEVEL:-2}" \
  sh -c 'clang-tidy-14 --quiet -p build/clang "$1" 2>/dev/null && touch "$2"' tidy <$stamps/pending
