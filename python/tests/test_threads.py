"""Several threads of a program, other libraries with threads of their own in the process, and limits."""
import itertools
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mercer


def data(n=600, d=5):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, X[:, 0] * X[:, 1] > 0.1


def test_threads_that_fit_at_once_share_the_pool():
    X, y = data()

    def work(C):
        machine = mercer.SVC(C=C).fit(X, y)
        return machine.decision_function(X), mercer.KernelRidge(kernel="rbf", alpha=1 / C).fit(X, y).dual_coef_

    alone = [work(C) for C in range(1, 9)]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(work, range(1, 9)))
    for expected, got in zip(alone, together):
        np.testing.assert_array_equal(got[0], expected[0])
        np.testing.assert_array_equal(got[1], expected[1])


COMPANY = """
    import {0}
    import {1}
    import {2}
    import numpy as np
    import mercer, sklearn.cluster
    X = np.random.default_rng(0).standard_normal((800, 10))
    y = X[:, 0] > 0
    before = mercer.SVC().fit(X, y).decision_function(X)
    sklearn.cluster.KMeans(3, n_init=1, random_state=0).fit(X)
    np.linalg.eigh(X @ X.T)
    if "torch" in sys.modules:
        torch.linalg.cholesky(torch.from_numpy(X @ X.T) + 1000 * torch.eye(800))
    assert (mercer.SVC().fit(X, y).decision_function(X) == before).all()
    print("done")
"""


def importable(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0


def test_company_in_any_order():
    third = "torch" if importable("torch") else "scipy.linalg"
    for order in itertools.permutations(["mercer", "sklearn.cluster", third]):
        code = "import sys\n" + textwrap.dedent(COMPANY).format(*order)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
        assert done.stdout == "done\n", (order, done.stderr)


THREADS = """
    import os, sys
    import numpy as np
    import mercer
    X = np.random.default_rng(0).standard_normal((3000, 5))
    mercer.parse("rbf(ell=1)")(X)
    mercer.KernelRidge(kernel="rbf", threads={0}).fit(X, X[:, 0])
    names = [open(f"/proc/self/task/{{t}}/comm").read().strip() for t in os.listdir("/proc/self/task")]
    print(names.count("mercer"))
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs Linux")
@pytest.mark.parametrize("limit, workers", [({"MERCER_NUM_THREADS": "1"}, 0), ({"MERCER_NUM_THREADS": "3"}, 2),
                                            ({"OMP_NUM_THREADS": "1"}, 0)])
def test_limits_hold_for_everything(limit, workers):
    environment = {key: value for key, value in os.environ.items() if key not in ("MERCER_NUM_THREADS", "OMP_NUM_THREADS")}
    code = textwrap.dedent(THREADS).format(None)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env={**environment, "OPENBLAS_NUM_THREADS": "1", **limit})
    assert done.stdout == f"{workers}\n", done.stderr
