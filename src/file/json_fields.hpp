// Reading JSON that cannot be trusted: every step checks what it finds. Errors name the field, not the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "mercer/matrix.hpp"

namespace mercer::detail {

// One value, nested at most `deepest` levels.
Json parse_json(std::string_view text, int deepest);

const Json& member(const Json& object, const char* key);  // throws unless `object` is one and has it
const Json& list(const Json& object, const char* key);
bool flag(const Json& object, const char* key);
Index whole(const Json& value, Index least = 0);  // a whole number
double real(const Json& value);                   // written by real_json
std::string text(const Json& value);              // written by text_json
std::vector<std::string> texts(const Json& object, const char* key);

// JSON has no NaN nor infinity: they are the texts "nan", "inf" and "-inf".
Json real_json(double value);
// JSON has no bytes that are not UTF-8: such texts are {"hex": "c3..."}.
Json text_json(const std::string& value);
Json texts_json(const std::vector<std::string>& values);

}  // namespace mercer::detail
