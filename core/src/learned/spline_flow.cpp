#include "spline_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "../parallel/for_each.hpp"
#include "kernels.hpp"

namespace generative_ik::learned {
namespace {

// Poses that a thread takes through their network at a time.
constexpr std::int64_t kPoses = 8;

using Vector = std::array<double, 3>;

// One side's half of a pose's numbers (learned/ikflow/pose_features.py).
void writeSide(const Vector& position, const Vector& z, const Vector& x, double* numbers) {
  constexpr double kSmall = 1e-12;
  const double radius = std::sqrt(position[0] * position[0] + position[1] * position[1] + kSmall);
  const double cosine = position[0] / radius;
  const double sine = position[1] / radius;
  double* out = std::copy(position.begin(), position.end(), numbers);
  out = std::copy(z.begin(), z.end(), out);
  out = std::copy(x.begin(), x.end(), out);
  for (const double number : {radius, cosine, sine, std::atan2(position[1], position[0]) / kPi}) {
    *out++ = number;
  }
  for (const Vector& axis : {z, x}) {
    *out++ = cosine * axis[0] + sine * axis[1];
    *out++ = cosine * axis[1] - sine * axis[0];
    *out++ = axis[2];
  }
}

std::array<double, kPoseNumbers> numbersOf(const double* pose, double scale) {
  const auto at = [pose](std::size_t row, std::size_t column) { return pose[4 * row + column]; };
  std::array<double, kPoseNumbers> numbers{};
  const Vector position = {at(0, 3) / scale, at(1, 3) / scale, at(2, 3) / scale};
  Vector back{};
  for (std::size_t i = 0; i < back.size(); ++i) {
    back[i] = -(at(0, i) * position[0] + at(1, i) * position[1] + at(2, i) * position[2]);
  }
  writeSide(position, {at(0, 2), at(1, 2), at(2, 2)}, {at(0, 0), at(1, 0), at(2, 0)},
            numbers.data());
  writeSide(back, {at(2, 0), at(2, 1), at(2, 2)}, {at(0, 0), at(0, 1), at(0, 2)},
            numbers.data() + kPoseNumbers / 2);
  return numbers;
}

// Memory of the network's inputs and hidden layers.
std::vector<float> memoryOf(const PoseNetwork& network) {
  const auto& [first, second, third] = network.layers;
  return std::vector<float>(
      static_cast<std::size_t>(first.inputs + first.outputs + second.outputs));
}

void condition(const PoseNetwork& network, const double* pose, float* memory, float* taken) {
  const auto& [first, second, third] = network.layers;
  const DenseKernel dense = networkKernels().dense;
  const std::array<double, kPoseNumbers> numbers = numbersOf(pose, network.scale);
  float* hidden = memory + first.inputs;
  float* other = hidden + first.outputs;
  for (std::int64_t i = 0; i < first.inputs; ++i) {
    memory[i] = static_cast<float>(numbers.at(static_cast<std::size_t>(network.columns[i])));
  }
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
