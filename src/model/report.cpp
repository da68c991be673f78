#include "mercer/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {

namespace {

// Tables longer than this are for programs; people get their size.
constexpr Index kShownRows = 12;

void append(std::string& out, const Report::Table& table) {
  out += fmt::format("{} ({} rows)\n", table.name, table.rows.rows());
  if (table.rows.rows() > kShownRows) return;
  // Wide enough for the title and for any number of six digits.
  const auto width = [&](std::size_t j) { return std::max<std::size_t>(table.columns[j].size(), 12); };
  for (std::size_t j = 0; j < table.columns.size(); ++j) out += fmt::format("  {:>{}}", table.columns[j], width(j));
  out += '\n';
  for (Index i = 0; i < table.rows.rows(); ++i) {
    for (Index j = 0; j < table.rows.cols(); ++j) {
      out += fmt::format("  {:>{}.6g}", table.rows(i, j), width(static_cast<std::size_t>(j)));
    }
    out += '\n';
  }
}

}  // namespace

std::optional<double> Report::figure(std::string_view name) const {
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const Figure& f) { return f.name == name; });
  return found == figures.end() ? std::nullopt : std::optional(found->value);
}

const Report::Table* Report::table(std::string_view name) const {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

std::string Report::str() const {
  std::string out = converged ? "converged" : "not converged";
  if (!stopped.empty()) out += ": " + stopped;
  if (iterations > 0) out += fmt::format(" after {} iterations", iterations);
  if (seconds > 0) out += fmt::format(" in {:.3g} s", seconds);
  out += '\n';
  if (!chosen.empty()) out += fmt::format("chosen: {}\n", chosen);
  if (plan) out += plan->str();
  for (const Figure& figure : figures) out += fmt::format("{} = {:.6g}\n", figure.name, figure.value);
  for (const std::string& note : notes) out += fmt::format("note: {}\n", note);
  for (const Table& table : tables) append(out, table);
  return out;
}

}  // namespace mercer
