// Kernels: the language, and numbers from it.
#include <pybind11/stl.h>

#include <variant>

#include "module.hpp"
#include "progress.hpp"

namespace mercer::python {

namespace {

// Python functions are called with the GIL, from whichever thread asks, and let go with it too.
std::shared_ptr<const py::object> held(const py::object& function) {
  return {new py::object(function), [](const py::object* f) {
            const py::gil_scoped_acquire gil;
            delete f;
          }};
}

py::array_t<double> row_of(VectorView x) { return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data()); }

// A matrix in single precision, which `fill(out, how)` writes.
template <class Fill>
py::array float_array(Index rows, Index cols, const py::object& callback, Fill fill, int threads) {
  py::array_t<float> out({rows, cols});
  const FloatMatrixRef to(out.mutable_data(), rows, cols);
  released(
      callback,
      [&](const Execution& how) {
        fill(to, how);
        return true;
      },
      threads);
  return out;
}

// A Python function of one row.
FeatureMap feature_map(const std::string& name, const py::object& phi) {
  return {name, [f = held(phi)](VectorView x) {
            const py::gil_scoped_acquire gil;
            const Numbers out((*f)(row_of(x)));
            return Vector(out.data(), out.data() + out.size());
          }};
}

WeightFunction weight_function(const std::string& name, const py::object& weight) {
  return {name, [f = held(weight)](VectorView x) {
            const py::gil_scoped_acquire gil;
            return (*f)(row_of(x)).cast<double>();
          }};
}

// A column by name or by number; what the text of a list would need quotes for needs none here.
Columns columns_of(const std::vector<std::variant<Index, std::string>>& names) {
  std::vector<Columns::Item> items;
  for (const auto& name : names) items.push_back({name, name});
  return Columns(std::move(items));
}

CheckOptions check_options(std::uint64_t seed, int tries, Index dimension, const std::string& inputs) {
  for (const Inputs one : {Inputs::automatic, Inputs::reals, Inputs::nonnegative, Inputs::unit_ball}) {
    if (inputs == name_of(one)) return {.seed = seed, .tries = tries, .dimension = dimension, .inputs = one};
  }
  throw py::value_error("inputs: one of automatic, reals, nonnegative, unit_ball, not \"" + inputs + "\"");
}

py::tuple told(const CheckResult& result) { return py::make_tuple(result.str(), from_json(result.json())); }

py::dict parameter(const Parameter& p) {
  py::dict out;
  out["path"] = p.path;
  out["value"] = p.value;
  out["lower"] = p.lower;
  out["upper"] = p.upper;
  out["fixed"] = p.fixed;
  out["auto"] = p.automatic;
  return out;
}

py::dict row(const CatalogRow& r) {
  py::dict out;
  out["name"] = r.name;
  out["signature"] = r.signature;
  out["formula"] = r.formula;
  out["domain"] = r.domain;
  out["conditions"] = r.conditions;
  out["because"] = r.because;
  out["citation"] = r.citation;
  out["arguments"] = r.arguments;
  out["is_rule"] = r.is_rule;
  out["example"] = r.example;
  return out;
}

std::string refusal(const char* what) {
  return std::string(what) +
         " of kernels need not be positive semi-definite, so it is no kernel; sums, products and non-negative "
         "multiples are";
}

}  // namespace

void bind_kernels(py::module_& m) {
  py::class_<Kernel>(m, "Kernel")
      .def("__str__", &Kernel::str)
      .def("__eq__", [](const Kernel& a, const Kernel& b) { return a == b; })
      .def("__hash__", [](const Kernel& k) { return py::hash(py::str(k.str())); })
      .def("add", [](const Kernel& a, const Kernel& b) { return a + b; })
      .def("add", [](const Kernel& a, double c) { return a + c; })
      .def("multiply", [](const Kernel& a, const Kernel& b) { return a * b; })
      .def("multiply", [](const Kernel& a, double c) { return c * a; })
      .def("power", [](const Kernel& a, int n) { return pow(a, n); })
      .def_property_readonly("kind", [](const Kernel& k) { return k.domain().kind; })
      .def_property_readonly("dimension", [](const Kernel& k) { return k.domain().dimension; })
      .def("params",
           [](const Kernel& k) {
             py::list out;
             for (const Parameter& p : k.params()) out.append(parameter(p));
             return out;
           })
      .def("coordinates",
           [](const Kernel& k) {
             const Params params = k.params();
             Matrix out(params.size(), 4);
             for (Index i = 0; i < params.size(); ++i) {
               const Parameter& p = params[i];
               out(i, 0) = p.range.coordinate(p.value);
               out(i, 1) = p.range.coordinate(p.lower);
               out(i, 2) = p.range.coordinate(p.upper);
               out(i, 3) = p.range.slope(p.value);
             }
             return to_array(std::move(out));
           })
      .def("value_at",
           [](const Kernel& k, const std::string& path, double coordinate) {
             const Params params = k.params();
             return params[params.find(path)].range.value(coordinate);
           })
      .def("with_value", [](const Kernel& k, const std::string& path, double value) { return k.with(path, value); })
      .def("options",
           [](const Kernel& k) {
             std::vector<std::pair<std::string, std::string>> out;
             for (const KernelOption& option : k.options()) out.emplace_back(option.path, option.value);
             return out;
           })
      .def("with_option", [](const Kernel& k, const std::string& path,
                             const std::string& value) { return k.with_option(path, value); })
      .def("with_values",
           [](const Kernel& k, const std::vector<double>& values) {
             const Params old = k.params();
             std::vector<Parameter> list(old.begin(), old.end());
             if (values.size() != list.size()) throw py::value_error("as many values as the kernel has parameters");
             for (std::size_t i = 0; i < values.size(); ++i) list[i].value = values[i], list[i].automatic = false;
             return k.with(Params(std::move(list)));
           })
      .def("resolve",
           [](const Kernel& k, const Points& x) {
             const py::gil_scoped_release release;
             return k.resolve(x);
           })
      .def("proof_text", [](const Kernel& k) { return k.proof().str(); })
      .def("proof", [](const Kernel& k) { return from_json(k.proof().json()); })
      .def(
          "gram",
          [](const Kernel& k, const Points& x, const py::object& callback, int threads) -> py::array {
            if (is_single_precision(x)) {
              return float_array(
                  x.size(), x.size(), callback, [&](FloatMatrixRef out, const Execution& how) { gram(k, x, out, how); },
                  threads);
            }
            return to_array(released(
                callback, [&](const Execution& how) { return gram(k, x, how); }, threads));
          },
          py::arg("x"), py::arg("callback") = py::none(), py::arg("threads") = 0)
      .def(
          "cross",
          [](const Kernel& k, const Points& x, const Points& y, const py::object& callback, int threads) -> py::array {
            if (is_single_precision(x) && is_single_precision(y)) {
              return float_array(
                  x.size(), y.size(), callback,
                  [&](FloatMatrixRef out, const Execution& how) { cross(k, x, y, out, how); }, threads);
            }
            return to_array(released(
                callback, [&](const Execution& how) { return cross(k, x, y, how); }, threads));
          },
          py::arg("x"), py::arg("y"), py::arg("callback") = py::none(), py::arg("threads") = 0)
      .def("precision",
           [](const Kernel& k, const Points& x, const Points& y) {
             const py::gil_scoped_release release;
             return precision_of(k, x, y) == Precision::float32 ? "float32" : "float64";
           })
      .def("diagonal",
           [](const Kernel& k, const Points& x) {
             return to_array(released(py::none(), [&](const Execution&) { return diagonal(k, x); }));
           })
      .def("gradient",
           [](const Kernel& k, const Points& x, const Numbers& w) {
             const MatrixView view = view_of(w);
             return to_array(released(py::none(), [&](const Execution& how) { return gradient(k, x, view, how); }));
           })
      .def("gradient",
           [](const Kernel& k, const Points& x, const Points& y, const Numbers& w) {
             const MatrixView view = view_of(w);
             return to_array(released(py::none(), [&](const Execution& how) { return gradient(k, x, y, view, how); }));
           })
      .def("input_gradient",
           [](const Kernel& k, const Points& x, const Points& y, const Numbers& w) {
             const MatrixView view = view_of(w);
             return to_array(
                 released(py::none(), [&](const Execution& how) { return input_gradient(k, x, y, view, how); }));
           })
      .def("sample_prior", [](const Kernel& k, const Points& x, Index draws, std::uint64_t seed) {
        return to_array(released(
            py::none(), [&](const Execution& how) { return sample_prior(k, x, {.draws = draws, .seed = seed}, how); }));
      });
  m.def("parse", [](const std::string& text) { return parse(text); });
  m.def("exp", [](const Kernel& k) { return exp(k); });
  m.def("normalize", [](const Kernel& k) { return normalize(k); });
  m.def("on", [](const std::string& columns, const Kernel& k) { return on(Columns(columns), k); });
  m.def("polynomial",
        [](const std::vector<double>& coefficients, const Kernel& k) { return polynomial(coefficients, k); });
  m.def("on_columns", [](const std::vector<std::variant<Index, std::string>>& names, const Kernel& k) {
    return on(columns_of(names), k);
  });
  m.def("warp", [](const std::string& map, const Kernel& k) { return warp(map, k); });
  m.def("warp_by", [](const std::string& name, const py::object& phi, const Kernel& k) {
    return warp(feature_map(name, phi), k);
  });
  m.def("scaled", [](const std::string& f, const Kernel& k) { return scaled(f, k); });
  m.def("scaled_by", [](const std::string& name, const py::object& f, const Kernel& k) {
    return scaled(weight_function(name, f), k);
  });
  m.def("features", [](const std::string& name, const py::object& phi) { return features(feature_map(name, phi)); });
  m.def("quadratic", [](const Numbers& a) { return quadratic(Matrix(view_of(a))); });
  m.def("catalog", [] {
    py::list out;
    for (const CatalogRow& r : catalog()) out.append(row(r));
    return out;
  });
  m.def(
      "check_formula",
      [](const std::string& text, std::uint64_t seed, int tries, Index dimension, const std::string& inputs) {
        const CheckOptions options = check_options(seed, tries, dimension, inputs);
        return told([&] {
          const py::gil_scoped_release release;
          return check(Formula::parse(text), options);
        }());
      },
      py::arg("text"), py::kw_only(), py::arg("seed") = 1, py::arg("tries") = CheckOptions{}.tries,
      py::arg("dimension") = 0, py::arg("inputs") = "automatic");
  m.def(
      "check_function",
      [](const py::object& k, std::uint64_t seed, int tries, Index dimension, const std::string& inputs) {
        const CheckOptions options = check_options(seed, tries, dimension, inputs);
        std::vector<Index> dimensions = {1, 2, 3};
        if (dimension > 0) dimensions = {dimension};
        const PairFunction value = [&](VectorView x, VectorView y) { return k(row_of(x), row_of(y)).cast<double>(); };
        return told(search_counterexample(value, dimensions, options));
      },
      py::arg("k"), py::kw_only(), py::arg("seed") = 1, py::arg("tries") = CheckOptions{}.tries,
      py::arg("dimension") = 0, py::arg("inputs") = "automatic");
  m.def("refusal", [](const std::string& what) { return refusal(what.c_str()); });
}

}  // namespace mercer::python
