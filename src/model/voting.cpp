#include "model/voting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::detail {

namespace {

// Sums of weights that are equal but for rounding.
constexpr double kRounding = 1e-9;
// Points beyond those that are needed, among which ties come to an end.
constexpr Index kSpare = 8;
// d^2 of numbers that were given is rounding below this share of k(x,x) + k(x_i,x_i).
constexpr double kNumbers = 1e-13;

}  // namespace

Voting::Voting(VectorView weights, Index neighbours, bool by_distance)
    : weights_(weights), count_(static_cast<double>(neighbours)), by_distance_(by_distance) {
  Vector lightest(weights.begin(), weights.end());
  std::sort(lightest.begin(), lightest.end());
  double total = 0;
  most_ = 0;
  while (at(most_) < lightest.size() && total < count_ * (1 - kRounding)) total += lightest[at(most_++)];
  if (total < count_ * (1 - kRounding)) {
    fail(ErrorKind::usage, "knn: {} neighbours are asked for, and there are {:.6g} points; ask for fewer", neighbours,
         total);
  }
}

std::optional<std::vector<Vote>> Voting::votes(std::span<const Near> nearest, bool all, const Slack& slack,
                                               const Squared& squared, const LeftOut& left_out) const {
  const auto weight = [&](const Near& one) { return left_out.holds(one.which) ? 0 : weights_[at(one.which)]; };
  double reached = 0;
  std::size_t last = 0;
  while (last < nearest.size() && (reached += weight(nearest[last])) < count_ * (1 - kRounding)) ++last;
  if (last == nearest.size()) {
    if (!all) return std::nullopt;
    last = nearest.size() - 1;  // fewer than were asked for, with some left out
  }
  const double edge = nearest[last].far, room = slack.absolute + slack.relative * std::abs(edge);
  std::size_t first = last, end = last + 1;
  while (first > 0 && nearest[first - 1].far >= edge - room) --first;
  while (end < nearest.size() && nearest[end].far <= edge + room) ++end;
  if (end == nearest.size() && !all) return std::nullopt;

  double inside = 0, shell = 0;
  for (std::size_t i = 0; i < end; ++i) (i < first ? inside : shell) += weight(nearest[i]);
  const double part = shell > 0 ? std::min(1.0, (count_ - inside) / shell) : 0;
  Vector far;
  for (std::size_t i = 0; by_distance_ && i < end; ++i) far.push_back(nearest[i].far);
  if (by_distance_) squared(far.data(), static_cast<Index>(far.size()));
  bool some_at_zero = false;
  for (std::size_t i = 0; i < far.size(); ++i) some_at_zero = some_at_zero || (far[i] == 0 && weight(nearest[i]) > 0);
  std::vector<Vote> out;
  double total = 0, begun = nearest.front().far;
  Index group = 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (nearest[i].far > begun + slack.absolute + slack.relative * std::abs(begun)) {
      begun = nearest[i].far;
      ++group;
    }
    double share = weight(nearest[i]) * (i < first ? 1 : part);
    if (some_at_zero && far[i] > 0) share = 0;
    if (by_distance_ && !some_at_zero) share = far[i] > 0 ? share / std::sqrt(far[i]) : 0;
    if (share > 0) out.push_back({nearest[i].which, share, group});
    total += share;
  }
  for (Vote& vote : out) vote.share /= total;
  return out;
}

void for_each_vote(const Bound& distances, const Voting& voting, std::span<const Index> equal_to, const Execution& how,
                   const std::function<void(Index, std::span<const Vote>)>& found) {
  const auto squared = [&](double* far, Index count) { distances.squared_distances_from(far, count); };
  const auto tell = [&](Index i, std::span<const Near> nearest, bool all) {
    const auto votes = voting.votes(nearest, all, {}, squared, {equal_to, equal_to.empty() ? -1 : i});
    if (votes) found(i, *votes);
    return votes.has_value();
  };
  const Index all = distances.cols(), some = std::min(all, voting.most() + kSpare);
  for_each_nearest(distances, some, false, how, [&](Index i, std::span<const Near> nearest) {
    if (tell(i, nearest, some == all)) return;
    // Many are equally far: this point is shown all of them.
    for_each_nearest(distances.select_rows(std::vector<Index>{i}), all, false, {.threads = 1},
                     [&](Index, std::span<const Near> rest) { tell(i, rest, true); });
  });
}

std::vector<Vote> votes_from_numbers(const Voting& voting, VectorView k, VectorView own, double self,
                                     const LeftOut& left_out) {
  std::vector<Near> nearest;
  double largest = 0;
  for (std::size_t c = 0; c < k.size(); ++c) {
    nearest.push_back({own[c] - 2 * k[c], static_cast<Index>(c)});
    largest = std::max(largest, own[c]);
  }
  std::sort(nearest.begin(), nearest.end());
  const auto squared = [&](double* far, Index count) {
    for (Index e = 0; e < count; ++e) {
      const double d2 = far[e] + self;
      far[e] = d2 > kNumbers * (largest + self) ? d2 : 0;
    }
  };
  return *voting.votes(nearest, true, {.relative = 0, .absolute = kNumbers * largest}, squared, left_out);
}

void class_shares(const Matrix& alpha, std::span<const Vote> votes, double* out) {
  const Index classes = alpha.cols();
  std::fill_n(out, classes, 0.0);
  const auto class_of = [&](Index i) {
    return static_cast<Index>(std::find_if(alpha.row(i), alpha.row(i) + classes, [](double a) { return a != 0; }) -
                              alpha.row(i));
  };
  for (const Vote& vote : votes) out[class_of(vote.which)] += vote.share;
  const double largest = *std::max_element(out, out + classes);
  Index winner = -1, group = 0;
  bool alone = true;
  for (const Vote& vote : votes) {
    const Index c = class_of(vote.which);
    if (out[c] < largest * (1 - kRounding) || (winner >= 0 && c == winner)) continue;
    alone = alone && winner < 0;
    if (winner >= 0 && (vote.group > group || c > winner)) continue;
    winner = c;
    group = vote.group;
  }
  if (!alone) out[winner] = std::nextafter(largest, 2.0);
}

void mean_targets(const Matrix& alpha, std::span<const Vote> votes, double* out) {
  const Index targets = alpha.cols() - 1;
  std::fill_n(out, targets, 0.0);
  for (const Vote& vote : votes) {
    const double* row = alpha.row(vote.which);
    for (Index t = 0; t < targets; ++t) out[t] += vote.share * (row[t] / row[targets]);
  }
}

}  // namespace mercer::detail
