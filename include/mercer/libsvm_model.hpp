// mercer/libsvm_model.hpp: models of LIBSVM's svm-train, in and out.
//
//     Model m = read_libsvm_model("a9a.model");
//     write_libsvm_model("a9a.again", m);            // svm-predict reads it
//
// | LIBSVM                                | here                                                        |
// |---------------------------------------|-------------------------------------------------------------|
// | c_svc, nu_svc                         | svc, nusvc: Reading::binary, or votes for more classes       |
// | epsilon_svr, nu_svr, one_class        | svr, nusvr: Reading::value; oneclass: Reading::novelty       |
// | linear                                | linear()                                                    |
// | polynomial gamma coef0 degree         | (gamma*linear() + coef0)^degree, coef0 >= 0                  |
// | rbf gamma                             | rbf(ell), ell = 1/sqrt(2 gamma)                             |
// | precomputed                           | no kernel; the numbers of the support vectors are support() |
// | sigmoid                               | refused: it is not positive semi-definite                   |
// | probA, probB                          | Calibration::sigmoids                                       |
//
// Classes keep LIBSVM's order, so that scores have its signs and ties go where svm-predict sends them: `label a b c`
// are the classes a, b, c; of two classes `label p n`, where positive means p, they are n, p.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "mercer/model.hpp"

namespace mercer {

// A model file does not say how many columns the data had; there are at least as many as a support vector uses, and at
// least `columns`. Throws Error (file) with the line.
Model read_libsvm_model(const std::string& path, Index columns = 0);
// From the content of a file. `name` is what errors call it.
Model parse_libsvm_model(std::string_view text, const std::string& name, Index columns = 0);

// Throws UsageError for what LIBSVM cannot express: other machines and kernels, scaled inputs, classes that are no
// whole numbers. A factor in front of the kernel goes into the coefficients.
void write_libsvm_model(const std::string& path, const Model& m);
void write_libsvm_model(std::ostream& out, const Model& m);

}  // namespace mercer
