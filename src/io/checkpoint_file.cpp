#include "io/checkpoint_file.hpp"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "base/fail.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "file/bytes.hpp"
#include "io/unfinished.hpp"
#include "mercer/io.hpp"

namespace mercer {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::string_view kFirstLine = "mercer checkpoint 2\n";
constexpr std::size_t kDigits = 64, kMostOfHead = 1000;
constexpr double kUsualSeconds = 60;

std::string_view bytes_of(const Vector& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}

// What a file of these numbers begins with.
std::string head_of(const std::string& problem, const Vector& decided, const Vector& numbers) {
  return fmt::format("{}problem {}\ndecided {}\ncontent {}\n", kFirstLine, problem, fmt::join(decided, " "),
                     sha256(bytes_of(numbers)));
}

double seconds_between() {
  const char* const given = std::getenv("MERCER_CHECKPOINT_SECONDS");
  if (given == nullptr) return kUsualSeconds;
  const std::optional<double> seconds = parse_number(given);
  if (!seconds || !(*seconds >= 0)) {
    fail(ErrorKind::usage, "MERCER_CHECKPOINT_SECONDS: seconds, a number of at least 0, not {}", mercer::quoted(given));
  }
  return *seconds;
}

// Nothing that somebody else may want is written over, or removed.
bool is_checkpoint(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none) || std::filesystem::file_size(path, none) == 0) return false;
  return map_bytes(path).text.starts_with(kFirstLine);
}

Vector read(const std::string& path, const std::string& problem, const Vector& decided) {
  const Bytes bytes = map_bytes(path);
  const std::string_view text = bytes.text;
  const std::size_t size = head_of(problem, decided, {}).size();
  Vector out(text.size() < size ? 0 : (text.size() - size) / sizeof(double));
  if (!out.empty()) std::memcpy(out.data(), text.data() + size, out.size() * sizeof(double));
  const std::string head = head_of(problem, decided, out);
  const std::size_t of_problem = kFirstLine.size() + std::string_view("problem ").size() + kDigits;
  if (text.substr(0, of_problem) != std::string_view(head).substr(0, of_problem)) {
    fail(ErrorKind::usage,
         "{}: is of other data, another kernel, other options or another version of the program; begin anew without "
         "`resume`, or give what it is of",
         path);
  }
  if (text.size() != size + out.size() * sizeof(double) || !text.starts_with(head)) {
    fail(ErrorKind::file, "{}: is damaged; begin anew without `resume`", path);
  }
  return out;
}

}  // namespace

std::optional<Vector> CheckpointFile::decided(const std::string& path) {
  if (!is_checkpoint(path)) return std::nullopt;
  constexpr std::string_view kDecided = "\ndecided ";
  const Bytes bytes = map_bytes(path);
  const std::string_view text = bytes.text.substr(0, kMostOfHead);
  const std::size_t begin = text.find(kDecided);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(begin + kDecided.size());
  Vector out;
  for (const std::string& word : split(std::string(rest.substr(0, rest.find('\n'))), ' ')) {
    const std::optional<double> number = parse_number(word);
    if (!number || !(*number >= 0) || *number > 1e15) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

CheckpointFile::CheckpointFile(std::string path, std::string problem, Vector decided, bool resume)
    : path_(std::move(path)), problem_(std::move(problem)), decided_(std::move(decided)), every_(seconds_between()) {
  if (!std::filesystem::exists(path_)) return;
  if (!is_checkpoint(path_)) {
    fail(ErrorKind::file, "{}: is there, and no checkpoint that this version wrote; move it away", path_);
  }
  if (resume) last_ = read(path_, problem_, decided_);
}

bool CheckpointFile::due() const { return fault_.empty() && since_kept_.seconds() >= every_; }

void CheckpointFile::keep(const Vector& state) {
  done_ = false;
  try {
    write_atomically(path_, [&](std::ostream& out) { out << head_of(problem_, decided_, state) << bytes_of(state); });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::file) throw;
    fault_ = error.message();
  }
  since_kept_ = Stopwatch();
}

void remove_checkpoint(const std::string& path) {
  if (path.empty()) return;
  std::error_code none;
  if (is_checkpoint(path)) std::filesystem::remove(path, none);
  detail::remove_abandoned_files(path);
}

}  // namespace mercer
