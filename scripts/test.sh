#!/bin/sh
# test.sh BUILD_DIR CTEST_OPTION...: runs the tests and closes with the line "N passed, N failed[, N skipped]".
set -eu

scripts=$(cd "$(dirname "$0")" && pwd)
dir=$(cd "$1" && pwd)
shift
log=$dir/tests.log
outputs=$dir/Testing/Temporary/LastTest.log
rm -f "$log" "$outputs"

status=0
ctest --test-dir "$dir" --output-on-failure --no-tests=error --output-log "$log" "$@" || status=$?

if [ -f "$outputs" ]; then
  awk -f "$scripts/count_tests.awk" "$outputs" "$log"
else # not one test ran
  echo "0 passed, 0 failed"
fi
exit "$status"
