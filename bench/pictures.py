"""Pictures that are prepared and moved: the steps of a table from a plain machine to virtual support vectors."""
import os
import resource

from figures import run

DIGITS = ["--kernel", "0.001953125*poly(degree=9, c=1)", "--C", "2"]
ZIP = ["--kernel", "rbf(ell=8)", "--C", "10", "--scale", "none"]
# set, step, options of fit, published error in per cent
STEPS = [
    ("MNIST", "plain", [*DIGITS, "--prepare", "unit_norm(800)"], "1.22"),
    ("MNIST", "deskewed", [*DIGITS, "--prepare", "deskew(28x28), unit_norm(800)"], ""),
    ("MNIST", "moved by one pixel",
     [*DIGITS, "--prepare", "deskew(28x28), unit_norm(800)", "--invariance", "shift(28x28, 1)"], "0.68"),
    ("MNIST", "moved by up to two pixels",
     [*DIGITS, "--prepare", "deskew(28x28), unit_norm(800)", "--invariance", "shift(28x28, 2)"], "0.56"),
    ("USPS", "plain", ZIP, "4.0-4.7, usual"),
    ("USPS", "deskewed", [*ZIP, "--prepare", "deskew(16x16)"], ""),
    ("USPS", "moved by one pixel", [*ZIP, "--prepare", "deskew(16x16)", "--invariance", "shift(16x16, 1)"],
     "3.2, Schoelkopf et al. 1996"),
]


def quoted(words):
    return " ".join(f"'{word}'" if set(" (*,") & set(word) else word for word in words)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def add_part(mercer, folder, files, names, say):
    """`files` gives the words that name the training and the test files of a set."""
    print("""
## Pictures that move

Digits as they came; what is done to them belongs to the model. `deskew` shears and centres a picture by its moments,
`unit_norm(800)` brings it to norm 1 in steps of 1/800, and `--invariance` fits the machine, moves its support vectors and
fits it again to these and their copies. The kernel, C and the steps of MNIST are those of D. DeCoste and B. Schoelkopf,
Training invariant support vector machines, Machine Learning 46 (2002), whose figures are quoted second-hand; theirs are ten
machines of one digit against the rest, these are 45 of pairs. Of 10,000 training digits held out, pairs had 1.08 % wrong
and one against the rest 1.06 %; moved by one pixel, pairs had 0.69 % wrong with this C and 0.77 % with five times as much.
These digits were prepared by NumPy in steps of 1/900. The kernel and C of USPS are those of the given split above and were
not chosen here. Of 2,291 training digits of USPS held out, deskewed ones that move by one pixel had fewer wrong (0.92 %,
four digits fewer) than those that also turn (1.09 %). Pictures that are moved but not deskewed were not tried on these
digits; their test error, 3.34 %, was already known. The 2.5 to 3 % that were wanted on USPS are missed. One standard
error is 0.08 of MNIST and 0.4 of USPS. Seconds are those of the processor for the fit, its check on points held out
included.

| set | step | `mercer fit svc` with | points of the last fit | support vectors | CPU s | error, % | published, % |
|---|---|---|---|---|---|---|---|""")
    model = os.path.join(folder, "pictures.mercer")
    for name, step, words, published in STEPS:
        if name not in names:
            continue
        train, test = files(name)
        before = processor_seconds()
        fitted = run(mercer, "fit", "svc", *train, *words, "-o", model, "--json")
        seconds = processor_seconds() - before
        error = 100 * (1 - run(mercer, "score", model, *test, "--json")["accuracy"])
        rounds = [table for table in fitted["report"]["tables"] if table["name"] == "invariance"]
        points = int(rounds[0]["rows"][-1][0]) if rounds else fitted["points"]
        print(f"| {name} | {step} | `{quoted(words)}` | {points:,} | {fitted['support']:,} | {seconds:.0f} | {error:.2f} | "
              f"{published} |", flush=True)
        say(f"pictures: {name}, {step} done")
