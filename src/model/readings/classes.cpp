// Readings whose answers are classes.
#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "model/probabilities.hpp"
#include "model/readings.hpp"

namespace mercer {

namespace {

using detail::class_names;
using Gives = Reading::Gives;

Index count_of(const ModelParts& parts) { return static_cast<Index>(parts.classes.size()); }

template <Index (*choose)(const double* f, Index classes)>
Matrix chosen(const ModelParts& parts, MatrixView scores) {
  Matrix out = Matrix::uninitialized(scores.rows(), 1);
  for (Index i = 0; i < out.rows(); ++i) out(i, 0) = static_cast<double>(choose(scores.row(i), count_of(parts)));
  return out;
}

// ---- one output for two classes ----

std::string binary_fault(const ModelParts& parts) {
  if (count_of(parts) > 2) return fmt::format("{} classes for the reading binary", count_of(parts));
  return detail::wrong_classes(parts, 2, 1);
}

Index by_sign(const double* f, Index) { return *f > 0 ? 1 : 0; }
bool sign_settled(const ModelParts&, const double* f, double error) { return *f - error > 0 || *f + error <= 0; }

Matrix of_two(const ModelParts& parts, MatrixView scores) {
  Matrix out = Matrix::uninitialized(scores.rows(), 2);
  for (Index i = 0; i < scores.rows(); ++i) {
    out(i, 1) = detail::sigmoid(parts.calibration.sigmoids.front(), scores(i, 0));
    out(i, 0) = 1 - out(i, 1);
  }
  return out;
}

std::vector<std::string> positive_class(const ModelParts& parts) { return {parts.classes[1]}; }

constexpr Reading::Row kBinary{.name = "binary",
                               .gives = Gives::classes,
                               .fault = binary_fault,
                               .answers = chosen<by_sign>,
                               .probabilities = of_two,
                               .score_names = positive_class,
                               .answer_names = detail::target_name,
                               .settled = sign_settled};

// ---- one output per pair of classes ----

std::string votes_fault(const ModelParts& parts) {
  return detail::wrong_classes(parts, 2, count_of(parts) * (count_of(parts) - 1) / 2);
}

Index most_votes(const double* f, Index classes) {
  std::vector<Index> votes(at(classes), 0);
  for (Index a = 0; a < classes; ++a) {
    for (Index b = a + 1; b < classes; ++b) ++votes[at(*f++ > 0 ? a : b)];
  }
  return std::max_element(votes.begin(), votes.end()) - votes.begin();
}

// Whether one class has the most votes, the open ones going to any.
bool votes_settled(const ModelParts& parts, const double* f, double error) {
  const Index classes = count_of(parts);
  std::vector<Index> least(at(classes), 0), most(at(classes), 0);
  for (Index a = 0; a < classes; ++a) {
    for (Index b = a + 1; b < classes; ++b, ++f) {
      const bool may_be_a = *f + error > 0, may_be_b = *f - error <= 0;
      most[at(a)] += may_be_a ? 1 : 0;
      most[at(b)] += may_be_b ? 1 : 0;
      if (may_be_a != may_be_b) ++least[at(may_be_a ? a : b)];
    }
  }
  const Index winner = std::max_element(least.begin(), least.end()) - least.begin();
  for (Index c = 0; c < classes; ++c) {
    if (c != winner && (c < winner ? most[at(c)] >= least[at(winner)] : most[at(c)] > least[at(winner)])) return false;
  }
  return true;
}

Matrix coupled(const ModelParts& parts, MatrixView scores) {
  const Index k = count_of(parts);
  Matrix out(scores.rows(), k), r(k, k);
  for (Index i = 0; i < scores.rows(); ++i) {
    Index pair = 0;
    for (Index a = 0; a < k; ++a) {
      for (Index b = a + 1; b < k; ++b, ++pair) {
        r(a, b) = detail::sigmoid(parts.calibration.sigmoids[at(pair)], scores(i, pair));
        r(b, a) = 1 - r(a, b);
      }
    }
    std::ranges::copy(detail::couple(r), out.row(i));
  }
  return out;
}

std::vector<std::string> pairs_of(const ModelParts& parts) {
  std::vector<std::string> out;
  for (std::size_t a = 0; a < parts.classes.size(); ++a) {
    for (std::size_t b = a + 1; b < parts.classes.size(); ++b) {
      out.push_back(parts.classes[a] + " against " + parts.classes[b]);
    }
  }
  return out;
}

constexpr Reading::Row kVotes{.name = "votes",
                              .gives = Gives::classes,
                              .fault = votes_fault,
                              .answers = chosen<most_votes>,
                              .probabilities = coupled,
                              .score_names = pairs_of,
                              .answer_names = detail::target_name,
                              .settled = votes_settled};

// ---- one output per class ----

std::string largest_fault(const ModelParts& parts) { return detail::wrong_classes(parts, 2, count_of(parts)); }

bool largest_settled(const ModelParts& parts, const double* f, double error) {
  const Index winner = std::max_element(f, f + count_of(parts)) - f;
  for (Index c = 0; c < count_of(parts); ++c) {
    if (c == winner) continue;
    const double ahead = (f[winner] - error) - (f[c] + error);
    if (c < winner ? !(ahead > 0) : !(ahead >= 0)) return false;
  }
  return true;
}

Matrix normalised(const ModelParts& parts, MatrixView scores) {
  const Calibration& calibration = parts.calibration;
  if (calibration.kind == Calibration::Kind::shares) return Matrix(scores);
  if (calibration.kind == Calibration::Kind::softmax) return detail::softmax_of(scores);
  Matrix logs = Matrix::uninitialized(scores.rows(), scores.cols());
  for (Index i = 0; i < logs.rows(); ++i) {
    for (Index c = 0; c < logs.cols(); ++c) {
      logs(i, c) = detail::log_sigmoid(calibration.sigmoids[at(c)], scores(i, c));
    }
  }
  return detail::softmax_of(logs);
}

constexpr Reading::Row kLargest{.name = "largest",
                                .gives = Gives::classes,
                                .fault = largest_fault,
                                .answers = detail::largest,
                                .probabilities = normalised,
                                .score_names = class_names,
                                .answer_names = detail::target_name,
                                .settled = largest_settled};

}  // namespace

constinit const Reading Reading::binary{kBinary}, Reading::votes{kVotes}, Reading::largest{kLargest};

}  // namespace mercer
