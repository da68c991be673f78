// f is the coordinates of a point, in which classes have about unit spread; the readout has for each class its mean
// and, last, the logarithm of its prior. z.m_c - |m_c|^2/2 + log prior differ from log (prior N(z; m_c, I)) by the same
// number for all classes, so that the largest is the nearest mean where the priors are equal. The scores are these less
// what makes them logarithms of probabilities, so that those of different points compare.
#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "linalg/lapack.hpp"
#include "model/readings.hpp"

namespace mercer {

namespace {

std::string means_fault(const ModelParts& parts) {
  const auto classes = static_cast<Index>(parts.classes.size());
  const Matrix& means = parts.readout;
  if (classes < 2) return fmt::format("{} classes for the reading class_means", classes);
  if (means.rows() != classes || means.cols() != parts.f.outputs() + 1) {
    return fmt::format("{} x {} numbers for the means of {} classes in {} coordinates", means.rows(), means.cols(),
                       classes, parts.f.outputs());
  }
  if (!std::all_of(means.data(), means.data() + means.rows() * means.cols(),
                   [](double v) { return std::isfinite(v); })) {
    return "the mean of a class is not finite";
  }
  return "";
}

void against_means(const ModelParts& parts, Matrix& f) {
  const Index D = f.cols(), classes = parts.readout.rows();
  const MatrixView means = parts.readout.view().block({0, classes}, {0, D});
  Matrix out = Matrix::uninitialized(f.rows(), classes);
  linalg::multiply_transposed(1, f, means, 0, out);
  for (Index c = 0; c < classes; ++c) {
    double square = 0;
    for (Index d = 0; d < D; ++d) square += means(c, d) * means(c, d);
    for (Index i = 0; i < out.rows(); ++i) out(i, c) += parts.readout(c, D) - square / 2;
  }
  for (Index i = 0; i < out.rows(); ++i) {
    double* const row = out.row(i);
    const double most = *std::max_element(row, row + classes);
    double sum = 0;
    for (Index c = 0; c < classes; ++c) sum += std::exp(row[c] - most);
    for (Index c = 0; c < classes; ++c) row[c] -= most + std::log(sum);
  }
  f = std::move(out);
}

constexpr Reading::Row kClassMeans{.name = "class_means",
                                   .gives = Reading::Gives::classes,
                                   .fault = means_fault,
                                   .scores = against_means,
                                   .answers = detail::largest,
                                   .probabilities = detail::softmax,
                                   .score_names = detail::class_names,
                                   .answer_names = detail::target_name,
                                   .output_names = detail::coordinate_names};

}  // namespace

constinit const Reading Reading::class_means{kClassMeans};

}  // namespace mercer
