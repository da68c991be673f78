// The SHA-256 of a file, to say later whether it is still the same.
#pragma once

#include <string>

namespace mercer {

// Of its bytes as they lie on the disk, 64 hexadecimal digits; of several files (file_set.hpp), of the bytes of all of
// them, one after the other. Empty for what cannot be read twice, standard input and
// pipes, and for what is not there.
std::string file_hash(const std::string& path);

}  // namespace mercer
