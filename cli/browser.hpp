// A browser that prints pages to PDF, where there is one.
#pragma once

#include <string>

namespace mercer::cli {

// Throws Error(file) where no chromium is found, or it leaves no file.
void print_to_pdf(const std::string& page, const std::string& pdf);

}  // namespace mercer::cli
