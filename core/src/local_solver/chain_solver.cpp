#include "chain_solver.hpp"

#include <array>

namespace generative_ik {
namespace {

// Counts of joints and variables, before what is packed for each joint.
constexpr std::size_t kHeader = 2;

// A number of iterations that is given as a double; more than these take seconds, and are none
// that anyone means.
bool readIterations(double number, std::int64_t& whole) {
  constexpr double kMost = 1e6;
  if (!(number >= 0.0 && number <= kMost)) {
    return false;
  }
  whole = static_cast<std::int64_t>(number);
  return true;
}

}  // namespace

bool readOptions(const double* numbers, LaneOptions& options) {
  options.position_weight = numbers[0];
  options.orientation_weight = numbers[1];
  options.position_tolerance = numbers[2];
  options.orientation_tolerance = numbers[3];
  options.damping = numbers[5];
  options.max_step = numbers[6];
  options.stall_ratio = numbers[8];
  return readIterations(numbers[4], options.max_iterations) &&
         readIterations(numbers[7], options.stall_window) && options.stall_window > 0;
}

std::array<double, kOptionNumbers> optionNumbers(const LaneOptions& options) {
  return {options.position_weight,
          options.orientation_weight,
          options.position_tolerance,
          options.orientation_tolerance,
          static_cast<double>(options.max_iterations),
          options.damping,
          options.max_step,
          static_cast<double>(options.stall_window),
          options.stall_ratio};
}

LaneChain unpackChain(const double* floats, const std::int64_t* ints) {
  const std::int64_t joints = ints[0];
  LaneChain chain{};
  chain.num_joints = joints;
  chain.num_variables = ints[1];
  chain.prismatic = ints + kHeader;
  chain.variable = chain.prismatic + joints;
  chain.origins = floats;
  chain.multiplier = chain.origins + kPoseNumbers * joints;
  chain.offset = chain.multiplier + joints;
  chain.tip = chain.offset + joints;
  chain.scale = chain.tip + kPoseNumbers;
  return chain;
}

PackedSize packedSize(const LaneChain& chain) {
  const auto joints = static_cast<std::size_t>(chain.num_joints);
  const auto variables = static_cast<std::size_t>(chain.num_variables);
  return {(kPoseNumbers + 2) * joints + kPoseNumbers + variables, kHeader + 2 * joints};
}

bool beginsWithChain(const Packed& packed) {
  if (packed.num_ints < kHeader) {
    return false;
  }
  const std::int64_t joints = packed.ints[0];
  const std::int64_t variables = packed.ints[1];
  const auto most = static_cast<std::int64_t>(packed.num_floats);
  if (joints < 0 || joints > most || variables < 1 || variables > most) {
    return false;
  }
  const LaneChain chain = unpackChain(packed.floats, packed.ints);
  const PackedSize size = packedSize(chain);
  if (size.floats > packed.num_floats || size.ints > packed.num_ints) {
    return false;
  }
  for (std::int64_t j = 0; j < joints; ++j) {
    if (chain.variable[j] < 0 || chain.variable[j] >= variables) {
      return false;
    }
  }
  return true;
}

void ChainSolver::load(int lane, std::int64_t target) const {
  std::array<double, kPoseNumbers> numbers{};
  poseNumbers(pose(target), numbers.data());
  loadPose(numbers.data(), rows_.target, lane);
}

}  // namespace generative_ik
