"""Fits on the workers of a Dask cluster are those in memory, to the bit, whoever computes what and whoever is lost."""
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed", reason="Dask is not installed (Debian: python3-dask, python3-distributed)")

import dask.array as da
import dask.dataframe as dd
from distributed import Client, LocalCluster

import mercer
import mercer.dask

N = 3300  # four pieces, the last one short


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, memory_limit="400MB",
                      dashboard_address=None) as cluster, Client(cluster):
        yield cluster


def rows(first=0, end=N):
    """Row i is a matter of i alone."""
    i = np.arange(first, end, dtype=float)
    return np.column_stack([np.sin(0.37 * i * i), np.cos(1.7 * i), np.sin(0.011 * i)])


def made(first, end):
    return rows(first, end)


def array(chunk=1300, make=made, n=N):
    """Rows that are made by tasks, whenever they are wanted."""
    from dask import delayed

    edges = [*range(0, n, chunk), n]
    return da.concatenate([da.from_delayed(delayed(make, pure=True)(a, b), (b - a, 3), float)
                           for a, b in zip(edges, edges[1:])])


X = rows()
Y = X[:, 0] * X[:, 1] + 0.1 * np.sin(np.arange(N) * 12.9898)
CLASSES = np.where(Y > 0.2, "high", np.where(Y < -0.2, "low", "middle"))


def coefficients(model):
    return model.model_.alpha


SETTINGS = dict(kernel="rbf(ell=0.7)", centres=50)


@pytest.mark.parametrize("name, arguments, y", [
    ("KernelRidge", dict(alpha=0.01), Y),
    ("KernelRidgeCV", dict(path_size=7), np.column_stack([Y, Y * Y])),
    ("KernelRidgeClassifier", dict(alpha=0.01), CLASSES),
    ("KernelLogisticRegression", dict(C=3, tol=0.01), CLASSES)])
def test_fits_are_those_in_memory(cluster, name, arguments, y):
    there = getattr(mercer.dask, name)(**SETTINGS, **arguments).fit(array(), da.from_array(y, chunks=999))
    here = getattr(mercer, name)(**SETTINGS, **arguments).fit(X, y)
    assert (there.centres_ == here.centres_).all()
    assert (coefficients(there) == coefficients(here)).all()
    assert there.report_["figures"] == here.report_["figures"]
    asked = there.predict(array(chunk=2000))
    assert isinstance(asked, da.Array) and asked.shape == y.shape
    assert (asked.compute() == here.predict(X)).all()


def test_equal_rows_and_weights(cluster):
    twice = np.concatenate([np.arange(N), np.arange(0, N, 3)])
    weights = np.where(twice % 7 == 0, 0.0, 1 + twice % 3)
    y = Y[twice] + np.arange(len(twice)) % 2
    there = mercer.dask.KernelRidge(**SETTINGS).fit(array()[twice], y, weights)
    here = mercer.KernelRidge(**SETTINGS).fit(X[twice], y, weights)
    assert (coefficients(there) == coefficients(here)).all()
    assert there.report_["notes"] == here.report_["notes"]


def test_the_same_bits_with_workers_lost_and_won(cluster, tmp_path):
    settings = dict(alpha=0.01, solver="falkon", tol=1e-2, **SETTINGS)
    expected = coefficients(mercer.KernelRidge(**settings).fit(X, Y))

    def deadly(first, end):
        """Ends its process when it makes the third chunk for the sixth time: in the steps of the fit."""
        if first == 2600:
            mark = tmp_path / "made"
            with open(mark, "a") as file:
                file.write(".")
            if os.path.getsize(mark) == 6:
                os.kill(os.getpid(), 9)
        return made(first, end)

    seen = []

    def another(stage, fraction):
        """One more worker once the fit goes through its rows."""
        if stage == "pass" and not seen:
            cluster.scale(3)
        seen.append(stage)

    there = mercer.dask.KernelRidge(**settings, callback=another).fit(array(make=deadly), Y)
    assert seen and os.path.getsize(tmp_path / "made") > 7
    assert (coefficients(there) == expected).all()
    cluster.scale(1)
    alone = mercer.dask.KernelRidge(**settings).fit(array(), Y)
    assert (coefficients(alone) == expected).all()
    cluster.scale(2)
    Client.current().wait_for_workers(2)


def test_frames(cluster):
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(price=Y, w=1.0 + np.arange(N) % 2)
    there = dd.from_pandas(frame, npartitions=4)
    model = mercer.dask.KernelRidge(0.01, **SETTINGS).fit(there, "price", "w")
    here = mercer.KernelRidge(0.01, **SETTINGS).fit(frame[["a", "b", "c"]], Y, frame["w"])
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert (coefficients(model) == coefficients(here)).all()
    assert (model.predict(there[["a", "b", "c"]]).compute() == here.predict(frame[["a", "b", "c"]])).all()


def test_files(cluster, tmp_path):
    for part, some in enumerate(np.array_split(np.arange(N), 3)):
        pd.DataFrame(X[some], columns=["a", "b", "c"]).assign(y=Y[some]).to_csv(tmp_path / f"{part}.csv", index=False)
    names = [str(tmp_path / f"{part}.csv") for part in range(3)]
    model = mercer.dask.KernelRidge(0.01, **SETTINGS).fit(names, "y")
    read = pd.concat([pd.read_csv(name) for name in names])
    here = mercer.KernelRidge(0.01, **SETTINGS).fit(read[["a", "b", "c"]], read["y"])
    assert (coefficients(model) == coefficients(here)).all()


def test_any_model_predicts(cluster, tmp_path):
    model = mercer.SVC(kernel="rbf(ell=1)", probability=False).fit(X[:200], CLASSES[:200])
    model.save(tmp_path / "m.mercer")
    asked = mercer.dask.predict(mercer.load(tmp_path / "m.mercer"), array())
    assert (asked.compute() == model.predict(X)).all()
    scores = mercer.dask.predict(model, array(), "decision_function")
    assert (scores.compute() == model.decision_function(X)).all()


def test_nothing_large_goes_through_the_scheduler(cluster, monkeypatch):
    client, sizes = Client.current(), []
    send = client._send_to_scheduler

    def seen(message):
        sizes.append(len(pickle.dumps(message)) if message["op"] != "update-graph-hlg" else
                     sum(len(pickle.dumps(part)) for part in message.values()))
        send(message)

    monkeypatch.setattr(client, "_send_to_scheduler", seen)
    mercer.dask.KernelRidge(0.01, kernel="rbf(ell=0.7)", centres=150).fit(array(), Y)
    assert len(sizes) > 3
    assert sum(sizes) < Y.nbytes  # and the root of the centres' matrix has 150^2 numbers


def refused(fit, words):
    with pytest.raises(ValueError, match=words) as caught:
        fit()
    assert "\n" not in str(caught.value)


def test_what_cannot_be_fitted_is_one_line(cluster):
    ridge = mercer.dask.KernelRidge(0.01, **SETTINGS)
    frame = dd.from_pandas(pd.DataFrame(X, columns=["a", "b", "c"]).assign(word="x"), npartitions=2)
    refused(lambda: ridge.fit(frame, "price"), 'y: there is no column "price"; there are a, b, c, word')
    refused(lambda: ridge.fit(frame, "a"), "no numbers in word")
    refused(lambda: ridge.fit(da.ones((N, 4), chunks=(1000, 2)), Y), "columns in 2 chunks")
    refused(lambda: ridge.fit(array()[array()[:, 0] > 0], Y), "how many rows there are must be known")
    refused(lambda: ridge.fit(array(), Y[1:]), "inconsistent numbers of samples")
    refused(lambda: ridge.fit(X, Y), "mercer.KernelRidge takes others")
    refused(lambda: mercer.dask.KernelRidge(0.01).fit(array(), Y), "centres")

    def with_hole(first, end):
        out = made(first, end)
        if first <= 3001 < end:
            out[3001 - first, 1] = np.nan
        return out

    refused(lambda: ridge.fit(array(make=with_hole), Y), "NaN: row 3002, column 2")


def test_without_a_client_is_one_line():
    code = "import numpy, dask.array, mercer.dask\n" \
           "try: mercer.dask.KernelRidge(1, centres=2).fit(dask.array.ones((9, 2)), numpy.ones(9))\n" \
           "except ValueError as error: print(error)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("no Dask client: start one") and said.count("\n") == 1


def test_without_dask_is_one_line():
    code = "import sys\nsys.modules['dask'] = None\ntry: import mercer.dask\nexcept ImportError as error: print(error)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith("mercer.dask needs Dask") and said.count("\n") == 1


def test_machines_of_features(cluster):
    there = mercer.dask.SVC(kernel="rbf(ell=0.7)", centres=50).fit(array(), CLASSES)
    here = mercer.SVC(kernel="rbf(ell=0.7)", centres=50).fit(X, CLASSES)
    assert (coefficients(there) == coefficients(here)).all()
    assert (there.decision_function(array()).compute() == here.decision_function(X)).all()
    there = mercer.dask.KernelKMeans(3, kernel="rbf(ell=0.7)", centres=50, n_init=2).fit(array())
    here = mercer.KernelKMeans(3, kernel="rbf(ell=0.7)", centres=50, n_init=2).fit(X)
    assert (there.labels_ == here.labels_).all() and there.inertia_ == here.inertia_
    there = mercer.dask.Nystroem("rbf", gamma=1.0, n_components=20, random_state=0).fit_transform(array())
    here = mercer.Nystroem("rbf", gamma=1.0, n_components=20, random_state=0).fit_transform(X)
    np.testing.assert_allclose(there.compute(), here, rtol=0, atol=1e-12)  # NumPy's products depend on the chunks
    refused(lambda: mercer.dask.SVC(centres=50).fit(array(), CLASSES), "gamma: 'scale' is read off all rows")


def test_empty_blocks_are_predicted(cluster):
    model = mercer.KernelRidge(0.1, kernel="rbf(ell=1)").fit(X[:100], Y[:100])
    some = array()
    some = some[some[:, 2] < np.sort(X[:1300, 2])[2]]  # none of them in some chunks
    assert (mercer.dask.predict(model, some).compute() == model.predict(X[X[:, 2] < np.sort(X[:1300, 2])[2]])).all()


def test_searches_of_scikit_learn_on_the_cluster(cluster):
    import joblib
    from sklearn.model_selection import GridSearchCV

    def searched():
        ridge = mercer.KernelRidge(kernel="rbf(ell=1)", threads=1)
        return GridSearchCV(ridge, {"alpha": [0.01, 1], "kernel__ell": [0.5, 2.0]}, cv=2).fit(X[:300], Y[:300])

    here = searched()
    with joblib.parallel_backend("dask"):
        there = searched()
    assert (there.cv_results_["mean_test_score"] == here.cv_results_["mean_test_score"]).all()
