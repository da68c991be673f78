// The array of an NPY file.
#pragma once

#include "io/readers.hpp"

namespace mercer {

struct NpyType;  // of its values

struct NpyArray {
  const NpyType* type;
  Index rows = 0, cols = 0;
  bool fortran_order = false;
  Bytes values;
  std::string name;  // of the file
};

// Throws unless the file is as long as its header says. An array without rows is refused unless it may be `empty`.
NpyArray open_npy(const Bytes& bytes, const std::string& name, bool may_be_empty = false);

// Some of its rows; they stay where they are where points can be read from there. Errors count rows from the file's
// first.
Dataset rows_of(const NpyArray& array, Range rows, const ReadOptions& options);

}  // namespace mercer
