"""Support vector machines with scikit-learn's arguments: SVC, NuSVC, SVR, NuSVR, OneClassSVM.

They solve their problems exactly: a fit ends when the largest violation of the KKT conditions, in double precision, is
below `tol`, and warns (ConvergenceWarning) otherwise. Results do not depend on the number of threads.
"""
from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ._arguments import WEIGHTS_ARE_REPEATS, class_names, from_setting, require_classes
from ._held_out import Intervals, Sets
from ._support_vectors import _documented, _SupportVectorMachine

__all__ = ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"]


def _has_probability(estimator):
    if not estimator._wants_probability():
        raise AttributeError("predict_proba is not available when probability=False")
    return True


def _by_class(pair_scores, classes):
    """A column for each class: how many of its pairs it wins, and between equals the sum of its scores.

    The sums, brought into (-1/3, 1/3), cannot outweigh a vote.
    """
    votes = np.zeros((pair_scores.shape[0], classes))
    sums = np.zeros_like(votes)
    pair = 0
    for a in range(classes):
        for b in range(a + 1, classes):
            score = pair_scores[:, pair]
            votes[:, a] += score >= 0
            votes[:, b] += score < 0
            sums[:, a] += score
            sums[:, b] -= score
            pair += 1
    return votes + sums / (3 * (np.abs(sums) + 1))


class _Classifier(ClassifierMixin, Sets, _SupportVectorMachine):
    """SVC and NuSVC: of more than two classes, every pair has a machine, and they vote."""

    def __init__(self, *, probability, class_weight, decision_function_shape, break_ties, random_state, **common):
        super().__init__(**common)
        self.probability = probability
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fits to rows of X and their classes y.

        sample_weight : one number for each point, at least 0; a point of weight 2 counts as two.
        """
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(f"decision_function_shape is {self.decision_function_shape!r}; give 'ovr' or 'ovo'")
        require_classes(y)
        X, y = self._checked(X, y, reset=True)
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("The number of classes has to be greater than one; "
                             f"got {len(self.classes_)} class")
        self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        weights = self._weights(sample_weight, X)
        if weights is not None:
            self._require_two_classes(codes[weights > 0])
        weights = self._class_weighted(weights, codes)
        self._fit_core(X, labels=(class_names(self.classes_), codes), sample_weight=weights)
        self._codes = codes[self.model_.support]  # none where f is made of copies
        self._after_fit(X)
        return self

    def _require_two_classes(self, codes):
        if len(np.unique(codes)) < 2:
            raise ValueError("Invalid input - all samples with positive weights belong to the same class, "
                             f"{self.classes_[codes[0]]!r}")

    def _class_weighted(self, weights, codes):
        """The weights of the points, times those of their classes."""
        if self.class_weight is None:
            return weights
        factors = self.class_weight_[codes]
        return factors if weights is None else weights * factors

    def _wants_probability(self):
        """scikit-learn 1.9 has "deprecated" where it had False, and programs hand its arguments on."""
        if self.probability not in (True, False, "deprecated"):
            raise ValueError(f"probability is {self.probability!r}; give True or False")
        return bool(self.probability) and self.probability != "deprecated"

    def _settings(self):
        return {**super()._settings(), "probability": self._wants_probability()}

    @classmethod
    def _params_of(cls, settings):
        params = super()._params_of(settings)
        params.pop("class_weight", None)  # is in the weights
        if settings.get("multi_class", "one_vs_one") != "one_vs_one":
            raise ValueError("the model is one against the rest; scikit-learn's classes are one against one")
        return params

    def _set_expansion(self):
        """By class, in scikit-learn's layout: the coefficients of a point of class c against the other classes."""
        alpha, count = self.model_.alpha, len(self.classes_)
        order = np.argsort(self._codes, kind="stable")
        codes = self._codes[order]
        self.support_ = self.model_.support[order].astype(np.int32)
        self.n_support_ = np.bincount(codes, minlength=count).astype(np.int32)
        self.intercept_ = self.model_.bias
        alpha = alpha[order]
        if count == 2:
            self.dual_coef_ = self._matrix(alpha.T)
            return
        coefficients = np.zeros((count - 1, len(codes)))
        pair = 0
        for a in range(count):
            for b in range(a + 1, count):
                coefficients[b - 1, codes == a] = alpha[codes == a, pair]
                coefficients[a, codes == b] = alpha[codes == b, pair]
                pair += 1
        self.dual_coef_ = self._matrix(coefficients)

    def _after_load(self):
        """The class of a support vector shows in the signs of its coefficients."""
        alpha, count = self.model_.alpha, len(self.classes_)
        self._codes = np.zeros(len(alpha), dtype=np.int64)
        if count == 2:
            self._codes[:] = alpha[:, 0] > 0
        else:
            pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
            for (a, b), column in zip(pairs, alpha.T):
                self._codes[column > 0] = a
                self._codes[column < 0] = b
        self.class_weight_ = np.ones(count)
        super()._after_load()

    @property
    def n_iter_(self):
        """Pair updates of the solver, for each pair of classes."""
        check_is_fitted(self, "model_")
        table = self.model_.report["tables"].get("pairs")
        return np.array([self._n_iter] if table is None else table[1][:, 0], dtype=np.int32)

    def decision_function(self, X):
        """Scores of the rows of X.

        Of two classes one number, positive for classes_[1]. Of more, a column for each class ("ovr": votes of the
        pairs, and less than half a vote for how clear they were), or for each pair a < b ("ovo": positive for a).
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:
            return scores[:, 0]
        return scores if self.decision_function_shape == "ovo" else _by_class(scores, len(self.classes_))

    def predict(self, X):
        """The class of each row of X."""
        if self.break_ties and not self._wants_probability():
            if self.decision_function_shape == "ovo":
                raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
            check_is_fitted(self, "model_")
            if len(self.classes_) > 2:
                return self.classes_[self.decision_function(X).argmax(axis=1)]
        numbers = self._ask(X, "predict")[:, 0].astype(np.intp)
        return self.classes_[numbers]

    @property
    def probA_(self):
        """Slopes of the sigmoids behind the probabilities, one for each pair of classes; none without probability."""
        check_is_fitted(self, "model_")
        return self.model_.sigmoids[:, 0]

    @property
    def probB_(self):
        """Offsets of the same: 1 / (1 + exp(A f + B)) is the probability of the first class of a pair."""
        check_is_fitted(self, "model_")
        offsets = self.model_.sigmoids[:, 1]
        return -offsets if len(self.classes_) == 2 else offsets  # of two classes ours is that of the second

    @available_if(_has_probability)
    def predict_proba(self, X):
        """The probability of each class, in the order of classes_; `predict` is the largest."""
        scores = self._scores(X)
        if not self.model_.has_probabilities:
            raise NotFittedError("predict_proba is not available when fitted with probability=False, nor when the fit "
                                 "was ended before the probabilities were fitted")
        return self.model_.probabilities_of(scores)

    @available_if(_has_probability)
    def predict_log_proba(self, X):
        """Logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))


@_documented
class SVC(_Classifier):
    """Support vector classification: the widest margin, with a price for points inside it.

        min 1/2 |f|^2 + C sum_i w_i max(0, 1 - y_i (f(x_i) + b)),  y_i = -1 or 1

    Parameters
    ----------
    C : float, default=1.0
        The price of a violation of the margin; inf: a hard margin.
    {common}
    {classifier}

    Attributes
    ----------
    classes_ : the classes, in order
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = SVC(C=10).fit(X, y)
    >>> machine.n_support_.tolist(), bool(machine.score(X, y) > 0.98)
    ([4, 11, 12], True)
    >>> SVC(kernel="normalize(poly(degree=2)) + 0.1*rbf(ell=2)").fit(X, y).predict(X[:1])
    array([0])
    """

    _machine = "svc"

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, probability=False,
                 tol=1e-3, cache_size=None, class_weight=None, verbose=0, max_iter=-1, decision_function_shape="ovr",
                 break_ties=False, random_state=None, callback=None, threads=None, centres=None,
                 centres_by="rpcholesky", prepare=None, invariance=None):
        super().__init__(kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, shrinking=shrinking, tol=tol,
                         cache_size=cache_size, verbose=verbose, max_iter=max_iter, callback=callback, threads=threads,
                         centres=centres, centres_by=centres_by, prepare=prepare,
                         invariance=invariance, probability=probability, class_weight=class_weight,
                         decision_function_shape=decision_function_shape, break_ties=break_ties,
                         random_state=random_state)
        self.C = C

    def _class_weight_text(self):
        """The machine's own option, which leaves the probabilities alone; None where a name cannot be written in it."""
        names = class_names(self.classes_)
        if self.class_weight is None or any("," in name or name != name.strip() for name in names):
            return None
        return ",".join(f"{name}={float(weight)!r}" for name, weight in zip(names, self.class_weight_))

    def _class_weighted(self, weights, codes):
        return weights if self._class_weight_text() is not None else super()._class_weighted(weights, codes)

    def _settings(self):
        return {**super()._settings(), "C": self.C, "class_weight": self._class_weight_text()}

    @classmethod
    def _params_of(cls, settings):
        params = super()._params_of(settings)
        text = settings.get("class_weight", "")
        if text == "balanced":
            params["class_weight"] = text
        elif text:
            pairs = [item.rpartition("=")[::2] for item in text.split(",")]
            params["class_weight"] = {from_setting(name.strip()): float(weight) for name, weight in pairs}
        return params

    def _after_load(self):
        super()._after_load()
        if self.class_weight == "balanced":  # how many points of each class there were is not in the file
            del self.class_weight_
        elif self.class_weight is not None:
            weight_of = self.class_weight.get
            self.class_weight_ = np.array([weight_of(from_setting(name), 1.0) for name in self.model_.classes])


@_documented
class NuSVC(_Classifier):
    """Support vector classification with a bound on the fraction of margin errors.

        min 1/2 |f|^2 - nu W r + sum_i w_i max(0, r - y_i (f(x_i) + b)),  W = sum_i w_i,  y_i = -1 or 1

    and the model is (f + b) / r, whose margin is 1.

    Parameters
    ----------
    nu : float, default=0.5
        At most this fraction of the points is inside the margin, at least this fraction are support vectors.
    {common}
    {classifier}

    Attributes
    ----------
    classes_ : the classes, in order
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.svm import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(NuSVC(nu=0.1).fit(X, y).score(X, y) > 0.98)
    True
    """

    _machine = "nusvc"
    _expected_failures = dict.fromkeys((*WEIGHTS_ARE_REPEATS, "check_class_weight_classifiers"),
                                       "with the weights of the check, nu = 0.5 has no solution, and NuSVC says so")

    def __init__(self, *, nu=0.5, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, probability=False,
                 tol=1e-3, cache_size=None, class_weight=None, verbose=0, max_iter=-1, decision_function_shape="ovr",
                 break_ties=False, random_state=None, callback=None, threads=None, centres=None,
                 centres_by="rpcholesky", prepare=None, invariance=None):
        super().__init__(kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, shrinking=shrinking, tol=tol,
                         cache_size=cache_size, verbose=verbose, max_iter=max_iter, callback=callback, threads=threads,
                         centres=centres, centres_by=centres_by, prepare=prepare,
                         invariance=invariance, probability=probability, class_weight=class_weight,
                         decision_function_shape=decision_function_shape, break_ties=break_ties,
                         random_state=random_state)
        self.nu = nu

    def _settings(self):
        return {**super()._settings(), "nu": self.nu}

    def _require_two_classes(self, codes):
        try:
            super()._require_two_classes(codes)
        except ValueError as error:
            raise ValueError(f"{error}: the specified nu is infeasible") from None


class _Regressor(RegressorMixin, Intervals, _SupportVectorMachine):
    """SVR and NuSVR."""

    def fit(self, X, y, sample_weight=None):
        """Fits to rows of X and their targets y.

        sample_weight : one number for each point, at least 0; a point of weight 2 counts as two.
        """
        X, y = self._checked(X, y, reset=True, y_numeric=True)
        self._fit_core(X, y=y.astype(np.float64, copy=False), sample_weight=self._weights(sample_weight, X))
        self._after_fit(X)
        return self

    def predict(self, X):
        """f at each row of X."""
        return self._scores(X)[:, 0]


@_documented
class SVR(_Regressor):
    """Support vector regression: errors below epsilon are free.

        min 1/2 |f|^2 + C sum_i w_i max(0, |y_i - f(x_i) - b| - epsilon)

    Parameters
    ----------
    C : float, default=1.0
        The price of a violation.
    epsilon : float, default=0.1
        Half the width of the tube in which errors are free.
    {common}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import SVR
    >>> x = np.linspace(-3, 3, 61).reshape(-1, 1)
    >>> machine = SVR(C=10, gamma=1, epsilon=0.01).fit(x, np.sinc(x[:, 0]))
    >>> abs(machine.predict(x) - np.sinc(x[:, 0])).max() < 0.02
    True
    """

    _machine = "svr"

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, C=1.0, epsilon=0.1,
                 shrinking=True, cache_size=None, verbose=0, max_iter=-1, callback=None, threads=None, centres=None,
                 centres_by="rpcholesky", prepare=None, invariance=None):
        super().__init__(kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, shrinking=shrinking, tol=tol,
                         cache_size=cache_size, verbose=verbose, max_iter=max_iter, callback=callback, threads=threads,
                         centres=centres, centres_by=centres_by, prepare=prepare, invariance=invariance)
        self.C = C
        self.epsilon = epsilon

    def _settings(self):
        return {**super()._settings(), "C": self.C, "epsilon": self.epsilon}


@_documented
class NuSVR(_Regressor):
    """Support vector regression that finds the width of its tube.

        min over f, b, epsilon  1/2 |f|^2 + C sum_i w_i (nu epsilon + max(0, |y_i - f(x_i) - b| - epsilon))

    Parameters
    ----------
    nu : float, default=0.5
        At most this fraction of the points is outside the tube, at least this fraction are support vectors.
    C : float, default=1.0
        The price of a violation.
    {common}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import NuSVR
    >>> x = np.linspace(-3, 3, 61).reshape(-1, 1)
    >>> machine = NuSVR(C=10, gamma=1, nu=0.2).fit(x, np.sinc(x[:, 0]))
    >>> machine.report_["figures"]["epsilon"] < 0.05
    True
    """

    _machine = "nusvr"

    def __init__(self, *, nu=0.5, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, tol=1e-3,
                 cache_size=None, verbose=0, max_iter=-1, callback=None, threads=None, centres=None,
                 centres_by="rpcholesky", prepare=None, invariance=None):
        super().__init__(kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, shrinking=shrinking, tol=tol,
                         cache_size=cache_size, verbose=verbose, max_iter=max_iter, callback=callback, threads=threads,
                         centres=centres, centres_by=centres_by, prepare=prepare, invariance=invariance)
        self.nu = nu
        self.C = C

    def _settings(self):
        return {**super()._settings(), "C": self.C, "nu": self.nu}


@_documented
class OneClassSVM(OutlierMixin, _SupportVectorMachine):
    """Novelty detection: a function that is large where the training points are.

        min 1/2 |f|^2 - nu W rho + sum_i w_i max(0, rho - f(x_i)),  W = sum_i w_i

    `decision_function` is f(x) - rho.

    Parameters
    ----------
    nu : float, default=0.5
        At most this fraction of the training points is taken for strange, at least this fraction are support vectors.
    {common}

    Attributes
    ----------
    offset_ : rho
    {fitted}

    Examples
    --------
    >>> from mercer.svm import OneClassSVM
    >>> OneClassSVM(gamma="auto").fit([[0], [0.44], [0.45], [0.46], [1]]).predict([[0], [0.45], [1]])
    array([-1,  1, -1])
    """

    _machine = "oneclass"

    def __init__(self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, nu=0.5, shrinking=True,
                 cache_size=None, verbose=0, max_iter=-1, callback=None, threads=None, centres=None,
                 centres_by="rpcholesky", prepare=None, invariance=None):
        super().__init__(kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, shrinking=shrinking, tol=tol,
                         cache_size=cache_size, verbose=verbose, max_iter=max_iter, callback=callback, threads=threads,
                         centres=centres, centres_by=centres_by, prepare=prepare, invariance=invariance)
        self.nu = nu

    def _settings(self):
        return {**super()._settings(), "nu": self.nu}

    def fit(self, X, y=None, sample_weight=None):
        """Fits to rows of X; y is there for scikit-learn's conventions."""
        X = self._checked(X, reset=True)
        self._fit_core(X, sample_weight=self._weights(sample_weight, X))
        self._after_fit(X)
        return self

    @property
    def offset_(self):
        """decision_function = score_samples - offset_; an array of one number, as in scikit-learn."""
        check_is_fitted(self, "model_")
        return -self.intercept_

    def decision_function(self, X):
        """f(x) - rho: at least 0 for what is like the training points."""
        return self._scores(X)[:, 0]

    def score_samples(self, X):
        """f(x), the larger the more usual."""
        return self.decision_function(X) + self.offset_

    def predict(self, X):
        """1 for what is like the training points, -1 for what is not."""
        return self._ask(X, "predict")[:, 0].astype(np.intp)
