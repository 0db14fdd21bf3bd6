#include "arm_completion.hpp"

#include <algorithm>
#include <vector>

#include "../parallel/for_each.hpp"
#include "completion_state.hpp"
#include "kernels.hpp"

namespace generative_ik::learned {

std::int64_t singleRows(const CompletionNetwork& network, std::int64_t width) {
  return kStateRows + kGoalFeatures + 3 * network.hidden() + 2 * network.head.outputs +
         kChosenRows + width;
}

void completeArm(const Arm& arm, const CompletionRequest& request,
                 const parallel::StopWhen& stop) {
  const std::int64_t chunks = (request.count + kChunk - 1) / kChunk;
  const std::int64_t size = chunksOfPiece(request.num_goals * chunks);
  const auto rows = static_cast<std::size_t>(singleRows(arm.network, request.width) * kLinesOfRow);
  const auto variables = static_cast<std::size_t>(request.num_variables * (kChunk + 1));
  const auto draw = [&](std::int64_t piece) {
    std::vector<MemoryLine> single(rows);
    std::vector<double> variable(variables);
    const CompletionMemory memory = {single.data()->numbers, variable.data()};
    const std::int64_t end = std::min(size * (piece + 1), request.num_goals * chunks);
    for (std::int64_t chunk = size * piece; chunk < end;) {
      const std::int64_t goal = chunk / chunks;
      const std::int64_t next = std::min(end, (goal + 1) * chunks);
      networkKernels().completion(arm, request, goal, (chunk - goal * chunks) * kChunk,
                                  std::min((next - goal * chunks) * kChunk, request.count),
                                  memory);
      chunk = next;
    }
  };
  parallel::forEach((request.num_goals * chunks + size - 1) / size, draw, stop);
}

}  // namespace generative_ik::learned
