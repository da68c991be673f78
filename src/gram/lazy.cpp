// A Gram that keeps nothing but its prepared points, few features of them, and k(x, x) of objects.
#include <algorithm>
#include <optional>

#include "base/at.hpp"
#include "base/once.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "gram/feature_products.hpp"
#include "gram/symmetric_product.hpp"
#include "kernel/all_pairs.hpp"
#include "kernel/tiling.hpp"
#include "mercer/error.hpp"
#include "mercer/gram.hpp"
#include "points/rep.hpp"
#include "state_space/sums.hpp"

namespace mercer {

namespace {

using detail::AllPairs;
using detail::Bound;
using detail::Scratch;

// As many points are prepared once and for all; of more, what is asked for.
constexpr Index kFew = 4096;

class Lazy final : public GramSource {
 public:
  Lazy(Kernel k, Points x) : kernel_(std::move(k)), points_(std::move(x)) {
    // What does not fit is refused now, and not when it is first needed.
    if (points_.domain().kind == "reals") require_finite(points_);
    const Points one = points_.slice({0, std::min<Index>(1, size())});
    try {
      Bound(kernel_, one, one);
    } catch (const Error&) {
      const Bound all(kernel_, points_, points_);  // says the same of the whole, whose rows users count
      throw;
    }
  }

  Index size() const override { return points_.size(); }

  void diagonal(VectorRef out) const override {
    if (points_.domain().kind == "reals") return compute_diagonal(out);
    diagonal_once_([&] {
      Vector made(at(size()));
      compute_diagonal(made);
      diagonal_ = std::move(made);
    });
    std::copy(diagonal_.begin(), diagonal_.end(), out.begin());
  }

  void rows(std::span<const Index> which, MatrixRef out, const Execution& how) const override {
    const Stage stage("rows");
    const Bound some = bound().select_rows(which);
    const std::vector<Tiling::Pair> tiles =
        all_pairs(Tiling(static_cast<Index>(which.size()), how.tile), Tiling(size(), 4 * how.tile));
    const int threads = thread_count(how.threads);
    std::vector<Scratch> scratch(at(threads));
    parallel_for(static_cast<Index>(tiles.size()), threads, how.monitor, "rows", [&](Index t, int thread) {
      const auto [i, j] = tiles[at(t)];
      const double* tile = some.tile(i, j, scratch[at(thread)]);
      for (Index a = 0; a < i.size(); ++a) std::copy_n(tile + a * j.size(), j.size(), out.row(i.begin + a) + j.begin);
    });
    // k(x,x) is computed as such here too, so that rows, diagonal and gram agree to the last bit.
    Vector own(1);
    Scratch diagonal;
    for (std::size_t r = 0; r < which.size(); ++r) {
      bound().diagonal({which[r], which[r] + 1}, own.data(), diagonal);
      out(static_cast<Index>(r), which[r]) = own.front();
    }
  }

  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    if (const auto* const few = by_features(how)) return few->multiply(v, out, how);
    if (auto lines = state_space::shorter_way(kernel_, points_)) {
      const Matrix found = state_space::SumsAlongLines(std::move(*lines), points_, v).at_points(points_, how);
      for (Index i = 0; i < size(); ++i) std::copy_n(found.row(i), found.cols(), out.row(i));
      return;
    }
    if (!detail::lanes_fit(size(), v.cols())) return mercer::multiply(kernel_, points_, points_, v, out, how);
    const Stage stage("rows");
    std::vector<Scratch> scratch(at(thread_count(how.threads)));
    const Bound& prepared = bound();
    detail::symmetric_product(Tiling(size(), how.tile), v, out, how,
                              [&](Range i, Range j, int thread) { return prepared.tile(i, j, scratch[at(thread)]); });
  }

  void fill(MatrixRef out, const Execution& how) const override { pairs().gram(out, how); }
  Vector gradient(const WeightTile& weights, const Execution& how) const override {
    return pairs().gradient(weights, how);
  }

  GramKind kind() const override { return GramKind::kernel; }
  std::optional<Kernel> kernel() const override { return kernel_; }
  std::optional<Points> points() const override { return points_; }

 private:
  // Prepared when first needed: some solvers take the points themselves.
  const AllPairs& pairs() const {
    once_([&] { pairs_.emplace(kernel_, points_); });
    return *pairs_;
  }
  const Bound& bound() const { return pairs().bound(); }
  const detail::FeatureProducts* by_features(const Execution& how) const {
    features_once_([&] { features_ = detail::FeatureProducts::of(kernel_, points_, how); });
    return features_.get();
  }

  void compute_diagonal(VectorRef out) const {
    if (size() <= kFew) {
      Scratch scratch;
      bound().diagonal({0, size()}, out.data(), scratch);
      return;
    }
    const Vector all = mercer::diagonal(kernel_, points_);
    std::copy(all.begin(), all.end(), out.begin());
  }

  Kernel kernel_;
  Points points_;
  mutable Once once_;
  mutable std::optional<AllPairs> pairs_;
  mutable Once features_once_;
  mutable std::unique_ptr<const detail::FeatureProducts> features_;
  // Of objects, whose k(x,x) may cost as much as a pair: those who prepare, solve and report ask one after the other.
  mutable Once diagonal_once_;
  mutable Vector diagonal_;
};

}  // namespace

Gram lazy(const Kernel& k, const Points& x) { return Gram(std::make_shared<const Lazy>(k.resolve(x), x)); }

}  // namespace mercer
