// Who may ask what: decided from the head of a request, before its body is read. A page anywhere on the web can make a
// browser send requests to this machine, and by rebinding a name of its own to 127.0.0.1 even read the answers; so
// listening on loopback alone protects nothing. Pure functions.
#pragma once

#include <optional>
#include <string>

#include "studio/message.hpp"

namespace mercer::studio {

struct Guard {
  unsigned short port;
  std::string token;  // in the address that was printed; exchanged once for the key, and then another one
  // What every request must hold, in a header of its own. A cookie would go to every server on this machine, whatever
  // its port, and with requests that other pages make.
  std::string key;

  std::string address() const;  // of the page, with the token
};

struct Refusal {
  Answer answer;
  bool slowly = false;  // a guess of the secret: answered after kWrongTokenDelay
};
// Empty: go on.
std::optional<Refusal> refuse(const Guard& guard, const Head& head);

// Of the token that a page sends to begin. One that is right is used up by that: the address may be seen by others on
// this machine, in the list of processes.
std::optional<Refusal> refuse_token(Guard& guard, const std::string& token);

// {error, where, hint}, the last two left out where they are empty.
Answer error_answer(int status, const std::string& error, const std::string& where = {}, const std::string& hint = {});

// What every answer carries. `policy` is the page's own Content-Security-Policy; empty: nothing is allowed.
void add_security_headers(Answer& answer, const std::string& policy = {});

}  // namespace mercer::studio
