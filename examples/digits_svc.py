"""Handwritten digits: a support vector machine, its kernel chosen by a grid search.

    python examples/digits_svc.py [picture.png]
"""
import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import mercer

# 1797 pictures of 8 x 8 pixels; a third is kept for the end.
X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=1 / 3, random_state=0, stratify=y)

# An estimator of Mercer goes wherever one of scikit-learn goes, and the numbers inside its kernel are parameters like
# any other: kernel__ell is the length scale of the rbf.
prices, scales = [0.1, 1, 10, 100], [0.7, 1, 1.4, 2, 2.8, 4]
search = GridSearchCV(
    make_pipeline(MinMaxScaler(), mercer.SVC(kernel=mercer.rbf(ell=1))),
    {"svc__C": prices, "svc__kernel__ell": scales},
    cv=3,
)
search.fit(X_train, y_train)
print("best:", search.best_params_, f"with {100 * search.best_score_:.2f} % in cross-validation")

# The digits that were kept.
machine = search.best_estimator_
predicted = machine.predict(X_test)
wrong = np.flatnonzero(predicted != y_test)
print(f"test: {len(wrong)} of {len(y_test)} wrong ({100 * len(wrong) / len(y_test):.2f} %)")
svc = machine[-1]
print(f"{len(svc.support_)} of {len(y_train)} pictures are support vectors")

# Left: what the search saw. Right: the mistakes, as truth and prediction.
figure = plt.figure(figsize=(7.5, 3), layout="constrained")
left, right = figure.subfigures(ncols=2)
ax = left.subplots()
percent = 100 * search.cv_results_["mean_test_score"].reshape(len(prices), len(scales))
ax.imshow(percent, cmap="Blues", vmin=80, vmax=105, aspect="auto")
for row, column in np.ndindex(percent.shape):
    ax.text(column, row, f"{percent[row, column]:.1f}", ha="center", va="center", fontsize="small")
ax.set(xticks=range(len(scales)), xticklabels=scales, xlabel="ell", yticks=range(len(prices)), yticklabels=prices,
       ylabel="C", title="right in cross-validation, %")

right.suptitle("test digits that were wrong")
for small, i in zip(right.subplots(2, 4).flat, [*wrong[:8], *[None] * 8]):
    small.axis("off")
    if i is not None:
        small.imshow(X_test[i].reshape(8, 8), cmap="gray_r")
        small.set_title(f"{y_test[i]}, not {predicted[i]}", fontsize="small")

figure.savefig(sys.argv[1], dpi=80) if len(sys.argv) > 1 else plt.show()
