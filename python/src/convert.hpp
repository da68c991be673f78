// Between Python's objects and Mercer's: arrays without copies where their layout allows it.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "mercer/mercer.hpp"
#include "points/elsewhere.hpp"

namespace mercer::python {

namespace py = pybind11;

// Rows of float64 or float32 numbers whose columns lie next to each other are borrowed and kept alive; others are
// copied.
Points dense_points(const py::array& x);
// Rows that are not in memory: read(begin, end) gives some of them as an array, in the type of the first ones, `head`.
// `elsewhere`: who works on them where they are, or None.
Points streamed_points(Index rows, const py::array& head, const py::function& read, const py::object& elsewhere);
std::shared_ptr<const Elsewhere> elsewhere_of(const py::object& object);
// SciPy's CSR arrays: values, column numbers, row pointers.
Points sparse_points(const py::array& values, const py::array& columns, const py::array& offsets, Index cols);

// Of any number type; copies.
Vector to_vector(const py::object& values);
Matrix to_matrix(const py::object& values);
// The numbers move into the array: no copy.
py::array_t<double> to_array(Matrix m);
py::array_t<double> to_array(Vector v);
py::array_t<std::int64_t> to_array(const std::vector<Index>& v);

// A C-contiguous float64 array, and a borrowed view of one, which must outlive it.
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
MatrixView view_of(const Numbers& a);

}  // namespace mercer::python
