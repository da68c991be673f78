// One output per cluster: the squared distance from its centre. The nearest is the answer.
#include <algorithm>

#include "base/at.hpp"
#include "model/readings.hpp"

namespace mercer {

namespace {

std::string fault(const ModelParts& parts) {
  return detail::wrong_classes(parts, 1, static_cast<Index>(parts.classes.size()));
}

Matrix nearest(const ModelParts&, MatrixView distances) {
  Matrix out = Matrix::uninitialized(distances.rows(), 1);
  for (Index i = 0; i < out.rows(); ++i) {
    const double* const row = distances.row(i);
    out(i, 0) = static_cast<double>(std::min_element(row, row + distances.cols()) - row);
  }
  return out;
}

std::vector<std::string> cluster(const ModelParts&) { return {"cluster"}; }

constexpr Reading::Row kClusters{.name = "clusters",
                                 .gives = Reading::Gives::clusters,
                                 .fault = fault,
                                 .scores = nullptr,
                                 .answers = nearest,
                                 .probabilities = nullptr,
                                 .score_names = detail::class_names,
                                 .answer_names = cluster,
                                 .from_kernel = nullptr};

}  // namespace

constinit const Reading Reading::clusters{kClusters};

}  // namespace mercer
