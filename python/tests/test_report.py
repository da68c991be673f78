"""Reports from Python: the same figures as the command, pipelines, files, notebooks."""
import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer


def metrics(report):
    return {metric["name"]: metric for metric in report.document["metrics"]}


def test_held_out_figures_are_those_of_predict():
    X, y = load_iris(return_X_y=True)
    model = mercer.SVC(C=10, kernel="rbf(ell=2)").fit(X[::2], y[::2])
    report = mercer.report(model, X[1::2], y[1::2])
    assert report.document["evidence"] == "held-out data"
    found = metrics(report)["accuracy"]
    assert found["value"] == np.mean(model.predict(X[1::2]) == y[1::2])
    assert found["low"] <= found["value"] <= found["high"]


def test_points_of_the_fit_are_predicted_from_the_others():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:60], y[:60]
    model = mercer.KernelRidge(alpha=1.0, kernel="rbf(ell=0.1)").fit(X, y)
    report = mercer.report(model, X, y)
    assert report.document["evidence"] == "leave-one-out"
    left_out = [mercer.KernelRidge(alpha=1.0, kernel="rbf(ell=0.1)").fit(np.delete(X, i, 0), np.delete(y, i))
                .predict(X[i:i + 1])[0] for i in range(len(X))]
    assert metrics(report)["rmse"]["value"] == pytest.approx(np.sqrt(np.mean((left_out - y) ** 2)), rel=1e-8)


def test_pipelines_and_searches():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), mercer.SVC(kernel="rbf(ell=1)")).fit(X[::2], y[::2])
    report = mercer.report(pipeline, X[1::2], y[1::2], title="Flowers")
    assert report.document["title"] == "Flowers"
    assert metrics(report)["accuracy"]["value"] == pipeline.score(X[1::2], y[1::2])
    search = GridSearchCV(mercer.SVC(kernel="rbf(ell=1)"), {"C": [1, 10]}, cv=2).fit(X[::2], y[::2])
    assert metrics(mercer.report(search, X[1::2], y[1::2]))["accuracy"]["value"] == search.score(X[1::2], y[1::2])


def test_files_as_the_command_takes_them(tmp_path):
    X, y = load_iris(return_X_y=True)
    rows = [",".join(map(str, row)) + f",{label}" for row, label in zip(X, y)]
    data = tmp_path / "iris.csv"
    data.write_text("a,b,c,d,kind\n" + "\n".join(rows) + "\n")
    mercer.SVC(kernel="rbf(ell=2)").fit(X, y).save(tmp_path / "m.mercer")
    report = mercer.report(tmp_path / "m.mercer", data, "kind")
    assert report.document["evidence"] == "5 folds (equal rows together), fitted anew"  # two flowers are the same
    with pytest.raises(TypeError, match="give that of a data file"):
        mercer.report(tmp_path / "m.mercer", X, y)
    with pytest.raises(ValueError, match='iris.csv: y: no column "sort" among'):  # called as Python does
        mercer.report(tmp_path / "m.mercer", data, "sort")


def test_the_page_is_whole_and_hostile_names_stay_text(tmp_path):
    X, y = [[0.0], [0.1], [1.0], [1.1]], ["</script><img src=x onerror=alert(1)>", "b"] * 2
    report = mercer.report(mercer.SVC(kernel="rbf(ell=1)").fit(X, y), X, y)
    report.save(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert text == report.html
    assert "<img src=x" not in text
    held = text.split('id="document">')[1].split("</script>")[0]
    assert json.loads(held) == report.document
    assert report._repr_html_().startswith('<iframe srcdoc="')


def test_other_estimators_and_sizes_are_refused():
    from sklearn.svm import SVC

    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="no estimator of Mercer's"):
        mercer.report(SVC().fit(X, y), X, y)
    with pytest.raises(ValueError, match="150 points in X, and 3 values in y"):
        mercer.report(mercer.SVC(kernel="rbf(ell=1)").fit(X, y), X, y[:3])


def test_kernels_show_their_proof():
    shown = (mercer.rbf(ell=1) + mercer.linear())._repr_html_()
    assert "rbf(ell=1) + linear()" in shown and "<ul>" in shown


@pytest.mark.parametrize("X", [["abab", "baba", "aabb", "bbaa"] * 3])
def test_strings(X):
    y = [0, 0, 1, 1] * 3
    report = mercer.report(mercer.SVC(kernel="normalize(spectrum(k=2))").fit(X, y), X, y)
    assert metrics(report)["accuracy"]["value"] <= 1
