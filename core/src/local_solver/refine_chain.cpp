#include "refine_chain.hpp"

#include <vector>

#include "../parallel/for_each.hpp"

namespace generative_ik {

void refineChain(const LaneChain& chain, const LaneOptions& options, const double* poses,
                 const Refinement& task, const SeedShares& shares) {
  const std::int64_t rows = countRows(chain.num_joints, chain.num_variables);
  const auto refine_some = [&](std::int64_t first, std::int64_t last) {
    std::vector<LaneRow> memory(static_cast<std::size_t>(rows));
    const ChainSolver solver(chain, optionsFor(task, options), poses, memory.data());
    const Refinement some = task.of(first, last);
    Refiner(solver, some).run();
  };
  parallel::forRanges(task.num_seeds, shares.size, refine_some, shares.stop);
}

}  // namespace generative_ik
