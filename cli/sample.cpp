// mercer sample: functions drawn from a kernel, or from what a model has learnt.
#include <filesystem>
#include <iostream>

#include "arguments.hpp"
#include "base/at.hpp"
#include "base/parallel.hpp"
#include "data/columns.hpp"
#include "data/source.hpp"
#include "input_words.hpp"
#include "io/csv_field.hpp"
#include "mercer/io.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/model_file.hpp"
#include "output.hpp"
#include "points/rep.hpp"
#include "watch.hpp"
#include "workflow/uncertainty.hpp"

namespace mercer::cli {

using workflow::Column;

namespace {

struct SampleWords {
  std::string from, data, grid, target, draws, seed, output, threads;
  FormatWords file;
  bool pathwise = false, noise = false, as_json = false;
};

// The columns of the result: inputs, where they can be written, then draws.
struct Sample {
  std::string from;  // the kernel's text
  std::vector<Column> inputs;
  std::vector<std::string> names;
  Matrix draws;
};

// "0:10:200" as 200 numbers from 0 to 10.
Matrix grid_of(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const auto from = parse_number(parts[0]), to = parse_number(parts.size() > 1 ? parts[1] : "");
  if (parts.size() != 3 || !from || !to) {
    fail(ErrorKind::usage, "--grid: {} is not from:to:count; write 0:10:200", mercer::quoted(text));
  }
  const Index count = whole_number("--grid", parts[2], 0, 1, 100000);
  Matrix out(count, 1, *from);
  for (Index i = 1; i < count; ++i) {
    out(i, 0) = *from + (*to - *from) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return out;
}

std::vector<Column> columns_of(const Points& x) {
  std::vector<Column> out;
  if (is_sparse(x)) return out;  // most of their columns are zeros
  const bool nameless = x.column_names().empty();
  out = data::all_columns(x);
  for (std::size_t j = 0; nameless && j < out.size(); ++j) out[j].name = fmt::format("x{}", j + 1);
  std::erase_if(out, [](const Column& column) { return column.size() == 0; });  // graphs, bags, ... have no text
  return out;
}

Sampling sampling_of(const SampleWords& words) {
  return {.draws = whole_number("--draws", words.draws, 5, 1, 1000000),
          .seed = static_cast<std::uint64_t>(whole_number("--seed", words.seed, 1, 0)),
          .pathwise = words.pathwise,
          .with_noise = words.noise};
}

Sample prior_sample(const SampleWords& words, const Sampling& sampling, Execution how, Watch& watch) {
  const Kernel given = parse(words.from);
  if (words.noise) fail(ErrorKind::usage, "sample: --noise is that of a model; a kernel alone has none");
  if (words.pathwise) fail(ErrorKind::usage, "sample: --pathwise is for a model; a kernel alone has no data");
  const auto read = [&] { return data::read_points(words.file.source(words.data), {.target = words.target}).points; };
  const Points x = words.grid.empty() ? read() : named(rows(grid_of(words.grid)), {"x"});
  watch.gently();
  how.monitor = watch.monitor();
  const Kernel k = given.resolve(x);
  if (!(k == given)) say("auto is " + k.str());
  Sample out{k.str(), columns_of(x), {}, sample_prior(k, x, sampling, how)};
  for (Index d = 1; d <= sampling.draws; ++d) out.names.push_back(fmt::format("draw{}", d));
  return out;
}

Points grid_for(const Model& model, const std::string& text) {
  const Schema& schema = model.parts().inputs;
  if (!model.expansion().parts().kernel || schema.domain.kind != "reals" || schema.domain.dimension != 1) {
    fail(ErrorKind::usage, "sample: --grid is one column of numbers, and the model takes {}; give DATA instead",
         model.expansion().parts().kernel ? schema.domain.str() : "kernel values");
  }
  Points x = rows(grid_of(text));
  return schema.columns.empty() ? x : named(x, schema.columns);
}

Sample posterior_sample(const SampleWords& words, Sampling sampling, Execution how, Watch& watch) {
  if (!words.file.graph.empty() || !words.file.node.empty()) {
    fail(ErrorKind::usage, "sample: --graph and --node go with a kernel; a model knows its graph");
  }
  const Model model = load(words.from);
  workflow::require_posterior(model, "sample");
  if (words.noise && model.is_classifier()) {
    fail(ErrorKind::usage, "sample: --noise: a {} observes classes and has no noise to add", model.parts().machine);
  }
  const auto read = [&] {
    const workflow::Inputs inputs = workflow::inputs_for(model, words.file.source(words.data), words.target);
    for (const std::string& remark : inputs.remarks) say(remark);
    return inputs.points;
  };
  const Points x = words.grid.empty() ? read() : grid_for(model, words.grid);
  watch.gently();
  how.monitor = watch.monitor();
  const Index outputs = model.expansion().outputs();
  Sample out{model.expansion().parts().kernel ? model.expansion().parts().kernel->str() : "precomputed",
             columns_of(x),
             {},
             Matrix(x.size(), outputs * sampling.draws)};
  const std::uint64_t seed = sampling.seed;
  for (Index t = 0; t < outputs; ++t) {
    sampling.output = t;
    sampling.seed = seed + static_cast<std::uint64_t>(t);  // outputs that have nothing to do with each other
    const Matrix draws = sample_posterior(model, x, sampling, how);
    const std::vector<std::string>& targets = model.parts().targets;
    const bool named = static_cast<Index>(targets.size()) == outputs;
    const std::string prefix = outputs == 1 ? "" : (named ? targets[at(t)] : fmt::format("f{}", t + 1)) + ":";
    for (Index d = 0; d < sampling.draws; ++d) {
      out.names.push_back(fmt::format("{}draw{}", prefix, d + 1));
      for (Index i = 0; i < x.size(); ++i) out.draws(i, t * sampling.draws + d) = draws(i, d);
    }
  }
  return out;
}

void write(std::ostream& out, const Sample& sample) {
  std::string line;
  const auto add = [&](const std::string& field) { line += (line.empty() ? "" : ",") + field; };
  const auto end_line = [&] {
    out << line << "\n";
    line.clear();
  };
  for (const Column& column : sample.inputs) add(csv_field(column.name));
  for (const std::string& name : sample.names) add(csv_field(name));
  end_line();
  for (Index i = 0; i < sample.draws.rows(); ++i) {
    for (const Column& column : sample.inputs) add(csv_field(column.text(at(i))));
    for (Index d = 0; d < sample.draws.cols(); ++d) add(number(sample.draws(i, d)));
    end_line();
  }
}

void write_json(std::ostream& out, const Sample& sample, const Sampling& sampling) {
  Json inputs = Json::object(), draws = Json::object();
  for (const Column& column : sample.inputs) {
    inputs[column.name] = column.numbers.empty() ? Json(column.words) : Json(column.numbers);
  }
  for (std::size_t d = 0; d < sample.names.size(); ++d) {
    Json values = Json::array();
    for (Index i = 0; i < sample.draws.rows(); ++i) {
      values.push_back(json_number(sample.draws(i, static_cast<Index>(d))));
    }
    draws[sample.names[d]] = std::move(values);
  }
  const Json all{{"kernel", sample.from}, {"seed", sampling.seed}, {"inputs", inputs}, {"draws", draws}};
  out << workflow::text_of(all) << "\n";
}

// A word that names a file is a model; an expression does not.
bool is_model(const std::string& word) {
  std::error_code ignored;
  return word.ends_with(".mercer") || std::filesystem::exists(word, ignored);
}

}  // namespace

int run_sample(const Words& words) {
  SampleWords given;
  Arguments arguments(
      "sample",
      "Functions drawn at random: from a kernel, f ~ GP(0, k), what it believes before any data; from a model of gp, "
      "what it believes after them. Draws are of f at all the points jointly: one column each.",
      "  mercer sample 'matern(nu=1.5, ell=2)' --grid 0:10:200 --draws 3\n"
      "  mercer sample 'rbf(ell=auto)' points.csv --target label -o draws.csv\n"
      "  mercer sample co2.mercer --grid 2020:2030:121 --noise --seed 7\n");
  arguments.required("FROM", given.from,
                     "A kernel, such as 'rbf(ell=1) + linear()', or a model that `mercer fit` wrote");
  arguments.optional("DATA", given.data,
                     "Where: a file of CSV, TSV, LIBSVM, NPY or IDX, also .gz; - is standard input");
  arguments.option("--grid", given.grid, "A:B:N", "Instead of DATA: N numbers from A to B, one column");
  arguments.option("--draws", given.draws, "N", "How many functions [5]");
  arguments.option("--seed", given.seed, "N", "Of the draws [1]");
  arguments.flag("--noise", given.noise, "From a model: observations instead of f");
  arguments.flag("--pathwise", given.pathwise,
                 "From a model: draws of the prior moved by the data; the same distribution by another way");
  arguments.option("-o,--output", given.output, "FILE", "A CSV file [standard output]");
  arguments.is_output();
  arguments.option("--target", given.target, "COL", "A column of DATA to leave out");
  arguments.option("--threads", given.threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  given.file.declare(arguments);
  given.file.declare_structure(arguments);
  given.file.declare_graph(arguments);
  arguments.flag("--json", given.as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  if (given.data.empty() == given.grid.empty()) {
    fail(ErrorKind::usage, "sample: {}; give DATA or --grid 0:10:200",
         given.data.empty() ? "no points to draw at" : "DATA and --grid are two sets of points");
  }
  if (!given.grid.empty()) grid_of(given.grid);
  const Sampling sampling = sampling_of(given);
  const Execution how{.threads = static_cast<int>(whole_number("--threads", given.threads, 0, 1, 4096))};
  const Threads limit(how.threads);

  Watch watch;
  const Sample sample =
      is_model(given.from) ? posterior_sample(given, sampling, how, watch) : prior_sample(given, sampling, how, watch);
  watch.done();
  const auto put_sample = [&](std::ostream& out) {
    given.as_json ? write_json(out, sample, sampling) : write(out, sample);
  };
  write_output(given.output, put_sample);
  return 0;
}

}  // namespace mercer::cli
