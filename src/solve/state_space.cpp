// A system on points of a line, by the filter of its kernel's state space.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "solve/kinds.hpp"
#include "state_space/filters.hpp"
#include "state_space/line.hpp"
#include "state_space/sums.hpp"

namespace mercer::solve {

namespace {

using state_space::AlongLines;
using state_space::Filters;
using state_space::Placed;

struct Solved {
  Solved(AlongLines along, std::shared_ptr<const Placed> where, std::vector<state_space::Series> series,
         const Monitor& monitor)
      : lines(std::move(along)), places(std::move(where)), filter(lines.model, std::move(series), monitor) {}

  const std::vector<Index>& rows() const { return places->order; }  // as the filters have them
  // change(b) with the rows of b in order.
  template <class Change>
  void apply(MatrixRef b, const Change& change) const {
    if (places->as_given && b.stride() == b.cols()) return change(b);
    Matrix ordered = taken(b);
    change(ordered.ref());
    for (Index i = 0; i < b.rows(); ++i) std::copy_n(ordered.row(i), b.cols(), b.row(rows()[at(i)]));
  }
  Matrix taken(MatrixView b) const {
    Matrix out = Matrix::uninitialized(b.rows(), b.cols());
    for (Index i = 0; i < b.rows(); ++i) std::copy_n(b.row(rows()[at(i)]), b.cols(), out.row(i));
    return out;
  }

  AlongLines lines;
  std::shared_ptr<const Placed> places;
  Filters filter;
};

Vector given_back(const std::vector<Index>& order, const Vector& v) {
  Vector out(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) out[at(order[i])] = v[i];
  return out;
}

// Columns of A^-1 are solved for when they are asked for.
class LineInverse final : public Inverse {
 public:
  explicit LineInverse(std::shared_ptr<const Solved> solved) : solved_(std::move(solved)) {}

  Vector diagonal() const override { return given_back(solved_->rows(), solved_->filter.inverse_diagonal()); }
  void tile(Range i, Range j, double* out) const override {
    Matrix columns(solved_->filter.size(), j.size());
    for (Index c = 0; c < j.size(); ++c) columns(j.begin + c, c) = 1;
    columns = multiply(columns);
    for (Index a = i.begin; a < i.end; ++a, out += j.size()) std::copy_n(columns.row(a), j.size(), out);
  }
  Matrix multiply(const Matrix& v) const override {
    Matrix out = v;
    solved_->apply(out, [&](MatrixRef b) { solved_->filter.solve(b); });
    return out;
  }
  Matrix lower() && override {
    const Range all{0, solved_->filter.size()};
    Matrix out = Matrix::uninitialized(all.end, all.end);
    tile(all, all, out.data());
    return out;
  }

 private:
  std::shared_ptr<const Solved> solved_;
};

class LineSystem final : public System {
 public:
  LineSystem(std::shared_ptr<const Solved> solved, Certificate certificate)
      : solved_(std::move(solved)), certificate_(certificate) {}

  Accuracy solve(MatrixRef b) const override {
    solved_->apply(b, [&](MatrixRef ordered) { solved_->filter.solve(ordered); });
    return {};
  }
  void solve_root(MatrixRef rows, const Monitor&) const override {
    Matrix columns = Matrix::uninitialized(rows.cols(), rows.rows());
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index j = 0; j < rows.cols(); ++j) columns(j, i) = rows(i, solved_->rows()[at(j)]);
    }
    solved_->filter.forward(columns);
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index j = 0; j < rows.cols(); ++j) rows(i, j) = columns(j, i);
    }
  }
  Interval log_determinant() const override {
    return {solved_->filter.log_determinant(), solved_->filter.log_determinant()};
  }
  const Certificate& certificate() const override { return certificate_; }
  std::unique_ptr<System> clone() const override { return std::make_unique<LineSystem>(solved_, certificate_); }
  std::unique_ptr<Inverse> inverse(const Monitor&) && override { return std::make_unique<LineInverse>(solved_); }

  // Equal points are neighbours along the line.
  std::optional<std::vector<Matrix>> blocks_of_equals(std::span<const std::vector<Index>> groups) const override {
    const std::vector<Index>& order = solved_->rows();
    std::vector<Index> place(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) place[at(order[p])] = static_cast<Index>(p);
    std::vector<Range> runs;
    for (const std::vector<Index>& group : groups) {
      const auto size = static_cast<Index>(group.size());
      Index first = place[at(group.front())];
      for (const Index i : group) first = std::min(first, place[at(i)]);
      for (const Index i : group) {
        if (place[at(i)] >= first + size) return std::nullopt;
      }
      runs.push_back({first, first + size});
    }
    std::vector<std::size_t> by_time(runs.size());
    std::iota(by_time.begin(), by_time.end(), std::size_t{0});
    std::sort(by_time.begin(), by_time.end(),
              [&](std::size_t a, std::size_t b) { return runs[a].begin < runs[b].begin; });
    std::vector<Range> ordered;
    for (const std::size_t r : by_time) ordered.push_back(runs[r]);
    const std::vector<Matrix> found = solved_->filter.inverse_blocks(ordered);
    std::vector<Matrix> out(runs.size());
    for (std::size_t r = 0; r < found.size(); ++r) {
      const std::vector<Index>& group = groups[by_time[r]];
      const auto size = static_cast<Index>(group.size());
      Matrix& block = out[by_time[r]] = Matrix(size, size);
      for (Index a = 0; a < size; ++a) {
        for (Index b = 0; b < size; ++b) {
          block(a, b) =
              found[r](place[at(group[at(a)])] - ordered[r].begin, place[at(group[at(b)])] - ordered[r].begin);
        }
      }
    }
    return out;
  }

  std::optional<Vector> variances(const Points& x) const override {
    const Placed there = state_space::placed_among(*solved_->places, solved_->lines, x);
    return given_back(there.order, solved_->filter.variances(there.times, there.lines));
  }

 private:
  std::shared_ptr<const Solved> solved_;
  Certificate certificate_;
};

AlongLines required(const Gram& K) {
  const std::optional<Kernel> k = K.kind() == GramKind::kernel ? K.kernel() : std::nullopt;
  const bool has_one = k && state_space::along_lines(*k);
  if (has_one) {
    if (std::optional<AlongLines> found = state_space::along_lines(*k, *K.points())) return std::move(*found);
  }
  fail(ErrorKind::usage,
       "state_space: {}; what has one are, on one column of numbers, matern (nu = 0.5, 1.5, ... 4.5), exponential, "
       "laplace, sho, periodic, wave, linear, poly, const and equal, their sums, products and multiples, of at most {} "
       "states, "
       "and such a kernel on(time, ...) times on(series, equal())",
       !k        ? "this Gram matrix is not that of a kernel at points"
       : has_one ? "the inputs are not one column of numbers"
                 : fmt::format("{} has no state space", k->str()),
       state_space::kMostStates);
}

// |M|_1 from below, of a symmetric M that is only multiplied with (Hager 1984): nearly always within a factor of 3.
template <class Multiply>
double norm_estimate(Index n, const Multiply& multiply) {
  constexpr int kSteps = 4;
  Matrix x(n, 1, 1 / static_cast<double>(n));
  double best = 0;
  Index last = -1;
  for (int step = 0; step < kSteps; ++step) {
    Matrix y = multiply(x);
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      sum += std::abs(y(i, 0));
      y(i, 0) = y(i, 0) < 0 ? -1 : 1;
    }
    if (step > 0 && !(sum > best)) break;
    best = sum;
    const Matrix z = multiply(y);
    Index most = 0;
    for (Index i = 1; i < n; ++i) {
      if (std::abs(z(i, 0)) > std::abs(z(most, 0))) most = i;
    }
    if (most == last) break;
    last = most;
    x = Matrix(n, 1);
    x(most, 0) = 1;
  }
  return best;
}

// A v, in the order of the filters.
Matrix product_of(const Filters& filter, const Matrix& v, const Execution& how) {
  Matrix out = Matrix::uninitialized(v.rows(), 1);
  for (std::size_t l = 0; l < filter.count(); ++l) {
    const state_space::Series& series = filter.series(l);
    const Range rows = filter.rows(l);
    const auto scale = [&](Matrix& m) {
      for (std::size_t i = 0; i < series.factors.size(); ++i) m(static_cast<Index>(i), 0) *= series.factors[i];
    };
    Matrix scaled(v.view().block(rows, {0, 1}));
    scale(scaled);
    Matrix own = state_space::Sums(filter.model(), series.times, scaled).at_times(series.times, how);
    scale(own);
    for (Index i = 0; i < rows.size(); ++i) {
      out(rows.begin + i, 0) = own(i, 0) + series.shift_of(i) * v(rows.begin + i, 0);
    }
  }
  return out;
}

}  // namespace

Method exact_method(const Gram& K, Index n) {
  const std::optional<Kernel> k = K.kind() == GramKind::kernel ? K.kernel() : std::nullopt;
  return k && state_space::shorter_way(*k, *K.points(), n) ? Method::state_space : Method::dense;
}

void require_state_space(const Gram& K) { (void)required(K); }

Made state_space_system(const Equations& e, const Wishes& wishes, const Execution& how) {
  const AlongLines lines = required(e.K);
  const Points x = e.points.empty() ? *e.K.points() : e.K.points()->select(e.points);
  const std::shared_ptr<const Placed> places = state_space::placed(lines, x);
  Made out;
  double mean = 0;
  const bool one_shift = std::ranges::all_of(e.shift, [&](double shift) { return shift == e.shift.front(); });
  const bool scaled = !e.scale.empty() || e.unit != 1;
  while (true) {
    std::vector<state_space::Series> series;
    for (const Range& line : places->lines) {
      state_space::Series& own = series.emplace_back();
      own.times.assign(places->times.begin() + line.begin, places->times.begin() + line.end);
      own.factors.resize(scaled ? own.times.size() : 0);
      own.shift.resize(one_shift ? 1 : own.times.size());
      for (Index p = 0; p < line.size(); ++p) {
        const Index i = places->order[at(line.begin + p)];
        if (scaled) own.factors[at(p)] = e.scale_of(i) / std::sqrt(e.unit);
        if (!one_shift || p == 0) own.shift[at(p)] = e.shift_of(i) + out.jitter;
      }
    }
    if (out.jitter == 0) {
      out.trace = state_space::trace(lines.model, series);
      for (Index i = 0; i < e.size(); ++i) mean += e.shift_of(i) / static_cast<double>(e.size());
      mean += out.trace / static_cast<double>(e.size());
    }
    auto solved = std::make_shared<Solved>(lines, places, std::move(series), how.monitor);
    const Filters& filter = solved->filter;
    out.pivot = filter.failed_at();
    if (out.pivot == 0) {
      const double shift = filter.least_shift();
      Certificate certificate{.method = "state space",
                              .size = e.size(),
                              .rank = lines.model.states(),
                              .lines = static_cast<Index>(filter.count()),
                              .in_order = places->in_time,
                              .trace = out.trace,
                              .jitter = out.jitter,
                              .condition_bound = (out.trace + shift) / shift,
                              .bytes = filter.bytes()};
      out.system = std::make_unique<LineSystem>(solved, certificate);
      if (!wishes.doubtful || certificate.condition_bound <= *wishes.doubtful) return out;
      certificate.condition = norm_estimate(e.size(), [&](const Matrix& v) { return product_of(filter, v, how); }) *
                              norm_estimate(e.size(), [&](const Matrix& v) {
                                Matrix z = v;
                                filter.solve(z);
                                return z;
                              });
      out.system = std::make_unique<LineSystem>(std::move(solved), certificate);
      return out;
    }
    if (!wishes.jitter) return out;
    const std::optional<double> more = more_jitter(out.jitter, mean);
    if (!more) return out;
    out.jitter = *more;
  }
}

}  // namespace mercer::solve
