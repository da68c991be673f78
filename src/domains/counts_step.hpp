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
class CountsStep : public FeatureStep {
 public:
  // `key` tells apart what is counted, with all its arguments; `who` and `needs` are for errors.
  CountsStep(std::string key, std::string who, std::string needs)
      : key_(std::move(key)), who_(std::move(who)), needs_(std::move(needs)) {}

  PointsPair apply(const PointsPair& in) const override {
    SparseMatrix left = features(in.x);
    if (in.same()) {
      const Points both = rows(std::move(left));
      return {both, both};
    }
    SparseMatrix right = features_as(in.x, in.y);
    left.cols = right.cols = std::max(left.cols, right.cols);
    return {rows(std::move(left)), rows(std::move(right))};
  }

  SparseMatrix features(const Points& x) const override {
    const ObjectsOf<Store> objects = objects_of<Store>(x, who_, needs_);
    check(objects);
    return select_rows(known(objects)->counts, objects.which);
  }

  SparseMatrix features_as(const Points& x, const Points& y) const override {
    const ObjectsOf<Store> first = objects_of<Store>(x, who_, needs_), others = objects_of<Store>(y, who_, needs_);
    check(others);
    if (first.store == others.store) return select_rows(known(first)->counts, others.which);
    return select_rows(count_as(*known(first), *others.store), others.which);
  }

  void occurrences(const Points& x, const Points& one, const Visit& visit) const override {
    const ObjectsOf<Store> first = objects_of<Store>(x, who_, needs_), object = objects_of<Store>(one, who_, needs_);
    locate(*known(first), *object.store, object.which[0], visit);
  }
  std::vector<std::string> places(const Points& one) const override {
    const ObjectsOf<Store> object = objects_of<Store>(one, who_, needs_);
    return places_of(*object.store, object.which[0]);
  }

  // Of kernels whose features stand somewhere.
  virtual void locate(const Counts&, const Store&, Index, const Visit&) const {
    fail(ErrorKind::usage, "{}: its features have no places in the object to be shared by", who_);
  }
  virtual std::vector<std::string> places_of(const Store&, Index) const { return {}; }

  void pullback(const Points&, const Points&, Range, MatrixView, MatrixRef, double*) const override {
    fail(ErrorKind::usage, "{}: {} have no gradient with respect to the inputs", who_, needs_);
  }

 private:
  virtual void check(const ObjectsOf<Store>&) const {}  // that the kernel can take them
  virtual std::shared_ptr<const Counts> count(const Store& store) const = 0;
  virtual SparseMatrix count_as(const Counts& known, const Store& other) const = 0;

  std::shared_ptr<const Counts> known(const ObjectsOf<Store>& x) const {
    return *x.store->template cached<std::shared_ptr<const Counts>>(key_, [&] { return count(*x.store); });
  }

  std::string key_, who_, needs_;
};

}  // namespace mercer::detail
