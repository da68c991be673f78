#!/usr/bin/python3
"""Writes classifiers.json: metrics, calibration and logistic regression by scikit-learn (Debian: python3-sklearn).

    /usr/bin/python3 make_classifiers.py > classifiers.json

Where scikit-learn has no exact answer, SciPy's minimisers give it: Platt's sigmoid, and the last digits of logistic
regression with several classes, which must lie within 1e-3 of what scikit-learn found.
"""

import json

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

random = np.random.default_rng(3)


def plain(value):
    """Arrays as lists."""
    return value.tolist() if isinstance(value, np.ndarray) else value


def normalised(p):
    """Probabilities of few digits whose rows add to 1 as nearly as doubles can."""
    p = np.round(p / p.sum(axis=1, keepdims=True), 4)
    p[:, -1] = 1 - p[:, :-1].sum(axis=1)
    return p


def of_classes(classes, n):
    truth = random.integers(0, classes, n)
    scores = np.round(random.normal(size=(n, classes)) + 1.2 * np.eye(classes)[truth], 1)  # one digit: many ties
    p = normalised(np.exp(scores))
    predicted = p.argmax(axis=1)
    binary = classes == 2
    case = {
        "classes": classes, "truth": truth, "predicted": predicted, "probabilities": p,
        "scores": scores[:, 1:] - scores[:, :1] if binary else scores,
        "confusion": metrics.confusion_matrix(truth, predicted),
        "accuracy": metrics.accuracy_score(truth, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, predicted),
        "f1": metrics.f1_score(truth, predicted, average="binary" if binary else "macro"),
        "log_loss": metrics.log_loss(truth, p),
    }
    if binary:
        case["auc"] = metrics.roc_auc_score(truth, case["scores"][:, 0])
        case["brier"] = metrics.brier_score_loss(truth, p[:, 1])
    else:
        case["auc"] = np.mean([metrics.roc_auc_score(truth == c, scores[:, c]) for c in range(classes)])
        case["brier"] = np.mean(((p - np.eye(classes)[truth]) ** 2).sum(axis=1))
    return case


def of_targets(n):
    truth = np.round(random.normal(size=n) * 3, 3)
    predicted = np.round(truth + random.normal(size=n), 3)
    return {
        "truth": truth, "predicted": predicted,
        "rmse": metrics.mean_squared_error(truth, predicted) ** 0.5,
        "mae": metrics.mean_absolute_error(truth, predicted),
        "r2": metrics.r2_score(truth, predicted),
    }


def calibration(n):
    """Platt's problem by a general minimiser."""
    scores = np.round(random.normal(size=n) * 2, 3)
    signs = np.where(random.uniform(size=n) < expit(1.5 * scores - 0.4), 1, -1)
    weights = np.round(random.uniform(0.2, 3, size=n), 2)
    case = {"scores": scores, "signs": signs, "weights": weights}
    for name, w in (("plain", np.ones(n)), ("weighted", weights)):
        up, down = w[signs > 0].sum(), w[signs < 0].sum()
        t = np.where(signs > 0, (up + 1) / (up + 2), 1 / (down + 2))

        def value(ab):
            u = ab[0] * scores + ab[1]
            return -np.sum(w * (t * log_expit(-u) + (1 - t) * log_expit(u)))

        def gradient(ab):
            g = w * (t - expit(-(ab[0] * scores + ab[1])))
            return np.array([g @ scores, g.sum()])

        found = minimize(value, [0.0, 0.0], jac=gradient, method="BFGS", options={"gtol": 1e-10})
        case[name] = found.x
    return case


def logistic(name, classes, n, d, C, bias, weighted):
    centres = random.normal(size=(classes, d)) * 1.5
    labels = np.arange(n) % classes
    x = np.round(centres[labels] + random.normal(size=(n, d)), 3)
    test = np.round(random.normal(size=(5, d)) * 2, 3)
    weights = np.round(random.uniform(0.1, 3, size=n), 2) if weighted else np.ones(n)
    model = LogisticRegression(C=C, fit_intercept=bias, tol=1e-12, max_iter=100000,
                               solver="newton-cholesky" if classes == 2 else "lbfgs")
    model.fit(x, labels, sample_weight=weights)
    if classes > 2:
        # lbfgs stops early; polish with its own objective.
        y = np.eye(classes)[labels]

        def unpack(theta):
            theta = theta.reshape(classes, d + 1)
            return theta[:, :d], theta[:, d] * bias

        def value(theta):
            w, b = unpack(theta)
            f = x @ w.T + b
            top = f.max(axis=1, keepdims=True)
            log_sum = top[:, 0] + np.log(np.exp(f - top).sum(axis=1))
            p = np.exp(f - log_sum[:, None])
            g = (weights[:, None] * (p - y))
            grad = np.hstack([g.T @ x + w / C, (g.sum(axis=0) * bias)[:, None]])
            return np.sum(weights * (log_sum - f[np.arange(n), labels])) + 0.5 / C * np.sum(w * w), grad.ravel()

        start = np.hstack([model.coef_, model.intercept_[:, None] * np.ones((classes, 1))]).ravel()
        found = minimize(value, start, jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 10000})
        w, b = unpack(found.x)
        assert np.abs(w - model.coef_).max() < 1e-3, np.abs(w - model.coef_).max()
        model.coef_, model.intercept_ = w, b
    scores = model.decision_function(test)
    if classes > 2:
        scores = scores - scores.mean(axis=1, keepdims=True)
    return {
        "name": name, "x": x, "labels": labels, "weights": weights, "lambda": 1 / C, "bias": bias, "test": test,
        "scores": scores.reshape(5, -1), "probabilities": model.predict_proba(test),
    }


golden = {
    "classification": [of_classes(2, 40), of_classes(4, 60)],
    "regression": [of_targets(30)],
    "calibration": [calibration(50)],
    "logistic": [
        logistic("binary", 2, 40, 3, 2.0, True, False),
        logistic("binary without bias", 2, 40, 3, 0.5, False, False),
        logistic("binary, weighted", 2, 30, 2, 4.0, True, True),
        logistic("three classes", 3, 45, 3, 1.0, True, False),
        logistic("four classes, weighted, without bias", 4, 48, 3, 0.25, False, True),
    ],
}
print(json.dumps(golden, default=plain, separators=(",", ":")).replace('},{', '},\n{').replace('":[{', '":[\n{'))
