#include "lane_solver.hpp"

#include <cmath>
#include <generative_ik/version.hpp>
#include <utility>

#include "../simd/instruction_sets.hpp"

namespace generative_ik {
namespace {

constexpr double kDamping = 0.03;

std::vector<LaneKernel> usableKernels() {
  std::vector<LaneKernel> kernels;
#ifdef GENERATIVE_IK_X86_KERNELS
  if (simd::hasAvx512()) {
    kernels.push_back(laneKernelAvx512());
  }
  if (simd::hasAvx2()) {
    kernels.push_back(laneKernelAvx2());
  }
#endif
  kernels.push_back(laneKernelBaseline());
  return kernels;
}

LanePose lanePose(const Eigen::Isometry3d& pose) {
  const Eigen::Vector3d p = pose.translation();
  const Eigen::Quaterniond q = Eigen::Quaterniond(pose.linear()).normalized();
  return {{p.x(), p.y(), p.z()}, {q.x(), q.y(), q.z(), q.w()}};
}

// The joints with their frames turned so that all axes are z axes. Returns the last frame's turn.
Eigen::Isometry3d turnJoints(const Chain& chain, std::vector<LaneJoint>& joints) {
  Eigen::Isometry3d turned = Eigen::Isometry3d::Identity();
  for (const Joint& joint : chain.joints()) {
    const Eigen::Isometry3d turn(
        Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), joint.axis));
    joints.push_back({lanePose(turned.inverse() * joint.joint_in_parent * turn), joint.multiplier,
                      joint.offset, joint.variable, joint.type == Joint::Type::kPrismatic});
    turned = turn;
  }
  return turned;
}

}  // namespace

const std::vector<LaneKernel>& laneKernels() {
  static const std::vector<LaneKernel> kernels = usableKernels();
  return kernels;
}

std::string_view instructionSet() {
  return laneKernels().front().instruction_set;
}

LaneSolver::LaneSolver(const Chain& chain, const Eigen::Isometry3d& target_in_base,
                       const Tolerance& tolerance, Vector lower, Vector upper,
                       const LaneKernel& kernel)
    : kernel_(kernel), lower_(std::move(lower)), upper_(std::move(upper)) {
  const double length = chain.characteristicLength();
  scale_ = chain.stepUnits();
  const Eigen::Isometry3d turned = turnJoints(chain, joints_);
  const auto variables = static_cast<std::size_t>(chain.size());
  const std::size_t joints = joints_.size();
  memory_.resize(7 * variables + 6 * joints + 12, LaneRow{});
  problem_ = {joints_.data(),
              static_cast<long>(joints),
              static_cast<long>(variables),
              lanePose(turned.inverse() * chain.tipInLastJoint()),
              lanePose(target_in_base),
              scale_.data(),
              lower_.data(),
              upper_.data(),
              std::isinf(tolerance.position) ? 0.0 : 1.0 / length,
              std::isinf(tolerance.orientation) ? 0.0 : 1.0,
              kDamping};
  LaneRow* next = memory_.data();
  const auto take = [&next](std::size_t count) { return std::exchange(next, next + count); };
  rows_.q = take(variables);
  rows_.moving = take(1);
  rows_.axes = take(6 * joints);
  rows_.jacobian = take(6 * variables);
  rows_.tip = take(3);
  rows_.error = take(6);
  rows_.position_squared = take(1);
  rows_.orientation_squared = take(1);
}

// NOLINTNEXTLINE(readability-make-member-function-const): it changes the lane
void LaneSolver::begin(int lane, const Vector& q) {
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    rows_.q[i].lane[lane] = q[i];
  }
  rows_.moving->lane[lane] = 0.0;
}

Vector LaneSolver::configuration(int lane) const {
  Vector q(scale_.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    q[i] = rows_.q[i].lane[lane];
  }
  return q;
}

double LaneSolver::positionError(int lane) const {
  return std::sqrt(rows_.position_squared->lane[lane]);
}

double LaneSolver::orientationChord(int lane) const {
  return std::sqrt(rows_.orientation_squared->lane[lane]);
}

double LaneSolver::squaredError(int lane) const {
  const double position = problem_.position_weight * problem_.position_weight;
  const double orientation = problem_.orientation_weight * problem_.orientation_weight;
  return position * rows_.position_squared->lane[lane] +
         orientation * rows_.orientation_squared->lane[lane];
}

}  // namespace generative_ik
