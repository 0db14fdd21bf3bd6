#include "goal_trees.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "../src/solver/packed_chain.hpp"

namespace generative_ik::test {
namespace {

constexpr int kArmJoints = 6;
constexpr std::int64_t kSlots = 3;  // of the waist and both hands

std::vector<Eigen::Isometry3d> randomPoses(int count, double reach) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Eigen::Isometry3d> poses;
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d axis(uniform(random), uniform(random), uniform(random));
    const Eigen::Vector3d shift(uniform(random), uniform(random), uniform(random));
    Eigen::Isometry3d pose(Eigen::AngleAxisd(1.6, axis.normalized()));
    pose.translation() = reach * shift;
    poses.push_back(pose);
  }
  return poses;
}

// The waist, then one arm after the other.
JointTree armsOnWaist() {
  const std::vector<Eigen::Isometry3d> origins = randomPoses(TwoArms::kJoints, 0.3);
  std::vector<Joint> joints;
  std::vector<std::int64_t> parents;
  for (int j = 0; j < TwoArms::kJoints; ++j) {
    joints.push_back({.joint_in_parent = origins[static_cast<std::size_t>(j)], .variable = j});
    parents.push_back(j == 1 + kArmJoints ? 0 : j - 1);
  }
  const JointTree::Frame left = {kArmJoints, origins.back()};
  const JointTree::Frame right = {2 * kArmJoints, origins.back()};
  return {joints, parents, {{left, {}}, {right, left}}, Vector::Ones(TwoArms::kJoints)};
}

}  // namespace

TestRegion within(const std::array<double, 6>& lower, const std::array<double, 6>& upper) {
  constexpr double kAngles = 3.0;
  TestRegion region;
  region.bounded = kBoundedRegion | kBoundedAngles | kBoundedRoom | kBoundedTurns;
  for (std::size_t k = 0; k < 3; ++k) {
    region.solver[RegionRow::kLower + k] = lower[k];
    region.solver[RegionRow::kUpper + k] = upper[k];
    region.solver[RegionRow::kAngles + k] = lower[3 + k];
    region.solver[RegionRow::kAngles + 3 + k] = upper[3 + k];
  }
  region.solver[RegionRow::kKind] = kAngles;
  std::copy(lower.begin(), lower.end(), region.check.begin());
  std::copy(upper.begin(), upper.end(), region.check.begin() + 6);
  region.check[12] = -1.0;
  return region;
}

TestRegion inCone(double half_angle) {
  constexpr double kCone = 2.0;
  TestRegion region;
  region.bounded = kBoundedRegion | kBoundedCone | kBoundedTurns;
  region.solver[RegionRow::kKind] = kCone;
  region.solver[RegionRow::kAxis + 2] = 1.0;
  region.solver[RegionRow::kHalf] = std::cos(0.5 * half_angle);
  region.solver[RegionRow::kHalf + 1] = std::sin(0.5 * half_angle);
  region.check[12] = 2.0;
  region.check[13] = half_angle;
  return region;
}

TwoArms::TwoArms(const std::array<TestRegion, kGoals>& regions) {
  std::vector<double> solver;
  std::vector<double> checks;
  std::vector<std::int64_t> bounded;
  for (const TestRegion& region : regions) {
    solver.insert(solver.end(), region.solver.begin(), region.solver.end());
    checks.insert(checks.end(), region.check.begin(), region.check.end());
    bounded.push_back(region.bounded);
  }
  const LaneOptions options = {1.0, 1.0, 1e-6, 1e-6, 40, 0.015, 10.0, 4, 0.3};
  PackedChain numbers =
      packedGoals(armsOnWaist(), options, {1e-5, 1e-5}, {solver, checks, bounded, true});
  floats = std::move(numbers.floats);
  ints = std::move(numbers.ints);
}

std::vector<double> TwoArms::poses(const std::vector<double>& q) const {
  search::GoalNumbers numbers{};
  numbers.read(packed());
  std::array<verify::Frame<double>, kSlots> slots{};
  const verify::RodriguesTree& tree = numbers.verifier;
  verify::placeSlots<double>(
      tree, [&q](std::int64_t v) { return q[static_cast<std::size_t>(v)]; }, slots.data());
  std::vector<double> poses;
  for (std::int64_t g = 0; g < kGoals; ++g) {
    const auto reference =
        verify::fixedTo(tree.reference_slot[g], tree.reference + 16 * g, slots.data());
    const auto tip = verify::fixedTo(tree.tip_slot[g], tree.tip + 16 * g, slots.data());
    const auto pose = verify::seenFrom(reference, tip);
    const std::array<double, 3> place = {pose.origin.x, pose.origin.y, pose.origin.z};
    for (std::size_t i = 0; i < 3; ++i) {
      poses.insert(poses.end(), {pose.rows[i].x, pose.rows[i].y, pose.rows[i].z, place[i]});
    }
    poses.insert(poses.end(), {0.0, 0.0, 0.0, 1.0});
  }
  return poses;
}

}  // namespace generative_ik::test
