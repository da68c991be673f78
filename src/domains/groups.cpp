#include "domains/groups.hpp"

#include "base/at.hpp"
#include "base/fail.hpp"
#include "file/blocks.hpp"
#include "points/archive.hpp"
#include "points/join.hpp"
#include "points/rep.hpp"

namespace mercer {

Groups::Groups(Points elements, std::vector<Index> offsets, const std::string& kind)
    : elements_(std::move(elements)), offsets_(std::move(offsets)) {
  if (offsets_.empty() || offsets_.front() != 0 || offsets_.back() != elements_.size()) {
    fail(ErrorKind::data, "{}: the offsets must go from 0 to the number of elements, {}", kind, elements_.size());
  }
  for (std::size_t i = 1; i < offsets_.size(); ++i) {
    if (offsets_[i] < offsets_[i - 1]) {
      fail(ErrorKind::data, "{}: the offsets fall from {} to {}", kind, offsets_[i - 1], offsets_[i]);
    }
    if (offsets_[i] == offsets_[i - 1]) {
      fail(ErrorKind::data, "{}: number {} is empty; each needs at least one element", kind, i);
    }
  }
  require_finite(elements_);
}

int Groups::compare(Index i, Index j) const {
  const Range a = (*this)[i], b = (*this)[j];
  for (Index k = 0; k < std::min(a.size(), b.size()); ++k) {
    if (const int order = elements_.rep().compare(a.begin + k, b.begin + k)) return order;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

ChosenGroups choose(const Groups& store, const Selection& which) {
  if (!which.list) return {store.elements(), store.offsets()};
  std::vector<Index> numbers, offsets = {0};
  for (Index i = 0; i < which.size; ++i) {
    for (Index k = store[which[i]].begin; k < store[which[i]].end; ++k) numbers.push_back(k);
    offsets.push_back(static_cast<Index>(numbers.size()));
  }
  return {store.elements().select(numbers), std::move(offsets)};
}

std::shared_ptr<const Objects> Groups::join(const Selection& own, const Objects& other, const Selection& others) const {
  ChosenGroups first = choose(*this, own), second = choose(static_cast<const Groups&>(other), others);
  const Index before = first.offsets.back();
  for (std::size_t i = 1; i < second.offsets.size(); ++i) first.offsets.push_back(before + second.offsets[i]);
  return made_of(mercer::join(first.elements, second.elements), std::move(first.offsets));
}

std::optional<Points> Groups::elements_of(const Selection& which) const { return choose(*this, which).elements; }

std::shared_ptr<const Objects> Groups::with_elements(const Selection& which, const Points& elements) const {
  return made_of(elements, choose(*this, which).offsets);
}

Json Groups::save(const Selection& which, const std::string& prefix, detail::BlockWriter& blocks) const {
  const auto chosen = std::make_shared<ChosenGroups>(choose(*this, which));
  static_assert(sizeof(Index) == sizeof(std::int64_t));
  // The function keeps the elements alive until they are written.
  blocks.add<std::int64_t>(
      prefix + ".offsets", {static_cast<Index>(chosen->offsets.size())},
      [chosen](detail::Sink& sink) { sink.write(chosen->offsets.data(), chosen->offsets.size() * sizeof(Index)); });
  return {{"kind", domain().kind}, {"elements", detail::save_points(chosen->elements, prefix + ".elements", blocks)}};
}

namespace detail {

ChosenGroups load_groups(const Json& json, const std::string& prefix, const BlockReader& blocks, int level) {
  if (level == kDeepestTable) fail(ErrorKind::file, "bags within bags more than {} levels deep", kDeepestTable);
  const auto offsets = blocks.numbers<std::int64_t>(prefix + ".offsets");
  return {load_points(member(json, "elements"), prefix + ".elements", blocks, level + 1),
          {offsets.begin(), offsets.end()}};
}

}  // namespace detail

}  // namespace mercer
