/// What the parameters of all families begin with, and what a kernel makes of it.
#pragma once

#include <cstddef>

#include "subproblems.hpp"

namespace generative_ik::closed_form {

/// Vectors one after the other: (mirrored, 1 / arm's length, error), the tip's frame at zero in
/// four vectors, the six axes, then what a family adds. Lengths are shares of the arm's length.
class Parameters {
 public:
  /// Where what a family adds begins, in vectors.
  static constexpr int kOwn = 11;

  GENERATIVE_IK_INLINE explicit Parameters(const double* numbers) : numbers_(numbers) {}

  /// Whether the arm is solved from its tip to its base.
  [[nodiscard]] GENERATIVE_IK_INLINE bool mirrored() const { return numbers_[0] != 0.0; }
  [[nodiscard]] GENERATIVE_IK_INLINE double perLength() const { return numbers_[1]; }
  /// How far what is computed of the arm is expected to be off.
  [[nodiscard]] GENERATIVE_IK_INLINE double error() const { return numbers_[2]; }
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> axis(int joint) const {
    return vector(kAxes + joint);
  }
  /// Vector `index` of what the family adds.
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> own(int index) const {
    return vector(kOwn + index);
  }
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<double> vector(std::ptrdiff_t index) const {
    return {numbers_[3 * index], numbers_[3 * index + 1], numbers_[3 * index + 2]};
  }
  [[nodiscard]] GENERATIVE_IK_INLINE const double* numbers() const { return numbers_; }

 private:
  static constexpr int kAxes = 5;

  const double* numbers_;
};

struct Motion {
  Rotation rotation;
  Vector3<double> shift;
};

/// The motion that the six joints make together: it takes the tip at zero to the target. Of a
/// mirrored arm it is the opposite motion.
GENERATIVE_IK_INLINE Motion carriedTo(const double* tip_pose, const Parameters& parameters) {
  const double* p = tip_pose;
  const Rotation tip = {{p[0], p[1], p[2]}, {p[4], p[5], p[6]}, {p[8], p[9], p[10]}};
  const Rotation rows = {parameters.vector(1), parameters.vector(2), parameters.vector(3)};
  const Rotation rotation = {rows * tip.x, rows * tip.y, rows * tip.z};
  const Vector3<double> place = parameters.perLength() * Vector3<double>{p[3], p[7], p[11]};
  const Vector3<double> shift = place - rotation * parameters.vector(4);
  if (!parameters.mirrored()) {
    return {rotation, shift};
  }
  const Rotation back = transposed(rotation);
  return {back, -(back * shift)};
}

}  // namespace generative_ik::closed_form
