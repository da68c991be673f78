// Readings of knn: the answer is what the nearest centres have, and no value of an expansion.
//
// readout holds, one below the other: the number of neighbours; 1 where a neighbour counts 1/d, else 0; and k(x_i, x_i)
// of each centre. What the coefficients are: mercer/machines/knn.hpp.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "model/readings.hpp"
#include "model/voting.hpp"

namespace mercer {

namespace {

using detail::Vote;
using detail::Voting;

constexpr Index kAhead = 2;  // numbers of the readout before those of the centres

bool by_distance(const ModelParts& parts) { return parts.readout(1, 0) != 0; }

Vector weights_of(const ModelParts& parts) {
  const Matrix& alpha = parts.f.parts().alpha;
  Vector out;
  for (Index i = 0; i < alpha.rows(); ++i) {
    // Of classes one entry is not 0; of numbers the weight is the last.
    const double* row = alpha.row(i);
    out.push_back(parts.reading->gives == Reading::Gives::classes ? *std::max_element(row, row + alpha.cols())
                                                                  : row[alpha.cols() - 1]);
  }
  return out;
}

Index scores_of(const ModelParts& parts) {
  return parts.reading->gives == Reading::Gives::classes ? parts.f.outputs() : parts.f.outputs() - 1;
}

void read(const ModelParts& parts, std::span<const Vote> votes, double* out) {
  const Matrix& alpha = parts.f.parts().alpha;
  if (parts.reading->gives == Reading::Gives::classes) return detail::class_shares(alpha, votes, out);
  detail::mean_targets(alpha, votes, out);
}

std::string fault(const ModelParts& parts) {
  const Index centres = parts.f.size();
  if (parts.readout.rows() != centres + kAhead || parts.readout.cols() != 1) {
    return fmt::format("a readout of {} x {} numbers for {} neighbours to choose from", parts.readout.rows(),
                       parts.readout.cols(), centres);
  }
  const double count = parts.readout(0, 0), votes = parts.readout(1, 0);
  if (!(count >= 1 && count <= 1e15) || count != std::floor(count) || (votes != 0 && votes != 1)) {
    return fmt::format("{} neighbours that count by the rule {}", count, votes);
  }
  const Vector weights = weights_of(parts);
  if (!std::all_of(weights.begin(), weights.end(), [](double w) { return w > 0; })) {
    return "a neighbour without weight";
  }
  if (parts.reading->gives == Reading::Gives::classes) {
    return detail::wrong_classes(parts, 2, static_cast<Index>(parts.classes.size()));
  }
  return parts.f.outputs() < 2 ? detail::wrong_outputs(parts, 2) : std::string();
}

Voting voting_of(const ModelParts& parts, const Vector& weights) {
  return Voting(weights, static_cast<Index>(parts.readout(0, 0)), by_distance(parts));
}

Matrix from_points(const ModelParts& parts, const Points& x, const Execution& how) {
  const Expansion::Parts& f = parts.f.parts();
  const Vector weights = weights_of(parts);
  Matrix out = Matrix::uninitialized(x.size(), scores_of(parts));
  const detail::Bound distances(*f.kernel, x, *f.centres, detail::Of::distance);
  detail::for_each_vote(distances, voting_of(parts, weights), {}, how,
                        [&](Index i, std::span<const Vote> votes) { read(parts, votes, out.row(i)); });
  return out;
}

Matrix from_kernel(const ModelParts& parts, MatrixView k, VectorView self) {
  const Vector weights = weights_of(parts);
  const Voting voting = voting_of(parts, weights);
  if (by_distance(parts) && self.empty() && k.rows() > 0) {
    fail(ErrorKind::usage,
         "predict: neighbours that count by their distance need k(x, x) too: one more column, the last");
  }
  const VectorView own(parts.readout.data() + kAhead, at(k.cols()));
  Matrix out = Matrix::uninitialized(k.rows(), scores_of(parts));
  parallel_for(k.rows(), thread_count(0), {}, "predict", [&](Index i, int) {
    const double square = self.empty() ? 0 : self[at(i)];
    read(parts, detail::votes_from_numbers(voting, {k.row(i), at(k.cols())}, own, square), out.row(i));
  });
  return out;
}

std::vector<std::string> target_names(const ModelParts& parts) { return detail::target_names(parts, scores_of(parts)); }

constexpr Reading::Row kClasses{.name = "nearest classes",
                                .gives = Reading::Gives::classes,
                                .fault = fault,
                                .answers = detail::largest,
                                .probabilities = detail::unchanged,
                                .score_names = detail::class_names,
                                .answer_names = detail::target_name,
                                .from_kernel = from_kernel,
                                .from_points = from_points};
constexpr Reading::Row kNumbers{.name = "nearest numbers",
                                .gives = Reading::Gives::numbers,
                                .fault = fault,
                                .answers = detail::unchanged,
                                .score_names = target_names,
                                .answer_names = target_names,
                                .from_kernel = from_kernel,
                                .from_points = from_points};

}  // namespace

constinit const Reading Reading::nearest_classes{kClasses}, Reading::nearest_numbers{kNumbers};

}  // namespace mercer
