// Whether the tests run under a sanitizer, which takes memory and threads of its own: what a test measures of the
// process, or takes from it (`ulimit -v`), is then not the program's. And it takes time, five times as much and more.
#pragma once

namespace mercer::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MERCER_SANITIZED
#endif
#endif
#if defined(MERCER_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#undef MERCER_SANITIZED

}  // namespace mercer::test
