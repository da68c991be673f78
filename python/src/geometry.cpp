// Geometry of the feature space: distances, neighbours, functions.
#include <pybind11/stl.h>

#include "mercer/distances.hpp"
#include "mercer/gram.hpp"
#include "mercer/plan.hpp"
#include "mercer/rkhs.hpp"
#include "module.hpp"
#include "progress.hpp"
#include "solve/partial_cholesky.hpp"

namespace mercer::python {

namespace {

using rkhs::Function;

py::tuple told(const Neighbours& found) {
  py::array_t<std::int64_t> which({found.rows(), found.count()});
  std::copy(found.all().begin(), found.all().end(), which.mutable_data());
  return py::make_tuple(to_array(Matrix(found.distances())), which);
}

// Points chosen one after the other by what those before leave of k(x, x); fewer where nothing is left.
template <class MakeGram>
py::array_t<std::int64_t> pivots(const MakeGram& gram, Index count, std::uint64_t seed, int threads) {
  const Gram K = gram();
  const std::vector<Index> found = released(
      py::none(),
      [&](const Execution& how) {
        solve::PartialCholesky factor({.K = K}, std::min(count, K.size()), seed);
        factor.grow(std::min(count, K.size()), how);
        return factor.pivots();
      },
      threads);
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(found.size()));
  std::copy(found.begin(), found.end(), out.mutable_data());
  return out;
}

}  // namespace

void bind_geometry(py::module_& m) {
  m.def(
      "distances",
      [](const Kernel& k, const Points& x, const std::optional<Points>& y, bool squared, int threads) {
        return to_array(released(
            py::none(),
            [&](const Execution& how) {
              if (squared) return y ? squared_distances(k, x, *y, how) : squared_distances(k, x, how);
              return y ? distances(k, x, *y, how) : distances(k, x, how);
            },
            threads));
      },
      py::arg("kernel"), py::arg("x"), py::arg("y") = std::nullopt, py::arg("squared") = false, py::arg("threads") = 0);
  m.def(
      "neighbours",
      [](const Kernel& k, const Points& x, const std::optional<Points>& y, Index count, int threads) {
        return told(released(
            py::none(),
            [&](const Execution& how) { return y ? neighbours(k, x, *y, count, how) : neighbours(k, x, count, how); },
            threads));
      },
      py::arg("kernel"), py::arg("x"), py::arg("y"), py::arg("count"), py::arg("threads") = 0);

  m.def(
      "rpcholesky",
      [](const Kernel& k, const Points& x, Index count, std::uint64_t seed, int threads) {
        return pivots([&] { return gram_for(k, x, {}); }, count, seed, threads);
      },
      py::arg("kernel"), py::arg("x"), py::arg("count"), py::arg("seed"), py::arg("threads") = 0);
  m.def(
      "rpcholesky_of",
      [](const py::object& gram, Index count, std::uint64_t seed, int threads) {
        return pivots([&] { return precomputed(to_matrix(gram)); }, count, seed, threads);
      },
      py::arg("gram"), py::arg("count"), py::arg("seed"), py::arg("threads") = 0);

  py::class_<Function>(m, "Function", "A function of the Hilbert space of a kernel.")
      .def(py::init([](const Kernel& k, const Points& centres, const py::object& alpha) {
             return Function(k, centres, to_vector(alpha));
           }),
           py::arg("kernel"), py::arg("centres"), py::arg("coefficients"))
      .def_property_readonly("kernel", [](const Function& f) { return f.kernel(); })
      .def_property_readonly("centres", [](const Function& f) { return f.centres(); })
      .def_property_readonly(
          "coefficients",
          [](const Function& f) { return to_array(Vector(f.coefficients().begin(), f.coefficients().end())); })
      .def("__len__", &Function::size)
      .def("__call__",
           [](const Function& f, const Points& x) {
             return to_array(released(py::none(), [&](const Execution& how) { return f(x, how); }));
           })
      .def("norm",
           [](const Function& f) { return released(py::none(), [&](const Execution& how) { return f.norm(how); }); })
      .def("plus", [](const Function& f, const Function& g) { return f + g; })
      .def("times", [](const Function& f, double c) { return f * c; })
      .def("inner",
           [](const Function& f, const Function& g) {
             return released(py::none(), [&](const Execution& how) { return rkhs::inner(f, g, how); });
           })
      .def("project", [](const Function& f, const Points& z) {
        rkhs::Projection found = released(py::none(), [&](const Execution& how) { return rkhs::project(f, z, how); });
        return py::make_tuple(std::move(found.value), found.rank, found.condition);
      });
  m.def("section", [](const Kernel& k, const Points& x) { return rkhs::section(k, x); });
  m.def("mean_function", [](const Kernel& k, const Points& x, const py::object& weights) {
    return rkhs::mean(k, x, to_vector(weights));
  });
  m.def("function_of", [](const Model& model, Index output) { return rkhs::function_of(model, output); });
}

}  // namespace mercer::python
