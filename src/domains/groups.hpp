// Points that are made of other points: bags, in which the order of the elements means nothing, and series.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "points/objects.hpp"

namespace mercer {

// Group i holds the elements offsets[i] .. offsets[i + 1]. None is empty.
class Groups : public Objects {
 public:
  // Throws a DataError in the words of `kind` ("bags") where the offsets do not divide the elements into groups of one
  // or more.
  Groups(Points elements, std::vector<Index> offsets, const std::string& kind);

  const Points& elements() const { return elements_; }
  const std::vector<Index>& offsets() const { return offsets_; }
  Range operator[](Index i) const {
    return {offsets_[static_cast<std::size_t>(i)], offsets_[static_cast<std::size_t>(i) + 1]};
  }
  Index size() const final { return static_cast<Index>(offsets_.size()) - 1; }
  int compare(Index i, Index j) const final;
  std::shared_ptr<const Objects> join(const Selection& own, const Objects& other, const Selection& others) const final;
  std::optional<Points> elements_of(const Selection& which) const final;
  std::shared_ptr<const Objects> with_elements(const Selection& which, const Points& elements) const final;
  Json save(const Selection& which, const std::string& prefix, detail::BlockWriter& blocks) const final;

 private:
  virtual std::shared_ptr<const Objects> made_of(Points elements, std::vector<Index> offsets) const = 0;

  Points elements_;
  std::vector<Index> offsets_;
};

// Some groups by themselves: their elements, and where each group is among them.
struct ChosenGroups {
  Points elements;
  std::vector<Index> offsets;
};
ChosenGroups choose(const Groups& store, const Selection& which);

namespace detail {
// What Groups::save wrote.
ChosenGroups load_groups(const Json& json, const std::string& prefix, const BlockReader& blocks, int level);
}  // namespace detail

}  // namespace mercer
