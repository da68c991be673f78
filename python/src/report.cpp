// Reports: a page, and what it shows.
#include "report/report.hpp"

#include <pybind11/stl.h>

#include <filesystem>

#include "file/file_hash.hpp"
#include "mercer/model_file.hpp"
#include "module.hpp"
#include "progress.hpp"

namespace mercer::python {

namespace {

py::tuple told(const report::Written& written) {
  return py::make_tuple(py::str(written.html), from_json(written.document));
}

std::vector<workflow::Column> columns_of(const std::vector<std::vector<double>>& numbers,
                                         const std::vector<std::string>& labels) {
  std::vector<workflow::Column> out;
  for (const Vector& column : numbers) out.push_back({.name = "y", .numbers = column});
  if (!labels.empty()) out.push_back({.name = "y", .words = labels});
  return out;
}

}  // namespace

void bind_report(py::module_& m) {
  m.def(
      "report",
      [](const Model& model, const Points& x, const std::vector<std::vector<double>>& numbers,
         const std::vector<std::string>& labels, const std::string& title, const std::string& hash, int threads) {
        const workflow::Inputs inputs{x, columns_of(numbers, labels)};
        const report::Written written = released(
            py::none(),
            [&](const Execution& how) {
              return report::write(report::subject_of(model, inputs, "", how), {.title = title, .data_hash = hash});
            },
            threads);
        return told(written);
      },
      py::arg("model"), py::arg("points"), py::kw_only(), py::arg("numbers"), py::arg("labels"), py::arg("title"),
      py::arg("hash"), py::arg("threads"));
  m.def(
      "report_of_files",
      [](const std::string& path, const std::string& data, const std::string& target, const std::string& title) {
        const report::Written written = released(py::none(), [&](const Execution& how) {
          const Model model = load(path);
          const workflow::Inputs inputs = workflow::inputs_for(model, {.path = data}, target);
          const std::string name = std::filesystem::path(data).filename().string();
          return report::write(report::subject_of(model, inputs, name, how),
                               {.title = title, .model = path, .data = data, .data_hash = file_hash(data)});
        });
        return told(written);
      },
      py::arg("model"), py::arg("data"), py::kw_only(), py::arg("target"), py::arg("title"));
}

}  // namespace mercer::python
