// mpirun -n 4 mercer-mpi VERB ...: the command, whose processes share the work.
#include "cli/run.hpp"
#include "mpi_ranks.hpp"

int main(int count, char** words) {
  mercer::MpiRanks ranks;
  const mercer::distributed::Among among(ranks);
  return mercer::cli::run(count, words);
}
