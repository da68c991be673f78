// Who is let in, decided from the head of a request alone.
#include "studio/guard.hpp"

#include <gtest/gtest.h>

#include "studio/token.hpp"

namespace mercer::studio {
namespace {

const Guard kGuard{8370, "00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"};  // token, key

Head good(const std::string& method = "GET") {
  Head out;
  out.method = method;
  out.target = "/api/v1/catalog";
  out.host = "127.0.0.1:8370";
  out.key = kGuard.key;
  if (method == "POST") {
    out.origin = "http://127.0.0.1:8370";
    out.type = "application/json";
  }
  return out;
}

int status(const Head& head) {
  const auto refusal = refuse(kGuard, head);
  return refusal ? refusal->answer.status : 200;
}

TEST(StudioGuard, LetsItsOwnPageIn) {
  EXPECT_EQ(status(good()), 200);
  EXPECT_EQ(status(good("POST")), 200);
  for (const char* host : {"localhost:8370", "[::1]:8370"}) {
    Head head = good("POST");
    head.host = host;
    head.origin = std::string("http://") + host;
    EXPECT_EQ(status(head), 200) << host;
  }
}

TEST(StudioGuard, RefusesNamesThatAreNotItsOwn) {
  for (const char* host : {"", "evil.example", "evil.example:8370", "127.0.0.1", "127.0.0.1:8371", "localhost:83700",
                           "127.0.0.1.evil.example:8370", "0.0.0.0:8370", "localhost:8370.evil.example"}) {
    Head head = good();
    head.host = host;
    EXPECT_EQ(status(head), 421) << host;
  }
}

TEST(StudioGuard, RefusesOtherPages) {
  for (const std::string method : {"GET", "POST"}) {
    for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:8371", "https://127.0.0.1:8370",
                               "http://localhost:8370", "http://127.0.0.1:8370.evil.example"}) {
      Head head = good(method);
      head.origin = origin;
      EXPECT_EQ(status(head), 403) << method << " " << origin;
    }
  }
  Head none = good("POST");
  none.origin.clear();
  EXPECT_EQ(status(none), 403);
}

TEST(StudioGuard, RefusesOtherMethodsAndTypes) {
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "get"}) {
    Head head = good();
    head.method = method;
    EXPECT_EQ(status(head), 405) << method;
  }
  // What a form can send without asking first.
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
                           "application/jsonx"}) {
    Head head = good("POST");
    head.type = type;
    EXPECT_EQ(status(head), 415) << type;
  }
  Head charset = good("POST");
  charset.type = "application/json; charset=utf-8";
  EXPECT_EQ(status(charset), 200);
}

TEST(StudioGuard, WantsTheKey) {
  Head head = good();
  head.key.clear();
  EXPECT_EQ(status(head), 401);
  for (const std::string& key : {kGuard.key.substr(1), kGuard.key + "0", kGuard.token}) {
    head.key = key;
    const auto wrong = refuse(kGuard, head);
    ASSERT_TRUE(wrong) << key;
    EXPECT_EQ(wrong->answer.status, 403);
    EXPECT_TRUE(wrong->slowly);
  }
  // A path that is written otherwise is the same path.
  head.target = "/%61pi/v1/catalog";
  EXPECT_EQ(status(head), 403);
  // The page and the way in need none.
  head.target = "/";
  EXPECT_EQ(status(head), 200);
  Head session = good("POST");
  session.key.clear();
  session.target = "/api/v1/session";
  EXPECT_EQ(status(session), 200);
}

TEST(StudioGuard, TakesATokenOnce) {
  Guard guard = kGuard;
  for (const std::string& token : {std::string(), kGuard.token + "0", kGuard.token.substr(1), kGuard.key}) {
    const auto refusal = refuse_token(guard, token);
    ASSERT_TRUE(refusal) << token;
    EXPECT_EQ(refusal->answer.status, 403);
    EXPECT_TRUE(refusal->slowly);
  }
  EXPECT_FALSE(refuse_token(guard, kGuard.token));
  EXPECT_TRUE(refuse_token(guard, kGuard.token)) << "a second time";
  EXPECT_NE(guard.address(), kGuard.address());
  const std::string next = guard.address().substr(guard.address().find("token=") + 6);
  EXPECT_FALSE(refuse_token(guard, next));
  EXPECT_EQ(guard.key, kGuard.key);
}

TEST(StudioGuard, RefusesHeadersThatStandTwice) {
  Head head = good();
  head.twice = true;
  EXPECT_EQ(status(head), 400);
}

TEST(StudioGuard, EveryAnswerForbidsFrames) {
  Answer plain, page;
  add_security_headers(plain);
  add_security_headers(page, "default-src 'none'; script-src 'sha256-x'");
  for (const Answer& answer : {plain, page}) {
    EXPECT_EQ(answer.headers[0].first, "Content-Security-Policy");
    EXPECT_TRUE(answer.headers[0].second.ends_with("; frame-ancestors 'none'"));
    EXPECT_EQ(answer.headers[0].second.rfind("default-src 'none'", 0), 0u);
  }
}

TEST(StudioToken, Has128Bits) {
  const std::string a = random_token(), b = random_token();
  EXPECT_EQ(a.size(), 32u);
  EXPECT_EQ(a.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(a, b);
  EXPECT_TRUE(same_secret(a, a));
  EXPECT_FALSE(same_secret("", a));
}

}  // namespace
}  // namespace mercer::studio
