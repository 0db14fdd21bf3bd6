/// Joints that known distances decide (learned/ggik/autoregressive/known_distances.py): a sampled
/// angle goes to the nearest one that keeps them.
#pragma once

#include <cmath>

#include "../simd/constants.hpp"
#include "completion_state.hpp"

namespace generative_ik::learned {

/// The first of the numbers of a basis that have two signs.
inline constexpr int kSigned = 12;

GENERATIVE_IK_INLINE double withinHalfTurn(double angle) {
  return angle - kTurn * __builtin_floor(angle / kTurn + 0.5);
}

/// Writes the numbers (kBasis) of the goal's axis as seen from a joint.
template <class Seeds>
GENERATIVE_IK_INLINE void writeBasis(const Seeds& seeds, const float* features, int lane,
                                     double* numbers) {
  const auto at = [&seeds, features, lane](int row) {
    return static_cast<double>(features[row * seeds.stride + lane]);
  };
  const simd::Vector3<double> away = {at(kAway), at(kAway + 1), at(kAway + 2)};
  const simd::Vector3<double> z = {at(kGoalZ), at(kGoalZ + 1), at(kGoalZ + 2)};
  const simd::Vector3<double> moment = cross(away, z);
  const double flat = std::sqrt(z.x * z.x + z.y * z.y);
  const double u = z.x / (flat > 1e-9 ? flat : 1e-9);
  const double v = z.y / (flat > 1e-9 ? flat : 1e-9);
  // NOLINTNEXTLINE(*-avoid-c-arrays)
  const double all[kBasis] = {1.0,
                              dot(away, away),
                              dot(away, z),
                              away.x,
                              away.y,
                              away.z,
                              z.x,
                              z.y,
                              z.z,
                              moment.x,
                              moment.y,
                              moment.z,
                              u,
                              v,
                              u * away.y - v * away.x,
                              u * away.x + v * away.y};
  for (int i = 0; i < kBasis; ++i) {
    numbers[i] = all[i];
  }
}

/// Where the common line of conditions meets the unit circle of a joint's angle, or comes nearest
/// to it: its distance from the centre in direction `way` [rad], and how far along it two points
/// are. A condition f + g cos a + h sin a = 0 is a line in the plane of (cos a, sin a).
struct CommonLine {
  bool exists;
  double way, distance, one, other;
};

GENERATIVE_IK_INLINE CommonLine commonLine(const double* conditions, std::int64_t count,
                                           const double* numbers) {
  constexpr double kAgreeing = 1e-3;  // less independent ones than this (squared) leave two points
  constexpr double kLeast = 1e-6;     // a joint that moves them less than this (squared) stays
  double a = 0.0;
  double b = 0.0;
  double c = 0.0;
  double by_x = 0.0;
  double by_y = 0.0;
  for (std::int64_t r = 0; r < count; ++r) {
    const double* condition = conditions + 3 * kBasis * r;
    double total = 0.0;
    double cosine = 0.0;
    double sine = 0.0;
    for (int i = 0; i < kBasis; ++i) {
      total += condition[i] * numbers[i];
      cosine += condition[kBasis + i] * numbers[i];
      sine += condition[2 * kBasis + i] * numbers[i];
    }
    a += cosine * cosine;
    b += sine * sine;
    c += cosine * sine;
    by_x -= cosine * total;
    by_y -= sine * total;
  }
  const double spread = std::sqrt((a - b) * (a - b) + 4.0 * c * c);
  const double most = 0.5 * (a + b + spread);
  const double least = simd::larger(0.5 * (a + b - spread), 0.0);
  if (!(most > kLeast)) {
    return {};
  }
  const double way = 0.5 * std::atan2(2.0 * c, a - b);
  const double x = std::cos(way);
  const double y = std::sin(way);
  const double distance = simd::clamp((x * by_x + y * by_y) / most, -1.0, 1.0);
  const double chord = std::sqrt(1.0 - distance * distance);
  if (least <= kAgreeing * most) {
    return {true, way, distance, chord, -chord};
  }
  const double agreed = (x * by_y - y * by_x) / simd::larger(least, 1e-12);
  // Errors of the conditions count less on the circle than where lines meet at a small angle.
  const double along = chord * chord * most > least ? std::copysign(chord, agreed) : agreed;
  return {true, way, distance, along, along};
}

/// The angle that meets a joint's conditions, nearest to the sampled one [rad].
template <class Seeds>
GENERATIVE_IK_INLINE double nearestKnown(const Seeds& seeds, const KnownDistances& known,
                                         std::int64_t joint, const float* features, int lane,
                                         double half_range, double sampled) {
  constexpr double kOutside = 10.0;  // cost of an angle beyond the limits; from the sample: 1
  double numbers[kBasis];            // NOLINT(*-avoid-c-arrays)
  writeBasis(seeds, features, lane, numbers);
  const double middle = std::atan2(static_cast<double>(features[kSine * seeds.stride + lane]),
                                   static_cast<double>(features[kCosine * seeds.stride + lane]));
  double best = kInfinity;
  double chosen = sampled;
  for (int sign = 0; sign < (known.is_signed[joint] ? 2 : 1); ++sign) {
    const CommonLine line = commonLine(known.conditions + joint * kConditions * 3 * kBasis,
                                       known.counts[joint], numbers);
    for (const double side : {line.one, line.other}) {
      if (!line.exists) {
        break;
      }
      const double root = line.way + std::atan2(side, line.distance);
      const double beyond = std::fabs(withinHalfTurn(root - middle)) - half_range;
      const double cost =
          std::fabs(withinHalfTurn(root - sampled)) + kOutside * (beyond > 0.0 ? beyond : 0.0);
      if (cost < best) {
        best = cost;
        chosen = root;
      }
    }
    for (int i = kSigned; i < kBasis; ++i) {
      numbers[i] = -numbers[i];
    }
  }
  return chosen;
}

}  // namespace generative_ik::learned
