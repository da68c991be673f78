#include "gram/feature_products.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "kernel/features.hpp"
#include "kernel/tiling.hpp"
#include "linalg/lapack.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// Blocks of points are dealt to this many lanes, each with its own sum of F'v, added up in order: the result depends on
// the number of lanes, which is fixed, and not on the number of threads.
constexpr Index kSums = 8;
// Of one block: a megabyte, and not too few rows for a matrix product.
constexpr Index kNumbers = Index{1} << 17, kFewestRows = 64;
// Up to n / kFew features are less work than pairs.
constexpr Index kFew = 4;

// out = F (F'v) for an F that gives, of a block of its rows, F'v added to a sum and F u.
template <class Gather, class Spread>
void through_features(const Tiling& blocks, Index features, MatrixView v, MatrixRef out, const Execution& how,
                      const Gather& gather, const Spread& spread) {
  const int threads = thread_count(how.threads);
  std::vector<Matrix> sums(at(kSums), Matrix(features, v.cols()));
  const Range all{0, v.cols()};
  parallel_for(kSums, threads, how.monitor, "multiply", [&](Index lane, int) {
    for (Index b = lane; b < blocks.count(); b += kSums) {
      gather(blocks.block(b), v.block(blocks.block(b), all), sums[at(lane)].ref());
    }
  });
  for (std::size_t lane = 1; lane < sums.size(); ++lane) {
    simd::add_scaled(1, sums[lane].data(), at(features * v.cols()), sums.front().data());
  }
  parallel_for(blocks.count(), threads, how.monitor, "multiply",
               [&](Index b, int) { spread(blocks.block(b), sums.front().view(), out.block(blocks.block(b), all)); });
}

class DenseProducts final : public FeatureProducts {
 public:
  DenseProducts(Kernel k, Points x, Index features)
      : kernel_(std::move(k)),
        points_(std::move(x)),
        linear_(kernel_.str() == "linear()"),
        features_(features),
        blocks_(points_.size(), std::max(kFewestRows, kNumbers / std::max<Index>(1, features))) {}

  // False where a square of features is not finite.
  bool prepare(const Execution& how) {
    const double bytes = static_cast<double>(sizeof(double)) * static_cast<double>(points_.size() * features_);
    const bool keep = !linear_ && bytes <= available_memory() / 4;
    if (keep) kept_ = Matrix::uninitialized(points_.size(), features_);
    Vector traces(at(blocks_.count()));
    parallel_for(blocks_.count(), thread_count(how.threads), how.monitor, "multiply", [&](Index b, int) {
      const Range range = blocks_.block(b);
      const Block made = make(range);
      for (Index i = 0; i < range.size(); ++i) {
        const double* const row = made.values.row(i);
        traces[at(b)] += simd::dot(row, row, at(features_));
        if (keep) std::copy_n(row, features_, kept_.row(range.begin + i));
      }
    });
    return std::all_of(traces.begin(), traces.end(), [](double trace) { return std::isfinite(trace); });
  }

  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    through_features(
        blocks_, features_, v, out, how,
        [&](Range range, MatrixView some, MatrixRef sum) {
          linalg::multiply_left_transposed(1, block(range).values, some, 1, sum);
        },
        [&](Range range, MatrixView sum, MatrixRef some) { linalg::multiply(1, block(range).values, sum, 0, some); });
  }

 private:
  struct Block {
    MatrixView values;
    DenseRows rows = {};  // of which one of the two holds them, unless they are kept
    Matrix own = {};
  };
  Block make(Range range) const {
    const Points some = points_.slice(range);
    Block out;
    if (linear_) {
      out.rows = dense_rows(some);
      out.values = out.rows.values;
    } else {
      out.own = *features(kernel_, some, features_);
      out.values = out.own;
    }
    return out;
  }
  Block block(Range range) const {
    return kept_.rows() == 0 ? make(range) : Block{kept_.view().block(range, {0, features_})};
  }

  Kernel kernel_;
  Points points_;
  bool linear_;
  Index features_;
  Tiling blocks_;
  Matrix kept_;
};

// linear() of sparse rows: 4 flops for each entry and column.
class SparseProducts final : public FeatureProducts {
 public:
  SparseProducts(Points x, const SparseMatrix& rows) : points_(std::move(x)), rows_(rows), blocks_(rows.rows, 4096) {}

  bool finite() const {
    double trace = 0;
    for (const double value : rows_.values) trace += value * value;
    return std::isfinite(trace);
  }

  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    const auto columns = at(v.cols());
    const auto for_each_entry = [&](Range range, auto&& visit) {
      for (Index i = range.begin; i < range.end; ++i) {
        for (auto e = at(rows_.offsets[at(i)]); e < at(rows_.offsets[at(i + 1)]); ++e) {
          visit(i - range.begin, static_cast<Index>(rows_.columns[e]), rows_.values[e]);
        }
      }
    };
    through_features(
        blocks_, rows_.cols, v, out, how,
        [&](Range range, MatrixView some, MatrixRef sum) {
          for_each_entry(range, [&](Index i, Index k, double value) {
            simd::add_scaled(value, some.row(i), columns, sum.row(k));
          });
        },
        [&](Range range, MatrixView sum, MatrixRef some) {
          for (Index i = 0; i < some.rows(); ++i) std::fill_n(some.row(i), columns, 0.0);
          for_each_entry(range, [&](Index i, Index k, double value) {
            simd::add_scaled(value, sum.row(k), columns, some.row(i));
          });
        });
  }

 private:
  Points points_;  // whose rows these are
  const SparseMatrix& rows_;
  Tiling blocks_;
};

}  // namespace

std::unique_ptr<const FeatureProducts> FeatureProducts::of(const Kernel& k, const Points& x, const Execution& how) {
  const SparseMatrix* const sparse = sparse_rows(x);
  if (sparse != nullptr && k.str() == "linear()") {
    auto out = std::make_unique<SparseProducts>(x, *sparse);
    return out->finite() ? std::move(out) : nullptr;
  }
  const Index features = feature_count(k, x);
  if (features < 1 || features > x.size() / kFew) return nullptr;
  auto out = std::make_unique<DenseProducts>(k, x, features);
  return out->prepare(how) ? std::move(out) : nullptr;
}

}  // namespace mercer::detail
