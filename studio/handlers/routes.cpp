// The list of what there is to ask.
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"
#include "studio/router.hpp"

namespace mercer::studio {

Answer get_routes(Studio&, const Request&) {
  Json out = Json::array();
  for (const Route& route : routes()) out.push_back({{"method", route.method}, {"path", route.path}});
  return json_answer({{"routes", std::move(out)}});
}

}  // namespace mercer::studio
