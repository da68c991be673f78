"""Targets of shape (n, 1): as scikit-learn takes them."""
import warnings

import numpy as np
import pytest
import sklearn.kernel_ridge
import sklearn.svm
from sklearn.exceptions import DataConversionWarning

import mercer

X = np.random.default_rng(0).random((30, 2))
y = X[:, :1] + X[:, 1:]


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR"])
def test_machines_of_one_target_say_so_and_flatten_it(name):
    targets = (y > y.mean()).astype(int) if name.endswith("SVC") else y
    for package in (sklearn.svm, mercer):
        with pytest.warns(DataConversionWarning, match="1d array was expected"):
            m = getattr(package, name)().fit(X, targets)
        assert m.predict(X).shape == (30,), package.__name__


@pytest.mark.parametrize("cls", [mercer.KernelLogisticRegression, mercer.KernelPerceptron, mercer.RVC,
                                 mercer.GaussianProcessClassifier])
def test_other_classifiers_do_the_same(cls):
    with pytest.warns(DataConversionWarning, match="1d array was expected"):
        m = cls().fit(X, (y > y.mean()).astype(int))
    assert m.predict(X).shape == (30,)


@pytest.mark.parametrize("cls", [sklearn.kernel_ridge.KernelRidge, mercer.KernelRidge, mercer.KernelRidgeCV,
                                 mercer.NadarayaWatson, mercer.RVR])
def test_machines_of_several_targets_keep_the_column(cls):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataConversionWarning)
        column, flat = cls().fit(X, y), cls().fit(X, y[:, 0])
    assert column.predict(X).shape == (30, 1) and flat.predict(X).shape == (30,)
    np.testing.assert_allclose(column.predict(X)[:, 0], flat.predict(X))
