#include "joint_tree.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "../local_solver/packed_joints.hpp"
#include "../model/joint_motion.hpp"
#include "../model/singular_values.hpp"
#include "../search/recurrence.hpp"

namespace generative_ik {
namespace {

// Sine of what a turn may be off the x axis to be one about it.
constexpr double kAboutX = 1e-14;
// Singular values of a Jacobian, in characteristic lengths and radians, that count as 0.
constexpr double kRank = 1e-6;

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

// By how much a frame is turned about z after a turn about x alone [rad]; 0 if it is turned
// otherwise.
double turnAfterX(const Eigen::Matrix3d& rotation) {
  const bool about_x = std::abs(rotation(0, 2)) < kAboutX;
  return about_x ? std::atan2(-rotation(0, 1), rotation(0, 0)) : 0.0;
}

Eigen::Isometry3d inBase(const JointTree::Frame& frame,
                         const std::vector<Eigen::Isometry3d>& joints_in_base) {
  return frame.joint < 0 ? frame.pose
                         : joints_in_base[static_cast<std::size_t>(frame.joint)] * frame.pose;
}

}  // namespace

JointTree::JointTree(std::vector<Joint> joints, std::vector<std::int64_t> parents,
                     std::vector<Goal> goals, const Vector& step_units)
    : joints_(std::move(joints)),
      parents_(std::move(parents)),
      goals_(std::move(goals)),
      scale_(step_units.begin(), step_units.end()) {
  checkTree(parents_.size() == joints_.size() && !goals_.empty(),
            "parents: not as many as joints, or no goal");
  for (std::int64_t j = 0; j < numJoints(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    checkTree(-1 <= parents_[at] && parents_[at] < j, "parents: not joints before");
    checkTree(0 <= joints_[at].variable && joints_[at].variable < numVariables(),
              "variable: not one of so many");
  }
  for (const Goal& goal : goals_) {
    for (const Frame* frame : {&goal.tip, &goal.reference}) {
      checkTree(-1 <= frame->joint && frame->joint < numJoints(),
                "goals: not on joints of the tree");
    }
  }
  placeFrames();
  packJoints();
  keepFrames();
  findPaths();
  couple();
  bounded_.assign(goals_.size(), 0);
  is_chain_ = goals_.size() == 1 && reference_slot_.front() == GoalTree::kIdentity &&
              goals_.front().tip.joint == numJoints() - 1 &&
              parents_ == oneAfterAnother(joints_.size());
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

void JointTree::placeFrames() {
  for (const Joint& joint : joints_) {
    placed_.emplace_back(frameWithZ(joint.axis));
  }
  std::vector<bool> is_aligned(joints_.size());
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const auto parent = static_cast<std::size_t>(parents_[j]);
    if (parents_[j] < 0 || is_aligned[parent]) {
      continue;
    }
    is_aligned[parent] = true;
    const NextAxis next =
        alignWithNext(inPlaced({parents_[j], joints_[j].joint_in_parent}) * placed_[j]);
    placed_[parent].rotate(Eigen::AngleAxisd(next.turn, Eigen::Vector3d::UnitZ()));
    placed_[j].translate(next.slide * Eigen::Vector3d::UnitZ());
  }
}

Eigen::Isometry3d JointTree::inPlaced(const Frame& frame) const {
  return frame.joint < 0 ? frame.pose
                         : placed_[static_cast<std::size_t>(frame.joint)].inverse() * frame.pose;
}

void JointTree::packJoints() {
  RodriguesJoints as_read;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    Eigen::Isometry3d origin = inPlaced({parents_[j], joint.joint_in_parent}) * placed_[j];
    // The origin is turned back by what the joint's position has more.
    const bool turns = joint.type == Joint::Type::kRevolute;
    const double more = turns ? turnAfterX(origin.linear()) : 0.0;
    appendSolverPose(origin.rotate(Eigen::AngleAxisd(-more, Eigen::Vector3d::UnitZ())), origins_);
    as_read.add(joint.joint_in_parent, joint.axis, joint.offset);
    prismatic_.push_back(joint.type == Joint::Type::kPrismatic ? 1 : 0);
    variable_.push_back(joint.variable);
    multiplier_.push_back(joint.multiplier);
    offset_.push_back(joint.offset + more);
  }
  as_read.appendTo(rodrigues_);
}

std::int64_t JointTree::slotOf(std::int64_t joint) const {
  return joint < 0 ? GoalTree::kBase : slot_[static_cast<std::size_t>(joint)];
}

// Those that carry a tip or a reference, or from which a joint begins that is not the next one.
void JointTree::keepFrames() {
  const auto keep = [this](std::int64_t joint) {
    if (joint >= 0) {
      slot_[static_cast<std::size_t>(joint)] = 0;
    }
  };
  slot_.assign(joints_.size(), -1);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (parents_[j] != static_cast<std::int64_t>(j) - 1) {
      keep(parents_[j]);
    }
  }
  for (const Goal& goal : goals_) {
    keep(goal.tip.joint);
    keep(goal.reference.joint);
  }
  for (std::int64_t& slot : slot_) {
    slot = slot < 0 ? -1 : num_slots_++;
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const bool is_next = j > 0 && parents_[j] == static_cast<std::int64_t>(j) - 1;
    begin_.push_back(is_next ? GoalTree::kBefore : slotOf(parents_[j]));
  }
  const Eigen::Matrix4d identity = Eigen::Matrix4d::Identity();
  for (const auto& [tip, reference] : goals_) {
    const bool in_base = reference.joint < 0 && reference.pose.matrix() == identity;
    tip_slot_.push_back(slotOf(tip.joint));
    reference_slot_.push_back(in_base ? GoalTree::kIdentity : slotOf(reference.joint));
    appendSolverPose(inPlaced(tip), tip_);
    appendSolverPose(inPlaced(reference), reference_);
    appendPose(tip.pose, tip_pose_);
    appendPose(reference.pose, reference_pose_);
  }
}

// Joints above both move neither the tip nor the reference against the other.
void JointTree::findPaths() {
  const std::size_t n = scale_.size();
  column_.assign(goals_.size() * n, -1);
  for (std::size_t g = 0; g < goals_.size(); ++g) {
    const std::vector<std::int64_t> of_tip = above(goals_[g].tip.joint, parents_);
    const std::vector<std::int64_t> of_reference = above(goals_[g].reference.joint, parents_);
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
  const std::size_t goals = goals_.size();
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

void JointTree::placeJoints(const double* q, std::vector<Eigen::Isometry3d>& frames) const {
  frames.resize(joints_.size());
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    frames[j] = inBase({parents_[j], joints_[j].joint_in_parent}, frames);
    moveJoint(joints_[j], q[joints_[j].variable], frames[j]);
  }
}

Eigen::Isometry3d JointTree::goalAt(const std::vector<Eigen::Isometry3d>& frames,
                                    std::int64_t goal, bool in_reference,
                                    Jacobian& jacobian) const {
  const auto g = static_cast<std::size_t>(goal);
  const Eigen::Isometry3d tip = inBase(goals_[g].tip, frames);
  const Eigen::Isometry3d to_reference = inBase(goals_[g].reference, frames).inverse();
  jacobian.setZero(6, numVariables());
  const auto begin = static_cast<std::size_t>(g == 0 ? 0 : path_end_[g - 1]);
  for (std::size_t at = begin; at < static_cast<std::size_t>(path_end_[g]); ++at) {
    const auto j = static_cast<std::size_t>(path_[3 * at]);
    addMotion(joints_[j], frames[j], static_cast<double>(path_[3 * at + 1]), jacobian);
  }
  carryTo(tip.translation(), jacobian);
  if (in_reference) {
    jacobian.topRows<3>() = to_reference.linear() * jacobian.topRows<3>();
    jacobian.bottomRows<3>() = to_reference.linear() * jacobian.bottomRows<3>();
  }
  return to_reference * tip;
}

bool JointTree::isDeficient(const double* lower, const double* upper, const Vector& units,
                            const LaneOptions& options) const {
  const Eigen::Index size = units.size();
  Vector shift(size);
  Vector ratios(size);
  search::writeRecurrence(0, size, shift.data(), ratios.data());
  Vector q(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    q[i] = lower[i] + shift[i] * (upper[i] - lower[i]);
  }
  std::vector<Eigen::Isometry3d> frames;
  placeJoints(q.data(), frames);
  Jacobian jacobian;
  goalAt(frames, 0, false, jacobian);
  jacobian.topRows<3>() *= options.position_weight;
  jacobian.bottomRows<3>() *= options.orientation_weight;
  const int constraints =
      (options.position_weight > 0.0 ? 3 : 0) + (options.orientation_weight > 0.0 ? 3 : 0);
  const Eigen::MatrixXd scaled = jacobian * units.asDiagonal();
  return (singularValuesOf(scaled).values.array() > kRank).count() < constraints;
}

bool JointTree::moves(std::int64_t variable, std::int64_t goal) const {
  return column_[static_cast<std::size_t>(goal * numVariables() + variable)] >= 0;
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
          numbers + 33 * m,
          tip_pose_.data()};
}

verify::RodriguesTree JointTree::verifier() const {
  return {chainVerifier(),       numGoals(),       num_slots_,       begin_.data(),
          slot_.data(),          tip_slot_.data(), tip_pose_.data(), reference_slot_.data(),
          reference_pose_.data()};
}

}  // namespace generative_ik
