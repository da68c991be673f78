#include "data/row_pieces.hpp"

#include <algorithm>
#include <utility>

namespace mercer::data {

std::shared_ptr<const RowPieces> RowPieces::open(const Source& source, const ReadOptions& options,
                                                 const std::vector<std::string>& with_gaps) {
  std::optional<RowReader> reader = open_rows(source, options, with_gaps);
  if (!reader) return nullptr;
  return std::shared_ptr<const RowPieces>(new RowPieces(std::move(*reader)));
}

RowPieces::RowPieces(RowReader reader) : first_(std::move(reader)) { rows_ = first_.count(); }

RowReader RowPieces::taken_for(Index row) const {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return first_.another();
  const auto later = [&](const RowReader& a, const RowReader& b) {
    const bool a_passed = a.row() > row, b_passed = b.row() > row;
    return a_passed != b_passed ? a_passed : a.row() < b.row();
  };
  const auto nearest = std::max_element(idle_.begin(), idle_.end(), later);
  RowReader out = std::move(*nearest);
  idle_.erase(nearest);
  return out;
}

Dataset RowPieces::read(Range rows) const {
  RowReader reader = taken_for(rows.begin);
  Dataset out = reader.read(rows);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
  return out;
}

}  // namespace mercer::data
