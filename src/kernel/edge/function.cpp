// Any function of two points, on somebody's word.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

namespace {

class FunctionEdge final : public EdgeOn<RealSide> {
 public:
  FunctionEdge(std::string who, Similarity s) : who_(std::move(who)), similarity_(std::move(s)) {}

  // An asymmetric function would show in one of these pairs; those of a whole matrix are all looked at.
  Sides prepare(const PointsPair& points) const override {
    Sides sides = prepare_sides(points, who_, false, [](RealSide&, const RealSide&) {});
    const auto& x = static_cast<const RealSide&>(*sides.x);
    constexpr Index kSome = 12;
    const Index count = std::min(kSome, x.rows);
    for (Index a = 0; a < count; ++a) {
      for (Index b = 0; b < a; ++b) symmetric_value(x, a * x.rows / count, b * x.rows / count);
    }
    return sides;
  }
  void pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < j.size(); ++b) {
        out(a, b) = &x == &y ? symmetric_value(x, i.begin + a, j.begin + b) : value(x, i.begin + a, y, j.begin + b);
      }
    }
  }
  void selves(const RealSide& side, Range i, double* out) const override {
    for (Index a = 0; a < i.size(); ++a) out[a] = value(side, i.begin + a, side, i.begin + a);
  }
  void pull_pairs(const RealSide&, const RealSide&, Range, Range, MatrixView, const EdgeGradient&,
                  Scratch&) const override {
    refuse();
  }
  void pull_selves(const RealSide&, Range, const double*, const EdgeGradient&) const override { refuse(); }

 private:
  double value(const RealSide& x, Index i, const RealSide& y, Index j) const {
    const double k = similarity_({x.dense.row(i), at(x.cols)}, {y.dense.row(j), at(y.cols)});
    if (!std::isfinite(k)) fail(ErrorKind::numeric, "{}: the value at rows {} and {} is {}", who_, i + 1, j + 1, k);
    return k;
  }
  double symmetric_value(const RealSide& x, Index i, Index j) const {
    const double k = value(x, i, x, j);
    if (i == j) return k;
    const double turned = value(x, j, x, i);
    if (std::abs(k - turned) <= kRounding * std::max(std::abs(k), std::abs(turned))) return k;
    // Terms that cancel leave the rounding of numbers as large as the diagonal's.
    const double size = std::sqrt(std::abs(value(x, i, x, i) * value(x, j, x, j)));
    if (std::abs(k - turned) <= kRounding * size) return k;
    fail(ErrorKind::kernel, "{}: not symmetric: {} at rows {} and {}, {} the other way round; no kernel is that", who_,
         k, i + 1, j + 1, turned);
  }
  static constexpr double kRounding = 1e-9;
  [[noreturn]] void refuse() const {
    fail(ErrorKind::usage, "{}: an assumed kernel has no gradient with respect to the inputs", who_);
  }
  std::string who_;
  Similarity similarity_;
};

}  // namespace

std::shared_ptr<const Edge> function_edge(const std::string& who, const Similarity& s) {
  return std::make_shared<FunctionEdge>(who, s);
}

}  // namespace mercer::detail
