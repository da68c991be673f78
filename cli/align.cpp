// mercer align: how well kernels go with what is to be predicted, and with each other.
#include <algorithm>

#include "arguments.hpp"
#include "base/parallel.hpp"
#include "data/columns.hpp"
#include "data/source.hpp"
#include "input_words.hpp"
#include "kernel_list.hpp"
#include "mercer/kernels.hpp"
#include "mercer/statistics/alignment.hpp"
#include "output.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

// What a target is to an alignment: y y' of numbers, 1 where classes are equal.
Gram target_matrix(const workflow::Column& target, bool classes) {
  if (classes || target.numbers.empty()) return lazy(equal(), strings(target.texts()));
  return lazy(linear(), rows(Matrix(MatrixView(target.numbers.data(), static_cast<Index>(target.numbers.size()), 1))));
}

}  // namespace

int run_align(const Words& words) {
  std::string text, path, target;
  InputWords input;
  bool classes = false, as_json = false;
  Arguments arguments(
      "align",
      "How well each kernel goes with the target, and with the other kernels: the cosine between their matrices with "
      "the mean taken out, from 0 to 1 (centred kernel alignment). The higher with the target, the better a predictor "
      "the kernel can make.",
      "  mercer align 'rbf(ell=0.5); rbf(ell=2); linear()' iris.csv\n"
      "  mercer align 'rbf(ell=auto)' digits.csv --target label --classes\n");
  arguments.required("EXPR", text, "Kernels, with ; between: 'rbf(ell=1); linear()'");
  arguments.required("DATA", path, kDataHelp);
  arguments.option("--target", target, "COL", "A column's name, or its number from 1 [the last column]");
  arguments.flag("--classes", classes, "The target is a label, though it is written as a number");
  input.declare(arguments);
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  const std::vector<Kernel> kernels = parse_list(text);
  Execution how = input.how();
  const Threads limit(how.threads);

  Watch watch;
  const workflow::Source source = input.file.source(path);
  const Dataset data = data::read_points(source, {.target = target, .last_is_target = target.empty()});
  watch.gently();
  how.monitor = watch.monitor();
  const workflow::Column answer = data::target_of(data);
  data::require_present(answer, path);
  const Points x = input.scaled(data.points);
  std::vector<Gram> matrices;
  std::vector<std::string> names;
  for (const Kernel& k : kernels) {
    matrices.push_back(lazy(k, x));
    names.push_back(matrices.back().kernel()->str());
  }
  matrices.push_back(target_matrix(answer, classes));
  const Matrix found = alignments(matrices, how);
  watch.done();
  const Index count = found.rows() - 1;
  if (as_json) {
    Json each = Json::array(), between = Json::array();
    for (Index a = 0; a < count; ++a) {
      each.push_back({{"kernel", names[static_cast<std::size_t>(a)]}, {"target", found(a, count)}});
      between.push_back(std::vector<double>(found.row(a), found.row(a) + count));
    }
    put_json(Json{{"target", answer.name}, {"kernels", each}, {"between", between}});
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {{"", "kernel", answer.name}};
  for (Index a = 0; a < count && count > 1; ++a) rows[0].push_back(fmt::format("{}", a + 1));
  for (Index a = 0; a < count; ++a) {
    rows.push_back(
        {fmt::format("{}", a + 1), names[static_cast<std::size_t>(a)], fmt::format("{:.4f}", found(a, count))});
    for (Index b = 0; b < count && count > 1; ++b) rows.back().push_back(fmt::format("{:.4f}", found(a, b)));
  }
  put(table(rows));
  say(input.remark(data.points));
  const bool numbers = !classes && !answer.numbers.empty();
  if (numbers) say(fmt::format("{} is taken as a number; --classes takes it as a label", mercer::quoted(answer.name)));
  return 0;
}

}  // namespace mercer::cli
