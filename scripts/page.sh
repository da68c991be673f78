#!/bin/sh
# page.sh performance|results: measures and writes docs/NAME.md anew; what was there stays until all is done.
set -eu

cd "$(dirname "$0")/.."
mkdir -p build
case $1 in
  performance) set -- "$1" bench/performance.py build/figures --measure ;;
  results) set -- "$1" bench/run.py results ;;
esac
page=$1
shift
"${PYTHON:-/usr/bin/python3}" "$@" >"build/$page.md"
mv "build/$page.md" "docs/$page.md"
