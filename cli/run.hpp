// A command from its words to its exit code: finds the verb, and turns what goes wrong into one line on standard error.
#pragma once

namespace mercer::cli {

// As main() gets them. Where several processes share the work, the first one speaks, and all have its code.
int run(int count, char** words);

}  // namespace mercer::cli
