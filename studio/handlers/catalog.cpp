// What there is: kernels, machines, data sets. Made once, for none of it changes.
#include "report/catalog.hpp"

#include "base/text.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "report/kernel_pictures.hpp"
#include "studio/builtin.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"
#include "workflow/suggest.hpp"

namespace mercer::studio {

namespace {

// k(0, r) of the example, for the card of the kernel; null where it has no numbers as inputs.
Json picture_of(const CatalogRow& row) {
  if (row.is_rule || row.domain.find("reals") == std::string::npos) return nullptr;
  try {
    const Json data = report::kernel_curve(parse(row.example), {.from = -3, .to = 3, .count = 41}).data;
    return {{"at", data["at"]}, {"y", data["lines"][0]["y"]}};
  } catch (const Error&) {
    return nullptr;  // of several columns, or not of negative numbers
  }
}

// "ell: a number > 0 (default 1); or gamma=" taken apart.
Json argument(const std::string& line) {
  const std::size_t colon = std::min(line.find(": "), line.size());
  const std::size_t from = line.find("(default ");
  const std::size_t to = from == line.npos ? line.npos : line.find(')', from);
  Json out = {{"name", line.substr(0, colon)}, {"range", line.substr(std::min(colon + 2, line.size()))}};
  out["default"] = to == line.npos ? "" : line.substr(from + 9, to - from - 9);
  return out;
}

Json kernel_rows() {
  Json out = Json::array();
  for (const CatalogRow& row : catalog()) {
    Json one = {{"name", row.name},          {"rule", row.is_rule},      {"signature", row.signature},
                {"formula", row.formula},    {"domain", row.domain},     {"conditions", row.conditions},
                {"because", row.because},    {"citation", row.citation}, {"example", row.example},
                {"arguments", Json::array()}};
    for (const std::string& line : row.arguments) one["arguments"].push_back(argument(line));
    Json picture = picture_of(row);
    if (!picture.is_null()) one["picture"] = std::move(picture);
    out.push_back(std::move(one));
  }
  return out;
}

Json machine_rows() {
  Json out = Json::array();
  for (const Machine& machine : machines()) {
    Json options = Json::array();
    for (const MachineOption& option : machine.options) {
      options.push_back(
          {{"name", option.name}, {"fallback", option.fallback}, {"help", option.help}, {"flag", option.flag}});
    }
    out.push_back({{"name", machine.name},
                   {"purpose", machine.purpose},
                   {"problem", machine.problem},
                   {"task", std::string(machine.task->predicts)},
                   {"kernel", machine.kernel},
                   {"options", std::move(options)}});
  }
  return out;
}

Json playable_rows() {
  Json out = Json::array();
  for (const workflow::Playable& one : workflow::playable()) {
    out.push_back({{"machine", one.machine},
                   {"task", std::string(machine(one.machine).task->predicts)},
                   {"options", one.options}});
  }
  return out;
}

std::string make_catalog(const Studio& studio) {
  Json builtin = Json::array(), pictures = Json::array();
  for (const Builtin& one : builtins()) {
    const Dataset data = one.make();
    const Json task = one.task.empty() ? Json() : Json(one.task);
    builtin.push_back({{"name", one.name},
                       {"words", one.words},
                       {"rows", data.points.size()},
                       {"columns", data.points.column_names().size() + (data.target_name.empty() ? 0 : 1)},
                       {"task", task},
                       {"play", one.play}});
  }
  for (const report::Picture& picture : report::pictures()) {
    pictures.push_back({{"id", picture.id}, {"section", picture.section}});
  }
  return json_answer({{"version", MERCER_VERSION},
                      {"kernels", kernel_rows()},
                      {"machines", machine_rows()},
                      {"playable", playable_rows()},
                      {"builtin", std::move(builtin)},
                      {"exhibits", std::move(pictures)},
                      {"folder", studio.folder ? Json(studio.folder->name()) : Json()}})
      .body;
}

}  // namespace

Answer get_catalog(Studio& studio, const Request&) {
  static const std::string text = make_catalog(studio);
  return {200, text};
}

}  // namespace mercer::studio
