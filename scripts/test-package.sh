#!/bin/sh
# test-package.sh: what a user of pip gets. Makes a source distribution, builds a wheel of it and of nothing else, gives
# the wheel the tag that auditwheel allows it, installs it into an environment with nothing else in it, and works there.
# The packages for that come from PyPI. What is left in build/package: the distribution and the wheel, to be published.
set -eu

cd "$(dirname "$0")/.."
out=$PWD/build/package
rm -rf "$out"
mkdir -p "$out/tmp"
export TMPDIR="$out/tmp" PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_QUIET=1 PIP_PREFER_BINARY=1

"${PYTHON:-/usr/bin/python3}" -m venv "$out/tools"
if ! "$out/tools/bin/pip" install build auditwheel wheel; then
  echo "test-package: left out, as PyPI is out of reach" >&2
  exit 3
fi
"$out/tools/bin/python" -m build --sdist --outdir "$out" . >"$out/sdist.log"

# In a folder called build, as here: a compiler cache then knows the commands.
"$out/tools/bin/pip" wheel --no-deps --wheel-dir "$out/plain" --config-settings=build-dir=build "$out"/mercer-*.tar.gz
tag=$("$out/tools/bin/auditwheel" show "$out"/plain/mercer-*.whl | tr '\n' ' ' |
  sed -n 's/.*following platform tag: "\([a-z0-9_]*\)".*/\1/p')
case $tag in
  manylinux_*) "$out/tools/bin/wheel" tags --remove --platform-tag "$tag" "$out"/plain/mercer-*.whl ;;
  *) echo "test-package: auditwheel allows the wheel no tag but \"$tag\"" >&2; exit 1 ;;
esac
mv "$out"/plain/mercer-*.whl "$out"
ls "$out"/mercer-*

"${PYTHON:-/usr/bin/python3}" -m venv "$out/clean"
"$out/clean/bin/pip" install "$out"/mercer-*.whl
cd "$out/clean"
env -u PYTHONPATH bin/python ../../../scripts/smoke.py
