// Points that are no numbers: strings, graphs, bags, ... A domain derives one class from Objects; everything else that
// points do (slices, selections, columns of tables) is written once, in Collection.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "file/archive_fwd.hpp"
#include "points/cache.hpp"
#include "points/rep.hpp"

namespace mercer {

// Which objects of a store, by number; all of them where there is no list.
struct Selection {
  Index size = 0;
  std::shared_ptr<const std::vector<Index>> list = nullptr;

  Index operator[](Index i) const { return list ? (*list)[static_cast<std::size_t>(i)] : i; }
  Selection select(std::span<const Index> which) const;
};

// An immutable store of objects, which all slices and selections of them share. What kernels ask of it is asked of the
// whole store and kept, so that folds do not ask again.
class Objects {
 public:
  virtual ~Objects() = default;

  virtual Index size() const = 0;
  virtual Domain domain() const = 0;
  // Which of two comes first in an order that their content alone decides: below, above or equal to 0.
  virtual int compare(Index i, Index j) const = 0;
  // A store of these objects, then those of the other one, which is of the same class. DomainError where the two do
  // not go together.
  virtual std::shared_ptr<const Objects> join(const Selection& own, const Objects& other,
                                              const Selection& others) const = 0;
  // What goes into a model file: a header whose "kind" the row of the domain knows to load, and blocks.
  virtual Json save(const Selection& which, const std::string& prefix, detail::BlockWriter& blocks) const = 0;
  // Of objects that are made of other points, bags and series: those of a selection, one object after the other; and a
  // store of that selection with others in their place. Such points can be scaled.
  virtual std::optional<Points> elements_of(const Selection&) const { return std::nullopt; }
  virtual std::shared_ptr<const Objects> with_elements(const Selection&, const Points&) const { return nullptr; }
  // For messages where numbers are needed: `text ("10%" in row 1)`, `graphs`.
  virtual std::string describe(const Selection&) const { return domain().str(); }

  // What `make` returns, made on the first call with this key and kept; see Cache.
  template <class T, class Make>
  std::shared_ptr<const T> cached(const std::string& key, Make make) const {
    return cache_.get<T>(key, make);
  }

 private:
  Cache cache_;
};

struct Collection final : Points::Rep {
  Collection(std::shared_ptr<const Objects> store_, Selection which_, std::string name_ = {})
      : store(std::move(store_)), which(std::move(which_)), name(std::move(name_)) {}

  Index size() const override { return which.size; }
  Domain domain() const override { return store->domain(); }
  std::vector<std::string> column_names() const override;
  Points columns(const Columns& columns) const override;
  Points select(std::span<const Index> numbers) const override;
  int compare(Index i, Index j) const override { return store->compare(which[i], which[j]); }
  Points join(const Rep& other) const override;
  Points called(const std::string& column) const override;
  Json save(const std::string& prefix, detail::BlockWriter& blocks, int level) const override;
  std::string describe() const override;

  const std::shared_ptr<const Objects> store;
  const Selection which;
  const std::string name;  // of the column they are, in a table
};

// The elements of points that are made of others; none of those that are not. And the same points of other elements.
std::optional<Points> elements_of(const Points& x);
Points with_elements(const Points& x, const Points& elements);

// All objects of a store.
Points collection(std::shared_ptr<const Objects> store);

// The store of points that are objects of the class T, and which of them; null for others.
template <class T>
struct ObjectsOf {
  std::shared_ptr<const T> store;
  Selection which;

  explicit operator bool() const { return store != nullptr; }
  const T* operator->() const { return store.get(); }
  Index size() const { return which.size; }
  decltype(auto) operator[](Index i) const { return (*store)[which[i]]; }  // for stores that have []
};

template <class T>
ObjectsOf<T> find_objects(const Points& x) {
  const auto* rep = dynamic_cast<const Collection*>(&x.rep());
  if (rep == nullptr) return {};
  return {std::dynamic_pointer_cast<const T>(rep->store), rep->which};
}

// DomainError in the name of `who`, a kernel: "spectrum(k=3) needs strings; ...".
[[noreturn]] void refuse_domain(const Points& x, const std::string& who, const std::string& needs);

// The same where there must be some. `needs` is what a reader calls them: "strings".
template <class T>
ObjectsOf<T> objects_of(const Points& x, const std::string& who, const std::string& needs) {
  ObjectsOf<T> found = find_objects<T>(x);
  if (!found) refuse_domain(x, who, needs);
  return found;
}

}  // namespace mercer
