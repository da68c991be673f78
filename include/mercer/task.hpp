// mercer/task.hpp: what a machine is for: what it is given beside the inputs, and what it says of new ones.
#pragma once

#include <string_view>

namespace mercer {

class Task {
 public:
  enum class Target { none, numbers, classes };
  struct Row {
    std::string_view name;      // "classification"
    std::string_view predicts;  // "classes": a word for tables
    Target target;              // what the training data must hold beside the inputs
  };

  static const Task classification, regression, novelty, density, embedding, clustering, mixture, correlation;

  constexpr explicit Task(const Row& row) : row_(&row) {}
  const Row* operator->() const { return row_; }
  bool takes_target() const { return row_->target != Target::none; }
  friend bool operator==(const Task& a, const Task& b) { return a.row_ == b.row_; }

 private:
  const Row* row_;
};

}  // namespace mercer
