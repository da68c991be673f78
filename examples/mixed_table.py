"""A table of numbers and words: each column has the kernel that suits it, and their sum learns from all.

    python examples/mixed_table.py [picture.png]
"""
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_predict, cross_validate

import mercer

table = pandas.read_csv(Path(__file__).parents[1] / "data" / "toys" / "mixed.csv")
print(table.head(3))  # customers of a camping shop (label 1) and of a book shop (0)
X, y = table[["age", "income", "text"]], table["label"]

# No columns to encode, no vocabulary to build: on("column", k) lets k see that column alone. spectrum(k=3) counts the
# runs of three letters that two texts share; normalize makes a long text no more important than a short one.
numbers = mercer.on("age", mercer.rbf(ell=20)) + mercer.on("income", mercer.rbf(ell=20000))
words = mercer.on("text", mercer.normalize(mercer.spectrum(k=3)))
kernels = {"numbers": numbers, "words": words, "both": numbers + 2 * words}

# Sums and products of kernels are kernels, and the proof says why.
print(kernels["both"].proof())

folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=3, random_state=0)
for name, kernel in kernels.items():
    machine = mercer.KernelLogisticRegression(C=3, kernel=kernel)
    scores = cross_validate(machine, X, y, cv=folds, scoring=["accuracy", "neg_log_loss"])
    accuracy, log_loss = scores["test_accuracy"].mean(), -scores["test_neg_log_loss"].mean()
    print(f"{name:8} {100 * accuracy:.0f} % right, log loss {log_loss:.3f}")

# What each kernel says of customers it has not seen: where the numbers are in doubt the words often are not, and the
# other way round, which is why both together know more.
said = {}
for name, kernel in kernels.items():
    machine = mercer.KernelLogisticRegression(C=3, kernel=kernel)
    said[name] = cross_val_predict(machine, X, y, cv=10, method="predict_proba")[:, 1]
figure, (left, right) = plt.subplots(ncols=2, figsize=(7.5, 3.2), layout="constrained")
for label, colour, name in [(0, "tab:blue", "book shop"), (1, "tab:orange", "camping shop")]:
    left.scatter(said["numbers"][y == label], said["words"][y == label], s=16, color=colour, label=name)
    right.hist(said["both"][y == label], bins=np.linspace(0, 1, 11), alpha=0.6, color=colour, label=name)
left.axhline(0.5, color="gray", linewidth=0.8)
left.axvline(0.5, color="gray", linewidth=0.8)
left.set(xlabel="P(camping shop) by numbers", ylabel="P(camping shop) by words")
right.set(xlabel="P(camping shop) by both", ylabel="customers")
right.legend(frameon=False, fontsize="small")

figure.savefig(sys.argv[1], dpi=80) if len(sys.argv) > 1 else plt.show()
