#include "ends.hpp"

#include <algorithm>
#include <cmath>

namespace generative_ik::samplers {
namespace {

// Below this sine two axes count as parallel: their azimuths would be noise.
constexpr double kPole = 1e-9;

// The azimuth that the first joint can remove [rad].
double azimuthOf(const double* pose) {
  // Of the place, else of the axis, else of the rotation about it.
  for (const int column : {3, 2}) {
    const double x = pose[column];
    const double y = pose[4 + column];
    if (x * x + y * y >= kPole * kPole) {
      return std::atan2(y, x);
    }
  }
  return std::atan2(pose[4], pose[0]);
}

}  // namespace

double reducePose(const Ends& ends, const double* pose, double* turned, double* coordinates) {
  const double angle = ends.first == EndKind::kRevolute ? azimuthOf(pose) : 0.0;
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  for (int k = 0; k < 4; ++k) {
    turned[k] = c * pose[k] + s * pose[4 + k];
    turned[4 + k] = c * pose[4 + k] - s * pose[k];
    turned[8 + k] = pose[8 + k];
  }
  *coordinates++ = turned[3];
  if (ends.first != EndKind::kRevolute) {
    *coordinates++ = turned[7];
  }
  if (ends.first != EndKind::kPrismatic) {
    *coordinates++ = turned[11];
  }
  *coordinates++ = std::min(1.0, std::max(-1.0, turned[10]));
  const double x = turned[2];
  const double y = turned[6];
  const bool inclined = x * x + y * y > kPole * kPole;
  *coordinates++ = inclined ? std::atan2(y, x) : 0.0;
  if (ends.last != EndKind::kRevolute) {
    *coordinates = inclined ? std::atan2(turned[9], -turned[8]) : std::atan2(turned[4], turned[0]);
  }
  return angle;
}

double spinBetween(const double* turned, const double* target) {
  double same = 0.0;
  double across = 0.0;
  for (int k = 0; k < kTurnedNumbers; k += 4) {
    same += turned[k] * target[k] + turned[k + 1] * target[k + 1];
    across += turned[k + 1] * target[k] - turned[k] * target[k + 1];
  }
  return std::atan2(across, same);
}

}  // namespace generative_ik::samplers
