// Columns of made-up tables: so many different numbers or words in so many rows.
#pragma once

#include <string>

#include "data/columns.hpp"

namespace mercer::test {

// `rows` numbers that go round `different` ones, the first being `from`.
inline data::Column numbers(std::size_t rows, std::size_t different, double from = 0) {
  data::Column out{"y"};
  for (std::size_t i = 0; i < rows; ++i) out.numbers.push_back(from + static_cast<double>(i % different));
  return out;
}

inline data::Column texts(std::size_t rows, std::size_t different) {
  data::Column out{"y"};
  for (std::size_t i = 0; i < rows; ++i) out.words.push_back("word " + std::to_string(i % different));
  return out;
}

}  // namespace mercer::test
