#!/bin/sh
# test-sklearn.sh [PYTEST_OPTION...]: scikit-learn's own tests of what Mercer has too, with Mercer's classes in the place
# of its own, its checks of estimators, ours of what its users expect, and the examples of its gallery. MERCER_PEERS is the
# Python to use; it has scikit-learn, pandas, Matplotlib, seaborn, pytest and pybind11. Without it a virtual environment with
# their newest releases is made, outside the tree.
set -eu

cd "$(dirname "$0")/.."
scripts/build.sh release mercer mercer_cli
build=$PWD/build
python=${MERCER_PEERS:-}
if [ -z "$python" ]; then
  home=${XDG_CACHE_HOME:-$HOME/.cache}/mercer/peers
  python=$home/bin/python
  [ -x "$python" ] || "${PYTHON:-/usr/bin/python3}" -m venv "$home"
  "$python" -m pip install --quiet --upgrade --disable-pip-version-check \
    scikit-learn pandas matplotlib seaborn pytest 'pybind11>=2.12'
fi

tests=$PWD/python/tests
peers=$build/peers
cmake --install "$build" --prefix "$peers/prefix" >/dev/null
cmake -S "$tests/stand_in" -B "$peers/build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH="$peers/prefix" \
  -D Python_EXECUTABLE="$python" -D pybind11_DIR="$("$python" -m pybind11 --cmakedir)" -D PACKAGE="$peers/mercer" >/dev/null
cmake --build "$peers/build"

export PYTHONPATH="$peers:$tests/stand_in" PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg OPENBLAS_NUM_THREADS=1
theirs=$("$python" -c 'import os, sklearn; print(os.path.dirname(sklearn.__file__))')
status=0
"$python" -m pytest -q -p no:cacheprovider -p stand_in --rootdir "$theirs" -c /dev/null -W ignore \
  "$theirs/svm" "$theirs/gaussian_process" "$theirs/tests/test_kernel_ridge.py" \
  "$theirs/tests/test_kernel_approximation.py" \
  "$theirs/cluster/tests/test_spectral.py" "$theirs/decomposition/tests/test_kernel_pca.py" \
  "$theirs/manifold/tests/test_classical_mds.py" "$theirs/neighbors/tests/test_kde.py" "$@" || status=$?
"$python" -m pytest -q -p no:cacheprovider "$tests/test_estimator_checks.py" "$tests/test_estimators.py" \
  "$tests/test_coming_from_sklearn.py" || status=$?
"$python" "$tests/stand_in/gallery.py" || status=$?
exit "$status"
