#include "mercer/error.hpp"

#include "base/text.hpp"

namespace mercer {

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return "UsageError";
    case ErrorKind::grammar: return "GrammarError";
    case ErrorKind::kernel: return "KernelError";
    case ErrorKind::domain: return "DomainError";
    case ErrorKind::shape: return "ShapeError";
    case ErrorKind::data: return "DataError";
    case ErrorKind::file: return "FileError";
    case ErrorKind::numeric: return "NumericError";
    case ErrorKind::cancelled: return "Cancelled";
  }
  return "Error";
}

Error::Error(ErrorKind kind, const std::string& message)
    : std::runtime_error(std::string(name_of(kind)) + ": " + shortened(message)), kind_(kind) {}

std::string Error::message() const { return std::string(what()).substr(std::string_view(name_of(kind_)).size() + 2); }

}  // namespace mercer
