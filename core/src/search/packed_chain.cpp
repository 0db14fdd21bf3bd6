#include "packed_chain.hpp"

#include <algorithm>
#include <utility>

namespace generative_ik::search {
namespace {

// Numbers of joints and of variables, in front of the other whole numbers.
constexpr std::int64_t kSizes = 2;
// Numbers of a pose, two for each joint's own, and those of Rodrigues' formula.
constexpr std::int64_t kOfJoint = kPoseNumbers + 2 + 33;
constexpr std::int64_t kOfMatrix = 16;
// Options of the local solver, tolerances, reach, and whether the chain is redundant.
constexpr std::int64_t kOptions = 13;
// More joints than any robot has; their numbers cannot overflow.
constexpr std::int64_t kMostJoints = 1'000'000;

}  // namespace

bool holdsChain(const double* floats, std::int64_t num_floats, const std::int64_t* ints,
                std::int64_t num_ints) {
  if (floats == nullptr || num_ints < kSizes) {
    return false;
  }
  const std::int64_t m = ints[0];
  const std::int64_t n = ints[1];
  if (m < 0 || m > kMostJoints || n < 0 || n > kMostJoints || num_ints != kSizes + 2 * m ||
      num_floats != kOfJoint * m + kPoseNumbers + n + kOfMatrix + kOptions) {
    return false;
  }
  return std::all_of(ints + kSizes + m, ints + num_ints,
                     [n](std::int64_t variable) { return 0 <= variable && variable < n; });
}

PackedChain unpackChain(const double* floats, const std::int64_t* ints) {
  const auto take = [&floats](std::int64_t count) {
    return std::exchange(floats, floats + count);
  };
  PackedChain packed{};
  const std::int64_t m = ints[0];
  LaneChain& chain = packed.chain;
  chain.num_joints = m;
  chain.num_variables = ints[1];
  chain.prismatic = ints + kSizes;
  chain.variable = ints + kSizes + m;
  chain.origins = take(kPoseNumbers * m);
  chain.multiplier = take(m);
  chain.offset = take(m);
  chain.tip = take(kPoseNumbers);
  chain.scale = take(chain.num_variables);
  verify::RodriguesChain& verifier = packed.verifier;
  verifier.num_joints = m;
  verifier.prismatic = chain.prismatic;
  verifier.variable = chain.variable;
  verifier.multiplier = chain.multiplier;
  verifier.offset = chain.offset;
  verifier.rotations = take(9 * m);
  verifier.sine_part = take(9 * m);
  verifier.versine_part = take(9 * m);
  verifier.shifts = take(3 * m);
  verifier.axes = take(3 * m);
  verifier.tip = take(kOfMatrix);
  const double* options = take(kOptions);
  packed.options = {options[0],
                    options[1],
                    options[2],
                    options[3],
                    static_cast<std::int64_t>(options[4]),
                    options[5],
                    options[6],
                    static_cast<std::int64_t>(options[7]),
                    options[8]};
  packed.position_tolerance = options[9];
  packed.orientation_tolerance = options[10];
  packed.reach = options[11];
  packed.redundant = options[12] != 0.0;
  return packed;
}

}  // namespace generative_ik::search
