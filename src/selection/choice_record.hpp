// What `choose` tried and what it says of it.
#pragma once

#include "mercer/choose.hpp"
#include "mercer/tune.hpp"

namespace mercer::detail {

// "accuracy in cross-validation", "leave one out rmse".
std::string criterion_words(const Choosing& plan, const Machine& machine, Task task);

class ChoiceRecord {
 public:
  ChoiceRecord(const Machine& machine, const Choosing& plan);

  void try_all();  // of the plan, for telling what it is
  void add(const Candidate& candidate, const std::vector<Axis>& axes);
  void best(double score) { score_ = score; }
  bool any() const { return score_.has_value(); }

  struct Points {
    Index decided, all;
  };
  // `kernel`: as chosen; none where it was given.
  std::string words(const Settings& settings, const std::optional<Kernel>& kernel, const std::string& criterion,
                    Points points, bool interrupted) const;
  std::string ranges() const;  // what was tried
  // A row for each candidate: its values, and its score in a column called `criterion`.
  Report::Table table(const std::string& criterion) const;

 private:
  struct Tried {
    std::string name;
    Trial::Unit unit;
    double low, high;  // in that unit
    bool is_option;
    bool tried = false;
  };
  std::vector<Tried> tried_;  // in the order of the plan; then what trials settle by themselves
  std::vector<std::string> settled_;
  std::vector<Vector> rows_;
  std::optional<double> score_;
};

}  // namespace mercer::detail
