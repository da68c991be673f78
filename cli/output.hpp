// What the command prints: data on standard output, words on standard error.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/kernel.hpp"
#include "workflow/json.hpp"
#include "workflow/units.hpp"

namespace mercer::cli {

using workflow::bytes_text;
using workflow::json_number;
using workflow::seconds_text;
using workflow::to_json;

// What the library says, with arguments as users of the command write them: `target=y` is --target y.
std::string in_options(std::string_view text);

void put(std::string_view text);  // to standard output, as it stands
void put_json(const Json& value);
void say(std::string_view line);        // to standard error, in_options, "mercer: " before it
void say_error(std::string_view line);  // the same, where it ends the command

// Throws Error(file) unless all of standard output arrived.
void finish_output();
// Whether an output goes to standard output: it is not named, or "-".
bool is_standard(const std::string& path);
// Calls `write` on standard output, or on a file that is there when all of it is written.
void write_output(const std::string& path, const std::function<void(std::ostream&)>& write);
// The same of what is computed while it is written: on the way to standard output or a pipe it waits until all of it is
// there, in memory and, where it is long, in a temporary file.
void write_when_complete(const std::string& path, const std::function<void(std::ostream&)>& write);
// Whether a path is that of a folder, which may be still to come: it ends with a slash.
bool names_folder(const std::string& path);
// Refuses, before any work, a path that cannot be written: no folder, or a folder itself.
void require_writable(const std::string& path);

// Columns on a screen: UTF-8 characters, not bytes.
std::size_t width_of(std::string_view text);
std::string padded(std::string_view text, std::size_t width);
std::vector<std::string> lines_of(std::string_view text);
// Lines longer than `width` broken at spaces; the breaks that are there stay.
std::string wrapped(std::string_view text, std::size_t width);
// Every line `indent` spaces in.
std::string indented(std::string_view text, std::size_t indent);
// Cells aligned to the left, two spaces apart. Rows may differ in length.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0);

// ---- kernels ----

std::string params_table(const Params& params, std::size_t indent);
// The assumptions a proof rests on: the texts of its assume_psd steps.
std::vector<std::string> assumptions(const Proof& proof);

}  // namespace mercer::cli
