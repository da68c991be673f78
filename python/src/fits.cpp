// Machines by name: fitting, and what is asked before it.
#include <pybind11/stl.h>

#include "base/memory.hpp"
#include "mercer/auto.hpp"
#include "mercer/centres.hpp"
#include "mercer/choose.hpp"
#include "mercer/intervals.hpp"
#include "mercer/require_gram.hpp"
#include "model/on_centres.hpp"
#include "module.hpp"
#include "points/rep.hpp"
#include "progress.hpp"
#include "selection/grow_centres.hpp"

namespace mercer::python {

namespace {

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

// Calls of Python from wherever the core is.
RowMap function_map(const std::string& name, const py::function& function) {
  const std::shared_ptr<const py::function> held(new py::function(function), [](const py::function* kept) {
    const py::gil_scoped_acquire gil;
    delete kept;
  });
  return row_map(name, [held](MatrixView x) {
    const py::gil_scoped_acquire gil;
    return to_matrix((*held)(to_array(Matrix(x))));
  });
}

// What comes before the kernel, and functions that make copies of rows (mercer/invariance.hpp).
struct Maps {
  std::vector<std::string> prepare = {};
  std::vector<std::pair<std::string, py::function>> copies = {};

  std::optional<Origin> of(const std::optional<Points>& points) const {
    if (!points || (prepare.empty() && copies.empty())) return std::nullopt;
    std::vector<RowMap> invariance;
    for (const auto& [name, function] : copies) invariance.push_back(function_map(name, function));
    return Origin{*points, Scaling::of(Scaling::Kind::none, *points, all_of(prepare)), std::move(invariance)};
  }
  static std::vector<RowMap> all_of(const std::vector<std::string>& texts) {
    std::vector<RowMap> out;
    for (const std::string& text : texts) {
      for (RowMap& map : row_map_list(text)) out.push_back(std::move(map));
    }
    return out;
  }
};

Training training_of(const std::optional<Kernel>& kernel, const std::optional<Points>& points, const py::object& gram,
                     const py::object& y, const py::object& labels, const py::object& weights,
                     const std::optional<Model>& start, std::size_t memory, const Maps& maps = {}) {
  std::optional<Origin> origin = maps.of(points);
  Training t{.K = kernel ? gram_for(*kernel, origin ? origin->prepared.apply(*points) : *points, {})
                         : borrowed(Numbers(gram))};
  t.origin = std::move(origin);
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

// `memory` from Python is scikit-learn's cache_size, for values of the kernel alone: what no fit can do without comes
// on top of it.
void add_what_is_needed(Training& t, const std::string& name, const Settings& settings) {
  if (t.memory > 0) t.memory += static_cast<std::size_t>(machine(name).needs(settings, extent_of(t)).least_bytes);
}

// How many centres stand for all points, 0: as many as help, and by what they are chosen.
using CentreWords = std::optional<std::pair<Index, std::string>>;

CentreWishes wishes_of(const std::pair<Index, std::string>& words) {
  return {.count = words.first, .by = centres_by(words.second)};
}

// Points of weight 0 are no centres.
Points counted_points(const Training& t) {
  const Points x = *t.K.points();
  std::vector<Index> counted;
  for (Index i = 0; i < x.size(); ++i) {
    if (t.weights.empty() || t.weights[static_cast<std::size_t>(i)] > 0) counted.push_back(i);
  }
  return static_cast<Index>(counted.size()) == x.size() ? x : x.select(counted);
}

struct ChosenCentres {
  Centres centres;
  std::string words = {};                   // how many help
  std::optional<Report::Table> table = {};  // how well
};

// As the command does without `--centres M`.
ChosenCentres as_many_as_help(const Training& t, const Points& counted, const std::string& name,
                              const Settings& settings, CentreWishes wishes) {
  const Machine& row = machine(name);
  const Choice choice{.settings = settings, .kernel = t.K.kernel()};
  constexpr double kShare = 0.5;  // of the time, for a fit; the rest is for trying how many
  wishes.count = detail::most_centres(row, settings, extent_of(t), usual_centres(counted.size()),
                                      {.seconds = kShare * Wishes{}.seconds});
  wishes.count = std::min(wishes.count, counted.size());
  Training training = t;
  training.start.reset();
  training.origin.reset();
  detail::Growth growth = detail::grow_centres(row, settings, choice, training, wishes);
  wishes.count = growth.count;
  Centres centres = growth.centres ? *growth.centres : choose_centres(*t.K.kernel(), counted, wishes, t.how);
  return {std::move(centres), std::move(growth.words), std::move(growth.table)};
}

ChosenCentres centres_for(const Training& t, const std::string& name, const Settings& settings,
                          const std::pair<Index, std::string>& words) {
  const Points x = counted_points(t);
  if (words.first == 0) return as_many_as_help(t, x, name, settings, wishes_of(words));
  return {choose_centres(*t.K.kernel(), x, wishes_of(words), t.how)};
}

void add_words(const ChosenCentres& chosen, Report& report) {
  if (!chosen.words.empty()) report.notes.push_back(chosen.words);
  if (chosen.table) report.tables.push_back(*chosen.table);
}

// What a fit is asked for beside what it is fitted to.
struct Asked {
  const std::string& machine;
  const Settings& settings;
  const CentreWords& centres;
  int threads;
  const py::object& callback;
};

// A function that takes what a fit takes: work(training, asked).
template <class Work>
void define_on_training(py::module_& m, const char* name, const Work& work) {
  m.def(
      name,
      [work](const std::string& machine, const Settings& settings, const std::optional<Kernel>& kernel,
             const std::optional<Points>& points, const py::object& gram, const py::object& y, const py::object& labels,
             const py::object& weights, const std::optional<Model>& start, const CentreWords& centres,
             const std::vector<std::string>& prepare, const std::vector<std::pair<std::string, py::function>>& copies,
             int threads, std::size_t memory, const py::object& callback) {
        Training t = training_of(kernel, points, gram, y, labels, weights, start, memory, {prepare, copies});
        add_what_is_needed(t, machine, settings);
        return work(std::move(t), Asked{machine, settings, centres, threads, callback});
      },
      py::arg("machine"), py::arg("settings"), py::kw_only(), py::arg("kernel") = std::nullopt,
      py::arg("points") = std::nullopt, py::arg("gram") = py::none(), py::arg("y") = py::none(),
      py::arg("labels") = py::none(), py::arg("weights") = py::none(), py::arg("start") = std::nullopt,
      py::arg("centres") = std::nullopt, py::arg("prepare") = std::vector<std::string>(),
      py::arg("copies") = std::vector<std::pair<std::string, py::function>>(), py::arg("threads") = 0,
      py::arg("memory") = 0, py::arg("callback") = py::none());
}

// With what the fit has made of `t`: its centres, and how it runs.
Model fit_as_asked(Training& t, const Asked& asked, const Execution& how) {
  t.how = how;
  t.how.threads = asked.threads;
  std::optional<ChosenCentres> chosen;
  if (asked.centres) {
    chosen = centres_for(t, asked.machine, asked.settings, *asked.centres);
    t.centres = chosen->centres;
  }
  Model fitted = fit(asked.machine, asked.settings, t);
  if (chosen) {
    fitted = std::move(fitted).with([&](Model::Parts& parts) { add_words(*chosen, parts.report); });
  }
  if (!t.origin || t.origin->prepared.maps.empty()) return fitted;
  return std::move(fitted).with([&](Model::Parts& parts) {
    parts.scaling = t.origin->prepared.then(parts.scaling);
    parts.inputs = Schema::of(t.origin->inputs);
  });
}

Model fitted_as_asked(Training t, const Asked& asked) {
  return released(asked.callback, [&](const Execution& how) { return fit_as_asked(t, asked, how); });
}

Model fitted_with_intervals(Training t, const Asked& asked) {
  return released(asked.callback, [&](const Execution& how) {
    Model fitted = fit_as_asked(t, asked, how);
    if (Intervals::known(fitted)) return fitted;
    t.start.reset();
    return with_errors_held_out(std::move(fitted), t);
  });
}

// Any machine of the catalog.
void bind_machines(py::module_& m) {
  m.def("streams", [](const std::string& name) { return machine(name).streams; });
  m.def("available_memory", &available_memory);
  define_on_training(m, "fit", fitted_as_asked);
  define_on_training(m, "fit_with_intervals", fitted_with_intervals);
  // What fit() would do, with the same arguments.
  define_on_training(m, "plan", [](const Training& t, const Asked& asked) {
    return plan_of(released(asked.callback, [&](const Execution& listening) {
      Execution how = listening;
      how.threads = asked.threads;
      Wishes wishes{.centres = asked.centres ? wishes_of(*asked.centres).count : 0};
      if (asked.centres && wishes.centres == 0) wishes.centres = usual_centres(t.K.size());
      return in_process(timed(plan_for(machine(asked.machine), asked.settings, extent_of(t), wishes), t.K, how), how);
    }));
  });

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

  m.def(
      "mapped",
      [](const Points& x, const std::vector<std::string>& maps) {
        return to_array(released(py::none(), [&](const Execution&) {
          return Matrix(dense_rows(Scaling::of(Scaling::Kind::none, x, Maps::all_of(maps)).apply(x)).values);
        }));
      },
      "Rows of numbers after maps of the catalog.", py::arg("x"), py::arg("maps"));

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
}

// What a process can be given and asked beyond the options of its row.
void bind_processes(py::module_& m) {
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

// Both views of canonical correlation, where the catalog has the functions of one.
void bind_kcca(py::module_& m) {
  m.def(
      "fit_kcca",
      [](std::optional<Index> components, double ridge, Index permutations, std::uint64_t seed,
         const Settings& settings, const std::pair<std::optional<Kernel>, std::optional<Points>>& x,
         const py::object& gram_x, const std::pair<std::optional<Kernel>, std::optional<Points>>& y,
         const py::object& gram_y, const py::object& weights, const CentreWords& centres, int threads,
         const py::object& callback) -> py::tuple {
        Training t = training_of(x.first, x.second, gram_x, py::none(), py::none(), weights, std::nullopt, 0);
        const Gram other =
            training_of(y.first, y.second, gram_y, py::none(), py::none(), py::none(), std::nullopt, 0).K;
        const KernelCca config{.components = components, .ridge = ridge, .permutations = permutations, .seed = seed};
        KernelCca::Views both = released(callback, [&](const Execution& how) {
          t.how = how;
          t.how.threads = threads;
          if (centres) t.centres = centres_for(t, "kcca", settings, *centres).centres;
          return config.fit_both(t, other);
        });
        const auto said = [&](Model::Parts& parts) {
          parts.settings = settings;
          if (t.centres) detail::add_centres(*t.centres, t, parts.report);
        };
        return py::make_tuple(std::move(both.x).with(said), std::move(both.y).with(said));
      },
      "Canonical correlation: each view is a kernel and its points, or a matrix of numbers. `settings` say the same "
      "in the words of files.",
      py::arg("components"), py::arg("ridge"), py::arg("permutations"), py::arg("seed"), py::arg("settings"),
      py::arg("x"), py::arg("gram_x"), py::arg("y"), py::arg("gram_y"), py::arg("weights") = py::none(),
      py::arg("centres") = std::nullopt, py::arg("threads") = 0, py::arg("callback") = py::none());
}

}  // namespace

namespace {

py::dict race_of(const workflow::Race& race) {
  py::list runners;
  for (const workflow::Runner& one : race.runners) {
    const bool done = one.failure.empty();
    py::dict entry;
    entry["name"] = one.name;
    entry["machine"] = one.machine;
    entry["baseline"] = one.baseline;
    entry["score"] = done ? py::object(py::float_(one.mean)) : py::none();
    entry["standard_error"] = done ? py::object(py::float_(one.error)) : py::none();
    entry["seconds"] = one.seconds;
    entry["failure"] = done ? py::object(py::none()) : py::object(py::str(one.failure));
    runners.append(entry);
  }
  py::dict out;
  out["runners"] = runners;
  out["metric"] = race.metric;
  out["task"] = std::string(race.task->name);
  out["why"] = race.why;
  return out;
}

// Classes are given by name, or numbers; a callback that stops the race gets the best so far.
void bind_race(py::module_& m) {
  m.def(
      "race",
      [](const Points& x, const std::map<std::string, std::string>& types, const py::object& numbers,
         const std::optional<std::vector<std::string>>& names, const std::string& task, double seconds, int threads,
         const py::object& callback, bool intervals) {
        Dataset data{.points = x, .target_numbers = to_vector(numbers), .target_name = "y"};
        if (names) data.target_texts = *names;
        const workflow::RaceRequest request{.source = {.path = "X", .data = std::move(data)},
                                            .table = {.types = types},
                                            .task = task,
                                            .seconds = seconds,
                                            .intervals = intervals};
        std::optional<workflow::Race> race;
        const Model model = released(
            callback,
            [&](const Execution& how) {
              race = workflow::race(request, how);
              return workflow::fit(*race, race->interrupted ? Execution{.threads = how.threads} : how).model;
            },
            threads);
        return py::make_tuple(model, race_of(*race));
      },
      py::arg("x"), py::arg("types"), py::arg("numbers"), py::arg("names"), py::arg("task"), py::arg("seconds"),
      py::arg("threads"), py::arg("callback"), py::arg("intervals") = false);
}

}  // namespace

void bind_fits(py::module_& m) {
  bind_race(m);
  bind_machines(m);
  bind_processes(m);
  bind_kcca(m);
}

}  // namespace mercer::python
