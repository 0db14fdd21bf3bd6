/// Independent forward kinematics: rotation matrices by Rodrigues' formula, on a chain as it was
/// read.
///
/// Results are verified by it before they leave the library. It shares nothing with the local
/// solver, which turns quaternions on a chain whose joint axes are z axes, and has series of its
/// own for sine and cosine.
#pragma once

#include <cmath>
#include <cstdint>

#include "../simd/masks.hpp"
#include "../simd/vector3.hpp"

namespace generative_ik::verify {

using simd::Vector3;

/// A chain of joints, each linear in what its sine and versine (one minus the cosine) add. The
/// numbers are the caller's, row by row.
struct RodriguesChain {
  std::int64_t num_joints;
  const double* rotations;        // (m, 3, 3) each joint's frame in the previous one, at zero
  const double* sine_part;        // (m, 3, 3)
  const double* versine_part;     // (m, 3, 3)
  const double* shifts;           // (m, 3) origin of the joint's frame [m]
  const double* axes;             // (m, 3) the joint's axis in the previous frame
  const std::int64_t* prismatic;  // (m)
  const std::int64_t* variable;   // (m) which variable drives the joint
  const double* multiplier;       // (m) joint position per variable
  const double* offset;           // (m) joint position where the variable is 0 [rad or m]
  const double* tip;              // (4, 4) tip in the last joint's frame
};

/// Distance [m] and angle [rad] of a tip from its target.
struct PoseGap {
  double distance;
  double angle;
};

/// A frame: the rows of its rotation, and its origin [m].
template <class Number>
struct Frame {
  Vector3<Number> rows[3];  // NOLINT(*-avoid-c-arrays)
  Vector3<Number> origin;

  GENERATIVE_IK_INLINE static Frame identity() {
    const Number zero = 0.0;
    const Number one = 1.0;
    return {{{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}, {zero, zero, zero}};
  }

  /// Turns a vector that is given in the frame.
  template <class Other>
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<Number> turned(const Vector3<Other>& vector) const {
    return {dot(rows[0], vector), dot(rows[1], vector), dot(rows[2], vector)};
  }

  /// Turns the frame by a rotation, given by its columns.
  template <class Other>
  GENERATIVE_IK_INLINE void turnBy(const Vector3<Other>& x, const Vector3<Other>& y,
                                   const Vector3<Other>& z) {
    for (Vector3<Number>& row : rows) {
      row = {dot(row, x), dot(row, y), dot(row, z)};
    }
  }
};

/// Sine and versine of an angle [rad]: Taylor's series of an eighth of it, doubled three times.
template <class Number>
GENERATIVE_IK_INLINE void sineAndVersine(const Number& angle, Number& sine, Number& versine) {
  constexpr double kTurn = 6.283185307179586;
  constexpr double kTurnRest = 2.4492935982947064e-16;
  // Adding and subtracting it rounds to an integer.
  constexpr double kRounder = 6755399441055744.0;
  // NOLINTBEGIN(*-avoid-c-arrays)
  constexpr double kSine[] = {
      -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0,
      -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0,        1.0};
  constexpr double kVersine[] = {
      -1.0 / 20922789888000.0, 1.0 / 87178291200.0, -1.0 / 479001600.0, 1.0 / 3628800.0,
      -1.0 / 40320.0,          1.0 / 720.0,         -1.0 / 24.0,        1.0 / 2.0};
  // NOLINTEND(*-avoid-c-arrays)
  const Number turns = (angle * Number(1.0 / kTurn) + Number(kRounder)) - Number(kRounder);
  const Number x = ((angle - turns * Number(kTurn)) - turns * Number(kTurnRest)) * Number(0.125);
  const Number square = x * x;
  sine = Number(kSine[0]);
  versine = Number(kVersine[0]);
  for (int k = 1; k < 8; ++k) {
    sine = sine * square + Number(kSine[k]);
    versine = versine * square + Number(kVersine[k]);
  }
  sine = sine * x;
  versine = versine * square;
  for (int doubled = 0; doubled < 3; ++doubled) {
    const Number sine_squared = sine * sine;
    sine = Number(2.0) * sine * (Number(1.0) - versine);
    versine = Number(2.0) * sine_squared;
  }
}

/// Column k of a joint's rotation.
template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> jointColumn(const RodriguesChain& chain, std::int64_t joint,
                                                 int k, const Number& sine,
                                                 const Number& versine) {
  const std::int64_t at = 9 * joint + k;
  const auto element = [&](std::int64_t i) {
    return Number(chain.rotations[i]) + sine * Number(chain.sine_part[i]) +
           versine * Number(chain.versine_part[i]);
  };
  return {element(at), element(at + 3), element(at + 6)};
}

/// A joint's axis in the previous frame.
GENERATIVE_IK_INLINE Vector3<double> axisOf(const RodriguesChain& chain, std::int64_t joint) {
  const double* axis = chain.axes + 3 * joint;
  return {axis[0], axis[1], axis[2]};
}

/// Moves a frame on by a joint; `value` is that of the variable that drives it.
template <class Number>
GENERATIVE_IK_INLINE void passJoint(const RodriguesChain& chain, std::int64_t joint,
                                    const Number& value, Frame<Number>& frame) {
  const Number position = value * Number(chain.multiplier[joint]) + Number(chain.offset[joint]);
  const double* shift = chain.shifts + 3 * joint;
  if (chain.prismatic[joint] != 0) {
    const Vector3<double> axis = axisOf(chain, joint);
    const Vector3<Number> shifted = {Number(shift[0]) + position * Number(axis.x),
                                     Number(shift[1]) + position * Number(axis.y),
                                     Number(shift[2]) + position * Number(axis.z)};
    frame.origin = frame.origin + frame.turned(shifted);
    const Number zero = 0.0;
    frame.turnBy(jointColumn(chain, joint, 0, zero, zero),
                 jointColumn(chain, joint, 1, zero, zero),
                 jointColumn(chain, joint, 2, zero, zero));
    return;
  }
  frame.origin = frame.origin + frame.turned(Vector3<Number>{shift[0], shift[1], shift[2]});
  Number sine = 0.0;
  Number versine = 0.0;
  sineAndVersine(position, sine, versine);
  frame.turnBy(jointColumn(chain, joint, 0, sine, versine),
               jointColumn(chain, joint, 1, sine, versine),
               jointColumn(chain, joint, 2, sine, versine));
}

/// Moves a frame on by a pose (4, 4) that is given in it; `element(i, j)` is a double or lanes.
template <class Number, class Element>
GENERATIVE_IK_INLINE void passPose(const Element& element, Frame<Number>& frame) {
  const auto column = [&element](int j) {
    return Vector3<Number>{element(0, j), element(1, j), element(2, j)};
  };
  frame.origin = frame.origin + frame.turned(column(3));
  frame.turnBy(column(0), column(1), column(2));
}

/// Likewise by sixteen numbers, row by row.
template <class Number>
GENERATIVE_IK_INLINE void passPose(const double* pose, Frame<Number>& frame) {
  passPose([pose](int i, int j) { return Number(pose[4 * i + j]); }, frame);
}

/// The tip in the base; `value_of(v)` is what variable v is.
template <class Number, class Values>
GENERATIVE_IK_INLINE Frame<Number> placeTip(const RodriguesChain& chain, const Values& value_of) {
  Frame<Number> frame = Frame<Number>::identity();
  for (std::int64_t j = 0; j < chain.num_joints; ++j) {
    passJoint<Number>(chain, j, value_of(chain.variable[j]), frame);
  }
  passPose(chain.tip, frame);
  return frame;
}

/// The squared distance of a tip from a target, and its rotation's in the Frobenius norm;
/// `target_of(i, j)` is an element of the (3, 4) target, a double or lanes.
template <class Number, class Target>
GENERATIVE_IK_INLINE void squaredGaps(const Frame<Number>& tip, const Target& target_of,
                                      Number& distance, Number& chord) {
  distance = Number(0.0);
  chord = Number(0.0);
  const Vector3<Number>& p = tip.origin;
  const Number places[] = {p.x, p.y, p.z};  // NOLINT(*-avoid-c-arrays)
  for (int i = 0; i < 3; ++i) {
    const Vector3<Number>& row = tip.rows[i];
    const Number gap = places[i] - Number(target_of(i, 3));
    const Number x = row.x - Number(target_of(i, 0));
    const Number y = row.y - Number(target_of(i, 1));
    const Number z = row.z - Number(target_of(i, 2));
    distance = distance + gap * gap;
    chord = chord + (x * x + y * y + z * z);
  }
}

/// Distance and angle, from what `squaredGaps` computes.
GENERATIVE_IK_INLINE PoseGap gapOfSquares(double distance, double chord) {
  // Rotations that differ by an angle differ by sqrt(8) sin(angle / 2) in the Frobenius norm.
  const double sine = std::sqrt(chord / 8.0);
  return {std::sqrt(distance), 2.0 * std::asin(sine < 1.0 ? sine : 1.0)};
}

/// Measures one configuration (n) against a (4, 4) target.
GENERATIVE_IK_INLINE PoseGap gapOf(const RodriguesChain& chain, const double* q,
                                   const double* target) {
  const Frame<double> tip = placeTip<double>(chain, [q](std::int64_t v) { return q[v]; });
  double distance = 0.0;
  double chord = 0.0;
  squaredGaps(
      tip, [target](int i, int j) { return target[4 * i + j]; }, distance, chord);
  return gapOfSquares(distance, chord);
}

}  // namespace generative_ik::verify
