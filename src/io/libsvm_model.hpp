// The two files of LIBSVM models: read and written.
#pragma once

#include <array>
#include <string_view>

#include "mercer/libsvm_model.hpp"

namespace mercer::detail {

struct SvmType {
  std::string_view libsvm, machine;
  bool classifies;
  Reading reading;  // for two classes, where it classifies
};

const std::array<SvmType, 5> kSvmTypes = {{
    {"c_svc", "svc", true, Reading::binary},
    {"nu_svc", "nusvc", true, Reading::binary},
    {"one_class", "oneclass", false, Reading::novelty},
    {"epsilon_svr", "svr", false, Reading::value},
    {"nu_svr", "nusvr", false, Reading::value},
}};

// LIBSVM estimates the noise of a regression as a Laplace density and keeps its scale as probA; it is a figure here.
constexpr const char* kLaplaceScale = "laplace_scale";

}  // namespace mercer::detail
