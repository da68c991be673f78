#include "mpi_ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace mercer {

namespace {

// MPI counts bytes in int; so many at a time from all ranks together.
constexpr std::int64_t kAtOnce = std::int64_t{1} << 30;

// MPI's own way to wait keeps a core busy. Errors of MPI end all ranks (MPI_ERRORS_ARE_FATAL).
void wait(MPI_Request& request) {
  constexpr std::chrono::microseconds kSpin(50), kMost(250);
  const auto start = std::chrono::steady_clock::now();
  auto pause = kSpin;
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (std::chrono::steady_clock::now() - start < kSpin) continue;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kMost);
  }
}

// How much of so many bytes goes in a round.
int part_of(std::int64_t bytes, std::int64_t from, std::int64_t most) {
  return static_cast<int>(std::clamp<std::int64_t>(bytes - from, 0, most));
}

std::vector<int> places_of(const std::vector<int>& counts) {
  std::vector<int> out(counts.size());
  for (std::size_t r = 1; r < counts.size(); ++r) out[r] = out[r - 1] + counts[r - 1];
  return out;
}

}  // namespace

MpiRanks::MpiRanks() {
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiRanks::~MpiRanks() { MPI_Finalize(); }

std::vector<std::string> MpiRanks::gather(const std::string& own) {
  const auto ranks = static_cast<std::size_t>(size_);
  const auto bytes = static_cast<std::int64_t>(own.size());
  std::vector<std::int64_t> all(ranks);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&bytes, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD, &request);
  wait(request);
  std::vector<std::string> out(ranks);
  std::string room;
  const std::int64_t most = kAtOnce / size_, longest = *std::max_element(all.begin(), all.end());
  for (std::int64_t from = 0; from < longest; from += most) {
    std::vector<int> counts(ranks);
    for (std::size_t r = 0; r < ranks; ++r) counts[r] = part_of(all[r], from, most);
    const std::vector<int> places = places_of(counts);
    room.resize(static_cast<std::size_t>(places.back() + counts.back()));
    MPI_Iallgatherv(own.data() + std::min(from, bytes), part_of(bytes, from, most), MPI_BYTE, room.data(),
                    counts.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
    wait(request);
    for (std::size_t r = 0; r < ranks; ++r) {
      out[r].append(room, static_cast<std::size_t>(places[r]), static_cast<std::size_t>(counts[r]));
    }
  }
  return out;
}

std::vector<std::string> MpiRanks::exchange(const std::vector<std::string>& to) {
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<std::int64_t> goes(ranks), comes(ranks);
  for (std::size_t r = 0; r < ranks; ++r) goes[r] = static_cast<std::int64_t>(to[r].size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(goes.data(), 1, MPI_INT64_T, comes.data(), 1, MPI_INT64_T, MPI_COMM_WORLD, &request);
  wait(request);
  std::int64_t longest =
      std::max(*std::max_element(goes.begin(), goes.end()), *std::max_element(comes.begin(), comes.end()));
  std::int64_t of_all = 0;
  MPI_Iallreduce(&longest, &of_all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
  wait(request);
  std::vector<std::string> out(ranks);
  std::string from_here, room;
  const std::int64_t most = kAtOnce / size_;
  for (std::int64_t from = 0; from < of_all; from += most) {
    std::vector<int> sent(ranks), got(ranks);
    from_here.clear();
    for (std::size_t r = 0; r < ranks; ++r) {
      sent[r] = part_of(goes[r], from, most);
      got[r] = part_of(comes[r], from, most);
      if (sent[r] > 0) from_here.append(to[r], static_cast<std::size_t>(from), static_cast<std::size_t>(sent[r]));
    }
    const std::vector<int> at = places_of(sent), places = places_of(got);
    room.resize(static_cast<std::size_t>(places.back() + got.back()));
    MPI_Ialltoallv(from_here.data(), sent.data(), at.data(), MPI_BYTE, room.data(), got.data(), places.data(), MPI_BYTE,
                   MPI_COMM_WORLD, &request);
    wait(request);
    for (std::size_t r = 0; r < ranks; ++r) {
      out[r].append(room, static_cast<std::size_t>(places[r]), static_cast<std::size_t>(got[r]));
    }
  }
  return out;
}

}  // namespace mercer
