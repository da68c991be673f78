// What a column of a raw table is taken for: the one place that decides it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mercer/source.hpp"
#include "mercer/tables.hpp"

namespace mercer::data {

// Cells of one column of a table, as numbers or texts.
class Cells {
 public:
  Cells(const Column& column, const std::vector<std::string>& missing);

  Index size() const { return static_cast<Index>(gap_.size()); }
  bool is_gap(Index i) const { return gap_[static_cast<std::size_t>(i)]; }
  Index gaps() const { return gaps_; }
  // The cell as a text; numbers in their shortest form.
  std::string text(Index i) const { return column_.text(static_cast<std::size_t>(i)); }
  std::optional<double> number(Index i, const NumberStyle& style) const;
  const Column& column() const { return column_; }

 private:
  const Column& column_;
  std::vector<bool> gap_;
  Index gaps_ = 0;
};

// The type, and all that its inputs need. `told`: what the user says it is, as in TableWishes::types; empty: nothing.
ColumnRecipe recipe_of(const Cells& cells, const std::string& told, const std::string& path);

// Whether the column's name says that its numbers are no quantity, and they bear it out: an id or codes.
bool is_label(const Column& column, const std::string& path);

// Leaves columns of text out: the kernel takes numbers.
void drop_texts(Recipe& recipe);

// recipe_for(), of a table whose columns are asked for one after the other, each once.
Recipe recipe_by_columns(const std::vector<std::string>& names, const std::function<Column(Index)>& column,
                         const TableWishes& wishes, const std::string& path);

}  // namespace mercer::data
