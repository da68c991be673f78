#include "machines/clusters/scaled.hpp"

#include "base/at.hpp"

namespace mercer::detail {

namespace {

class Scaled final : public GramSource {
 public:
  Scaled(Gram inner, Vector s) : inner_(std::move(inner)), s_(std::move(s)) {}
  Index size() const override { return inner_.size(); }
  void diagonal(VectorRef out) const override {
    inner_.source().diagonal(out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] *= s_[i] * s_[i];
  }
  void rows(std::span<const Index> which, MatrixRef out, const Execution& how) const override {
    inner_.source().rows(which, out, how);
    for (Index r = 0; r < out.rows(); ++r) {
      const double own = s_[at(which[at(r)])];
      for (Index j = 0; j < out.cols(); ++j) out(r, j) *= own * s_[at(j)];
    }
  }
  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    Matrix scaled(v);
    scale(scaled);
    inner_.source().multiply(scaled, out, how);
    scale(out);
  }

 private:
  void scale(MatrixRef m) const {
    for (Index i = 0; i < m.rows(); ++i) {
      for (Index j = 0; j < m.cols(); ++j) m(i, j) *= s_[at(i)];
    }
  }

  Gram inner_;
  Vector s_;
};

}  // namespace

Gram scaled(const Gram& K, Vector s) { return Gram(std::make_shared<const Scaled>(K, std::move(s))); }

}  // namespace mercer::detail
