// A raw table that is read in pieces: its recipe is that of the whole table, made of as many columns at a time as find
// room, and rows are made by it whenever they are read.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/row_pieces.hpp"
#include "workflow/raw_training.hpp"

namespace mercer::workflow {

class TableInPieces {
 public:
  // `first` are rows of the file, `taken` the places of columns that are no inputs, `words` those of inputs that hold
  // words or gaps in some row, which are read as they are written.
  TableInPieces(const FitRequest& request, ReadOptions options, const Points& first, const std::vector<Index>& taken,
                const std::vector<Index>& words, Index rows);

  // Passes over the rows for all columns, with as many of these at a time as find room in so many bytes. `kept`: the
  // rows that count. What is said of the columns and of those that go with the target goes into `remarks`.
  std::shared_ptr<const Recipe> recipe(const std::vector<Index>& kept, const std::vector<Column>& targets, double room,
                                       std::vector<std::string>& remarks) const;
  // All rows, not in memory, as the recipe makes them.
  Points points(const std::shared_ptr<const Recipe>& recipe) const;

 private:
  std::vector<Column> columns(std::span<const Index> which) const;
  double bytes_of(Index place) const;

  const FitRequest& request_;
  std::shared_ptr<const data::RowPieces> pieces_;
  std::vector<Index> taken_, inputs_;  // places in the file
  std::vector<std::string> names_;     // of the inputs
  std::vector<bool> is_words_;         // by place
};

}  // namespace mercer::workflow
