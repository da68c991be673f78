// Reading a source: a file, or data at hand.
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

bool is_empty(const Source& source);  // neither file nor data

// All its columns are points, unless the options name a target; what else the options say of a file is the source's.
Dataset read(const Source& source, ReadOptions options = {});

// The target of what was read, where target_name is not empty.
Column target_of(const Dataset& data);

// Whether the text is the path of a data file that goes with the source, rather than the name of a column. Never of
// data at hand.
bool is_file_beside(const Source& source, const std::string& text);
// Throws UsageError where data are at hand and `option` names a file.
void require_files(const Source& source, const std::string& option, const std::string& file);

}  // namespace mercer::workflow
