"""Whole Python programs: a class of scikit-learn's beside Mercer's, with the same arguments and data, in one run.

Times are those of the calls a user makes, fit or predict, and the best of several runs; what both sides answer is
compared. Run it on a machine that does nothing else; it takes a minute or two, most of it scikit-learn's.
"""
import time
import warnings

import numpy
import sklearn.svm
from figures import best_of, chosen
from sklearn import datasets
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV

import mercer


def words(seconds):
    for unit, name in ((1e-6, "us"), (1e-3, "ms")):
        if seconds < 1000 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds:.2f} s"


class Bench:
    def __init__(self, figures, shrink):
        self.figures = figures
        self.shrink = shrink

    def compare(self, what, wanted, ours, theirs, agree, rounds=3):
        """Both sides do their work; `agree` says in words how far apart the results are, and whether that is enough."""
        (a, mine), (b, other) = best_of(rounds, ours), best_of(rounds, theirs)
        apart, close = agree(mine, other)
        self.figures.row(what, f"{b / a:.1f}x", f">= {wanted}x", b / a >= wanted and close,
                         f"{words(a)}, {words(b)}; {apart}")

    def overhead(self):
        X, y = datasets.load_iris(return_X_y=True)
        beyond, whole = [], []
        for _ in range(500):
            start = time.perf_counter()
            machine = mercer.SVC().fit(X, y)
            whole.append(time.perf_counter() - start)
            beyond.append(whole[-1] - machine.report_["seconds"])
        peer, _ = best_of(500, lambda: sklearn.svm.SVC().fit(X, y))
        self.figures.row("SVC.fit on iris: Python beyond the C++ time", words(min(beyond)), "< 1 ms",
                         min(beyond) < 1e-3, f"in all {words(min(whole))}; scikit-learn {words(peer)}")
        point = X[:1].copy()
        theirs = sklearn.svm.SVC().fit(X, y)
        whole, _ = best_of(20000, lambda: machine.predict(point))
        points = machine._plain_points(point)
        core, _ = best_of(20000, lambda: machine.model_.predict(points))
        peer, _ = best_of(5000, lambda: theirs.predict(point))
        self.figures.row(f"SVC.predict of one point, {len(machine.support_)} support vectors", words(whole), "< 20 us",
                         whole < 20e-6, f"of these the model {words(core)}; scikit-learn {words(peer)}")

    def svm(self):
        def predictions(X):
            def agree(mine, other):
                same = numpy.mean(mine.predict(X) == other.predict(X))
                return f"{100 * same:.2f} % of predictions equal", same > 0.998
            return agree

        X, y = datasets.load_digits(return_X_y=True)
        self.compare("SVC.fit on digits, C=10", 1.5, lambda: mercer.SVC(C=10).fit(X, y),
                     lambda: sklearn.svm.SVC(C=10).fit(X, y), predictions(X))
        n = 10000 // self.shrink
        X, y = datasets.make_classification(n, 20, n_informative=10, flip_y=0.05, random_state=0)
        fits = [cls(C=10).fit(X, y) for cls in (mercer.SVC, sklearn.svm.SVC)]
        self.compare(f"SVC.fit, n={n:,} d=20, C=10", 5, lambda: mercer.SVC(C=10).fit(X, y),
                     lambda: sklearn.svm.SVC(C=10).fit(X, y), predictions(X), 2)

        def equal(mine, other):
            return f"{100 * numpy.mean(mine == other):.2f} % equal", numpy.mean(mine == other) > 0.998

        self.compare(f"its predict on {n:,} points", 5, lambda: fits[0].predict(X), lambda: fits[1].predict(X), equal)
        X, y = datasets.make_friedman1(n // 2, 10, noise=1, random_state=0)

        def close(mine, other):
            apart = numpy.abs(mine.predict(X) - other.predict(X)).max() / y.std()
            return f"predictions differ by {apart:.0e} of the targets' spread", apart < 1e-2

        self.compare(f"SVR.fit, n={n // 2:,} d=10, C=10", 5, lambda: mercer.SVR(C=10).fit(X, y),
                     lambda: sklearn.svm.SVR(C=10).fit(X, y), close, 2)

    def tune(self):
        n = 2000 // self.shrink
        X, y = datasets.make_classification(n, 20, n_informative=10, flip_y=0.05, random_state=0)
        grid = {"C": [0.1, 1, 10, 100], "gamma": [0.01, 0.03, 0.1, 0.3]}

        def agree(mine, other):
            apart = numpy.abs(mine.cv_results_["mean_test_score"] - other.cv_results_["mean_test_score"]).max()
            return f"scores differ by {apart:.0e}", apart < 2e-3

        self.compare(f"GridSearchCV of SVC, n={n:,}, 4 x 4 and 5 folds", 3,
                     lambda: GridSearchCV(mercer.SVC(), grid).fit(X, y),
                     lambda: GridSearchCV(sklearn.svm.SVC(), grid).fit(X, y), agree, 1)

    def ridge(self):
        n = 5000 // self.shrink
        X, y = datasets.make_friedman1(n, 10, noise=1, random_state=0)
        options = {"alpha": 0.1, "kernel": "rbf", "gamma": 0.1}

        def agree(mine, other):
            apart = numpy.abs(mine.predict(X) - other.predict(X)).max() / numpy.abs(y).max()
            return f"predictions differ by {apart:.0e}", apart < 1e-9

        self.compare(f"KernelRidge.fit, n={n:,} d=10", 2, lambda: mercer.KernelRidge(**options).fit(X, y),
                     lambda: KernelRidge(**options).fit(X, y), agree, 2)

    def gp(self):
        n = 1000 // self.shrink
        X, y = datasets.make_friedman1(n, 5, noise=1, random_state=0)
        y = y - y.mean()
        kernel = ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(1.0)

        def agree(mine, other):
            a, b = mine.log_marginal_likelihood_value_, other.log_marginal_likelihood_value_
            return f"log evidence {a:.3f}, {b:.3f}", a > b - 0.01

        ours = mercer.GaussianProcessRegressor(kernel, mean="zero", n_restarts_optimizer=0)
        theirs = GaussianProcessRegressor(kernel)
        self.compare(f"GaussianProcessRegressor.fit, n={n:,} d=5, learning 3 numbers", 5, lambda: ours.fit(X, y),
                     lambda: theirs.fit(X, y), agree, 1)


CASES = ("overhead", "svm", "tune", "ridge", "gp")


def add_options(parser):
    parser.add_argument("--cases", default=",".join(CASES), help="which, divided by commas")
    parser.add_argument("--shrink", type=int, default=1, help="divide the numbers of points by this")


def main(options, figures):
    warnings.simplefilter("ignore")
    bench = Bench(figures, options.shrink)
    for case in chosen("--cases", options.cases, CASES):
        getattr(bench, case)()
