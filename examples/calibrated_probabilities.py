"""Probabilities that mean what they say, from three machines that get there by different ways.

    python examples/calibrated_probabilities.py [picture.png]
"""
import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_moons
from sklearn.metrics import brier_score_loss, log_loss

import mercer

# Two moons so noisy that nobody can tell them apart everywhere: good probabilities matter, not only good guesses.
X, y = make_moons(300, noise=0.4, random_state=0)
X_test, y_test = make_moons(4000, noise=0.4, random_state=1)

machines = {
    # Scores of held-out points, and a sigmoid fitted to them.
    "SVC": mercer.SVC(C=1, gamma=1.0, probability=True),
    # A model of the probability itself.
    "KernelLogisticRegression": mercer.KernelLogisticRegression(C=10, kernel="rbf(ell=0.7)"),
    # The same, averaged over all that is not known of f; the kernel's numbers are learnt from the data.
    "GaussianProcessClassifier": mercer.GaussianProcessClassifier("2*rbf(ell=1)"),
}

figure, (left, right) = plt.subplots(ncols=2, figsize=(7.5, 3.4), layout="constrained")
left.plot([0, 1], [0, 1], color="gray", linewidth=0.8)
print(f"{'':26} log loss  Brier  accuracy")
for name, machine in machines.items():
    machine.fit(X, y)
    p = machine.predict_proba(X_test)[:, 1]
    accuracy = machine.score(X_test, y_test)
    print(f"{name:26} {log_loss(y_test, p):8.3f} {brier_score_loss(y_test, p):6.3f} {accuracy:9.3f}")
    # The class that is predicted is always the one that is more probable.
    assert np.array_equal(machine.predict(X_test), (p > 0.5).astype(int))
    share, said = calibration_curve(y_test, p, n_bins=10)
    left.plot(said, share, "o-", markersize=3, linewidth=1, label=name)
left.set(xlabel="probability that was said", ylabel="share that was class 1", aspect="equal")
left.legend(frameon=False, fontsize="small")

# Lines at 0.1, 0.5 and 0.9 of the last one.
mercer.plot.decision(machine, X, y, ax=right)

figure.savefig(sys.argv[1], dpi=80) if len(sys.argv) > 1 else plt.show()
