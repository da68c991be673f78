#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "linalg/lapack.hpp"
#include "mercer/testing.hpp"
#include "points/rep.hpp"
#include "testing/compare.hpp"

namespace mercer::testing {

namespace {

using Broken = std::vector<std::string>;

bool is_real(const Points& x) { return x.domain().kind == "reals"; }

double contracted(MatrixView k, MatrixView w) {
  double out = 0;
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.cols(); ++j) out += k(i, j) * w(i, j);
  }
  return out;
}

class KernelLaws {
 public:
  KernelLaws(const Kernel& k, const Points& x, const LawOptions& options)
      : k_(k.resolve(x)), x_(x), options_(options), random_(options.seed), K_(gram(k_, x_)), scale_(largest(K_)) {}

  Broken check() {
    matrix_laws();
    execution_laws();
    round_trips();
    parameter_gradients();
    if (options_.input_gradient && is_real(x_)) input_gradients();
    return broken_;
  }

 private:
  void expect_close(const char* law, MatrixView a, MatrixView b) {
    const double gap = difference(a, b);
    if (!(gap <= options_.tolerance * scale_)) {
      broken_.push_back(fmt::format("{}: differs by {:.3g}, largest entry {:.3g}, for {}", law, gap, scale_, k_.str()));
    }
  }
  void expect(bool holds, const char* law) {
    if (!holds) broken_.push_back(fmt::format("{}, for {}", law, k_.str()));
  }
  void expect_slope(const std::string& what, double exact, double numeric, double size) {
    const double gap = std::abs(exact - numeric);
    if (!(gap <= options_.gradient_tolerance * std::max({std::abs(exact), std::abs(numeric), size}))) {
      broken_.push_back(fmt::format("gradient of {}: {:.10g} in reverse mode, {:.10g} by differences, for {}", what,
                                    exact, numeric, k_.str()));
    }
  }

  void matrix_laws() {
    bool symmetric = true, finite = true;
    for (Index i = 0; i < K_.rows(); ++i) {
      for (Index j = 0; j < K_.cols(); ++j) {
        symmetric = symmetric && K_(i, j) == K_(j, i);
        finite = finite && std::isfinite(K_(i, j));
      }
    }
    expect(finite, "K is finite");
    expect(symmetric, "K = K'");
    if (!finite) return;
    if (K_.rows() > 0) {
      const double least = linalg::eigenvalues(K_).front();
      const double rounding = options_.tolerance * scale_ * static_cast<double>(K_.rows());
      if (!(least >= -rounding)) {
        broken_.push_back(fmt::format("no eigenvalue below 0: the least is {:.3g}, largest entry {:.3g}, for {}", least,
                                      scale_, k_.str()));
      }
    }
    const Vector own = diagonal(k_, x_);
    bool same = true;
    for (Index i = 0; i < K_.rows(); ++i) same = same && own[at(i)] == K_(i, i);
    expect(same, "diagonal() is the diagonal of K");
  }

  void execution_laws() {
    const std::vector<Index> order = numbers_up_to(x_.size());
    const Points copy = x_.select(order);
    expect_close("K(X) = K(X, X)", K_, cross(k_, x_, copy));
    expect_close("the tile size does not matter", K_, gram(k_, x_, {.tile = 7}));
    expect(gram(k_, x_, {.tile = 7, .threads = 1}) == gram(k_, x_, {.tile = 7, .threads = 3}),
           "the number of threads changes no bit");

    std::vector<Index> shuffled = order;
    shuffle(shuffled, random_);
    const Matrix moved = gram(k_, x_.select(shuffled));
    Matrix expected(K_.rows(), K_.cols());
    for (Index i = 0; i < K_.rows(); ++i) {
      for (Index j = 0; j < K_.cols(); ++j) expected(i, j) = K_(shuffled[at(i)], shuffled[at(j)]);
    }
    expect_close("the order of the points does not matter", expected, moved);
    if (is_real(x_)) expect_close("dense and sparse rows agree", K_, gram(k_, as_sparse(x_)));

    const Matrix v = random_matrix(K_.rows(), 2, random_);
    Matrix product(K_.rows(), 2);
    linalg::multiply(1, K_, v, 0, product);
    const double size = scale_ * static_cast<double>(K_.rows());
    const double gap = std::max(difference(product, lazy(k_, x_).multiply(v, {.tile = 7})),
                                difference(product, multiply(k_, x_, copy, v, {.tile = 7})));
    if (!(gap <= options_.tolerance * size))
      broken_.push_back(fmt::format("K v tile by tile: differs by {:.3g}, for {}", gap, k_.str()));
  }

  void round_trips() {
    const Params params = k_.params();
    expect(k_.with(params) == k_, "with(params()) changes nothing");
    try {
      expect(parse(k_.str()) == k_, "parse(str()) changes nothing");
    } catch (const Error& e) {
      // What was made from a function of the program's own has a text for readers only.
      if (k_.str().find("features(") == std::string::npos && !k_.proof().assumes()) {
        broken_.push_back(fmt::format("parse(str()): {}", e.what()));
      }
    }
    const Vector theta = params.theta();
    const Params back = params.with_theta(theta);
    for (Index p = 0; p < params.size(); ++p) {
      expect(std::abs(back[p].value - params[p].value) <= 1e-9 * std::abs(params[p].value),
             "theta() and with_theta() are inverse");
    }
  }

  void parameter_gradients() {
    const Matrix w = random_matrix(K_.rows(), K_.cols(), random_);
    const Points copy = x_.select(numbers_up_to(x_.size()));
    const Vector exact = gradient(k_, x_, w, {.tile = 7});
    const Vector rectangular = gradient(k_, x_, copy, w, {.tile = 7});
    expect(gradient(k_, x_, w, {.tile = 7, .threads = 1}) == gradient(k_, x_, w, {.tile = 7, .threads = 3}),
           "the number of threads changes no bit of the gradient");
    const Params params = k_.params();
    const double size = scale_ * static_cast<double>(K_.rows());  // the size sums of entries reach
    for (Index p = 0; p < params.size(); ++p) {
      const double value = params[p].value;
      const double h = value != 0 ? 1e-5 * std::abs(value) : 1e-5;
      // One-sided at an end.
      const double low = std::max(value - h, params[p].lower), high = std::min(value + h, params[p].upper);
      const double numeric =
          (contracted(gram(at_value(params, p, high), x_), w) - contracted(gram(at_value(params, p, low), x_), w)) /
          (high - low);
      const double natural = size / std::max(std::abs(value), 1.0);
      expect_slope(params[p].path, exact[at(p)], numeric, natural);
      expect_slope(params[p].path + " (two point sets)", rectangular[at(p)], numeric, natural);
    }
  }

  Kernel at_value(const Params& params, Index p, double value) const {
    std::vector<Parameter> list(params.begin(), params.end());
    list[at(p)].value = value;
    return k_.with(Params(std::move(list)));
  }

  void input_gradients() {
    const DenseRows rows = dense_rows(x_);
    const Points y = x_.select(numbers_up_to(x_.size()));
    const Matrix w = random_matrix(K_.rows(), K_.cols(), random_);
    const Matrix exact = input_gradient(k_, x_, y, w, {.tile = 7});
    for (Index i = 0; i < std::min<Index>(3, x_.size()); ++i) {
      for (Index c = 0; c < rows.values.cols(); ++c) {
        const double h = 1e-5 * std::max(1.0, std::abs(rows.values(i, c)));
        const auto shifted = [&](double by) {
          Matrix moved(rows.values);
          moved(i, c) += by;
          return contracted(cross(k_, named_like(mercer::rows(std::move(moved)), x_), y), w);
        };
        expect_slope(fmt::format("x({}, {})", i, c), exact(i, c), (shifted(h) - shifted(-h)) / (2 * h),
                     scale_ * std::sqrt(static_cast<double>(K_.rows())));
      }
    }
  }

  Kernel k_;
  Points x_;
  LawOptions options_;
  Random random_;
  Matrix K_;
  double scale_;
  Broken broken_;
};

bool mentions(const Proof& proof, const std::string& statement) {
  return proof.statement == statement || std::any_of(proof.premises.begin(), proof.premises.end(),
                                                     [&](const Proof& p) { return mentions(p, statement); });
}

}  // namespace

Broken broken_laws(const Kernel& k, const Points& x, const LawOptions& options) {
  return KernelLaws(k, x, options).check();
}

Broken broken_algebra_laws(const Kernel& a, const Kernel& b, const Kernel& c, const Points& x,
                           const LawOptions& options) {
  Broken broken;
  const auto expect_equal = [&](const char* law, const Kernel& left, const Kernel& right) {
    const Matrix one = gram(left, x), other = gram(right, x);
    const double gap = difference(one, other), scale = std::max(largest(one), largest(other));
    if (!(gap <= options.tolerance * scale)) {
      broken.push_back(fmt::format("{}: {} and {} differ by {:.3g}", law, left.str(), right.str(), gap));
    }
  };
  expect_equal("a + b = b + a", a + b, b + a);
  expect_equal("a * b = b * a", a * b, b * a);
  expect_equal("(a + b) c = a c + b c", (a + b) * c, a * c + b * c);
  expect_equal("2 a = a + a", 2.0 * a, a + a);
  expect_equal("a^2 = a a", pow(a, 2), a * a);
  expect_equal("polynomial = its terms", polynomial({1, 0.5, 2}, a), 1.0 + 0.5 * a + 2.0 * pow(a, 2));
  const Kernel na = normalize(a), nb = normalize(b);
  expect_equal("exp(a + b) = exp(a) exp(b)", exp(na + nb), exp(na) * exp(nb));
  expect_equal("normalize(normalize(a)) = normalize(a)", normalize(na), na);
  const Vector own = diagonal(a, x), one = diagonal(na, x);
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (own[i] > 0 && std::abs(one[i] - 1) > options.tolerance) {
      broken.push_back(fmt::format("normalize has a unit diagonal: {} gives {}", na.str(), one[i]));
    }
  }
  const Proof proof = ((a + b) * c).proof();
  if (!mentions(proof, c.str())) {
    // A sum or product as c is taken apart by flattening; its own premises are then what must be there.
    for (const Proof& premise : c.proof().premises) {
      if (!mentions(proof, premise.statement))
        broken.push_back("the proof of (a + b) c does not mention " + premise.statement);
    }
  }
  return broken;
}

Broken broken_gram_laws(const Gram& k, const LawOptions& options) {
  Broken broken;
  Random random(options.seed);
  const Matrix K = k.rows(numbers_up_to(k.size()));
  const double scale = largest(K);
  const auto expect_close = [&](const char* law, MatrixView a, MatrixView b, double size) {
    const double gap = difference(a, b);
    if (!(gap <= options.tolerance * size)) broken.push_back(fmt::format("{}: differs by {:.3g}", law, gap));
  };
  Matrix transposed(K.rows(), K.cols()), own(K.rows(), 1), expected_own(K.rows(), 1);
  const Vector diagonal = k.diagonal();
  for (Index i = 0; i < K.rows(); ++i) {
    own(i, 0) = diagonal[at(i)];
    expected_own(i, 0) = K(i, i);
    for (Index j = 0; j < K.cols(); ++j) transposed(j, i) = K(i, j);
  }
  expect_close("symmetry", K, transposed, scale);
  expect_close("diagonal() is the diagonal of rows()", expected_own, own, scale);
  std::vector<Index> some = {k.size() - 1, 0, k.size() / 2};
  const Matrix picked = k.rows(some);
  for (std::size_t r = 0; r < some.size(); ++r) {
    expect_close("rows() in any order", K.view().block({some[r], some[r] + 1}, {0, K.cols()}),
                 picked.view().block({static_cast<Index>(r), static_cast<Index>(r) + 1}, {0, K.cols()}), scale);
  }
  const Matrix v = random_matrix(K.rows(), 3, random);
  Matrix product(K.rows(), 3);
  linalg::multiply(1, K, v, 0, product);
  expect_close("multiply() is rows() times v", product, k.multiply(v), scale * static_cast<double>(K.rows()));
  expect_close("rows() in small tiles", K, k.rows(numbers_up_to(k.size()), {.tile = 7}), scale);
  expect_close("multiply() in small tiles", product, k.multiply(v, {.tile = 7}), scale * static_cast<double>(K.rows()));
  if (!k.dense().empty()) expect_close("dense() is all rows()", K, k.dense(), scale);
  if (K.rows() > 0 && !(linalg::eigenvalues(K).front() >= -options.tolerance * scale * static_cast<double>(K.rows()))) {
    broken.emplace_back("no eigenvalue below 0");
  }
  return broken;
}

}  // namespace mercer::testing
