/// What networks take of a pose (learned/ikflow/pose_features.py).
#pragma once

#include <cmath>
#include <cstdint>

#include "../simd/constants.hpp"
#include "../simd/lanes.hpp"

namespace generative_ik::learned {

/// The numbers of a pose from which a network's inputs are taken: as many for its inverse.
inline constexpr int kPoseNumbers = 2 * 19;

/// The inputs of a network.
struct PoseInputs {
  double scale;                 // length that positions are divided by [m]
  const std::int64_t* columns;  // (count) of the pose's numbers
  std::int64_t count;
};

/// Writes one side's half of a pose's numbers: position, z and x of the frame, and the same by
/// what the outer joints change and what not.
GENERATIVE_IK_DEVICE inline void writeSide(const double* position, const double* z,
                                           const double* x, double* numbers) {
  constexpr double kSmall = 1e-12;
  const double radius = std::sqrt(position[0] * position[0] + position[1] * position[1] + kSmall);
  const double cosine = position[0] / radius;
  const double sine = position[1] / radius;
  for (int i = 0; i < 3; ++i) {
    numbers[i] = position[i];
    numbers[3 + i] = z[i];
    numbers[6 + i] = x[i];
  }
  double* out = numbers + 9;
  for (const double number : {radius, cosine, sine, std::atan2(position[1], position[0]) / kPi}) {
    *out++ = number;
  }
  for (const double* axis : {z, x}) {
    *out++ = cosine * axis[0] + sine * axis[1];
    *out++ = cosine * axis[1] - sine * axis[0];
    *out++ = axis[2];
  }
}

/// Writes the inputs of a network for a pose (4, 4).
GENERATIVE_IK_DEVICE inline void writePoseInputs(const PoseInputs& inputs, const double* pose,
                                                 float* out) {
  // NOLINTBEGIN(*-avoid-c-arrays)
  const auto at = [pose](int row, int column) { return pose[4 * row + column]; };
  const double position[3] = {at(0, 3) / inputs.scale, at(1, 3) / inputs.scale,
                              at(2, 3) / inputs.scale};
  double back[3];
  for (int i = 0; i < 3; ++i) {
    back[i] = -(at(0, i) * position[0] + at(1, i) * position[1] + at(2, i) * position[2]);
  }
  const double z[3] = {at(0, 2), at(1, 2), at(2, 2)};
  const double x[3] = {at(0, 0), at(1, 0), at(2, 0)};
  const double z_back[3] = {at(2, 0), at(2, 1), at(2, 2)};
  const double x_back[3] = {at(0, 0), at(0, 1), at(0, 2)};
  double numbers[kPoseNumbers];
  // NOLINTEND(*-avoid-c-arrays)
  writeSide(position, z, x, numbers);
  writeSide(back, z_back, x_back, numbers + kPoseNumbers / 2);
  for (std::int64_t i = 0; i < inputs.count; ++i) {
    out[i] = static_cast<float>(numbers[inputs.columns[i]]);
  }
}

}  // namespace generative_ik::learned
