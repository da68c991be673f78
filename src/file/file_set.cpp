#include "file/file_set.hpp"

#include <glob.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "file/bytes.hpp"

namespace mercer {

namespace fs = std::filesystem;

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string_view digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(at, end - at);
}

bool is_pattern(std::string_view text) { return text.find_first_of("*?[") != text.npos; }

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found = {};
  const int status = ::glob(pattern.c_str(), GLOB_ERR | GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> out;
  std::error_code ignored;
  for (std::size_t i = 0; i < found.gl_pathc; ++i) {
    if (!fs::is_directory(found.gl_pathv[i], ignored)) out.emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
  const std::string folder = fs::path(pattern).parent_path().string();
  const bool is_there = folder.empty() || is_pattern(folder) || exists(folder);
  if (status == GLOB_ABORTED && is_there) {
    fail(ErrorKind::file, "{}: its folder may not be read; check its permissions", pattern);
  }
  if (status == GLOB_NOSPACE) throw std::bad_alloc();
  if (out.empty()) fail(ErrorKind::file, "{}: no file matches; check the pattern and the folder", pattern);
  std::sort(out.begin(), out.end(), naturally_before);
  return out;
}

// What begins with many empty lines is for the parser to refuse.
bool holds_nothing(const std::string& path) {
  constexpr std::uintmax_t most = 4096;
  std::error_code none;
  if (!fs::is_regular_file(path, none) || fs::file_size(path, none) > most || none) return false;
  return read_bytes(path).text.find_first_not_of("\r\n") == std::string_view::npos;
}

}  // namespace

bool naturally_before(std::string_view a, std::string_view b) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    std::string_view p = digits_at(a, i), q = digits_at(b, j);
    i += p.size();
    j += q.size();
    p.remove_prefix(std::min(p.find_first_not_of('0'), p.size()));
    q.remove_prefix(std::min(q.find_first_not_of('0'), q.size()));
    if (p.size() != q.size()) return p.size() < q.size();
    if (p != q) return p < q;
  }
  // One is the beginning of the other, or they differ in zeros before a number.
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

FileSet files_named(const std::string& path) {
  if (path == "-" || exists(path)) return {{path}};
  const std::vector<std::string> words = split(path, ',');
  const bool several = is_pattern(path) || std::any_of(words.begin(), words.end(), exists);
  if (!several) return {{path}};
  FileSet out;
  std::set<std::string> seen;
  for (const std::string& word : words) {
    const bool whole = !is_pattern(word) || exists(word);
    for (const std::string& file : whole ? std::vector<std::string>{word} : matches(word)) {
      if (!seen.insert(fs::path(file).lexically_normal().string()).second) {
        fail(ErrorKind::usage, "{}: names {} twice; name each file once", path, file);
      }
      out.files.push_back(file);
    }
  }
  if (out.files.size() == 1) return out;
  const auto filled = std::stable_partition(out.files.begin(), out.files.end(),
                                            [](const std::string& file) { return !holds_nothing(file); });
  out.empty.assign(filled, out.files.end());
  out.files.erase(filled, out.files.end());
  if (out.files.empty()) fail(ErrorKind::data, "{}: all {} files are empty", path, out.empty.size());
  return out;
}

}  // namespace mercer
