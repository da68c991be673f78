// What a pass adds up: a function of a strip of rows that has a name and works on numbers alone, so that it can be sent
// to where the rows are (points/elsewhere.hpp). Here and there it is the same code.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "distributed/ranks.hpp"
#include "points/elsewhere.hpp"

namespace mercer::centres {

// For all rows, and with a row for each (or empty: what that means, the summand knows).
struct Given {
  std::vector<MatrixView> all = {}, rows = {};

  Given of(Range some) const;
};

// Some rows of a part of the sum, and the numbers k(x, Z) of them.
struct Seen {
  MatrixRef K;         // may be changed
  Range rows;          // which of all
  Index first;         // row of the part
  const Given& given;  // `rows` are those of the strip
};

struct Summand {
  std::string_view name;
  Index height;                                                            // of strips (centres/pass.hpp)
  distributed::Shapes (*shapes)(const Given& given, Index m, Index rows);  // of a part of so many rows
  void (*add)(const Seen& seen, distributed::Part& sums);
};

extern const Summand moments, left_out;           // of features of the centres, for ridge regression (all_ridges.cpp)
extern const Summand values, back, back_and_one;  // products with k(x, Z) (pass.cpp)
extern const Summand features;                    // rows of phi(x) (centres.cpp)
extern const Summand sketched;                    // a block of a sketch (sketch.cpp)

// Of an errand that Pass::sum sent, with rows in memory; `first` is the number of the first of them.
distributed::Part run(const Errand& errand, const Points& rows, Index first);

// What becomes of f = k(x, Z) u before it goes back as g.
struct Between {
  MatrixView instead = {};  // g; f is not wanted
  MatrixView plus = {};     // a row b, for all: f + b stands for f
  MatrixView times = {};    // w, a number for each row: g = w f; empty: 1
  MatrixView chances = {};  // p, a column for each of f: g = w (diag p - p p') f

  void apply(MatrixRef f) const;  // of the same rows
  Between of(Range rows) const;
  Given given(MatrixView u) const { return {{u, plus}, {instead, times, chances}}; }
};

// The summand back_and_one for rows whose numbers k(x, Z) are kept: k(Z, x) g(x)' and g(x)', f = k(x, Z) u becoming g.
void add_through(MatrixView K, MatrixView u, const Between& between, distributed::Part& sums);

}  // namespace mercer::centres
