// Machines by name, and the models they fit.
#include <pybind11/stl.h>

#include <sstream>

#include "mercer/choose.hpp"
#include "mercer/machines/pca.hpp"
#include "mercer/require_gram.hpp"
#include "module.hpp"
#include "progress.hpp"

namespace mercer::python {

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

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

Labels labels_of(const std::vector<std::string>& classes, const py::array_t<std::int64_t, py::array::forcecast>& of) {
  Labels out;
  out.classes = classes;
  out.of.assign(of.data(), of.data() + of.size());
  return out;
}

// A matrix of numbers that NumPy owns; it is kept alive.
Gram borrowed(Numbers numbers) {
  const MatrixView view = view_of(numbers);
  if (view.rows() != view.cols()) throw py::value_error("Precomputed matrix must be a square matrix");
  const std::shared_ptr<const Numbers> owner(new Numbers(std::move(numbers)), [](const Numbers* kept) {
    const py::gil_scoped_acquire gil;
    delete kept;
  });
  return precomputed_in_place(view, owner, 1e-6);  // the rounding of a matrix that was computed in single precision
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

Training training_of(const std::optional<Kernel>& kernel, const std::optional<Points>& points, const py::object& gram,
                     const py::object& y, const py::object& labels, const py::object& weights,
                     const std::optional<Model>& start, std::size_t memory) {
  Training t{.K = kernel ? gram_for(*kernel, *points, {}) : borrowed(Numbers(gram))};
  t.y = to_matrix(y);
  if (!labels.is_none()) {
    const auto [classes, of] = labels.cast<std::pair<std::vector<std::string>, py::array_t<std::int64_t>>>();
    t.labels = labels_of(classes, of);
  }
  t.weights = to_vector(weights);
  t.start = start;
  t.memory = memory;
  return t;
}

}  // namespace

void bind_models(py::module_& m) {
  py::class_<Model>(m, "Model")
      .def_property_readonly("machine", [](const Model& s) { return s.parts().machine; })
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
      .def_property_readonly("scaling", [](const Model& s) { return std::string(name_of(s.parts().scaling.kind)); })
      .def("with_kernel", &with_kernel, py::arg("kernel"))
      .def("rescaled", &rescaled, py::arg("shift"), py::arg("factor"))
      .def("as_embedding", &Model::as_embedding)
      .def_property_readonly("report", [](const Model& s) { return report_of(s.report()); })
      .def("report_text", [](const Model& s) { return s.report().str(); })
      .def(
          "scores",
          [](const Model& s, const Points& x, int threads) {
            return to_array(released(
                py::none(), [&](const Execution& how) { return s.scores(x, how); }, threads));
          },
          py::arg("x"), py::arg("threads") = 0)
      .def("scores_from_rows",
           [](const Model& s, const Numbers& k) { return to_array(s.scores_from_rows(view_of(k))); })
      .def(
          "predict",
          [](const Model& s, const Points& x, int threads) {
            return to_array(released(
                py::none(), [&](const Execution& how) { return s.predict_targets(x, how); }, threads));
          },
          py::arg("x"), py::arg("threads") = 0)
      .def(
          "probabilities",
          [](const Model& s, const Points& x, int threads) {
            return to_array(released(
                py::none(), [&](const Execution& how) { return s.probabilities(x, how); }, threads));
          },
          py::arg("x"), py::arg("threads") = 0)
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
      .def(
          "variances",
          [](const Model& s, const Points& x, int threads) {
            return to_array(released(
                py::none(), [&](const Execution& how) { return s.variances(x, how); }, threads));
          },
          py::arg("x"), py::arg("threads") = 0)
      .def(
          "covariance",
          [](const Model& s, const Points& x, Index output, int threads) {
            return to_array(released(
                py::none(), [&](const Execution& how) { return s.covariance(x, output, how); }, threads));
          },
          py::arg("x"), py::arg("output") = 0, py::arg("threads") = 0)
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
      .def("condition",
           [](const Model& s, const Points& x, const py::object& y) {
             const Matrix targets = to_matrix(y);
             return released(py::none(), [&](const Execution& how) { return condition(s, x, targets, how); });
           })
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
             return py::make_tuple(parts, to_array(found.bias), to_array(found.scores));
           })
      .def("rkhs_norm", [](const Model& s) { return s.rkhs_norm(); })
      .def("save", [](const Model& s, const std::string& path) { save(path, s); })
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

  m.def(
      "fit",
      [](const std::string& machine, const Settings& settings, const std::optional<Kernel>& kernel,
         const std::optional<Points>& points, const py::object& gram, const py::object& y, const py::object& labels,
         const py::object& weights, const std::optional<Model>& start, int threads, std::size_t memory,
         const py::object& callback) {
        Training t = training_of(kernel, points, gram, y, labels, weights, start, memory);
        return released(callback, [&](const Execution& how) {
          t.how = how;
          t.how.threads = threads;
          return fit(machine, settings, t);
        });
      },
      py::arg("machine"), py::arg("settings"), py::kw_only(), py::arg("kernel") = std::nullopt,
      py::arg("points") = std::nullopt, py::arg("gram") = py::none(), py::arg("y") = py::none(),
      py::arg("labels") = py::none(), py::arg("weights") = py::none(), py::arg("start") = std::nullopt,
      py::arg("threads") = 0, py::arg("memory") = 0, py::arg("callback") = py::none());

  // What fit() would do, with the same arguments.
  m.def(
      "plan",
      [](const std::string& name, const Settings& settings, const std::optional<Kernel>& kernel,
         const std::optional<Points>& points, const py::object& gram, const py::object& y, const py::object& labels,
         const py::object& weights, const std::optional<Model>& start, int threads, std::size_t memory,
         const py::object& callback) {
        const Training t = training_of(kernel, points, gram, y, labels, weights, start, memory);
        return plan_of(released(callback, [&](const Execution& listening) {
          Execution how = listening;
          how.threads = threads;
          return in_process(timed(plan_for(machine(name), settings, extent_of(t)), t.K, how), how);
        }));
      },
      py::arg("machine"), py::arg("settings"), py::kw_only(), py::arg("kernel") = std::nullopt,
      py::arg("points") = std::nullopt, py::arg("gram") = py::none(), py::arg("y") = py::none(),
      py::arg("labels") = py::none(), py::arg("weights") = py::none(), py::arg("start") = std::nullopt,
      py::arg("threads") = 0, py::arg("memory") = 0, py::arg("callback") = py::none());

  // What the machine's row tries, with a kernel at what auto gives it.
  m.def(
      "choose",
      [](const std::string& name, const Settings& settings, const Kernel& kernel, const Points& points,
         const py::object& weights, int threads) {
        Training t = training_of(kernel, points, py::none(), py::none(), py::none(), weights, std::nullopt, 0);
        const Choice choice = released(py::none(), [&](const Execution& how) {
          t.how = how;
          t.how.threads = threads;
          return choose(machine(name), settings, false, t);
        });
        py::dict out;
        out["settings"] = choice.settings;
        out["kernel"] = choice.kernel;
        out["words"] = choice.words;
        return out;
      },
      py::arg("machine"), py::arg("settings"), py::kw_only(), py::arg("kernel"), py::arg("points"),
      py::arg("weights") = py::none(), py::arg("threads") = 0);

  m.def("machines", [] {
    py::list out;
    for (const Machine& row : machines()) {
      py::dict options, entry;
      for (const MachineOption& o : row.options) options[py::str(o.name)] = py::make_tuple(o.fallback, o.help, o.flag);
      entry["name"] = row.name;
      entry["purpose"] = row.purpose;
      entry["problem"] = row.problem;
      entry["options"] = options;
      out.append(entry);
    }
    return out;
  });
  m.def(
      "fit_gp",
      [](const Settings& settings, const py::object& point_noise, const std::optional<Kernel>& kernel,
         const std::optional<Points>& points, const py::object& gram, const py::object& y, const py::object& weights,
         int threads, const py::object& callback) {
        Training t = training_of(kernel, points, gram, y, py::none(), weights, std::nullopt, 0);
        GaussianProcess gp = GaussianProcess::from(settings);
        gp.point_noise = to_vector(point_noise);
        return released(callback, [&](const Execution& how) {
          t.how = how;
          t.how.threads = threads;
          return gp.fit(t).with([&](Model::Parts& parts) { parts.settings = settings; });
        });
      },
      "Gaussian process regression where some of the noise of each point is known beforehand.", py::arg("settings"),
      py::arg("point_noise"), py::kw_only(), py::arg("kernel") = std::nullopt, py::arg("points") = std::nullopt,
      py::arg("gram") = py::none(), py::arg("y") = py::none(), py::arg("weights") = py::none(), py::arg("threads") = 0,
      py::arg("callback") = py::none());
  m.def(
      "fit_kcca",
      [](std::optional<Index> components, double ridge, Index permutations, std::uint64_t seed,
         const Settings& settings, const std::pair<std::optional<Kernel>, std::optional<Points>>& x,
         const py::object& gram_x, const std::pair<std::optional<Kernel>, std::optional<Points>>& y,
         const py::object& gram_y, const py::object& weights, int threads, const py::object& callback) -> py::tuple {
        Training t = training_of(x.first, x.second, gram_x, py::none(), py::none(), weights, std::nullopt, 0);
        const Gram other =
            training_of(y.first, y.second, gram_y, py::none(), py::none(), py::none(), std::nullopt, 0).K;
        const KernelCca config{.components = components, .ridge = ridge, .permutations = permutations, .seed = seed};
        const KernelCca::Views both = released(callback, [&](const Execution& how) {
          t.how = how;
          t.how.threads = threads;
          return config.fit_both(t, other);
        });
        const auto said = [&](Model::Parts& parts) { parts.settings = settings; };
        return py::make_tuple(both.x.with(said), both.y.with(said));
      },
      "Canonical correlation: each view is a kernel and its points, or a matrix of numbers. `settings` say the same "
      "in the words of files.",
      py::arg("components"), py::arg("ridge"), py::arg("permutations"), py::arg("seed"), py::arg("settings"),
      py::arg("x"), py::arg("gram_x"), py::arg("y"), py::arg("gram_y"), py::arg("weights") = py::none(),
      py::arg("threads") = 0, py::arg("callback") = py::none());
  m.def(
      "gp_evidence",
      [](const Settings& settings, const Kernel& kernel, const Points& points, const py::object& y,
         const py::object& weights, const py::object& point_noise, bool gradient) {
        Training t = training_of(kernel, points, py::none(), y, py::none(), weights, std::nullopt, 0);
        GaussianProcess gp = GaussianProcess::from(settings);
        gp.point_noise = to_vector(point_noise);
        const Evidence e = released(py::none(), [&](const Execution& how) {
          t.how = how;
          return log_marginal_likelihood(gp, t, gradient);
        });
        return py::make_tuple(e.value, to_array(Vector(e.by_kernel)), e.by_noise, e.by_signal);
      },
      py::arg("settings"), py::arg("kernel"), py::arg("points"), py::arg("y"), py::arg("weights") = py::none(),
      py::arg("point_noise") = py::none(), py::arg("gradient") = true);
  m.def(
      "gpc_evidence",
      [](const Kernel& k, double signal, const Points& x, const std::vector<std::string>& classes,
         const py::array_t<std::int64_t, py::array::forcecast>& of, const std::string& link,
         bool gradient) -> py::tuple {  // pybind11 3 would see two types of tuples below
        const Labels labels = labels_of(classes, of);
        Likelihood chosen = Likelihood::none;
        for (const Likelihood one : likelihoods()) {
          if (one->name == link) chosen = one;
        }
        const ClassEvidence e = released(py::none(), [&](const Execution& how) {
          return log_evidence(constant(signal) * k, x, labels, chosen, gradient, how);
        });
        if (!gradient) return py::make_tuple(e.value, py::none(), py::none());
        return py::make_tuple(e.value, to_array(Vector(e.by_kernel.begin() + 1, e.by_kernel.end())), e.by_kernel[0]);
      },
      py::arg("kernel"), py::arg("signal"), py::arg("x"), py::arg("classes"), py::arg("of"), py::arg("link") = "auto",
      py::arg("gradient") = true);
  m.def("has_free_scale", [](const Kernel& k) { return has_free_scale(k); });
}

}  // namespace mercer::python
