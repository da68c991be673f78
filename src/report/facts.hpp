// What a model is, in rows of a name, a value and words: its parameters in units of the data, and how its fit went.
#pragma once

#include <optional>

#include "report/exhibit.hpp"
#include "report/subject.hpp"

namespace mercer::report {

// The numbers of the kernel, the noise, the options of the machine. Lengths are also said in the units that the columns
// have in the data, where the model scales them: 0.7 standard deviations of "age" are 9.1.
Exhibit parameters_facts(const Subject& subject);
// The certificate: gap, residual, jitter, why it stopped, how long it took.
Exhibit certificate_facts(const Subject& subject);
// The machines that auto compared; none where it did not choose.
std::optional<Exhibit> race_facts(const Subject& subject);
// Why the kernel is one.
Exhibit proof_exhibit(const Subject& subject);

// "0.7 standard deviations: 9.1 of age": empty where the model does not scale or it is no length.
std::string length_words(const Subject& subject, const std::string& path, double value);

}  // namespace mercer::report
