#include "joint_tree.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "../local_solver/packed_joints.hpp"

namespace generative_ik {
namespace {

static_assert(GoalTree::kBefore == verify::RodriguesTree::kBefore);

std::vector<std::int64_t> oneAfterAnother(std::size_t count) {
  std::vector<std::int64_t> parents(count);
  for (std::size_t j = 0; j < count; ++j) {
    parents[j] = static_cast<std::int64_t>(j) - 1;
  }
  return parents;
}

void checkTree(bool holds, const char* what) {
  if (!holds) {
    throw std::invalid_argument(what);
  }
}

// The joints above a frame, from the base on.
std::vector<std::int64_t> above(std::int64_t joint, const std::vector<std::int64_t>& parents) {
  std::vector<std::int64_t> joints;
  for (; joint >= 0; joint = parents[static_cast<std::size_t>(joint)]) {
    joints.push_back(joint);
  }
  std::reverse(joints.begin(), joints.end());
  return joints;
}

// The frame's pose, seen from the turned frame of the joint that carries it.
Eigen::Isometry3d turnedBack(const JointTree::Frame& frame, const std::vector<Joint>& joints) {
  if (frame.joint < 0) {
    return frame.pose;
  }
  const Joint& joint = joints[static_cast<std::size_t>(frame.joint)];
  return Eigen::Isometry3d(frameWithZ(joint.axis)).inverse() * frame.pose;
}

}  // namespace

JointTree::JointTree(std::vector<Joint> joints, std::vector<std::int64_t> parents,
                     std::vector<Goal> goals, const Vector& step_units)
    : joints_(std::move(joints)),
      first_tip_(goals.empty() ? Eigen::Isometry3d::Identity() : goals.front().tip.pose),
      scale_(step_units.begin(), step_units.end()) {
  checkTree(parents.size() == joints_.size() && !goals.empty(),
            "parents: not as many as joints, or no goal");
  for (std::int64_t j = 0; j < numJoints(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    checkTree(-1 <= parents[at] && parents[at] < j, "parents: not joints before");
    checkTree(0 <= joints_[at].variable && joints_[at].variable < numVariables(),
              "variable: not one of so many");
  }
  for (const Goal& goal : goals) {
    for (const Frame* frame : {&goal.tip, &goal.reference}) {
      checkTree(-1 <= frame->joint && frame->joint < numJoints(),
                "goals: not on joints of the tree");
    }
  }
  placeJoints(parents);
  keepFrames(parents, goals);
  findPaths(parents, goals);
  couple();
  bounded_.assign(goals.size(), 0);
  is_chain_ = goals.size() == 1 && reference_slot_.front() == GoalTree::kIdentity &&
              goals.front().tip.joint == numJoints() - 1 &&
              parents == oneAfterAnother(joints_.size());
}

JointTree::JointTree(const Chain& chain)
    : JointTree(chain.joints(), oneAfterAnother(chain.joints().size()),
                {{{std::ssize(chain.joints()) - 1, chain.tipInLastJoint()}, {}}},
                chain.stepUnits()) {}

JointTree JointTree::of(const std::vector<Chain>& chains, const SharedVariables& shared,
                        const Vector& step_units) {
  std::vector<Joint> joints;
  std::vector<std::int64_t> parents;
  std::vector<Goal> goals;
  for (std::size_t g = 0; g < chains.size(); ++g) {
    std::int64_t last = -1;
    for (Joint joint : chains[g].joints()) {
      joint.variable =
          static_cast<int>(shared.places[g][static_cast<std::size_t>(joint.variable)]);
      parents.push_back(last);
      last = std::ssize(joints);
      joints.push_back(std::move(joint));
    }
    goals.push_back({{last, chains[g].tipInLastJoint()}, {}});
  }
  return {std::move(joints), std::move(parents), std::move(goals), step_units};
}

JointTree JointTree::steppedBy(const Vector& step_units) const {
  JointTree tree = *this;
  tree.scale_.assign(step_units.begin(), step_units.end());
  return tree;
}

void JointTree::placeJoints(const std::vector<std::int64_t>& parents) {
  RodriguesJoints as_read;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    const Eigen::Isometry3d turn(frameWithZ(joint.axis));
    appendSolverPose(turnedBack({parents[j], joint.joint_in_parent}, joints_) * turn, origins_);
    as_read.add(joint.joint_in_parent, joint.axis);
    prismatic_.push_back(joint.type == Joint::Type::kPrismatic ? 1 : 0);
    variable_.push_back(joint.variable);
    multiplier_.push_back(joint.multiplier);
    offset_.push_back(joint.offset);
  }
  as_read.appendTo(rodrigues_);
}

std::int64_t JointTree::slotOf(std::int64_t joint) const {
  return joint < 0 ? GoalTree::kBase : slot_[static_cast<std::size_t>(joint)];
}

// Those that carry a tip or a reference, or from which a joint begins that is not the next one.
void JointTree::keepFrames(const std::vector<std::int64_t>& parents,
                           const std::vector<Goal>& goals) {
  const auto keep = [this](std::int64_t joint) {
    if (joint >= 0) {
      slot_[static_cast<std::size_t>(joint)] = 0;
    }
  };
  slot_.assign(joints_.size(), -1);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (parents[j] != static_cast<std::int64_t>(j) - 1) {
      keep(parents[j]);
    }
  }
  for (const Goal& goal : goals) {
    keep(goal.tip.joint);
    keep(goal.reference.joint);
  }
  for (std::int64_t& slot : slot_) {
    slot = slot < 0 ? -1 : num_slots_++;
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const bool is_next = j > 0 && parents[j] == static_cast<std::int64_t>(j) - 1;
    begin_.push_back(is_next ? GoalTree::kBefore : slotOf(parents[j]));
  }
  const Eigen::Matrix4d identity = Eigen::Matrix4d::Identity();
  for (const auto& [tip, reference] : goals) {
    const bool in_base = reference.joint < 0 && reference.pose.matrix() == identity;
    tip_slot_.push_back(slotOf(tip.joint));
    reference_slot_.push_back(in_base ? GoalTree::kIdentity : slotOf(reference.joint));
    appendSolverPose(turnedBack(tip, joints_), tip_);
    appendSolverPose(turnedBack(reference, joints_), reference_);
    appendPose(tip.pose, tip_pose_);
    appendPose(reference.pose, reference_pose_);
  }
}

// Joints above both move neither the tip nor the reference against the other.
void JointTree::findPaths(const std::vector<std::int64_t>& parents,
                          const std::vector<Goal>& goals) {
  const std::size_t n = scale_.size();
  column_.assign(goals.size() * n, -1);
  for (std::size_t g = 0; g < goals.size(); ++g) {
    const std::vector<std::int64_t> of_tip = above(goals[g].tip.joint, parents);
    const std::vector<std::int64_t> of_reference = above(goals[g].reference.joint, parents);
    const auto end =
        std::mismatch(of_tip.begin(), of_tip.end(), of_reference.begin(), of_reference.end());
    const auto add = [&](auto from, auto to, std::int64_t sign) {
      for (; from != to; ++from) {
        const std::int64_t variable = variable_[static_cast<std::size_t>(*from)];
        std::int64_t& column = column_[g * n + static_cast<std::size_t>(variable)];
        column = column < 0 ? num_columns_++ : column;
        path_.insert(path_.end(), {*from, sign, column});
      }
    };
    add(end.first, of_tip.end(), 1);
    add(end.second, of_reference.end(), -1);
    path_end_.push_back(std::ssize(path_) / 3);
  }
}

// Normal equations of two goals are coupled by a variable of both, or by elimination.
void JointTree::couple() {
  const std::size_t n = scale_.size();
  const std::size_t goals = tip_slot_.size();
  coupled_.assign(goals * goals, 0);
  for (std::size_t a = 0; a < goals; ++a) {
    for (std::size_t b = 0; b < goals; ++b) {
      bool both = a == b;
      for (std::size_t v = 0; v < n; ++v) {
        both = both || (column_[a * n + v] >= 0 && column_[b * n + v] >= 0);
      }
      coupled_[a * goals + b] = both ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < goals; ++k) {
    for (std::size_t a = k + 1; a < goals; ++a) {
      for (std::size_t b = k + 1; b < goals; ++b) {
        coupled_[a * goals + b] |= coupled_[a * goals + k] & coupled_[b * goals + k];
      }
    }
  }
}

LaneChain JointTree::chain() const {
  return {numJoints(),        numVariables(), origins_.data(), prismatic_.data(), variable_.data(),
          multiplier_.data(), offset_.data(), tip_.data(),     scale_.data()};
}

GoalTree JointTree::goals() const {
  GoalTree tree{};
  tree.num_joints = numJoints();
  tree.num_variables = numVariables();
  tree.num_goals = numGoals();
  tree.num_slots = num_slots_;
  tree.num_columns = num_columns_;
  tree.origins = origins_.data();
  tree.prismatic = prismatic_.data();
  tree.variable = variable_.data();
  tree.multiplier = multiplier_.data();
  tree.offset = offset_.data();
  tree.begin = begin_.data();
  tree.slot = slot_.data();
  tree.scale = scale_.data();
  tree.tip_slot = tip_slot_.data();
  tree.tip = tip_.data();
  tree.reference_slot = reference_slot_.data();
  tree.reference = reference_.data();
  tree.path = path_.data();
  tree.path_end = path_end_.data();
  tree.column = column_.data();
  tree.coupled = coupled_.data();
  tree.bounded = bounded_.data();
  return tree;
}

verify::RodriguesChain JointTree::chainVerifier() const {
  const std::int64_t m = numJoints();
  const double* numbers = rodrigues_.data();
  return {m,
          numbers,
          numbers + 9 * m,
          numbers + 18 * m,
          numbers + 27 * m,
          numbers + 30 * m,
          prismatic_.data(),
          variable_.data(),
          multiplier_.data(),
          offset_.data(),
          tip_pose_.data()};
}

verify::RodriguesTree JointTree::verifier() const {
  return {chainVerifier(),       numGoals(),       num_slots_,       begin_.data(),
          slot_.data(),          tip_slot_.data(), tip_pose_.data(), reference_slot_.data(),
          reference_pose_.data()};
}

}  // namespace generative_ik
