// What the tests share: errors as text, random inputs, storages of the same numbers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "mercer/error.hpp"
#include "mercer/matrix.hpp"
#include "mercer/points.hpp"

namespace mercer::test {

// The text of the Error that `call` throws, "no error" if it throws none. Every text must be one line.
inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_TRUE(text.starts_with(name_of(error.kind()))) << text;
    return text;
  }
  return "no error";
}

// Asserts that the Error of `call` has this kind (by its word) and contains all of `pieces`.
inline void expect_error(const std::function<void()>& call, const std::string& kind,
                         const std::vector<std::string>& pieces) {
  const std::string text = error_of(call);
  EXPECT_TRUE(text.starts_with(kind + ": ")) << "expected " << kind << ", got: " << text;
  for (const std::string& piece : pieces) {
    EXPECT_NE(text.find(piece), std::string::npos) << "expected \"" << piece << "\" in: " << text;
  }
}

inline Matrix random_matrix(Index rows, Index cols, unsigned seed, double low = -2, double high = 2) {
  std::mt19937_64 engine(seed);
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      out(i, j) = low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53;
    }
  }
  return out;
}

inline Vector random_vector(Index size, unsigned seed, double low = -2, double high = 2) {
  const Matrix m = random_matrix(1, size, seed, low, high);
  return Vector(m.data(), m.data() + size);
}

// The entries that are not 0.
inline SparseMatrix to_sparse(const Matrix& m) {
  SparseMatrix out;
  out.rows = m.rows();
  out.cols = m.cols();
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) {
      if (m(i, j) == 0) continue;
      out.columns.push_back(static_cast<std::int32_t>(j));
      out.values.push_back(m(i, j));
    }
    out.offsets.push_back(static_cast<Index>(out.columns.size()));
  }
  return out;
}

inline std::vector<float> to_float(const Matrix& m) {
  std::vector<float> out;
  for (Index i = 0; i < m.rows() * m.cols(); ++i) out.push_back(static_cast<float>(m.data()[i]));
  return out;
}

inline void expect_near(const Matrix& a, const Matrix& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      EXPECT_NEAR(a(i, j), b(i, j), tolerance * std::max(1.0, std::abs(b(i, j)))) << "at (" << i << ", " << j << ")";
    }
  }
}

// By pointers, because tests are compiled without optimisation.
inline Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows(), b.cols());
  const Index columns = b.cols();
  for (Index i = 0; i < a.rows(); ++i) {
    double* sums = out.row(i);
    for (Index k = 0; k < a.cols(); ++k) {
      const double factor = a(i, k);
      const double* row = b.row(k);
      for (Index j = 0; j < columns; ++j) sums[j] += factor * row[j];
    }
  }
  return out;
}

}  // namespace mercer::test
