// subsequence(length, decay): the inner product of all subsequences of a length, each weighted by decay to the power of
// the stretch it is spread over. Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins 2002.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "domains/strings/pairs.hpp"
#include "domains/strings/row.hpp"
#include "kernel/print.hpp"

namespace mercer::detail {

namespace {

class SubsequenceEdge final : public EdgeOn<StringSide> {
 public:
  SubsequenceEdge(std::string who, int length, ParamRef decay, bool blended, Alphabet alphabet)
      : who_(std::move(who)), decay_(decay), alphabet_(alphabet), weights_(at(length)), slopes_(at(length)) {
    for (int i = blended ? 1 : length; i <= length; ++i) {
      weights_[at(i - 1)] = std::pow(decay.value, 2 * i);
      slopes_[at(i - 1)] = 2 * i * std::pow(decay.value, 2 * i - 1);
    }
  }

  Sides prepare(const PointsPair& points) const override {
    Sides sides = string_sides(points, alphabet_, who_);
    require_time(longest(*sides.x), longest(*sides.y));
    return sides;
  }
  bool has_parameters() const override { return true; }

 private:
  static double longest(const Side& side) {
    std::size_t most = 0;
    for (Index i = 0; i < side.rows; ++i) most = std::max(most, static_cast<const StringSide&>(side)[i].size());
    return static_cast<double>(most);
  }

  // A pair is one piece of work, which cannot be stopped: it may take some minutes, not hours.
  void require_time(double x, double y) const {
    constexpr double kMostSteps = 2e10;
    const double steps = x * y * static_cast<double>(weights_.size());
    if (steps <= kMostSteps) return;
    fail(ErrorKind::usage,
         "{}: strings of {} and {} letters take {:.2g} steps for this pair alone, more than {:.2g}; cut them, or take "
         "gapped(), which has gaps within windows, substrings() or spectrum(), whose time grows with the letters and "
         "not with their square",
         who_, x, y, steps, kMostSteps);
  }

  // Sums of one string and a group, and their slopes where wanted.
  struct Room {
    std::vector<double>& work;
    double sums[simd::kGroup], slopes[simd::kGroup];
  };
  auto computing(Room& room, bool slopes) const {
    return [this, &room, slopes](std::span<const std::uint32_t> x, const simd::StringGroup& group) {
      const simd::Subsequences what{weights_.size(), decay_.value, weights_.data(), slopes_.data()};
      const std::size_t size = simd::subsequence_work(what, group.length, slopes);
      if (room.work.size() < size) room.work.resize(size);
      simd::subsequence_sums(what, x.data(), x.size(), group, room.work.data(), room.sums,
                             slopes ? room.slopes : nullptr);
    };
  }

  void pairs(const StringSide& x, const StringSide& y, Range i, Range j, MatrixRef out,
             Scratch& scratch) const override {
    Room room{scratch.panel, {}, {}};
    for_each_pair(x, y, i, j, computing(room, false), [&](Index row, Index column, std::size_t lane) {
      out(row - i.begin, column - j.begin) = room.sums[lane];
    });
  }
  void selves(const StringSide& side, Range i, double* out) const override {
    std::vector<double> work;
    Room room{work, {}, {}};
    for_each_self(side, i, computing(room, false), [&](Index a) { out[a - i.begin] = room.sums[0]; });
  }
  void pull_pairs(const StringSide& x, const StringSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch& scratch) const override {
    Room room{scratch.panel, {}, {}};
    double total = 0;
    for_each_pair(x, y, i, j, computing(room, true), [&](Index row, Index column, std::size_t lane) {
      total += v(row - i.begin, column - j.begin) * room.slopes[lane];
    });
    to.parameters[decay_.at] += total;
  }
  void pull_selves(const StringSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    std::vector<double> work;
    Room room{work, {}, {}};
    for_each_self(side, i, computing(room, true),
                  [&](Index a) { to.parameters[decay_.at] += v[a - i.begin] * room.slopes[0]; });
  }

  std::string who_;
  ParamRef decay_;
  Alphabet alphabet_;
  Vector weights_, slopes_;  // of lengths 1, 2, ..., and their derivatives by decay
};

}  // namespace

Value emit_subsequence(const Site& site, Emitter& e) {
  const auto length = static_cast<int>(site.node.number("length"));
  const ParamRef decay = site.param("decay");
  const std::string alphabet = site.node.word("alphabet"), kind = site.node.word("kind");
  require_decay(decay.value, kind == "blended" ? 1 : length, print(site.node));
  const auto edge =
      std::make_shared<SubsequenceEdge>(print(site.node), length, decay, kind == "blended", alphabet_called(alphabet));
  return {
      .factors = {e.edge(site.view, edge, fmt::format("subsequence {} {} {} {}", length, decay.at, kind, alphabet))}};
}

}  // namespace mercer::detail
