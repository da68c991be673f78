// The report of a model, to be read here or kept; and files in the folder.
#include "report/report.hpp"

#include <fmt/format.h>

#include <sstream>

#include "base/text.hpp"
#include "mercer/model_file.hpp"
#include "studio/body.hpp"
#include "studio/errors.hpp"
#include "studio/fitted.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"

namespace mercer::studio {

namespace {

report::Written report_of(const ModelEntry& entry, const std::string& title) {
  return report::write(fitted_subject(entry), {.title = title, .data = entry.data->origin().name});
}

}  // namespace

Answer post_report(Studio& studio, const Request& request) {
  const Body body(request.body);
  const auto entry = model_named(studio, body.text("model"));
  report::Written written = report_of(*entry, body.text("title", ""));
  if (body.text("as", "html") == "json") return {.body = std::move(written.document)};
  Answer out{.body = std::move(written.html), .type = "text/html; charset=utf-8"};
  out.headers.emplace_back("Content-Disposition", "attachment; filename=\"report.html\"");
  return out;
}

Answer post_save(Studio& studio, const Request& request) {
  const Body body(request.body);
  if (!studio.folder) {
    throw Failure(404, "no folder was given to the command", "folder", "start mercer studio FOLDER, or download it");
  }
  const auto entry = model_named(studio, body.text("model"));
  const std::string name = body.text("name"), what = body.text("what", "model");
  std::string content;
  if (what == "model") {
    std::ostringstream file;
    save(file, entry->model);
    content = std::move(file).str();
  } else if (what == "report") {
    content = report_of(*entry, body.text("title", "")).html;
  } else {
    throw Failure(400, "\"what\" is neither model nor report", "what");
  }
  studio.folder->write_new(name, content);
  studio.log(fmt::format("{} is written", mercer::quoted(name)));
  return json_answer({{"name", name}, {"path", studio.folder->path() + "/" + name}, {"bytes", content.size()}});
}

}  // namespace mercer::studio
