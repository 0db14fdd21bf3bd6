#include "spline_flow.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "../parallel/for_each.hpp"
#include "kernels.hpp"

namespace generative_ik::learned {
namespace {

// Poses that a thread takes through their network at a time.
constexpr std::int64_t kPoses = 8;

// Memory of the network's inputs and hidden layers.
std::vector<float> memoryOf(const PoseNetwork& network) {
  const auto& [first, second, third] = network.layers;
  return std::vector<float>(
      static_cast<std::size_t>(first.inputs + first.outputs + second.outputs));
}

void condition(const PoseNetwork& network, const double* pose, float* memory, float* taken) {
  const auto& [first, second, third] = network.layers;
  const DenseKernel dense = networkKernels().dense;
  float* hidden = memory + first.inputs;
  float* other = hidden + first.outputs;
  writePoseInputs(network.inputs, pose, memory);
  dense(first, memory, kLeak, hidden);
  dense(second, hidden, kLeak, other);
  dense(third, other, 1.0F, taken);
}

}  // namespace

std::int64_t flowRows(const SplineLayers& layers) {
  constexpr std::int64_t kOuterJoints = 2;
  return layers.width + kOuterJoints + 3 * layers.untouched + 2 * layers.hidden() +
         layers.last.outputs;
}

void sampleFlow(const SplineFlow& flow, const FlowRequest& request,
                const parallel::StopWhen& stop) {
  const std::int64_t per_pose = flow.layers.layers * flow.layers.taken();
  const auto taken = std::make_unique_for_overwrite<float[]>(  // NOLINT(*-avoid-c-arrays)
      static_cast<std::size_t>(request.num_poses * per_pose));
  const auto see = [&](std::int64_t piece) {
    std::vector<float> memory = memoryOf(flow.pose);
    for (std::int64_t t = kPoses * piece; t < std::min(kPoses * (piece + 1), request.num_poses);
         ++t) {
      condition(flow.pose, request.poses + 16 * t, memory.data(), taken.get() + per_pose * t);
    }
  };
  bool interrupted = false;
  const parallel::StopWhen noting = {stop.deadline, [&] {
                                       interrupted =
                                           interrupted || (stop.interrupted && stop.interrupted());
                                       return interrupted;
                                     }};
  parallel::forEach((request.num_poses + kPoses - 1) / kPoses, see, noting);
  if (interrupted) {
    return;
  }
  const std::int64_t chunks = request.num_poses * request.chunks();
  const std::int64_t size = chunksOfPiece(chunks);
  const auto rows = static_cast<std::size_t>(flowRows(flow.layers) * kLinesOfRow);
  const auto draw = [&](std::int64_t piece) {
    std::vector<MemoryLine> memory(rows);
    networkKernels().flow(flow, request, taken.get(), size * piece,
                          std::min(size * (piece + 1), chunks), memory.data()->numbers);
  };
  parallel::forEach((chunks + size - 1) / size, draw, stop);
}

}  // namespace generative_ik::learned
