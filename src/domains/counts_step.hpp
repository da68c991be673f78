// From objects to explicit features: how often each of countably many parts (substrings, subtrees, ...) occurs.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "kernel/program_parts.hpp"
#include "points/objects.hpp"

namespace mercer::detail {

// The features of all objects of a store. Derive from it what numbers the columns (a dictionary of substrings, ...).
struct Counts {
  virtual ~Counts() = default;
  virtual std::size_t bytes() const {
    return counts.values.size() * (sizeof(double) + sizeof(std::int32_t)) + counts.offsets.size() * sizeof(Index);
  }
  SparseMatrix counts;  // one row per object
};

// Rows of `all` by number.
inline SparseMatrix select_rows(const SparseMatrix& all, const Selection& which) {
  SparseMatrix out;
  out.rows = which.size;
  out.cols = all.cols;
  for (Index i = 0; i < which.size; ++i) {
    const Index first = all.offsets[at(which[i])], last = all.offsets[at(which[i] + 1)];
    out.columns.insert(out.columns.end(), all.columns.begin() + first, all.columns.begin() + last);
    out.values.insert(out.values.end(), all.values.begin() + first, all.values.begin() + last);
    out.offsets.push_back(static_cast<Index>(out.columns.size()));
  }
  return out;
}

// The step of a kernel that is an inner product of such features. What is left to say is how to count: the objects of
// one store, whose columns the result numbers in an order that the store alone decides; and those of another, in the
// columns of the first and new ones behind them. The first is asked for once in the life of a store.
template <class Store>
class CountsStep : public Step {
 public:
  // `key` tells apart what is counted, with all its arguments; `who` and `needs` are for errors.
  CountsStep(std::string key, std::string who, std::string needs)
      : key_(std::move(key)), who_(std::move(who)), needs_(std::move(needs)) {}

  PointsPair apply(const PointsPair& in) const override {
    const ObjectsOf<Store> x = objects_of<Store>(in.x, who_, needs_), y = objects_of<Store>(in.y, who_, needs_);
    check(x);
    if (!in.same()) check(y);
    const auto known = x.store->template cached<std::shared_ptr<const Counts>>(key_, [&] { return count(*x.store); });
    if (in.same()) {
      const Points both = rows(select_rows((*known)->counts, x.which));
      return {both, both};
    }
    if (x.store == y.store) return {picked(**known, x.which), picked(**known, y.which)};
    SparseMatrix left = select_rows((*known)->counts, x.which);
    SparseMatrix right = select_rows(count_as(**known, *y.store), y.which);
    left.cols = right.cols;  // those of x and new ones
    return {rows(std::move(left)), rows(std::move(right))};
  }

  void pullback(const Points&, const Points&, Range, MatrixView, MatrixRef, double*) const override {
    fail(ErrorKind::usage, "{}: {} have no gradient with respect to the inputs", who_, needs_);
  }

 private:
  virtual void check(const ObjectsOf<Store>&) const {}  // that the kernel can take them
  virtual std::shared_ptr<const Counts> count(const Store& store) const = 0;
  virtual SparseMatrix count_as(const Counts& known, const Store& other) const = 0;

  static Points picked(const Counts& known, const Selection& which) { return rows(select_rows(known.counts, which)); }

  std::string key_, who_, needs_;
};

}  // namespace mercer::detail
