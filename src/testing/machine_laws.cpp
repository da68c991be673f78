#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>
#include <thread>

#include "base/at.hpp"
#include "base/random.hpp"
#include "mercer/choose.hpp"
#include "mercer/kernels.hpp"
#include "mercer/testing.hpp"
#include "testing/compare.hpp"
#include "testing/trial.hpp"

namespace mercer::testing {

namespace {

using Law = Exception::Law;

class MachineLaws {
 public:
  MachineLaws(Trial& trial, const MachineLawOptions& options, Index classes)
      : trial_(trial),
        random_(options.seed),
        problem_(Problem::draw(options.points, classes, options.seed, options.bags)),
        others_(problem_.like(rows(random_matrix(12, 2, random_)))),
        whole_(fit(problem_)) {}

  void check() {
    trial_.law("it is sound", [&] { trial_.expect_sound(whole_, problem_, others_); });
    if (obeys(Law::weights)) trial_.law("weights are multiplicities", [&] { multiplicities(); });
    trial_.law("a point of weight 0 is absent", [&] { absence(); });
    trial_.law("weights are multiplicities to what is chosen", [&] { choices(); });
    if (obeys(Law::order)) trial_.law("the order of the points does not matter", [&] { order(); });
    if (gives_coordinates()) trial_.law("directions have their signs from the data", [&] { signs(); });
    if (trial_.as_by_default() && !problem_.bags) {
      trial_.law("where the origin is does not matter", [&] { origin(); });
    }
    trial_.law("how K is kept does not matter", [&] { storage(); });
    if (obeys(Law::numbers)) trial_.law("numbers are as good as a kernel", [&] { numbers(); });
    trial_.law("what is given is not chosen", [&] { what_is_given(); });
    trial_.law("threads and monitors change no bit", [&] { threads(); });
    trial_.law("it starts where it may", [&] { starts(); });
    trial_.law("it stops when told", [&] { stops(); });
    trial_.law("|f| is that of its parts", [&] { norms(); });
    trial_.law("probabilities are those of the prediction", [&] { probabilities(); });
    trial_.law("training points are answered as they were fitted", [&] { fitted(); });
    trial_.law("many points are answered as few are", [&] { many(); });
  }

 private:
  bool gives_coordinates() const { return trial_.task() == Task::embedding || trial_.task() == Task::correlation; }
  bool obeys(Law law) const { return trial_.machine().obeys(law, trial_.settings()); }
  Model fit(const Problem& problem) const { return trial_.fit(problem.training(trial_.task())); }
  Values values(const Problem& problem) const { return trial_.values(fit(problem), problem, others_); }
  Values whole() const { return trial_.values(whole_, problem_, others_); }

  // Twins stand side by side, so that machines which go through the points meet them where the weight is.
  void multiplicities() {
    Problem weighted = problem_;
    std::vector<Index> repeated;
    for (Index i = 0; i < problem_.size(); ++i) {
      const Index times = i % 5 == 1 ? 2 : i % 7 == 2 ? 3 : 1;
      weighted.weights.push_back(static_cast<double>(times));
      repeated.insert(repeated.end(), at(times), i);
    }
    const Problem twins = problem_.select(repeated);
    const Model a = fit(weighted), b = fit(twins);
    trial_.expect_agree("weighted and repeated", trial_.values(a, weighted, others_), trial_.values(b, twins, others_));
    expect_same_report(a, b, "with weights", "with points repeated", false);
  }

  // Also of machines whose fits have other laws of weights.
  void choices() {
    if (!trial_.machine().choosing || !trial_.as_by_default()) return;
    Problem weighted = problem_;
    std::vector<Index> repeated;
    for (Index i = 0; i < problem_.size(); ++i) {
      const Index times = i % 9 == 4 ? 0 : i % 5 == 1 ? 2 : i % 7 == 2 ? 3 : 1;
      weighted.weights.push_back(static_cast<double>(times));
      repeated.insert(repeated.end(), at(times), i);
    }
    const Problem twins = problem_.select(repeated);
    const auto chosen = [&](const Problem& problem) {
      return choose(trial_.machine(), {}, false, problem.training(trial_.task()));
    };
    const Choice a = chosen(weighted), b = chosen(twins);
    const auto score = [](const Choice& choice) { return choice.words.substr(0, choice.words.find("; tried")); };
    if (a.settings != b.settings || a.kernel != b.kernel || score(a) != score(b)) {
      trial_.breaks(fmt::format("with weights {}; with points repeated {}", a.words, b.words));
    }
  }

  // Options that choosing would settle or set, each given at what the row has for it where nothing is chosen.
  void what_is_given() {
    const Machine& machine = trial_.machine();
    if (!machine.choosing || !trial_.as_by_default()) return;
    const Training training = problem_.training(trial_.task());
    const Choosing plan = machine.choosing({}, &training);
    std::set<std::string> touched(plan.read.begin(), plan.read.end());
    for (const auto& [name, value] : plan.along) touched.insert(name);
    for (const auto& [name, value] : plan.while_trying) touched.insert(name);
    for (const std::vector<mercer::Trial>& stage : plan.stages) {
      for (const mercer::Trial& trial : stage) touched.insert(trial.name);
    }
    for (const MachineOption& option : machine.options) {
      if (!touched.contains(option.name)) continue;
      const Choice choice = choose(machine, {{option.name, option.fallback}}, false, training);
      const auto found = choice.settings.find(option.name);
      if (found == choice.settings.end() || found->second != option.fallback) {
        trial_.breaks(fmt::format("{}={} was given, and {} comes out", option.name, option.fallback,
                                  found == choice.settings.end() ? "nothing" : found->second));
      }
    }
  }

  void absence() {
    Problem more = problem_.select(numbers_up_to(problem_.size()));
    const Index strangers = problem_.size() / 4;
    more.x = Matrix(problem_.size() + strangers, 2);
    more.y = Matrix(more.x.rows(), problem_.y.cols(), 50.0);
    more.class_of.clear();
    Index next = 0;
    for (Index i = 0; i < more.x.rows(); ++i) {
      const bool stranger = i % 5 == 2 && i / 5 < strangers;
      if (stranger || next == problem_.size()) {
        more.x(i, 0) = random_.normal();
        more.x(i, 1) = random_.normal();
        more.class_of.push_back(random_.below(problem_.classes));
        more.weights.push_back(0);
        continue;
      }
      std::copy_n(problem_.x.row(next), 2, more.x.row(i));
      std::copy_n(problem_.y.row(next), problem_.y.cols(), more.y.row(i));
      more.class_of.push_back(problem_.class_of[at(next++)]);
      more.weights.push_back(1);
    }
    const Model m = fit(more);
    trial_.expect_agree("with and without points of weight 0", trial_.values(m, more, others_), whole());
    expect_same_report(m, whole_, "with points of weight 0", "without", true);
    expect_fitted(m, more);
    for (const Index i : m.support()) {
      if (more.weights[at(i)] == 0) trial_.breaks(fmt::format("point {} of weight 0 is a support point", i));
    }
    if (!obeys(Law::numbers)) return;
    const auto by_numbers = [&](const Problem& problem) -> std::optional<Model> {
      const Problem fixed = with_fixed_kernel(problem);
      try {
        return trial_.fit(fixed.training(trial_.task(), precomputed(gram(fixed.k, fixed.points()))));
      } catch (const Error& error) {
        if (trial_.as_by_default()) throw;
        return std::nullopt;  // the settings ask for the points
      }
    };
    const auto some = by_numbers(problem_), all = by_numbers(more);
    if (some && all) expect_same_report(*all, *some, "with points of weight 0", "without", true);
  }

  static Problem with_fixed_kernel(Problem problem) {
    problem.k = parse(problem.bags ? "mean_embedding(rbf(ell=fixed(0.5)))" : "rbf(ell=fixed(0.5))");
    return problem;
  }

  // What the reports say of the fits; `rows`: both were fitted to as many points of weight.
  void expect_same_report(const Model& a, const Model& b, const char* of_a, const char* of_b, bool rows) {
    const Report &one = a.report(), &other = b.report();
    const auto is_left_out = [&](std::string_view name) { return is_of_the_way(name) || (!rows && is_of_rows(name)); };
    const auto expect = [&](const std::string& name, double found, double expected) {
      if (std::abs(found - expected) <= 1e-6 * (1 + std::abs(expected)) || found == expected) return;
      trial_.breaks(fmt::format("{} is {} {}, {} {}", name, found, of_a, expected, of_b));
    };
    for (const Report::Figure& figure : other.figures) {
      if (!is_left_out(figure.name)) expect(figure.name, one.figure(figure.name).value_or(std::nan("")), figure.value);
    }
    for (const Report::Table& table : other.tables) {
      const Report::Table* const found = one.table(table.name);
      if (found == nullptr || found->columns != table.columns) {
        trial_.breaks(fmt::format("there is a table {} {}, and none {}", table.name, of_b, of_a));
        continue;
      }
      // Steps depend on K of the points as they come.
      const bool of_steps = table.name == "course" || (table.name == "path" && !rows);
      if (of_steps || found->rows.rows() != table.rows.rows()) continue;
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (is_left_out(table.columns[c])) continue;
        const auto column = static_cast<Index>(c);
        for (Index i = 0; i < table.rows.rows(); ++i) {
          expect(fmt::format("{} in row {} of {}", table.columns[c], i + 1, table.name), found->rows(i, column),
                 table.rows(i, column));
        }
      }
    }
  }

  // How it came there, which rounding may change by a step, and what is left of a gap that was closed.
  static bool is_of_the_way(std::string_view name) {
    constexpr std::array<std::string_view, 14> kWay = {"conjugate_gradient_steps",
                                                       "direct_steps",
                                                       "newton_steps",
                                                       "evaluations",
                                                       "passes",
                                                       "visits",
                                                       "kernel_rows_computed",
                                                       "kernel_rows_reused",
                                                       "mistakes",
                                                       "gradient",
                                                       "gap",
                                                       "duality_gap",
                                                       "iterations",
                                                       "features"};
    return std::ranges::find(kWay, name) != kWay.end();
  }
  // Of the points as they come, and of K of them, which has other eigenvalues where they come twice.
  static bool is_of_rows(std::string_view name) {
    constexpr std::array<std::string_view, 9> kRows = {
        "support_vectors",    "support_points", "relevance_vectors", "free", "bounded", "points",
        "largest_eigenvalue", "step",           "trace_left_out"};
    return std::ranges::find(kRows, name) != kRows.end();
  }

  void order() {
    std::vector<Index> shuffled = numbers_up_to(problem_.size());
    shuffle(shuffled, random_);
    trial_.expect_agree("in another order", values(problem_.select(shuffled)), whole());
  }

  // Of points that are the mirror image of themselves a coordinate is as large on one side as on the other: which is
  // positive must not be left to rounding, which the order changes as another CPU would.
  void signs() {
    Problem mirrored = problem_.select(numbers_up_to(problem_.size()));
    const Index half = problem_.size() / 2;
    for (Index i = 0; i < half; ++i) {
      for (Index c = 0; c < 2; ++c) mirrored.x(half + i, c) = -mirrored.x(i, c);
      for (Index t = 0; t < mirrored.y.cols(); ++t) mirrored.y(half + i, t) = -mirrored.y(i, t);
    }
    const Values first = values(mirrored);
    std::vector<Index> shuffled = numbers_up_to(problem_.size());
    for (int times = 0; times < 8; ++times) {
      shuffle(shuffled, random_);
      trial_.expect_agree("in another order", values(mirrored.select(shuffled)), first);
    }
  }

  // By whole numbers, of inputs with few digits: the sums are exact.
  void origin() {
    const auto moved = [](const Matrix& x, double by) {
      Matrix out = x;
      for (Index i = 0; i < x.rows(); ++i) {
        for (Index c = 0; c < x.cols(); ++c) out(i, c) = std::round(std::ldexp(x(i, c), 20)) / std::ldexp(1, 20) + by;
      }
      return out;
    };
    const bool takes_means_out =
        gives_coordinates() || trial_.task() == Task::mixture || trial_.task() == Task::clustering;
    const Matrix others = random_matrix(12, 2, random_);
    for (const char* const kernel : {"rbf(ell=fixed(0.5))", "linear()", "linear() + rbf(ell=fixed(0.5))"}) {
      if (!takes_means_out && std::string_view(kernel).starts_with("linear")) continue;
      Problem here = problem_;
      here.k = parse(kernel);
      std::optional<Values> at_home;
      for (const double by : {0.0, 100.0, 1e4, 1e6}) {
        here.x = moved(problem_.x, by);
        const Matrix there = moved(others, by);
        const Values found = trial_.values(fit(here), here, rows(there.view()));
        if (!at_home) at_home = found;
        trial_.expect_agree(fmt::format("{}, moved by {}", kernel, by), found, *at_home);
      }
    }
  }

  void storage() {
    const Points x = problem_.points();
    const auto expect = [&](const char* what, const Gram& K, const Points& at, Index tile = Execution{}.tile) {
      Training training = problem_.training(trial_.task(), K);
      training.how.tile = tile;
      trial_.expect_agree(what, trial_.values(trial_.fit(training), problem_, at), whole());
    };
    expect("in memory", exact(problem_.k, x), others_);
    expect("in small tiles", lazy(problem_.k, x), others_, 7);
    expect("rows kept", cached(lazy(problem_.k, x), 5 * at(x.size()) * sizeof(double)), others_);
    if (!problem_.bags) expect("of sparse rows", lazy(problem_.k, as_sparse(x)), as_sparse(others_));
  }

  // Of a matrix of numbers nothing within the kernel can be learnt.
  void numbers() {
    const Problem fixed = with_fixed_kernel(problem_);
    std::optional<Model> m;
    try {
      m = trial_.fit(fixed.training(trial_.task(), precomputed(gram(fixed.k, fixed.points()))));
    } catch (const Error& error) {
      if (trial_.as_by_default()) throw;
      return;  // the settings ask for the points: a trend of the inputs, for example
    }
    Values kernel = values(fixed);
    kernel.variance = {};  // which needs k(x, x) of new points
    trial_.expect_agree("by numbers and by the kernel", trial_.values(*m, fixed, others_), kernel);
    trial_.expect_same("saved and loaded", *m, saved_and_loaded(*m), others_);
  }

  // Many small tiles, and a listener that keeps a thread busy while others take the next ones.
  void threads() {
    const Problem larger = Problem::draw(3 * problem_.size(), problem_.classes, 7, problem_.bags);
    Execution how{.tile = 16, .threads = 1};
    const Model one = trial_.fit(larger.training(trial_.task(), how));
    how.threads = 3;
    how.monitor = Monitor([](const Progress&) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      return true;
    });
    trial_.expect_same("one thread and three", one, trial_.fit(larger.training(trial_.task(), how)), others_);
  }

  void starts() {
    Training again = problem_.training(trial_.task());
    again.start = whole_;
    if (!trial_.machine().takes_start) {
      try {
        trial_.fit(again);
        trial_.breaks("a start is taken, against the row");
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage) trial_.breaks(error.what());
      }
    } else if (trial_.machine().warm_start) {
      trial_.expect_agree("begun at its own end", trial_.values(trial_.fit(again), problem_, others_), whole());
    }
  }

  // Before there is anything to return, an iterative machine throws as well.
  void stops() {
    bool returned = false;
    struct Told {
      bool told = false;
      Index reports = 0;
    };
    const auto tell_at = [&](Index stop) {
      Told out;
      Training training = problem_.training(trial_.task());
      training.how.monitor = Monitor([&](const Progress& progress) {
        if (!(progress.fraction >= 0 && progress.fraction <= 1)) {
          trial_.breaks(fmt::format("{}: a fraction of {} is done", progress.stage, progress.fraction));
        }
        out.told = out.told || out.reports++ == stop;
        return !out.told;
      });
      try {
        const Model m = trial_.fit(training);
        if (!out.told) return out;
        expect_stopped(m, stop);
        returned = true;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::cancelled || returned) {
          trial_.breaks(fmt::format("told at report {}: {}", stop, error.what()));
        }
      }
      return out;
    };
    Index stop = 0;
    Told seen = tell_at(stop);
    while (seen.told) seen = tell_at(stop += 1 + stop / 2);
    if (seen.reports == 0) return trial_.breaks("it never reports to the monitor");
    if (trial_.machine().iterative && !returned) tell_at(seen.reports - 1);
    if (trial_.machine().iterative && !returned && trial_.as_by_default())
      trial_.breaks("it is iterative, and never returns what it has");
  }

  void expect_stopped(const Model& m, Index stop) {
    if (m.report().converged) {  // it was as good as done
      trial_.expect_same(fmt::format("told at report {}", stop), m, whole_, others_);
      return;
    }
    if (!trial_.machine().iterative) trial_.breaks(fmt::format("told at report {}, it returns a model", stop));
    if (m.report().stopped.empty()) trial_.breaks("a model does not say why it ended");
    trial_.expect_sound(m, problem_, others_);
  }

  // What a solver says of |f| is what K says of alpha.
  void norms() {
    Expansion::Parts parts = whole_.expansion().parts();
    if (!parts.kernel || parts.squared_norms.empty()) return;
    const Vector told = whole_.expansion().norms();
    parts.squared_norms.clear();
    const Vector found = Expansion(std::move(parts)).norms();
    for (std::size_t o = 0; o < told.size(); ++o) {
      if (!(std::abs(told[o] - found[o]) <= 1e-5 * (1 + found[o]))) {
        trial_.breaks(fmt::format("output {} has a norm of {}, and alpha'K alpha says {}", o + 1, told[o], found[o]));
      }
    }
  }

  void probabilities() {
    const auto p = probabilities_of(whole_, others_);
    if (!p) return;
    const Vector predicted = whole_.predict(others_);
    for (Index i = 0; i < p->rows(); ++i) {
      const double sum = std::accumulate(p->row(i), p->row(i) + p->cols(), 0.0);
      if (!(std::abs(sum - 1) < 1e-9)) trial_.breaks(fmt::format("they add to {}", sum));
      const double chosen = (*p)(i, static_cast<Index>(predicted[at(i)]));
      for (Index c = 0; c < p->cols(); ++c) {
        if (!((*p)(i, c) >= 0 && (*p)(i, c) <= chosen)) {
          trial_.breaks(fmt::format("class {} has {}, the class predicted has {}", c, (*p)(i, c), chosen));
        }
      }
    }
  }

  // Where a model keeps what was found for the training points, its f says the same of them.
  void fitted() { expect_fitted(whole_, problem_); }
  void expect_fitted(const Model& m, const Problem& problem) {
    const Matrix& found = m.parts().fitted;
    if (found.rows() == 0 || !m.report().converged) return;
    const Matrix answers = m.predict_targets(problem.points());
    trial_.expect_agree("fitted and predicted", {answers, {}}, {found, {}});
  }

  // Predictions take some points at a time, and where one lot ends and the next begins does not show.
  void many() {
    if (!whole_.expansion().parts().kernel) return;
    const Points all = problem_.like(rows(random_matrix(1025, 2, random_)));
    for (const Index count : {1023, 1024, 1025}) {
      const std::vector<Index> which = {0, 255, 256, 511, 512, count - 2, count - 1};
      const Points some = all.slice({0, count}), few = some.select(which);
      const auto expect = [&](const char* of, MatrixView many, MatrixView alone) {
        Matrix picked = Matrix::uninitialized(static_cast<Index>(which.size()), many.cols());
        for (std::size_t i = 0; i < which.size(); ++i) {
          std::copy_n(many.row(which[i]), many.cols(), picked.row(static_cast<Index>(i)));
        }
        if (!(difference(picked, alone) <= 1e-9 * (1 + largest(alone)))) {
          trial_.breaks(fmt::format("{} of {} points: not what each has alone", of, count));
        }
      };
      expect("f", whole_.scores(some), whole_.scores(few));
      const auto predicted = [&](const Points& x) {
        return Matrix(MatrixView(Vector(whole_.predict(x)).data(), x.size(), 1));
      };
      expect("predictions", predicted(some), predicted(few));
      if (whole_.has_posterior()) expect("variances", whole_.variances(some), whole_.variances(few));
      if (whole_.has_probabilities()) expect("probabilities", whole_.probabilities(some), whole_.probabilities(few));
    }
  }

  Trial& trial_;
  Random random_;
  Problem problem_;
  Points others_;
  Model whole_;
};

}  // namespace

std::vector<std::string> broken_machine_laws(const Machine& machine, const MachineLawOptions& options) {
  Trial trial(machine, options);
  for (const Index classes : trial.class_counts(options.classes)) {
    trial.law("it fits", [&] { MachineLaws(trial, options, classes).check(); });
  }
  return std::move(trial).broken();
}

}  // namespace mercer::testing
