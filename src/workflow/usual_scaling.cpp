#include "workflow/usual_scaling.hpp"

#include <fmt/format.h>

#include "points/objects.hpp"
#include "points/rep.hpp"

namespace mercer::workflow {

Scaling::Kind usual_scaling(const Points& x) {
  const Points rows = elements_of(x).value_or(x);
  const bool table_of_numbers = rows.domain().kind == "reals" && !rows.column_names().empty() && !is_sparse(rows);
  return table_of_numbers ? Scaling::Kind::standard : Scaling::Kind::none;
}

std::string scaling_remark(Scaling::Kind kind, bool asked) {
  static const std::vector<std::string> texts = {
      "as they are", "moved to mean 0", "scaled to mean 0 and standard deviation 1", "scaled to the range 0 to 1"};
  return fmt::format("inputs {}{}", texts[static_cast<std::size_t>(kind)],
                     asked || kind == Scaling::Kind::none ? "" : "; --scale none leaves them alone");
}

}  // namespace mercer::workflow
