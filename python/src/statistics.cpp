// Kernel statistics: tests, alignment, representatives.
#include <pybind11/stl.h>

#include "module.hpp"
#include "progress.hpp"

namespace mercer::python {

namespace {

py::dict told(const TestResult& result) {
  py::list parts;
  for (const TestResult::Part& part : result.parts) parts.append(py::make_tuple(part.kernel, part.statistic, part.p));
  py::dict out;
  out["statistic"] = result.statistic;
  out["p"] = result.p;
  out["alpha"] = result.alpha;
  out["rejected"] = result.rejected();
  out["null"] = result.null;
  out["resamples"] = result.resamples;
  out["seed"] = result.seed;
  out["parts"] = parts;
  out["remarks"] = result.remarks;
  return out;
}

Resampling resampling(Index resamples, double alpha, std::uint64_t seed) { return {resamples, alpha, seed}; }

Estimate estimate_of(bool unbiased) { return unbiased ? Estimate::unbiased : Estimate::biased; }

TwoSampleTest::Null null_of(const std::string& name) {
  if (name == "normal") return TwoSampleTest::Null::normal;
  return name == "signs" ? TwoSampleTest::Null::sign_flips : TwoSampleTest::Null::permutations;
}

std::vector<Gram> exact_ones(const std::vector<Kernel>& kernels, const Points& x, const Execution& how) {
  std::vector<Gram> out;
  for (const Kernel& k : kernels) out.push_back(exact(k, x, how));
  return out;
}

}  // namespace

void bind_statistics(py::module_& m) {
  m.def("mmd2", [](const Kernel& k, const Points& a, const Points& b, bool unbiased) {
    return released(py::none(), [&](const Execution& how) { return mmd2(k, a, b, estimate_of(unbiased), how); });
  });
  m.def("test_mmd",
        [](const std::vector<Kernel>& kernels, const Points& a, const Points& b, bool unbiased, const std::string& null,
           const std::string& scale, Index resamples, double alpha, std::uint64_t seed, const py::object& callback) {
          const TwoSampleTest test{.resampling = resampling(resamples, alpha, seed),
                                   .estimate = estimate_of(unbiased),
                                   .null = null_of(null),
                                   .scale = scaling_kind(scale)};
          return told(released(callback, [&](const Execution& how) {
            return kernels.empty() ? test.run(a, b, how) : test.run(kernels, a, b, how);
          }));
        });
  m.def("bandwidths", [](const Points& x) { return bandwidths(x); });
  m.def("hsic", [](const Kernel& k, const Points& x, const Kernel& l, const Points& y, bool unbiased) {
    return released(py::none(), [&](const Execution& how) {
      return hsic(gram_for(k, x, {}), gram_for(l, y, {}), estimate_of(unbiased), how);
    });
  });
  m.def("test_hsic", [](const std::vector<Kernel>& k, const Points& x, const std::vector<Kernel>& l, const Points& y,
                        bool unbiased, Index resamples, double alpha, std::uint64_t seed, const py::object& callback) {
    const IndependenceTest test{.resampling = resampling(resamples, alpha, seed), .estimate = estimate_of(unbiased)};
    return told(released(
        callback, [&](const Execution& how) { return test.run(exact_ones(k, x, how), exact_ones(l, y, how), how); }));
  });
  m.def("ksd2", [](const Kernel& k, const Points& x, const py::object& scores, bool unbiased) {
    Matrix given = to_matrix(scores);
    return released(py::none(), [&](const Execution& how) {
      return ksd2(stein(k, x, std::move(given)), estimate_of(unbiased), how);
    });
  });
  m.def("test_ksd", [](const Kernel& k, const Points& x, const py::object& scores, bool unbiased, Index resamples,
                       double alpha, std::uint64_t seed, const py::object& callback) {
    const GoodnessOfFitTest test{.resampling = resampling(resamples, alpha, seed), .estimate = estimate_of(unbiased)};
    Matrix given = to_matrix(scores);
    return told(released(callback, [&](const Execution& how) { return test.run(k, x, std::move(given), how); }));
  });
  m.def("test_normality",
        [](const Points& x, Index resamples, double alpha, std::uint64_t seed, const py::object& callback) {
          return told(released(callback, [&](const Execution& how) {
            return test_normality(x, resampling(resamples, alpha, seed), how);
          }));
        });
  m.def("alignments", [](const std::vector<std::pair<Kernel, Points>>& sides) {
    std::vector<Gram> matrices;
    for (const auto& [k, x] : sides) matrices.push_back(gram_for(k, x, {}));
    return to_array(released(py::none(), [&](const Execution& how) { return alignments(matrices, how); }));
  });
  m.def("herding", [](const Kernel& k, const Points& x, Index count, const py::object& callback) {
    return to_array(released(
        callback, [&](const Execution& how) { return Herding{.count = count}.choose(gram_for(k, x, {}), how); }));
  });
  m.def("thinning", [](const Kernel& k, const Points& x, Index count, std::uint64_t seed, const py::object& callback) {
    return to_array(released(callback, [&](const Execution& how) {
      return Thinning{.count = count, .seed = seed}.choose(gram_for(k, x, {}), how);
    }));
  });
  m.def("distance_to_all", [](const Kernel& k, const Points& x, const std::vector<Index>& chosen) {
    return released(py::none(), [&](const Execution& how) { return distance_to_all(gram_for(k, x, {}), chosen, how); });
  });
}

}  // namespace mercer::python
