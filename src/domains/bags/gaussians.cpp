#include "domains/bags/gaussians.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "domains/bags/row.hpp"
#include "file/blocks.hpp"
#include "linalg/lapack.hpp"
#include "mercer/bags.hpp"

namespace mercer {

Index gaussian_numbers(Index d) { return d + d * (d + 1) / 2; }

namespace {

// The covariance of one row of numbers, both triangles.
Matrix covariance_of(const double* numbers, Index d) {
  Matrix out(d, d);
  for (Index r = 0, e = d; r < d; ++r) {
    for (Index c = 0; c <= r; ++c, ++e) out(r, c) = out(c, r) = numbers[e];
  }
  return out;
}

// An eigenvalue below 0 by more than rounding of the largest is no covariance's.
void require_covariances(const Gaussians& store) {
  const Index d = store.dimension();
  for (Index i = 0; i < store.size(); ++i) {
    const double* numbers = store.numbers().row(i);
    if (!std::all_of(numbers, numbers + store.numbers().cols(), [](double v) { return std::abs(v) < 1e150; })) {
      fail(ErrorKind::data, "gaussians: number {} has an entry that is no number or beyond 1e150", i + 1);
    }
    const Vector values = linalg::eigenvalues(covariance_of(numbers, d));
    const double rounding = static_cast<double>(d) * std::numeric_limits<double>::epsilon() * std::abs(values.back());
    if (values.front() < -8 * rounding) {
      fail(ErrorKind::data,
           "gaussians: the covariance of number {} is not positive semi-definite; its smallest eigenvalue is {}", i + 1,
           values.front());
    }
  }
}

Points checked(Index d, Matrix numbers) {
  auto store = std::make_shared<Gaussians>(d, std::move(numbers));
  require_covariances(*store);
  return collection(std::move(store));
}

}  // namespace

Points gaussians(MatrixView means, MatrixView covariances) {
  const Index n = means.rows(), d = means.cols();
  if (d == 0) fail(ErrorKind::shape, "gaussians: the means have no columns");
  if (covariances.rows() != n * d || covariances.cols() != d) {
    fail(ErrorKind::shape,
         "gaussians: {} means of {} numbers need {} x {} covariances one below the other, {} x {} are given", n, d,
         n * d, d, covariances.rows(), covariances.cols());
  }
  Matrix numbers(n, gaussian_numbers(d));
  for (Index i = 0; i < n; ++i) {
    std::copy_n(means.row(i), d, numbers.row(i));
    double largest = 0;
    for (Index r = 0; r < d; ++r) largest = std::max(largest, std::abs(covariances(i * d + r, r)));
    for (Index r = 0, e = d; r < d; ++r) {
      for (Index c = 0; c <= r; ++c, ++e) {
        const double below = covariances(i * d + r, c), above = covariances(i * d + c, r);
        if (std::abs(below - above) > 1e-10 * largest) {
          fail(ErrorKind::data,
               "gaussians: the covariance of number {} is not symmetric: {} at ({}, {}), {} at ({}, {})", i + 1, below,
               r + 1, c + 1, above, c + 1, r + 1);
        }
        numbers(i, e) = below == above ? below : 0.5 * (below + above);
      }
    }
  }
  return checked(d, std::move(numbers));
}

void estimate_gaussian(MatrixView rows, double* numbers) {
  const Index n = rows.rows(), d = rows.cols();
  const double share = 1 / static_cast<double>(n), width = static_cast<double>(d);
  double* const covariance = numbers + d;
  std::fill_n(numbers, gaussian_numbers(d), 0.0);
  for (Index k = 0; k < d; ++k) {
    for (Index i = 0; i < n; ++i) numbers[k] += share * (rows(i, k) - rows(0, k));  // 0 of equal rows, to the last bit
    numbers[k] += rows(0, k);
  }
  Vector u(at(d));
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) u[at(k)] = rows(i, k) - numbers[k];
    for (Index r = 0, e = 0; r < d; ++r) {
      for (Index c = 0; c <= r; ++c, ++e) covariance[e] += share * u[at(r)] * u[at(c)];
    }
  }
  double trace = 0, squares = 0;  // of S, and of S^2
  for (Index r = 0, e = 0; r < d; ++r) {
    for (Index c = 0; c < r; ++c, ++e) squares += 2 * covariance[e] * covariance[e];
    squares += covariance[e] * covariance[e];
    trace += covariance[e++];
  }
  const double spread = squares - trace * trace / width;  // how far S is from a multiple of I
  const double noise = (1 - 2 / width) * squares + trace * trace;
  const double limit = (static_cast<double>(n) + 1 - 2 / width) * spread;
  const double shrinkage = limit <= noise ? 1 : noise / limit;
  for (Index r = 0, e = 0; r < d; ++r) {
    for (Index c = 0; c < r; ++c, ++e) covariance[e] *= 1 - shrinkage;
    covariance[e] = (1 - shrinkage) * covariance[e] + shrinkage * trace / width;
    ++e;
  }
}

int Gaussians::compare(Index i, Index j) const {
  const double *a = numbers_.row(i), *b = numbers_.row(j);
  const auto [p, q] = std::mismatch(a, a + numbers_.cols(), b);
  return p == a + numbers_.cols() ? 0 : *p < *q ? -1 : 1;
}

std::shared_ptr<const Objects> Gaussians::join(const Selection& own, const Objects& other,
                                               const Selection& others) const {
  const auto& more = static_cast<const Gaussians&>(other);
  if (more.dimension_ != dimension_) {
    fail(ErrorKind::domain, "gaussians of {} and of {} dimensions do not go together", dimension_, more.dimension_);
  }
  Matrix all(own.size + others.size, numbers_.cols());
  for (Index i = 0; i < own.size; ++i) std::copy_n(numbers_.row(own[i]), all.cols(), all.row(i));
  for (Index i = 0; i < others.size; ++i) {
    std::copy_n(more.numbers_.row(others[i]), all.cols(), all.row(own.size + i));
  }
  return std::make_shared<Gaussians>(dimension_, std::move(all));
}

Json Gaussians::save(const Selection& which, const std::string& prefix, detail::BlockWriter& blocks) const {
  blocks.add<double>(prefix, {which.size, numbers_.cols()}, [this, which](detail::Sink& sink) {
    for (Index i = 0; i < which.size; ++i) {
      sink.write(numbers_.row(which[i]), at(numbers_.cols()) * sizeof(double));
    }
  });
  return {{"kind", "gaussians"}, {"dimension", dimension_}};
}

namespace detail {

Points load_gaussians(const Json& json, const std::string& prefix, const BlockReader& blocks, int) {
  const Index d = whole(member(json, "dimension"), 1);
  Matrix numbers = blocks.matrix(prefix);
  if (d > numbers.cols() || gaussian_numbers(d) != numbers.cols()) {
    fail(ErrorKind::file, "Gaussians of dimension {} in rows of {} numbers", d, numbers.cols());
  }
  return checked(d, std::move(numbers));
}

Points sample_gaussians(Index count, std::uint64_t seed) {
  Random random(seed);
  constexpr Index d = 2;
  Matrix means(count, d), covariances(count * d, d);
  for (Index i = 0; i < count; ++i) {
    double a[d][d];
    for (Index r = 0; r < d; ++r) {
      means(i, r) = random.normal();
      for (Index c = 0; c < d; ++c) a[r][c] = random.normal();
    }
    for (Index r = 0; r < d; ++r) {
      for (Index c = 0; c < d; ++c) {
        covariances(i * d + r, c) = a[r][0] * a[c][0] + a[r][1] * a[c][1] + (r == c ? 0.3 : 0);
      }
    }
  }
  return gaussians(means, covariances);
}

}  // namespace detail

}  // namespace mercer
