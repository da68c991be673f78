// The kernels that LIBSVM and Mercer share.
#pragma once

#include <string>

#include "mercer/kernel.hpp"

namespace mercer::detail {

// factor * k, where k is LIBSVM's kernel of this type: linear, polynomial or rbf.
struct LibsvmKernel {
  std::string type;
  int degree = 1;
  double gamma = 1, coef0 = 0;
  double factor = 1;
};

Kernel to_kernel(const LibsvmKernel& k);  // throws KernelError for what is no kernel: sigmoid, coef0 < 0, gamma <= 0
LibsvmKernel to_libsvm(const Kernel& k);  // throws UsageError for what LIBSVM does not have

}  // namespace mercer::detail
