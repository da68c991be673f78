// How to get the same model again: by the command, in C++, in Python.
#pragma once

#include "report/exhibit.hpp"
#include "report/subject.hpp"

namespace mercer::report {

struct Code {
  std::string command, cpp, python;
};
Json to_json(const Code& code);

// `model` is the file of the model, empty where there is none yet, and `data` that of the subject's points. Fitted is
// the training file: `data` where these are its points, else the one that the model names. The new model gets a name of
// its own.
Code reproduce(const Subject& subject, const std::string& model, const std::string& data);

}  // namespace mercer::report
