// Any request is answered: refused by the guard, by the router or by a handler in words, never by a crash.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "studio/errors.hpp"
#include "studio/router.hpp"

namespace mercer::fuzz_studio {

namespace {

std::vector<std::string> seeds() {
  return {
      "GET /api/v1/session\n",
      "GET /api/v1/gram/value?data=d1&expr=rbf(ell%3D1)&i=1&j=2\n",
      "POST /api/v1/check\n{\"expr\": \"rbf(ell=1) + linear()\", \"params\": {\"rbf.ell\": 2}}",
      "POST /api/v1/complete\n{\"expr\": \"2*rb\", \"cursor\": 4}",
      "POST /api/v1/kernel\n{\"expr\": \"periodic(period=1, ell=1)\", \"grid\": [0, 1, 20]}",
      "POST /api/v1/data\n{\"points\": {\"x\": [0, 1, 2], \"y\": [1, 0, 1], \"labels\": [\"a\", \"b\", \"a\"]}}",
      "POST /api/v1/data\n{\"builtin\": \"curve\"}",
      "FILE /api/v1/data\na,b\n1,2\n3,4\n",
      "POST /api/v1/fit\n{\"slot\": \"a\", \"seq\": 1, \"data\": \"d1\", \"machine\": \"ridge\", \"expr\": "
      "\"rbf(ell=1)\"}",
      "POST /api/v1/predict\n{\"model\": \"m1\", \"rows\": [[1, 2], [3, 4]]}",
      "POST /api/v1/jobs/7/cancel\n{}",
  };
}

studio::Studio& studio() {
  static studio::Studio one{.log = [](const std::string&) {}};
  return one;
}

// METHOD TARGET, a line's end, the body; FILE is a POST of bytes.
void run(const std::uint8_t* data, std::size_t size) {
  using namespace studio;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(text.find('\n'), text.size()), space = std::min(text.find(' '), line);
  Request request;
  request.head.method = text.substr(0, space);
  request.head.type = "application/json";
  if (request.head.method == "FILE") {
    request.head.method = "POST";
    request.head.type = "application/octet-stream";
  }
  request.head.target = text.substr(std::min(space + 1, line), line - std::min(space + 1, line));
  request.head.host = "127.0.0.1:1";
  request.head.key = text.substr(0, line);
  request.body = text.substr(std::min(line + 1, text.size()));
  (void)refuse({1, "token", "key"}, request.head);
  split_target(request);
  const Match match = find_route(request);
  // What computes for long is not for a fuzzer: fits are only read.
  if (match.route == nullptr || match.route->stream || match.route->path == "/api/v1/catalog") return;
  if (match.route->path == "/api/v1/prior") return;
  (void)answer_to(studio(), *match.route, request);
  studio().jobs.cancel_all();
}

[[maybe_unused]] const bool added = FuzzTarget::add({"studio", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_studio
