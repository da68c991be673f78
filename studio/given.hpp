// What several requests have in common: a kernel with values of its parameters, data by name or drawn by hand.
#pragma once

#include <memory>
#include <optional>

#include "mercer/kernel.hpp"
#include "studio/body.hpp"
#include "studio/studio.hpp"

namespace mercer::studio {

// "expr" with "params" put in; nothing where there is no expr. Throws Error(grammar).
std::optional<Kernel> given_kernel(const Body& body);
// The same; 400 where there is none.
Kernel required_kernel(const Body& body);

// "data", a name that the server gave, or "points". 404 where the name is not known, or not any more.
std::shared_ptr<const DataSet> given_data(Studio& studio, const Body& body);
std::shared_ptr<const DataSet> data_named(Studio& studio, const std::string& id);
std::shared_ptr<const ModelEntry> model_named(Studio& studio, const std::string& id);

Json params_json(const Params& params);  // {path, value, lower, upper, fixed, automatic}

Answer json_answer(const Json& value, int status = 200);

}  // namespace mercer::studio
