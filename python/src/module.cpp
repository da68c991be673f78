// mercer._core: Mercer's types and verbs for Python. No algorithm lives here.
#include "module.hpp"

#include <pybind11/stl.h>

#include "mercer/points_file.hpp"
#include "mercer/wording.hpp"

namespace mercer::python {

namespace {

// What a frame can say of its columns, of "a=category" and the like.
std::string in_frames(const Argument& argument) {
  const std::string value(argument.value);
  if (argument.name == "missing") return value.empty() ? "replace" : "X.replace('" + value + "', None)";
  if (argument.name == "types") {
    const std::size_t equals = value.rfind('=');
    if (equals == value.npos) return "the types of X";
    const std::string column = "X['" + value.substr(0, equals) + "']", type = value.substr(equals + 1);
    return type.starts_with("date") ? "pandas.to_datetime(" + column + ", ...)" : column + ".astype('" + type + "')";
  }
  return value.empty() ? "X.drop" : "X.drop(columns='" + value + "')";
}

// With arguments as Python has them: `target=a` is y='a'.
std::string in_arguments(std::string_view text) {
  return spelled(text, [](const Argument& argument) {
    if (argument.name == "missing" || argument.name == "types" || argument.name == "drop") return in_frames(argument);
    const std::string name(argument.name == "source"       ? "X"
                           : argument.name == "target"     ? "y"
                           : argument.name == "weights"    ? "sample_weight"
                           : argument.name == "deviations" ? "return_std"
                                                           : argument.name);
    return argument.value.empty() ? name : name + "='" + std::string(argument.value) + "'";
  });
}

// As Python says it: what was asked for makes no sense, a file, or a wish to stop.
void translate(const Error& error) {
  const std::string text = in_arguments(error.what());
  switch (error.kind()) {
    case ErrorKind::file: PyErr_SetString(PyExc_OSError, text.c_str()); return;
    case ErrorKind::cancelled: PyErr_SetString(PyExc_KeyboardInterrupt, text.c_str()); return;
    default: PyErr_SetString(PyExc_ValueError, text.c_str());
  }
}

// Arrays changed their layout with NumPy 2; pybind11 before 2.12 would read them wrongly, and not notice.
void check_numpy() {
  if (PYBIND11_VERSION_HEX >= 0x020C0000) return;
  const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (std::stoi(version) < 2) return;
  throw py::import_error("mercer was built with a pybind11 before 2.12, which does not know NumPy " + version +
                         ": build it with a newer one");
}

}  // namespace

void bind_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const Error& error) {
      translate(error);
    }
  });
}

namespace {

// What arrays are asked for by: a slice, or numbers, or truth values.
Points chosen(const Points& x, const py::object& which) {
  const auto numpy = py::module_::import("numpy");
  const py::array_t<std::int64_t, py::array::c_style | py::array::forcecast> numbers(
      numpy.attr("arange")(x.size()).attr("__getitem__")(which).attr("reshape")(-1));
  return x.select({numbers.data(), static_cast<std::size_t>(numbers.size())});
}

}  // namespace

void bind_points(py::module_& m) {
  py::class_<Points>(m, "Points", "Inputs of any kind, as the engine holds them.")
      .def("__len__", &Points::size)
      .def_property_readonly("kind", [](const Points& x) { return x.domain().kind; })
      .def_property_readonly("dimension", [](const Points& x) { return x.domain().dimension; })
      .def_property_readonly("columns", &Points::column_names)
      // As scikit-learn takes folds out of arrays.
      .def_property_readonly("shape", [](const Points& x) { return py::make_tuple(x.size()); })
      .def("__getitem__", &chosen)
      .def("__copy__", [](const Points& x) { return x; })
      .def("__deepcopy__", [](const Points& x, const py::dict&) { return x; })  // they do not change
      .def(py::pickle([](const Points& x) { return py::bytes(to_bytes(x)); },
                      [](const py::bytes& bytes) { return points_from_bytes(std::string(bytes)); }));
  m.def("dense_points", &dense_points);
  m.def("streamed_points", &streamed_points, py::arg("rows"), py::arg("head"), py::arg("read"),
        py::arg("elsewhere") = py::none());
  m.def("sparse_points", &sparse_points);
  m.def("string_points", [](std::vector<std::string> text) { return strings(std::move(text)); });
  m.def("named_points", &named);
  m.def("table_points", [](std::vector<std::pair<std::string, Points>> parts) { return table(std::move(parts)); });
}

py::object from_json(const std::string& text) { return py::module_::import("json").attr("loads")(text); }

}  // namespace mercer::python

PYBIND11_MODULE(_core, m) {
  m.doc() = "The C++ core of Mercer.";
  mercer::python::check_numpy();
  mercer::python::bind_errors(m);
  mercer::python::bind_points(m);
  mercer::python::bind_graphs(m);
  mercer::python::bind_nodes(m);
  mercer::python::bind_kernels(m);
  mercer::python::bind_models(m);
  mercer::python::bind_fits(m);
  mercer::python::bind_elsewhere(m);
  mercer::python::bind_bags(m);
  mercer::python::bind_geometry(m);
  mercer::python::bind_statistics(m);
  mercer::python::bind_report(m);
  mercer::python::bind_tables(m);
}
