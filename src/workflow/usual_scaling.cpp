#include "workflow/usual_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/at.hpp"
#include "kernel/catalog.hpp"
#include "kernel/node.hpp"
#include "points/objects.hpp"
#include "points/rep.hpp"
#include "points/scaled_columns.hpp"
#include "points/streamed.hpp"

namespace mercer::workflow {

namespace {

constexpr Index kFewColumns = 8;  // that may have the same bounds by chance
constexpr double kWidest = 4;     // times as wide as most: what lies beyond is on another scale

bool is_table_of_numbers(const Points& x) {
  return x.domain().kind == "reals" && !x.column_names().empty() && !is_sparse(head_of(x));
}

// Pixels, answers from 1 to 5, yes and no: whole numbers in all columns, at least half of those that vary between the
// same two, and none far beyond them. A column that hardly varies says little there; standardised, it would say as much
// as any other. Yes and no beside metres of height are not on one scale.
bool on_one_scale(const Points& x) {
  constexpr Index kAtOnce = Index{1} << 14;
  if (x.domain().dimension < kFewColumns || x.size() == 0) return false;
  Vector low, high;
  for (Index first = 0; first < x.size(); first += kAtOnce) {
    const DenseRows rows = dense_rows(x.slice({first, std::min(first + kAtOnce, x.size())}));
    const MatrixView values = rows.values;
    if (first == 0) low = high = Vector(values.row(0), values.row(0) + values.cols());
    for (Index i = 0; i < values.rows(); ++i) {
      for (Index k = 0; k < values.cols(); ++k) {
        const double value = values(i, k);
        if (value != std::floor(value)) return false;
        low[at(k)] = std::min(low[at(k)], value);
        high[at(k)] = std::max(high[at(k)], value);
      }
    }
  }
  std::map<std::pair<double, double>, std::size_t> bounds;
  std::size_t vary = 0, most = 0;
  double least = low.front(), greatest = high.front();
  std::pair<double, double> usual;
  for (std::size_t k = 0; k < low.size(); ++k) {
    if (low[k] == high[k]) continue;
    least = vary == 0 ? low[k] : std::min(least, low[k]);
    greatest = vary == 0 ? high[k] : std::max(greatest, high[k]);
    ++vary;
    const std::pair<double, double> own{low[k], high[k]};
    if (++bounds[own] > most) {
      most = bounds[own];
      usual = own;
    }
  }
  return vary > 0 && 2 * most >= vary && greatest - least <= kWidest * (usual.second - usual.first);
}

// Of bags and series what they hold, of a table its numbers, whatever stands beside them.
Points numbers_of(const Points& x) {
  const Table* const columns = find_table(x);
  if (columns == nullptr) return elements_of(x).value_or(x);
  std::vector<std::pair<std::string, Points>> parts;
  for (const auto& [name, part] : columns->parts) {
    if (part.domain().kind != "reals") continue;
    if (is_sparse(part)) return x;
    parts.emplace_back(name, part);
  }
  return parts.empty() ? x : table(std::move(parts));
}

bool takes_labels(const detail::Node& k) {
  return k.entry->takes_labels ||
         std::ranges::any_of(k.children, [](const detail::NodePtr& child) { return takes_labels(*child); });
}

void add_label_columns(const detail::Node& k, const Points& x, std::vector<std::string>& out) {
  if (!takes_labels(k)) return;
  if (k.entry->takes_labels) {
    const std::vector<std::string> names = x.column_names();
    out.insert(out.end(), names.begin(), names.end());
  }
  const Points inner = k.entry->inner == nullptr ? x : k.entry->inner(k, x);
  for (const detail::NodePtr& child : k.children) add_label_columns(*child, inner, out);
}

}  // namespace

Scaling::Kind usual_scaling(const Points& x, bool beside_codes) {
  if (beside_codes) return Scaling::Kind::standard;
  const Points rows = numbers_of(x);
  return is_table_of_numbers(rows) && !on_one_scale(rows) ? Scaling::Kind::standard : Scaling::Kind::none;
}

bool takes_labels(const Kernel& k) { return takes_labels(k.node()); }

std::vector<std::string> label_columns(const Kernel& k, const Points& x) {
  std::vector<std::string> out;
  add_label_columns(k.node(), x, out);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Scaling leaving(const std::vector<std::string>& columns, const Points& x, Scaling scaling) {
  if (columns.empty() || scaling.kind == Scaling::Kind::none) return scaling;
  const std::vector<std::string> names = scaled_columns(x);
  const std::unordered_set<std::string_view> left(columns.begin(), columns.end());
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (!left.contains(names[c])) continue;
    scaling.shift[c] = 0;
    scaling.factor[c] = 1;
  }
  return scaling;
}

std::string scaling_remark(Scaling::Kind kind, bool asked, const Points& x) {
  static const std::vector<std::string> texts = {
      "as they are", "moved to mean 0", "scaled to mean 0 and standard deviation 1", "scaled to the range 0 to 1"};
  std::string remark = "inputs " + texts[static_cast<std::size_t>(kind)];
  if (asked) return remark;
  if (kind != Scaling::Kind::none) return remark + "; `scale=none` leaves them alone";
  const bool told = is_table_of_numbers(numbers_of(x));
  return told ? remark + ", whole numbers between the same bounds; `scale=standard` scales them" : remark;
}

}  // namespace mercer::workflow
