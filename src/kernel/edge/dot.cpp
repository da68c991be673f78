// x.y
#include <algorithm>

#include "base/at.hpp"
#include "kernel/edge/rows.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

namespace {

class DotProduct final : public EdgeOn<RealSide> {
 public:
  explicit DotProduct(std::string who) : who_(std::move(who)) {}

  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, who_, true, [](RealSide& side, const RealSide&) { pack_plain(side); });
  }
  void pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, Scratch& scratch) const override {
    if (x.sparse) {
      sparse_dots(x, y, i, j, out, scratch.sparse);
    } else {
      packed_tile(simd::Pairing::dot, x, y, i, j, out);
    }
  }
  void selves(const RealSide& side, Range i, double* out) const override {
    std::copy_n(side.squared_norms.begin() + i.begin, i.size(), out);
  }
  void pull_pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch&) const override {
    if (x.sparse) return weigh_sparse(x, y, i, j, v, to.gx, to.gy);
    linalg::multiply(1, v, y.dense.block(j, {0, y.cols}), 0, to.gx);
    linalg::multiply_left_transposed(1, v, x.dense.block(i, {0, x.cols}), 0, to.gy);
  }
  bool pull_entries(const Side& one, const Side& other, Range i, Range j, MatrixView v, Vector& gx,
                    Vector& gy) const override {
    const auto &x = static_cast<const RealSide&>(one), &y = static_cast<const RealSide&>(other);
    if (!x.sparse) return false;
    weigh_entries(x, y, i, j, v, false, 1, gx);
    weigh_entries(y, x, j, i, v, true, 1, gy);
    return true;
  }
  void pull_selves(const RealSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    for (Index a = 0; a < i.size(); ++a) {
      if (side.sparse) {
        add_sparse_row(2 * v[a], sparse_row(side, i.begin + a), to.gx.row(a));
      } else {
        simd::add_scaled(2 * v[a], side.dense.row(i.begin + a), at(to.gx.cols()), to.gx.row(a));
      }
    }
  }

 private:
  std::string who_;
};

}  // namespace

std::shared_ptr<const Edge> dot_edge(const std::string& who) { return std::make_shared<DotProduct>(who); }

}  // namespace mercer::detail
