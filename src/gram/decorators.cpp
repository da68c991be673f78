// Grams made from another one: H K H and K + ridge I.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/found.hpp"
#include "mercer/gram.hpp"

namespace mercer {

namespace {

Vector column_means(MatrixView m) {
  Vector means(at(m.cols()));
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) means[at(j)] += m(i, j);
  }
  for (double& mean : means) mean /= static_cast<double>(m.rows());
  return means;
}

Matrix without_column_means(MatrixView m) {
  Matrix out(m);
  const Vector means = column_means(m);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) -= means[at(j)];
  }
  return out;
}

class Centred final : public GramSource {
 public:
  Centred(Gram inner, const Execution& how) : inner_(std::move(inner)) {
    const double share = 1.0 / static_cast<double>(size());
    means_ = inner_.multiply(VectorView(Vector(at(size()), share)), how);
    for (const double mean : means_) mean_ += mean * share;
  }

  Index size() const override { return inner_.size(); }
  void diagonal(VectorRef out) const override {
    inner_.source().diagonal(out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += mean_ - 2 * means_[i];
  }
  void rows(std::span<const Index> which, MatrixRef out, const Execution& how) const override {
    inner_.source().rows(which, out, how);
    for (Index r = 0; r < out.rows(); ++r) {
      const double shift = mean_ - means_[at(which[at(r)])];
      for (Index j = 0; j < out.cols(); ++j) out(r, j) += shift - means_[at(j)];
    }
  }
  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    inner_.source().multiply(without_column_means(v), out, how);
    const Vector means = column_means(out);
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index j = 0; j < out.cols(); ++j) out(i, j) -= means[at(j)];
    }
  }
  GramKind kind() const override {
    const GramKind of = inner_.kind();
    return of == GramKind::numbers || of == GramKind::shifted ? of : GramKind::centred;
  }
  std::optional<Matrix> factor(Index most) const override {
    std::optional<Matrix> out = inner_.factor(most);
    if (out) out = without_column_means(*out);
    return out;
  }
  // H K H alpha + b = K (H alpha) + b - mean of K (H alpha): the function of another alpha and another b.
  Expansion expansion(Expansion::Parts found, const Execution& how) const override {
    if (kind() == GramKind::shifted) return GramSource::expansion(std::move(found), how);
    const Matrix alpha = without_column_means(detail::alpha_of_all(found));
    const Vector offset = at_the_mean(alpha);
    found.bias.resize(offset.size());
    for (std::size_t c = 0; c < offset.size(); ++c) found.bias[c] -= offset[c];
    return inner_.expansion(alpha, std::move(found.bias), how);
  }
  std::optional<Kernel> kernel() const override { return inner_.kernel(); }
  std::optional<Points> points() const override { return inner_.points(); }

 private:
  // The mean over the points of each column of K v.
  Vector at_the_mean(const Matrix& v) const {
    Vector out(at(v.cols()));
    for (Index j = 0; j < v.rows(); ++j) {
      for (Index c = 0; c < v.cols(); ++c) out[at(c)] += means_[at(j)] * v(j, c);
    }
    return out;
  }

  Gram inner_;
  Vector means_;     // of each row of K
  double mean_ = 0;  // of all of K
};

class Shifted final : public GramSource {
 public:
  Shifted(Gram inner, double ridge) : inner_(std::move(inner)), ridge_(ridge) {}

  Index size() const override { return inner_.size(); }
  void diagonal(VectorRef out) const override {
    inner_.source().diagonal(out);
    for (double& value : out) value += ridge_;
  }
  void rows(std::span<const Index> which, MatrixRef out, const Execution& how) const override {
    inner_.source().rows(which, out, how);
    for (Index r = 0; r < out.rows(); ++r) out(r, which[at(r)]) += ridge_;
  }
  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    inner_.source().multiply(v, out, how);
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index j = 0; j < out.cols(); ++j) out(i, j) += ridge_ * v(i, j);
    }
  }
  GramKind kind() const override {
    return ridge_ == 0 || inner_.kind() == GramKind::numbers ? inner_.kind() : GramKind::shifted;
  }
  std::optional<Matrix> factor(Index most) const override { return ridge_ == 0 ? inner_.factor(most) : std::nullopt; }
  Expansion expansion(Expansion::Parts found, const Execution& how) const override {
    return ridge_ == 0 ? inner_.expansion(std::move(found), how) : GramSource::expansion(std::move(found), how);
  }
  std::optional<Kernel> kernel() const override { return inner_.kernel(); }
  std::optional<Points> points() const override { return inner_.points(); }

 private:
  Gram inner_;
  double ridge_;
};

}  // namespace

Gram centred(const Gram& k, const Execution& how) {
  if (k.size() == 0) fail(ErrorKind::shape, "centred: the Gram matrix is empty");
  return Gram(std::make_shared<const Centred>(k, how));
}

Gram shifted(const Gram& k, double ridge) {
  if (!(ridge >= 0) || std::isinf(ridge))
    fail(ErrorKind::usage, "shifted: the ridge must be a finite number >= 0, not {}", ridge);
  return Gram(std::make_shared<const Shifted>(k, ridge));
}

}  // namespace mercer
