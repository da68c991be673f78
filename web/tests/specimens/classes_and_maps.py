"""Makes the specimens of the charts of classes, maps, matrices and objects: python3 classes_and_maps.py (numpy, scipy, scikit-learn).

The figures are real: small models of scikit-learn, so that the pictures look as those of users will.
"""
import base64
import json
import math
import pathlib

import numpy as np
from scipy import linalg, stats
from sklearn import datasets, decomposition, linear_model, metrics, model_selection, svm
from sklearn.metrics.pairwise import rbf_kernel

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(7)


def short(v):
    v = float(v)
    return float(f"{v:.6g}") if math.isfinite(v) else None


def numbers(values):
    return [short(v) for v in np.asarray(values, dtype=float).ravel()]


def packed(values):
    return {"f32": base64.b64encode(np.asarray(values, dtype="<f4").tobytes()).decode()}


def save(kind, title, finding, data):
    exhibit = {"id": kind, "kind": kind, "title": title, "finding": finding, "data": data}
    (here / f"{kind}.json").write_text(json.dumps(exhibit, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def bars():
    X, y = datasets.load_diabetes(return_X_y=True)
    names = ["age", "sex", "bmi", "blood pressure", "total cholesterol", "ldl", "hdl", "tch", "triglycerides", "glucose"]
    fits = []
    for _ in range(200):
        pick = rng.integers(0, len(y), len(y))
        fits.append(linear_model.Ridge(alpha=0.1).fit(X[pick], y[pick]).coef_)
    middle = linear_model.Ridge(alpha=0.1).fit(X, y).coef_
    low, high = np.percentile(fits, [2.5, 97.5], axis=0)
    order = np.argsort(-np.abs(middle))
    save("bars", "What moves the prediction", f"Body mass index and triglycerides raise the prediction most; the intervals of {int(((low < 0) & (high > 0)).sum())} columns include zero.", {
        "x": {"label": "change of the prediction per standard deviation"},
        "bars": [{"name": names[i], "value": short(middle[i] * 0.0476), "low": short(low[i] * 0.0476), "high": short(high[i] * 0.0476)} for i in order],
    })


def scores_of_cancer():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    X = X[:, :4] + rng.normal(0, 0.9, (len(X), 4))  # harder than it is, so that the curves have a shape
    y = 1 - y
    p = model_selection.cross_val_predict(svm.SVC(probability=True, random_state=0), X, y, cv=5, method="predict_proba")[:, 1]
    return y, p


def digits():
    X, y = datasets.load_digits(return_X_y=True)
    X = X / 16 + rng.normal(0, 0.35, X.shape)
    model = svm.SVC(probability=True, gamma=0.02, random_state=0)
    return y, model_selection.cross_val_predict(model, X, y, cv=3, method="predict_proba")


def curve(kind, name, y, p, band=True):
    grid = np.linspace(0, 1, 101)

    def at(y, p):
        if kind == "roc":
            fpr, tpr, _ = metrics.roc_curve(y, p)
            return np.interp(grid, fpr, tpr), metrics.roc_auc_score(y, p)
        precision, recall, _ = metrics.precision_recall_curve(y, p)
        return np.interp(grid, recall[::-1], precision[::-1]), metrics.average_precision_score(y, p)

    boot = []
    for _ in range(200):
        pick = rng.integers(0, len(y), len(y))
        boot.append(at(y[pick], p[pick]))
    low, high = np.percentile([b[0] for b in boot], [2.5, 97.5], axis=0)
    if kind == "roc":
        x, v, cut = metrics.roc_curve(y, p)
        cut[0] = np.nan
    else:
        v, x, cut = metrics.precision_recall_curve(y, p)
        x, v, cut = x[::-1], v[::-1], np.append(np.nan, cut[::-1])
    area = at(y, p)[1]
    alow, ahigh = np.percentile([b[1] for b in boot], [2.5, 97.5])
    # One grid for curve and band.
    out = {"name": name, "x": numbers(grid), "y": numbers(np.interp(grid, x, v)), "area": short(area), "area_low": short(alow), "area_high": short(ahigh),
           "cut": numbers(np.interp(grid, x[1:], cut[1:]))}
    if band:
        out |= {"low": numbers(low), "high": numbers(high)}
    return out


def rocs(y, p, dy, dp):
    one = curve("roc", "", y, p)
    save("roc", "How well scores tell the classes apart",
         f"A malignant tumour scores higher than a benign one in {100 * one['area']:.1f} % of the pairs (95 % interval {100 * one['area_low']:.1f} to {100 * one['area_high']:.1f} %).",
         {"curves": [one]})
    many = [curve("precision_recall", f"digit {c}", (dy == c).astype(int), dp[:, c], band=c in (1, 3, 8)) for c in (0, 1, 3, 8)]
    save("precision_recall", "Precision over recall", f"Digit 0 is easiest (mean precision {many[0]['area']:.2f}), digit 8 hardest ({many[3]['area']:.2f}).",
         {"curves": many, "base": [short((dy == c).mean()) for c in (0, 1, 3, 8)]})


def cutoff(y, p):
    order = np.argsort(-p)
    tp, fp = np.cumsum(y[order]), np.cumsum(1 - y[order])
    save("cutoff", "Where to cut", f"At 0.5 the model finds {100 * (p[y == 1] >= 0.5).mean():.0f} % of the malignant tumours, and {100 * y[p >= 0.5].mean():.0f} % of its alarms are right.", {
        "positive": "malignant", "score": "probability", "cut": [None] + numbers(p[order]),
        "tp": [0] + [int(v) for v in tp], "fp": [0] + [int(v) for v in fp], "positives": int(y.sum()), "negatives": int((1 - y).sum())})


def reliability(y, p):
    def bins(p):
        edges = np.linspace(0, 1, 11)
        which = np.clip(np.digitize(p, edges) - 1, 0, 9)
        rows = []
        for b in range(10):
            inside = which == b
            n, hits = int(inside.sum()), int(y[inside].sum())
            if n == 0:
                continue
            low, high = stats.beta.ppf([0.025, 0.975], [hits or 1e-9, hits + 1], [n - hits + 1, n - hits or 1e-9])
            rows.append((p[inside].mean(), hits / n, low, high, n))
        return np.array(rows).T

    named = []
    for name, q in (("as fitted", p), ("without calibration", np.clip((p - 0.5) * 0.55 + 0.45, 0.01, 0.99))):
        predicted, observed, low, high, n = bins(q)
        named.append({"name": name, "predicted": numbers(predicted), "observed": numbers(observed), "low": numbers(low), "high": numbers(high), "count": [int(v) for v in n]})
    counts, edges = np.histogram(p, np.linspace(0, 1, 21))
    save("reliability", "Do probabilities mean what they say?", f"Of the tumours to which the model gives more than 90 %, {100 * y[p > 0.9].mean():.0f} % were malignant; {100 * (p < 0.25).mean():.0f} % of the predictions are below 25 %.",
         {"curves": named, "histogram": {"edges": numbers(edges), "counts": [int(c) for c in counts]}})


def confusion(dy, dp):
    counts = metrics.confusion_matrix(dy, dp.argmax(1))
    worst = counts - np.diag(np.diag(counts))
    i, j = np.unravel_index(worst.argmax(), worst.shape)
    save("confusion", "Which classes are taken for which", f"{100 * np.trace(counts) / counts.sum():.1f} % are right. The most frequent mistake: {i} taken for {j}, {worst[i, j]} times.",
         {"classes": [str(c) for c in range(10)], "counts": counts.tolist()})


def densities(y, p):
    s = np.log(p / (1 - p))
    at = np.linspace(s.min() - 1, s.max() + 1, 161)
    save("densities", "Scores of each class", f"The classes overlap between −1 and 1, where {100 * (np.abs(s) < 1).mean():.0f} % of the points are.", {
        "x": {"label": "log odds"}, "at": numbers(at), "cut": 0,
        "lines": [{"name": name, "y": numbers(stats.gaussian_kde(s[y == c])(at) * (y == c).mean()), "group": c} for c, name in enumerate(("benign", "malignant"))]})




def scree_and_embedding():
    X, y = datasets.load_digits(return_X_y=True)
    keep = y < 6
    X, y = X[keep] / 16, y[keep]
    model = decomposition.PCA(12).fit(X)
    Z = model.transform(X)
    v = model.explained_variance_
    share = model.explained_variance_ratio_
    save("scree", "How much each component tells", f"The first two components hold {100 * share[:2].sum():.0f} % of the variance; nine hold {100 * share[:9].sum():.0f} %.",
         {"eigenvalues": numbers(v), "share": numbers(share), "cumulative": numbers(np.cumsum(share)), "kept": 2})
    pick = rng.permutation(len(y))[:700]
    save("embedding", "The digits in the plane of two components", "Fours stand apart; ones and fives overlap. 700 of 1,083 points, drawn from each class in proportion.", {
        "axes": [{"label": f"component {i + 1}"} for i in range(4)], "coordinates": [numbers(Z[pick, i]) for i in range(4)],
        "group": [int(c) for c in y[pick]], "classes": [f"digit {c}" for c in range(6)], "rows": [int(i) + 1 for i in pick],
        "centres": {"x": numbers([Z[y == c, 0].mean() for c in range(6)]), "y": numbers([Z[y == c, 1].mean() for c in range(6)]), "names": [str(c) for c in range(6)]},
        "pictures": {"width": 8, "height": 8, "u8": [base64.b64encode((255 * X[i]).astype(np.uint8).tobytes()).decode() for i in pick]}})


def shepard():
    cities = [("Atlanta", 33.75, -84.39), ("Chicago", 41.88, -87.63), ("Denver", 39.74, -104.99), ("Houston", 29.76, -95.37), ("Los Angeles", 34.05, -118.24),
              ("Miami", 25.76, -80.19), ("New York", 40.71, -74.01), ("San Francisco", 37.77, -122.42), ("Seattle", 47.61, -122.33), ("Washington", 38.91, -77.04),
              ("Boston", 42.36, -71.06), ("Philadelphia", 39.95, -75.17), ("Baltimore", 39.29, -76.61), ("Dallas", 32.78, -96.8), ("Portland", 45.52, -122.68)]
    lat, lon = np.radians([c[1] for c in cities]), np.radians([c[2] for c in cities])
    c = np.sin(lat[:, None]) * np.sin(lat) + np.cos(lat[:, None]) * np.cos(lat) * np.cos(lon[:, None] - lon)
    D = 6371 * np.arccos(np.clip(c, -1, 1))
    np.fill_diagonal(D, 0)
    n = len(D)
    J = np.eye(n) - 1 / n
    values, U = linalg.eigh(-0.5 * J @ D**2 @ J)
    values, U = values[::-1], U[:, ::-1]
    Z = U[:, :2] * np.sqrt(values[:2])
    Z *= np.sign([(Z[:, 0] * lon).sum(), (Z[:, 1] * lat).sum()])
    F = np.hypot(*(Z[:, None] - Z).transpose(2, 0, 1))
    i, j = np.triu_indices(n, 1)
    stress = math.sqrt(((D - F)[i, j] ** 2).sum() / (D[i, j] ** 2).sum())
    save("shepard", "Distances in the map and distances given", f"The map keeps the distances: stress {stress:.3f}.", {"given": numbers(D[i, j]), "found": numbers(F[i, j]), "stress": short(stress)})
    extra = {
        "embedding-map": ("embedding", "The cities found from their distances", "The distances alone put the cities where they are, up to a turn.", {
            "axes": [{"label": "km", "unit": "km"}, {"label": "km", "unit": "km"}], "coordinates": [numbers(Z[:, 0]), numbers(Z[:, 1])], "names": [c[0] for c in cities],
            "rows": list(range(1, n + 1)), "equal": True, "label_points": True}),
        "scree-negative": ("scree", "How many dimensions the distances have", "Two; the negative values are small: on a sphere distances are not quite those of a plane.", {
            "eigenvalues": numbers(values[values > 0]), "share": numbers(values[values > 0] / values[values > 0].sum()), "cumulative": numbers(np.cumsum(values[values > 0]) / values[values > 0].sum()),
            "kept": 2, "negative": numbers(values[values < 0][::-1])})}
    for name, (kind, title, finding, data) in extra.items():
        (here / f"{name}.json").write_text(json.dumps({"id": name, "kind": kind, "title": title, "finding": finding, "data": data}, separators=(",", ":")) + "\n")


def silhouette():
    from sklearn.cluster import KMeans
    X, _ = datasets.make_blobs(400, centers=[[0, 0], [4, 0.5], [2, 3.2], [2.8, 4.6]], cluster_std=[0.7, 0.8, 0.6, 0.6], random_state=3)
    label = KMeans(4, n_init=5, random_state=0).fit_predict(X)
    s = metrics.silhouette_samples(X, label)
    clusters = []
    for c in range(4):
        rows = np.flatnonzero(label == c)
        rows = rows[np.argsort(-s[rows])]
        clusters.append({"name": f"cluster {c + 1}", "values": numbers(s[rows]), "rows": [int(r) + 1 for r in rows]})
    save("silhouette", "How well each point sits in its cluster", f"Mean silhouette {s.mean():.2f}; {int((s < 0).sum())} points are nearer to another cluster than to their own.", {"clusters": clusters, "mean": short(s.mean())})


def gram_and_spectrum():
    X, y = datasets.load_iris(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    order = np.argsort(y, kind="stable")
    K = rbf_kernel(X[order], gamma=0.35)
    low, high = K.min(), K.max()
    byte = np.round(255 * (K - low) / (high - low)).astype(np.uint8)
    names = ["setosa", "versicolor", "virginica"]
    save("gram", "The kernel matrix", f"Setosa is like nothing else (mean k {K[:50, 50:].mean():.2g} to the others); versicolor and virginica run into each other (mean k {K[50:100, 100:].mean():.2g}).", {
        "size": 150, "n": 150, "values": {"u8": base64.b64encode(byte.tobytes()).decode(), "min": short(low), "max": short(high)}, "order": "by class",
        "rows": [int(i) + 1 for i in order], "blocks": [{"name": names[c], "from": 50 * c, "to": 50 * (c + 1)} for c in range(3)]})
    v = np.clip(linalg.eigvalsh(K)[::-1], 1e-12, None)
    effective = v.sum() ** 2 / (v**2).sum()
    save("spectrum", "The spectrum of the kernel matrix", f"The matrix acts like one of {effective:.1f} dimensions; {int((v > 0.1).sum())} eigenvalues rise above the noise.",
         {"eigenvalues": packed(v), "n": 150, "effective": short(effective), "noise": 0.1, "cumulative": packed(np.cumsum(v) / v.sum())})


def histogram():
    X, y = datasets.load_iris(return_X_y=True)
    edges = np.linspace(0.8, 7.2, 33)
    groups = [{"name": name, "counts": [int(c) for c in np.histogram(X[y == i, 2], edges)[0]]} for i, name in enumerate(("setosa", "versicolor", "virginica"))]
    save("histogram", "Petal length", "Setosa petals are shorter than 2 cm, all others longer than 2.9 cm.", {
        "x": {"label": "petal length", "unit": "cm"}, "edges": numbers(edges), "counts": [int(c) for c in np.histogram(X[:, 2], edges)[0]], "groups": groups,
        "marks": [{"x": short(np.median(X[:, 2])), "label": "median"}]})


def strings():
    texts = [("promoter 12", "TTGACATATAATGCGTACCTGATTAGCTTGACAGGCTATAATCCGTA", 1.84, "promoter", "promoter"),
             ("promoter 31", "GCGCATTAGGCTTGACTAACGGCATATAATAGCGCTA", 0.92, "promoter", "promoter"),
             ("intron 4", "GTAAGTCCGGAGGCTTAACGCCGGTACCGGATCCGGCGTTAAGGCCAATTGGCCGGAATTCCGGATATCCGGAAGGCCTTACGGCCAGGCATTGCACAG", -1.37, "intron", "intron"),
             ("promoter 77", "CCGGATTGGCCAATGCCGGTTACGGCATGATAATCGG", -0.21, "promoter", "intron")]
    good, bad = ("TTGACA", "TATAAT", "GATAAT"), ("CCGG", "GGCC", "GCGC")
    out = []
    for name, text, score, truth, predicted in texts:
        v = rng.normal(0, 0.008, len(text))
        for motif in good + bad:
            at = text.find(motif)
            while at >= 0:
                v[at:at + len(motif)] += (0.12 if motif in good else -0.08) * rng.uniform(0.7, 1.2, len(motif))
                at = text.find(motif, at + 1)
        out.append({"name": name, "letters": list(text), "values": numbers(v), "score": score, "of": "log odds of promoter", "truth": truth, "predicted": predicted})
    save("strings", "Which letters decide", "TTGACA and TATAAT speak for a promoter, runs of C and G against.", {"strings": out})


def graphs():
    def ring(n, cx, cy, r, turn=0.0):
        a = 2 * np.pi * np.arange(n) / n + turn
        return cx + r * np.cos(a), cy + r * np.sin(a)

    x1, y1 = ring(6, 0, 0, 1)
    nitro = {"name": "molecule 17", "x": numbers(np.r_[x1, 2, 2.5, 2.5, -2]), "y": numbers(np.r_[y1, 0, 0.87, -0.87, 0]), "labels": list("CCCCCC") + ["N", "O", "O", "Cl"],
             "edges": [[i, (i + 1) % 6] for i in range(6)] + [[0, 6], [6, 7], [6, 8], [3, 9]], "values": [0.21, 0.05, 0.02, -0.12, 0.02, 0.05, 0.62, 0.44, 0.44, -0.31],
             "score": 1.42, "truth": "mutagenic", "predicted": "mutagenic", "like": [{"name": "molecule 4", "k": 0.87}, {"name": "molecule 112", "k": 0.81}, {"name": "molecule 61", "k": 0.74}]}
    x2, y2 = ring(6, 0, 0, 1, np.pi / 6)
    x3, y3 = ring(6, np.sqrt(3), 0, 1, np.pi / 6)
    X, Y, edges, index = [], [], [], {}
    for rx, ry in ((x2, y2), (x3, y3)):
        ids = []
        for px, py in zip(rx, ry):
            key = (round(px, 3), round(py, 3))
            if key not in index:
                index[key] = len(X)
                X.append(px)
                Y.append(py)
            ids.append(index[key])
        for i in range(6):
            e = sorted((ids[i], ids[(i + 1) % 6]))
            if e not in edges:
                edges.append(e)
    naph = {"name": "molecule 40", "x": numbers(X), "y": numbers(Y), "labels": ["C"] * len(X), "edges": edges, "values": numbers(rng.normal(0.08, 0.12, len(X))), "score": 0.18,
            "truth": "mutagenic", "predicted": "mutagenic", "like": [{"name": "molecule 8", "k": 0.93}, {"name": "molecule 9", "k": 0.9}]}
    chain = {"name": "molecule 93", "x": numbers(np.arange(6)), "y": numbers([0, 0.5, 0, 0.5, 0, 0.5]), "labels": ["C", "C", "O", "C", "C", "Cl"], "edges": [[i, i + 1] for i in range(5)],
             "values": [-0.1, -0.14, -0.35, -0.2, -0.15, -0.42], "score": -1.31, "truth": "harmless", "predicted": "harmless", "like": [{"name": "molecule 90", "k": 0.66}]}
    save("graphs", "Which atoms decide", "The nitro group speaks for mutagenic, chlorine and ether oxygen against.", {"graphs": [nitro, naph, chain], "value": "contribution to the score", "diverging": True})


def bivariate():
    S = np.array([[1.0, 0.75], [0.75, 1.2]])
    L = np.linalg.cholesky(S)
    m = np.array([0.3, 1.0])
    t = np.linspace(0, 2 * np.pi, 121)
    ellipses = []
    for level in (0.5, 0.8, 0.95):
        r = math.sqrt(stats.chi2.ppf(level, 2))
        e = m[:, None] + r * L @ np.array([np.cos(t), np.sin(t)])
        ellipses.append({"level": level, "x": numbers(e[0]), "y": numbers(e[1])})
    x = 1.4
    mean, sd = m[1] + S[0, 1] / S[0, 0] * (x - m[0]), math.sqrt(S[1, 1] - S[0, 1] ** 2 / S[0, 0])
    at = np.linspace(m[1] - 3.2 * math.sqrt(S[1, 1]), m[1] + 3.2 * math.sqrt(S[1, 1]), 121)
    save("bivariate", "One value given the other", f"Seen alone, the second value is 1 ± 1.10; given that the first is 1.4 it is {mean:.2f} ± {sd:.2f}.", {
        "x": {"label": "f(x₁)"}, "y": {"label": "f(x₂)"}, "mean": numbers(m), "covariance": [1.0, 0.75, 1.2], "ellipses": ellipses, "given": {"x": x, "mean": short(mean), "sd": short(sd)},
        "conditional": {"at": numbers(at), "density": numbers(stats.norm.pdf(at, mean, sd)), "prior": numbers(stats.norm.pdf(at, m[1], math.sqrt(S[1, 1])))}})


def proof():
    def leaf(statement, rule, because, conditions, citation):
        return {"statement": statement, "rule": rule, "because": because, "conditions": conditions, "citation": citation, "premises": []}

    rbf = leaf("rbf(ell=0.5)", "Gaussian", "its Fourier transform is a Gaussian, which is positive everywhere", "ell = 0.5 > 0", "Bochner 1932; Rasmussen and Williams 2006, p. 83")
    linear = leaf("linear()", "linear", "c'Kc = |sum of c_i x_i|², never below zero", "", "Aronszajn 1950")
    tree = {"statement": "2*rbf(ell=0.5) + normalize((1 + linear())^3)", "rule": "sum", "because": "a sum of positive semi-definite matrices is one", "conditions": "", "citation": "Shawe-Taylor and Cristianini 2004, prop. 3.22", "premises": [
        {"statement": "2*rbf(ell=0.5)", "rule": "scale", "because": "c'(aK)c = a c'Kc", "conditions": "a = 2 >= 0", "citation": "Shawe-Taylor and Cristianini 2004, prop. 3.22", "premises": [rbf]},
        {"statement": "normalize((1 + linear())^3)", "rule": "f(x) k(x, y) f(y)", "because": "with f(x) = 1 / sqrt(k(x, x)) the matrix becomes DKD", "conditions": "k(x, x) > 0", "citation": "Haasdonk 2002", "premises": [
            {"statement": "(1 + linear())^3", "rule": "power", "because": "the element-wise product of positive semi-definite matrices is one (Schur)", "conditions": "3 is a whole number >= 1", "citation": "Schur 1911", "premises": [
                {"statement": "1 + linear()", "rule": "sum", "because": "a sum of positive semi-definite matrices is one", "conditions": "", "citation": "Shawe-Taylor and Cristianini 2004, prop. 3.22", "premises": [leaf("1", "constant", "the matrix is 11', of rank one", "1 >= 0", "Aronszajn 1950"), linear]}]}]}]}
    save("proof", "Why this is a kernel", "Seven steps from three axioms.", {"proof": tree})
    x = np.array([-1.0, 0.5, 2.0])
    K = np.tanh(x[:, None] * x - 1)
    v, U = np.linalg.eigh(K)
    c = U[:, 0]
    (here / "proof-counterexample.json").write_text(json.dumps({"id": "proof-counterexample", "kind": "proof", "title": "Why this is not a kernel", "finding": f"Three points show it: c'Kc = {c @ K @ c:.3f} is below zero.", "data": {
        "counterexample": {"points": [f"x{i + 1} = {v:g}" for i, v in enumerate(x)], "c": numbers(c), "value": short(c @ K @ c), "matrix": [numbers(r) for r in K]},
        "words": "tanh(x*y - 1) is no kernel: a matrix of its values has a negative eigenvalue."}}) + "\n")


def facts():
    save("facts", "How the fit went", "The optimum was reached; no jitter was needed.", {"rows": [
        {"name": "stopped", "value": "optimum reached", "words": "the gap between the objective and its bound is below the tolerance", "good": True},
        {"name": "gap", "value": "3.1e-4", "words": "largest violation of the optimality conditions; 1e-3 allowed", "good": True},
        {"name": "jitter", "value": "0", "words": "nothing was added to the diagonal", "good": True},
        {"name": "ell", "value": "2.31 cm", "words": "points nearer than this are alike", },
        {"name": "C", "value": "1000", "words": "at the upper end of what was searched: search further", "good": False},
        {"name": "support vectors", "value": "84 of 400 (21 %)"}, {"name": "time", "value": "0.42 s"}, {"name": "memory", "value": "3.1 MB"}, {"name": "seed", "value": "0"}, {"name": "data", "value": "sha256 9defd4574fe3a9a0"}]})


def table():
    X, y = datasets.load_iris(return_X_y=True)
    names = ["setosa", "versicolor", "virginica"]
    p = model_selection.cross_val_predict(svm.SVC(probability=True, random_state=0), X, y, cv=5, method="predict_proba")
    surprise = -np.log(p[np.arange(150), y])
    worst = np.argsort(-surprise)[:12]
    save("table", "The twelve flowers that surprise most", f"Row {worst[0] + 1} surprises most: a {names[y[worst[0]]]} that looks like a {names[p[worst[0]].argmax()]}.", {
        "columns": ["row", "species", "predicted", "surprise", "petal length", "petal width"],
        "rows": [[int(i) + 1, names[y[i]], names[p[i].argmax()], short(surprise[i]), short(X[i, 2]), short(X[i, 3])] for i in worst], "more": 138})


if __name__ == "__main__":
    y, p = scores_of_cancer()
    dy, dp = digits()
    bars()
    rocs(y, p, dy, dp)
    cutoff(y, p)
    reliability(y, p)
    confusion(dy, dp)
    densities(y, p)
    scree_and_embedding()
    shepard()
    silhouette()
    gram_and_spectrum()
    histogram()
    strings()
    graphs()
    bivariate()
    proof()
    facts()
    table()
