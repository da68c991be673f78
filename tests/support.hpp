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

// Gaussian elimination with pivoting, the slow and plain way.
inline Matrix naive_solve(Matrix a, Matrix b) {
  const Index n = a.rows();
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i) pivot = std::abs(a(i, k)) > std::abs(a(pivot, k)) ? i : pivot;
    for (Index j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    for (Index j = 0; j < b.cols(); ++j) std::swap(b(k, j), b(pivot, j));
    for (Index i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a(i, k) / a(k, k);
      for (Index j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      for (Index j = 0; j < b.cols(); ++j) b(i, j) -= factor * b(k, j);
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < b.cols(); ++j) b(i, j) /= a(i, i);
  }
  return b;
}

}  // namespace mercer::test
