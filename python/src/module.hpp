// The parts of the module mercer._core, each in a file of its own.
#pragma once

#include "convert.hpp"

namespace mercer::python {

void bind_errors(py::module_& m);
void bind_points(py::module_& m);
void bind_graphs(py::module_& m);
void bind_nodes(py::module_& m);
void bind_kernels(py::module_& m);
void bind_models(py::module_& m);
void bind_fits(py::module_& m);
void bind_elsewhere(py::module_& m);
void bind_bags(py::module_& m);
void bind_geometry(py::module_& m);
void bind_statistics(py::module_& m);
void bind_report(py::module_& m);
void bind_tables(py::module_& m);

py::dict plan_of(const Plan& plan);
// Proofs and reports cross as JSON-like objects.
py::object from_json(const std::string& text);

}  // namespace mercer::python
