/// Forward kinematics by Rodrigues' formula, on a chain as it was read.
///
/// It shares no code with the local solver, which uses quaternions on a chain with its axes turned
/// to z, and polynomials for the sine and the cosine; so it can verify the solver's results.
#pragma once

#include <cmath>
#include <cstdint>

#include "../simd/lanes.hpp"

namespace generative_ik::verify {

/// A chain whose joints' matrices are linear in the sine of the position and in its versine, one
/// minus the cosine. Matrices are given row by row.
struct RodriguesChain {
  std::int64_t num_joints;
  const double* rotations;        ///< (joints, 3, 3) joint's frame in the one before, at zero.
  const double* sine_part;        ///< (joints, 3, 3) what the sine adds.
  const double* versine_part;     ///< (joints, 3, 3) what the versine adds.
  const double* shifts;           ///< (joints, 3) origin of the joint's frame [m].
  const double* axes;             ///< (joints, 3) the joint's axis in the frame before.
  const std::int64_t* prismatic;  ///< (joints) 1 or 0.
  const std::int64_t* variable;   ///< (joints) that drives the joint.
  const double* multiplier;       ///< (joints) joint position per variable.
  const double* offset;           ///< (joints) joint position where the variable is 0.
  const double* tip;              ///< (4, 4) tip in the last joint's frame.
};

/// Three numbers: a row or a column of a matrix, or a point.
template <class Number>
struct Triple {
  Number x, y, z;
};

template <class A, class B>
GENERATIVE_IK_INLINE auto dot(const Triple<A>& a, const Triple<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// A frame in the base: the rows of its rotation, and its origin [m].
template <class Number>
struct Placement {
  Triple<Number> row[3];  // NOLINT(*-avoid-c-arrays)
  Triple<Number> origin;
};

template <class Number>
GENERATIVE_IK_INLINE Placement<Number> baseFrame() {
  const Number zero = 0.0;
  const Number one = 1.0;
  return {{{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}, {zero, zero, zero}};
}

/// What a joint's position makes of its frame: how far it slides [m], sine and versine.
template <class Number>
struct JointMotion {
  Number slide, sine, versine;
};

GENERATIVE_IK_INLINE JointMotion<double> motionOf(bool prismatic, double position) {
  if (prismatic) {
    return {position, 0.0, 0.0};
  }
  return {0.0, std::sin(position), 1.0 - std::cos(position)};
}

/// Column k of a joint's matrix.
template <class Number>
GENERATIVE_IK_INLINE Triple<Number> jointColumn(const RodriguesChain& chain, std::int64_t joint,
                                                int k, const JointMotion<Number>& motion) {
  const double* rotation = chain.rotations + 9 * joint + k;
  const double* sine = chain.sine_part + 9 * joint + k;
  const double* versine = chain.versine_part + 9 * joint + k;
  return {rotation[0] + motion.sine * sine[0] + motion.versine * versine[0],
          rotation[3] + motion.sine * sine[3] + motion.versine * versine[3],
          rotation[6] + motion.sine * sine[6] + motion.versine * versine[6]};
}

/// Moves a frame on by a joint.
template <class Number>
GENERATIVE_IK_INLINE void moveJoint(const RodriguesChain& chain, std::int64_t joint,
                                    const JointMotion<Number>& motion, Placement<Number>& frame) {
  const double* shift = chain.shifts + 3 * joint;
  const double* axis = chain.axes + 3 * joint;
  const Triple<Number> by = {shift[0] + motion.slide * axis[0], shift[1] + motion.slide * axis[1],
                             shift[2] + motion.slide * axis[2]};
  const Triple<Number> x = jointColumn(chain, joint, 0, motion);
  const Triple<Number> y = jointColumn(chain, joint, 1, motion);
  const Triple<Number> z = jointColumn(chain, joint, 2, motion);
  frame.origin = {frame.origin.x + dot(frame.row[0], by), frame.origin.y + dot(frame.row[1], by),
                  frame.origin.z + dot(frame.row[2], by)};
  for (Triple<Number>& row : frame.row) {
    row = {dot(row, x), dot(row, y), dot(row, z)};
  }
}

/// Moves a frame on by a fixed pose (4, 4).
template <class Number>
GENERATIVE_IK_INLINE void moveBy(const double* pose, Placement<Number>& frame) {
  const Triple<double> x = {pose[0], pose[4], pose[8]};
  const Triple<double> y = {pose[1], pose[5], pose[9]};
  const Triple<double> z = {pose[2], pose[6], pose[10]};
  const Triple<double> by = {pose[3], pose[7], pose[11]};
  frame.origin = {frame.origin.x + dot(frame.row[0], by), frame.origin.y + dot(frame.row[1], by),
                  frame.origin.z + dot(frame.row[2], by)};
  for (Triple<Number>& row : frame.row) {
    row = {dot(row, x), dot(row, y), dot(row, z)};
  }
}

/// Places the tip for one configuration (variables) [rad or m].
inline Placement<double> placeTip(const RodriguesChain& chain, const double* q) {
  Placement<double> frame = baseFrame<double>();
  for (std::int64_t j = 0; j < chain.num_joints; ++j) {
    const double position = chain.multiplier[j] * q[chain.variable[j]] + chain.offset[j];
    moveJoint(chain, j, motionOf(chain.prismatic[j] != 0, position), frame);
  }
  moveBy(chain.tip, frame);
  return frame;
}

}  // namespace generative_ik::verify
