/// The manipulability of configurations side by side, as a template over the number type.
#pragma once

#include <cstddef>
#include <vector>

#include "../simd/row_vectors.hpp"
#include "scores.hpp"

namespace generative_ik {

/// Joints that are placed, and the Jacobian of the tip (6, n) or, for few joints, its transpose.
template <class Number>
struct JacobianMemory {
  using Vector3 = simd::Vector3<Number>;

  Vector3* axes;     // (m) in the base
  Vector3* origins;  // (m) a point on each axis
  Number* jacobian;  // rows that span the volume, one after the other
  std::int64_t rows;
  std::int64_t size;  // numbers of a row

  bool transposed;

  static constexpr int kDirections = 6;

  /// The number in row `direction` of the Jacobian, and in the column of a variable.
  [[nodiscard]] GENERATIVE_IK_INLINE Number& at(int direction, std::int64_t variable) const {
    return transposed ? jacobian[variable * size + direction]
                      : jacobian[direction * size + variable];
  }
};

/// Adds a joint's motion of the tip to the column of its variable, from row `first` on.
template <class Number>
GENERATIVE_IK_INLINE void addMotion(const JacobianMemory<Number>& memory, std::int64_t variable,
                                    int first, const simd::Vector3<Number>& motion) {
  memory.at(first, variable) += motion.x;
  memory.at(first + 1, variable) += motion.y;
  memory.at(first + 2, variable) += motion.z;
}

/// Writes the geometric Jacobian of the tip; `value_of(v)` is what variable v is.
template <class Number, class Values>
GENERATIVE_IK_INLINE void writeJacobian(const verify::RodriguesChain& chain,
                                        const Values& value_of,
                                        const JacobianMemory<Number>& memory) {
  verify::Frame<Number> frame = verify::Frame<Number>::identity();
  for (std::int64_t j = 0; j < chain.num_joints; ++j) {
    memory.axes[j] = frame.turned(verify::axisOf(chain, j));
    verify::passJoint<Number>(chain, j, value_of(chain.variable[j]), frame);
    memory.origins[j] = frame.origin;
  }
  verify::passPose(chain.tip, frame);
  for (std::int64_t i = 0; i < memory.rows * memory.size; ++i) {
    memory.jacobian[i] = 0.0;
  }
  for (std::int64_t j = 0; j < chain.num_joints; ++j) {
    const simd::Vector3<Number> axis = chain.multiplier[j] * memory.axes[j];
    if (chain.prismatic[j] != 0) {
      addMotion(memory, chain.variable[j], 0, axis);
    } else {
      addMotion(memory, chain.variable[j], 0, cross(axis, frame.origin - memory.origins[j]));
      addMotion(memory, chain.variable[j], 3, axis);
    }
  }
}

/// The volume that rows span: the product of what each sticks out of those before it. Makes them
/// orthonormal.
template <class Number>
GENERATIVE_IK_INLINE Number volumeOf(Number* numbers, std::int64_t rows, std::int64_t size) {
  const Number zero = 0.0;
  Number volume = 1.0;
  for (std::int64_t r = 0; r < rows; ++r) {
    Number* row = numbers + r * size;
    // Twice, because near a singularity one pass leaves a share of the other rows.
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t s = 0; s < r; ++s) {
        simd::removeShare(row, numbers + s * size, size);
      }
    }
    using simd::select;
    const Number length = simd::squareRoot(simd::innerProduct(row, row, size));
    volume *= length;
    simd::multiply(row, select(zero < length, Number(1.0) / length, zero), size);
  }
  return volume;
}

template <class Number>
void manipulabilityOfRows(const verify::RodriguesChain& chain, const verify::PlacedRows& rows,
                          double* scores) {
  constexpr int kAtOnce = simd::kWidth<Number>;
  constexpr std::int64_t kDirections = JacobianMemory<Number>::kDirections;
  const auto joints = static_cast<std::size_t>(chain.num_joints);
  std::vector<simd::Vector3<Number>> placed(2 * joints);
  std::vector<Number> jacobian(static_cast<std::size_t>(kDirections * rows.size));
  const bool few = rows.size < kDirections;
  const JacobianMemory<Number> memory = {placed.data(),
                                         placed.data() + joints,
                                         jacobian.data(),
                                         few ? rows.size : kDirections,
                                         few ? kDirections : rows.size,
                                         few};
  for (std::int64_t first = 0; first < rows.count; first += kAtOnce) {
    // The last row fills the lanes behind it.
    const auto row_in = [&rows, first](int k) {
      return first + k < rows.count ? first + k : rows.count - 1;
    };
    writeJacobian<Number>(
        chain,
        [&](std::int64_t v) {
          return simd::lanesOf<Number>(
              [&](int k) { return rows.positions[row_in(k) * rows.size + v]; });
        },
        memory);
    const Number volume = volumeOf(memory.jacobian, memory.rows, memory.size);
    for (int k = 0; k < kAtOnce && first + k < rows.count; ++k) {
      scores[first + k] = simd::lane(volume, k);
    }
  }
}

}  // namespace generative_ik
