#include "approximate_problem.hpp"

#include <limits>

namespace generative_ik::search {
namespace {

Preferred preferredOf(const Packed& packed) {
  return static_cast<Preferred>(packed.ints[packed.num_ints - 1]);
}

double otherWeight(const Packed& packed) {
  return packed.floats[packed.num_floats - 1];
}

}  // namespace

ApproximateProblem::ApproximateProblem(const Packed& packed, const double* poses, LaneRow* memory)
    : ChainProblem(packed, poses, memory),
      least_error_(chain(), weighted(options(), packed), laneRows(), preferredOf(packed)) {}

bool ApproximateProblem::isPacked(const Packed& packed) {
  return packed.num_ints > packedSize(unpackChain(packed.floats, packed.ints)).ints;
}

double ApproximateProblem::otherError(const Packed& packed, const double* q, const double* pose) {
  const verify::PoseGap gap = verify::gapOf(verifierOf(packed), q, pose);
  const bool turns = preferredOf(packed) == Preferred::kPosition;
  return otherWeight(packed) * (turns ? gap.angle : gap.distance);
}

LaneOptions ApproximateProblem::weighted(LaneOptions options, const Packed& packed) {
  double& weight = preferredOf(packed) == Preferred::kPosition ? options.orientation_weight
                                                               : options.position_weight;
  weight = otherWeight(packed);
  return options;
}

bool ApproximateProblem::converges(int lane, const double* lower, const double* upper) const {
  if (!ChainProblem::converges(lane, lower, upper)) {
    return false;
  }
  if (least_error_.minimise(lane, lower, upper)) {
    return true;
  }
  rows().position_error->lane[lane] = std::numeric_limits<double>::infinity();
  rows().orientation_error->lane[lane] = std::numeric_limits<double>::infinity();
  return false;
}

}  // namespace generative_ik::search
