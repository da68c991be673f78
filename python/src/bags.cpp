// Bags, Gaussians and series.
#include "mercer/bags.hpp"

#include "convert.hpp"
#include "mercer/kernels.hpp"
#include "module.hpp"

namespace mercer::python {

namespace {

using Offsets = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

std::vector<Index> list_of(const Offsets& offsets) { return {offsets.data(), offsets.data() + offsets.size()}; }

}  // namespace

void bind_bags(py::module_& m) {
  m.def("bag_points", [](const Points& elements, const Offsets& offsets) { return bags(elements, list_of(offsets)); });
  m.def("series_points", [](const Points& steps, const Offsets& offsets) { return series(steps, list_of(offsets)); });
  m.def("gaussian_points", [](const Numbers& means, const Numbers& covariances) {
    return gaussians(view_of(means), view_of(covariances));
  });
  m.def("mean_embedding", &mean_embedding);
  m.def("rbf_of", &rbf_of);
}

}  // namespace mercer::python
