#include "chain_numbers.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace generative_ik::answers {

ChainNumbers::ChainNumbers(std::vector<double> floats, std::vector<std::int64_t> ints,
                           std::int64_t joints)
    : numbers_(std::make_shared<const Numbers>(Numbers{std::move(floats), std::move(ints)})) {
  // The first whole number is that of joints.
  if (numbers_->ints.empty() || numbers_->ints[0] != joints ||
      !search::ChainProblem::takes(packed(), joints)) {
    throw std::invalid_argument("problem: not that of a chain of " + std::to_string(joints) +
                                " joints");
  }
  std::vector<LaneRow> memory(static_cast<std::size_t>(countRows(joints, joints)));
  const search::ChainProblem unpacked(packed(), nullptr, memory.data());
  options_ = unpacked.options();
  verifier_ = unpacked.verifier();
  position_tolerance_ = unpacked.positionTolerance();
  orientation_tolerance_ = unpacked.orientationTolerance();
}

}  // namespace generative_ik::answers
