#!/bin/sh
# as_on_lesser_cpu.sh BUILD_DIR INSTRUCTIONS COMMAND...: as_on_cpu.sh, left out where these are the best instructions of
# this CPU too: whatever runs without it runs with those.
set -eu

best=$("$1/mercer" --version | sed -n 's/^instruction set: \([^ ,]*\).*/\1/p' | tr '[:upper:]' '[:lower:]' | tr -d -)
if [ "$best" = "$2" ]; then
  echo "this CPU has $2 and no better: left out"
  exit 77
fi
exec "$(dirname "$0")/as_on_cpu.sh" "$@"
