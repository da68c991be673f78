// A machine on trial: fitted strictly, its models asked, what is broken written down.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/fail.hpp"
#include "mercer/machines.hpp"
#include "mercer/testing.hpp"
#include "testing/problem.hpp"

namespace mercer::testing {

// f and, where the model knows it, the variance of f.
struct Values {
  Matrix f, variance;
};

class Trial {
 public:
  Trial(const Machine& machine, const MachineLawOptions& options);

  const Machine& machine() const { return machine_; }
  Task task() const { return task_; }
  const Settings& settings() const { return settings_; }
  bool has_option(const std::string& name) const;
  bool as_by_default() const { return by_default_; }
  // Of classes, the numbers of them to try; else one.
  std::vector<Index> class_counts(const std::vector<Index>& wanted) const;

  Model fit(const Training& training) const { return mercer::fit(machine_, settings_, training); }
  Values values(const Model& m, const Problem& problem, const Points& at) const;

  // Runs the body; an exception is a law broken, too.
  void law(const std::string& name, const std::function<void()>& body);
  void breaks(const std::string& how);  // the law that runs
  void expect_agree(const std::string& what, const Values& a, const Values& b);
  void expect_same(const std::string& what, const Model& a, const Model& b, const Points& at);
  // Finite wherever it is asked, and in a file the same.
  void expect_sound(const Model& m, const Problem& problem, const Points& at);

  std::vector<std::string> broken() && { return std::move(broken_); }

 private:
  const Machine& machine_;
  Settings settings_;
  Task task_;
  bool by_default_;
  double tolerance_ = 1e-8;
  std::string law_;
  std::vector<std::string> broken_;
};

Model saved_and_loaded(const Model& m);
// One column per class, where the model has probabilities.
std::optional<Matrix> probabilities_of(const Model& m, const Points& at);

}  // namespace mercer::testing
