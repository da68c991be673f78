#include "workflow/json.hpp"

#include <cmath>

namespace mercer::workflow {

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json to_json(const Plan& plan) {
  Json parts = Json::array();
  for (const Room& part : plan.parts) parts.push_back({{"what", part.what}, {"bytes", part.bytes}});
  return {{"form", mercer::name_of(plan.form)},
          {"solver", plan.solver},
          {"rows_at_once", plan.rows_at_once > 0 ? Json(plan.rows_at_once) : Json()},
          {"bytes", plan.bytes},
          {"parts", parts},
          {"seconds", plan.seconds > 0 ? Json(plan.seconds) : Json()},
          {"pairs", plan.pairs},
          {"flops", plan.flops},
          {"approximates", plan.approximates.empty() ? Json() : Json(plan.approximates)},
          {"why", plan.why},
          {"open", plan.open.empty() ? Json() : Json(plan.open)}};
}

Json to_json(const Report& report) {
  Json figures = Json::object(), stages = Json::object(), tables = Json::array();
  for (const Report::Figure& figure : report.figures) figures[figure.name] = json_number(figure.value);
  for (const Report::Figure& stage : report.stages) stages[stage.name] = stage.value;
  for (const Report::Table& one : report.tables) {
    Json rows = Json::array();
    for (Index i = 0; i < one.rows.rows(); ++i) {
      Json row = Json::array();
      for (Index j = 0; j < one.rows.cols(); ++j) row.push_back(json_number(one.rows(i, j)));
      rows.push_back(std::move(row));
    }
    tables.push_back({{"name", one.name}, {"columns", one.columns}, {"rows", std::move(rows)}});
  }
  return {{"converged", report.converged},
          {"stopped", report.stopped},
          {"chosen", report.chosen.empty() ? Json() : Json(report.chosen)},
          {"plan", report.plan ? to_json(*report.plan) : Json()},
          {"iterations", report.iterations},
          {"seconds", report.seconds},
          {"stages", stages},
          {"figures", figures},
          {"notes", report.notes},
          {"tables", tables}};
}

Json to_json(const Recipe& recipe) {
  Json out = Json::array();
  for (const ColumnRecipe& column : recipe.columns) {
    out.push_back({{"name", column.name},
                   {"type", mercer::name_of(column.type)},
                   {"why", column.why},
                   {"left_out", is_left_out(column.type)},
                   {"gaps", column.gaps}});
  }
  return out;
}

Json to_json(const Model& model) {
  const Model::Parts& parts = model.parts();
  const Expansion::Parts& f = parts.f.parts();
  return {{"machine", parts.machine},
          {"settings", parts.settings},
          {"kernel", f.kernel ? Json(f.kernel->str()) : Json("precomputed")},
          {"prepare", str(parts.scaling.maps)},
          {"scale", mercer::name_of(parts.scaling.kind)},
          {"inputs", {{"kind", parts.inputs.domain.str()}, {"columns", parts.inputs.columns}}},
          {"table", parts.recipe ? to_json(*parts.recipe) : Json()},
          {"targets", parts.targets},
          {"classes", parts.classes},
          {"points", f.training_size},
          {"support", parts.f.size()},
          {"report", to_json(parts.report)}};
}

Json to_json(const Proof& proof) {
  Json out{{"statement", proof.statement},   {"rule", proof.rule},         {"because", proof.because},
           {"conditions", proof.conditions}, {"citation", proof.citation}, {"premises", Json::array()}};
  for (const Proof& premise : proof.premises) out["premises"].push_back(to_json(premise));
  return out;
}

Json to_json(const Params& params) {
  Json out = Json::array();
  for (const Parameter& p : params) {
    // JSON has no infinity: an open end is null, and so is a value that is not known before the data.
    out.push_back({{"path", p.path},
                   {"value", p.automatic ? Json() : Json(p.value)},
                   {"lower", std::isfinite(p.lower) ? Json(p.lower) : Json()},
                   {"upper", std::isfinite(p.upper) ? Json(p.upper) : Json()},
                   {"fixed", p.fixed},
                   {"auto", p.automatic}});
  }
  return out;
}

Json to_json(const Marks& marks) {
  Json out = Json::object();
  for (const auto& [name, value] : marks.figures) out[name] = json_number(value);
  if (!marks.remarks.empty()) out["remarks"] = marks.remarks;
  if (marks.classes.empty()) return out;
  Json counts = Json::array();
  for (Index i = 0; i < marks.confusion.rows(); ++i) {
    const double* const row = marks.confusion.row(i);
    counts.push_back(std::vector<Index>(row, row + marks.confusion.cols()));
  }
  out["classes"] = marks.classes;
  out["confusion"] = counts;
  return out;
}

Json to_json(const SearchTable& tuned) {
  Json candidates = Json::array();
  for (const Candidate& candidate : tuned.candidates) {
    Json values = Json::object(), scores = Json::array();
    for (std::size_t a = 0; a < tuned.axes.size(); ++a) values[tuned.axes[a]] = candidate.values[a];
    for (const double score : candidate.scores) scores.push_back(json_number(score));
    Json one{{"values", values},
             {"kernel", candidate.kernel ? Json(candidate.kernel->str()) : Json("precomputed")},
             {"mean", json_number(candidate.mean)},
             {"sd", json_number(candidate.sd)},
             {"scores", scores},
             {"converged", candidate.converged}};
    for (const Report::Figure& figure : candidate.others) one["others"][figure.name] = json_number(figure.value);
    if (!candidate.failure.empty()) one["failure"] = candidate.failure;
    candidates.push_back(std::move(one));
  }
  return {{"metric", tuned.metric},
          {"larger_is_better", tuned.larger_is_better},
          {"best", tuned.best},
          {"candidates", candidates}};
}

namespace {

const char* name_of(Answers answers) {
  return answers == Answers::scores ? "scores" : answers == Answers::probabilities ? "probabilities" : "predictions";
}

Json rows_of(const PredictResult& answer) {
  if (!answer.labels.empty() || answer.numbers.cols() == 0) return answer.labels;
  Json out = Json::array();
  for (Index i = 0; i < answer.numbers.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < answer.numbers.cols(); ++j) row.push_back(json_number(answer.numbers(i, j)));
    out.push_back(answer.numbers.cols() == 1 ? row[0] : row);
  }
  return out;
}

}  // namespace

Json to_json(const PredictResult& answer) {
  Json out{{"machine", answer.machine}, {"columns", answer.header}, {name_of(answer.answers), rows_of(answer)}};
  if (!answer.sets.empty()) out["sets"] = answer.sets;
  if (!answer.kernels.empty()) out["components"] = answer.kernels;
  if (!answer.nodes.empty()) out["nodes"] = answer.nodes;
  if (!answer.remarks.empty()) out["remarks"] = answer.remarks;
  return out;
}

Json to_json(const FitResult& fitted) {
  Json out = to_json(fitted.model);
  out["remarks"] = fitted.remarks;
  return out;
}

Json to_json(const TuneResult& found) {
  Json out = to_json(found.tuned);
  out["model"] = to_json(found.tuned.model);
  return out;
}

Json to_json(const Error& error) {
  const std::string said = error.message();
  const std::size_t where = said.find(": "), hint = said.rfind("; ");
  return {{"error", said},
          {"where", where == said.npos ? "" : said.substr(0, where)},
          {"hint", hint == said.npos ? "" : said.substr(hint + 2)},
          {"kind", mercer::name_of(error.kind())}};
}

std::string text_of(const Json& value) {
  // A column name or a reason may hold bytes that are no UTF-8; JSON cannot.
  return value.dump({.indent = 2});
}

}  // namespace mercer::workflow
