// Kernels between distributions: the integral of p(x)^rho q(x)^rho, for rho = 1/2 Bhattacharyya's affinity, for rho = 1
// the expected likelihood. Kept as a logarithm: densities are large and small without limit.
// Jebara, Kondor & Howard 2004.
#include <fmt/format.h>

#include "base/fail.hpp"
#include "domains/bags/bags.hpp"
#include "domains/bags/distribution_side.hpp"
#include "domains/bags/gaussians.hpp"
#include "domains/bags/row.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

class ProbabilityProductEdge final : public EdgeOn<DistributionSide> {
 public:
  explicit ProbabilityProductEdge(ProbabilityProduct product) : product_(std::move(product)) {}

  bool has_parameters() const override { return true; }

  Sides prepare(const PointsPair& points) const override {
    if (points.x.domain().kind != points.y.domain().kind) {
      fail(ErrorKind::domain, "{}: the inputs are {} and {}; both must be of one kind", product_.who,
           points.x.domain().str(), points.y.domain().str());
    }
    if (find_reals(points.x) != nullptr) return histogram_sides(product_, points);
    if (!find_objects<Gaussians>(points.x) && !find_objects<Bags>(points.x)) {
      refuse_domain(points.x, product_.who, "Gaussians, bags of rows of numbers, or histograms");
    }
    return gaussian_sides(product_, points);
  }

 private:
  void pairs(const DistributionSide& x, const DistributionSide& y, Range i, Range j, MatrixRef out,
             Scratch& scratch) const override {
    x.logs(product_, y, i, j, out, scratch);
  }
  void selves(const DistributionSide& side, Range i, double* out) const override { side.self_logs(product_, i, out); }
  void pull_pairs(const DistributionSide& x, const DistributionSide& y, Range i, Range j, MatrixView v,
                  const EdgeGradient& to, Scratch& scratch) const override {
    x.pull(product_, y, i, j, v, to.parameters, scratch);
  }
  void pull_selves(const DistributionSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    side.pull_selves(product_, i, v, to.parameters);
  }

  ProbabilityProduct product_;
};

Value emit_product(ProbabilityProduct product, const Site& site, Emitter& e) {
  product.who = site.node.entry->name + "()";
  const ParamRef ridge = site.param("ridge");
  product.ridge = ridge.value;
  product.ridge_at = ridge.at;
  const double bound = product.rho == 0.5 && product.rho_at < 0 ? 1 : std::numeric_limits<double>::infinity();
  const std::string key = fmt::format("probability_product{} {} {}", product.rho, product.rho_at, product.ridge_at);
  const Slot log = e.edge(site.view, std::make_shared<ProbabilityProductEdge>(std::move(product)), key);
  return {.exponents = {{log, {1.0, {}}}}, .bound = bound};
}

}  // namespace

Value emit_bhattacharyya(const Site& site, Emitter& e) { return emit_product({.rho = 0.5}, site, e); }
Value emit_expected_likelihood(const Site& site, Emitter& e) { return emit_product({.rho = 1}, site, e); }
Value emit_probability_product(const Site& site, Emitter& e) {
  const ParamRef rho = site.param("rho");
  return emit_product({.rho = rho.value, .rho_at = rho.at}, site, e);
}

// Which of the three the points are is seen when they come.
Domain any_distribution(const Node&) { return {}; }

}  // namespace mercer::detail
