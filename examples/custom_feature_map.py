"""A kernel of one's own: say what matters as numbers, and k(x, y) = phi(x) . phi(y) is a kernel by construction.

    python examples/custom_feature_map.py [picture.png]
"""
import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles
from sklearn.model_selection import cross_val_score

import mercer

# One ring inside another: no straight line parts them, but the distance from the middle does.
X, y = make_circles(120, noise=0.12, factor=0.5, random_state=0)


def radius(x):
    """The features of one point."""
    return [np.hypot(x[0], x[1]), 1.0]


ring = mercer.features(radius)
print("k =", ring)
print(ring.proof())

for kernel in [mercer.linear(), ring, ring + 0.1 * mercer.rbf(ell=0.5)]:
    scores = cross_val_score(mercer.SVC(C=10, kernel=kernel), X, y, cv=5)
    print(f"{100 * scores.mean():5.1f} % right with {kernel}")

# A formula that is only plausible is another matter: Mercer looks for points that refute it.
print(mercer.check("sin(x)*cos(y)"))

figure, axes = plt.subplots(ncols=2, figsize=(7.5, 3.2), layout="constrained")
for ax, kernel in zip(axes, [mercer.linear(), ring]):
    mercer.plot.decision(mercer.SVC(C=10, kernel=kernel).fit(X, y), X, y, ax=ax, resolution=80)
    ax.set_title(repr(kernel), fontsize="small")

figure.savefig(sys.argv[1], dpi=80) if len(sys.argv) > 1 else plt.show()
