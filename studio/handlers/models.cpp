// Models that were fitted here: as told, and as files.
#include <sstream>

#include "mercer/model_file.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"

namespace mercer::studio {

Answer get_model(Studio& studio, const Request& request) {
  Json out = model_named(studio, request.parts[0])->told;
  out["model"]["id"] = request.parts[0];
  return json_answer(out);
}

Answer get_model_file(Studio& studio, const Request& request) {
  std::ostringstream file;
  save(file, model_named(studio, request.parts[0])->model);
  Answer out{.body = std::move(file).str(), .type = "application/octet-stream"};
  out.headers.emplace_back("Content-Disposition", "attachment; filename=\"model.mercer\"");
  return out;
}

}  // namespace mercer::studio
