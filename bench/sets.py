"""The public data sets of the benchmarks and of docs/results.md, from a folder that the user names.

The folder holds them as they are published, gzipped: a9a/a9a.gz, w8a/w8a.gz and ijcnn1/ijcnn1.gz and their
test sets NAME.t.gz (LIBSVM text),
covtype/covtype_{train20k,test10k}.csv.gz, usps/usps.{train,test}.csv.gz and small_classification/*.csv.gz (numbers, the class
in the last column; NAME.folds10.txt has the fold of each row), mnist/*-ubyte.gz (IDX),
uci_regression/NAME/{data,test_mask}.csv.gz (numbers, the target in the last column; column s of the mask marks the test
rows of split s), hflights/hflights.csv.gz (the same without a mask; the last tenth is for tests),
co2/mauna_loa_keeling_monthly_mean_1958_2001.csv (year, month, decimal year, ppm; with a header).
"""
import gzip
import os
import pathlib
import struct
import sys

import numpy


def add_data_option(parser):
    parser.add_argument("--data", default=os.environ.get("MERCER_DATA"), metavar="DIR",
                        help="the folder of the data sets [the environment variable MERCER_DATA]")


def add_case_options(parser, cases):
    add_data_option(parser)
    parser.add_argument("--cases", default=",".join(cases), help="[%(default)s]")
    parser.add_argument("--shrink", type=int, default=1, metavar="N", help="made-up sets N times smaller: a trial")


def folder(options):
    if not options.data:
        sys.exit("where are the data sets? Give --data DIR, or set MERCER_DATA (bench/sets.py says what it holds)")
    path = pathlib.Path(options.data)
    if not path.is_dir():
        sys.exit(f"{path}: no such folder of data sets")
    return path


def table(path):
    """The numbers of a file without names; the class comes last."""
    numbers = numpy.loadtxt(path, delimiter=",", ndmin=2)
    return numbers[:, :-1], numbers[:, -1]


def regression(n, d):
    """Made up: smooth values of d inputs, with noise, of variance about 1."""
    random = numpy.random.default_rng(1)
    x = random.uniform(-1.7, 1.7, (n, d))
    return x, numpy.sin(2 * x[:, 0]) + 0.5 * x[:, -1] + 0.2 * random.standard_normal(n)


def standardised(x):
    """Columns of mean 0 and standard deviation 1; constant ones become 0."""
    deviation = x.std(axis=0)
    return (x - x.mean(axis=0)) / numpy.where(deviation > 0, deviation, 1)


def libsvm(path, columns=None):
    from sklearn.datasets import load_svmlight_file
    return load_svmlight_file(str(path), n_features=columns)


def covtype(data, n=20000):
    """Class 2 against the rest."""
    x, y = table(data / "covtype" / "covtype_train20k.csv.gz")
    return standardised(x[:n]), (y[:n] == 2).astype(float)


def covtype_split(data):
    """The 20,000 rows of training and the test rows, in units of the former; class 2 against the rest."""
    x, y = table(data / "covtype" / "covtype_train20k.csv.gz")
    test, truth = table(data / "covtype" / "covtype_test10k.csv.gz")
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation == 0] = 1
    return (x - mean) / deviation, (y == 2).astype(float), (test - mean) / deviation, (truth == 2).astype(float)


def idx(path):
    with gzip.open(path) as file:
        kind, = struct.unpack(">I", file.read(4))
        shape = struct.unpack(f">{kind % 256}I", file.read(4 * (kind % 256)))
        return numpy.frombuffer(file.read(), dtype=numpy.uint8).reshape(shape)


def mnist(data, part):
    """`part` is "train" or "t10k"; pixels from 0 to 1."""
    images = idx(data / "mnist" / f"{part}-images-idx3-ubyte.gz")
    labels = idx(data / "mnist" / f"{part}-labels-idx1-ubyte.gz")
    return images.reshape(len(images), -1) / 255.0, labels.astype(float)


def small_names(data):
    return sorted(path.name.removesuffix(".csv.gz") for path in (data / "small_classification").glob("*.csv.gz"))


def small(data, name):
    return table(data / "small_classification" / f"{name}.csv.gz")


def small_folds(data, name):
    return numpy.loadtxt(data / "small_classification" / f"{name}.folds10.txt", dtype=int)


def uci(data, name):
    """Inputs, targets, and the mask of the splits: 1 where a row is a test row."""
    folder = data / "uci_regression" / name
    return *table(folder / "data.csv.gz"), numpy.loadtxt(folder / "test_mask.csv.gz", delimiter=",", ndmin=2)


def flights(data):
    """223,874 flights from Houston: month, day, weekday, times of departure and arrival, air time, distance; delay."""
    return table(data / "hflights" / "hflights.csv.gz")


def monthly_co2(data):
    """Years (one column) and ppm of the 521 monthly means at Mauna Loa, as in scikit-learn's example."""
    numbers = numpy.loadtxt(data / "co2" / "mauna_loa_keeling_monthly_mean_1958_2001.csv", delimiter=",", skiprows=1)
    return (numbers[:, 0] + numbers[:, 1] / 12)[:, None], numbers[:, 3]
