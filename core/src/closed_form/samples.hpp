/// Trigonometric polynomials from their values at angles all round the circle.
#pragma once

#include "../simd/constants.hpp"
#include "trigonometric.hpp"

namespace generative_ik::closed_form {

/// Two more than a polynomial of degree 8 has coefficients; what they show of the next one is
/// rounding.
inline constexpr int kSamples = 19;
/// Numbers for the samples of whole registers.
inline constexpr int kSampleRoom = 24;

/// Cosine (or sine) of an angle up to a right angle, while compiling: its series.
GENERATIVE_IK_DEVICE constexpr double seriesOf(double angle, bool sine) {
  double term = sine ? angle : 1.0;
  double sum = 0.0;
  for (int k = sine ? 2 : 1; k < 30; k += 2) {
    sum += term;
    term *= -angle * angle / (k * (k + 1.0));
  }
  return sum;
}

struct SampleAngles {
  double cosines[kSampleRoom];  // NOLINT(*-avoid-c-arrays)
  double sines[kSampleRoom];    // NOLINT(*-avoid-c-arrays)
};

GENERATIVE_IK_DEVICE constexpr SampleAngles computedSampleAngles() {
  SampleAngles angles{};
  for (int k = 0; k < kSampleRoom; ++k) {
    const int from_middle = (k + kSamples / 2) % kSamples - kSamples / 2;
    const double side = from_middle < 0 ? -1.0 : 1.0;
    const double share = side * from_middle / kSamples;
    const bool obtuse = share > 0.25;
    const double angle = kTurn * (obtuse ? 0.5 - share : share);
    angles.cosines[k] = (obtuse ? -1.0 : 1.0) * seriesOf(angle, false);
    angles.sines[k] = side * seriesOf(angle, true);
  }
  return angles;
}

/// Where the samples are; those behind the last begin again.
GENERATIVE_IK_INLINE const SampleAngles& sampleAngles() {
  static constexpr SampleAngles kAngles = computedSampleAngles();
  return kAngles;
}

/// Writes the polynomial of some values; returns how far it may be off anywhere, about, where
/// `noise` is how far one of the values may be.
template <int Degree>
GENERATIVE_IK_INLINE double interpolate(const double* values, double noise,
                                        TrigonometricPolynomial<Degree>& f) {
  static_assert(2 * Degree + 3 <= kSamples);
  for (int k = 0; k <= Degree + 1; ++k) {
    double c = 0.0;
    double s = 0.0;
    int at = 0;
    for (int j = 0; j < kSamples; ++j) {
      c += values[j] * sampleAngles().cosines[at];
      s += values[j] * sampleAngles().sines[at];
      at += k;
      at -= at >= kSamples ? kSamples : 0;
    }
    const double share = (k == 0 ? 1.0 : 2.0) / kSamples;
    if (k <= Degree) {
      f.cosines[k] = share * c;
      f.sines[k] = share * s;
    } else {
      noise += Degree * share * std::sqrt(c * c + s * s);
    }
  }
  return noise;
}

}  // namespace generative_ik::closed_form
