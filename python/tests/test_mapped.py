"""Arrays that are mapped from a file are read where they are: neither copied whole, nor changed."""
import subprocess
import sys

import numpy as np
import pytest

import mercer


@pytest.fixture(params=["float64", "float32"])
def mapped(request, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (500, 6)).astype(request.param)
    np.save(tmp_path / "x.npy", X)
    return X, np.load(tmp_path / "x.npy", mmap_mode="r"), np.sin(3 * X[:, 0].astype(float))


@pytest.mark.parametrize("options", [{}, {"centres": 40}, {"centres": 40, "solver": "falkon"}, {"solver": "pcg"}])
def test_fits_and_predictions_are_those_of_the_array(mapped, options):
    X, there, y = mapped
    of_array = mercer.KernelRidge(0.1, kernel="rbf(ell=0.7)", **options).fit(X, y)
    of_map = mercer.KernelRidge(0.1, kernel="rbf(ell=0.7)", **options).fit(there, y)
    assert (of_map.predict(there) == of_array.predict(X)).all()
    assert (of_map.predict(there[100:200]) == of_array.predict(X[100:200])).all()


def test_classes_and_features_too(mapped):
    X, there, y = mapped
    for make in (lambda: mercer.KernelRidgeClassifier(0.1, kernel="rbf(ell=1)", centres=30),
                 lambda: mercer.KernelLogisticRegression(kernel="rbf(ell=1)", centres=30)):
        assert (make().fit(there, y > 0).predict(there) == make().fit(X, y > 0).predict(X)).all()
    ours = mercer.Nystroem("rbf", gamma=0.5, n_components=20, random_state=0)
    assert (ours.fit_transform(there) == ours.fit_transform(X)).all()


COPIES = """
import resource, sys, numpy as np, mercer
X = np.load(sys.argv[1], mmap_mode="r")
y = np.sin(np.arange(len(X)))
def fit(n):
    m = mercer.KernelRidge(1.0, kernel="rbf(ell=1)", centres=2, solver="falkon", threads=1).fit(X[:n], y[:n])
    return m.predict(X[:n])
fit(2000)  # what libraries and the pool take once
now = 1024 * next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmData"))
resource.setrlimit(resource.RLIMIT_DATA, (now + int(float(sys.argv[2]) * X.nbytes),) * 2)
fit(len(X))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="data that are mapped do not count as data there")
def test_numbers_of_a_map_are_not_copied(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).uniform(size=(100000, 200)).astype(np.float32))
    done = [subprocess.run([sys.executable, "-c", COPIES, tmp_path / "x.npy", share], capture_output=True, text=True,
                           check=False) for share in ("1.1", "0.01")]
    assert done[0].returncode == 0, done[0].stderr
    assert done[1].returncode != 0  # a limit that is one
