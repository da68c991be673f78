// Jobs: what became of them, and an end to them.
#include "studio/jobs.hpp"

#include <fmt/format.h>

#include <charconv>

#include "studio/errors.hpp"
#include "studio/given.hpp"
#include "studio/handlers/handlers.hpp"

namespace mercer::studio {

namespace {

std::uint64_t number_of(const std::string& text) {
  std::uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

Answer answer_of(Studio& studio, const std::string& id) {
  const auto status = studio.jobs.status(number_of(id));
  if (!status) throw Failure(404, "there is no such job, or not any more", "job");
  return json_answer(
      {{"job", id}, {"slot", status->place.slot}, {"seq", status->place.seq}, {"state", name_of(status->state)}});
}

}  // namespace

Answer get_job(Studio& studio, const Request& request) { return answer_of(studio, request.parts[0]); }

Answer post_job_cancel(Studio& studio, const Request& request) {
  studio.jobs.cancel(number_of(request.parts[0]));
  return answer_of(studio, request.parts[0]);
}

}  // namespace mercer::studio
