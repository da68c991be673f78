// spectrum(k): the inner product of counts of all contiguous substrings of k bytes.
// Leslie, Eskin & Noble 2002. A sparse feature map, made in time linear in the text.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/fail.hpp"
#include "kernel/leaves.hpp"
#include "kernel/program_parts.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

// Substrings and their columns, and the counts of each string; views into the strings themselves.
struct Counts {
  std::unordered_map<std::string_view, std::int32_t> column_of;
  SparseMatrix counts;
};

Counts count(const Strings& strings, std::size_t k) {
  Counts out;
  std::vector<std::int32_t> found;
  for (const std::string& text : strings.text) {
    found.clear();
    for (std::size_t at = 0; at + k <= text.size(); ++at) {
      const auto next = static_cast<std::int32_t>(out.column_of.size());
      found.push_back(out.column_of.try_emplace(std::string_view(text).substr(at, k), next).first->second);
    }
    std::sort(found.begin(), found.end());
    for (std::size_t at = 0; at < found.size(); ++at) {
      if (at > 0 && found[at] == found[at - 1]) {
        out.counts.values.back() += 1;
      } else {
        out.counts.columns.push_back(found[at]);
        out.counts.values.push_back(1);
      }
    }
    out.counts.offsets.push_back(static_cast<Index>(out.counts.columns.size()));
  }
  out.counts.rows = strings.size();
  out.counts.cols = static_cast<Index>(out.column_of.size());
  return out;
}

class SpectrumStep final : public Step {
 public:
  explicit SpectrumStep(int k) : k_(k) {}

  PointsPair apply(const PointsPair& in) const override {
    const auto x = counts_of(in.x);
    if (in.same()) {
      const Points points = rows(x->counts);
      return {points, points};
    }
    // The second set's substrings take the first set's columns, or new ones behind them.
    const auto y = counts_of(in.y);
    SparseMatrix left = x->counts, right = y->counts;
    std::vector<std::int32_t> moved(y->column_of.size());
    auto next = static_cast<std::int32_t>(x->column_of.size());
    for (const auto& [substring, column] : y->column_of) {
      const auto known = x->column_of.find(substring);
      moved[static_cast<std::size_t>(column)] = known == x->column_of.end() ? next++ : known->second;
    }
    left.cols = right.cols = next;
    std::vector<std::pair<std::int32_t, double>> row;
    for (std::size_t i = 0; i + 1 < right.offsets.size(); ++i) {
      row.clear();
      const auto first = static_cast<std::size_t>(right.offsets[i]),
                 last = static_cast<std::size_t>(right.offsets[i + 1]);
      for (std::size_t at = first; at < last; ++at) {
        row.emplace_back(moved[static_cast<std::size_t>(right.columns[at])], right.values[at]);
      }
      std::sort(row.begin(), row.end());
      for (std::size_t at = first; at < last; ++at) std::tie(right.columns[at], right.values[at]) = row[at - first];
    }
    return {rows(std::move(left)), rows(std::move(right))};
  }

  void pullback(const Points&, const Points&, Range, MatrixView, MatrixRef, double*) const override {
    fail(ErrorKind::usage, "spectrum(): strings have no gradient with respect to the inputs");
  }

 private:
  std::shared_ptr<const Counts> counts_of(const Points& x) const {
    const auto* strings = dynamic_cast<const Strings*>(&x.rep());
    if (strings == nullptr) {
      fail(ErrorKind::domain,
           "spectrum() needs strings; the inputs are {}; put it on a text column: on(COLUMN, spectrum(k={}))",
           x.domain().str(), k_);
    }
    return x.rep().cached<Counts>(fmt::format("spectrum{}", k_),
                                  [&] { return count(*strings, static_cast<std::size_t>(k_)); });
  }
  int k_;
};

}  // namespace

Value emit_spectrum(const Site& site, Emitter& e) {
  const int k = static_cast<int>(site.node.number("k"));
  const View counts = e.through(site.view, std::make_shared<SpectrumStep>(k), fmt::format("spectrum{}", k));
  return {.factors = {e.dot(counts, "spectrum()")}};
}

}  // namespace mercer::detail
