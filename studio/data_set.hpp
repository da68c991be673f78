// Data that a page works with: kept whole, told as JSON, and prepared once for each machine that is fitted to them.
// Thread-safe.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "base/json.hpp"
#include "workflow/suggest.hpp"

namespace mercer::studio {

// How a page found the data, for the words that reproduce a fit.
struct Origin {
  std::string name;         // "wine.csv"
  std::string path;         // of a file on this machine; empty: built in, drawn by hand or sent by the browser
  std::string sha256 = {};  // of the file, or of what was sent
};

class DataSet {
 public:
  DataSet(Origin origin, Dataset data);

  const Origin& origin() const { return origin_; }
  Index rows() const { return data_.points.size(); }
  const Dataset& data() const { return data_; }
  const workflow::Suggestion& suggested() const { return suggested_; }
  workflow::Source source() const;
  std::size_t bytes() const;  // about as much memory as it takes
  Json json() const;          // columns, the first rows, what to do with them

  // As workflow::prepare, remembered for the last few machines and targets.
  workflow::Prepared prepared(const workflow::FitRequest& request, const Execution& how) const;

 private:
  struct Kept {
    std::string key;
    workflow::Prepared data;
  };
  Origin origin_;
  Dataset data_;
  workflow::Suggestion suggested_;
  mutable std::mutex mutex_;
  mutable std::list<Kept> kept_;
};

// The content of a file, by whatever format it has. Throws Error.
std::shared_ptr<const DataSet> read_data_set(Origin origin, std::string content);
// Points drawn by hand: y over x, or points (x, y) with a class each.
std::shared_ptr<const DataSet> drawn_data_set(const Vector& x, const Vector& y, const std::vector<std::string>& labels);

}  // namespace mercer::studio
