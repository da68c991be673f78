// Ridge regression with polynomial and Gaussian kernels: too stiff, right, too soft.
#include <fmt/format.h>

#include "base/at.hpp"
#include "mercer/machines.hpp"
#include "report/gallery/sections.hpp"

namespace mercer::report::gallery {

namespace {

struct Shown {
  std::string title, kernel, note;
};

Exhibit fits(const std::string& id, const std::string& title, const std::string& finding, const Noisy& data,
             const std::vector<Shown>& all) {
  const Vector at = grid(0, 1, 201);
  Matrix y(static_cast<Index>(data.y.size()), 1);
  for (Index i = 0; i < y.rows(); ++i) y(i, 0) = data.y[mercer::at(i)];
  Json panels = Json::array();
  for (const Shown& shown : all) {
    const Model model = fit("ridge", {{"ridge", "1e-3"}}, {.K = lazy(parse(shown.kernel), line(data.x)), .y = y});
    Json one = curve(at, {{"label", "y"}, {"domain", {-1.8, 1.8}}});
    add_line(one, "fit", model.predict(line(at)));
    add_points(one, data.x, data.y);
    panels.push_back({{"title", shown.title}, {"note", shown.note}, {"curve", one}});
  }
  return {id, "curves", title, finding, {{"panels", panels}, {"sharedY", true}, {"columns", 3}}};
}

}  // namespace

Json ridge_fits() {
  const Noisy data = noisy_sine(25, 7);
  return section(
      "ridge", "Ridge regression: the kernel decides what fits",
      {"25 points of sin(2 pi x) with noise. The same machine, the same penalty (ridge 0.001), other kernels."},
      {fits("polynomials", "Polynomials of growing degree",
            "Degree 1 cannot bend, degree 3 follows the sine, degree 15 begins to follow the noise at the ends.", data,
            {{"degree 1", "(1 + linear())^1", "too stiff"},
             {"degree 3", "(1 + linear())^3", "about right"},
             {"degree 15", "(1 + linear())^15", "restless"}}),
       fits("widths", "Gaussian kernels of shrinking width",
            "Wide bells give nearly a line, narrow ones a peak at every point and nothing between.", data,
            {{"ell = 2", "rbf(ell=2)", "too stiff"},
             {"ell = 0.2", "rbf(ell=0.2)", "about right"},
             {"ell = 0.01", "rbf(ell=0.01)", "learns the points by heart"}})});
}

}  // namespace mercer::report::gallery
