"""Support vector classifiers on the same numbers in the forms that people pass: NumPy's types and orders, pandas frames.

MNIST (the first rows of it; bytes, their halves and bytes over 255) and covtype (standardised), the slowest form beside the best one,
in processor seconds of fit and of predict, the best of three of each. Classes must be those of float64. Run it on a machine that does
nothing else.
"""
import time

import mercer
import numpy
import sets


def cpu(work):
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def forms_of(x, bytes_alone):
    """Name: a function that makes it of float64 rows."""
    import pandas

    if bytes_alone:
        if x.max() < 128:
            return {"int8": lambda a: a.astype(numpy.int8), "uint8": lambda a: a.astype(numpy.uint8),
                    "float64": numpy.ascontiguousarray}
        return {"uint8": lambda a: a.astype(numpy.uint8), "int16": lambda a: a.astype(numpy.int16),
                "float64": numpy.ascontiguousarray, "float32": lambda a: a.astype(numpy.float32)}

    def mixed(a):
        return pandas.DataFrame({f"x{k}": a[:, k].astype(numpy.float32 if k % 2 else numpy.float64)
                                 for k in range(a.shape[1])})

    return {"float64": numpy.ascontiguousarray, "float32": lambda a: a.astype(numpy.float32),
            "float64, Fortran": numpy.asfortranarray, "float32, Fortran": lambda a: numpy.asfortranarray(a, numpy.float32),
            "frame of float64": lambda a: pandas.DataFrame(a, columns=[f"x{k}" for k in range(a.shape[1])]),
            "frame of both": mixed}


def measure(figures, name, x, y, test, C, gamma, bytes_alone=False):
    taken, answers = {}, {}
    for form, make in forms_of(x, bytes_alone).items():
        given, asked = make(x), make(test)
        best = [numpy.inf, numpy.inf]
        for _ in range(3):
            fit, machine = cpu(lambda: mercer.SVC(C=C, gamma=gamma).fit(given, y))
            predict, answers[form] = cpu(lambda: machine.predict(asked))
            best = [min(best[0], fit), min(best[1], predict)]
        taken[form] = best
    for which, verb in enumerate(("fit", "predict")):
        seconds = {form: times[which] for form, times in taken.items()}
        slowest = max(seconds, key=seconds.get)
        ratio = seconds[slowest] / min(seconds.values())
        figures.row(f"{name}: {verb}, the slowest of {len(seconds)} forms beside the best", f"{ratio:.2f}x", "<= 1.2x", ratio <= 1.2,
                    f"{slowest}; " + ", ".join(f"{form} {s:.3f}" for form, s in seconds.items()) + " s")
    least = min((answer == answers["float64"]).mean() for answer in answers.values())
    figures.row(f"{name}: classes that are those of float64, the least", f"{100 * least:.2f} %", ">= 99.9 %", least >= 0.999)


def add_options(parser):
    sets.add_data_option(parser)
    parser.add_argument("--digits", type=int, default=20000, help="of MNIST [%(default)s]")
    parser.add_argument("--rows", type=int, default=20000, help="of covtype [%(default)s]")


def main(options, figures):
    data = sets.folder(options)
    x, y = (part[:options.digits] for part in sets.mnist(data, "train"))
    test = sets.mnist(data, "t10k")[0]
    measure(figures, "digits over 255", x, y, test, 10, 0.02)
    measure(figures, "digits", numpy.rint(255 * x), y, numpy.rint(255 * test), 10, 0.02 / 255**2, bytes_alone=True)
    x, test = (numpy.floor(255 * rows / 2) for rows in (x, test))
    measure(figures, "digits halved", x, y, test, 10, 0.02 / 127**2, bytes_alone=True)
    x, y, test, _ = sets.covtype_split(data)
    measure(figures, "covtype", x[:options.rows], y[:options.rows], test, 10, 0.1)
