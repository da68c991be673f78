// Readings whose answers are numbers.
#include <cmath>

#include "base/fail.hpp"
#include "model/readings.hpp"

namespace mercer {

namespace {

using detail::coordinate_names;
using detail::counted_names;
using detail::target_names;
using detail::unchanged;
using detail::wrong_outputs;
using Gives = Reading::Gives;

std::string one_output(const ModelParts& parts) { return wrong_outputs(parts, 1); }
std::vector<std::string> targets_of(const ModelParts& parts) { return target_names(parts, parts.f.outputs()); }

constexpr Reading::Row kValue{.name = "value",
                              .gives = Gives::numbers,
                              .answers = unchanged,
                              .score_names = targets_of,
                              .answer_names = targets_of};

// ---- ratio ----

std::string two_outputs(const ModelParts& parts) {
  return parts.f.outputs() < 2 ? wrong_outputs(parts, 2) : std::string();
}

Matrix divided(const ModelParts&, MatrixView scores) {
  Matrix out(scores.block({0, scores.rows()}, {0, scores.cols() - 1}));
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) /= scores(i, out.cols());
  }
  return out;
}

std::vector<std::string> numerators(const ModelParts& parts) { return target_names(parts, parts.f.outputs() - 1); }
std::vector<std::string> numerators_and_weight(const ModelParts& parts) {
  std::vector<std::string> out = numerators(parts);
  out.emplace_back("weight");
  return out;
}

constexpr Reading::Row kRatio{.name = "ratio",
                              .gives = Gives::numbers,
                              .fault = two_outputs,
                              .answers = divided,
                              .score_names = numerators_and_weight,
                              .answer_names = numerators};

// ---- density ----

// f integrates to 1 over scaled inputs; over the inputs themselves, f times what scaling makes of a volume.
void to_own_units(const ModelParts& parts, Matrix& density) {
  const double volume = parts.scaling.volume();
  if (!std::isnormal(volume)) {
    fail(ErrorKind::numeric, "density: in the units of the inputs it is beyond floating point; rescale the inputs");
  }
  for (Index i = 0; i < density.rows(); ++i) {
    density(i, 0) *= volume;
    if (std::isinf(density(i, 0))) {
      fail(ErrorKind::numeric, "density: row {} is beyond floating point; rescale the inputs", i + 1);
    }
  }
}

constexpr Reading::Row kDensity{.name = "density",
                                .gives = Gives::numbers,
                                .fault = one_output,
                                .scores = to_own_units,
                                .answers = unchanged,
                                .score_names = targets_of,
                                .answer_names = targets_of};

// ---- novelty ----

Matrix signs(const ModelParts&, MatrixView scores) {
  Matrix out(scores);
  for (Index i = 0; i < out.rows(); ++i) out(i, 0) = out(i, 0) >= 0 ? 1 : -1;
  return out;
}

bool sign_settled(const ModelParts&, const double* f, double error) { return *f - error >= 0 || *f + error < 0; }

constexpr Reading::Row kNovelty{.name = "novelty",
                                .gives = Gives::numbers,
                                .fault = one_output,
                                .answers = signs,
                                .score_names = targets_of,
                                .answer_names = targets_of,
                                .settled = sign_settled};

// ---- coordinates ----

constexpr Reading::Row kEmbedding{.name = "embedding",
                                  .gives = Gives::numbers,
                                  .answers = unchanged,
                                  .score_names = coordinate_names,
                                  .answer_names = coordinate_names};

Matrix without_last(const ModelParts&, MatrixView scores) {
  return Matrix(scores.block({0, scores.rows()}, {0, scores.cols() - 1}));
}

std::vector<std::string> coordinates(const ModelParts& parts) {
  return counted_names("component", parts.f.outputs() - 1);
}
std::vector<std::string> coordinates_and_distance(const ModelParts& parts) {
  std::vector<std::string> out = coordinates(parts);
  out.emplace_back("squared_distance");
  return out;
}

constexpr Reading::Row kProjection{.name = "projection",
                                   .gives = Gives::numbers,
                                   .fault = two_outputs,
                                   .answers = without_last,
                                   .score_names = coordinates_and_distance,
                                   .answer_names = coordinates};

}  // namespace

constinit const Reading Reading::value{kValue}, Reading::ratio{kRatio}, Reading::density{kDensity},
    Reading::novelty{kNovelty}, Reading::embedding{kEmbedding}, Reading::projection{kProjection};

}  // namespace mercer
