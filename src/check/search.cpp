// The search for a counterexample: is k defined, is it symmetric, is it indefinite?
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/fail.hpp"
#include "check/sets.hpp"
#include "check/suspect.hpp"

namespace mercer::checking {

namespace {

// Simple operations, something like a second. Counted rather than timed, so that the result is always the same.
constexpr double budget = 2e8;

Matrix pair_of(VectorView x, VectorView y) {
  Matrix out = Matrix::uninitialized(2, std::ssize(x));
  std::copy(x.begin(), x.end(), out.row(0));
  std::copy(y.begin(), y.end(), out.row(1));
  return out;
}

class Search {
 public:
  Search(Suspect k, std::span<const Index> dimensions, const CheckOptions& options)
      : k_(std::move(k)), options_(options), random_(options.seed) {
    result_.dimensions.assign(dimensions.begin(), dimensions.end());
  }

  CheckResult run() {
    if (!choose_inputs()) return std::move(result_);
    judge_scale();
    for (const Index d : result_.dimensions) {
      note_isolated(d);
      if (asymmetric(d)) return std::move(result_);
    }
    for (const Index d : result_.dimensions) {
      if (indefinite(d)) break;
    }
    return std::move(result_);
  }

 private:
  // ---- where is k defined? ----

  // False if there is nowhere to search, with the reason as the counterexample.
  bool choose_inputs() {
    const bool open = options_.inputs == Inputs::automatic;
    for (const Inputs inputs : {Inputs::reals, Inputs::nonnegative, Inputs::unit_ball}) {
      if (!open && inputs != options_.inputs) continue;
      auto gap = undefined_somewhere(inputs);
      if (!gap) {
        result_.inputs = inputs;
        result_.outside = std::move(result_.counterexample);
        result_.counterexample.reset();
        return true;
      }
      // The gap among the reals is the one to show if all else fails.
      if (!result_.counterexample) {
        result_.counterexample = std::move(gap);
        result_.inputs = inputs;
      }
    }
    return false;
  }

  // A pair at which k is undefined, unless there are none but isolated ones: those a random pair never meets.
  std::optional<Counterexample> undefined_somewhere(Inputs inputs) {
    Random random(options_.seed);
    for (const Index d : result_.dimensions) {
      for (int i = 0; i < 400; ++i) {
        Matrix points = Matrix::uninitialized(2, d);
        const double scale = std::array{0.3, 1.0, 3.0}[static_cast<std::size_t>(i % 3)];
        for (Index j = 0; j < 2 * d; ++j) points.data()[j] = scale * random.normal();
        points = moved_into(inputs, std::move(points));
        for (const bool twice : {true, false}) {
          const VectorView x = row(points, 0), y = row(points, twice ? 0 : 1);
          if (k_.defined(x, y)) continue;
          if (auto nice = nice_undefined(inputs, d, twice, false)) return nice;
          return undefined_at(x, y);
        }
      }
    }
    return std::nullopt;
  }

  Counterexample undefined_at(VectorView x, VectorView y) const {
    Matrix points = pair_of(x, y);
    if (std::equal(x.begin(), x.end(), y.begin())) points = without_row(points, 1);
    Matrix gram = gram_of(k_, points);
    return {.kind = Counterexample::Kind::undefined,
            .points = std::move(points),
            .weights = {},
            .gram = std::move(gram),
            .value = k_.value(x, y)};
  }

  // Among the nice points; those with zeros only on request, being the usual isolated exceptions.
  std::optional<Counterexample> nice_undefined(Inputs inputs, Index d, bool twice, bool zeros) const {
    const Matrix nice = nice_points(d);
    const auto plain = [&](Index i) {
      return zeros || std::none_of(nice.row(i), nice.row(i) + d, [](double v) { return v == 0; });
    };
    for (Index i = 0; i < nice.rows(); ++i) {
      for (Index j = twice ? i : 0; j < (twice ? i + 1 : i); ++j) {
        if (!plain(i) || !plain(j)) continue;
        const Matrix pair = moved_into(inputs, pair_of(row(nice, j), row(nice, i)));
        if (!k_.defined(row(pair, 0), row(pair, 1))) return undefined_at(row(pair, 0), row(pair, 1));
      }
    }
    return std::nullopt;
  }

  void note_isolated(Index d) {
    for (const bool twice : {true, false}) {
      if (!result_.skipped) result_.skipped = nice_undefined(result_.inputs, d, twice, true);
    }
  }

  void judge_scale() {
    if (k_.precise) return;
    Vector sizes;
    for (const Index d : result_.dimensions) {
      const Matrix nice = moved_into(result_.inputs, nice_points(d));
      for (Index i = 0; i < nice.rows(); ++i) {
        const double size = std::abs(k_.value(row(nice, i), row(nice, i)));
        if (std::isfinite(size)) sizes.push_back(size);
      }
    }
    if (sizes.empty()) return;
    std::nth_element(sizes.begin(), sizes.begin() + std::ssize(sizes) / 2, sizes.end());
    k_.scale = sizes[sizes.size() / 2];
  }

  // ---- is it symmetric? ----

  bool differs(VectorView x, VectorView y) const {
    const double forth = k_.value(x, y), back = k_.value(y, x);
    const double gap = std::abs(forth - back);
    if (!std::isfinite(gap) || gap <= 1e-9 * std::max(std::abs(forth), std::abs(back))) return false;
    return gap > 1e3 * (k_.error(x, y, forth) + k_.error(y, x, back));
  }

  bool asymmetric(Index d) {
    const Matrix nice = nice_points(d);
    for (Index i = 0; i < nice.rows(); ++i) {
      for (Index j = 0; j < i; ++j) {
        if (asymmetric_at(moved_into(result_.inputs, pair_of(row(nice, j), row(nice, i))))) return true;
      }
    }
    for (int i = 0; i < 300; ++i) {
      Matrix pair = Matrix::uninitialized(2, d);
      const double scale = random_.log_uniform(0.03, 10);
      for (Index j = 0; j < 2 * d; ++j) pair.data()[j] = scale * random_.normal();
      pair = moved_into(result_.inputs, std::move(pair));
      if (!differs(row(pair, 0), row(pair, 1))) continue;
      for (const double parts : {1.0, 2.0, 10.0, 100.0, 1000.0}) {
        Matrix round = pair;
        for (Index j = 0; j < 2 * d; ++j) round.data()[j] = std::round(round.data()[j] * parts) / parts + 0.0;
        if (inside(result_.inputs, row(round, 0)) && inside(result_.inputs, row(round, 1)) && asymmetric_at(round)) {
          return true;
        }
      }
      return asymmetric_at(pair);
    }
    return false;
  }

  bool asymmetric_at(const Matrix& pair) {
    const VectorView x = row(pair, 0), y = row(pair, 1);
    if (!differs(x, y)) return false;
    const double forth = k_.value(x, y), back = k_.value(y, x);
    result_.counterexample = Counterexample{.kind = Counterexample::Kind::asymmetric,
                                            .points = pair,
                                            .weights = {},
                                            .gram = {{k_.value(x, x), forth}, {back, k_.value(y, y)}},
                                            .value = forth - back};
    return true;
  }

  // ---- is it indefinite? ----

  // True when the search is over.
  bool indefinite(Index d) {
    const auto visit = [this](const Matrix& points) {
      return examine(moved_into(result_.inputs, points)) || spent_ > budget;
    };
    if (regular_sets(d, visit)) return true;
    // Long points are slow points.
    const Index tries = std::max<Index>(1, d <= 8 ? options_.tries : options_.tries * 8 / d);
    for (Index i = 0; i < tries; ++i) {
      if (visit(random_set(random_, d))) return true;
    }
    for (Index i = 0; i < tries / 20; ++i) {
      if (spent_ > budget) return true;
      if (refine(moved_into(result_.inputs, random_set(random_, d)))) return true;
    }
    return false;
  }

  bool examine(const Matrix& points) {
    ++result_.tries;
    spent_ += k_.cost * static_cast<double>(points.cols() * points.rows() * (points.rows() + 1) / 2);
    Matrix gram = gram_of(k_, points);
    const Matrix* used = &points;
    Matrix part;
    if (!all_finite(gram)) {
      part = finite_part(k_, points);
      gram = gram_of(k_, part);
      used = &part;
    }
    const auto found = lowest(gram);
    if (!found || !verified(k_, *used, found->weights)) return false;
    result_.counterexample = simplified(k_, *used, result_.inputs);
    return result_.counterexample.has_value();
  }

  // Moves one point at a time downhill in the smallest eigenvalue, with shorter steps as they fail.
  bool refine(Matrix points) {
    points = finite_part(k_, points);
    const Index most = 3 + random_.below(6);
    while (points.rows() > most) points = without_row(points, points.rows() - 1);
    if (points.rows() < 2) return false;
    double best = lowest_eigenvalue(gram_of(k_, points));
    double step = 0.5;
    for (int i = 0; i < 60; ++i) {
      Matrix moved = points;
      const Index which = random_.below(points.rows());
      for (Index j = 0; j < points.cols(); ++j) {
        moved(which, j) += step * (std::abs(moved(which, j)) + 0.1) * random_.normal();
      }
      moved = moved_into(result_.inputs, std::move(moved));
      const Matrix gram = gram_of(k_, moved);
      if (!all_finite(gram)) continue;
      const double now = lowest_eigenvalue(gram);
      if (now < best) {
        best = now;
        points = std::move(moved);
      } else {
        step *= 0.95;
      }
    }
    return examine(points);
  }

  Suspect k_;
  CheckOptions options_;
  Random random_;
  CheckResult result_;
  double spent_ = 0;
};

}  // namespace

CheckResult search(Suspect k, std::span<const Index> dimensions, const CheckOptions& options) {
  if (dimensions.empty()) fail(ErrorKind::usage, "check: no dimension to search in; give at least one");
  for (const Index d : dimensions) {
    if (d < 1) fail(ErrorKind::usage, "check: dimension must be at least 1; got {}", d);
  }
  if (options.tries < 1) fail(ErrorKind::usage, "check: tries must be at least 1; got {}", options.tries);
  return Search(std::move(k), dimensions, options).run();
}

}  // namespace mercer::checking
