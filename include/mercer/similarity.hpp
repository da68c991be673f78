// mercer/similarity.hpp: functions of two points about which nothing is proved.
//
// A Similarity is no Kernel and does not convert to one. `assume_psd` turns it into one on the
// caller's word; the reason is printed in every proof the kernel takes part in.
//
//     Kernel k = assume_psd(Similarity::formula("tanh(dot(x,y))"), "checked on this data set");
#pragma once

#include <functional>
#include <string>

#include "mercer/kernel.hpp"

namespace mercer {

class Similarity {
 public:
  using Function = std::function<double(VectorView x, VectorView y)>;

  // A formula in x and y, as `mercer check` takes it; has a text that parses again.
  static Similarity formula(const std::string& text);
  // Any function of two real vectors; `name` is what texts call it, and they do not parse again.
  static Similarity function(const std::string& name, Function f);

  double operator()(VectorView x, VectorView y) const { return function_(x, y); }
  const std::string& str() const { return text_; }
  bool is_formula() const { return is_formula_; }
  friend bool operator==(const Similarity& a, const Similarity& b) {
    return a.text_ == b.text_ && a.is_formula_ == b.is_formula_;
  }

 private:
  Similarity(std::string text, Function f, bool is_formula);
  std::string text_;
  Function function_;
  bool is_formula_;
};

Kernel assume_psd(const Similarity& s, const std::string& because);

}  // namespace mercer
