// The storages behind Points: rows of numbers, and tables. Other domains are Collections (points/objects.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "file/archive_fwd.hpp"
#include "mercer/points.hpp"
#include "points/cache.hpp"
#include "points/columns.hpp"

namespace mercer {

struct Points::Rep {
  Rep() = default;
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;
  virtual ~Rep() = default;

  virtual Index size() const = 0;
  virtual Domain domain() const = 0;
  virtual Points select(std::span<const Index> which) const = 0;
  // Below, above or equal to 0: which of two points comes first in an order that their content alone decides, numbers
  // column by column, text by its bytes.
  virtual int compare(Index i, Index j) const = 0;
  // Of each point the first of the same content.
  virtual std::vector<Index> first_equal() const;
  // These points, then the others, which are of the same domain; see join() in points/join.hpp.
  virtual Points join(const Rep& others) const = 0;
  // Into a model file: see points/archive.hpp.
  virtual Json save(const std::string& prefix, detail::BlockWriter& blocks, int level) const = 0;

  virtual std::vector<std::string> column_names() const { return {}; }
  virtual Points columns(const Columns& which) const;
  virtual std::vector<Index> positions(const Columns& which) const;  // of real inputs: which columns those are, from 0
  virtual Points slice(Range range) const;
  virtual Index width() const { return 1; }                // how many columns of a table they are
  virtual Points called(const std::string& column) const;  // a table's only column, by its name; empty: the old one
  // `column "share" holds text ("10%" in row 1)`, of the first column without numbers, where numbers are needed.
  virtual std::string describe() const;
  virtual void require_finite() const {}  // DataError naming the first NaN or infinity

  // What `make` returns, made on the first call with this key and kept as long as the points live; see Cache.
  template <class T, class Make>
  std::shared_ptr<const T> cached(const std::string& key, Make make) const {
    return cache_.get<T>(key, make);
  }

 private:
  Cache cache_;
};

// Real inputs as one dense double matrix.
struct DenseRows {
  MatrixView values;
  std::shared_ptr<const void> owner;
};

// Rows of numbers, however stored.
struct Reals : Points::Rep {
  Reals(std::vector<std::string> names_, std::vector<NamedColumns> groups_)
      : names(std::move(names_)), groups(std::move(groups_)) {}

  std::vector<std::string> column_names() const override { return names; }
  std::vector<Index> positions(const Columns& which) const override;
  Points join(const Rep& others) const override;
  Index width() const override { return domain().dimension; }
  void require_finite() const override;
  void require_finite(Index first_row) const;  // the same of rows that messages count from another one

  // The same numbers, kept alive by `self`, under other names.
  virtual Points renamed(const std::shared_ptr<const Rep>& self, std::vector<std::string> new_names,
                         std::vector<NamedColumns> new_groups) const = 0;
  virtual DenseRows dense(const std::shared_ptr<const Rep>& self) const = 0;  // no copy where they are stored so
  virtual const SparseMatrix* sparse() const { return nullptr; }              // null: not stored so
  virtual bool is_single() const { return false; }                            // stored as float

  const std::vector<std::string> names;
  const std::vector<NamedColumns> groups;  // columns that also answer to a common name

 private:
  // Calls report(row, column, value) for each number that cannot be used.
  virtual void look_over(const std::function<void(Index, Index, double)>& report) const = 0;
};

// Dense rows of double or float, borrowed from `owner` (or from a caller who keeps them alive).
template <class T>
struct DenseReals final : Reals {
  DenseReals(BasicMatrixView<const T> values_, std::shared_ptr<const void> owner_, std::vector<std::string> names_ = {},
             std::vector<NamedColumns> groups_ = {})
      : Reals(std::move(names_), std::move(groups_)), values(values_), owner(std::move(owner_)) {}

  Index size() const override { return values.rows(); }
  Domain domain() const override { return {"reals", values.cols()}; }
  Points columns(const Columns& which) const override;
  Points select(std::span<const Index> which) const override;
  Points slice(Range range) const override;
  int compare(Index i, Index j) const override;
  Json save(const std::string& prefix, detail::BlockWriter& blocks, int level) const override;
  Points renamed(const std::shared_ptr<const Rep>& self, std::vector<std::string> new_names,
                 std::vector<NamedColumns> new_groups) const override;
  DenseRows dense(const std::shared_ptr<const Rep>& self) const override;
  bool is_single() const override { return std::is_same_v<T, float>; }

  const BasicMatrixView<const T> values;
  const std::shared_ptr<const void> owner;

 private:
  void look_over(const std::function<void(Index, Index, double)>& report) const override;
};

struct SparseReals final : Reals {
  SparseReals(SparseMatrix values_, std::vector<std::string> names_ = {})
      : Reals(std::move(names_), {}), values(std::move(values_)) {}

  Index size() const override { return values.rows; }
  Domain domain() const override { return {"reals", values.cols}; }
  Points columns(const Columns& which) const override;
  Points select(std::span<const Index> which) const override;
  int compare(Index i, Index j) const override;
  Json save(const std::string& prefix, detail::BlockWriter& blocks, int level) const override;
  Points renamed(const std::shared_ptr<const Rep>& self, std::vector<std::string> new_names,
                 std::vector<NamedColumns> new_groups) const override;
  DenseRows dense(const std::shared_ptr<const Rep>& self) const override;
  const SparseMatrix* sparse() const override { return &values; }

  const SparseMatrix values;

 private:
  void look_over(const std::function<void(Index, Index, double)>& report) const override;
};

const Reals* find_reals(const Points& x);          // null where the points are no rows of numbers
const SparseMatrix* sparse_rows(const Points& x);  // null where they are not stored as sparse rows
inline bool is_sparse(const Points& x) { return sparse_rows(x) != nullptr; }

// Parts side by side; a part with an empty name is known by the names of its own columns.
struct Table final : Points::Rep {
  explicit Table(std::vector<std::pair<std::string, Points>> parts_);

  Index size() const override { return parts.front().second.size(); }
  Domain domain() const override { return {"table"}; }
  std::vector<std::string> column_names() const override;
  Points columns(const Columns& which) const override;
  Points select(std::span<const Index> which) const override;
  int compare(Index i, Index j) const override;
  Points join(const Rep& others) const override;
  Json save(const std::string& prefix, detail::BlockWriter& blocks, int level) const override;
  std::string describe() const override;
  void require_finite() const override;

  const std::vector<std::pair<std::string, Points>> parts;
};

const Table* find_table(const Points& x);  // null where the points are no table

// The same real inputs with the names of others as wide.
Points named_like(const Points& x, const Points& others);

// Throws DomainError when two columns have one name.
void require_distinct(const Table& table);
template <class T>
void require_distinct(const DenseReals<T>& rows);

// `column "dose"` or `column 3`, for messages; `column` counts from 0.
std::string describe_column(const std::vector<std::string>& names, Index column);

// Throws DataError naming the first NaN or infinity of real inputs; passes over the data once per Points.
inline void require_finite(const Points& x) { x.rep().require_finite(); }

// Real inputs as one dense double matrix; no copy when they already are one.
DenseRows dense_rows(const Points& x);

// |x| of each point of real inputs.
Vector row_norms(const Points& x);

}  // namespace mercer
