// mercer/model_file.hpp: models in files.
//
//     save("wine.mercer", m);
//     Model same = load("wine.mercer");      // predicts the same bits
//
// A `.mercer` file is a line of text, a JSON header on the second line, binary blocks and a checksum; docs/formats.md
// describes it byte by byte. It holds the kernel as its text and only those training points that f needs.
//
// Reading trusts nothing: a file that is cut short, damaged, hostile or of a newer format throws one Error (file), and
// no more memory is asked for than the size of the file accounts for.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "mercer/model.hpp"

namespace mercer {

// Replaces `path` as a whole or leaves it as it was. Throws UsageError for a model that no file can hold: a kernel made
// of functions given in code, which have no text; numbers that are not finite.
void save(const std::string& path, const Model& m);
void save(std::ostream& out, const Model& m);

// `path` "-" is standard input; gzip is undone.
Model load(const std::string& path);
// From the content of a file. `name` is what errors call it.
Model load_bytes(std::string_view bytes, const std::string& name);

}  // namespace mercer
