// Opening the page in the user's browser.
#pragma once

#include <string>

namespace mercer::studio {

// By xdg-open, with the address as one argument and no shell between. False where there is none, or no screen.
bool open_browser(const std::string& address);

}  // namespace mercer::studio
