#include "predict_files.hpp"

#include <filesystem>
#include <map>
#include <ostream>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "file/file_set.hpp"
#include "file/gzip_writer.hpp"
#include "file/text_window.hpp"
#include "mercer/io.hpp"

namespace mercer::cli {

namespace fs = std::filesystem;

namespace {

std::string output_name(const fs::path& input) {
  std::string name = input.filename().string();
  const bool packed = name.ends_with(".gz");
  if (packed) name.resize(name.size() - 3);
  for (const std::string_view ending : {".csv", ".tsv", ".tab", ".svm", ".libsvm", ".svmlight", ".npy"}) {
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    break;
  }
  return name + (packed ? ".csv.gz" : ".csv");
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (fs::is_directory(folder)) return;
  fail(ErrorKind::file, "{}: cannot be made: {}; create the folder that it is in first", folder, error.message());
}

}  // namespace

std::vector<FilePair> outputs_in(const std::string& folder, const std::string& data) {
  if (data.empty() || data == "-") {
    fail(ErrorKind::usage, "predict: {} is a folder, for the predictions of files of their own; name a file (-o)",
         mercer::quoted(folder));
  }
  std::vector<FilePair> out;
  std::map<std::string, std::string> inputs;
  std::error_code none;
  for (const std::string& input : files_named(data).files) {
    const fs::path parent = fs::path(input).parent_path();
    if (fs::equivalent(parent.empty() ? "." : parent, folder, none)) {
      fail(ErrorKind::usage, "predict: the folder {} holds the input {}; give the outputs a folder of their own",
           mercer::quoted(folder), input);
    }
    const std::string output = (fs::path(folder) / output_name(input)).string();
    const auto [other, is_new] = inputs.emplace(output, input);
    if (!is_new) {
      fail(ErrorKind::usage, "predict: {} and {} would both be predicted into {}; rename one", other->second, input,
           output);
    }
    if (fs::equivalent(input, output, none)) {
      fail(ErrorKind::usage, "predict: the output {} is the input {}; give the outputs another folder", output, input);
    }
    out.push_back({input, output});
  }
  make_folder(folder);
  return out;
}

bool is_up_to_date(const FilePair& files, const std::string& model) {
  std::error_code error;
  const auto time = fs::last_write_time(files.output, error);
  if (error) return false;
  return time > fs::last_write_time(files.input) && time > fs::last_write_time(model);
}

std::string first_line_of(const std::string& path) {
  const TextWindow window(path);
  return std::string(window.text().substr(0, window.text().find('\n')));
}

void write_file(const std::string& output, const std::function<void(std::ostream&)>& write) {
  write_atomically(output, [&](std::ostream& out) {
    if (!output.ends_with(".gz")) return write(out);
    GzipWriter packing(out);
    std::ostream packed(&packing);
    write(packed);
    packing.finish();
  });
}

}  // namespace mercer::cli
