#include "domains/graphs/dictionary.hpp"

#include <cassert>
#include <cstring>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer {

namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15ULL;
  return a ^ (a >> 32);
}

std::uint64_t hash_of(std::string_view key) {
  std::uint64_t hash = key.size();
  std::uint64_t word = 0;
  for (; key.size() >= sizeof word; key.remove_prefix(sizeof word)) {
    std::memcpy(&word, key.data(), sizeof word);
    hash = mixed(hash, word);
  }
  word = 0;
  std::memcpy(&word, key.data(), key.size());
  return mixed(hash, word);
}

}  // namespace

Dictionary::Dictionary(std::shared_ptr<const Dictionary> before)
    : before_(std::move(before)), first_(before_ ? before_->size() : 0), places_(16) {}

std::string_view Dictionary::key(std::int32_t number) const {
  assert(number >= first_ && number < size());
  const auto own = at(number - first_);
  const std::size_t begin = own == 0 ? 0 : ends_[own - 1];
  return {letters_.data() + begin, ends_[own] - begin};
}

std::size_t Dictionary::place_of(std::string_view wanted, std::uint64_t hash) const {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = hash & mask;
  for (; places_[place].own >= 0; place = (place + 1) & mask) {
    if (places_[place].hash == hash >> 32 && key(first_ + places_[place].own) == wanted) break;
  }
  return place;
}

std::int32_t Dictionary::find(std::string_view wanted, std::uint64_t hash) const {
  const std::int32_t own = places_[place_of(wanted, hash)].own;
  if (own >= 0) return first_ + own;
  return before_ ? before_->find(wanted, hash) : -1;
}

std::int32_t Dictionary::find(std::string_view wanted) const { return find(wanted, hash_of(wanted)); }

std::int32_t Dictionary::add(std::string_view wanted) {
  const std::uint64_t hash = hash_of(wanted);
  Place& place = places_[place_of(wanted, hash)];
  if (place.own >= 0) return first_ + place.own;
  if (before_) {
    if (const std::int32_t known = before_->find(wanted, hash); known >= 0) return known;
  }
  if (size() == std::numeric_limits<std::int32_t>::max()) fail(ErrorKind::numeric, "more than 2^31 different features");
  const std::int32_t number = size();
  place = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(ends_.size())};
  letters_.insert(letters_.end(), wanted.begin(), wanted.end());
  ends_.push_back(letters_.size());
  if (2 * ends_.size() > places_.size()) grow();
  return number;
}

void Dictionary::grow() {
  const std::size_t twice = 2 * places_.size();
  places_ = {};  // before the larger one is there
  places_.resize(twice);
  for (std::int32_t number = first_; number < size(); ++number) {
    const std::uint64_t hash = hash_of(key(number));
    std::size_t place = hash & (places_.size() - 1);
    while (places_[place].own >= 0) place = (place + 1) & (places_.size() - 1);
    places_[place] = {static_cast<std::uint32_t>(hash >> 32), number - first_};
  }
}

void Dictionary::clear() {
  places_.assign(places_.size(), {});
  ends_.clear();
  letters_.clear();
}

std::size_t Dictionary::bytes() const {
  return places_.size() * sizeof(Place) + ends_.capacity() * sizeof(std::size_t) + letters_.capacity();
}

}  // namespace mercer
