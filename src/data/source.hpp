// Reading a source: a file, or data at hand.
#pragma once

#include "io/row_reader.hpp"
#include "mercer/source.hpp"

namespace mercer::data {

bool is_empty(const Source& source);  // neither file nor data

// Rows and columns as they stand. All columns are points, unless the options name a target. The format, the header and
// which columns are text the source says. Where nothing but the names of nodes tells a header from values, they do.
Dataset read(const Source& source, const ReadOptions& options = {});
// The same some rows at a time; nothing where they have to be read as a whole.
std::optional<RowReader> open_rows(const Source& source, const ReadOptions& options = {},
                                   const std::vector<std::string>& with_gaps = {});

// What was read as kernels see it: graphs in the place of their numbers, nodes in that of their names, and rows that
// are one point together.
Dataset points_of(Dataset data, const Source& source);
Dataset read_points(const Source& source, const ReadOptions& options = {});

// The target of what was read, where target_name is not empty.
Column target_of(const Dataset& data);

// Whether the text is the path of a data file that goes with the source, rather than the name of a column. Never of
// data at hand.
bool is_file_beside(const Source& source, const std::string& text);
// Throws UsageError where data are at hand and `option` names a file.
void require_files(const Source& source, const std::string& option, const std::string& file);

}  // namespace mercer::data
