// What the verbs say of models.
#pragma once

#include "mercer/model.hpp"
#include "output.hpp"

namespace mercer::cli {

// Refuses, before any work, a path that cannot be written: no folder, or a folder itself.
void require_writable(const std::string& path);

// "svc of 3 classes (a, b, c)", "ridge of 2 targets (y, z)"
std::string describe(const Model& model);
// "optimal to the tolerance after 311 iterations in 12 ms; predicts from 57 of 200 points"
std::string outcome(const Model& model);
// "rbf(ell=0.4712), signal 0.2694, noise 0.008003" where the kernel is not the one given any more; else nothing.
std::string learnt(const Model& model, const std::optional<Kernel>& given);
Json to_json(const Report& report);
// All but the numbers themselves.
Json to_json(const Model& model);

// A number JSON can hold; null stands for those it cannot.
Json json_number(double value);

}  // namespace mercer::cli
