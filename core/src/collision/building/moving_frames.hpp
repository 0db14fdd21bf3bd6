/// The frames that the joints of chains move, as collision worlds place them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <generative_ik/chain.hpp>
#include <vector>

namespace generative_ik::collision::building {

/// How many numbers a frame has.
inline constexpr std::size_t kFrameNumbers = 35;

/// The numbers of the frame that a joint moves, as `CollisionWorldArrays` has them.
std::vector<double> frameNumbers(const Joint& joint);

/// The frames of several chains from one base; joints that chains have in common are there once.
class MovingFrames {
 public:
  /// Throws std::invalid_argument if there is no chain.
  explicit MovingFrames(const std::vector<Chain>& chains);

  [[nodiscard]] std::int64_t numVariables() const { return num_variables_; }
  /// As `CollisionWorldArrays` has them.
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }
  [[nodiscard]] const std::vector<std::int64_t>& ints() const { return ints_; }
  /// The frame behind so many joints of a chain; 0 stands. Throws std::invalid_argument if there
  /// are not so many.
  [[nodiscard]] std::int64_t frameOf(std::size_t chain, int num_joints) const;
  /// The frame that one that moves is in.
  [[nodiscard]] std::int64_t parentOf(std::int64_t frame) const;

 private:
  std::int64_t add(const Joint& joint, std::int64_t variable, std::int64_t parent);

  std::int64_t num_variables_ = 0;
  std::vector<double> numbers_;
  std::vector<std::int64_t> ints_;
  std::vector<std::vector<std::int64_t>> frames_;  // of each chain's joints
};

}  // namespace generative_ik::collision::building
