// What a model says of points that a page names.
#include <fmt/format.h>

#include "studio/body.hpp"
#include "studio/errors.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"
#include "workflow/json.hpp"

namespace mercer::studio {

namespace {

constexpr Index kMostAsked = 100'000;

workflow::Answers answers_of(const std::string& name) {
  using enum workflow::Answers;
  const std::pair<const char*, workflow::Answers> all[] = {{"predictions", predictions},
                                                           {"scores", scores},
                                                           {"probabilities", probabilities},
                                                           {"deviations", deviations},
                                                           {"coordinates", coordinates}};
  for (const auto& [known, answers] : all) {
    if (name == known) return answers;
  }
  throw Failure(400, "\"answers\" is none of predictions, scores, probabilities, deviations, coordinates", "answers");
}

}  // namespace

Answer post_predict(Studio& studio, const Request& request) {
  const Body body(request.body);
  const Model model = model_named(studio, body.text("model"))->model;
  Matrix x = body.rows("rows");
  if (x.rows() > kMostAsked)
    throw Failure(422, fmt::format("at most {} points are answered at once", kMostAsked), "rows");
  Points points = rows(std::move(x));
  const std::vector<std::string>& names = model.parts().inputs.columns;
  if (static_cast<Index>(names.size()) == points.domain().dimension) points = named(points, names);
  const workflow::PredictResult said = workflow::predict({.model = model,
                                                          .source = {.path = "rows", .data = Dataset{.points = points}},
                                                          .answers = answers_of(body.text("answers", "predictions"))});
  Json out = Json::array();
  for (Index i = 0; i < said.numbers.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < said.numbers.cols(); ++j) row.push_back(workflow::json_number(said.numbers(i, j)));
    out.push_back(std::move(row));
  }
  for (const std::string& label : said.labels) out.push_back(Json::array({label}));
  return json_answer({{"columns", said.header}, {"rows", std::move(out)}});
}

}  // namespace mercer::studio
