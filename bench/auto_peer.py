#!/usr/bin/env python3
"""Boosted trees, forests and searched kernel machines on one table; prints one JSON line.

usage: auto_peer.py train=TR.csv[.gz] test=TE.csv[.gz] target=COL drop=COLS kind=accuracy|rmse seconds=S

bench/auto.py runs it, with the Python that MERCER_PEERS names. All are as they come, without an option that changes what
they learn; texts are told to be categories, and gaps are filled, only where a library cannot do without.
"""
import json
import sys
import time
import warnings

import numpy
import pandas
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier,
                              RandomForestRegressor)
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel
from sklearn.impute import SimpleImputer
from sklearn.model_selection import ParameterSampler, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

GAPS = ["?", ""]
MOST_OF_PROCESS = 1500  # rows that a search of a Gaussian process is given


def encoded(train, test, words, texts):
    """Columns of words as numbers, gaps as NaN (or, for `words` == "one_hot", filled and spread over columns)."""
    if words == "codes":
        coder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=numpy.nan)
        numbers = [c for c in train if c not in texts]
        both = [frame[numbers].to_numpy(float) for frame in (train, test)]
        if texts:
            codes = [coder.fit_transform(train[texts]), coder.transform(test[texts])]
            both = [numpy.hstack(pair) for pair in zip(both, codes)]
        return both
    numbers = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    named = make_pipeline(SimpleImputer(strategy="most_frequent", keep_empty_features=True),
                          OneHotEncoder(handle_unknown="ignore", sparse_output=False))
    coder = make_column_transformer((numbers, [c for c in train if c not in texts]), (named, texts))
    return [coder.fit_transform(train), coder.transform(test)]


def searched(x, y, x_test, kind, seconds):
    """The best of random candidates by five folds, for so many processor seconds, fitted to all rows."""
    begin, best, chosen = time.process_time(), -numpy.inf, None
    if kind == "accuracy":
        spread = numpy.exp(numpy.linspace(-3, 3, 13))
        candidates = ({"C": c["C"], "gamma": c["g"] / x.shape[1]} for c in
                      ParameterSampler({"C": 10.0 ** numpy.arange(-1, 4), "g": spread}, 65, random_state=0))
        make, score = SVC, "accuracy"
    else:
        rows = numpy.random.default_rng(0).permutation(len(y))[:MOST_OF_PROCESS]
        x, y = x[rows], y[rows]
        ones = numpy.ones(x.shape[1])
        candidates = ({"kernel": ConstantKernel() * k + WhiteKernel(), "normalize_y": True} for k in
                      (RBF(1.0), Matern(1.0, nu=1.5), RBF(ones), Matern(ones, nu=1.5), Matern(1.0, nu=0.5)))
        make, score = GaussianProcessRegressor, "neg_root_mean_squared_error"
    for candidate in candidates:
        if chosen is not None and time.process_time() - begin > seconds:
            break
        value = cross_val_score(make(**candidate), x, y, scoring=score, cv=5).mean()
        if value > best:
            best, chosen = value, candidate
    return make(**chosen).fit(x, y).predict(x_test)


def answers(train, y, test, kind, seconds):
    """Predictions by name, made when asked for."""
    classes = kind == "accuracy"
    texts = [c for c in train if not pandas.api.types.is_numeric_dtype(train[c])]
    codes = encoded(train, test, "codes", texts)
    yield "hist_gradient_boosting", lambda: (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(
        random_state=0).fit(codes[0], y).predict(codes[1])
    spread = encoded(train, test, "one_hot", texts)
    yield "random_forest", lambda: (RandomForestClassifier if classes else RandomForestRegressor)(
        random_state=0).fit(spread[0], y).predict(spread[1])

    def lightgbm():
        import lightgbm
        as_category = [frame.assign(**{c: pandas.Categorical(frame[c], categories=train[c].dropna().unique()) for c in texts})
                       for frame in (train, test)]
        for frame in as_category:
            frame.columns = [f"c{i}" for i in range(frame.shape[1])]
        machine = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
        return machine(verbose=-1, n_jobs=1).fit(as_category[0], y).predict(as_category[1])

    def catboost():
        import catboost
        filled = [frame.assign(**{c: frame[c].fillna("missing").astype(str) for c in texts}) for frame in (train, test)]
        machine = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
        made = machine(verbose=0, thread_count=1, allow_writing_files=False).fit(filled[0], y, cat_features=texts)
        return numpy.ravel(made.predict(filled[1]))

    yield "lightgbm", lightgbm
    yield "catboost", catboost
    yield "tuned", lambda: searched(spread[0], y, spread[1], kind, seconds)


def main():
    warnings.simplefilter("ignore")
    words = dict(word.split("=", 1) for word in sys.argv[1:])
    target, kind = words["target"], words["kind"]
    frames = [pandas.read_csv(words[part], na_values=GAPS).dropna(subset=[target]) for part in ("train", "test")]
    truth = frames[1][target].to_numpy()
    y = frames[0][target].to_numpy()
    dropped = [target, *filter(None, words["drop"].split(","))]
    dropped += [c for c in frames[0] if frames[0][c].isna().all() and c not in dropped]  # scikit-learn's trees refuse them
    train, test = (frame.drop(columns=dropped) for frame in frames)
    if kind == "accuracy":
        y, truth = y.astype(str), truth.astype(str)
    out = {} if kind == "accuracy" else {"deviation": float(numpy.std(truth))}
    for name, predict in answers(train, y, test, kind, float(words["seconds"])):
        try:
            found = predict()
        except ImportError:
            continue
        out[name] = float(numpy.mean(found == truth) if kind == "accuracy" else
                          numpy.sqrt(numpy.mean((found - truth) ** 2)) / out["deviation"])
    print(json.dumps(out))


if __name__ == "__main__":
    main()
