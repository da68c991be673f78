#include "studio/router.hpp"

#include "studio/errors.hpp"
#include "studio/handlers/handlers.hpp"

namespace mercer::studio {

namespace {

std::string_view take_part(std::string_view& path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  const std::string_view part = path.substr(0, path.find('/'));
  path.remove_prefix(part.size());
  return part;
}

bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& parts) {
  parts.clear();
  while (!pattern.empty() || !path.empty()) {
    if (pattern.empty() || path.empty()) return false;
    const std::string_view want = take_part(pattern), got = take_part(path);
    const std::size_t star = want.find('*');
    if (star == want.npos) {
      if (want != got) return false;
      continue;
    }
    const std::string_view before = want.substr(0, star), behind = want.substr(star + 1);
    if (got.size() <= before.size() + behind.size() || !got.starts_with(before) || !got.ends_with(behind)) return false;
    parts.emplace_back(got.substr(before.size(), got.size() - before.size() - behind.size()));
  }
  return true;
}

}  // namespace

const std::vector<Route>& routes() {
  using enum Route::Where;
  static const std::vector<Route> all = {
      {"GET", "/", get_page, at_once},
      {"GET", "/favicon.ico", get_favicon, at_once},
      {"POST", "/api/v1/session", post_session, at_once},
      {"GET", "/api/v1/session", get_session, at_once},
      {"GET", "/api/v1/events", nullptr, at_once, true},
      {"GET", "/api/v1/routes", get_routes, at_once},
      {"GET", "/api/v1/catalog", get_catalog, quick},
      {"POST", "/api/v1/check", post_check, quick},
      {"POST", "/api/v1/complete", post_complete, quick},
      {"POST", "/api/v1/kernel", post_kernel, quick},
      {"POST", "/api/v1/prior", post_prior, quick},
      {"POST", "/api/v1/gram", post_gram, quick},
      {"GET", "/api/v1/gram/value", get_gram_value, quick},
      {"POST", "/api/v1/data", post_data, files},
      {"GET", "/api/v1/data/*", get_data, at_once},
      {"GET", "/api/v1/files", get_files, files},
      {"POST", "/api/v1/files/open", post_files_open, files},
      {"POST", "/api/v1/fit", post_fit, at_once},
      {"GET", "/api/v1/jobs/*", get_job, at_once},
      {"POST", "/api/v1/jobs/*/cancel", post_job_cancel, at_once},
      {"POST", "/api/v1/predict", post_predict, quick},
      {"GET", "/api/v1/models/*.mercer", get_model_file, files},
      {"GET", "/api/v1/models/*", get_model, at_once},
      {"POST", "/api/v1/report", post_report, patient},
      {"POST", "/api/v1/save", post_save, files},
  };
  return all;
}

Match find_route(Request& request) {
  Match out;
  for (const Route& route : routes()) {
    if (!matches(route.path, request.path, request.parts)) continue;
    if (route.method == request.head.method) return {&route, false};
    out.other_method = true;
  }
  return out;
}

Answer answer_to(Studio& studio, const Route& route, const Request& request) {
  try {
    return route.handler(studio, request);
  } catch (...) {
    const Failure failure = current_failure();
    if (failure.status >= 500) studio.log(failure.what());
    return {failure.status, to_text(failure.json())};
  }
}

}  // namespace mercer::studio
