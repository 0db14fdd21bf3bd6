/// Samples of mixtures of von Mises distributions (learned/ggik/autoregressive/model.py).
#pragma once

#include <cmath>

#include "completion_state.hpp"

namespace generative_ik::learned {

/// Chooses a component in every lane by a uniform number, and writes `ChosenRow`s.
///
/// Args: outputs: of the network: kParts times a row for each component.
template <class Seeds>
GENERATIVE_IK_INLINE void chooseComponent(const Seeds& seeds, const float* outputs,
                                          std::int64_t components,
                                          const typename Seeds::Floats& unit, float* chosen) {
  using Floats = typename Seeds::Floats;
  const auto output = [&seeds, outputs, components](int part, std::int64_t k) {
    return Floats::load(outputs + (part * components + k) * seeds.stride);
  };
  Floats most = output(0, 0);
  for (std::int64_t k = 1; k < components; ++k) {
    most = larger(most, output(0, k));
  }
  Floats total = 0.0F;
  for (std::int64_t k = 0; k < components; ++k) {
    total = total + simd::exponential(output(0, k) - most);
  }
  const Floats wanted = unit * total;
  Floats below = 0.0F;
  Floats start = below;
  Floats size = total;
  Floats cosine = output(1, 0);
  Floats sine = output(2, 0);
  Floats level = output(3, 0);
  for (std::int64_t k = 0; k < components; ++k) {
    const Floats part = simd::exponential(output(0, k) - most);
    const auto before = wanted < below;
    start = select(before, start, below);
    size = select(before, size, part);
    cosine = select(before, cosine, output(1, k));
    sine = select(before, sine, output(2, k));
    level = select(before, level, output(3, k));
    below = below + part;
  }
  simd::arcTangent(sine, cosine).store(chosen + kMean * seeds.stride);
  level.store(chosen + kLevel * seeds.stride);
  ((wanted - start) / size).store(chosen + kQuantile * seeds.stride);
}

/// The standard normal quantile of a uniform number to 1e-6 (M. Giles, Approximating the erfinv
/// function, GPU Computing Gems 2, 2012), of one that is far enough from 0 and 1.
GENERATIVE_IK_INLINE double normalQuantile(double unit) {
  constexpr double kEdge = 1e-5;
  constexpr double kSquareRootOf2 = 1.4142135623730951;
  // NOLINTBEGIN(*-avoid-c-arrays)
  constexpr double kCentral[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                 -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                 -0.00417768164,  0.246640727,    1.50140941};
  constexpr double kTails[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                               -0.00367342844,  0.00573950773,  -0.0076224613,
                               0.00943887047,   1.00167406,     2.83297682};
  // NOLINTEND(*-avoid-c-arrays)
  const double p = simd::clamp(unit, kEdge, 1.0 - kEdge);
  const double w = -std::log(4.0 * p * (1.0 - p));
  const bool central = w < 5.0;
  const double x = central ? w - 2.5 : std::sqrt(w) - 3.0;
  double sum = 0.0;
  for (const double coefficient : central ? kCentral : kTails) {
    sum = coefficient + sum * x;
  }
  return kSquareRootOf2 * sum * (2.0 * p - 1.0);
}

/// The angle that a lane's choice stands for [rad]: a quantile of the wrapped normal distribution
/// with the component's first moment.
template <class Seeds>
GENERATIVE_IK_INLINE double sampledAngle(const Seeds& seeds, const CompletionNetwork& network,
                                         const float* chosen, int lane) {
  constexpr double kSlope = 0.5;
  constexpr double kShift = -0.5;
  const double level = chosen[kLevel * seeds.stride + lane];
  const auto cells = static_cast<double>(network.cells);
  const double place =
      simd::clamp(cells / (1.0 + std::exp(-(kSlope * level + kShift))), 0.0, cells);
  const auto whole = static_cast<std::int64_t>(place);
  const std::int64_t cell = whole < network.cells ? whole : network.cells - 1;
  const double share = place - static_cast<double>(cell);
  const double width = (1.0 - share) * static_cast<double>(network.spreads[cell]) +
                       share * static_cast<double>(network.spreads[cell + 1]);
  return chosen[kMean * seeds.stride + lane] +
         width * normalQuantile(chosen[kQuantile * seeds.stride + lane]);
}

}  // namespace generative_ik::learned
