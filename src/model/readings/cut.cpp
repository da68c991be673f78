// One output per cluster, s_c(x) = sum_i w_i k(x_i, x) over its points. With d(x) = sum_c s_c(x), the degree of x, and
// phi(x) / d(x) for its place, the squared distance from the centre of cluster c is
//     k(x,x) / d(x)^2 - 2 s_c(x) / (d(x) D_c) + q_c
// The scores leave out the first term, which all clusters have. The readout has a row of D_c and q_c for each: the
// degrees of its points added up, and the square of its centre. Where d(x) is not above 0 (x is like no point) the
// terms with s are left out too.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "model/readings.hpp"

namespace mercer {

namespace {

std::string fault(const ModelParts& parts) {
  const Matrix& readout = parts.readout;
  const auto clusters = static_cast<Index>(parts.classes.size());
  if (readout.rows() != clusters || readout.cols() != 2) {
    return fmt::format("a readout of {} x {} numbers for {} clusters", readout.rows(), readout.cols(), clusters);
  }
  for (Index c = 0; c < clusters; ++c) {
    if (!(readout(c, 0) > 0) || !std::isfinite(readout(c, 0)) || !std::isfinite(readout(c, 1))) {
      return fmt::format("cluster {} has a degree of {}", c + 1, readout(c, 0));
    }
  }
  return detail::wrong_classes(parts, 1, clusters);
}

void to_distances(const ModelParts& parts, Matrix& f) {
  for (Index i = 0; i < f.rows(); ++i) {
    double degree = 0;
    for (Index c = 0; c < f.cols(); ++c) degree += f(i, c);
    for (Index c = 0; c < f.cols(); ++c) {
      const double inner = degree > 0 ? f(i, c) / degree / parts.readout(c, 0) : 0;
      f(i, c) = parts.readout(c, 1) - 2 * inner;
    }
  }
}

constexpr Reading::Row kCut{.name = "cut",
                            .gives = Reading::Gives::clusters,
                            .fault = fault,
                            .scores = to_distances,
                            .answers = detail::smallest,
                            .score_names = detail::class_names,
                            .answer_names = detail::cluster_name};

}  // namespace

constinit const Reading Reading::cut{kCut};

}  // namespace mercer
