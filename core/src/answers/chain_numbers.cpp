#include "chain_numbers.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace generative_ik::answers {

ChainNumbers::ChainNumbers(std::vector<double> floats, std::vector<std::int64_t> ints,
                           std::int64_t least_joints, std::int64_t most_joints)
    : numbers_(std::make_shared<const Numbers>(Numbers{std::move(floats), std::move(ints)})) {
  // The first whole numbers are those of joints and variables.
  const std::int64_t joints = numbers_->ints.empty() ? 0 : numbers_->ints[0];
  if (joints < least_joints || joints > most_joints ||
      !search::ChainProblem::takes(packed(), joints)) {
    const std::string most =
        most_joints > least_joints ? " to " + std::to_string(most_joints) : "";
    throw std::invalid_argument("problem: not that of a chain of " + std::to_string(least_joints) +
                                most + " joints");
  }
  std::vector<LaneRow> memory(static_cast<std::size_t>(countRows(joints, joints)));
  const search::ChainProblem unpacked(packed(), nullptr, memory.data());
  options_ = unpacked.options();
  verifier_ = unpacked.verifier();
  position_tolerance_ = unpacked.positionTolerance();
  orientation_tolerance_ = unpacked.orientationTolerance();
}

}  // namespace generative_ik::answers
