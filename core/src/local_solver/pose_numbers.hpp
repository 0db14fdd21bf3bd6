/// A pose as the local solvers take it: position and unit quaternion.
#pragma once

#include <cmath>

#include "../simd/lanes.hpp"

namespace generative_ik {

/// Writes the seven numbers of a pose (4, 4) that is given row by row: x y z [m], quaternion x y z
/// w (S. W. Shepperd, Quaternion from rotation matrix, J. Guidance and Control 1(3), 1978: the
/// largest component is taken from the diagonal, and the others are divided by it).
template <class Scalar>
GENERATIVE_IK_DEVICE inline void poseNumbers(const double* pose, Scalar* numbers) {
  const auto at = [pose](int row, int column) { return pose[4 * row + column]; };
  const double xx = at(0, 0);
  const double yy = at(1, 1);
  const double zz = at(2, 2);
  const double trace = xx + yy + zz;
  double q[4];  // NOLINT(*-avoid-c-arrays,*-member-init)
  if (trace >= xx && trace >= yy && trace >= zz) {
    q[0] = at(2, 1) - at(1, 2);
    q[1] = at(0, 2) - at(2, 0);
    q[2] = at(1, 0) - at(0, 1);
    q[3] = 1.0 + trace;
  } else if (xx >= yy && xx >= zz) {
    q[0] = 1.0 + xx - yy - zz;
    q[1] = at(0, 1) + at(1, 0);
    q[2] = at(0, 2) + at(2, 0);
    q[3] = at(2, 1) - at(1, 2);
  } else if (yy >= zz) {
    q[0] = at(0, 1) + at(1, 0);
    q[1] = 1.0 + yy - xx - zz;
    q[2] = at(1, 2) + at(2, 1);
    q[3] = at(0, 2) - at(2, 0);
  } else {
    q[0] = at(0, 2) + at(2, 0);
    q[1] = at(1, 2) + at(2, 1);
    q[2] = 1.0 + zz - xx - yy;
    q[3] = at(1, 0) - at(0, 1);
  }
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 3; ++k) {
    numbers[k] = static_cast<Scalar>(at(k, 3));
  }
  for (int k = 0; k < 4; ++k) {
    numbers[3 + k] = static_cast<Scalar>(q[k] / length);
  }
}

}  // namespace generative_ik
