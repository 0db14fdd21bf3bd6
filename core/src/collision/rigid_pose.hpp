/// Rotations and positions of frames, as collision checks multiply them.
#pragma once

#include "../simd/vector3.hpp"

namespace generative_ik::collision {

using simd::Rotation;
using Point = simd::Vector3<double>;

/// A frame in another one: twelve numbers, the rotation row by row, then the position [m].
struct RigidPose {
  Rotation r;
  Point p;
};

/// A point of a frame in the frame outside of it.
template <class Number>
GENERATIVE_IK_INLINE simd::Vector3<Number> moved(const RigidPose& frame,
                                                 const simd::Vector3<Number>& point) {
  return frame.r * point + frame.p;
}

/// The inverse of rotation a times rotation b.
GENERATIVE_IK_INLINE Rotation turnedBack(const Rotation& a, const Rotation& b) {
  return {a.x.x * b.x + a.y.x * b.y + a.z.x * b.z, a.x.y * b.x + a.y.y * b.y + a.z.y * b.z,
          a.x.z * b.x + a.y.z * b.y + a.z.z * b.z};
}

/// Frame b in frame a.
GENERATIVE_IK_INLINE RigidPose seenFrom(const RigidPose& a, const RigidPose& b) {
  return {turnedBack(a.r, b.r), transposed(a.r) * (b.p - a.p)};
}

GENERATIVE_IK_INLINE RigidPose inverted(const RigidPose& frame) {
  const Rotation back = transposed(frame.r);
  return {back, -(back * frame.p)};
}

}  // namespace generative_ik::collision
