// What verbs that look at a data file take: how it is read, what its columns are scaled to, on how many threads.
#pragma once

#include <string>

#include "columns.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/scaling.hpp"

namespace mercer::cli {

class Arguments;

struct InputWords {
  FormatWords file = {};
  std::string scale = {}, threads = {};

  void declare(Arguments& arguments);
  Execution how() const;
  Scaling::Kind scaling(const Points& x) const;  // asked for, or usual
  Points scaled(const Points& x) const;
  std::string remark(const Points& x) const;  // what was done
};

// Where --scale is not given: columns of numbers that have names, as those of text files do, are standardised; numbers
// in other files come ready to use.
Scaling::Kind usual_scaling(const Points& x);
// "inputs scaled to mean 0 and standard deviation 1", and how to avoid it where nobody asked for it.
std::string scaling_remark(Scaling::Kind kind, bool asked);

}  // namespace mercer::cli
