// What can stand where somebody types.
#include "kernel/complete.hpp"

#include "studio/body.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"

namespace mercer::studio {

Answer post_complete(Studio& studio, const Request& request) {
  const Body body(request.body);
  const std::string text = body.expression("expr");
  const auto length = static_cast<Index>(text.size());
  const std::string before = text.substr(0, static_cast<std::size_t>(body.whole("cursor", length, 0, length)));
  const auto columns = [&] {
    return body.has("data") ? data_named(studio, body.text("data"))->data().points.column_names()
                            : std::vector<std::string>();
  };
  const Completion found = complete(before, columns);
  Json candidates = Json::array();
  for (const Completion::Word& word : found.words) candidates.push_back({{"text", word.text}, {"words", word.help}});
  return json_answer({{"from", found.from}, {"candidates", std::move(candidates)}});
}

}  // namespace mercer::studio
