/// The local solver's iteration as a thread of a GPU sees it: one seed, with all of its numbers in
/// registers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../src/local_solver/damped_step.hpp"
#include "search_task.hpp"

namespace generative_ik::cuda {

/// Reads and writes the one number of a row.
template <class Number>
class ThreadView {
 public:
  GENERATIVE_IK_INLINE explicit ThreadView(int /*first*/) {}

  [[nodiscard]] GENERATIVE_IK_INLINE Number load(const Number* row) const { return *row; }
  GENERATIVE_IK_INLINE void store(Number* row, const Number& value) const { *row = value; }

  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<Number> vector(const Number* rows) const {
    return {rows[0], rows[1], rows[2]};
  }
  GENERATIVE_IK_INLINE void store(Number* rows, const Vector3<Number>& vector) const {
    rows[0] = vector.x;
    rows[1] = vector.y;
    rows[2] = vector.z;
  }
  /// Position and quaternion: seven rows.
  [[nodiscard]] GENERATIVE_IK_INLINE Frame<Number> frame(const Number* rows) const {
    return {{rows[0], rows[1], rows[2]}, {rows[3], rows[4], rows[5], rows[6]}};
  }
};

/// A `Layout` of `DampedStep` for chains of exactly `kJoints` joints, each driven by a variable of
/// its own, so that loops are unrolled and no number needs an address; 0: for all chains, whose
/// numbers are then in the thread's memory.
template <class Number, int kJoints>
struct InThread {
  using Scalar = Number;
  using Row = Number;
  using View = ThreadView<Number>;

  static constexpr int kRoom = kJoints > 0 ? kJoints : kMostJoints;

  GENERATIVE_IK_INLINE static auto joints(const StepChain<Number>& chain) {
    if constexpr (kJoints > 0) {
      return std::integral_constant<int, kJoints>();
    } else {
      return chain.num_joints;
    }
  }
  GENERATIVE_IK_INLINE static auto variables(const StepChain<Number>& chain) {
    if constexpr (kJoints > 0) {
      return std::integral_constant<int, kJoints>();
    } else {
      return chain.num_variables;
    }
  }
  template <class Index>
  GENERATIVE_IK_INLINE static auto variable(const StepChain<Number>& chain, Index joint) {
    if constexpr (kJoints > 0) {
      return joint;
    } else {
      return chain.variable[joint];
    }
  }
};

// NOLINTBEGIN(*-avoid-c-arrays): threads have no other
/// The rows of a thread.
template <class Number, int kJoints>
struct ThreadMemory {
  static constexpr int kRoom = InThread<Number, kJoints>::kRoom;

  Number q[kRoom];
  Number moving = Number(1.0);
  Number damping;
  Number stretch = Number(1.0);
  Number position_error;
  Number orientation_error;
  Number target[kPoseNumbers];
  Number axes[6 * kRoom];
  Number jacobian[6 * kRoom];
  Number tip[3];
  Number error[6];

  GENERATIVE_IK_INLINE explicit ThreadMemory(const Number& with_damping) : damping(with_damping) {}

  [[nodiscard]] GENERATIVE_IK_INLINE StepRows<Number> rows() {
    return {{q, &moving, &damping, &stretch, &position_error, &orientation_error},
            target,
            axes,
            jacobian,
            tip,
            error};
  }
};
// NOLINTEND(*-avoid-c-arrays)

}  // namespace generative_ik::cuda
