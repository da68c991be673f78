// weighted_degree(d): substrings of up to d letters that two strings of one length have at the same place.
// Raetsch & Sonnenburg 2004. By the lengths of runs of equal letters.
#include <fmt/format.h>

#include "base/fail.hpp"
#include "domains/strings/pairs.hpp"
#include "domains/strings/row.hpp"
#include "kernel/print.hpp"

namespace mercer::detail {

namespace {

class WeightedDegreeEdge final : public EdgeOn<StringSide> {
 public:
  WeightedDegreeEdge(std::string who, int degree, Alphabet alphabet)
      : who_(std::move(who)), degree_(degree), alphabet_(alphabet) {}

  Sides prepare(const PointsPair& points) const override {
    Sides sides = string_sides(points, alphabet_, who_);
    const auto& x = static_cast<const StringSide&>(*sides.x);
    const auto& y = static_cast<const StringSide&>(*sides.y);
    require_length(x, x);
    if (&x != &y) require_length(x, y);
    return sides;
  }

 private:
  void require_length(const StringSide& x, const StringSide& y) const {
    if (x.rows == 0) return;
    for (Index j = 0; j < y.rows; ++j) {
      if (y[j].size() == x[0].size()) continue;
      fail(ErrorKind::data,
           "{} needs strings of one length; row {}{} has {} letters, row 1{} has {}; cut them, or take "
           "spectrum()",
           who_, j + 1, &x == &y ? "" : " of the points it is compared with", y[j].size(),
           &x == &y ? "" : " of the first", x[0].size());
    }
  }

  // Whole numbers until here.
  double scale() const { return 2.0 / (static_cast<double>(degree_) * (degree_ + 1)); }
  auto computing(double* sums) const {
    return [this, sums](std::span<const std::uint32_t> x, const simd::StringGroup& group) {
      simd::match_runs(x.data(), group, static_cast<std::size_t>(degree_), sums);
    };
  }

  void pairs(const StringSide& x, const StringSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    double sums[simd::kGroup];
    for_each_pair(x, y, i, j, computing(sums), [&](Index row, Index column, std::size_t lane) {
      out(row - i.begin, column - j.begin) = scale() * sums[lane];
    });
  }
  void selves(const StringSide& side, Range i, double* out) const override {
    double sums[simd::kGroup];
    for_each_self(side, i, computing(sums), [&](Index a) { out[a - i.begin] = scale() * sums[0]; });
  }
  void pull_pairs(const StringSide&, const StringSide&, Range, Range, MatrixView, const EdgeGradient&,
                  Scratch&) const override {}
  void pull_selves(const StringSide&, Range, const double*, const EdgeGradient&) const override {}

  std::string who_;
  int degree_;
  Alphabet alphabet_;
};

}  // namespace

Value emit_weighted_degree(const Site& site, Emitter& e) {
  const auto degree = static_cast<int>(site.node.number("d"));
  const std::string alphabet = site.node.word("alphabet");
  const auto edge = std::make_shared<WeightedDegreeEdge>(print(site.node), degree, alphabet_called(alphabet));
  return {.factors = {e.edge(site.view, edge, fmt::format("weighted degree {} {}", degree, alphabet))}};
}

}  // namespace mercer::detail
