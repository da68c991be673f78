// mercer/proof.hpp: why a kernel is one, as a tree that can be read and checked by hand.
#pragma once

#include <string>
#include <vector>

namespace mercer {

struct Proof {
  std::string statement;   // the expression proved positive semi-definite here
  std::string rule;        // the axiom or closure rule used: "rbf", "sum", "product"
  std::string because;     // the theorem in one sentence
  std::string conditions;  // the side conditions, with the values that meet them; may be empty
  std::string citation;    // where the theorem is proved; may be empty
  std::vector<Proof> premises;

  bool assumes() const;      // whether any step is an assumption (assume_psd) and not a theorem
  std::string str() const;   // a drawn tree, one step a line
  std::string json() const;  // the same, for programs
};

}  // namespace mercer
