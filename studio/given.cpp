#include "studio/given.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "studio/errors.hpp"
#include "workflow/json.hpp"

namespace mercer::studio {

std::optional<Kernel> given_kernel(const Body& body) {
  const std::string text = body.expression("expr");
  if (trim(text).empty()) return std::nullopt;
  Kernel out = parse(text);
  for (const auto& [path, value] : body.values("params")) out = out.with(path, value);
  return out;
}

Kernel required_kernel(const Body& body) {
  if (const auto kernel = given_kernel(body)) return *kernel;
  throw Failure(400, "\"expr\" is missing: a kernel", "expr", "write rbf(ell=1)");
}

std::shared_ptr<const DataSet> data_named(Studio& studio, const std::string& id) {
  if (auto found = studio.data.get(id)) return found;
  throw Failure(404, fmt::format("the data {} are not here, or not any more", mercer::quoted(shortened(id))), "data",
                "open them again");
}

std::shared_ptr<const ModelEntry> model_named(Studio& studio, const std::string& id) {
  if (auto found = studio.models.get(id)) return found;
  throw Failure(404, fmt::format("the model {} is not here, or not any more", mercer::quoted(shortened(id))), "model",
                "fit it again");
}

std::shared_ptr<const DataSet> given_data(Studio& studio, const Body& body) {
  if (body.has("data")) return data_named(studio, body.text("data"));
  const Body points = body.object("points");
  return drawn_data_set(points.numbers("x"), points.numbers("y"), points.texts("labels"));
}

Json params_json(const Params& params) {
  Json out = Json::array();
  for (const Parameter& p : params) {
    out.push_back({{"path", p.path},
                   {"value", p.automatic ? Json() : workflow::json_number(p.value)},
                   {"lower", p.lower},
                   {"upper", workflow::json_number(p.upper)},
                   {"fixed", p.fixed},
                   {"automatic", p.automatic}});
  }
  return out;
}

Answer json_answer(const Json& value, int status) { return {status, to_text(value)}; }

}  // namespace mercer::studio
