"""Matrices of string kernels: Mercer beside kernlab (Rscript with r-cran-kernlab), in one run.

Both sides get the same strings; time is that of the whole matrix, counting substrings included. kernlab takes a minute
for the spectrum of 3,190 strings; --peer-strings lets it have fewer, and its time is then multiplied by the pairs it
was spared. Values are compared: kernlab reads a line end behind each string as a letter, so of its spectrum only
entries without common last letters are.
"""
import pathlib
import shutil

import sets
from figures import relative_difference, run


def gram(program, path, kernel, rounds, *more):
    return run(program, "strings", "gram", path, kernel, rounds, *more)


def peer(kind, path, length, *more):
    return run("Rscript", pathlib.Path(__file__).with_name("strings_peer.R"), kind, path, length, *more)


def second_column(path):
    import gzip
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as file:
        return [line.rstrip("\n").split("\t", 1)[1] for line in file]


def sequence_case(program, figures, data):
    path = data / "strings/promoters/promoters.tsv"
    ours = gram(program, path, "subsequence(length=4, decay=0.5)", 5)
    theirs = peer("sequence", path, 4)
    ratio = theirs["seconds"] / ours["seconds"]
    figures.row("subsequence, length 4, 106 promoters: faster than kernlab's sequence", f"{ratio:.0f}x", ">= 80x",
                ratio >= 80, f"{1e3 * ours['seconds']:.1f} ms, {theirs['seconds']:.2f} s")
    difference = relative_difference(ours["corner"], theirs["corner"])
    figures.row("the same: values against kernlab's", f"{difference:.0e}", "<= 1e-12", difference <= 1e-12)


def spectrum_case(program, figures, data, strings):
    path = data / "strings/splice/splice.tsv.gz"
    text = second_column(path)
    ours = gram(program, path, "spectrum(k=4)", 5)
    theirs = peer("spectrum", path, 4, *([strings] if strings else []))
    n, few = ours["strings"], theirs["strings"]
    seconds = theirs["seconds"] * (n * (n + 1)) / (few * (few + 1))
    ratio = seconds / ours["seconds"]
    figures.row(f"spectrum, k = 4, {n:,} splice junctions: faster than kernlab's spectrum", f"{ratio:.0f}x", ">= 500x",
                ratio >= 500, f"{1e3 * ours['seconds']:.1f} ms, {seconds:.1f} s"
                + (f" (from {few} strings)" if few < n else ""))
    size = 20
    apart = [i * size + j for i in range(size) for j in range(size) if text[i][-1] != text[j][-1]]
    difference = relative_difference([ours["corner"][p] for p in apart], [theirs["corner"][p] for p in apart])
    figures.row("the same: values against kernlab's", f"{difference:.0e}", "<= 0", difference == 0)


def large_case(program, figures, data):
    path = data / "strings/celegans_acceptor/celegans_acceptor_20k.tsv.gz"
    ours = gram(program, path, "spectrum(k=6)", 2, 141)
    figures.row(f"spectrum, k = 6, matrix of {ours['strings']:,} DNA strings of length 141", f"{ours['seconds']:.2f} s",
                "<= 10 s", ours["seconds"] <= 10, f"{ours['megabytes']:.0f} MB")


def add_options(parser):
    sets.add_data_option(parser)
    parser.add_argument("--peer-strings", type=int, metavar="N", help="kernlab's spectrum of the first N strings only")


def main(options, figures):
    data = sets.folder(options)
    if shutil.which("Rscript"):
        sequence_case(options.program, figures, data)
        spectrum_case(options.program, figures, data, options.peer_strings)
    else:
        print("beside kernlab: Rscript is not there")
    large_case(options.program, figures, data)
