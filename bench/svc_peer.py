#!/usr/bin/env python3
"""Trains one support vector classifier of scikit-learn or of oneDAL (scikit-learn-intelex) and prints one JSON line.

usage: svc_peer.py side=scikit-learn|oneDAL data=X.npy|X.npz target=Y.npy C=1 gamma=0.1 [type=float32] [cache=4000]
                   coefficients=OUT.npy [test=X.npy test_target=Y.npy] [rows=N] [clock=processor]

bench/svm.py runs it, oneDAL's with the Python that MERCER_PEERS names. Only training and prediction are timed, with all
data in memory; data in .npz files are sparse. The coefficients are those of every training point, a column per pair.
"""
import json
import sys
import time

import numpy
import scipy.sparse


def pair_coefficients(machine, n):
    """y_i alpha_i of every training point: one column per pair of classes."""
    k = len(machine.classes_)
    out = numpy.zeros((n, k * (k - 1) // 2))
    ends = numpy.cumsum(machine.n_support_)
    class_of = numpy.searchsorted(ends, numpy.arange(ends[-1]), side="right")
    dual = machine.dual_coef_.toarray() if scipy.sparse.issparse(machine.dual_coef_) else machine.dual_coef_
    column = 0
    for a in range(k):
        for b in range(a + 1, k):
            for mine, row in ((a, b - 1), (b, a)):
                chosen = class_of == mine
                out[machine.support_[chosen], column] = dual[row, chosen]
            column += 1
    return out


def read(path, type_name):
    if path.endswith(".npz"):
        return scipy.sparse.load_npz(path).astype(type_name)
    return numpy.ascontiguousarray(numpy.load(path), dtype=type_name)


def seconds(work, clock):
    start = clock()
    result = work()
    return clock() - start, result


def main():
    words = dict(word.split("=", 1) for word in sys.argv[1:])
    if words["side"] == "oneDAL":
        from sklearnex.svm import SVC
    else:
        from sklearn.svm import SVC
    type_name = words.get("type", "float64")
    clock = time.process_time if words.get("clock") == "processor" else time.perf_counter
    rows = slice(0, int(words["rows"]) if "rows" in words else None)
    x, y = read(words["data"], type_name)[rows], numpy.load(words["target"])[rows]
    machine = SVC(C=float(words["C"]), gamma=float(words["gamma"]), cache_size=float(words.get("cache", 4000)), tol=1e-3)
    out = {"seconds": seconds(lambda: machine.fit(x, y), clock)[0], "support_vectors": len(machine.support_)}
    if words["side"] == "oneDAL" and not hasattr(machine, "_onedal_estimator"):
        sys.exit("scikit-learn-intelex left the work to scikit-learn")
    if "test" in words:
        test, truth = read(words["test"], type_name), numpy.load(words["test_target"])
        out["predict_seconds"], predicted = seconds(lambda: machine.predict(test), clock)
        out["predicted"] = len(predicted)
        out["error"] = float((predicted != truth).mean())
    if "coefficients" in words:
        numpy.save(words["coefficients"], pair_coefficients(machine, x.shape[0]))
    print(json.dumps(out))


if __name__ == "__main__":
    main()
