// mercer/source.hpp: where the points of a fit or of a prediction come from: a file and how it is read, or data at
// hand.
//
//     data::Source moons{.path = "moons.csv", .bag = "patient"};       // rows with one patient are one point
//     data::Source here{.path = "here", .data = Dataset{.points = rows(x)}};
//
// Sources are values; nothing is read before somebody asks (mercer/workflow.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/dataset.hpp"
#include "mercer/matrix.hpp"

namespace mercer::data {

// Where points come from.
struct Source {
  // Of a file, or of several that are one table (mercer/io.hpp); "-" is standard input. Of data at hand: what messages
  // call them.
  std::string path = {};
  std::optional<Dataset> data = {};  // at hand. Then nothing is read from files: targets and weights are columns
  Format format = Format::automatic;
  std::optional<bool> header = {};  // csv, tsv: does the first line hold names; unset: by the look of it
  // A column that holds numbers of graphs, from 1, and the folder these are in: "molecule=MUTAG"; several with commas.
  std::string graphs = {};
  // A column; rows with the same value of it are one point, a bag of them or a series in the order of the file.
  std::string bag = {}, series = {};
  std::string graph = {};   // a file of edges; a column names its nodes
  std::string node = {};    // that column; empty: the first that is no target
  std::string text = {};    // csv, tsv: columns that are text though they look like numbers, with commas between
  std::string sha256 = {};  // of data at hand: the file's that they come from, where there is one
};

// One column: numbers, or text.
struct Column {
  std::string name;  // "column 5" where nothing is named
  Vector numbers = {};
  std::vector<std::string> words = {};  // where it does not hold numbers

  std::size_t size() const { return numbers.size() + words.size(); }
  // As text in any case. Numbers are written in their shortest form.
  std::string text(std::size_t i) const;
  std::vector<std::string> texts() const;
};

}  // namespace mercer::data
