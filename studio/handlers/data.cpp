// Data sets: built in, sent by the browser, drawn by hand, or files of the folder.
#include <fmt/format.h>

#include "base/text.hpp"
#include "mercer/model_file.hpp"
#include "studio/body.hpp"
#include "studio/builtin.hpp"
#include "studio/errors.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"

namespace mercer::studio {

namespace {

Answer keep(Studio& studio, const std::shared_ptr<const DataSet>& data) {
  Json out = {{"id", studio.data.put(data, data->bytes())}};
  out.update(data->json());
  return json_answer(out);
}

const Folder& folder_of(const Studio& studio) {
  if (studio.folder) return *studio.folder;
  throw Failure(404, "no folder was given to the command", "folder", "start mercer studio FOLDER");
}

// The last part of a name, whatever a browser says.
std::string file_name(const std::string& sent) {
  const std::string name = percent_decoded(sent);
  const std::string last = shortened(name.substr(name.find_last_of("/\\") + 1));
  return last.empty() ? "data" : last;
}

}  // namespace

Answer post_data(Studio& studio, const Request& request) {
  if (request.head.type.starts_with("application/octet-stream")) {
    if (request.body.empty()) throw Failure(422, "the file is empty", "body");
    return keep(studio, read_data_set({file_name(request.head.name), ""}, request.body));
  }
  const Body body(request.body);
  if (body.has("builtin")) return keep(studio, builtin(body.text("builtin")));
  return keep(studio, given_data(studio, body));
}

Answer get_data(Studio& studio, const Request& request) {
  Json out = {{"id", request.parts[0]}};
  out.update(data_named(studio, request.parts[0])->json());
  return json_answer(out);
}

Answer get_files(Studio& studio, const Request&) {
  Json files = Json::array();
  if (studio.folder) {
    for (const Folder::File& file : studio.folder->files()) {
      files.push_back(
          {{"name", file.name}, {"bytes", file.size}, {"kind", file.name.ends_with(".mercer") ? "model" : "data"}});
    }
  }
  return json_answer({{"folder", studio.folder ? Json(studio.folder->name()) : Json()}, {"files", std::move(files)}});
}

Answer post_files_open(Studio& studio, const Request& request) {
  const std::string name = Body(request.body).text("name");
  const Folder& folder = folder_of(studio);
  try {
    return keep(studio, read_data_set({name, folder.path() + "/" + name}, folder.read(name)));
  } catch (...) {
    studio.log(current_failure().what());
    throw;
  }
}

}  // namespace mercer::studio
