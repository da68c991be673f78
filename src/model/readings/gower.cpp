// Coordinates of points that are given by their distances d from the centres: f of the numbers -d^2/2. The alphas of
// each output add to 0, so that this does as well as the inner products (Gower, Biometrika 55, 1968).
#include "base/fail.hpp"
#include "linalg/lapack.hpp"
#include "model/readings.hpp"

namespace mercer {

namespace {

Matrix from_distances(const ModelParts& parts, MatrixView distances, VectorView) {
  Matrix halved(distances);
  for (Index i = 0; i < halved.rows(); ++i) {
    for (Index j = 0; j < halved.cols(); ++j) {
      const double d = halved(i, j);
      if (d < 0)
        fail(ErrorKind::data, "distances: row {}, column {} is {}, and a distance is not below 0", i + 1, j + 1, d);
      halved(i, j) = -0.5 * d * d;
    }
  }
  const Expansion::Parts& f = parts.f.parts();
  Matrix out(halved.rows(), f.alpha.cols());
  linalg::multiply(1, halved, f.alpha, 0, out);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) += f.bias[static_cast<std::size_t>(j)];
  }
  return out;
}

std::string fault(const ModelParts& parts) {
  return parts.f.parts().bias.empty() ? "coordinates from distances need an offset each" : "";
}

constexpr Reading::Row kGower{.name = "gower",
                              .gives = Reading::Gives::numbers,
                              .fault = fault,
                              .answers = detail::unchanged,
                              .score_names = detail::coordinate_names,
                              .answer_names = detail::coordinate_names,
                              .from_kernel = from_distances};

}  // namespace

constinit const Reading Reading::gower{kGower};

}  // namespace mercer
