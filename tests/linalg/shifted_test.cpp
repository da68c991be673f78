// The band form of a symmetric matrix and the solves at many shifts, against their definitions and eigenvectors.
#include "linalg/shifted.hpp"

#include "linalg/band.hpp"
#include "linalg/lapack.hpp"
#include "support.hpp"

namespace mercer::shifted_test {
namespace {

using linalg::BandForm;
using linalg::kBandwidth;
using linalg::ShiftedSolves;
using test::expect_near;
using test::random_matrix;

// Below the band, within it, one row beyond it, at the seams of panels, tiles and sums, and between them.
const std::vector<Index> kSizes = {1, 2, 5, 6, 7, 31, 32, 33, 34, 35, 63, 64, 65, 66, 67, 95, 97, 130, 161, 257};

// X X' of the given rank; what is above the diagonal must not be read.
Matrix semi_definite(Index n, Index rank, unsigned seed) {
  const Matrix x = random_matrix(n, rank, seed);
  Matrix a(n, n);
  linalg::multiply_transposed(1.0 / static_cast<double>(rank), x, x, 0, a);
  return a;
}

Matrix lower_only(Matrix a) {
  for (Index i = 0; i < a.rows(); ++i) std::fill(a.row(i) + i + 1, a.row(i) + a.cols(), std::nan(""));
  return a;
}

Matrix transposed(const Matrix& a) {
  Matrix out(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out(j, i) = a(i, j);
  }
  return out;
}

Matrix basis_of(const BandForm& form) {
  const Index n = form.band.rows();
  Matrix q(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) q(i, j) = form.basis[static_cast<std::size_t>(j / kBandwidth)](i, j % kBandwidth);
  }
  return q;
}

Matrix matrix_of(const BandForm& form) {
  const Index n = form.band.rows();
  Matrix t(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k <= kBandwidth && j + k < n; ++k) t(j + k, j) = t(j, j + k) = form.band(j, k);
  }
  return t;
}

// (A + s I)^-1 b and the diagonal of (A + s I)^-1 from eigenvectors, A positive semi-definite.
ShiftedSolves by_eigenvectors(const Matrix& a, const Matrix& b, const Vector& shifts) {
  const linalg::Eigen e = linalg::eigen(a);
  const Index n = a.rows();
  const Matrix projected = test::product(e.vectors, b);
  ShiftedSolves out{{}, Matrix(n, static_cast<Index>(shifts.size()))};
  for (std::size_t s = 0; s < shifts.size(); ++s) {
    Matrix scaled(projected);
    for (Index k = 0; k < n; ++k) {
      const double weight = 1 / (std::max(0.0, e.values[static_cast<std::size_t>(k)]) + shifts[s]);
      for (Index j = 0; j < b.cols(); ++j) scaled(k, j) *= weight;
      for (Index i = 0; i < n; ++i) {
        out.inverse_diagonals(i, static_cast<Index>(s)) += weight * e.vectors(k, i) * e.vectors(k, i);
      }
    }
    out.z.push_back(test::product(transposed(e.vectors), scaled));
  }
  return out;
}

double largest(const Matrix& m) {
  double out = 0;
  for (Index i = 0; i < m.rows() * m.cols(); ++i) out = std::max(out, std::abs(m.data()[i]));
  return out;
}

Matrix column(const Matrix& m, Index j) {
  Matrix out(m.rows(), 1);
  for (Index i = 0; i < m.rows(); ++i) out(i, 0) = m(i, j);
  return out;
}

// Up to what the condition of A + s I allows: at most 1 + trace / s.
void expect_equals_eigenvectors(const Matrix& a, const Matrix& b, const Vector& shifts) {
  const ShiftedSolves ours = linalg::shifted_solves(lower_only(a), b, shifts, 1);
  const ShiftedSolves theirs = by_eigenvectors(a, b, shifts);
  ASSERT_EQ(ours.indefinite, -1);
  ASSERT_EQ(ours.z.size(), shifts.size());
  double trace = 0;
  for (Index i = 0; i < a.rows(); ++i) trace += a(i, i);
  for (std::size_t s = 0; s < shifts.size(); ++s) {
    SCOPED_TRACE(shifts[s]);
    const double tolerance = 1e-14 * (1 + trace / shifts[s]);
    const auto scaled = [&](const Matrix& m, const Matrix& reference) {
      Matrix out(m);
      for (Index i = 0; i < m.rows() * m.cols(); ++i) out.data()[i] /= largest(reference);
      return out;
    };
    expect_near(scaled(ours.z[s], theirs.z[s]), scaled(theirs.z[s], theirs.z[s]), tolerance);
    const Matrix diagonal = column(theirs.inverse_diagonals, static_cast<Index>(s));
    expect_near(scaled(column(ours.inverse_diagonals, static_cast<Index>(s)), diagonal), scaled(diagonal, diagonal),
                tolerance);
  }
}

TEST(Band, IsTheMatrixInAnotherBasis) {
  for (const Index n : kSizes) {
    SCOPED_TRACE(n);
    const Matrix a = semi_definite(n, n, 1);
    const BandForm form = linalg::band_form(lower_only(a), 1);
    const Matrix q = basis_of(form);
    Matrix identity(n, n);
    for (Index i = 0; i < n; ++i) identity(i, i) = 1;
    expect_near(test::product(q, transposed(q)), identity, 1e-13);
    expect_near(test::product(test::product(q, matrix_of(form)), transposed(q)), a, 1e-13);
  }
}

TEST(Band, IndefiniteMatricesToo) {
  Matrix a = random_matrix(100, 100, 2);
  for (Index i = 0; i < 100; ++i) {
    for (Index j = 0; j < i; ++j) a(j, i) = a(i, j);
  }
  const BandForm form = linalg::band_form(Matrix(a), 1);
  const Matrix q = basis_of(form);
  expect_near(test::product(test::product(q, matrix_of(form)), transposed(q)), a, 1e-12);
}

TEST(Band, OfWhatIsDiagonalOrZero) {
  Matrix a(120, 120);
  expect_near(matrix_of(linalg::band_form(Matrix(a), 1)), a, 0);
  for (Index i = 0; i < 120; ++i) a(i, i) = static_cast<double>(i % 7);
  expect_near(matrix_of(linalg::band_form(Matrix(a), 1)), a, 0);
}

TEST(ShiftedSolves, EqualEigenvectors) {
  const Vector shifts = {1e-3, 0.1, 1, 50};
  for (const Index n : kSizes) {
    SCOPED_TRACE(n);
    const Matrix a = semi_definite(n, n, 3), b = random_matrix(n, 2, 4);
    expect_equals_eigenvectors(a, b, shifts);
  }
}

TEST(ShiftedSolves, OfSingularMatrices) {
  const Vector shifts = {1e-6, 1e-2, 10};
  for (const Index rank : {1, 3, 40}) {
    SCOPED_TRACE(rank);
    const Matrix a = semi_definite(150, rank, 5), b = random_matrix(150, 1, 6);
    expect_equals_eigenvectors(a, b, shifts);
  }
}

// More shifts than are taken together, and more targets than one, or none.
TEST(ShiftedSolves, ManyShiftsAndTargets) {
  Vector shifts;
  for (int s = 0; s < 37; ++s) shifts.push_back(std::pow(10.0, -3 + 0.15 * s));
  const Matrix a = semi_definite(70, 70, 7), b = random_matrix(70, 5, 8);
  expect_equals_eigenvectors(a, b, shifts);
  const ShiftedSolves none = linalg::shifted_solves(Matrix(a), Matrix(70, 0), shifts, 1);
  EXPECT_EQ(none.inverse_diagonals, linalg::shifted_solves(Matrix(a), b, shifts, 1).inverse_diagonals);
  EXPECT_EQ(none.z[36].cols(), 0);
}

TEST(ShiftedSolves, ThreadsChangeNoBit) {
  const Matrix a = semi_definite(1100, 40, 9), b = random_matrix(1100, 1, 10);
  const Vector shifts = {0.01, 1};
  const ShiftedSolves one = linalg::shifted_solves(Matrix(a), b, shifts, 1);
  const ShiftedSolves three = linalg::shifted_solves(Matrix(a), b, shifts, 3);
  EXPECT_EQ(one.inverse_diagonals, three.inverse_diagonals);
  EXPECT_EQ(one.z, three.z);
}

TEST(ShiftedSolves, NameTheShiftThatIsTooSmall) {
  Matrix a(50, 50);
  for (Index i = 0; i < 50; ++i) a(i, i) = i == 20 ? -1 : 1;
  const Matrix b = random_matrix(50, 1, 11);
  EXPECT_EQ(linalg::shifted_solves(Matrix(a), b, Vector{2.0, 0.5, 0.1}, 1).indefinite, 1);
  EXPECT_EQ(linalg::shifted_solves(Matrix(a), b, Vector{2.0}, 1).indefinite, -1);
  a(49, 3) = std::nan("");
  EXPECT_EQ(linalg::shifted_solves(Matrix(a), b, Vector{2.0}, 1).indefinite, 0);
}

TEST(ShiftedSolves, CanBeCancelledAtEveryStage) {
  const Matrix a = semi_definite(200, 200, 12), b = random_matrix(200, 1, 13);
  for (const std::string stage : {"reduce", "path"}) {
    int reports = 0;
    const Monitor monitor([&](const Progress& progress) {
      EXPECT_GE(progress.fraction, 0);
      EXPECT_LE(progress.fraction, 1);
      return progress.stage != stage || ++reports < 3;
    });
    test::expect_error([&] { linalg::shifted_solves(Matrix(a), b, Vector{1.0}, 2, monitor); }, "Cancelled", {});
    EXPECT_EQ(reports, 3);
  }
}

}  // namespace
}  // namespace mercer::shifted_test
