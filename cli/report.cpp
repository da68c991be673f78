// mercer report: a model and data as one page.
#include "report/report.hpp"

#include <filesystem>

#include "arguments.hpp"
#include "browser.hpp"
#include "file/file_hash.hpp"
#include "input_words.hpp"
#include "mercer/io.hpp"
#include "mercer/model_file.hpp"
#include "output.hpp"
#include "watch.hpp"

namespace mercer::cli {

int run_report(const Words& words) {
  std::string path, data, output, target, title, threads;
  FormatWords file;
  bool as_json = false, pdf = false;
  Arguments arguments(
      "report",
      "A page about a model and data that hold the truth: what the model is, with proof and parameters in units of the "
      "data; how good it is, with intervals; pictures; warnings; how to get it again. One file of at most "
      "2 MB that opens without a network. Where DATA are the points of the fit, each is predicted from the others.",
      "  mercer report iris.mercer test.csv\n  mercer report houses.mercer test.csv --target price -o houses.html\n"
      "  mercer report houses.mercer houses.csv --title 'What houses cost' --pdf\n");
  arguments.required("MODEL", path, "A file that `mercer fit` wrote");
  arguments.required("DATA", data, kDataHelp);
  arguments.option("-o,--output", output, "FILE", "Where the page goes [MODEL with .html]");
  arguments.is_output();
  arguments.option("--target", target, "COL",
                   "The truth: a column's name or number, several (a,b), or a file [as in the training data]");
  arguments.option("--title", title, "TEXT", "What stands on top [in words, by what the model does]");
  arguments.flag("--pdf", pdf, "Also print it to a file .pdf beside the page, by chromium");
  arguments.flag("--json", as_json, "What the page shows, for programs, on standard output; no file is written");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  file.declare(arguments);
  file.declare_structure(arguments);
  if (!arguments.parse(words)) return 0;
  const bool unnamed = output.empty();
  if (unnamed) output = std::filesystem::path(path).filename().replace_extension(".html").string();
  if (!as_json && std::filesystem::path(output).extension() == ".mercer") {
    fail(ErrorKind::usage, "report: {} is where a model would be; give a page another name, such as r.html", output);
  }
  if (!as_json && std::filesystem::path(output).extension() == ".pdf") {
    fail(ErrorKind::usage, "report: {} would hold a page; name it r.html, and --pdf prints it to r.pdf beside it",
         output);
  }
  const std::string printed = std::filesystem::path(output).replace_extension(".pdf").string();
  if (!as_json) {
    if (unnamed) arguments.require_output(output);
    if (pdf) arguments.require_output(printed);
  }
  Execution how = execution(threads);

  Watch watch;
  const Model model = load(path);
  const workflow::Inputs inputs = workflow::inputs_for(model, file.source(data), target);
  how.monitor = watch.monitor();
  watch.gently();
  const std::string name = data == "-" ? "standard input" : std::filesystem::path(data).filename().string();
  const report::Written written =
      report::write(report::subject_of(model, inputs, name, how),
                    {.title = title, .model = path, .data = data, .data_hash = file_hash(data)});
  watch.done();
  if (as_json) {
    put(written.document + "\n");
    return 0;
  }
  write_atomically(output, [&](std::ostream& out) { out << written.html; });
  say(fmt::format("{}: {}", output, bytes_text(static_cast<double>(written.html.size()))));
  if (!pdf) return 0;
  print_to_pdf(output, printed);
  say(fmt::format("{}: {}", printed, bytes_text(static_cast<double>(std::filesystem::file_size(printed)))));
  return 0;
}

}  // namespace mercer::cli
