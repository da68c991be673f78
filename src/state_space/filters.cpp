#include "state_space/filters.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace mercer::state_space {

namespace {

// One line alone has all that there is, the monitor too.
void for_lines(std::size_t count, const Monitor& monitor,
               const std::function<void(std::size_t line, const Monitor& within)>& body) {
  if (count == 1) return body(0, monitor);
  parallel_for(static_cast<Index>(count), thread_count(0), monitor, "solve", [&](Index l, int) { body(at(l), {}); });
}

std::vector<Range> rows_of(std::span<const Series> lines) {
  std::vector<Range> out;
  for (const Series& line : lines) {
    const Index first = out.empty() ? 0 : out.back().end;
    out.push_back({first, first + line.size()});
  }
  return out;
}

MatrixRef rows_of(MatrixRef b, Range rows) { return b.block(rows, {0, b.cols()}); }

}  // namespace

Filters::Filters(const StateSpace& model, std::vector<Series> lines, const Monitor& monitor, Matrix sides)
    : rows_(rows_of(lines)), filters_(lines.size()) {
  for_lines(lines.size(), monitor, [&](std::size_t l, const Monitor& within) {
    Matrix own = lines.size() == 1  ? std::move(sides)
                 : sides.cols() > 0 ? Matrix(MatrixView(rows_of(sides.ref(), rows_[l])))
                                    : Matrix();
    filters_[l] = std::make_unique<Filter>(model, std::move(lines[l]), std::move(own), within);
  });
}

Index Filters::failed_at() const {
  for (std::size_t l = 0; l < count(); ++l) {
    if (filters_[l]->failed_at() > 0) return rows_[l].begin + filters_[l]->failed_at();
  }
  return 0;
}

double Filters::log_determinant() const {
  double sum = 0;
  for (const auto& filter : filters_) sum += filter->log_determinant();
  return sum;
}

double Filters::least_shift() const {
  double least = filters_.front()->least_shift();
  for (const auto& filter : filters_) least = std::min(least, filter->least_shift());
  return least;
}

double Filters::bytes() const {
  double sum = 0;
  for (const auto& filter : filters_) sum += filter->bytes();
  return sum;
}

void Filters::forward(MatrixRef b) const {
  for_lines(count(), {}, [&](std::size_t l, const Monitor&) { filters_[l]->forward(rows_of(b, rows_[l])); });
}

void Filters::solve(MatrixRef b) const {
  for_lines(count(), {}, [&](std::size_t l, const Monitor&) { filters_[l]->solve(rows_of(b, rows_[l])); });
}

Vector Filters::inverse_diagonal() const {
  Vector out(at(size()));
  for_lines(count(), {}, [&](std::size_t l, const Monitor&) {
    std::ranges::copy(filters_[l]->inverse_diagonal(), out.begin() + rows_[l].begin);
  });
  return out;
}

std::vector<Matrix> Filters::inverse_blocks(std::span<const Range> runs) const {
  std::vector<std::vector<Range>> own(count());
  std::size_t line = 0;
  for (const Range& run : runs) {
    while (run.begin >= rows_[line].end) ++line;
    own[line].push_back({run.begin - rows_[line].begin, run.end - rows_[line].begin});
  }
  std::vector<std::vector<Matrix>> found(count());
  for_lines(count(), {}, [&](std::size_t l, const Monitor&) {
    if (!own[l].empty()) found[l] = filters_[l]->inverse_blocks(own[l]);
  });
  std::vector<Matrix> out;
  for (std::vector<Matrix>& blocks : found) std::ranges::move(blocks, std::back_inserter(out));
  return out;
}

Vector Filters::variances(VectorView times, std::span<const Range> lines) const {
  Vector out(times.size());
  for_lines(lines.size(), {}, [&](std::size_t l, const Monitor&) {
    const VectorView own = times.subspan(at(lines[l].begin), at(lines[l].size()));
    if (own.empty()) return;
    std::ranges::copy(l < count() ? filters_[l]->variances(own) : priors(model(), own), out.begin() + lines[l].begin);
  });
  return out;
}

Matrix Filters::products() const {
  Matrix out = filters_.front()->products();
  for (std::size_t l = 1; l < count(); ++l) {
    const Matrix own = filters_[l]->products();
    for (Index e = 0; e < out.rows() * out.cols(); ++e) out.data()[e] += own.data()[e];
  }
  return out;
}

Vector Filters::quadratics(const Matrix& mix) const {
  Vector out(at(mix.cols()));
  for (const auto& filter : filters_) {
    const Vector own = filter->quadratics(mix);
    for (std::size_t t = 0; t < out.size(); ++t) out[t] += own[t];
  }
  return out;
}

Matrix Filters::solve_sides(const Matrix& mix) const {
  Matrix out = Matrix::uninitialized(size(), mix.cols());
  for_lines(count(), {},
            [&](std::size_t l, const Monitor&) { filters_[l]->solve_sides(mix, rows_of(out.ref(), rows_[l])); });
  return out;
}

Filter::Slopes Filters::gradient(const Matrix& mix) const {
  if (count() == 1) return filters_.front()->gradient(mix);
  std::vector<Filter::Slopes> found(count());
  for_lines(count(), {}, [&](std::size_t l, const Monitor&) { found[l] = filters_[l]->gradient(mix); });
  Filter::Slopes out{Vector(at(model().parameters())), {}};
  for (const Filter::Slopes& own : found) {
    for (std::size_t p = 0; p < out.by_parameter.size(); ++p) out.by_parameter[p] += own.by_parameter[p];
    out.by_shift.insert(out.by_shift.end(), own.by_shift.begin(), own.by_shift.end());
  }
  return out;
}

double trace(const StateSpace& model, std::span<const Series> lines) {
  double sum = 0;
  for (const Series& line : lines) sum += trace(model, line);
  return sum;
}

double log_density(const StateSpace& model, std::span<const Series> lines, VectorView b) {
  const std::vector<Range> rows = rows_of(lines);
  Vector found(lines.size());
  for_lines(lines.size(), {}, [&](std::size_t l, const Monitor&) {
    found[l] = log_density(model, lines[l], b.subspan(at(rows[l].begin), at(rows[l].size())));
  });
  double sum = 0;
  for (const double value : found) sum += value;
  return sum;
}

}  // namespace mercer::state_space
