// Models: what they are made of, what they say, and how they are kept.
#include <pybind11/stl.h>

#include <sstream>

#include "mercer/intervals.hpp"
#include "mercer/machines/pca.hpp"
#include "module.hpp"
#include "progress.hpp"

namespace mercer::python {

py::dict plan_of(const Plan& plan) {
  py::dict parts, out;
  for (const Room& part : plan.parts) parts[py::str(part.what)] = part.bytes;
  out["form"] = std::string(name_of(plan.form));
  out["solver"] = plan.solver;
  out["bytes"] = plan.bytes;
  out["parts"] = parts;
  out["seconds"] = plan.seconds > 0 ? py::object(py::float_(plan.seconds)) : py::none();
  out["approximates"] = plan.approximates;
  out["why"] = plan.why;
  return out;
}

namespace {

using ModelClass = py::class_<Model>;

py::dict report_of(const Report& r) {
  py::dict figures, stages, tables, out;
  for (const Report::Figure& f : r.figures) figures[py::str(f.name)] = f.value;
  for (const Report::Figure& f : r.stages) stages[py::str(f.name)] = f.value;
  for (const Report::Table& t : r.tables) tables[py::str(t.name)] = py::make_tuple(t.columns, to_array(Matrix(t.rows)));
  out["converged"] = r.converged;
  out["stopped"] = r.stopped;
  out["iterations"] = r.iterations;
  out["seconds"] = r.seconds;
  out["stages"] = stages;
  out["figures"] = figures;
  out["notes"] = r.notes;
  out["tables"] = tables;
  out["plan"] = r.plan ? py::object(plan_of(*r.plan)) : py::none();
  return out;
}

// The same expansion of another kernel of the same form.
Model with_kernel(const Model& m, const Kernel& kernel) {
  return m.with([&](Model::Parts& parts) {
    Expansion::Parts f = parts.f.parts();
    f.kernel = kernel;
    parts.f = Expansion(std::move(f));
  });
}

// y = shift + factor * (what the model predicts): how a fit to standardised targets speaks of the targets themselves.
Model rescaled(const Model& m, const Vector& shift, const Vector& factor) {
  Expansion::Parts f = m.expansion().parts();
  const auto outputs = static_cast<std::size_t>(f.alpha.cols());
  if (shift.size() != outputs || factor.size() != outputs) throw py::value_error("one shift and factor per output");
  f.bias.resize(outputs, 0.0);
  for (std::size_t t = 0; t < outputs; ++t) {
    for (Matrix* part : {&f.alpha, &f.slope}) {
      for (Index i = 0; i < part->rows(); ++i) (*part)(i, static_cast<Index>(t)) *= factor[t];
    }
    f.bias[t] = shift[t] + factor[t] * f.bias[t];
    if (!f.squared_norms.empty()) f.squared_norms[t] *= factor[t] * factor[t];
  }
  return m.with([&](Model::Parts& parts) {
    parts.f = Expansion(std::move(f));
    if (!parts.posterior) return;
    for (Vector* variances : {&parts.posterior->signal, &parts.posterior->noise}) {
      for (std::size_t t = 0; t < variances->size(); ++t) (*variances)[t] *= factor[t] * factor[t];
    }
  });
}

// A verb of points, with the interpreter let go.
template <Matrix (Model::*verb)(const Points&, const Execution&) const>
auto answer(const Model& s, const Points& x, int threads) {
  return to_array(released(
      py::none(), [&](const Execution& how) { return (s.*verb)(x, how); }, threads));
}

void bind_parts(ModelClass& model) {
  model.def_property_readonly("machine", [](const Model& s) { return s.parts().machine; })
      .def_property_readonly("settings", [](const Model& s) { return s.parts().settings; })
      .def_property_readonly("classes", &Model::classes)
      .def_property_readonly("kernel", [](const Model& s) { return s.expansion().parts().kernel; })
      .def_property_readonly("alpha", [](const Model& s) { return to_array(Matrix(s.expansion().parts().alpha)); })
      .def_property_readonly("bias", [](const Model& s) { return to_array(Vector(s.expansion().parts().bias)); })
      .def_property_readonly("slope", [](const Model& s) { return to_array(Matrix(s.expansion().parts().slope)); })
      .def_property_readonly("support", [](const Model& s) { return to_array(s.support()); })
      .def_property_readonly("centres", [](const Model& s) { return s.expansion().parts().centres; })
      .def_property_readonly("columns", [](const Model& s) { return s.parts().inputs.columns; })
      .def_property_readonly("counted", [](const Model& s) { return s.parts().inputs.counted; })
      .def_property_readonly("kind", [](const Model& s) { return s.parts().inputs.domain.kind; })
      .def_property_readonly("dimension", [](const Model& s) { return s.parts().inputs.domain.dimension; })
      .def_property_readonly("has_probabilities",
                             [](const Model& s) { return s.parts().calibration.kind != Calibration::Kind::none; })
      .def_property_readonly("self", [](const Model& s) { return to_array(Vector(s.expansion().parts().self)); })
      .def_property_readonly("readout", [](const Model& s) { return to_array(Matrix(s.parts().readout)); })
      .def_property_readonly("fitted", [](const Model& s) { return to_array(Matrix(s.parts().fitted)); })
      .def_property_readonly("sigmoids",
                             [](const Model& s) {
                               const std::vector<Sigmoid>& all = s.parts().calibration.sigmoids;
                               Matrix out(static_cast<Index>(all.size()), 2);
                               for (std::size_t o = 0; o < all.size(); ++o) {
                                 out(static_cast<Index>(o), 0) = all[o].slope;
                                 out(static_cast<Index>(o), 1) = all[o].offset;
                               }
                               return to_array(std::move(out));
                             })
      .def_property_readonly("training_size", [](const Model& s) { return s.expansion().parts().training_size; })
      .def_property_readonly("has_posterior", &Model::has_posterior)
      .def_property_readonly("noise", [](const Model& s) { return to_array(Vector(s.posterior().noise)); })
      .def_property_readonly("signal", [](const Model& s) { return to_array(Vector(s.posterior().signal)); })
      .def_property_readonly("targets", [](const Model& s) { return s.parts().targets; })
      .def_property_readonly("outputs", [](const Model& s) { return s.expansion().outputs(); })
      .def_property_readonly("reading", [](const Model& s) { return std::string(name_of(s.parts().reading)); })
      .def_property_readonly("prepare", [](const Model& s) { return str(s.parts().scaling.maps); })
      .def_property_readonly("scaling", [](const Model& s) { return std::string(name_of(s.parts().scaling.kind)); })
      .def_property_readonly("report", [](const Model& s) { return report_of(s.report()); })
      .def("report_text", [](const Model& s) { return s.report().str(); });
}

void bind_changes(ModelClass& model) {
  model.def("with_kernel", &with_kernel, py::arg("kernel"))
      .def("rescaled", &rescaled, py::arg("shift"), py::arg("factor"))
      .def("as_embedding", &Model::as_embedding);
}

void bind_answers(ModelClass& model) {
  model.def("scores", &answer<&Model::scores>, py::arg("x"), py::arg("threads") = 0)
      .def("scores_from_rows",
           [](const Model& s, const Numbers& k) { return to_array(s.scores_from_rows(view_of(k))); })
      .def("predict", &answer<&Model::predict_targets>, py::arg("x"), py::arg("threads") = 0)
      .def("probabilities", &answer<&Model::probabilities>, py::arg("x"), py::arg("threads") = 0)
      .def(
          "pre_images",
          [](const Model& s, const Numbers& coordinates, int threads) {
            const MatrixView given = view_of(coordinates);
            return to_array(released(
                py::none(), [&](const Execution& how) { return pre_images(s, given, how); }, threads));
          },
          py::arg("coordinates"), py::arg("threads") = 0)
      .def("targets_of", [](const Model& s, const Numbers& scores) { return to_array(s.targets_of(view_of(scores))); })
      .def("probabilities_of",
           [](const Model& s, const Numbers& scores) { return to_array(s.probabilities_of(view_of(scores))); })
      .def("explain",
           [](const Model& s, const Points& one) {
             Explanation found = explain_prediction(s, one);
             py::list parts;
             for (Contribution& part : found.parts) {
               // Half of a character is no text; each byte of one that is not ASCII is shown as such.
               py::list places;
               for (const std::string& place : part.places) {
                 places.append(py::reinterpret_steal<py::object>(
                     PyUnicode_DecodeUTF8(place.data(), static_cast<py::ssize_t>(place.size()), "backslashreplace")));
               }
               parts.append(py::make_tuple(part.column, places, to_array(std::move(part.values))));
             }
             return py::make_tuple(parts, to_array(found.bias), to_array(found.scores), found.names, found.deciding);
           })
      .def("rkhs_norm", [](const Model& s) { return s.rkhs_norm(); });
}

// Of Bayesian machines.
void bind_uncertainty(ModelClass& model) {
  model.def("variances", &answer<&Model::variances>, py::arg("x"), py::arg("threads") = 0)
      .def(
          "covariance",
          [](const Model& s, const Points& x, Index output, int threads) {
            return to_array(released(
                py::none(), [&](const Execution& how) { return s.covariance(x, output, how); }, threads));
          },
          py::arg("x"), py::arg("output") = 0, py::arg("threads") = 0)
      .def_property_readonly("knows_intervals", [](const Model& s) { return Intervals::known(s); })
      .def(
          "intervals",
          [](const Model& s, const Points& x, double coverage, bool adaptive, int threads) {
            const auto [band, words] = released(
                py::none(),
                [&](const Execution& how) {
                  const Intervals intervals(s, {.coverage = coverage, .adaptive = adaptive}, how);
                  return std::pair(intervals(x, s.predict_targets(x, how), how), intervals.words());
                },
                threads);
            return py::make_tuple(to_array(Matrix(band.low)), to_array(Matrix(band.high)), words);
          },
          py::arg("x"), py::arg("coverage") = 0.9, py::arg("adaptive") = false, py::arg("threads") = 0)
      .def_property_readonly("knows_sets", [](const Model& s) { return ClassSets::known(s); })
      .def(
          "class_sets",
          [](const Model& s, const Points& x, double coverage, int threads) {
            const auto [found, words] = released(
                py::none(),
                [&](const Execution& how) {
                  const ClassSets sets(s, coverage);
                  return std::pair(sets(x, how), sets.words());
                },
                threads);
            py::array_t<bool> in({found.size(), s.classes().size()});
            auto place = in.mutable_unchecked<2>();
            for (std::size_t i = 0; i < found.size(); ++i) {
              for (std::size_t c = 0; c < s.classes().size(); ++c)
                place(static_cast<Index>(i), static_cast<Index>(c)) = false;
              for (const Index c : found[i]) place(static_cast<Index>(i), c) = true;
            }
            return py::make_tuple(in, words);
          },
          py::arg("x"), py::arg("coverage") = 0.9, py::arg("threads") = 0)
      .def("components",
           [](const Model& s, const Points& x) {
             py::list out;
             for (Component& c : released(py::none(), [&](const Execution& how) { return components(s, x, how); })) {
               out.append(py::make_tuple(c.kernel, to_array(std::move(c.mean)), to_array(std::move(c.variance))));
             }
             return out;
           })
      .def(
          "sample",
          [](const Model& s, const Points& x, Index draws, std::uint64_t seed, bool pathwise, bool with_noise,
             Index output) {
            const Sampling how{draws, seed, pathwise, with_noise, output};
            return to_array(
                released(py::none(), [&](const Execution& run) { return sample_posterior(s, x, how, run); }));
          },
          py::arg("x"), py::arg("draws") = 1, py::arg("seed") = 1, py::arg("pathwise") = false,
          py::arg("with_noise") = false, py::arg("output") = 0)
      .def("condition", [](const Model& s, const Points& x, const py::object& y) {
        const Matrix targets = to_matrix(y);
        return released(py::none(), [&](const Execution& how) { return condition(s, x, targets, how); });
      });
}

void bind_files(ModelClass& model) {
  model.def("save", [](const Model& s, const std::string& path) { save(path, s); })
      .def("to_bytes",
           [](const Model& s) {
             std::ostringstream out;
             save(out, s);
             return py::bytes(out.str());
           })
      .def_static("load", [](const std::string& path) { return load(path); })
      .def_static("from_bytes", [](const py::bytes& bytes) { return load_bytes(std::string_view(bytes), "pickle"); })
      .def(py::pickle(
          [](const Model& s) {
            std::ostringstream out;
            save(out, s);
            return py::bytes(out.str());
          },
          [](const py::bytes& bytes) { return load_bytes(std::string_view(bytes), "pickle"); }));
}

}  // namespace

void bind_models(py::module_& m) {
  ModelClass model(m, "Model");
  bind_parts(model);
  bind_changes(model);
  bind_answers(model);
  bind_uncertainty(model);
  bind_files(model);
}

}  // namespace mercer::python
