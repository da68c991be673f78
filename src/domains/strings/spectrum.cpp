// spectrum(k): the inner product of counts of all contiguous substrings of k bytes.
// Leslie, Eskin & Noble 2002. A sparse feature map, made in time linear in the text.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "domains/counts_step.hpp"
#include "domains/strings/row.hpp"
#include "domains/strings/strings.hpp"

namespace mercer::detail {

namespace {

// Substrings, views into the strings themselves, and their columns, in the order in which they first occur.
struct Substrings final : Counts {
  std::size_t bytes() const override { return Counts::bytes() + column_of.size() * 64; }
  std::unordered_map<std::string_view, std::int32_t> column_of;
};

class SpectrumStep final : public CountsStep<Strings> {
 public:
  explicit SpectrumStep(int k)
      : CountsStep(fmt::format("spectrum{}", k), fmt::format("spectrum(k={})", k), "strings"),
        k_(static_cast<std::size_t>(k)) {}

 private:
  std::shared_ptr<const Counts> count(const Strings& store) const override {
    auto out = std::make_shared<Substrings>();
    out->counts = counts_of(store, [&](std::string_view substring) {
      const auto next = static_cast<std::int32_t>(out->column_of.size());
      return out->column_of.try_emplace(substring, next).first->second;
    });
    out->counts.cols = static_cast<Index>(out->column_of.size());
    return out;
  }

  SparseMatrix count_as(const Counts& known, const Strings& other) const override {
    const auto& columns = static_cast<const Substrings&>(known).column_of;
    std::unordered_map<std::string_view, std::int32_t> fresh;
    SparseMatrix out = counts_of(other, [&](std::string_view substring) {
      if (const auto found = columns.find(substring); found != columns.end()) return found->second;
      const auto next = static_cast<std::int32_t>(columns.size() + fresh.size());
      return fresh.try_emplace(substring, next).first->second;
    });
    out.cols = static_cast<Index>(columns.size() + fresh.size());
    return out;
  }

  Occurrences locate(const Counts& known, const Strings& other, Index i) const override {
    const auto& columns = static_cast<const Substrings&>(known).column_of;
    const std::string_view text = other[i];
    Occurrences out;
    for (const char letter : text) out.places.emplace_back(1, letter);
    for (std::size_t first = 0; first + k_ <= text.size(); ++first) {
      const auto found = columns.find(text.substr(first, k_));
      if (found == columns.end()) continue;
      out.all.push_back({found->second, 1, {}});
      for (std::size_t p = 0; p < k_; ++p) out.all.back().places.push_back(static_cast<Index>(first + p));
    }
    return out;
  }

  template <class ColumnOf>
  SparseMatrix counts_of(const Strings& store, ColumnOf column_of) const {
    SparseMatrix out;
    std::vector<std::int32_t> found;
    for (Index i = 0; i < store.size(); ++i) {
      const std::string_view text = store[i];
      found.clear();
      for (std::size_t at = 0; at + k_ <= text.size(); ++at) found.push_back(column_of(text.substr(at, k_)));
      std::sort(found.begin(), found.end());
      for (std::size_t at = 0; at < found.size(); ++at) {
        if (at > 0 && found[at] == found[at - 1]) {
          out.values.back() += 1;
        } else {
          out.columns.push_back(found[at]);
          out.values.push_back(1);
        }
      }
      out.offsets.push_back(static_cast<Index>(out.columns.size()));
    }
    out.rows = store.size();
    return out;
  }

  std::size_t k_;
};

}  // namespace

std::shared_ptr<const FeatureStep> spectrum_features(const Node& node) {
  return std::make_shared<SpectrumStep>(static_cast<int>(node.number("k")));
}

}  // namespace mercer::detail
