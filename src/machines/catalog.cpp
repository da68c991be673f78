// The machines by name. Adding one is a file that defines its rows, and a line here.
#include <algorithm>
#include <iterator>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "machines/catalog_rows.hpp"

namespace mercer {

namespace {

std::vector<Machine> all_rows() {
  std::vector<Machine> all;
  for (std::vector<Machine> (*rows)() : {
           detail::ridge_rows,
           detail::ols_rows,
           detail::gd_rows,
           detail::nadaraya_watson_rows,
           detail::kde_rows,
           detail::rbf_network_rows,
           detail::svm_rows,
           detail::linear_svm_rows,
           detail::perceptron_rows,
           detail::logistic_rows,
           detail::rrm_rows,
           detail::gp_rows,
           detail::gpc_rows,
           detail::rvm_rows,
           detail::pca_rows,
           detail::mds_rows,
           detail::kmeans_rows,
           detail::spectral_rows,
           detail::knn_rows,
           detail::kcca_rows,
           detail::gmm_rows,
           detail::kfda_rows,
           detail::ridge_classifier_rows,
           detail::rfm_rows,
       }) {
    std::ranges::move(rows(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = all_rows();
  return all;
}

const Machine& machine(std::string_view name) {
  std::vector<std::string> known;
  for (const Machine& row : machines()) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  const std::string hint = did_you_mean(name, known);
  fail(ErrorKind::usage, "no machine is called \"{}\"{}", name,
       hint.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : hint);
}

}  // namespace mercer
