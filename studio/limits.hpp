// How much anyone may ask of the server.
#pragma once

#include <chrono>
#include <cstddef>

namespace mercer::studio {

inline constexpr std::size_t kMostHeader = 8 << 10;
inline constexpr std::size_t kMostBody = 64 << 20;
inline constexpr std::size_t kMostPassedOver = 4 * kMostBody;  // of what follows on a refusal
inline constexpr std::size_t kMostAtOnce = 1 << 20;            // of a body that is read between two answers
inline constexpr int kMostDepth = 32;                          // of brackets in JSON
inline constexpr std::size_t kMostExpression = 10000;          // characters of a kernel
inline constexpr std::ptrdiff_t kMostLive = 5000;              // points of a fit without learning
inline constexpr std::size_t kMostConnections = 32;
inline constexpr std::size_t kMostWaiting = 64;  // requests of a lane that have not begun
inline constexpr std::chrono::seconds kPatience{30};
inline constexpr std::chrono::seconds kPatienceAfterRefusal{10};
inline constexpr std::chrono::seconds kHeartbeat{5};
inline constexpr std::chrono::milliseconds kWrongTokenDelay{100};

}  // namespace mercer::studio
