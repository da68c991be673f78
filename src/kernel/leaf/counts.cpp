// Kernels on categories, counts and histograms.
#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "kernel/leaves.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

namespace {

// Points of any kind by numbers: equal points have equal ones.
struct CategorySide final : Side {
  std::shared_ptr<const Side> select(std::span<const Index> which) const override {
    auto out = std::make_shared<CategorySide>();
    out->rows = static_cast<Index>(which.size());
    for (const Index i : which) out->categories.push_back(categories[at(i)]);
    return out;
  }
  std::vector<Index> categories;
};

// In the order that the content of the points decides, equal ones are neighbours.
std::vector<Index> categories_of(const Points& x) {
  x.rep().require_finite();
  std::vector<Index> order(at(x.size())), out(order.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return x.rep().compare(a, b) < 0; });
  Index category = 0;
  for (std::size_t r = 0; r < order.size(); ++r) {
    category += r > 0 && x.rep().compare(order[r - 1], order[r]) != 0 ? 1 : 0;
    out[at(order[r])] = category;
  }
  return out;
}

class EqualEdge final : public EdgeOn<CategorySide> {
 public:
  Sides prepare(const PointsPair& points) const override {
    if (points.x.domain().kind == "reals") require_same_width(points, "equal()");
    const Index n = points.x.size();
    const std::vector<Index> all = categories_of(points.same() ? points.x : points.x.rep().join(points.y.rep()));
    const auto side = [&](Range range) {
      auto out = std::make_shared<CategorySide>();
      out->rows = range.size();
      out->cols = std::max<Index>(0, points.x.domain().dimension);
      out->categories.assign(all.begin() + range.begin, all.begin() + range.end);
      return out;
    };
    const auto x = side({0, n});
    return {x, points.same() ? x : side({n, n + points.y.size()})};
  }

 private:
  void pairs(const CategorySide& x, const CategorySide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    for (Index a = 0; a < i.size(); ++a) {
      const Index own = x.categories[at(i.begin + a)];
      for (Index b = 0; b < j.size(); ++b) out(a, b) = own == y.categories[at(j.begin + b)] ? 1 : 0;
    }
  }
  void selves(const CategorySide&, Range i, double* out) const override { std::fill_n(out, i.size(), 1.0); }
  // Flat wherever it has a derivative.
  void pull_pairs(const CategorySide&, const CategorySide&, Range i, Range j, MatrixView, const EdgeGradient& to,
                  Scratch&) const override {
    for (Index a = 0; a < i.size() && !to.gx.empty(); ++a) std::fill_n(to.gx.row(a), to.gx.cols(), 0.0);
    for (Index b = 0; b < j.size() && !to.gy.empty(); ++b) std::fill_n(to.gy.row(b), to.gy.cols(), 0.0);
  }
  void pull_selves(const CategorySide&, Range, const double*, const EdgeGradient&) const override {}
};

}  // namespace

Value emit_equal(const Site& site, Emitter& e) {
  return {.factors = {e.edge(site.view, std::make_shared<EqualEdge>(), "equal")}, .bound = 1};
}

Value emit_hamming(const Site& site, Emitter& e) {
  return {.factors = {e.edge(site.view, equal_columns_edge("hamming()"), "equal columns")}, .bound = 1};
}

Value emit_tanimoto(const Site& site, Emitter& e) {
  const std::string who = "tanimoto()";
  const Emitter::Ends squares = e.vertex(site.view, squared_norm_vertex(who), "squared norm");
  return {.factors = {e.op(tanimoto_op(e.dot(site.view, who), squares.x, squares.y))}, .bound = 1};
}

Value emit_chi2(const Site& site, Emitter& e) {
  const ParamRef gamma = site.param("gamma");
  const View checked = e.through(site.view, nonnegative_step("chi2()"), "nonnegative");
  const Slot distance = e.edge(checked, chi2_edge("chi2()"), "chi2");
  return {.exponents = {{distance, {-gamma.value, {{gamma.at, -1}}}}}, .bound = 1, .one_for_equals = true};
}

}  // namespace mercer::detail
