// How to get the same model again: by the command, in C++, in Python.
#pragma once

#include "report/exhibit.hpp"
#include "report/subject.hpp"

namespace mercer::report {

struct Code {
  std::string command, cpp, python;
};
Json to_json(const Code& code);

// `model` and `data` are names of files. What a model file does not keep (weights of points, files of graphs) is not in
// the text.
Code reproduce(const Subject& subject, const std::string& model, const std::string& data);

}  // namespace mercer::report
