// Which function answers which path. The list of routes is the API; docs/studio-openapi.json lists the same ones, and a
// test compares the two.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "studio/message.hpp"
#include "studio/studio.hpp"

namespace mercer::studio {

using Handler = Answer (*)(Studio& studio, const Request& request);

struct Route {
  std::string_view method;
  std::string_view path;  // "/api/v1/jobs/*/cancel": a star stands for one part
  Handler handler;
  enum class Where {
    at_once,  // on the thread of the connections: no computing, no files
    quick,    // on the lane for what is asked while typing and dragging
    patient,  // on the lane for what takes its time: learning, reports
    files,    // on the lane for what is read and written
  } where = Where::quick;
  // Not a handler's: the stream of events, which the transport serves itself.
  bool stream = false;
};
const std::vector<Route>& routes();

struct Match {
  const Route* route = nullptr;  // null: none answers
  bool other_method = false;     // then: there is one for another method
};
// Fills in request.parts.
Match find_route(Request& request);

// Calls the handler; whatever it throws becomes an answer.
Answer answer_to(Studio& studio, const Route& route, const Request& request);

}  // namespace mercer::studio
