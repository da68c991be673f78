"""Clusters: one iteration of k-means beside one product K V, and how well clusters meet classes beside scikit-learn's.

Shapes: the adjusted Rand index of `mercer fit spectral` given the number of clusters, beside scikit-learn's
SpectralClustering of the graph of nearest neighbours, on the sets of its comparison of clusterings (500 points,
standardised) and on digits; and the numbers of clusters that plain fits of spectral, kmeans and gmm choose.

Digits: the normalised mutual information with the digit, the mean over five seeds, all with one kernel, rbf of three
widths. `make results` also has clusters of strings and graphs (add_part).
"""
import statistics
import subprocess
import tempfile

import numpy
import sets
import structured
from figures import run

SEEDS = range(5)
WIDTHS = (0.3, 0.6, 1.0)  # of the median distance
ITERATION = 1.3
# set: kernel
STRUCTURED = {"MUTAG": "normalize(wl(h=3))", "reuters40": "normalize(spectrum(k=5))",
              "names": "normalize(spectrum(k=2)) + normalize(spectrum(k=3))"}


def iterations(program, figures):
    for where in ("lazy", "memory"):
        got = run(program, "clusters", "iteration", 20_000, 20, 20, where)
        ratio = got["iteration"] / got["product"]
        name = f"kmeans, n = 20,000, k = 20, K {'computed as needed' if where == 'lazy' else 'in memory'}"
        figures.row(f"{name}: iteration / product", f"{ratio:.2f}", f"<= {ITERATION}", ratio <= ITERATION,
                    f"product {got['product']:.2f} s")
        share = got["whole"] / got["iterations"] / got["product"]
        figures.row("  of a whole fit, by rows of what moved", f"{share:.2f}", f"<= {ITERATION}", share <= ITERATION,
                    f"{got['iterations']} iterations in {got['whole']:.1f} s")


def shapes(data):
    """(name, points, classes) of scikit-learn's comparison, and digits."""
    from sklearn import datasets
    from sklearn.preprocessing import StandardScaler
    n = 500
    x, y = datasets.make_blobs(n_samples=n, random_state=170)
    found = {"rings": datasets.make_circles(n_samples=n, factor=0.5, noise=0.05, random_state=30),
             "moons": datasets.make_moons(n_samples=n, noise=0.05, random_state=30),
             "uneven": datasets.make_blobs(n_samples=n, cluster_std=[1.0, 2.5, 0.5], random_state=170),
             "aniso": (x @ [[0.6, -0.6], [-0.4, 0.8]], y),
             "blobs": datasets.make_blobs(n_samples=n, random_state=8)}
    for name, (x, y) in found.items():
        yield name, StandardScaler().fit_transform(x), y
    yield "digits", *sets.table(data / "small_classification" / "digits_8x8.csv.gz")
    yield "one Gaussian", numpy.random.RandomState(0).standard_normal((300, 2)), numpy.zeros(300, int)


def by_command(command, machine, path, *options):
    """The clusters that `mercer fit` finds."""
    import mercer
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/m.mercer"
        subprocess.run([command, "fit", machine, path, "--header", "no", *options, "-o", model],
                       check=True, capture_output=True)
        found = mercer.load(model)
        return found.labels_ if machine != "gmm" else found.predict(numpy.loadtxt(path, delimiter=","))


def add_shapes(command, data, figures):
    from sklearn.cluster import SpectralClustering
    from sklearn.metrics import adjusted_rand_score as ari
    with tempfile.TemporaryDirectory() as folder:
        for name, x, y in shapes(data):
            path, classes = f"{folder}/x.csv", len(set(y))
            numpy.savetxt(path, x, delimiter=",")
            if classes > 1:
                peer = statistics.mean(ari(y, SpectralClustering(classes, affinity="nearest_neighbors", random_state=seed)
                                           .fit(x).labels_) for seed in SEEDS)
                own = ari(y, by_command(command, "spectral", path, "--clusters", str(classes)))
                figures.row(f"{name}: ARI of spectral, given {classes}", f"{own:.3f}", f">= {peer:.3f}", own >= peer - 5e-4,
                            "scikit-learn's SpectralClustering, nearest_neighbors, mean of five seeds")
            plain = {machine: by_command(command, machine, path) for machine in ("spectral", "kmeans", "gmm")}
            figures.row(f"{name}: numbers chosen by spectral, kmeans, gmm (there are {classes})",
                        ", ".join(str(len(set(of))) for of in plain.values()), "", True,
                        "ARI " + ", ".join(f"{ari(y, of):.2f}" for of in plain.values()) if classes > 1 else "")


def add_defaults(data, figures):
    """Standardised wine, of which SpectralClustering's default gamma of 1 sees nearest points only."""
    import mercer
    from sklearn.cluster import SpectralClustering
    from sklearn.metrics import adjusted_rand_score as ari
    x, y = sets.small(data, "wine")
    x = sets.standardised(x)
    peer = statistics.mean(ari(y, SpectralClustering(3, random_state=seed).fit(x).labels_) for seed in SEEDS)
    own = ari(y, mercer.SpectralClustering(3).fit(x).labels_)
    figures.row("wine: ARI of SpectralClustering(3), all else as it comes", f"{own:.3f}", f">= {peer:.3f}", own >= peer - 5e-4,
                "scikit-learn's SpectralClustering, mean of five seeds")


def digits(data):
    """(width, {name: the mean NMI})"""
    import mercer
    from sklearn.cluster import SpectralClustering
    from sklearn.metrics import normalized_mutual_info_score as nmi
    x, y = sets.table(data / "small_classification" / "digits_8x8.csv.gz")
    median = numpy.median([numpy.linalg.norm(x - x[i], axis=1) for i in range(0, len(x), 7)])
    for width in WIDTHS:
        kernel = mercer.rbf(ell=float(width * median))
        machines = {
            "kmeans": lambda seed: mercer.KernelKMeans(10, kernel, random_state=seed).fit(x),
            "spectral": lambda seed: mercer.SpectralClustering(10, affinity=kernel, random_state=seed).fit(x),
            "scikit-learn": lambda seed: SpectralClustering(10, affinity="precomputed", random_state=seed).fit(kernel(x)),
        }
        yield width, {name: statistics.mean(nmi(y, fit(seed).labels_) for seed in SEEDS) for name, fit in machines.items()}


def add_part(command, data, folder):
    """The section of docs/results.md."""
    import mercer
    from sklearn.metrics import normalized_mutual_info_score as nmi
    print("""
## Clusters

The normalised mutual information (1: the clusters are the classes, 0: they say nothing of them) of as many clusters as
there are classes, which the machines do not see; means over five seeds (bench/clusters.py). Digits 8x8 as they come,
`rbf` of multiples of the median distance, beside scikit-learn's SpectralClustering of the same matrix.

| ell / median | kmeans | spectral | scikit-learn |
|---|---|---|---|""")
    for width, found in digits(data):
        print(f"| {width} | {found['kmeans']:.3f} | {found['spectral']:.3f} | {found['scikit-learn']:.3f} |", flush=True)
    print("""
Graphs and strings, one kernel each, taken as it stands:

| set | objects | classes | kernel | kmeans | spectral |
|---|---|---|---|---|---|""")
    for name, kernel in STRUCTURED.items():
        one = structured.Set(data, name, folder)
        K = one.gram(command, kernel)
        classes = len(set(one.labels))
        means = [statistics.mean(nmi(one.labels, make(seed).fit(K).labels_) for seed in SEEDS) for make in (
            lambda seed: mercer.KernelKMeans(classes, "precomputed", random_state=seed),
            lambda seed: mercer.SpectralClustering(classes, affinity="precomputed", random_state=seed))]
        print(f"| {name} | {len(one.labels):,} | {classes} | `{kernel}` | {means[0]:.3f} | {means[1]:.3f} |", flush=True)
        structured.say(f"clusters: {name}")


def add_options(parser):
    sets.add_data_option(parser)


def main(options, figures):
    data = sets.folder(options)
    add_shapes(options.command, data, figures)
    add_defaults(data, figures)
    iterations(options.program, figures)
    for width, found in digits(data):
        for name in ("kmeans", "spectral"):
            figures.row(f"digits, rbf of {width} median distances: NMI of {name}", f"{found[name]:.3f}",
                        f">= {found['scikit-learn']:.3f}", found[name] >= found["scikit-learn"],
                        "scikit-learn's SpectralClustering")
