#include "domains/strings/ranks.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mercer::detail {

namespace {

constexpr int kBits = 11, kDigits = (64 + kBits - 1) / kBits;
constexpr std::size_t kBuckets = std::size_t{1} << kBits;
std::size_t digit(std::uint64_t key, int which) { return key >> (which * kBits) & (kBuckets - 1); }

void sort_by_key(std::vector<Keyed>& keys) {
  std::vector<std::array<std::size_t, kBuckets>> counts(kDigits);
  for (const Keyed& item : keys) {
    for (int d = 0; d < kDigits; ++d) ++counts[static_cast<std::size_t>(d)][digit(item.key, d)];
  }
  std::vector<Keyed> turned;
  for (int d = 0; d < kDigits; ++d) {
    auto& count = counts[static_cast<std::size_t>(d)];
    if (keys.empty() || count[digit(keys.front().key, d)] == keys.size()) continue;  // all alike
    std::size_t before = 0;
    for (std::size_t& c : count) before += std::exchange(c, before);
    turned.resize(keys.size());
    for (const Keyed& item : keys) turned[count[digit(item.key, d)]++] = item;
    keys.swap(turned);
  }
}

}  // namespace

std::vector<std::uint32_t> rank_keys(std::vector<Keyed>& keys, std::vector<std::uint32_t>& number) {
  sort_by_key(keys);  // stable: among equals the first comes first
  std::vector<std::uint32_t> firsts;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i].key != keys[i - 1].key) firsts.push_back(keys[i].at);
    number[keys[i].at] = static_cast<std::uint32_t>(firsts.size() - 1);
  }
  return firsts;
}

}  // namespace mercer::detail
