#include "chain_problem.hpp"

#include <algorithm>
#include <cmath>

#include "descents.hpp"

namespace generative_ik::search {
namespace {

// Numbers of each joint and of the tip, for the verification, and of the rest.
constexpr std::size_t kOfJoint = 34;
constexpr std::size_t kOfTip = 16;
constexpr std::size_t kNumbers = kOptionNumbers + 4;
// Errors of what is nearest to a seed state, if the tolerances are not less [m and rad].
constexpr double kLargestError = 1e-8;

verify::RodriguesChain verifierAt(const LaneChain& chain, const double* rest) {
  const std::int64_t joints = chain.num_joints;
  verify::RodriguesChain verifier{};
  verifier.num_joints = joints;
  verifier.rotations = rest;
  verifier.sine_part = verifier.rotations + 9 * joints;
  verifier.versine_part = verifier.sine_part + 9 * joints;
  verifier.shifts = verifier.versine_part + 9 * joints;
  verifier.axes = verifier.shifts + 3 * joints;
  verifier.prismatic = chain.prismatic;
  verifier.variable = chain.variable;
  verifier.multiplier = chain.multiplier;
  verifier.offset = verifier.axes + 3 * joints;
  verifier.tip = verifier.offset + joints;
  return verifier;
}

// The options and what follows them.
const double* numbersOf(const LaneChain& chain, const double* rest) {
  return rest + kOfJoint * static_cast<std::size_t>(chain.num_joints) + kOfTip;
}

const double* restOf(const Packed& packed) {
  return packed.floats + packedSize(unpackChain(packed.floats, packed.ints)).floats;
}

}  // namespace

ChainProblem::ChainProblem(const Packed& packed, const double* poses, LaneRow* memory)
    : ChainProblem(packed, poses, memory, optionsOf(packed)) {}

ChainProblem::ChainProblem(const Packed& packed, const double* poses, LaneRow* memory,
                           const LaneOptions& options)
    : ChainProblem(unpackChain(packed.floats, packed.ints), restOf(packed), poses, memory,
                   options) {}

ChainProblem::ChainProblem(const LaneChain& chain, const double* rest, const double* poses,
                           LaneRow* memory, const LaneOptions& options)
    : ChainSolver(chain, options, poses, memory), verifier_(verifierAt(chain, rest)) {
  const double* numbers = numbersOf(chain, rest) + kOptionNumbers;
  position_tolerance_ = numbers[0];
  orientation_tolerance_ = numbers[1];
  reach_ = numbers[2];
  redundant_ = numbers[3] != 0.0;
}

bool ChainProblem::takes(const Packed& packed, std::int64_t num_variables) {
  if (!beginsWithChain(packed)) {
    return false;
  }
  const LaneChain chain = unpackChain(packed.floats, packed.ints);
  const PackedSize size = packedSize(chain);
  const std::size_t rest =
      kOfJoint * static_cast<std::size_t>(chain.num_joints) + kOfTip + kNumbers;
  // One number more of each kind says which error is preferred, see `ApproximateProblem`.
  const std::size_t more = packed.num_ints > size.ints ? 1 : 0;
  if (more == 1) {
    const std::int64_t preferred = packed.ints[size.ints];
    if (preferred != 1 && preferred != 2) {
      return false;
    }
  }
  LaneOptions options{};
  return chain.num_joints > 0 && chain.num_variables == num_variables &&
         packed.num_ints == size.ints + more && packed.num_floats == size.floats + rest + more &&
         readOptions(numbersOf(chain, restOf(packed)), options);
}

LaneOptions ChainProblem::optionsOf(const Packed& packed) {
  LaneOptions options{};
  readOptions(numbersOf(unpackChain(packed.floats, packed.ints), restOf(packed)), options);
  return options;
}

verify::RodriguesChain ChainProblem::verifierOf(const Packed& packed) {
  return verifierAt(unpackChain(packed.floats, packed.ints), restOf(packed));
}

bool ChainProblem::outOfReach(std::int64_t target) const {
  double squared_distance = 0.0;
  for (int k = 0; k < 3; ++k) {
    squared_distance += squared(pose(target)[4 * k + 3] - verifier_.shifts[k]);
  }
  return squared_distance > squared(reach_);
}

double ChainProblem::closeness(double position, double chord, double /*error*/) const {
  return squaredError(options(), position, 2.0 * std::asin(std::min(1.0, 0.5 * chord)));
}

Verification ChainProblem::verify(const double* q, std::int64_t target) const {
  const verify::PoseGap gap = verify::gapOf(verifier_, q, pose(target));
  return {gap.distance, gap.angle,
          gap.distance <= position_tolerance_ && gap.angle <= orientation_tolerance_};
}

bool ChainProblem::descend(const Box& box, std::int64_t target, double* q) const {
  static thread_local DescentMemory memory;
  memory.begin(1, box.size);
  memory.add({.tip_pose = pose(target), .seed = box.reference, .bound = kInfinity}, q);
  const DescentProblem steps = {
      .chain = chain(),
      .options = options(),
      .soft_lower = box.soft_lower,
      .soft_upper = box.soft_upper,
      .exact = std::min({kLargestError, position_tolerance_, orientation_tolerance_}),
      .weights = box.weights};
  Descents(steps, memory).run();
  if (!std::isfinite(memory.distance(0))) {
    return false;
  }
  std::copy_n(memory.nearest(0), box.size, q);
  return true;
}

}  // namespace generative_ik::search
