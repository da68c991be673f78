// Equal keys get equal numbers, in the order of the keys: 0, 1, ...
#pragma once

#include <cstdint>
#include <vector>

namespace mercer::detail {

struct Keyed {
  std::uint64_t key;
  std::uint32_t at;  // where the number is to be written
};

// Writes the number of each key to number[at]; returns for each number the first `at` that has it. Radix sort: time
// linear in the keys, for each 11 bits in which they differ.
std::vector<std::uint32_t> rank_keys(std::vector<Keyed>& keys, std::vector<std::uint32_t>& number);

}  // namespace mercer::detail
