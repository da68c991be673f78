// One output per cluster, s_c(x) = sum_i w_i k(x_i, x) over its points. With d(x) = sum_c s_c(x), the degree of x, and
// phi(x) / d(x) for its place, the squared distance from the centre of cluster c is
//     k(x,x) / d(x)^2 - 2 s_c(x) / (d(x) D_c) + q_c
// The scores leave out the first term, which all clusters have. The readout has a row of D_c and q_c for each: the
// degrees of its points added up, and the square of its centre. Where d(x) is not above 0 (x is like no point) the
// terms with s are left out too.
//
// `neighbour_cut` has what joins x with the training points (model/neighbourhood.hpp) in the place of k(x_i, x). Its
// readout is a column: the number of neighbours; D_c of each cluster, then q_c; k(x_i, x_i) of each centre, then its
// reach.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "model/neighbourhood.hpp"
#include "model/readings.hpp"

namespace mercer {

namespace {

std::string cut_fault(const ModelParts& parts) {
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

// In place: of s_c(x).
void to_distances(double* s, const double* degrees, const double* squares, Index clusters, Index stride) {
  double degree = 0;
  for (Index c = 0; c < clusters; ++c) degree += s[c];
  for (Index c = 0; c < clusters; ++c) {
    const double inner = degree > 0 ? s[c] / degree / degrees[c * stride] : 0;
    s[c] = squares[c * stride] - 2 * inner;
  }
}

void to_distances(const ModelParts& parts, Matrix& f) {
  const double* const readout = parts.readout.data();
  for (Index i = 0; i < f.rows(); ++i) to_distances(f.row(i), readout, readout + 1, f.cols(), 2);
}

std::vector<std::string> likenesses(const ModelParts& parts) {
  std::vector<std::string> out;
  for (const std::string& cluster : parts.classes) out.push_back("likeness to " + cluster);
  return out;
}

constexpr Reading::Row kCut{.name = "cut",
                            .gives = Reading::Gives::clusters,
                            .fault = cut_fault,
                            .scores = to_distances,
                            .answers = detail::smallest,
                            .score_names = detail::class_names,
                            .answer_names = detail::cluster_name,
                            .output_names = likenesses};

struct Neighbourhood {
  Index clusters, centres;
  const double *count, *degrees, *squares, *own, *reach;

  explicit Neighbourhood(const ModelParts& parts)
      : clusters(static_cast<Index>(parts.classes.size())),
        centres(parts.f.size()),
        count(parts.readout.data()),
        degrees(count + 1),
        squares(degrees + clusters),
        own(squares + clusters),
        reach(own + centres) {}
};

std::string neighbour_fault(const ModelParts& parts) {
  const Matrix& readout = parts.readout;
  const Neighbourhood known(parts);
  if (readout.rows() != 1 + 2 * known.clusters + 2 * known.centres || readout.cols() != 1) {
    return fmt::format("a readout of {} x {} numbers for {} clusters of {} points", readout.rows(), readout.cols(),
                       known.clusters, known.centres);
  }
  if (!std::all_of(readout.data(), readout.data() + readout.rows(), [](double x) { return std::isfinite(x); })) {
    return "a readout with numbers that are not finite";
  }
  if (!(*known.count >= 1 && *known.count <= 1e15)) return fmt::format("{} neighbours", *known.count);
  for (Index c = 0; c < known.clusters; ++c) {
    if (!(known.degrees[c] > 0)) return fmt::format("cluster {} has a degree of {}", c + 1, known.degrees[c]);
  }
  return detail::wrong_classes(parts, 1, known.clusters);
}

Matrix neighbour_scores(const ModelParts& parts, MatrixView k, VectorView self) {
  if (self.empty() && k.rows() > 0) {
    fail(ErrorKind::usage, "predict: distances from the training points need k(x, x) too: one more column, the last");
  }
  const Neighbourhood known(parts);
  const Matrix& alpha = parts.f.parts().alpha;
  Matrix out(k.rows(), known.clusters);
  Vector squared(at(known.centres));
  for (Index r = 0; r < k.rows(); ++r) {
    for (Index i = 0; i < known.centres; ++i) {
      squared[at(i)] = std::max(0.0, self[at(r)] + known.own[i] - 2 * k(r, i));
    }
    const double reach = detail::reach_of(squared, static_cast<Index>(*known.count));
    for (Index i = 0; i < known.centres; ++i) {
      const double common = detail::joined(squared[at(i)], reach, known.reach[i]);
      for (Index c = 0; common > 0 && c < known.clusters; ++c) out(r, c) += common * alpha(i, c);
    }
    to_distances(out.row(r), known.degrees, known.squares, known.clusters, 1);
  }
  return out;
}

constexpr Reading::Row kNeighbourCut{.name = "neighbour cut",
                                     .gives = Reading::Gives::clusters,
                                     .fault = neighbour_fault,
                                     .answers = detail::smallest,
                                     .score_names = detail::class_names,
                                     .answer_names = detail::cluster_name,
                                     .from_kernel = neighbour_scores};

}  // namespace

constinit const Reading Reading::cut{kCut}, Reading::neighbour_cut{kNeighbourCut};

}  // namespace mercer
