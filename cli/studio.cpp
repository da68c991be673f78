// mercer studio: a page on which kernels, data and models can be played with.
#include <iostream>

#include "arguments.hpp"
#include "output.hpp"
#include "studio/serve.hpp"

namespace mercer::cli {

int run_studio(const Words& words) {
  std::string port;
  bool no_open = false, as_json = false;
  studio::ServeOptions options;
  Arguments arguments(
      "studio",
      "A page in your browser on which kernels, data sets and models can be looked at and played with. It is served by "
      "this command, to this computer only, until Ctrl-C (exit code 0). The page sees the files of FOLDER and below "
      "it, and writes new ones there when you ask for it; without FOLDER it sees none.\n"
      "From another computer: ssh -L 8370:127.0.0.1:8370 HOST, then open the address that is printed there.",
      "  mercer studio\n  mercer studio wine.csv\n  mercer studio experiments --port 9000 --no-open\n");
  arguments.optional("FOLDER", options.place, "A folder of data files, or a data file in it");
  arguments.option("--port", port, "N", "[8370, or the next that is free; 0: any]");
  arguments.flag("--no-open", no_open, "Open no browser: print the address alone");
  arguments.flag("--json", as_json, "For programs: the address as an object");
  if (!arguments.parse(words)) return 0;
  options.port = static_cast<unsigned short>(whole_number("--port", port, options.port, 0, 65535));
  options.open = !no_open;
  options.say = [](const std::string& line) { say(line); };
  options.ready = [&](const std::string& address, unsigned short number) {
    as_json ? put_json({{"address", address}, {"port", number}}) : put(address + "\n");
    std::cout << std::flush;
    if (!as_json) say("the page is at the address above; Ctrl-C ends it");
  };
  studio::serve(options);
  say("closed");
  return 0;
}

}  // namespace mercer::cli
