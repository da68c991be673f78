#include "studio/errors.hpp"

#include <fmt/format.h>

#include <new>

#include "mercer/wording.hpp"
#include "workflow/json.hpp"

namespace mercer::studio {

namespace {

constexpr int kUnprocessable = 422, kInside = 500, kNoRoom = 507;

}  // namespace

std::string in_page_words(std::string_view text) {
  return spelled(text, [](const Argument& argument) {
    if (argument.name == "source") return std::string("the data");
    if (argument.name == "plain") return std::string("a fit without learning");
    return fmt::format("{}{}{}", argument.name, argument.value.empty() ? "" : " ", argument.value);
  });
}

std::string to_text(const Json& value) { return value.dump(); }

Json Failure::json() const {
  Json out = {{"error", what()}};
  if (!where.empty()) out["where"] = where;
  if (!hint.empty()) out["hint"] = hint;
  return out;
}

Failure current_failure() {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const Error& error) {
    const Json told = workflow::to_json(Error(error.kind(), in_page_words(error.message())));
    return {kUnprocessable, told["error"].text(), told["where"].text(), told["hint"].text()};
  } catch (const JsonError& error) {
    return {400, fmt::format("the body is not what this path takes: {}", error.what())};
  } catch (const std::bad_alloc&) {
    return {kNoRoom, "out of memory; take fewer rows of the data"};
  } catch (const std::exception& error) {
    return {kInside, fmt::format("unexpected: {}; please report this as a bug", error.what())};
  }
}

}  // namespace mercer::studio
