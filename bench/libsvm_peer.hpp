// LIBSVM (Debian: libsvm-dev), called in this process on the points that Mercer is given. Its library is what its
// commands svm-train and svm-predict run.
#pragma once

#include <libsvm/svm.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/at.hpp"
#include "mercer/model.hpp"
#include "points/rep.hpp"

namespace mercer::peer {

// Points as LIBSVM holds them: for each the columns that are not zero, which is what its text format and svm-train
// keep.
class Nodes {
 public:
  explicit Nodes(const Points& x) {
    const auto* const sparse = dynamic_cast<const SparseReals*>(&x.rep());
    const DenseRows dense = sparse == nullptr ? dense_rows(x) : DenseRows{};
    for (Index i = 0; i < x.size(); ++i) {
      first_.push_back(nodes_.size());
      if (sparse == nullptr) {
        for (Index j = 0; j < dense.values.cols(); ++j) add(j, dense.values(i, j));
      } else {
        const SparseMatrix& m = sparse->values;
        for (Index e = m.offsets[at(i)]; e < m.offsets[at(i + 1)]; ++e) add(m.columns[at(e)], m.values[at(e)]);
      }
      nodes_.push_back({-1, 0});
    }
  }

  Index size() const { return static_cast<Index>(first_.size()); }
  const svm_node* operator[](Index i) const { return nodes_.data() + first_[at(i)]; }
  std::vector<svm_node*> pointers() {
    std::vector<svm_node*> out;
    for (const std::size_t first : first_) out.push_back(nodes_.data() + first);
    return out;
  }

 private:
  void add(Index column, double value) {
    if (value != 0) nodes_.push_back({static_cast<int>(column + 1), value});
  }
  std::vector<svm_node> nodes_;
  std::vector<std::size_t> first_;
};

// C-SVC with k(x, y) = exp(-gamma |x - y|^2). The model points into the nodes, which live here.
class LibsvmSvc {
 public:
  LibsvmSvc(const Points& x, const Labels& labels, double C, double gamma, double tolerance = 1e-3)
      : nodes_(x), pointers_(nodes_.pointers()), target_(labels.of.begin(), labels.of.end()), classes_(labels) {
    svm_set_print_string_function([](const char*) {});
    problem_ = {static_cast<int>(nodes_.size()), target_.data(), pointers_.data()};
    parameter_.svm_type = C_SVC;
    parameter_.kernel_type = RBF;
    parameter_.gamma = gamma;
    parameter_.C = C;
    parameter_.eps = tolerance;
    parameter_.cache_size = 4000;
    parameter_.shrinking = 1;
  }
  LibsvmSvc(const LibsvmSvc&) = delete;
  LibsvmSvc& operator=(const LibsvmSvc&) = delete;

  void train() { model_.reset(svm_train(&problem_, &parameter_)); }

  Index support_vectors() const { return model_->l; }

  // The coefficients of every training point, y_i alpha_i, one column per pair of classes (0,1) (0,2) ... (1,2) ... of
  // our labels, of which the first is positive.
  Matrix coefficients() const {
    const auto k = static_cast<Index>(classes_.classes.size());
    Matrix out(nodes_.size(), k * (k - 1) / 2);
    Index v = 0;
    for (Index a = 0; a < k; ++a) {
      for (const Index end = v + model_->nSV[a]; v < end; ++v) {
        for (Index b = 0; b < k; ++b) {
          if (b == a) continue;
          const Index i = model_->label[a], j = model_->label[b];
          const double value = model_->sv_coef[b < a ? b : b - 1][v];
          out(model_->sv_indices[v] - 1, column(i, j, k)) = (a < b) == (i < j) ? value : -value;
        }
      }
    }
    return out;
  }

  Index predict(const svm_node* x) const { return static_cast<Index>(svm_predict(model_.get(), x)); }

  // f of every pair of classes, in the order and with the sides of coefficients().
  Vector decisions(const svm_node* x) const {
    const auto k = static_cast<Index>(classes_.classes.size());
    Vector theirs(at(k * (k - 1) / 2)), out(theirs.size());
    svm_predict_values(model_.get(), x, theirs.data());
    std::size_t t = 0;
    for (Index a = 0; a < k; ++a) {
      for (Index b = a + 1; b < k; ++b, ++t) {
        const Index i = model_->label[a], j = model_->label[b];
        out[at(column(i, j, k))] = i < j ? theirs[t] : -theirs[t];
      }
    }
    return out;
  }

 private:
  static Index column(Index i, Index j, Index k) {
    const Index low = std::min(i, j), high = std::max(i, j);
    return low * k - low * (low + 1) / 2 + high - low - 1;
  }
  struct Destroy {
    void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
  };

  Nodes nodes_;
  std::vector<svm_node*> pointers_;
  std::vector<double> target_;
  Labels classes_;
  svm_problem problem_{};
  svm_parameter parameter_{};
  std::unique_ptr<svm_model, Destroy> model_;
};

}  // namespace mercer::peer
