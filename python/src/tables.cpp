// Raw tables: how inputs are made of them, beside an estimator.
#include "mercer/tables.hpp"

#include <pybind11/stl.h>

#include "data/column_types.hpp"
#include "io/model_parts.hpp"
#include "mercer/points_file.hpp"
#include "module.hpp"
#include "points/distinct.hpp"
#include "points/rep.hpp"
#include "workflow/table_inputs.hpp"
#include "workflow/usual_scaling.hpp"

namespace mercer::python {

namespace {

constexpr int kDeepestRecipe = 8;

// A recipe, the scaling of what it makes, and one of these points, for their names.
struct TableInputs {
  std::shared_ptr<const Recipe> recipe;
  Scaling scaling;
  Points example;

  // `like`: the kernel, where it is one of a table.
  static TableInputs made_of(const Points& raw, const std::map<std::string, std::string>& types,
                             const std::optional<Kernel>& like, bool scale) {
    data::TableWishes wishes{.types = types};
    if (like) {
      for (const std::string& name : workflow::text_columns(*like, raw)) wishes.types[name] = "text";
    }
    Recipe recipe = data::recipe_for(raw, wishes, "X");
    if (!like || like->domain().kind == "reals") data::drop_texts(recipe);
    const Points x = distinct(data::apply(recipe, raw, "X").points);
    const std::vector<std::string> coded = data::coded_columns(recipe);
    const Scaling::Kind kind = scale ? workflow::usual_scaling(x, !coded.empty()) : Scaling::Kind::none;
    Scaling scaling = workflow::leaving(coded, x, Scaling::of(kind, x));
    return {std::make_shared<const Recipe>(std::move(recipe)), std::move(scaling), x.slice({0, 1})};
  }

  data::Cooked apply(const Points& raw) const {
    data::Cooked out = data::apply(*recipe, raw, "X");
    // Gaps where the training table had some are what the model was made for.
    for (const ColumnRecipe& column : recipe->columns) {
      if (column.gaps) out.filled.erase(column.name);
    }
    return out;
  }

  // The model of inputs that were made by this, as one of the table.
  Model completed(const Model& model) const {
    return model.with([&](Model::Parts& parts) {
      parts.recipe = recipe;
      parts.scaling = scaling;
      parts.inputs = Schema::of(example);
    });
  }
  static std::optional<TableInputs> of(const Model& model) {
    const Model::Parts& parts = model.parts();
    const std::optional<Points>& centres = parts.f.parts().centres;
    if (!parts.recipe || !centres || centres->size() == 0) return std::nullopt;
    return TableInputs{parts.recipe, parts.scaling, centres->slice({0, 1})};
  }
  static Model bare(const Model& model) {
    return model.with([](Model::Parts& parts) {
      parts.recipe = nullptr;
      parts.scaling = {};
    });
  }
};

py::list columns_of(const TableInputs& inputs) {
  py::list out;
  for (const ColumnRecipe& column : inputs.recipe->columns) {
    out.append(py::make_tuple(column.name, std::string(name_of(column.type)), column.why, is_left_out(column.type)));
  }
  return out;
}

py::tuple state_of(const TableInputs& inputs) {
  const Scaling& s = inputs.scaling;
  return py::make_tuple(detail::recipe_json(*inputs.recipe).dump(), std::string(name_of(s.kind)), s.shift, s.factor,
                        str(s.maps), py::bytes(to_bytes(inputs.example)));
}

TableInputs from_state(const py::tuple& state) {
  const auto maps = state[4].cast<std::string>();
  Scaling scaling{scaling_kind(state[1].cast<std::string>()), state[2].cast<Vector>(), state[3].cast<Vector>(),
                  maps.empty() ? std::vector<RowMap>() : row_map_list(maps)};
  return {std::make_shared<const Recipe>(
              detail::recipe_from(detail::parse_json(state[0].cast<std::string>(), kDeepestRecipe))),
          std::move(scaling), points_from_bytes(state[5].cast<std::string>())};
}

}  // namespace

void bind_tables(py::module_& m) {
  py::class_<TableInputs>(m, "TableInputs", "How inputs are made of raw tables like one.")
      .def(py::init(&TableInputs::made_of), py::arg("table"), py::arg("types"), py::arg("kernel"), py::arg("scale"))
      .def_static("needed", &workflow::takes_words_for_numbers, "Whether such a kernel asks for numbers of words.",
                  py::arg("kernel"), py::arg("table"))
      .def_property_readonly("columns", &columns_of, "Of each: its name, its type, why, and whether it is left out.")
      .def_property_readonly("names", [](const TableInputs& s) { return s.example.column_names(); })
      .def_property_readonly("volume", [](const TableInputs& s) { return s.scaling.volume(); })
      .def(
          "points",
          [](const TableInputs& s, const Points& raw, bool scaled) {
            const data::Cooked cooked = s.apply(raw);
            return py::make_tuple(scaled ? s.scaling.apply(cooked.points) : cooked.points, data::remarks_of(cooked));
          },
          "Inputs of a table, and what is to be said of it.", py::arg("table"), py::arg("scaled") = true)
      .def(
          "named", [](const TableInputs& s, const Points& x) { return named_like(x, s.example); },
          "Rows of numbers with the names of these inputs.", py::arg("x"))
      .def("completed", &TableInputs::completed, py::arg("model"))
      .def_static("of", &TableInputs::of, py::arg("model"))
      .def_static("bare", &TableInputs::bare, py::arg("model"))
      .def(py::pickle(&state_of, &from_state));
}

}  // namespace mercer::python
