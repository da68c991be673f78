// A small fuzzer: runs a target on its seeds and on mutations of them.
//
//     mercer_fuzz NAME [--runs N] [--seed S] [--first R] [file or folder ...]
//
// Files given are seeds as well. Run number r of seed S is always the same input, so that `--seed S --first r --runs 1`
// repeats a failure. Exits with 1 if a run failed. Without a name it prints those that there are.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.hpp"

namespace mercer {

std::vector<FuzzTarget>& FuzzTarget::all() {
  static std::vector<FuzzTarget> targets;
  return targets;
}

bool FuzzTarget::add(const FuzzTarget& target) {
  all().push_back(target);
  return true;
}

}  // namespace mercer

namespace {

// splitmix64: any 64-bit state is a good one.
class Random {
 public:
  explicit Random(std::uint64_t state) : state_(state) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(next() % n); }

 private:
  std::uint64_t state_;
};

const std::string interesting[] = {
    "0",
    "-0",
    "-1",
    "1e999",
    "1e-999",
    "2147483648",
    "9223372036854775808",
    "18446744073709551616",
    "nan",
    "inf",
    "0x1p3",
    "\"",
    "\"\"",
    "\n",
    "\r\n",
    ",",
    "\t",
    ":",
    "#",
    "(",
    ")",
    "*",
    std::string(4, '\0'),
    std::string(4, '\xFF'),
    std::string("\x7F\xFF\xFF\xFF"),
    std::string("\x00\x00\x00\x80", 4),
    "\xEF\xBB\xBF",
};

void mutate(std::string& input, const std::vector<std::string>& seeds, Random& random) {
  constexpr std::size_t longest = 1 << 16;
  const std::size_t at = random.below(input.size() + 1);
  const std::size_t length = random.below(std::min<std::size_t>(input.size() - at, 64) + 1);
  switch (random.below(8)) {
    case 0:  // flip a bit
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << random.below(8)));
      break;
    case 1:  // another byte
      if (at < input.size()) input[at] = static_cast<char>(random.below(256));
      break;
    case 2:  // cut off the end
      input.resize(at);
      break;
    case 3:  // cut out a piece
      input.erase(at, length);
      break;
    case 4: {  // repeat a piece
      const std::string piece = input.substr(at, length);
      for (std::size_t times = 1 + random.below(8); times > 0; --times) input.insert(at, piece);
      break;
    }
    case 5: {  // go on with the end of another seed
      const std::string& other = seeds[random.below(seeds.size())];
      input.resize(at);
      input += other.substr(random.below(other.size() + 1));
      break;
    }
    case 6:  // insert something that matters
      input.insert(at, interesting[random.below(std::size(interesting))]);
      break;
    default: {  // overwrite with something that matters
      const std::string& what = interesting[random.below(std::size(interesting))];
      input.replace(at, std::min(what.size(), input.size() - at), what);
      break;
    }
  }
  if (input.size() > longest) input.resize(longest);
}

std::string make_input(std::uint64_t seed, std::uint64_t run, const std::vector<std::string>& seeds) {
  if (run < seeds.size()) return seeds[static_cast<std::size_t>(run)];  // the seeds themselves come first
  Random random(seed * 0x9E3779B97F4A7C15u + run);
  std::string input = seeds[random.below(seeds.size())];
  for (std::size_t steps = 1 + random.below(6); steps > 0; --steps) mutate(input, seeds, random);
  return input;
}

volatile std::uint64_t current_run = 0;

void report_crash(int signal) {
  char text[64];
  const int size =
      std::snprintf(text, sizeof(text), "crash in run %llu\n", static_cast<unsigned long long>(current_run));
  if (::write(STDERR_FILENO, text, static_cast<std::size_t>(size)) < 0) std::_Exit(1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Leaves the handlers of sanitizers alone.
void report_signal(int signal) {
  const auto previous = std::signal(signal, report_crash);
  if (previous != SIG_DFL) std::signal(signal, previous);
}

void read_seed(const std::filesystem::path& path, std::vector<std::string>& seeds) {
  if (std::filesystem::is_directory(path)) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) read_seed(file, seeds);
    return;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

std::uint64_t number_after(int argc, char** argv, int& i) {
  const std::string_view option = argv[i];
  const std::string_view text = ++i < argc ? argv[i] : "";
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error(std::string(option) + " needs a whole number");
  }
  return value;
}

int run(int argc, char** argv) {
  std::vector<mercer::FuzzTarget>& targets = mercer::FuzzTarget::all();
  if (argc == 1) {
    for (const mercer::FuzzTarget& target : targets) std::puts(target.name);
    return 0;
  }
  const auto target = std::find_if(targets.begin(), targets.end(),
                                   [&](const auto& one) { return one.name == std::string_view(argv[1]); });
  if (target == targets.end()) throw std::runtime_error("no target is called " + std::string(argv[1]));
  std::uint64_t runs = 10000, seed = 1, first = 0;
  std::vector<std::string> seeds = target->seeds();
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--runs") {
      runs = number_after(argc, argv, i);
    } else if (word == "--seed") {
      seed = number_after(argc, argv, i);
    } else if (word == "--first") {
      first = number_after(argc, argv, i);
    } else if (word.starts_with("-")) {
      throw std::runtime_error("unknown option " + std::string(word) + "; there are --runs, --seed and --first");
    } else {
      read_seed(argv[i], seeds);
    }
  }
  if (seeds.empty()) seeds.emplace_back();
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) report_signal(signal);

  std::uint64_t failures = 0;
  for (std::uint64_t r = first; r < first + runs; ++r) {
    current_run = r;
    const std::string input = make_input(seed, r, seeds);
    try {
      target->run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    } catch (const std::exception& error) {
      ++failures;
      std::fprintf(stderr, "run %llu: %s\n", static_cast<unsigned long long>(r), error.what());
    }
  }
  std::printf("%llu runs, %llu failures\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(failures));
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
