#include "domains/bags/row.hpp"

#include "kernel/rows.hpp"

namespace mercer::detail {

using namespace row;

DomainRow bags_domain() {
  return {.kind = "bags", .kernels = bag_kernels, .loads = {{"bags", load_bags}}, .sample = sample_bags};
}

DomainRow gaussians_domain() {
  return {.kind = "gaussians",
          .kernels = distribution_kernels,
          .loads = {{"gaussians", load_gaussians}},
          .sample = sample_gaussians};
}

// clang-format off
std::vector<Entry> bag_kernels() {
  return {
      {"mean_embedding", rule, "bags", {premise()}, "the mean of k(a, b) over a in x and b in y",
       "k any kernel on the elements of the bags; no bag is empty",
       "the inner product of the means of the feature vectors of the two bags",
       "Gartner, Flach, Kowalczyk & Smola 2002; Smola, Gretton, Song & Scholkopf 2007", "mean_embedding(rbf(ell=1))",
       emit_mean_embedding, nullptr, Heuristic::none, bags_of, elements_of_bags},
  };
}

std::vector<Entry> distribution_kernels() {
  const std::string takes = "Gaussians with their covariances + ridge I; bags, by the Gaussian of mean and shrunk covariance "
                            "(Chen et al. 2010); or histograms, rows >= 0 divided by their sums (0: the value 0)";
  const std::string because = "an inner product of the functions p^rho and q^rho";
  return {
      {"bhattacharyya", axiom, "gaussians", {nonnegative("ridge", 0)}, "the integral of sqrt(p q)", takes,
       "an inner product of the functions sqrt(p) and sqrt(q)", "Bhattacharyya 1943; Kondor & Jebara 2003",
       "bhattacharyya()", emit_bhattacharyya, nullptr, Heuristic::none, any_distribution},
      {"expected_likelihood", axiom, "gaussians", {nonnegative("ridge", 0)}, "the integral of p q", takes,
       "an inner product of the densities p and q", "Jebara, Kondor & Howard 2004", "expected_likelihood()",
       emit_expected_likelihood, nullptr, Heuristic::none, any_distribution},
      {"probability_product", axiom, "gaussians", {positive("rho", 0.5), nonnegative("ridge", 0)},
       "the integral of p^rho q^rho", "rho > 0; " + takes, because, "Jebara, Kondor & Howard 2004",
       "probability_product(rho=0.7)", emit_probability_product, nullptr, Heuristic::none, any_distribution},
  };
}
// clang-format on

}  // namespace mercer::detail
