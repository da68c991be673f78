"""Two rings and digits without labels: what a kernel changes for principal components, mixtures and clusters.

    python examples/without_labels.py [picture.png]
"""
import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_circles
from sklearn.metrics import normalized_mutual_info_score

import mercer

X, ring = make_circles(400, factor=0.4, noise=0.06, random_state=0)
figure, axes = plt.subplots(ncols=4, figsize=(11, 3), layout="constrained")

# The same algorithm twice: lines cannot tell one ring from the other, the kernel's directions can.
print("two rings, agreement with the truth (nmi)")
for ax, kernel in zip(axes, ["linear()", "rbf(ell=0.3)"]):
    mixture = mercer.KernelGaussianMixture(n_components=2, kernel=kernel, n_init=5, random_state=1).fit(X)
    p = mixture.predict_proba(X)[:, 0]
    ax.scatter(*X.T, c=p, s=6, cmap="coolwarm", vmin=0, vmax=1)
    ax.set(title=f"mixture, {kernel}", aspect="equal", xticks=[], yticks=[])
    print(f"  mixture  {kernel:13} {normalized_mutual_info_score(ring, p > 0.5):.3f}")

coordinates = mercer.KernelPCA(n_components=2, kernel="rbf(ell=0.2)").fit_transform(X)
axes[2].scatter(*coordinates.T, c=ring, s=6, cmap="coolwarm")
axes[2].set(title="components, rbf(ell=0.2)", xticks=[], yticks=[])

digits, number = load_digits(return_X_y=True)
print("digits, agreement with the truth (nmi)")
for name, machine in {
    "kernel k-means": mercer.KernelKMeans(n_clusters=10, kernel="rbf(ell=25)", n_init=5, random_state=1),
    "normalised cut": mercer.SpectralClustering(n_clusters=10, affinity="rbf(ell=8)", random_state=1),
}.items():
    found = machine.fit_predict(digits)
    print(f"  {name:22} {normalized_mutual_info_score(number, found):.3f}")
flat = mercer.KernelPCA(n_components=2, kernel="rbf(ell=25)").fit_transform(digits)
axes[3].scatter(*flat.T, c=found, s=3, cmap="tab10")
axes[3].set(title="digits, normalised cut", xticks=[], yticks=[])

figure.savefig(sys.argv[1], dpi=80) if len(sys.argv) > 1 else plt.show()
