// LIBSVM models from hostile bytes: refused with a FileError on one line, or a model that can be written again.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "mercer/error.hpp"
#include "mercer/libsvm_model.hpp"

namespace mercer::fuzz_libsvm_model {

namespace {

std::vector<std::string> seeds() {
  return {
      "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.1\nlabel 1 -1\nprobA -1\nprobB 0\n"
      "nr_sv 1 1\nSV\n1 1:0.5 3:1 \n-1 2:1 \n",
      "svm_type nu_svc\nkernel_type polynomial\ndegree 3\ngamma 0.5\ncoef0 1\nnr_class 3\ntotal_sv 3\nrho 0 1 2\n"
      "label 3 1 2\nnr_sv 1 1 1\nSV\n1 0.5 1:1\n-1 1 1:2\n-0.5 -1 1:3\n",
      "svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nprobA 0.1\nSV\n1e-3 1:1\n",
      "svm_type one_class\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 0.5\nSV\n0.5 0:3 \n0.5 0:1 \n",
      "svm_type nu_svr\nkernel_type sigmoid\ngamma 1\ncoef0 0\nnr_class 2\ntotal_sv 0\nrho 1\nSV\n",
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  try {
    const Model m = parse_libsvm_model(content, "fuzz.model");
    std::ostringstream out;
    try {
      write_libsvm_model(out, m);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) std::abort();
      return;
    }
    parse_libsvm_model(out.str(), "again.model");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::file || std::string(error.what()).find('\n') != std::string::npos) std::abort();
    if (std::string(error.what()).starts_with("FileError: again.model")) std::abort();
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"libsvm_model", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_libsvm_model
