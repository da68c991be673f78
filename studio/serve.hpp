// The studio as one call: what `mercer studio` does.
#pragma once

#include <functional>
#include <string>

namespace mercer::studio {

struct ServeOptions {
  std::string place = {};  // a folder whose files the page may see, or a data file in such a folder; empty: none
  unsigned short port = 8370;
  bool open = true;  // in the user's browser
  std::function<void(const std::string& line)> say;
  // Called once, when the server listens: the address of the page with the token in it.
  std::function<void(const std::string& address, unsigned short port)> ready;
};
// Serves until SIGINT or SIGTERM, and returns the signal.
int serve(const ServeOptions& options);

}  // namespace mercer::studio
