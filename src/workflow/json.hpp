// Results as JSON: what the command prints with --json, the studio sends and reports hold. The one place that knows it.
#pragma once

#include <string>

#include "base/json.hpp"
#include "mercer/workflow.hpp"

namespace mercer::workflow {

// A number JSON can hold; null stands for those it cannot.
Json json_number(double value);

Json to_json(const Proof& proof);
Json to_json(const Params& params);

Json to_json(const Plan& plan);
Json to_json(const Report& report);
Json to_json(const Recipe& recipe);  // each column with its type and why
Json to_json(const Model& model);    // all but the numbers themselves
Json to_json(const Marks& marks);
Json to_json(const SearchTable& table);
Json to_json(const FitResult& fitted);  // the model, and remarks
Json to_json(const TuneResult& found);  // the table, and the model
Json to_json(const PredictResult& answer);

// {error, where, hint, kind}: its text, and of it what stands before the first colon and behind
// the last semicolon, which by custom are where it is wrong and what to do.
Json to_json(const Error& error);

// Indented, and valid whatever the names in it are.
std::string text_of(const Json& value);

}  // namespace mercer::workflow
