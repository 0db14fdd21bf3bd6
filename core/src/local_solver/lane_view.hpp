/// Rows of eight numbers as a number type sees them.
#pragma once

#include "../simd/quaternion.hpp"
#include "options.hpp"

namespace generative_ik {

/// Reads and writes as many lanes of a row as a `Number` holds, and rows one after the other.
template <class Number>
class LaneView {
 public:
  /// Args: first: the first lane that is read and written.
  GENERATIVE_IK_INLINE explicit LaneView(int first) : first_(first) {}

  [[nodiscard]] GENERATIVE_IK_INLINE Number load(const LaneRow* row) const {
    return simd::load<Number>(row->lane + first_);
  }
  GENERATIVE_IK_INLINE void store(LaneRow* row, const Number& value) const {
    simd::store(row->lane + first_, value);
  }

  [[nodiscard]] GENERATIVE_IK_INLINE simd::Vector3<Number> vector(const LaneRow* rows) const {
    return {load(rows), load(rows + 1), load(rows + 2)};
  }
  GENERATIVE_IK_INLINE void store(LaneRow* rows, const simd::Vector3<Number>& vector) const {
    store(rows, vector.x);
    store(rows + 1, vector.y);
    store(rows + 2, vector.z);
  }

  /// Position and quaternion: seven rows.
  [[nodiscard]] GENERATIVE_IK_INLINE simd::Frame<Number> frame(const LaneRow* rows) const {
    return {vector(rows), {load(rows + 3), load(rows + 4), load(rows + 5), load(rows + 6)}};
  }
  GENERATIVE_IK_INLINE void store(LaneRow* rows, const simd::Frame<Number>& frame) const {
    store(rows, frame.p);
    store(rows + 3, frame.q.x);
    store(rows + 4, frame.q.y);
    store(rows + 5, frame.q.z);
    store(rows + 6, frame.q.w);
  }

 private:
  int first_;
};

}  // namespace generative_ik
