#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/text.hpp"
#include "mercer/kernels.hpp"
#include "mercer/testing.hpp"
#include "testing/trial.hpp"

namespace mercer::testing {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

class InputLaws {
 public:
  InputLaws(Trial& trial, const MachineLawOptions& options)
      : trial_(trial), options_(options), problem_(Problem::draw(options.points, 2, options.seed)) {}

  void check() {
    sizes();
    if (trial_.task()->target == Task::Target::numbers) targets();
    if (trial_.task() == Task::classification) labels();
    inputs();
    weights();
    unknown_options();
    extreme_options();
    little_data();
    extreme_numbers();
  }

 private:
  Training training() const { return problem_.training(trial_.task()); }
  Training training_on(const Points& x) const { return problem_.training(trial_.task(), lazy(problem_.k, x)); }

  void expect_refused(const std::string& law, ErrorKind kind, const std::function<void()>& call) {
    trial_.law(law, [&] {
      try {
        call();
        trial_.breaks("is accepted");
      } catch (const Error& error) {
        if (error.kind() != kind) trial_.breaks(error.what());
        expect_one_line(error);
      }
    });
  }
  void expect_refused(const std::string& law, ErrorKind kind, const Training& training) {
    expect_refused(law, kind, [&] { trial_.fit(training); });
  }

  void expect_fitted(const std::string& law, const Problem& problem) {
    trial_.law(law,
               [&] { trial_.expect_sound(trial_.fit(problem.training(trial_.task())), problem, problem.points()); });
  }

  void expect_sound_or_refused(const std::string& law, const Problem& problem, const Settings& settings) {
    trial_.law(law, [&] {
      std::optional<Model> m;
      try {
        m = fit(trial_.machine(), in_little_time(settings), problem.training(trial_.task()));
      } catch (const Error& error) {
        expect_one_line(error);
      }
      if (m) trial_.expect_sound(*m, problem, problem.points());
    });
  }

  // What hopeless problems may take is no matter here. A count ends them and no clock: the same input must give the
  // same answer whatever else the computer does.
  Settings in_little_time(Settings settings) const {
    if (!trial_.has_option("max_iterations")) return settings;
    const bool learns = trial_.has_option("starts");
    if (learns) settings.emplace("starts", "2");
    settings.emplace("max_iterations", learns ? "20" : "1000");
    return settings;
  }

  void expect_one_line(const Error& error) {
    const std::string text = error.what();
    if (text.find('\n') != std::string::npos) trial_.breaks("more than one line: " + text);
    if (text.size() > 400) trial_.breaks("a long line: " + text);
  }

  void sizes() {
    const Problem none = problem_.select({});
    expect_refused("no points", ErrorKind::data, none.training(trial_.task()));
  }

  void targets() {
    Training t = training();
    t.y = Matrix();
    expect_refused("no targets", ErrorKind::usage, t);
    t.y = Matrix(problem_.size() - 1, 1);
    expect_refused("a target too few", ErrorKind::shape, t);
    for (const double bad : {kNaN, kInf, -kInf}) {
      t = training();
      t.y(3, 1) = bad;
      expect_refused(fmt::format("a target of {}", bad), ErrorKind::data, t);
    }
  }

  void labels() {
    Training t = training();
    t.labels = {};
    expect_refused("no labels", ErrorKind::usage, t);
    t = training();
    t.labels.of.pop_back();
    expect_refused("a label too few", ErrorKind::shape, t);
    for (const Index bad : {Index{-1}, Index{2}}) {
      t = training();
      t.labels.of[3] = bad;
      expect_refused(fmt::format("a label of class {}", bad), ErrorKind::data, t);
    }
    t = training();
    t.labels = {{"a"}, std::vector<Index>(at(problem_.size()), 0)};
    expect_refused("one class", ErrorKind::data, t);
    // A machine that goes on with more data may begin with one of the classes it is told of.
    if (trial_.machine().takes_start && !trial_.machine().warm_start) return;
    t = training();
    for (const Index c : t.labels.of) t.weights.push_back(c == 0 ? 1 : 0);
    expect_refused("one class has all the weight", ErrorKind::data, t);
  }

  void inputs() {
    for (const double bad : {kNaN, kInf}) {
      Problem p = problem_;
      p.x(4, 1) = bad;
      expect_refused(fmt::format("an input of {}", bad), ErrorKind::data,
                     [&] { trial_.fit(p.training(trial_.task())); });
    }
  }

  void weights() {
    Training t = training();
    t.weights.assign(at(problem_.size() - 1), 1.0);
    expect_refused("a weight too few", ErrorKind::shape, t);
    for (const double bad : {-1.0, kNaN, kInf}) {
      t.weights.assign(at(problem_.size()), 1.0);
      t.weights[2] = bad;
      expect_refused(fmt::format("a weight of {}", bad), ErrorKind::data, t);
    }
    t.weights.assign(at(problem_.size()), 0.0);
    expect_refused("all weights 0", ErrorKind::data, t);
  }

  Settings with(const std::string& name, const std::string& value) const {
    Settings out = options_.settings;
    out[name] = value;
    return out;
  }

  void unknown_options() {
    const auto expect = [&](const std::string& law, const Settings& settings) {
      expect_refused(law, ErrorKind::usage, [&] { fit(trial_.machine(), settings, training()); });
    };
    expect("an option that is unknown", with("no such option", "1"));
    for (const MachineOption& option : trial_.machine().options) {
      expect(option.name + " = nan", with(option.name, "nan"));
      expect(option.name + " = what?", with(option.name, "what?"));
    }
  }

  void extreme_options() {
    for (const MachineOption& option : trial_.machine().options) {
      if (!parse_number(option.fallback)) continue;
      for (const char* value : {"0", "-1", "1e-300", "1e300", "inf", "-inf"}) {
        expect_sound_or_refused(option.name + " = " + value, problem_, with(option.name, value));
      }
    }
  }

  void little_data() {
    // Of classes the fewest points are one each. A machine that learns about noise may want more than one.
    const std::vector<Index> first = {0, 1};
    const std::size_t count = trial_.task() == Task::classification ? 2 : 1;
    expect_sound_or_refused("one point", problem_.select(std::span(first).first(count)), options_.settings);

    Problem constant = problem_;
    // Where targets are predicted; what looks for their correlations finds none.
    for (const double value : {7.0, 0.0}) {
      for (Index i = 0; i < constant.size(); ++i) constant.y(i, 0) = constant.y(i, 1) = value;
      const std::string law = fmt::format("a target of {} everywhere", value);
      if (trial_.task() == Task::correlation) {
        expect_sound_or_refused(law, constant, options_.settings);
      } else {
        expect_fitted(law, constant);
      }
    }

    Problem flat = problem_;
    for (Index i = 0; i < flat.size(); ++i) flat.x(i, 1) = 3;
    expect_fitted("a constant column", flat);
    for (Index i = 0; i < flat.size(); ++i) flat.x(i, 0) = -1;
    expect_sound_or_refused("all points in one place", flat, options_.settings);
  }

  void extreme_numbers() {
    for (const double size : {1e-300, 1e-160, 1e-20, 1e20, 1e160, 1e300}) {
      const auto expect = [&](const char* of, const Problem& problem) {
        expect_sound_or_refused(fmt::format("{} times {}", of, size), problem, options_.settings);
      };
      Problem p = problem_;
      for (Index i = 0; i < p.y.rows() * p.y.cols(); ++i) p.y.data()[i] *= size;
      if (trial_.task()->target == Task::Target::numbers) expect("targets", p);
      p = problem_;
      for (Index i = 0; i < p.x.rows() * p.x.cols(); ++i) p.x.data()[i] *= size;
      expect("inputs", p);
      p = problem_;
      p.weights.assign(at(p.size()), size);
      expect("weights", p);
      p = problem_;
      p.k = size * p.k;
      expect("the kernel", p);
      // Wherever a fit ends, by a count or by a clock, what it returns is a model.
      for (const char* end : {"1", "2", "3", "5", "8", "13"}) {
        if (!trial_.has_option("max_iterations")) break;
        expect_sound_or_refused(fmt::format("the kernel times {}, ended after {} iterations", size, end), p,
                                with("max_iterations", end));
      }
    }
  }

  Trial& trial_;
  const MachineLawOptions& options_;
  Problem problem_;
};

}  // namespace

std::vector<std::string> broken_input_laws(const Machine& machine, const MachineLawOptions& options) {
  Trial trial(machine, options);
  InputLaws(trial, options).check();
  return std::move(trial).broken();
}

}  // namespace mercer::testing
