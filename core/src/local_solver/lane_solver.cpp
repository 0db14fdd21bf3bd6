#include "lane_solver.hpp"

#include <cmath>
#include <generative_ik/version.hpp>
#include <utility>

#include "../simd/instruction_sets.hpp"
#include "lane_rows.hpp"

namespace generative_ik {
namespace {

constexpr double kDamping = 0.03;
// Longer steps than this come from lanes without a seed.
constexpr double kLongestStep = 10.0;

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

void appendPose(const Eigen::Isometry3d& pose, std::vector<double>& numbers) {
  const Eigen::Vector3d p = pose.translation();
  const Eigen::Quaterniond q = Eigen::Quaterniond(pose.linear()).normalized();
  numbers.insert(numbers.end(), {p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), q.w()});
}

LaneOptions optionsFor(const Tolerance& tolerance, double length) {
  LaneOptions options{};
  options.position_weight = std::isinf(tolerance.position) ? 0.0 : 1.0 / length;
  options.orientation_weight = std::isinf(tolerance.orientation) ? 0.0 : 1.0;
  options.damping = kDamping;
  options.max_step = kLongestStep;
  return options;
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
    : kernel_(kernel),
      lower_(std::move(lower)),
      upper_(std::move(upper)),
      scale_(chain.stepUnits()),
      options_(optionsFor(tolerance, chain.characteristicLength())) {
  // The joints' frames are turned so that all axes are z axes.
  Eigen::Isometry3d turned = Eigen::Isometry3d::Identity();
  for (const Joint& joint : chain.joints()) {
    const Eigen::Isometry3d turn(
        Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), joint.axis));
    appendPose(turned.inverse() * joint.joint_in_parent * turn, poses_);
    multiplier_.push_back(joint.multiplier);
    offset_.push_back(joint.offset);
    variable_.push_back(joint.variable);
    prismatic_.push_back(joint.type == Joint::Type::kPrismatic ? 1 : 0);
    turned = turn;
  }
  appendPose(turned.inverse() * chain.tipInLastJoint(), poses_);
  const auto joints = static_cast<std::int64_t>(chain.joints().size());
  chain_ = {
      joints,           chain.size(),       poses_.data(),  prismatic_.data(),
      variable_.data(), multiplier_.data(), offset_.data(), poses_.data() + kPoseNumbers * joints,
      scale_.data()};
  memory_.resize(static_cast<std::size_t>(countRows(joints, chain.size())), LaneRow{});
  rows_ = rowsIn(memory_.data(), joints, chain.size());
  clearLanes(rows_, chain.size(), options_);
  std::vector<double> target;
  appendPose(target_in_base, target);
  for (int lane = 0; lane < kLanes; ++lane) {
    loadPose(target.data(), rows_.target, lane);
  }
}

// NOLINTNEXTLINE(readability-make-member-function-const): it changes the lane
void LaneSolver::begin(int lane, const Vector& q) {
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    rows_.seeds.q[i].lane[lane] = q[i];
  }
  rows_.seeds.moving->lane[lane] = 0.0;
}

Vector LaneSolver::configuration(int lane) const {
  Vector q(scale_.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    q[i] = rows_.seeds.q[i].lane[lane];
  }
  return q;
}

double LaneSolver::positionError(int lane) const {
  return rows_.seeds.position_error->lane[lane];
}

double LaneSolver::orientationChord(int lane) const {
  return rows_.seeds.orientation_error->lane[lane];
}

double LaneSolver::squaredError(int lane) const {
  return generative_ik::squaredError(options_, positionError(lane), orientationChord(lane));
}

}  // namespace generative_ik
