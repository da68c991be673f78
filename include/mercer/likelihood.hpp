// mercer/likelihood.hpp: how a latent f shows in what is observed: p(y | f).
//
// A Likelihood is a value that points to a row of functions. Each row is one file in src/model/likelihoods and one line
// in the list of src/model/likelihoods.cpp; a model file names its row. Of a row that states log p with its
// derivatives, the Laplace approximation, the gradients of its evidence, averages over f and model files come with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

class Likelihood {
 public:
  // What y may be.
  enum class Of {
    numbers,      // what a regression has
    two_classes,  // +1: classes[1], -1: classes[0]
    classes,      // the number of a class, from 0; each class has a latent function, and they are coupled
  };
  // log p(y | f) and its derivatives by f.
  struct Terms {
    double log_p;
    double slope;      // the first
    double curvature;  // minus the second, >= 0: log p is concave
    double skew;       // the third over the second, of moderate size where both vanish
  };
  struct Row {
    std::string_view name;  // in files and options: "logistic", ...
    Of of;
    // All digits hold however far f is on either side. Null where latent functions are coupled, or f is observed
    // itself.
    Terms (*terms)(double y, double f) = nullptr;
    // The mean of p(y = 1 | f) over f ~ N(mean, variance), with all its digits where it is small; null likewise.
    double (*average)(double mean, double variance) = nullptr;
  };

  static const Likelihood none;      // f is observed, with noise
  static const Likelihood logistic;  // p(+1) = 1 / (1 + exp(-f))
  static const Likelihood probit;    // p(+1) = Phi(f)
  static const Likelihood softmax;   // p(c) = exp(f_c) / sum_d exp(f_d)

  constexpr explicit Likelihood(const Row& row) : row_(&row) {}
  const Row* operator->() const { return row_; }
  bool of_classes() const { return row_->of != Of::numbers; }
  bool coupled() const { return row_->of == Of::classes; }
  friend bool operator==(const Likelihood& a, const Likelihood& b) { return a.row_ == b.row_; }

 private:
  const Row* row_;
};

const std::vector<Likelihood>& likelihoods();  // all of them

}  // namespace mercer
