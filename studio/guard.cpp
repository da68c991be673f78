#include "studio/guard.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "studio/token.hpp"

namespace mercer::studio {

namespace {

constexpr std::string_view kApi = "/api/";
constexpr std::string_view kSession = "/api/v1/session";

bool is_ours(const Guard& guard, const std::string& host) {
  const std::string port = fmt::format(":{}", guard.port);
  return host == "127.0.0.1" + port || host == "localhost" + port || host == "[::1]" + port;
}

std::string media_type(const std::string& type) { return std::string(trim(type.substr(0, type.find(';')))); }

Refusal refusal(int status, const std::string& error, const std::string& hint = {}, bool slowly = false) {
  return {error_answer(status, error, "", hint), slowly};
}

constexpr const char* kOpenAgain = "open the last address that the terminal shows, with all that stands after #";

}  // namespace

std::string Guard::address() const { return fmt::format("http://127.0.0.1:{}/#token={}", port, token); }

std::optional<Refusal> refuse(const Guard& guard, const Head& head) {
  if (head.twice) return refusal(400, "a header that may stand once stands twice");
  if (!is_ours(guard, head.host)) {
    return refusal(421, "this server answers to 127.0.0.1, localhost and [::1] only",
                   fmt::format("open http://127.0.0.1:{}", guard.port));
  }
  const bool post = head.method == "POST";
  if (!post && head.method != "GET") {
    Refusal out = refusal(405, "only GET and POST are known here");
    out.answer.headers.emplace_back("Allow", "GET, POST");
    return out;
  }
  if (post ? head.origin != "http://" + head.host : !head.origin.empty() && head.origin != "http://" + head.host) {
    return refusal(403, "the request comes from another page");
  }
  if (post && media_type(head.type) != "application/json" && media_type(head.type) != "application/octet-stream") {
    return refusal(415, "a body is application/json or application/octet-stream");
  }
  if (!head.target.starts_with('/')) return refusal(400, "the target of a request is a path");
  const std::string path = percent_decoded(head.target.substr(0, head.target.find('?')));
  if (!path.starts_with(kApi) || (post && path == kSession)) return std::nullopt;
  if (head.key.empty()) return refusal(401, "this browser has not been let in", kOpenAgain);
  if (!same_secret(head.key, guard.key)) return refusal(403, "the key is that of another server", kOpenAgain, true);
  return std::nullopt;
}

std::optional<Refusal> refuse_token(Guard& guard, const std::string& token) {
  if (!same_secret(token, guard.token)) {
    return refusal(403, "the token is not that of this server, or has been used", kOpenAgain, true);
  }
  guard.token = random_token();
  return std::nullopt;
}

Answer error_answer(int status, const std::string& error, const std::string& where, const std::string& hint) {
  Json body = {{"error", error}};
  if (!where.empty()) body["where"] = where;
  if (!hint.empty()) body["hint"] = hint;
  return {status, body.dump()};
}

void add_security_headers(Answer& answer, const std::string& policy) {
  const std::string all = (policy.empty() ? "default-src 'none'; base-uri 'none'; form-action 'none'" : policy) +
                          "; frame-ancestors 'none'";
  answer.headers.emplace_back("Content-Security-Policy", all);
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
  answer.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  answer.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
}

}  // namespace mercer::studio
