"""What Python users hold, as points: no copies where none are needed, and refusals in scikit-learn's words."""
import copy
import pickle

import numpy as np
import pandas
import pytest
from scipy import sparse

import mercer
from mercer import _core
from mercer._points import as_points

NUMBERS = np.random.default_rng(0).normal(size=(6, 4))
K = mercer.rbf(ell=2)
EXACT = K(NUMBERS)


class Table:
    """A table that only speaks the interchange protocol."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, **options):
        return self._frame.__dataframe__(**options)


class NamedArray:
    columns = ["p", "q"]

    def __array__(self, dtype=None, copy=None):
        return np.array([[1.0, 2.0], [3.0, 4.0]])


FORMS = {
    "C order": lambda x: x,
    "Fortran order": np.asfortranarray,
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every second column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "some columns": lambda x: np.hstack([x, x])[:, :4],
    "rows backwards": lambda x: x[::-1].copy()[::-1],
    "not aligned": lambda x: np.frombuffer(b"." + x.tobytes(), dtype=np.uint8)[1:].view(x.dtype).reshape(x.shape),
    "read-only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "other byte order": lambda x: x.astype(">f8"),
    "long double": lambda x: x.astype(np.longdouble),
    "list": lambda x: x.tolist(),
    "objects": lambda x: x.astype(object),
    "np.matrix": np.asmatrix,
    "masked, nothing hidden": np.ma.masked_array,
    "pandas": pandas.DataFrame,
    "pandas, nullable": lambda x: pandas.DataFrame(x).astype("Float64"),
    "interchange": lambda x: Table(pandas.DataFrame(x, columns=list("abcd"))),
    "CSR": sparse.csr_matrix,
    "CSC": sparse.csc_matrix,
    "COO": sparse.coo_matrix,
    "CSR array": sparse.csr_array,
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("form", FORMS)
def test_the_same_numbers_in_any_form(form):
    np.testing.assert_allclose(K(FORMS[form](NUMBERS)), EXACT, rtol=0, atol=1e-15)


@pytest.mark.parametrize("form", ["C order", "Fortran order", "every second row", "pandas", "CSR"])
def test_single_precision(form):
    single = K(FORMS[form](NUMBERS.astype(np.float32)))
    np.testing.assert_allclose(single, EXACT, rtol=0, atol=2e-7)  # three roundings of single precision near 1
    assert single.dtype == (np.float64 if form == "CSR" else np.float32)


def test_the_precision_of_both_decides():
    single = NUMBERS.astype(np.float32)
    for x, y, kind in ((single, single[:3], np.float32), (single, NUMBERS, np.float64), (NUMBERS, single, np.float64)):
        assert K(x, y).dtype == kind
        np.testing.assert_allclose(K(x, y), K(NUMBERS, y.astype(float)), rtol=0, atol=2e-7)
    assert mercer.matern(ell=1.0)(single).dtype == np.float32
    assert mercer.matern(ell=1.0).precision(single) == "float64"
    assert mercer.rbf(ell=1.0).precision(single, single[:2]) == "float32"


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, np.int64, np.float16])
def test_other_number_types(kind):
    whole = (NUMBERS > 0).astype(kind)
    np.testing.assert_array_equal(mercer.linear()(whole), whole.astype(float) @ whole.astype(float).T)
    np.testing.assert_array_equal(mercer.linear()(sparse.csr_matrix(whole.astype(float))), mercer.linear()(whole))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_borrowed(dtype):
    for array in (NUMBERS.astype(dtype), np.repeat(NUMBERS.astype(dtype), 2, axis=0)[::2]):
        points = as_points(array)
        before = mercer.linear().diag(points)[0]
        array[0] *= 2  # seen through the points: their numbers are the array's own
        assert mercer.linear().diag(points)[0] == pytest.approx(4 * before)


def test_one_row_with_gaps_between_its_numbers():
    assert mercer.linear()(np.arange(8.0).reshape(1, 8)[:, ::2]).tolist() == [[56.0]]


def test_points_keep_the_array_alive():
    points = as_points(np.ones((1000, 50)))
    junk = [np.zeros((1000, 50)) for _ in range(5)]
    assert mercer.linear().diag(points).tolist() == [50.0] * 1000 and len(junk) == 5


def test_a_sparse_matrix_with_duplicates_stays_as_it_is():
    parts = np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])
    matrix = sparse.csr_matrix(parts, shape=(1, 3))
    assert mercer.linear()(matrix).tolist() == [[20.0]]
    assert matrix.data.tolist() == [1, 2, 3] and matrix.indices.tolist() == [2, 0, 2]


def test_sparse_and_dense_meet():
    np.testing.assert_allclose(K(sparse.csr_matrix(NUMBERS), NUMBERS), EXACT, atol=1e-15)


# ---- tables ----

MIXED = pandas.DataFrame({"text": ["abab", "ab", "ba"], "age": [30, 40, 50], "dose": [0.1, 0.2, 0.4]})


@pytest.mark.parametrize("form", [lambda x: x, Table, lambda x: x.to_records(index=False)])
def test_mixed_tables_by_column_name(form):
    k = mercer.on("text", mercer.spectrum(k=2)) * mercer.on(["age", "dose"], mercer.rbf(ell=[10, 1]))
    expected = mercer.spectrum(k=2)(["abab", "ab", "ba"]) * mercer.rbf(ell=[10, 1])(MIXED[["age", "dose"]].to_numpy())
    np.testing.assert_allclose(k(form(MIXED)), expected, rtol=1e-14)


def test_columns_have_names():
    assert as_points(MIXED[["age", "dose"]]).columns == ["age", "dose"]
    assert as_points(MIXED).columns == ["text", "age", "dose"]
    assert as_points(NamedArray()).columns == ["p", "q"]
    assert as_points(pandas.DataFrame(NUMBERS)).columns == []  # pandas' numbers from 0 are no names
    np.testing.assert_array_equal(mercer.on("age", mercer.linear())(MIXED[["dose", "age"]]),
                                  np.outer([30, 40, 50], [30, 40, 50]))


def test_number_columns_of_several_types():
    frame = pandas.DataFrame({"a": [1, 2], "b": [0.5, 1.5], "c": [True, False],
                              "d": pandas.array([1, 2], dtype="Int64"), "e": np.array([1, 2], dtype=object)})
    np.testing.assert_array_equal(mercer.linear()(frame), mercer.linear()(frame.to_numpy(dtype=float)))


def test_names_in_another_order_are_refused():
    frame = pandas.DataFrame({"a": [1.0], "b": [2.0]})
    with pytest.raises(ValueError, match="feature names should match"):
        K(frame, frame[["b", "a"]])


# ---- texts ----


@pytest.mark.parametrize("form", [list, tuple, np.array, lambda x: np.array(x, dtype=object), pandas.Series,
                                  lambda x: [one.encode() for one in x], lambda x: np.array(x).astype("S"),
                                  lambda x: pandas.DataFrame({"t": pandas.Categorical(x)})])
def test_texts(form):
    assert mercer.spectrum(k=2)(form(["abab", "ab"])).tolist() == [[5, 2], [2, 1]]


def test_texts_are_utf8():
    assert mercer.spectrum(k=1)(["é"]).tolist() == [[2]]
    with pytest.raises(ValueError):
        as_points(["\udcff"])


MISSING = [None, np.nan, float("nan"), pandas.NA, pandas.NaT]


@pytest.mark.parametrize("form", [list, tuple, lambda x: np.array(x, dtype=object), pandas.Series,
                                  lambda x: pandas.DataFrame({"t": x})])
@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_a_missing_text_is_no_text(form, missing):
    with pytest.raises(ValueError, match=r"Input X contains NaN: row 2.*Remove or fill missing values"):
        mercer.spectrum(k=1)(form(["ab", missing, "nan"]))


def test_a_missing_text_of_other_kinds_of_columns():
    for kind in ["string", "category"]:
        with pytest.raises(ValueError, match="contains NaN: row 3"):
            mercer.spectrum(k=1)(pandas.Series(["ab", "b", None], dtype=kind))


@pytest.mark.parametrize("form", [list, tuple, lambda x: np.array(x, dtype=object), pandas.Series,
                                  lambda x: pandas.DataFrame({"t": x})])
@pytest.mark.parametrize("other", [7, 7.5, np.float64(7), True, ["a"]], ids=repr)
def test_a_number_among_texts_is_no_text(form, other):
    with pytest.raises(ValueError, match=r"Input X: row 3(, column \"t\")? is .*, and others are texts"):
        mercer.spectrum(k=1)(form(["ab", "7", other]))


@pytest.mark.parametrize("form", [list, tuple, lambda x: np.array(x, dtype=object), pandas.Series])
@pytest.mark.parametrize("other, words", [(None, "contains NaN: row 2"), (7, "row 2 is 7 .*others are texts")])
def test_fits_say_what_is_no_text(form, other, words):
    with pytest.raises(ValueError, match=words):
        mercer.SVC(kernel=mercer.spectrum(k=1)).fit(form(["ab", other, "cd", "ef"]), [0, 1, 0, 1])


def test_a_missing_graph_is_named():
    graph = sparse.csr_matrix([[0, 1.0], [1, 0]])
    with pytest.raises(ValueError, match="contains NaN: row 2"):
        mercer.wl(h=1)([graph, None])


# ---- what is refused ----


def with_value(value, at):
    array = NUMBERS.copy()
    array[at] = value
    return array


LETTERS = list("abcd")
REFUSED = [
    (with_value(np.nan, (3, 1)), ValueError, r"Input X contains NaN: row 4, column 2\."),
    (with_value(np.nan, (3, 1)).astype(np.float32), ValueError, r"Input X contains NaN: row 4, column 2\."),
    (with_value(np.inf, (2, 0)), ValueError, r"Input X contains infinity or a value too large for dtype\('float64'\)"),
    (with_value(-np.inf, (2, 0)), ValueError, "row 3, column 1"),
    (with_value(1e200, (0, 0)), ValueError, "row 1, column 1 is 1e.200"),
    (sparse.csr_matrix(with_value(np.nan, (3, 1))), ValueError, "Input X contains NaN: row 4, column 2"),
    (pandas.DataFrame(with_value(np.nan, (3, 1)), columns=LETTERS), ValueError, 'contains NaN: row 4, column "b"'),
    (pandas.DataFrame({"a": ["u", None]}), ValueError, 'contains NaN: row 2, column "a"'),
    (pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64")}), ValueError, 'contains NaN: row 2, column "a"'),
    (np.ma.masked_array(NUMBERS, mask=NUMBERS > 1), ValueError, "masked"),
    (NUMBERS[0], ValueError, "Expected 2D array, got 1D array instead"),
    ([], ValueError, "Expected 2D array, got 1D array instead"),
    (3.0, ValueError, "Expected 2D array, got scalar array instead"),
    (np.zeros((2, 2, 2)), ValueError, "Found array with dim 3"),
    (np.zeros((0, 3)), ValueError, r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1"),
    (np.zeros((3, 0)), ValueError, r"Found array with 0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"),
    (sparse.csr_matrix((0, 3)), ValueError, r"Found array with 0 sample\(s\)"),
    (pandas.DataFrame(), ValueError, r"Found array with 0 sample\(s\)"),
    (NUMBERS + 1j, ValueError, "Complex data not supported"),
    (sparse.csr_matrix(NUMBERS + 1j), ValueError, "Complex data not supported"),
    (pandas.DataFrame(NUMBERS + 1j), ValueError, "Complex data not supported"),
    ([["a", "b"]], ValueError, r"rbf\(\) needs numbers, and a column holds bags of strings"),
    ("rbf", ValueError, "bytes/strings where numbers are expected"),
    (np.array([[1, "a"]], dtype=object), ValueError, "could not convert string to float: 'a'"),
    (np.array([[1, {}]], dtype=object), TypeError, "argument must be a string or a.* number"),
    ([[1, 2], [3]], ValueError, "inhomogeneous"),
    (["a", "b"], ValueError, r"rbf\(\) needs numbers, and a column holds text"),
    (MIXED, ValueError, "put each kernel on its column"),
    (np.array([["2020-01-01"]], dtype="M8[D]"), TypeError, "dates"),
    (pandas.DataFrame({"day": pandas.to_datetime(["2020-01-01"])}), TypeError, '"day" holds dates'),
    (pandas.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, 'two columns called "a"'),
    (None, ValueError, "Expected 2D array"),
    ({"a": 1}, TypeError, "dict"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals(number):
    x, error, words = REFUSED[number]
    with pytest.raises(error, match=words):
        K(x)


def test_errors_name_the_second_argument():
    with pytest.raises(ValueError, match="Input Y contains NaN"):
        K(NUMBERS, with_value(np.nan, (0, 0)))
    with pytest.raises(ValueError, match="one data set has 4 columns, the other 3"):
        K(NUMBERS, NUMBERS[:, :3])


def test_large_finite_numbers_are_finite():
    """Their sum is not."""
    assert K(np.full((2, 3), 3e38, dtype=np.float32)).tolist() == [[1, 1], [1, 1]]


def test_points_pass_through():
    points = as_points(NUMBERS)
    assert as_points(points) is points and isinstance(points, _core.Points)
    np.testing.assert_array_equal(K(points), EXACT)


def test_the_row_of_a_bad_number_is_counted_from_the_first():
    """Large arrays are looked through part by part."""
    x = np.zeros((2500, 1000), dtype=np.float32)
    x[1777, 41] = np.nan
    with pytest.raises(ValueError, match="row 1778, column 42"):
        as_points(x)


def test_the_row_of_a_bad_number_in_a_sparse_matrix():
    """The first entry of its row, after rows without any."""
    x = sparse.csr_matrix(np.array([[1.0, 2.0], [0, 0], [0, 0], [np.inf, 3.0]]))
    with pytest.raises(ValueError, match="row 4, column 1"):
        as_points(x)


def test_points_are_indexed_like_arrays():
    points = as_points(["ab", "abab", "b", "ba"])
    assert points.shape == (4,)
    whole = mercer.spectrum(k=1)(["ab", "abab", "b", "ba"])
    for which in (slice(1, 3), [3, 0], np.array([True, False, False, True]), 2):
        numbers = np.atleast_1d(np.arange(4)[which])
        np.testing.assert_array_equal(mercer.spectrum(k=1)(points[which]), whole[np.ix_(numbers, numbers)])


def test_a_search_over_options_of_a_kernel():
    from sklearn.model_selection import GridSearchCV

    texts = ["abab", "baba", "ababab", "aabb", "bbaa", "aabbaabb"] * 4
    search = GridSearchCV(mercer.SVC(kernel=mercer.normalize(mercer.spectrum(k=1))), {"kernel__k": [1, 2]}, cv=3)
    search.fit(texts, [0, 0, 0, 1, 1, 1] * 4)
    assert search.best_params_ == {"kernel__k": 2} and search.best_score_ == 1
    search.fit(as_points(texts), [0, 0, 0, 1, 1, 1] * 4)
    assert search.best_score_ == 1


@pytest.mark.parametrize("x", [NUMBERS, NUMBERS.astype(np.float32), sparse.csr_matrix(NUMBERS), ["ab", "", "ba"], MIXED,
                               mercer.bags([NUMBERS[:2], NUMBERS[2:]]), mercer.series([[1, 2, 3], [2.0, 4]])])
def test_points_are_pickled_and_copied(x):
    points = as_points(x)
    k = {"reals": "linear()", "strings": "spectrum(k=1)", "table": "on(x, linear())", "bags": "mean_embedding(linear())",
         "series": "gak()"}[points.kind] if x is not MIXED else None
    for again in (pickle.loads(pickle.dumps(points)), copy.copy(points), copy.deepcopy(points)):
        assert (again.kind, again.shape, again.columns) == (points.kind, points.shape, points.columns)
        if k:
            np.testing.assert_array_equal(mercer.parse(k)(again), mercer.parse(k)(points))


def test_a_process_of_bags():
    bags = mercer.bags([NUMBERS[i:i + 2] for i in range(5)])
    model = mercer.GaussianProcessRegressor(kernel=mercer.mean_embedding(mercer.rbf(ell=1))).fit(bags, np.arange(5.0))
    assert np.isfinite(pickle.loads(pickle.dumps(model)).predict(bags)).all()
