/// The outer joints in closed form (learned/ikflow/closing.py), of seeds side by side.
#pragma once

#include "../simd/float_math.hpp"
#include "../simd/vector3.hpp"
#include "spline_flow.hpp"

namespace generative_ik::learned {

/// A vector turned about the z axis.
template <class Floats>
GENERATIVE_IK_INLINE simd::Vector3<Floats> turnedAboutZ(const Floats& cosine, const Floats& sine,
                                                        const simd::Vector3<Floats>& v) {
  return {cosine * v.x - sine * v.y, sine * v.x + cosine * v.y, v.z};
}

/// A vector in the frame before, of which a frame is the first three rows.
template <class Floats>
GENERATIVE_IK_INLINE simd::Vector3<Floats> rotated(const float* frame,
                                                   const simd::Vector3<Floats>& v) {
  return {frame[0] * v.x + frame[1] * v.y + frame[2] * v.z,
          frame[4] * v.x + frame[5] * v.y + frame[6] * v.z,
          frame[8] * v.x + frame[9] * v.y + frame[10] * v.z};
}

template <class Floats>
GENERATIVE_IK_INLINE simd::Vector3<Floats> everywhere(const float* v) {
  return {v[0], v[1], v[2]};
}

template <class Floats>
struct CarriedFrame {
  simd::Vector3<Floats> position, x, y;
};

/// The last frame before the last joint turns it, in the first joint's frame before that turns it.
template <class Seeds, class Floats = typename Seeds::Floats>
GENERATIVE_IK_INLINE CarriedFrame<Floats> carriedFrame(const Seeds& seeds, const OuterJoints& ends,
                                                       const float* coordinates) {
  CarriedFrame<Floats> frame = {everywhere<Floats>(ends.start), everywhere<Floats>(ends.start + 3),
                                everywhere<Floats>(ends.start + 6)};
  for (std::int64_t i = 0; i < ends.steps; ++i) {
    const Floats coordinate = Floats::load(coordinates + ends.columns[i] * seeds.stride);
    const Floats moved = ends.values[2 * i] + ends.values[2 * i + 1] * coordinate;
    if (ends.prismatic[i]) {
      frame.position.z = frame.position.z + moved;
    } else {
      const Floats angle = simd::halfTurnNearest(moved);
      const Floats sine = simd::sineOf(angle);
      const Floats cosine = simd::cosineOf(angle);
      frame.position = turnedAboutZ(cosine, sine, frame.position);
      frame.x = turnedAboutZ(cosine, sine, frame.x);
      frame.y = turnedAboutZ(cosine, sine, frame.y);
    }
    const float* before = ends.frames + 12 * i;
    const simd::Vector3<Floats> origin = {before[3], before[7], before[11]};
    frame = {origin + rotated(before, frame.position), rotated(before, frame.x),
             rotated(before, frame.y)};
  }
  return frame;
}

/// Writes the positions of the outer joints that follow, a row each, for a register of seeds.
///
/// Args: coordinates: of the flow, in [0, 1], a row each. pose: (4, 4).
template <class Seeds>
GENERATIVE_IK_INLINE void closeEnds(const Seeds& seeds, const OuterJoints& ends,
                                    const float* coordinates, const double* pose, float* closed) {
  using Floats = typename Seeds::Floats;
  constexpr float kTiny = 1e-24F;
  const auto wanted = [pose](int row, int column) {
    return static_cast<float>(pose[4 * row + column]);
  };
  auto [p, x, y] = carriedFrame(seeds, ends, coordinates);
  if (ends.first) {
    const Floats across = wanted(1, 3) * p.x - wanted(0, 3) * p.y;
    const Floats along = wanted(0, 3) * p.x + wanted(1, 3) * p.y;
    (ends.outer[0] + ends.outer[1] * simd::arcTangent(across, along)).store(closed);
    const Floats scale =
        1.0F / simd::squareRoot(larger(across * across + along * along, Floats(kTiny)));
    x = turnedAboutZ(along * scale, across * scale, x);
    y = turnedAboutZ(along * scale, across * scale, y);
  }
  if (ends.last) {
    const simd::Vector3<float> a = {wanted(0, 0), wanted(1, 0), wanted(2, 0)};
    const simd::Vector3<float> b = {wanted(0, 1), wanted(1, 1), wanted(2, 1)};
    const Floats same = dot(a, x) + dot(b, y);
    const Floats across = dot(a, y) - dot(b, x);
    (ends.outer[2] + ends.outer[3] * simd::arcTangent(across, same)).store(closed + seeds.stride);
  }
}

}  // namespace generative_ik::learned
