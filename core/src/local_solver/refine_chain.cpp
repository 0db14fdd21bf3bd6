#include "refine_chain.hpp"

#include <vector>

namespace generative_ik {

void refineChain(const LaneChain& chain, const LaneOptions& options, const double* poses,
                 const Refinement& task) {
  const std::int64_t rows = countRows(chain.num_joints, chain.num_variables);
  std::vector<LaneRow> memory(static_cast<std::size_t>(rows));
  const ChainSolver solver(chain, options, poses, memory.data());
  Refiner(solver, task).run();
}

}  // namespace generative_ik
