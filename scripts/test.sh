#!/bin/sh
# test.sh BUILD_DIR CTEST_OPTION...: runs the tests and closes with the line "N passed, N failed[, N skipped]".
set -eu

dir=$(cd "$1" && pwd)
shift
log=$dir/tests.log
rm -f "$log"

status=0
ctest --test-dir "$dir" --output-on-failure --no-tests=error --output-log "$log" "$@" || status=$?

total=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$log")
failed=$(sed -n 's/.* tests passed, \([0-9]*\) tests failed out of .*/\1/p' "$log")
skipped=$(grep -c '\*\*\*Skipped ' "$log") || true
disabled=$(grep -c '\*\*\*Not Run (Disabled) ' "$log") || true
line="$((${total:-0} - ${failed:-0} - skipped)) passed, ${failed:-0} failed"
[ $((skipped + disabled)) = 0 ] || line="$line, $((skipped + disabled)) skipped"
echo "$line"
exit "$status"
