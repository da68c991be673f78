// A report in one call, without JSON in the header: for the doors.
#pragma once

#include "report/subject.hpp"

namespace mercer::report {

struct Cover {
  std::string title = {};      // empty: in words, by what the model does
  std::string model = {};      // its file, as the reader would name it; empty: there is none yet
  std::string data = {};       // the same of the data; empty: subject.source
  std::string data_hash = {};  // SHA-256 of the data; empty: not said
};

struct Written {
  std::string html;      // the page, complete
  std::string document;  // what it shows, as JSON
};
Written write(const Subject& subject, const Cover& cover = {});

}  // namespace mercer::report
