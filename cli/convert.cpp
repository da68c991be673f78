// mercer convert: models from LIBSVM and to it.
#include "arguments.hpp"
#include "file/bytes.hpp"
#include "mercer/libsvm_model.hpp"
#include "mercer/model_file.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

// LIBSVM's files begin with what they hold; ours, and whatever else, are for load() to judge.
bool is_libsvm_model(const std::string& path) { return read_bytes(path).text.starts_with("svm_type"); }

}  // namespace

int run_convert(const Words& words) {
  std::string from, to, columns;
  bool as_json = false;
  Arguments arguments(
      "convert",
      "A model file in another format. IN is known by its content, OUT by its name: .mercer is Mercer's own "
      "format, anything else a model of LIBSVM for svm-predict.",
      "  mercer convert a9a.model a9a.mercer --columns 123\n  mercer convert m.mercer m.model\n");
  arguments.required("IN", from, "A model of Mercer or of LIBSVM's svm-train");
  arguments.required("OUT", to, "The file to write");
  arguments.is_output();
  arguments.option("--columns", columns, "N",
                   "Columns of the inputs, when IN is of LIBSVM, which tells only those that support vectors use");
  arguments.flag("--json", as_json, "A summary on standard output, for programs");
  if (!arguments.parse(words)) return 0;
  const bool from_libsvm = is_libsvm_model(from);
  if (!columns.empty() && !from_libsvm) {
    fail(ErrorKind::usage, "--columns: {} is no model of LIBSVM and knows its columns; leave it out", from);
  }
  const Index least = whole_number("--columns", columns, 0, 1, 2147483647);
  const Model model = from_libsvm ? read_libsvm_model(from, least) : load(from);
  if (const Index used = model.parts().inputs.domain.dimension; least > 0 && used > least) {
    fail(ErrorKind::usage, "--columns: {}, but a support vector of {} uses column {}", least, from, used);
  }
  to.ends_with(".mercer") ? save(to, model) : write_libsvm_model(to, model);
  if (as_json) {
    Json summary = to_json(model);
    summary["output"] = to;
    put_json(summary);
  } else {
    say(fmt::format("{}: {} support vectors, now in {}", workflow::describe(model), model.expansion().size(), to));
  }
  return 0;
}

}  // namespace mercer::cli
