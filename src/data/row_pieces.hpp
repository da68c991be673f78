// The rows of a source that need not fit into memory, for many readers at once.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "data/source.hpp"

namespace mercer::data {

// Any rows, again and again; several threads may ask at once, each with a reader of its own. Of a packed file, which
// can be read from front to back only, a reader that has not passed them yet is taken where there is one.
class RowPieces {
 public:
  // Null where the source has to be read as a whole. Takes a pass over the files, to count the rows. `with_gaps`: as of
  // RowReader::open.
  static std::shared_ptr<const RowPieces> open(const Source& source, const ReadOptions& options,
                                               const std::vector<std::string>& with_gaps);

  Index rows() const { return rows_; }
  Dataset read(Range rows) const;

 private:
  explicit RowPieces(RowReader reader);
  RowReader taken_for(Index row) const;

  Index rows_ = 0;
  mutable std::mutex mutex_;
  mutable std::vector<RowReader> idle_;
  RowReader first_;  // the others are made of it
};

}  // namespace mercer::data
