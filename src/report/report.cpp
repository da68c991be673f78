#include "report/report.hpp"

#include "report/budget.hpp"
#include "report/document.hpp"
#include "report/html.hpp"

namespace mercer::report {

Written write(const Subject& subject, const Cover& cover) {
  const Json document = within(document_of(subject, cover), kMostBytes);
  return {html(document), document.dump()};
}

}  // namespace mercer::report
