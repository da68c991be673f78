// The kernel matrix of a subject's points, for pictures: of some of them, where they are many.
#pragma once

#include <optional>

#include "mercer/gram.hpp"
#include "report/subject.hpp"

namespace mercer::report {

// `most` of the numbers 0 .. n-1, evenly spread; all where there are not so many.
std::vector<Index> evenly(Index n, Index most);

bool has_matrix(const Subject& subject);  // a kernel and points, or the numbers that the model was fitted to

// K at these points of the subject, as the model sees them: after its scaling.
Gram matrix_of(const Subject& subject, std::vector<Index> which);

// The cluster of each point: what was found for it, where it is one that the model was fitted to.
std::vector<Index> clusters_of(const Subject& subject);

// In what order the points show what the kernel sees: by class where there are classes, by cluster where the model
// finds them, by the first target, else as in the data.
struct Ordered {
  struct Block {
    std::string name;
    Range places;
  };
  std::string words;               // "by class"
  std::vector<Index> which = {};   // points, `most` at most, evenly taken from the order
  std::vector<Block> blocks = {};  // of equal class or cluster
  std::vector<Index> groups = {};  // the block of each
};
Ordered ordered(const Subject& subject, Index most);

}  // namespace mercer::report
