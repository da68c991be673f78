// The catalog's rows, each defined beside its machine.
#pragma once

#include <vector>

#include "mercer/machines.hpp"

namespace mercer::detail {

std::vector<Machine> ridge_rows();
std::vector<Machine> ridge_classifier_rows();
std::vector<Machine> rfm_rows();
std::vector<Machine> ols_rows();
std::vector<Machine> gd_rows();
std::vector<Machine> nadaraya_watson_rows();
std::vector<Machine> kde_rows();
std::vector<Machine> gmm_rows();
std::vector<Machine> rbf_network_rows();
std::vector<Machine> svm_rows();
std::vector<Machine> linear_svm_rows();
std::vector<Machine> perceptron_rows();
std::vector<Machine> logistic_rows();
std::vector<Machine> kfda_rows();
std::vector<Machine> rrm_rows();
std::vector<Machine> gp_rows();
std::vector<Machine> gpc_rows();
std::vector<Machine> rvm_rows();
std::vector<Machine> pca_rows();
std::vector<Machine> mds_rows();
std::vector<Machine> kmeans_rows();
std::vector<Machine> spectral_rows();
std::vector<Machine> knn_rows();
std::vector<Machine> kcca_rows();

}  // namespace mercer::detail
