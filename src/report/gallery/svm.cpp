// Support vector machines over the width of the kernel.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "mercer/machines.hpp"
#include "report/catalog.hpp"
#include "report/gallery/sections.hpp"

namespace mercer::report::gallery {

namespace {

struct Moons {
  Matrix x;
  std::vector<std::string> names;
};
Moons moons(Index n, std::uint64_t seed) {
  Random random(seed);
  Moons out{Matrix(n, 2), {}};
  for (Index i = 0; i < n; ++i) {
    const bool upper = i % 2 == 0;
    const double angle = std::numbers::pi * random.uniform();
    out.x(i, 0) = (upper ? std::cos(angle) : 1 - std::cos(angle)) + 0.2 * random.normal();
    out.x(i, 1) = (upper ? std::sin(angle) : 0.5 - std::sin(angle)) + 0.2 * random.normal();
    out.names.emplace_back(upper ? "upper" : "lower");
  }
  return out;
}

}  // namespace

Json support_vectors() {
  const Moons data = moons(120, 2);
  const Points x = named(rows(Matrix(data.x)), {"x1", "x2"});
  const Labels labels = Labels::from(data.names);
  const std::vector<std::string> wanted = {"regions"};
  std::vector<Exhibit> shown;
  for (const double sigma : {0.1, 0.4, 2.0}) {
    const Model model =
        fit("svc", {{"C", "10"}}, {.K = lazy(parse(fmt::format("rbf(ell={})", sigma)), x), .labels = labels});
    Subject subject{.model = model, .x = x};
    subject.labels = labels;
    subject.fitted_to = true;
    for (Exhibit& made : exhibits_of(subject, wanted)) {
      made.id = fmt::format("regions_{}", shown.size() + 1);
      made.title = fmt::format("sigma = {}", sigma);
      made.finding = fmt::format(
          "{} of {} points are support vectors, ringed by their weight. {}", model.support().size(), x.size(),
          sigma < 0.2   ? "Narrow bells: nearly every point is needed, and the border follows single points."
          : sigma < 1.0 ? "A width like that of the moons: a smooth border between them."
                        : "Wide bells: nearly a straight border.");
      shown.push_back(std::move(made));
    }
  }
  return section(
      "support_vectors", "Support vector machines: the border with the widest margin",
      {"Two moons, C = 10, and Gaussian kernels of three widths. The full line is the border f(x) = 0, the dashed "
       "ones are the margins f(x) = -1 and 1; only points on the margins or beyond carry weight."},
      shown);
}

}  // namespace mercer::report::gallery
