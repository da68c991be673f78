// One function a picture and, where it is more than a line, when it applies: src/report/charts/NAME.cpp.
#pragma once

#include "report/exhibit.hpp"
#include "report/subject.hpp"

namespace mercer::report {

Exhibit confusion_picture(const Subject& subject);

}  // namespace mercer::report
