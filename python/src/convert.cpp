#include "convert.hpp"

#include <cstring>

#include "base/fail.hpp"
#include "points/streamed.hpp"

namespace mercer::python {

namespace {

// Keeps a Python object alive for as long as C++ needs it, whichever thread lets go of it last.
std::shared_ptr<const void> owner_of(const py::object& object) {
  auto* held = new py::object(object);
  return std::shared_ptr<const void>(held, [](const void* p) {
    const py::gil_scoped_acquire gil;
    delete static_cast<const py::object*>(p);
  });
}

template <class T>
Points borrow(const py::array& x) {
  const auto rows_count = static_cast<Index>(x.shape(0)), cols = static_cast<Index>(x.shape(1));
  const auto width = static_cast<Index>(sizeof(T));
  const bool aligned = reinterpret_cast<std::uintptr_t>(x.data()) % alignof(T) == 0;
  const bool side_by_side = cols <= 1 || x.strides(1) == width;
  const bool by_rows = rows_count <= 1 || (x.strides(0) >= cols * width && x.strides(0) % width == 0);
  if (!aligned || !side_by_side || !by_rows) {
    const py::array_t<T, py::array::c_style | py::array::forcecast> copy(x);
    return rows(BasicMatrixView<const T>(copy.data(), rows_count, cols), owner_of(copy));
  }
  const Index stride = rows_count > 1 ? static_cast<Index>(x.strides(0)) / width : cols;
  return rows(BasicMatrixView<const T>(static_cast<const T*>(x.data()), rows_count, cols, stride), owner_of(x));
}

}  // namespace

Points dense_points(const py::array& x) {
  if (x.ndim() != 2) throw py::value_error("Expected 2D array, got " + std::to_string(x.ndim()) + "D array instead");
  if (x.dtype().equal(py::dtype::of<float>())) return borrow<float>(x);
  if (x.dtype().equal(py::dtype::of<double>())) return borrow<double>(x);
  return borrow<double>(Numbers(x));
}

Points streamed_points(Index rows, const py::array& head, const py::function& read, const py::object& elsewhere) {
  const std::shared_ptr<const void> held = owner_of(read);
  const auto read_rows = [held](Range wanted) {
    const py::gil_scoped_acquire gil;
    try {
      return dense_points(py::array((*static_cast<const py::object*>(held.get()))(wanted.begin, wanted.end)));
    } catch (const py::error_already_set& error) {  // threads of ours must not carry it: it belongs to Python
      fail(ErrorKind::data, "{}", py::str(error.value()).cast<std::string>());
    }
  };
  return streamed(rows, dense_points(head), read_rows, elsewhere_of(elsewhere));
}

Points sparse_points(const py::array& values, const py::array& columns, const py::array& offsets, Index cols) {
  const Numbers v(values);
  const py::array_t<std::int32_t, py::array::c_style | py::array::forcecast> c(columns);
  const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast> o(offsets);
  SparseMatrix m;
  m.rows = static_cast<Index>(o.size()) - 1;
  m.cols = cols;
  m.offsets.assign(o.data(), o.data() + o.size());
  m.columns.assign(c.data(), c.data() + c.size());
  m.values.assign(v.data(), v.data() + v.size());
  return rows(std::move(m));
}

Vector to_vector(const py::object& values) {
  if (values.is_none()) return {};
  const Numbers a(values);
  return Vector(a.data(), a.data() + a.size());
}

Matrix to_matrix(const py::object& values) {
  if (values.is_none()) return {};
  const Numbers a(values);
  const auto rows_count = static_cast<Index>(a.ndim() == 0 ? 0 : a.shape(0));
  const Index cols = a.ndim() == 2 ? static_cast<Index>(a.shape(1)) : 1;
  return Matrix(MatrixView(a.data(), rows_count, cols));
}

py::array_t<double> to_array(Matrix m) {
  auto* held = new Matrix(std::move(m));
  const py::capsule owner(held, [](void* p) { delete static_cast<Matrix*>(p); });
  return py::array_t<double>({held->rows(), held->cols()}, held->data(), owner);
}

py::array_t<double> to_array(Vector v) {
  auto* held = new Vector(std::move(v));
  const py::capsule owner(held, [](void* p) { delete static_cast<Vector*>(p); });
  return py::array_t<double>(static_cast<py::ssize_t>(held->size()), held->data(), owner);
}

py::array_t<std::int64_t> to_array(const std::vector<Index>& v) {
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(v.size()));
  std::copy(v.begin(), v.end(), out.mutable_data());
  return out;
}

MatrixView view_of(const Numbers& a) {
  if (a.ndim() != 2) throw py::value_error("Expected 2D array, got " + std::to_string(a.ndim()) + "D array instead");
  return {a.data(), static_cast<Index>(a.shape(0)), static_cast<Index>(a.shape(1))};
}

}  // namespace mercer::python
