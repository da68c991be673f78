"""A few labels and a graph: the part of docs/results.md on learning from labelled and unlabelled points together."""
import gzip
import random
import statistics

from figures import run

LABELS = 5  # of each class
CHOICES = 10
GRID = "C=1,10,100,t=0.3,1,3,10"


def add_part(mercer, data, folder, say):
    """Prints the part; `say` tells how far it is."""
    with gzip.open(data / "small_classification" / "digits_8x8.csv.gz", "rt") as file:
        lines = file.read().splitlines()
    labels = [line.rsplit(",", 1)[1] for line in lines]
    whole = folder / "digits.csv"
    whole.write_text("\n".join(lines) + "\n", encoding="utf-8")
    edges = folder / "edges.txt"
    run(mercer, "graph", "knn", whole, "--target", str(lines[0].count(",") + 1), "--k", "10", "-o", edges, "--json")
    scores = {"graph": [], "plain": []}
    for choice in range(CHOICES):
        known = chosen(labels, choice)
        scores["graph"].append(with_graph(mercer, labels, known, edges, folder))
        scores["plain"].append(without_graph(mercer, lines, labels, known, folder))
        say(f"nodes: choice {choice + 1} of {CHOICES} done")
    figures = {name: f"{statistics.mean(values):.1f} ± {statistics.stdev(values):.1f}"
               for name, values in scores.items()}
    print(f"""
## A few labels and a graph

digits_8x8 with {LABELS} labelled points a class, all others to be predicted from them: accuracy in per cent on the
{len(labels) - 10 * LABELS:,} others, mean and standard deviation over {CHOICES} random choices of the labelled points. With the graph of the 10
nearest neighbours of all points, labelled or not (`mercer graph knn`), and a diffusion on its nodes: C and t are chosen
by five folds of the labelled points (`mercer tune svc labels.csv --graph edges.txt --kernel 'normalize(diffusion(t=1))'
--grid '{GRID}'`). Without it: `mercer fit svc labelled.csv`, the rbf kernel with C and ell chosen by the
command.

| machine | inputs | accuracy |
|---|---|---|
| svc, diffusion | labelled and unlabelled points, through their graph | {figures["graph"]} |
| svc, rbf | labelled points | {figures["plain"]} |""")


def chosen(labels, seed):
    generator = random.Random(seed)
    known = []
    for kind in sorted(set(labels)):
        known += generator.sample([i for i, label in enumerate(labels) if label == kind], LABELS)
    return sorted(known)


def accuracy(labels, known, said):
    hidden = set(range(len(labels))) - set(known)
    return 100 * sum(said[i] == labels[i] for i in hidden) / len(hidden)


def with_graph(mercer, labels, known, edges, folder):
    path, model = folder / "labels.csv", folder / "nodes.mercer"
    path.write_text("node,label\n" + "".join(f"{i},{labels[i]}\n" for i in known), encoding="utf-8")
    run(mercer, "tune", "svc", path, "--graph", edges, "--kernel", "normalize(diffusion(t=1))", "--grid", GRID, "-o",
        model, "--json")
    said = run(mercer, "predict", model, "--json")
    return accuracy(labels, known, dict(zip(map(int, said["nodes"]), said["predictions"])))


def without_graph(mercer, lines, labels, known, folder):
    train, test, model = folder / "labelled.csv", folder / "all.csv", folder / "plain.mercer"
    train.write_text("".join(lines[i] + "\n" for i in known), encoding="utf-8")
    test.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    run(mercer, "fit", "svc", train, "-o", model, "--json")
    said = run(mercer, "predict", model, test, "--json")
    return accuracy(labels, known, said["predictions"])
