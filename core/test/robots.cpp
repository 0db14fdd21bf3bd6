#include "robots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "../src/simd/constants.hpp"

namespace generative_ik::test {
namespace {

Eigen::Isometry3d originAt(double x, double y, double z, double roll = 0.0) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.translation() = Eigen::Vector3d(x, y, z);
  result.rotate(Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()));
  return result;
}

Joint revolute(int variable, const Eigen::Isometry3d& joint_in_parent) {
  Joint joint;
  joint.variable = variable;
  joint.joint_in_parent = joint_in_parent;
  return joint;
}

}  // namespace

Chain twoLinks() {
  return Chain({{"shoulder", -3.0, 3.0}, {"elbow", -3.0, 3.0}},
               {revolute(0, originAt(0, 0, 0)), revolute(1, originAt(1, 0, 0))},
               originAt(1, 0, 0));
}

Chain panda() {
  std::vector<Variable> variables;
  const std::array<std::array<double, 2>, 7> limits = {{{-2.8973, 2.8973},
                                                        {-1.7628, 1.7628},
                                                        {-2.8973, 2.8973},
                                                        {-3.0718, -0.0698},
                                                        {-2.8973, 2.8973},
                                                        {-0.0175, 3.7525},
                                                        {-2.8973, 2.8973}}};
  variables.reserve(limits.size());
  for (const auto& [lower, upper] : limits) {
    variables.push_back({"joint" + std::to_string(variables.size() + 1), lower, upper});
  }
  const double quarter = 0.5 * kPi;
  return Chain(
      std::move(variables),
      {revolute(0, originAt(0, 0, 0.333)), revolute(1, originAt(0, 0, 0, -quarter)),
       revolute(2, originAt(0, -0.316, 0, quarter)), revolute(3, originAt(0.0825, 0, 0, quarter)),
       revolute(4, originAt(-0.0825, 0.384, 0, -quarter)), revolute(5, originAt(0, 0, 0, quarter)),
       revolute(6, originAt(0.088, 0, 0, quarter))},
      originAt(0, 0, 0.107));
}

Chain ur10() {
  constexpr double kRange = 3.1;
  const double quarter = 0.5 * kPi;
  std::vector<Variable> variables;
  for (int k = 1; k <= 6; ++k) {
    variables.push_back({"joint" + std::to_string(k), -kRange, kRange});
  }
  return Chain(std::move(variables),
               {revolute(0, originAt(0, 0, 0)), revolute(1, originAt(0, 0, 0.1273, quarter)),
                revolute(2, originAt(-0.612, 0, 0)), revolute(3, originAt(-0.5723, 0, 0)),
                revolute(4, originAt(0, 0, 0.163941, quarter)),
                revolute(5, originAt(0, 0, 0.1157, -quarter))},
               originAt(0, 0, 0.0922));
}

Chain iiwa() {
  constexpr double kWide = 2.967;
  constexpr double kNarrow = 2.094;
  const std::array<double, 8> lengths = {0.1575, 0.2025, 0.2045, 0.2155,
                                         0.1845, 0.2155, 0.081,  0.045};
  std::vector<Variable> variables;
  std::vector<Joint> joints;
  for (int k = 0; k < 7; ++k) {
    const double range = k % 2 == 0 ? kWide : kNarrow;
    variables.push_back({"joint" + std::to_string(k + 1), -range, range});
    joints.push_back(revolute(k, originAt(0, 0, lengths.at(static_cast<std::size_t>(k)))));
    joints.back().axis = k % 2 == 0   ? Eigen::Vector3d::UnitZ()
                         : k % 4 == 1 ? Eigen::Vector3d::UnitY()
                                      : Eigen::Vector3d(0, -1, 0);
  }
  return Chain(std::move(variables), std::move(joints), originAt(0, 0, lengths.back()));
}

Chain ur10OnRail() {
  const Chain arm = ur10();
  std::vector<Variable> variables = {{"rail", -1.0, 1.0, false, false}};
  std::vector<Joint> joints = {revolute(0, originAt(0, 0, 0.5))};
  joints.front().type = Joint::Type::kPrismatic;
  joints.front().axis = Eigen::Vector3d::UnitX();
  for (const Variable& variable : arm.variables()) {
    variables.push_back(variable);
  }
  for (Joint joint : arm.joints()) {
    ++joint.variable;
    joints.push_back(joint);
  }
  return Chain(std::move(variables), std::move(joints), arm.tipInLastJoint());
}

// Two arms of seven joints, of which they share the first.
std::vector<Chain> twoArms() {
  const Chain left = panda();
  std::vector<Variable> variables = left.variables();
  std::vector<Joint> joints = left.joints();
  for (std::size_t i = 1; i < variables.size(); ++i) {
    variables[i].name = "right_" + variables[i].name;
  }
  joints[1].joint_in_parent.translation().y() -= 0.3;
  return {left, Chain(variables, joints, left.tipInLastJoint())};
}

std::vector<Chain> twoLimbs() {
  const Chain right = ur10();
  std::vector<Variable> variables = right.variables();
  std::vector<Joint> joints = right.joints();
  for (Variable& variable : variables) {
    variable.name = "right_" + variable.name;
  }
  joints.front().joint_in_parent.translation().y() -= 0.8;
  return {panda(), Chain(variables, joints, right.tipInLastJoint())};
}

Chain railArm() {
  const double infinity = std::numeric_limits<double>::infinity();
  Joint rail = revolute(0, originAt(0, 0, 0));
  rail.type = Joint::Type::kPrismatic;
  rail.axis = Eigen::Vector3d::UnitX();
  return Chain({{"rail", -0.5, 0.5, false, false},
                {"turn", -infinity, infinity, true, true},
                {"elbow", -2.0, 2.0}},
               {rail, revolute(1, originAt(0, 0, 0.2)), revolute(2, originAt(0.4, 0, 0))},
               originAt(0.3, 0, 0));
}

Chain arm() {
  return Chain({{"turn", -3.0, 3.0}}, {revolute(0, originAt(0, 0, 0))}, originAt(kArm, 0, 0));
}

Chain bentArm() {
  Joint first;
  first.axis = Eigen::Vector3d(1, 2, -1);
  Joint follower;
  follower.axis = Eigen::Vector3d(0, 0, -1);
  follower.joint_in_parent.translation() = Eigen::Vector3d(0.3, 0.1, 0.2);
  follower.multiplier = -0.5;
  follower.offset = 0.3;
  Joint last;
  last.variable = 1;
  last.axis = Eigen::Vector3d::UnitX();
  last.joint_in_parent.translation().y() = 0.4;
  Eigen::Isometry3d tip = Eigen::Isometry3d::Identity();
  tip.translation().z() = 0.25;
  return Chain({{"drive", -2.0, 2.0}, {"wrist", -2.0, 2.0}}, {first, follower, last}, tip);
}

std::vector<double> treeOf(double x, double radius) {
  std::vector<double> rows(kGroup, 0.0);
  std::fill_n(rows.begin() + 24, 7, -1e30);
  rows[7] = x;
  rows[31] = radius;
  return rows;
}

CollisionWorldArrays armWithBall() {
  CollisionWorldArrays arrays;
  arrays.num_variables = 1;
  arrays.frames = {1,  0, 0, 0, 1,  0, 0, 0, 1, 0, -1, 0, 1, 0, 0, 0, 0, 0,
                   -1, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0,  0, 0, 0, 1, 1, 0};
  arrays.frame_ints = {0, 0, 0};
  const std::vector<double> ball = treeOf(kArm, kBall);
  const std::vector<double> pillar = treeOf(0.0, 0.2);
  arrays.trees = ball;
  arrays.trees.insert(arrays.trees.end(), pillar.begin(), pillar.end());
  arrays.trees[kGroup + 15] = -1.0;
  arrays.bodies = {1, 0, 1, 0, 1, 1, 0, 1, 0, 4, 1, 4, 1, 1, 1, 1};
  arrays.num_moving = 1;
  arrays.extremes = {kArm + kBall, 0.0, 0.0, 0.0, -0.8, 0.0};
  arrays.pairs = {0, 1};
  arrays.margins = {0.0};
  return arrays;
}

double gapOfPillar(double q) {
  return std::hypot(kArm * std::cos(q), kArm * std::sin(q) + 1.0) - kBall - 0.2;
}

Vector randomPosition(const Chain& chain, std::mt19937& random) {
  Vector q(chain.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const Variable& variable = chain.variables()[static_cast<std::size_t>(i)];
    const double lower = std::isfinite(variable.lower) ? variable.lower : -kPi;
    const double upper = std::isfinite(variable.upper) ? variable.upper : kPi;
    q[i] = std::uniform_real_distribution<double>(lower, upper)(random);
  }
  return q;
}

IKRequest requestFor(const Chain& chain, const Vector& goal, const Vector& seed,
                     const ConsistencyLimits& limits) {
  IKRequest request;
  request.target_in_base = chain.tipInBase(goal);
  request.seed_state = seed;
  request.consistency_limits = limits;
  request.deadline = Deadline(10.0);
  return request;
}

}  // namespace generative_ik::test
