// A waist with two arms of six joints, for tests of several goals.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "../src/search/goal_problem.hpp"

namespace generative_ik::test {

/// A goal's region as both the local solver and the verification take it.
struct TestRegion {
  std::int64_t bounded = 0;
  std::array<double, RegionRow::kSize> solver{};
  std::array<double, verify::Region::kSize> check{};
};

/// Bounds of x, y, z, roll, pitch and yaw; those of free angles from -4 to 4.
TestRegion within(const std::array<double, 6>& lower, const std::array<double, 6>& upper);

/// The z axis of the tip within a cone about the target's.
TestRegion inCone(double half_angle);

/// The tree's numbers. Its goals are the left hand in the base, and the right hand in the left
/// one.
class TwoArms {
 public:
  static constexpr int kJoints = 13;
  static constexpr int kGoals = 2;

  explicit TwoArms(const std::array<TestRegion, kGoals>& regions = {});

  [[nodiscard]] Packed packed() const {
    return {floats.data(), floats.size(), ints.data(), ints.size()};
  }

  /// The poses (2, 4, 4) of the goals at a configuration, by the verification's kinematics.
  [[nodiscard]] std::vector<double> poses(const std::vector<double>& q) const;

  std::vector<double> floats;
  std::vector<std::int64_t> ints;
};

}  // namespace generative_ik::test
