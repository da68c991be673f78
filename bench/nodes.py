"""Diffusion on the nodes of a large graph: rows of exp(-t L), t = 1, for labelled nodes, to 1e-8.

A random graph of a million nodes and five million edges, 1,000 of its nodes labelled; --shrink divides the numbers. A
product of the Laplacian with sixteen columns reads a cache line or two of each neighbour from anywhere in memory: bytes
are degree x (entries + 3 nodes) x columns x 8 (or 4 where single precision is enough), and that is what the time is. Run
it on a machine that does nothing else.
"""
from figures import run


def add_options(parser):
    parser.add_argument("--shrink", type=int, default=1)


def main(options, figures):
    size = [1_000_000 // options.shrink, 5_000_000 // options.shrink, max(16, 1_000 // options.shrink)]
    for where, what in (("labelled", "between the labelled nodes"), ("all", "at all nodes")):
        got = run(options.program, "nodes", "rows", *size, where)
        name = f"diffusion rows of {size[2]:,} nodes of {size[0]:,}, {what}"
        figures.row(name, f"{got['seconds']:.1f} s", "<= 60 s", got["seconds"] <= 60, f"degree {got['degree']}")
        figures.row("  error", f"{got['error']:.1e}", "<= 1e-8", got["error"] <= 1e-8, f"bound {got['bound']:.1e}")
        figures.row("  memory", f"{got['peak_gb']:.1f} GB", "< 12 GB", got["peak_gb"] < 12)
