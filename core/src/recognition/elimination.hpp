/// The equations of a six-joint arm of no special kind with two unknowns eliminated beforehand.
///
/// The joints close a loop, E1 E2 ... E6 G' = 1, where G' takes the target back to the tip at
/// zero. Along a joint's axis, a line with a point on it, that joint does not count; two of the
/// others can be brought to the other side. M. Raghavan and B. Roth (Inverse kinematics of the
/// general 6R manipulator and related linkages, 1993) found 14 functions of such a line that are
/// linear in the cosine and sine of every rotation of it. They are what a rigid motion makes of a
/// point and of a line in five-dimensional conformal space, which is why rigid motions act on them
/// by matrices. The two joints on the other side bring eight products of cosines and sines that
/// depend on no pose, so six equations in the other three angles can be prepared once for an arm.
///
/// The loop is used from any joint on, and from either end, and what is best conditioned is taken.
#pragma once

#include <optional>
#include <vector>

#include "joint_axes.hpp"

namespace generative_ik::recognition {

/// Prepares the equations of six revolute joints for the choice of joints by which random
/// configurations come out best, as parameters of the family; none where all of them fail: where
/// axes intersect or are parallel, the polynomial of some is zero, or has zeros in pairs.
std::optional<std::vector<double>> bestElimination(const JointAxes& axes);

}  // namespace generative_ik::recognition
