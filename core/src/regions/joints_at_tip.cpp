#include "joints_at_tip.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "../local_solver/packed_joints.hpp"
#include "../simd/constants.hpp"

namespace generative_ik::regions {
namespace {

// Coordinates of a tip in its target: x, y, z; roll, pitch, yaw, or of a cone c, b, a.
constexpr int kFirstAngle = 3;
constexpr int kCoordinates = 6;
// Numbers of a pose (4, 4).
constexpr std::size_t kOfTip = 16;
// Errors of the longer chain's solutions [m and rad]. Beside a pitch of 90 degrees angles are
// further off than the rotation.
constexpr double kExact = 1e-10;
// An axis that is hardly tilted has no direction in which it is.
constexpr double kUpright = 1e-9;

Eigen::Vector3d axisOf(int k) {
  return Eigen::Vector3d::Unit(k);
}

Eigen::Isometry3d motionOf(int axis, bool slides, double by) {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  if (slides) {
    motion.translation()[axis] = by;
  } else {
    motion.linear() = Eigen::AngleAxisd(by, axisOf(axis)).toRotationMatrix();
  }
  return motion;
}

void append(const double* numbers, std::size_t count, std::vector<double>& to) {
  to.insert(to.end(), numbers, numbers + count);
}

// A pose of seven numbers.
Eigen::Isometry3d poseOf(const double* numbers) {
  Eigen::Isometry3d pose(
      Eigen::Quaterniond(numbers[6], numbers[3], numbers[4], numbers[5]).normalized());
  pose.translation() = Eigen::Map<const Eigen::Vector3d>(numbers);
  return pose;
}

using Coordinates = std::array<double, kCoordinates>;

// x, y, z, roll, pitch and yaw of a tip in its target.
Coordinates anglesOf(const Eigen::Isometry3d& tip) {
  const Eigen::Matrix3d r = tip.linear();
  const Eigen::Vector3d p = tip.translation();
  const double roll = std::atan2(r(2, 1), r(2, 2));
  const double pitch = std::atan2(-r(2, 0), std::hypot(r(0, 0), r(1, 0)));
  return {p.x(), p.y(), p.z(), roll, pitch, std::atan2(r(1, 0), r(0, 0))};
}

// x, y, z, and the turns about an axis of the tip, aside, and about that axis of the target.
Coordinates coneAnglesOf(const Eigen::Isometry3d& tip, int axis) {
  const Eigen::Matrix3d r = tip.linear();
  const Eigen::Vector3d p = tip.translation();
  const int aside = (axis + 1) % 3;
  const int other = (axis + 2) % 3;
  const double tilted = std::hypot(r(aside, axis), r(other, axis));
  if (tilted < kUpright) {
    return {p.x(), p.y(), p.z(), std::atan2(r(other, aside), r(aside, aside)), 0.0, 0.0};
  }
  return {p.x(),
          p.y(),
          p.z(),
          std::atan2(r(axis, aside), r(axis, other)),
          std::atan2(tilted, r(axis, axis)),
          std::atan2(r(aside, axis), -r(other, axis))};
}

}  // namespace

JointsAtTip::JointsAtTip(const TaskSpaceRegion& given, const Tolerance& tolerance)
    : before_(1, Eigen::Isometry3d::Identity()) {
  const TaskSpaceRegion region =
      given.freed(std::isinf(tolerance.position), std::isinf(tolerance.orientation));
  const auto row = solverNumbers(region, tolerance);
  const double* lower = row.data() + RegionRow::kLower;
  const double* upper = row.data() + RegionRow::kUpper;
  position_counts_ = std::any_of(lower, lower + 3, [](double x) { return std::isfinite(x); }) ||
                     std::any_of(upper, upper + 3, [](double x) { return std::isfinite(x); });
  const bool placed =
      position_counts_ && std::any_of(lower, lower + 6, [](double x) { return x != 0.0; });
  addTurns(region, tolerance, placed);
  if (position_counts_) {
    for (int k = 2; k >= 0; --k) {
      add({k, true, k, lower[k], upper[k]});
    }
  }
}

void JointsAtTip::addTurns(const TaskSpaceRegion& region, const Tolerance& tolerance,
                           bool placed) {
  const auto row = solverNumbers(region, tolerance);
  const auto [kind, axis, half_angle] = BoundedRotation::of(region);
  // None is further than any bound of an angle that is free.
  const auto bound = [](double angle) {
    return std::abs(angle) >= kFreeAngle ? std::copysign(kInfinity, angle) : angle;
  };
  switch (kind) {
    case RotationKind::kExact:
      break;
    case RotationKind::kCone: {
      add({axis, false, kFirstAngle, -kInfinity, kInfinity});
      const double half = 2.0 * std::atan2(row[RegionRow::kHalf + 1], row[RegionRow::kHalf]);
      if (half_angle > 0.0) {
        cone_axis_ = axis;
        // Both ways, so that steps can lead through the axis.
        add({(axis + 1) % 3, false, kFirstAngle + 1, -half, half});
        add({axis, false, kFirstAngle + 2, -kInfinity, kInfinity});
      }
      break;
    }
    case RotationKind::kFree:
      rotation_counts_ = placed;
      for (int k = 0; placed && k < 3; ++k) {
        add({k, false, kFirstAngle + k, -kInfinity, kInfinity});
      }
      break;
    case RotationKind::kAngles:
      for (int k = 0; k < 3; ++k) {
        const auto at = static_cast<std::size_t>(RegionRow::kAngles + k);
        add({k, false, kFirstAngle + k, bound(row.at(at)), bound(row.at(at + 3))});
      }
      break;
  }
}

void JointsAtTip::add(const Step& step) {
  if (step.lower == step.upper) {
    before_.back() = before_.back() * motionOf(step.axis, step.slides, -step.lower);
    return;
  }
  joints_.push_back(step);
  before_.push_back(Eigen::Isometry3d::Identity());
}

JointsAtTip::Numbers JointsAtTip::behind(const Packed& packed) const {
  const LaneChain chain = unpackChain(packed.floats, packed.ints);
  const PackedSize taken = packedSize(chain);
  const auto joints = static_cast<std::size_t>(chain.num_joints);
  const std::size_t added = joints_.size();
  Numbers numbers;
  std::vector<double>& floats = numbers.floats;
  append(chain.origins, kPoseNumbers * joints, floats);
  Eigen::Isometry3d last = poseOf(chain.tip);
  for (std::int64_t k = 0; k < size(); ++k) {
    const Eigen::Isometry3d turned(frameWithZ(axisOf(jointAt(k).axis)));
    appendSolverPose(last * before(k) * turned, floats);
    last = turned.inverse();
  }
  append(chain.multiplier, joints, floats);
  floats.insert(floats.end(), added, -1.0);
  append(chain.offset, joints, floats);
  floats.insert(floats.end(), added, 0.0);
  appendSolverPose(last * before(size()), floats);
  append(chain.scale, static_cast<std::size_t>(chain.num_variables), floats);
  floats.insert(floats.end(), added, 1.0);
  const double* rest = packed.floats + taken.floats;
  appendVerifier(rest, joints, floats);
  // Behind the verifier's tip come the options, of which the first two are the weights.
  const std::size_t options = floats.size();
  const double* end = packed.floats + packed.num_floats;
  const double* behind_tip = rest + RodriguesJoints::kSize * joints + kOfTip;
  append(behind_tip, static_cast<std::size_t>(end - behind_tip), floats);
  const std::size_t tolerances = options + kOptionNumbers;
  floats[options] = position_counts_ ? floats[options] : 0.0;
  floats[options + 1] = rotation_counts_ ? floats[options + 1] : 0.0;
  floats[tolerances] = position_counts_ ? std::min(floats[tolerances], kExact) : kInfinity;
  floats[tolerances + 1] = rotation_counts_ ? std::min(floats[tolerances + 1], kExact) : kInfinity;

  numbers.ints = {chain.num_joints + size(), chain.num_variables + size()};
  numbers.ints.insert(numbers.ints.end(), chain.prismatic, chain.prismatic + joints);
  for (const Step& joint : joints_) {
    numbers.ints.push_back(joint.slides ? 1 : 0);
  }
  numbers.ints.insert(numbers.ints.end(), chain.variable, chain.variable + joints);
  for (std::int64_t k = 0; k < size(); ++k) {
    numbers.ints.push_back(chain.num_variables + k);
  }
  return numbers;
}

void JointsAtTip::appendVerifier(const double* rest, std::size_t joints,
                                 std::vector<double>& floats) const {
  const double* tip = rest + RodriguesJoints::kSize * joints;
  Eigen::Isometry3d last = readPose(tip);
  RodriguesJoints all;
  all.add(rest, joints);
  for (std::int64_t k = 0; k < size(); ++k) {
    all.add(last * before(k), axisOf(jointAt(k).axis));
    last.setIdentity();
  }
  all.appendTo(floats);
  appendPose(last * before(size()), floats);
}

void JointsAtTip::writeNearest(const Eigen::Isometry3d& tip, double* positions) const {
  const Coordinates one = cone_axis_ >= 0 ? coneAnglesOf(tip, cone_axis_) : anglesOf(tip);
  // The same rotation has another triple of angles.
  const Coordinates other = {one[0], one[1], one[2], one[3] + kPi, kPi - one[4], one[5] + kPi};
  const auto clip = [&](const Coordinates& from, std::vector<double>& to) {
    double beyond = 0.0;
    for (const Step& joint : joints_) {
      double x = from.at(static_cast<std::size_t>(joint.coordinate));
      if (!joint.slides && std::isfinite(joint.lower)) {
        x -= kTurn * std::rint((x - 0.5 * (joint.lower + joint.upper)) / kTurn);
      }
      const double inside = std::clamp(x, joint.lower, joint.upper);
      beyond += squared(x - inside);
      to.push_back(inside);
    }
    return beyond;
  };
  std::vector<double> first;
  std::vector<double> second;
  const bool nearer = clip(one, first) <= clip(other, second) || cone_axis_ >= 0;
  std::copy_n((nearer ? first : second).data(), joints_.size(), positions);
}

}  // namespace generative_ik::regions
