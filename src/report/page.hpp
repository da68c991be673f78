// The page that shows reports, the gallery and the studio, as it was built from web/: part of the library.
#pragma once

#include <string>
#include <string_view>

namespace mercer::report {

std::string_view packed_page();  // by gzip, for whoever may send it so
const std::string& page();       // the same as text; unpacked when first asked for

}  // namespace mercer::report
