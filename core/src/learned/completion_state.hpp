/// Where the numbers of seeds are while their arms are completed: rows, one number a seed.
#pragma once

#include "../simd/float_math.hpp"
#include "../simd/vector3.hpp"
#include "arm_completion.hpp"

namespace generative_ik::learned {

/// Rows of the state: the origin of frame j, its axes row by row, the axes z, x and y of joint j,
/// and its displacement from the middle of its range.
enum StateRow : int { kOrigin = 0, kFrame = 3, kZ = 12, kX = 15, kY = 18, kDisplacement = 21 };
inline constexpr int kStateRows = 22;

/// Rows of what is chosen from a mixture: mean [rad], the output that describes the concentration,
/// and the quantile that is left of the uniform number.
enum ChosenRow : int { kMean = 0, kLevel = 1, kQuantile = 2 };
inline constexpr int kChosenRows = 3;

/// Rows of the goal's features: its origin, the distance of that, its z, and cosine and sine of
/// the angle from the direction to the goal to the middle of the joint's range.
enum FeatureRow : int { kAway = 0, kDistance = 3, kGoalZ = 4, kCosine = 7, kSine = 8 };

template <class Seeds>
GENERATIVE_IK_INLINE simd::Vector3<typename Seeds::Floats> loadVector(const Seeds& seeds,
                                                                      const float* rows, int row) {
  using Floats = typename Seeds::Floats;
  return {Floats::load(rows + row * seeds.stride), Floats::load(rows + (row + 1) * seeds.stride),
          Floats::load(rows + (row + 2) * seeds.stride)};
}

template <class Seeds>
GENERATIVE_IK_INLINE void storeVector(const Seeds& seeds,
                                      const simd::Vector3<typename Seeds::Floats>& v, float* rows,
                                      int row) {
  v.x.store(rows + row * seeds.stride);
  v.y.store(rows + (row + 1) * seeds.stride);
  v.z.store(rows + (row + 2) * seeds.stride);
}

GENERATIVE_IK_INLINE simd::Vector3<float> vectorAt(const float* numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

}  // namespace generative_ik::learned
