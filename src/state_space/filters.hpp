// The filters of lines that have nothing in common, side by side: A is a block for each.
#pragma once

#include <vector>

#include "state_space/filter.hpp"

namespace mercer::state_space {

// Rows of all lines stand one behind the other. Does not change once made; threads may share it. Reports "solve".
class Filters {
 public:
  // `sides`: of all lines, as those of Filter; without columns there are none.
  Filters(const StateSpace& model, std::vector<Series> lines, const Monitor& monitor, Matrix sides = {});

  // As those of Filter.
  Index failed_at() const;
  double log_determinant() const;
  double least_shift() const;
  double bytes() const;
  const StateSpace& model() const { return filters_.front()->model(); }
  const Series& series(std::size_t line) const { return filters_[line]->series(); }
  std::size_t count() const { return filters_.size(); }
  Index size() const { return rows_.back().end; }
  Range rows(std::size_t line) const { return rows_[line]; }

  void forward(MatrixRef b) const;
  void solve(MatrixRef b) const;
  Vector inverse_diagonal() const;
  std::vector<Matrix> inverse_blocks(std::span<const Range> runs) const;
  // At times that are in order along each line; `lines` are the rows of each, and one more at the end: of no line,
  // where nothing is known.
  Vector variances(VectorView times, std::span<const Range> lines) const;
  Matrix products() const;
  Vector quadratics(const Matrix& mix) const;
  Matrix solve_sides(const Matrix& mix) const;
  Filter::Slopes gradient(const Matrix& mix) const;

 private:
  std::vector<Range> rows_;
  std::vector<std::unique_ptr<Filter>> filters_;
};

double trace(const StateSpace& model, std::span<const Series> lines);
double log_density(const StateSpace& model, std::span<const Series> lines, VectorView b);

}  // namespace mercer::state_space
