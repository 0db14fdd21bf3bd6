/// Closed forms: all branches of a pose, of arms of six joints whose geometry allows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <generative_ik/chain.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace generative_ik {

/// Finds all branches of a pose.
///
/// It takes the family's parameters, the tip's pose in the base (4, 4) [m], row by row, and memory
/// for branches, rows of six. It writes them there as values of the chain's variables before
/// limits and turns are looked at, and returns how many. Where the pose lies at, or within some
/// 1e-5 [m or rad] of, a singular or continuous case, or of the border of where a branch exists,
/// it returns -1 - count instead: the branches are good, but there may be more. It allocates
/// nothing, and the same pose always gives the same branches.
using ClosedFormKernel = std::int64_t (*)(const double* parameters, const double* tip_pose,
                                          double* branches);

/// A family of arms that have a closed form.
struct ClosedForm {
  std::string_view name;
  ClosedFormKernel kernel;
  /// Numbers that the parameters have at the least.
  std::size_t least_parameters;
  /// Rows of memory that the kernel needs.
  int max_branches;

  /// Whether the kernel reads no further than these parameters.
  [[nodiscard]] bool takes(const double* parameters, std::size_t count) const;
};

/// All families, compiled for the fastest set of instructions that this processor has.
const std::vector<ClosedForm>& closedForms();

/// The closed form of a chain: of six joints, or of seven with the first or the last one locked.
///
/// With joint 1 of an iiwa or joint 7 of a Panda at some angle, the other six joints are an arm
/// with a closed form, whose parameters do not depend on that angle: only the target is turned
/// with it. So all configurations of a pose are the branches of one arm at all angles of the
/// locked joint. The same goes for an arm on a rail or a lift, whose position shifts the target.
struct ArmForm {
  std::string name;  ///< What a user may read.
  ClosedForm family;
  /// What the family's kernel takes of the six joints; before it, if one is locked, 13 numbers:
  /// its index, its axis and a point on it [m], in the base if it is the first, in the tip if it
  /// is the last; whether it is prismatic; the change of it that counts as 1 rad [rad or m]; if it
  /// is prismatic, how far the others bring the tip from the first of them, and where that one is
  /// [m].
  std::vector<double> parameters;
  /// By how much lines of the chain were moved to be exactly parallel or perpendicular [rad] or to
  /// intersect exactly [shares of its length]; errors of branches come from that.
  double moved;
  std::optional<int> locked_joint;  ///< Index of the locked joint.
};

/// The closed form of a chain; none if it has none. That of a general arm takes some milliseconds
/// to find.
std::optional<ArmForm> findClosedForm(const Chain& chain);

/// Why a chain has no closed form, in words that follow "the chain".
std::string whyNoClosedForm(const Chain& chain);

/// The parameters of six joints with a seventh one at the tip's origin, locked. Args: axis: of the
/// seventh, in the tip. parameters: of the six. prismatic: whether the seventh is.
std::vector<double> lockedAtTip(const Eigen::Vector3d& axis, const std::vector<double>& parameters,
                                bool prismatic);

}  // namespace generative_ik
