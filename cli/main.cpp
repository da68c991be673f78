// mercer VERB ...
#include "run.hpp"

int main(int count, char** words) { return mercer::cli::run(count, words); }
