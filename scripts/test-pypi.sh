#!/bin/sh
# test-pypi.sh [--changed]: what leads to PyPI and what comes from there: test-package.sh, then test-sklearn.sh with the
# newest scikit-learn. Where both pass, it keeps a hash of what they depend on in python/tests/pypi.txt, to be committed:
# with --changed it runs nothing where that hash is still the right one, which takes milliseconds. Else it closes with the
# line "N passed, N failed[, N skipped]"; both are skipped where PyPI is out of reach.
#
# src and include are no part of the hash: they change with every commit, and `make test` is about them.
set -eu

cd "$(dirname "$0")/.."
stamp=python/tests/pypi.txt

# What git knows, since work leaves files beside these; in a copy that git does not know, all that is there.
files() { git ls-files -z -- "$@" 2>/dev/null || find "$@" -type f ! -path '*/__pycache__/*' -print0; }
contents() {
  files CMakeLists.txt CMakePresets.json pyproject.toml cmake licences python scripts/build.sh scripts/packages.txt \
    scripts/setup.sh scripts/smoke.py scripts/test-package.sh scripts/test-pypi.sh scripts/test-sklearn.sh |
    grep -zvFx "$stamp" | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-64
}

now=$(contents)
if [ "${1:-}" = --changed ] && [ "$(tail -n 1 "$stamp" 2>/dev/null)" = "$now" ]; then
  echo "test-pypi: not run, nothing that it depends on has changed since it passed"
  exit 0
fi

unset MERCER_PEERS # the newest scikit-learn, and no other
scripts/setup.sh python peers
failed=0
scripts/test-package.sh || case $? in
  3)
    echo "test-pypi: PyPI is out of reach, neither the package nor the newest scikit-learn was tried"
    echo "0 passed, 0 failed, 2 skipped"
    exit 0
    ;;
  *) failed=1 ;;
esac
scripts/test-sklearn.sh || failed=$((failed + 1))

if [ $failed = 0 ]; then
  printf '%s\n' "# What \`make test-pypi\` passed on: a hash of the files it depends on, written by scripts/test-pypi.sh." "$now" >"$stamp"
fi
echo "$((2 - failed)) passed, $failed failed"
[ $failed = 0 ]
