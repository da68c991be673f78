// mercer/points.hpp: inputs of any domain, as one value type.
//
//     Points x = rows(X);                                        // each row of a matrix is a point
//     Points t = table({{"age", rows(A)}, {"doc", strings(docs)}});   // named columns of any types
//     Points head = t.slice({0, 100});
//
// `Points` is immutable and thread-safe; copying it copies a pointer. It also keeps what kernels
// ask of it once (column means, k-mer counts), so that the kernels themselves stay stateless.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer {

// The kind of input a kernel accepts or a collection holds: "reals", "strings", ...; each is a folder of src/domains.
// "any" accepts everything, "table" mixes several kinds.
struct Domain {
  static constexpr Index any_dimension = -1;

  std::string kind = "any";
  Index dimension = any_dimension;  // number of columns, for reals
  std::string of = {};              // which alphabet, which graph, what bags hold; empty: any

  std::string str() const;  // "reals(3)", "reals", "strings", "bags of strings", "table", "any inputs"
  friend bool operator==(const Domain&, const Domain&) = default;
};

// Which columns of the inputs: by name, by number (counted from 1), by range (both ends included).
//     Columns("age")   Columns("x1:x5, dose")   Columns(3)   Columns("2:4")
class Columns {
 public:
  using Name = std::variant<Index, std::string>;  // a number from 1, or a name
  struct Item {
    Name first, last;  // equal unless the item is a range
    friend bool operator==(const Item&, const Item&) = default;
  };

  Columns(const char* text);
  Columns(const std::string& text);
  Columns(int number);
  Columns(std::initializer_list<std::string> names);
  explicit Columns(std::vector<Item> items);

  const std::vector<Item>& items() const { return items_; }
  std::string str() const;  // in the kernel grammar; names that are no identifiers are quoted
  friend bool operator==(const Columns&, const Columns&) = default;

 private:
  std::vector<Item> items_;
};

// Sparse rows in compressed form: row i holds values[offsets[i] .. offsets[i+1]) at the columns of
// the same positions, which increase within a row and are counted from 0.
struct SparseMatrix {
  Index rows = 0, cols = 0;
  std::vector<Index> offsets = {0};
  std::vector<std::int32_t> columns = {};
  std::vector<double> values = {};
};

class Points {
 public:
  struct Rep;  // one implementation per storage; src/points

  explicit Points(std::shared_ptr<const Rep> rep);

  Index size() const;
  Domain domain() const;
  // Names of the columns; empty when nothing is named ("column 3" then names itself by number).
  std::vector<std::string> column_names() const;
  Points columns(const Columns& which) const;         // throws DomainError on an unknown column
  Points select(std::span<const Index> which) const;  // the points with these numbers, from 0
  Points slice(Range range) const;
  const Rep& rep() const { return *rep_; }
  const std::shared_ptr<const Rep>& share() const { return rep_; }

 private:
  std::shared_ptr<const Rep> rep_;
};

Points rows(Matrix x);                                              // owns x
Points rows(MatrixView x);                                          // borrows x
Points rows(FloatMatrixView x);                                     // borrows x; computes in double
Points rows(FloatMatrixView x, std::shared_ptr<const void> owner);  // keeps owner alive
Points rows(MatrixView x, std::shared_ptr<const void> owner);
Points rows(SparseMatrix x);
Points strings(std::vector<std::string> text);
// Gives the columns of real inputs their names, no two the same; "" leaves one without.
Points named(const Points& x, std::vector<std::string> names);
// Columns side by side. A part of d > 1 real columns is reached by its name as a whole, and by number.
Points table(std::vector<std::pair<std::string, Points>> parts);

}  // namespace mercer
