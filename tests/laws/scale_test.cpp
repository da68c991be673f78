// Every kernel at every scale: each entry is finite and right, or an error names the rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "laws/oracle.hpp"
#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::scale_test {
namespace {

const std::vector<double> kScales = {1e-150, 1e-60, 1, 1e60, 1e150};
const std::vector<double> kParameters = {1e-310, 1e-300, 1e-155, 1e-70, 1, 1e70, 1e155, 1e300};

// Positive, none beyond `scale`; two are equal, two nearly so.
Points points_at(double scale, Index dimension) {
  Matrix x = test::random_matrix(6, dimension, 7);
  for (Index k = 0; k < dimension; ++k) {
    for (Index i = 0; i < 6; ++i) x(i, k) = scale * (std::abs(x(i, k)) / 2);
    x(4, k) = x(1, k);
    x(5, k) = x(2, k) * (1 + 1e-9);
  }
  return rows(std::move(x));
}

// All its length scales, periods and so on at one value, where they may be.
std::optional<Kernel> with_all(const Kernel& k, double value) {
  const Params params = k.params();
  std::vector<Parameter> list(params.begin(), params.end());
  for (Parameter& p : list) p.value = value;
  try {
    return k.with(Params(std::move(list)));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<Kernel> leaves(Index dimension) {
  std::vector<Kernel> out;
  for (const CatalogRow& row : catalog()) {
    if (row.is_rule || row.example.empty() || row.name == "assume_psd") continue;
    const Kernel k = parse(row.example);
    if ((k.domain().kind != "reals" && k.domain().kind != "any") || row.domain == "gaussians") continue;
    if (k.domain().dimension > 0 && k.domain().dimension != dimension) continue;
    out.push_back(k);
  }
  for (const char* text : {"matern(nu=2.5)", "matern(nu=3.5)", "matern(nu=0.8)", "rq(alpha=0.01)", "exp(linear())",
                           "rbf(ell=1)*poly(degree=3)", "normalize(linear() + rbf(ell=1))", "scaled(norm, rbf(ell=1))",
                           "(rbf(ell=1) + linear())^5", "polynomial([1, 0, 2], matern(nu=1.5))"}) {
    out.push_back(parse(text));
  }
  if (dimension == 2) {
    for (const char* text : {"rbf(ell=[1, 1])", "laplace(ell=[1, 1])", "matern(nu=1.5, ell=[1, 1])",
                             "matern(nu=0.8, ell=[1, 1])", "rq(ell=[1, 1])"}) {
      out.push_back(parse(text));
    }
  }
  return out;
}

void expect_names_rows(const Error& error, const std::string& what) {
  EXPECT_TRUE(error.kind() == ErrorKind::numeric || error.kind() == ErrorKind::data) << what << error.what();
  const std::string text = error.what();
  EXPECT_TRUE(text.find("row") != std::string::npos || text.find("column") != std::string::npos) << what << text;
}

oracle::Point point(const DenseRows& rows, Index i) {
  return {rows.values.row(i), rows.values.row(i) + rows.values.cols()};
}

void expect_right(const Kernel& k, const Points& x, const Matrix& K, const std::string& what) {
  const DenseRows all = dense_rows(x);
  for (Index i = 0; i < K.rows(); ++i) {
    for (Index j = 0; j < K.cols(); ++j) {
      const auto expected = static_cast<double>(oracle::evaluate(k.node(), point(all, i), point(all, j)));
      const double size = std::sqrt(K(i, i)) * std::sqrt(K(j, j));
      ASSERT_TRUE(std::isfinite(K(i, j))) << what << i << j;
      ASSERT_NEAR(K(i, j), expected, 1e-9 * size + 1e-290) << what << "entry " << i << ", " << j;
    }
  }
}

TEST(ScaleLaw, EveryKernelIsRightOrNamesTheRows) {
  for (const Index dimension : {2, 20}) {
    for (const Kernel& form : leaves(dimension)) {
      for (const double parameter : kParameters) {
        const std::optional<Kernel> k = with_all(form, parameter);
        if (!k) continue;
        for (const double scale : kScales) {
          const std::string what = fmt::format("{} at scale {}, {} columns: ", k->str(), scale, dimension);
          const Points x = points_at(scale, dimension);
          try {
            expect_right(*k, x, gram(*k, x), what);
          } catch (const Error& error) {
            expect_names_rows(error, what);
          }
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

// Rows, products, sparse and single-precision storage: the same numbers, or the same refusal.
TEST(ScaleLaw, EveryWayToTheNumbersAgrees) {
  for (const Kernel& form : leaves(2)) {
    for (const double parameter : {1e-300, 1.0, 1e155}) {
      const std::optional<Kernel> k = with_all(form, parameter);
      if (!k) continue;
      for (const double scale : {1e-150, 1.0, 1e150}) {
        const std::string what = fmt::format("{} at scale {}: ", k->str(), scale);
        const Points x = points_at(scale, 2), copy = points_at(scale, 2);
        const Points sparse = rows(test::to_sparse(Matrix(dense_rows(x).values)));
        const std::vector<Index> all = {0, 1, 2, 3, 4, 5};
        std::optional<Matrix> K;
        try {
          K = gram(*k, x);
        } catch (const Error&) {
        }
        const auto expect_same = [&](const char* way, const std::function<Matrix()>& compute) {
          try {
            const Matrix other = compute();
            ASSERT_TRUE(K) << what << way << " does not refuse";
            const double largest = *std::max_element(K->data(), K->data() + 36);
            for (Index e = 0; e < 36; ++e) ASSERT_NEAR(other.data()[e], K->data()[e], 1e-9 * largest) << what << way;
          } catch (const Error& error) {
            ASSERT_FALSE(K) << what << way << ": " << error.what();
          }
        };
        Matrix identity(6, 6);
        for (Index i = 0; i < 6; ++i) identity(i, i) = 1;
        expect_same("cross", [&] { return cross(*k, x, copy); });
        expect_same("lazy rows", [&] { return lazy(*k, x).rows(all); });
        expect_same("lazy multiply", [&] { return lazy(*k, x).multiply(identity.view()); });
        expect_same("multiply", [&] { return multiply(*k, x, copy, identity); });
        expect_same("sparse", [&] { return gram(*k, sparse); });
      }
    }
  }
}

// d k / d ell, against the oracle's difference quotient in long double.
TEST(ScaleLaw, SlopesOfLengthScales) {
  for (const char* text : {"rbf(ell=1)", "exponential(ell=1)", "laplace(ell=1)", "matern(nu=1.5)", "matern(nu=3.5)",
                           "matern(nu=0.8)", "rq(ell=1)", "rbf(ell=[1, 1])", "periodic()"}) {
    for (const double parameter : {1e-150, 1e-70, 1e-20, 1.0, 1e70, 1e150}) {
      for (const double ratio : {1e-20, 0.7, 1e30}) {
        const double scale = parameter * ratio;
        if (scale < 1e-150 || scale > 1e150) continue;
        Kernel k = parse(text);
        const Params params = k.params();
        const Index p = params.find(params.size() == 1 || k.str()[0] == 'p' ? "ell" : params[0].path);
        const std::string what = fmt::format("{} with {} at scale {}: ", text, parameter, scale);
        if (k.str()[0] == 'p') k = k.with("period", 3 * scale);
        k = k.with(params[p].path, parameter);
        const Points x = points_at(scale, 2);
        const DenseRows all = dense_rows(x);
        Matrix w = test::random_matrix(6, 6, 3);
        const Vector slope = gradient(k, x, w);
        const Kernel up = k.with(params[p].path, parameter * (1 + 1e-6)),
                     down = k.with(params[p].path, parameter * (1 - 1e-6));
        long double expected = 0, size = 0;
        for (Index i = 0; i < 6; ++i) {
          for (Index j = 0; j < 6; ++j) {
            const auto a = point(all, i), b = point(all, j);
            const long double rise = (oracle::evaluate(up.node(), a, b) - oracle::evaluate(down.node(), a, b)) / 2e-6L;
            expected += w(i, j) * rise;
            size += std::abs(w(i, j) * rise);
          }
        }
        EXPECT_NEAR(slope[static_cast<std::size_t>(p)] * parameter, static_cast<double>(expected),
                    1e-6 * static_cast<double>(size) + 1e-10)  // the oracle rounds, too

            << what;
      }
    }
  }
}

}  // namespace
}  // namespace mercer::scale_test
