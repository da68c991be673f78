// The recipe of a raw table in the header of a model file.
#include <cmath>

#include "base/fail.hpp"
#include "file/json_fields.hpp"
#include "io/model_parts.hpp"

namespace mercer::detail {

namespace {

// Only what the type has: most columns are a name, a type and a reason.
Json column_json(const ColumnRecipe& column) {
  Json out = {{"name", text_json(column.name)}, {"type", name_of(column.type)}, {"why", text_json(column.why)}};
  if (column.gaps) out["gaps"] = true;
  if (column.fill != 0) out["fill"] = real_json(column.fill);
  if (column.unit != 0) out["unit"] = real_json(column.unit);
  if (!(column.style == NumberStyle())) {
    const NumberStyle& style = column.style;
    out["style"] =
        texts_json({std::string(1, style.decimal), style.thousands == '\0' ? "" : std::string(1, style.thousands),
                    style.prefix, style.suffix});
  }
  if (!column.levels.empty()) out["levels"] = texts_json(column.levels);
  if (!column.date.empty()) out["date"] = text_json(column.date);
  if (!column.cycles.empty()) out["cycles"] = texts_json(column.cycles);
  return out;
}

NumberStyle style_from(const Json& column) {
  const std::vector<std::string> words = texts(column, "style");
  if (words.size() != 4 || words[0].size() != 1 || words[1].size() > 1) {
    fail(ErrorKind::file, "the style of a column's numbers is not [decimal, thousands, prefix, suffix]");
  }
  return {words[0][0], words[1].empty() ? '\0' : words[1][0], words[2], words[3]};
}

double finite(const Json& value) {
  const double out = real(value);
  if (!std::isfinite(out)) fail(ErrorKind::file, "a number of its table is {}", out);
  return out;
}

ColumnRecipe column_from(const Json& json) {
  ColumnRecipe out{.name = text(member(json, "name")),
                   .type = column_type_named(text(member(json, "type"))),
                   .why = text(member(json, "why"))};
  if (json.contains("gaps")) out.gaps = flag(json, "gaps");
  if (json.contains("fill")) out.fill = finite(json["fill"]);
  if (json.contains("unit")) out.unit = finite(json["unit"]);
  if (json.contains("style")) out.style = style_from(json);
  if (json.contains("levels")) out.levels = texts(json, "levels");
  if (json.contains("date")) out.date = text(json["date"]);
  if (json.contains("cycles")) out.cycles = texts(json, "cycles");
  return out;
}

}  // namespace

Json recipe_json(const Recipe& recipe) {
  Json columns = Json::array();
  for (const ColumnRecipe& column : recipe.columns) columns.push_back(column_json(column));
  return {{"columns", std::move(columns)}, {"missing", texts_json(recipe.missing)}};
}

Recipe recipe_from(const Json& json) {
  Recipe out{.columns = {}, .missing = texts(json, "missing")};
  for (const Json& column : list(json, "columns")) out.columns.push_back(column_from(column));
  return out;
}

}  // namespace mercer::detail
