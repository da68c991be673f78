// The storages behind Points. A new domain is a new Rep, and leaves that know it; nothing else changes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mercer/points.hpp"
#include "points/columns.hpp"

namespace mercer {

struct Points::Rep {
  Rep() = default;
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;
  virtual ~Rep() = default;

  virtual Index size() const = 0;
  virtual Domain domain() const = 0;
  virtual std::vector<std::string> column_names() const { return {}; }
  virtual Points columns(const Columns& which) const;
  virtual std::vector<Index> positions(const Columns& which) const;  // of real inputs: which columns those are, from 0
  virtual Points select(std::span<const Index> which) const = 0;
  virtual Points slice(Range range) const;
  // Below, above or equal to 0: which of two points comes first in an order that their content alone decides, numbers
  // column by column, text by its bytes.
  virtual int compare(Index i, Index j) const = 0;

  // What `make` returns, made on the first call with this key and kept as long as the points live.
  template <class T, class Make>
  std::shared_ptr<const T> cached(const std::string& key, Make make) const {
    const std::lock_guard lock(mutex_);
    auto& slot = cache_[key];
    if (!slot) slot = std::make_shared<const T>(make());
    return std::static_pointer_cast<const T>(slot);
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const void>> cache_;
};

// Dense rows of double or float, borrowed from `owner` (or from a caller who keeps them alive).
template <class T>
struct DenseReals final : Points::Rep {
  DenseReals(BasicMatrixView<const T> values_, std::shared_ptr<const void> owner_, std::vector<std::string> names_ = {},
             std::vector<NamedColumns> groups_ = {})
      : values(values_), owner(std::move(owner_)), names(std::move(names_)), groups(std::move(groups_)) {}

  Index size() const override { return values.rows(); }
  Domain domain() const override { return {"reals", values.cols()}; }
  std::vector<std::string> column_names() const override { return names; }
  Points columns(const Columns& which) const override;
  std::vector<Index> positions(const Columns& which) const override;
  Points select(std::span<const Index> which) const override;
  Points slice(Range range) const override;
  int compare(Index i, Index j) const override;

  const BasicMatrixView<const T> values;
  const std::shared_ptr<const void> owner;
  const std::vector<std::string> names;
  const std::vector<NamedColumns> groups;  // columns that also answer to a common name
};

struct SparseReals final : Points::Rep {
  SparseReals(SparseMatrix values_, std::vector<std::string> names_ = {})
      : values(std::move(values_)), names(std::move(names_)) {}

  Index size() const override { return values.rows; }
  Domain domain() const override { return {"reals", values.cols}; }
  std::vector<std::string> column_names() const override { return names; }
  Points columns(const Columns& which) const override;
  std::vector<Index> positions(const Columns& which) const override;
  Points select(std::span<const Index> which) const override;
  int compare(Index i, Index j) const override;

  const SparseMatrix values;
  const std::vector<std::string> names;
};

bool is_sparse(const Points& x);

// A table of one column of text is that text: kernels on strings take it with and without on(name, ...).
struct Strings final : Points::Rep {
  explicit Strings(std::vector<std::string> text_, std::string name_ = {})
      : text(std::move(text_)), name(std::move(name_)) {}

  Index size() const override { return static_cast<Index>(text.size()); }
  Domain domain() const override { return {"strings"}; }
  std::vector<std::string> column_names() const override;
  Points columns(const Columns& which) const override;
  Points select(std::span<const Index> which) const override;
  int compare(Index i, Index j) const override;

  const std::vector<std::string> text;
  const std::string name;
};

// Parts side by side; a part with an empty name is known by the names of its own columns.
struct Table final : Points::Rep {
  explicit Table(std::vector<std::pair<std::string, Points>> parts_);

  Index size() const override { return parts.front().second.size(); }
  Domain domain() const override { return {"table"}; }
  std::vector<std::string> column_names() const override;
  Points columns(const Columns& which) const override;
  Points select(std::span<const Index> which) const override;
  int compare(Index i, Index j) const override;

  const std::vector<std::pair<std::string, Points>> parts;
};

// The same real inputs with the names of others as wide.
Points named_like(const Points& x, const Points& others);

// Throws DomainError when two columns have one name.
void require_distinct(const Table& table);
template <class T>
void require_distinct(const DenseReals<T>& rows);

// `column "dose"` or `column 3`, for messages; `column` counts from 0.
std::string describe_column(const std::vector<std::string>& names, Index column);

// `column "share" holds text ("10%" in row 1)` of the first column that does, for messages where numbers are needed.
std::string describe_text(const Points& x);

// Throws DataError naming the first NaN or infinity of real inputs; passes over the data once per Points.
void require_finite(const Points& x);

// Real inputs as one dense double matrix; no copy when they already are one.
struct DenseRows {
  MatrixView values;
  std::shared_ptr<const void> owner;
};
DenseRows dense_rows(const Points& x);

// |x| of each point of real inputs.
Vector row_norms(const Points& x);

}  // namespace mercer
