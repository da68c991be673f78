#include "studio/serve.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <mutex>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "studio/browser.hpp"
#include "studio/transport.hpp"

namespace mercer::studio {

namespace {

namespace fs = std::filesystem;

void open_place(Studio& studio, const std::string& place) {
  if (place.empty()) return;
  std::error_code ignored;
  if (fs::is_directory(place, ignored)) {
    studio.folder = std::make_unique<Folder>(place);
    return;
  }
  if (!fs::exists(place, ignored)) fail(ErrorKind::file, "{}: no such file or folder; check the name", place);
  const fs::path path(place);
  studio.folder = std::make_unique<Folder>(path.has_parent_path() ? path.parent_path().string() : ".");
  studio.open = path.filename().string();
}

// One line, and not the same one again and again: a page may ask for a thing that fails with every key.
std::function<void(const std::string&)> calm(std::function<void(const std::string&)> say) {
  struct State {
    std::mutex mutex;
    std::string last;
  };
  return [say = std::move(say), state = std::make_shared<State>()](const std::string& line) {
    const std::lock_guard lock(state->mutex);
    if (line == state->last) return;
    state->last = line;
    say(line);
  };
}

}  // namespace

int serve(const ServeOptions& options) {
  Studio studio;
  studio.log = calm(options.say);
  open_place(studio, options.place);
  Transport transport(studio, options.port);
  const unsigned short port = transport.port();
  if (options.port != 0 && port != options.port) {
    options.say(fmt::format("port {} is taken; this is {}", options.port, port));
  }
  const std::string address = studio.guard.address();
  options.ready(address, port);
  if (options.open && !open_browser(address)) options.say("no browser was found; open the address yourself");
  return transport.run();
}

}  // namespace mercer::studio
