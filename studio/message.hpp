// A request as handlers see it and an answer as they give it: HTTP without the transport.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer::studio {

// What is known before the body is read.
struct Head {
  std::string method;  // "GET"
  std::string target;  // as sent: "/api/v1/events?after=7"
  // Of a header that may stand once: empty where it is missing.
  std::string host, origin, type;
  std::string key;          // X-Mercer-Key
  bool twice = false;       // one of them stands there twice
  std::string name;         // X-Mercer-Name: what an uploaded file is called, percent-encoded
  std::string last_event;   // Last-Event-ID
  std::string etag;         // If-None-Match
  bool takes_gzip = false;  // Accept-Encoding
};

struct Request {
  Head head = {};
  std::string path = {};                          // decoded, without the query
  std::map<std::string, std::string> query = {};  // decoded
  std::vector<std::string> parts = {};            // what the stars of the route stand for
  std::string body;
};

struct Answer {
  int status = 200;
  std::string body = {};
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// %41 is A, and in a query + is a space. What is no code stays as it is.
std::string percent_decoded(std::string_view text, bool plus_is_space = false);

// The path and the query of a target.
void split_target(Request& request);

}  // namespace mercer::studio
