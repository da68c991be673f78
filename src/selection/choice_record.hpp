// What `choose` tried and what it says of it.
#pragma once

#include "mercer/choose.hpp"
#include "mercer/tune.hpp"

namespace mercer::detail {

// "accuracy in 5-fold cross-validation", "leave one out rmse".
std::string criterion_words(const Choosing& plan, const Machine& machine, Task task, Index folds);
// "rbf", "matern(nu=1.5)", "rbf with an ell for each column" of the text of a kernel whose ell is auto.
std::string kernel_words(std::string text);

class ChoiceRecord {
 public:
  // `first`: the text of the kernel that is tried before those of the plan.
  ChoiceRecord(const Machine& machine, const Choosing& plan, const std::string& first);

  void try_all();  // of the plan, for telling what it is

  struct Points {
    Index decided, different, all;
  };
  // What follows is tried on these points.
  void begin(const Points& points, const std::string& criterion);
  // `kernel`: the words for it; empty where there is one only.
  void add(const Candidate& candidate, const std::vector<Axis>& axes, const std::string& kernel);
  void best(double score, const std::string& kernel);
  bool any() const { return score_.has_value(); }

  // `kernel`: as chosen; none where it was given.
  std::string words(const Settings& settings, const std::optional<Kernel>& kernel, bool interrupted) const;
  std::string ranges() const;  // what was tried
  // A row for each candidate: its values, and its score in a column called `metric`. The first table, "choice", is of
  // the kernel and the points of the best.
  std::vector<Report::Table> tables(const std::string& metric) const;

 private:
  struct Tried {
    std::string name;
    Trial::Unit unit;
    double low, high;  // in that unit
    bool is_option;
    bool tried = false;
  };
  struct Row {
    std::string kernel;
    Vector values;
  };
  struct Round {
    Points points;
    std::string criterion;
    std::vector<Row> rows = {};
  };
  std::vector<std::string> kernels_in(const Round& round) const;

  std::vector<Tried> tried_;  // in the order of the plan; then what trials settle by themselves
  std::vector<std::string> settled_, planned_, kernels_;  // kernels: of the plan, and those that were tried
  std::vector<Round> rounds_;
  std::optional<double> score_;
  std::size_t best_round_ = 0;
  std::string best_kernel_;
};

}  // namespace mercer::detail
