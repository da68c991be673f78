// answer MODEL.mercer TABLE.csv: what a model, of `mercer auto` say, predicts for the rows of a raw table.
#include <charconv>
#include <cstdio>
#include <mercer/mercer.hpp>

int main(int argc, char** argv) try {
  using namespace mercer;
  if (argc != 3) return std::fprintf(stderr, "usage: answer model.mercer table.csv\n"), 2;

  // The recipe that makes numbers of categories, dates and gaps is part of the model: the table comes as it is.
  const workflow::PredictResult found = workflow::predict({.model = load(argv[1]), .source = {.path = argv[2]}});
  for (const std::string& remark : found.remarks) std::fprintf(stderr, "answer: %s\n", remark.c_str());
  for (const std::string& label : found.labels) std::printf("%s\n", label.c_str());
  for (Index i = 0; i < found.numbers.rows(); ++i) {
    char text[32];
    *std::to_chars(text, text + sizeof text - 1, found.numbers(i, 0)).ptr = 0;  // as short as keeps every digit
    std::puts(text);
  }
  return 0;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "answer: %s\n", error.what());
  return 1;
}
