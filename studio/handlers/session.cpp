// Letting a browser in: the token of the address for the key.
#include <fmt/format.h>

#include "studio/body.hpp"
#include "studio/errors.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"

namespace mercer::studio {

namespace {

Json about(const Studio& studio) {
  return {{"version", MERCER_VERSION},
          {"server", studio.server},
          {"folder", studio.folder ? Json(studio.folder->name()) : Json()},
          {"open", studio.open.empty() ? Json() : Json(studio.open)},
          {"limits", {{"body", kMostBody}, {"live", kMostLive}, {"expression", kMostExpression}}}};
}

}  // namespace

Answer post_session(Studio& studio, const Request& request) {
  if (const auto refusal = refuse_token(studio.guard, Body(request.body).text("token"))) return refusal->answer;
  studio.log(fmt::format("a browser is let in; for another one: {}", studio.guard.address()));
  Json out = about(studio);
  out["key"] = studio.guard.key;
  return json_answer(out);
}

Answer get_session(Studio& studio, const Request&) { return json_answer(about(studio)); }

}  // namespace mercer::studio
