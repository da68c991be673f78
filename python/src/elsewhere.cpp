// Rows that other processes have, and what these do for a fit (mercer/dask.py).
#include "points/elsewhere.hpp"

#include <pybind11/stl.h>

#include "centres/summand.hpp"
#include "module.hpp"
#include "points/streamed.hpp"

namespace mercer::python {

namespace {

// By an object of Python with the methods select(rows), sum(errand, blocks) and rows(errand, blocks). It is called from
// the thread of the fit; what it raises is raised by the fit.
class PythonElsewhere final : public Elsewhere {
 public:
  explicit PythonElsewhere(const py::object& object)
      : object_(new py::object(object), [](const py::object* held) {
          const py::gil_scoped_acquire gil;
          delete held;
        }) {}

  Points select(std::span<const Index> rows) const override {
    const py::gil_scoped_acquire gil;
    return dense_points(py::array(object_->attr("select")(to_array(std::vector<Index>(rows.begin(), rows.end())))));
  }

  std::vector<Matrix> sum(const Errand& errand, const std::vector<Block>& blocks) const override {
    const py::gil_scoped_acquire gil;
    std::vector<Matrix> out;
    for (const py::handle one : object_->attr("sum")(sent(errand), sent(blocks))) {
      out.push_back(to_matrix(py::reinterpret_borrow<py::object>(one)));
    }
    return out;
  }

  Matrix rows(const Errand& errand, const std::vector<Block>& blocks) const override {
    const py::gil_scoped_acquire gil;
    return to_matrix(object_->attr("rows")(sent(errand), sent(blocks)));
  }

 private:
  static py::list sent(const std::vector<MatrixView>& numbers) {
    py::list out;
    for (const MatrixView one : numbers) out.append(to_array(Matrix(one)));
    return out;
  }

  static py::tuple sent(const Errand& errand) {
    return py::make_tuple(errand.name, py::bytes(errand.setting), sent(errand.given), sent(errand.of_rows));
  }

  static py::list sent(const std::vector<Block>& blocks) {
    py::list out;
    for (const Block& b : blocks) {
      const py::object picked = b.picked.empty() ? py::object(py::none()) : py::object(to_array(b.picked));
      out.append(py::make_tuple(b.rows.begin, b.rows.end, b.there.begin, b.there.end, picked));
    }
    return out;
  }

  std::shared_ptr<const py::object> object_;
};

// What an errand gives for rows in memory, of which `first` is the number of the first.
std::vector<Matrix> answer(const Errand& errand, const Points& rows, Index first) {
  std::vector<Matrix> out;
  if (errand.name == "equal rows") {
    out.push_back(equal_row_prints(rows));
  } else if (errand.name == "diagonal") {
    const Vector numbers = diagonal(parse(errand.setting), rows);
    out.emplace_back(MatrixView(numbers.data(), rows.size(), 1));
  } else {
    out = centres::run(errand, rows, first);
  }
  return out;
}

}  // namespace

std::shared_ptr<const Elsewhere> elsewhere_of(const py::object& object) {
  if (object.is_none()) return {};
  return std::make_shared<const PythonElsewhere>(object);
}

void bind_elsewhere(py::module_& m) {
  m.def(
      "errand",
      [](const std::string& name, const py::bytes& setting, const std::vector<Numbers>& given,
         const std::vector<Numbers>& of_rows, const Points& rows, Index first) {
        Errand errand{.name = name, .setting = setting};
        for (const Numbers& one : given) errand.given.push_back(view_of(one));
        for (const Numbers& one : of_rows) errand.of_rows.push_back(view_of(one));
        std::vector<Matrix> found;
        {
          const py::gil_scoped_release release;
          found = answer(errand, rows, first);
        }
        py::list out;
        for (Matrix& one : found) out.append(to_array(std::move(one)));
        return out;
      },
      "What a fit wants of rows that this process has.", py::arg("name"), py::arg("setting"), py::arg("given"),
      py::arg("of_rows"), py::arg("rows"), py::arg("first"));
}

}  // namespace mercer::python
