#include "goal_trees.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

namespace generative_ik::test {
namespace {

constexpr int kArmJoints = 6;
constexpr std::int64_t kWaist = 0;
constexpr std::int64_t kSlots = 3;  // of the waist and both hands

using Matrix = Eigen::Matrix3d;

void append(std::vector<double>& numbers, const Matrix& matrix) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      numbers.push_back(matrix(i, j));
    }
  }
}

void append(std::vector<double>& numbers, const Eigen::Vector3d& vector) {
  numbers.insert(numbers.end(), {vector.x(), vector.y(), vector.z()});
}

void appendSeven(std::vector<double>& numbers, const Eigen::Isometry3d& pose) {
  const Eigen::Quaterniond q(pose.linear());
  append(numbers, Eigen::Vector3d(pose.translation()));
  numbers.insert(numbers.end(), {q.x(), q.y(), q.z(), q.w()});
}

void appendSixteen(std::vector<double>& numbers, const Eigen::Isometry3d& pose) {
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      numbers.push_back(pose.matrix()(i, j));
    }
  }
}

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

void appendVerification(std::vector<double>& numbers,
                        const std::vector<Eigen::Isometry3d>& origins) {
  Matrix skew;
  skew << 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0;  // of the z axis
  for (const Matrix& part : {Matrix(Matrix::Identity()), skew, Matrix(skew * skew)}) {
    for (const Eigen::Isometry3d& origin : origins) {
      append(numbers, Matrix(origin.linear() * part));
    }
  }
  for (const Eigen::Isometry3d& origin : origins) {
    append(numbers, Eigen::Vector3d(origin.translation()));
  }
  for (const Eigen::Isometry3d& origin : origins) {
    append(numbers, Eigen::Vector3d(origin.linear().col(2)));
  }
}

std::vector<std::int64_t> packedInts(const std::array<TestRegion, TwoArms::kGoals>& regions) {
  constexpr std::int64_t kLeft = 1;
  constexpr std::int64_t kRight = kLeft + kArmJoints;
  constexpr std::int64_t kParts = 1 + kArmJoints + 2 * kArmJoints;
  std::vector<std::int64_t> ints = {TwoArms::kJoints, TwoArms::kJoints, TwoArms::kGoals, kParts};
  const auto all = [&ints](std::int64_t value) {
    ints.insert(ints.end(), TwoArms::kJoints, value);
  };
  all(0);  // no joint is prismatic
  for (std::int64_t j = 0; j < TwoArms::kJoints; ++j) {
    ints.push_back(j);
  }
  auto row = static_cast<std::ptrdiff_t>(ints.size());
  all(GoalTree::kBefore);
  ints[static_cast<std::size_t>(row + kWaist)] = GoalTree::kBase;
  ints[static_cast<std::size_t>(row + kRight)] = 0;
  row = static_cast<std::ptrdiff_t>(ints.size());
  all(-1);
  ints[static_cast<std::size_t>(row + kWaist)] = 0;
  ints[static_cast<std::size_t>(row + kLeft + kArmJoints - 1)] = 1;
  ints[static_cast<std::size_t>(row + kRight + kArmJoints - 1)] = 2;
  ints.insert(ints.end(), {1, 2});                    // slots of the tips
  ints.insert(ints.end(), {GoalTree::kIdentity, 1});  // and of the references
  std::vector<std::int64_t> column(TwoArms::kGoals * TwoArms::kJoints, -1);
  std::int64_t columns = 0;
  const auto part = [&](std::int64_t goal, std::int64_t joint, std::int64_t sign) {
    column[static_cast<std::size_t>(goal * TwoArms::kJoints + joint)] = columns;
    ints.insert(ints.end(), {joint, sign, columns++});
  };
  for (std::int64_t j = kWaist; j < kRight; ++j) {
    part(0, j, 1);
  }
  for (std::int64_t j = kRight; j < kRight + kArmJoints; ++j) {
    part(1, j, 1);
  }
  for (std::int64_t j = kLeft; j < kRight; ++j) {
    part(1, j, -1);
  }
  ints.insert(ints.end(), {1 + kArmJoints, kParts});
  ints.insert(ints.end(), column.begin(), column.end());
  ints.insert(ints.end(), {1, 1, 1, 1});  // both goals are moved by the left arm
  ints.insert(ints.end(), {1, 1});        // redundant; one region for all targets
  for (const TestRegion& region : regions) {
    ints.push_back(region.bounded);
  }
  return ints;
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

TwoArms::TwoArms(const std::array<TestRegion, kGoals>& regions) : ints(packedInts(regions)) {
  const std::vector<Eigen::Isometry3d> origins = randomPoses(kJoints, 0.3);
  const Eigen::Isometry3d base = Eigen::Isometry3d::Identity();
  const Eigen::Isometry3d hand = origins.back();
  // Options and tolerances of the local solver, then those of the verification.
  floats = {1.0, 1.0, 1e-6, 1e-6, 40.0, 0.015, 10.0, 4.0, 0.3, 1e-5, 1e-5};
  for (const Eigen::Isometry3d& origin : origins) {
    appendSeven(floats, origin);
  }
  floats.insert(floats.end(), kJoints, 1.0);  // multiplier
  floats.insert(floats.end(), kJoints, 0.0);  // offset
  floats.insert(floats.end(), kJoints, 1.0);  // scale
  for (const Eigen::Isometry3d& pose : {hand, hand, base, hand}) {
    appendSeven(floats, pose);
  }
  appendVerification(floats, origins);
  for (const Eigen::Isometry3d& pose : {hand, hand, base, hand}) {
    appendSixteen(floats, pose);
  }
  for (const TestRegion& region : regions) {
    floats.insert(floats.end(), region.solver.begin(), region.solver.end());
  }
  for (const TestRegion& region : regions) {
    floats.insert(floats.end(), region.check.begin(), region.check.end());
  }
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
