// One function a path; each in a file of its own name. docs/studio.md says what they take and give.
#pragma once

#include "studio/message.hpp"
#include "studio/studio.hpp"

namespace mercer::studio {

Answer get_page(Studio& studio, const Request& request);
Answer get_favicon(Studio& studio, const Request& request);
Answer post_session(Studio& studio, const Request& request);
Answer get_session(Studio& studio, const Request& request);
Answer get_routes(Studio& studio, const Request& request);
Answer get_catalog(Studio& studio, const Request& request);
Answer post_check(Studio& studio, const Request& request);
Answer post_complete(Studio& studio, const Request& request);
Answer post_kernel(Studio& studio, const Request& request);
Answer post_prior(Studio& studio, const Request& request);
Answer post_gram(Studio& studio, const Request& request);
Answer get_gram_value(Studio& studio, const Request& request);
Answer post_data(Studio& studio, const Request& request);
Answer get_data(Studio& studio, const Request& request);
Answer get_files(Studio& studio, const Request& request);
Answer post_files_open(Studio& studio, const Request& request);
Answer post_fit(Studio& studio, const Request& request);
Answer get_job(Studio& studio, const Request& request);
Answer post_job_cancel(Studio& studio, const Request& request);
Answer post_predict(Studio& studio, const Request& request);
Answer get_model(Studio& studio, const Request& request);
Answer get_model_file(Studio& studio, const Request& request);
Answer post_report(Studio& studio, const Request& request);
Answer post_save(Studio& studio, const Request& request);

}  // namespace mercer::studio
