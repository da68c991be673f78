// f is the coordinates of a point; the readout a mixture of Gaussians there (model/gaussians.hpp). Scores are the
// logarithms of shares times densities, and the likeliest component is the answer.
#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "model/gaussians.hpp"
#include "model/readings.hpp"

namespace mercer {

namespace {

std::string mixture_fault(const ModelParts& parts) {
  const Index D = parts.f.outputs(), k = static_cast<Index>(parts.classes.size());
  const Matrix& mixture = parts.readout;
  if (k < 1) return "a mixture of no components";
  if (mixture.rows() != k || mixture.cols() != detail::gaussian_width(D)) {
    return fmt::format("{} x {} numbers for a mixture of {} Gaussians in {} coordinates", mixture.rows(),
                       mixture.cols(), k, D);
  }
  for (Index c = 0; c < k; ++c) {
    if (!(mixture(c, 0) > 0) || !std::all_of(mixture.row(c), mixture.row(c) + mixture.cols(),
                                             [](double value) { return std::isfinite(value); })) {
      return fmt::format("component {} of the mixture is none: its share must be above 0, its numbers finite", c + 1);
    }
  }
  return "";
}

void log_joint(const ModelParts& parts, Matrix& f) { f = detail::log_joint(parts.readout, f); }

std::vector<std::string> component(const ModelParts&) { return {"component"}; }

constexpr Reading::Row kMixture{.name = "mixture",
                                .gives = Reading::Gives::clusters,
                                .fault = mixture_fault,
                                .scores = log_joint,
                                .answers = detail::largest,
                                .probabilities = detail::softmax,
                                .score_names = detail::class_names,
                                .answer_names = component,
                                .output_names = detail::coordinate_names};

}  // namespace

constinit const Reading Reading::mixture{kMixture};

}  // namespace mercer
