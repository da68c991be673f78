// mercer/io.hpp: data files in and out.
//
//     Dataset d = read_data("wine.csv.gz", {.target = "quality"});
//     Matrix K = gram(k, d.points);
//     write_npy("K.npy", K);
//
// Everything here throws Error (file: cannot be opened, cut short, damaged; data: a value that cannot be used)
// with the file, the line or row, and the column. Nothing is repaired or skipped in silence: every value read is
// finite, and a missing one is an error. All functions may be called from several threads at once.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "mercer/dataset.hpp"
#include "mercer/matrix.hpp"

namespace mercer {

// Reads a data file, compressed by gzip or not; "-" is standard input. Where no file has that name, it may be a pattern
// ("part-*.csv") or a list ("a.csv,b.csv"): files of csv, tsv, libsvm or npy that are one table, to the same bits as
// one file with all rows; the files of a pattern are in natural order (part-2 before part-10), and those without
// content are left out. A column of a csv file is numbers or text as a whole; a few texts among many numbers (less than
// one in ten) are an error, and so are missing values (nothing, NA, N/A, NaN, null, ?) in any column but those that
// ReadOptions::texts names. A text column keeps every field as it stands.
//
// An uncompressed little-endian C-order npy file is mapped, not copied: do not overwrite it in place while the points
// live (the writers below replace files, so they are safe).
Dataset read_data(const std::string& path, const ReadOptions& options = {});

// Little-endian float64, C order, format version 1.0.
void write_npy(const std::string& path, MatrixView m);

// Comma separated, one line per row, each number in the shortest form that reads back exactly. A header needs one
// name per column.
void write_csv(const std::string& path, MatrixView m, std::span<const std::string> header = {});
void write_csv(std::ostream& out, MatrixView m, std::span<const std::string> header = {});

// Runs `write` on a new file beside `path` and then renames it into place, so that readers see the old file or the
// whole new one. If anything throws, the new file is removed and `path` is as it was. A path that is no regular file
// (a pipe, /dev/stdout) is written to directly.
void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace mercer
