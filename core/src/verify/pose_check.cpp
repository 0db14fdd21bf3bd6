#include "pose_check.hpp"

#include <algorithm>
#include <cmath>

namespace generative_ik::verify {
namespace {

// Rotations that are less exact than this are made so.
constexpr double kRounding = 1e-12;

}  // namespace

PoseDefect poseDefect(const double* pose) {
  const auto at = [pose](int row, int column) { return pose[4 * row + column]; };
  double defect = 0.0;
  for (int a = 0; a < 3; ++a) {
    for (int b = a; b < 3; ++b) {
      const double product = at(a, 0) * at(b, 0) + at(a, 1) * at(b, 1) + at(a, 2) * at(b, 2);
      defect = std::max(defect, std::abs(product - (a == b ? 1.0 : 0.0)));
    }
  }
  const double volume = at(0, 0) * (at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)) +
                        at(0, 1) * (at(1, 2) * at(2, 0) - at(1, 0) * at(2, 2)) +
                        at(0, 2) * (at(1, 0) * at(2, 1) - at(1, 1) * at(2, 0));
  const bool finite = std::all_of(pose, pose + 12, [](double x) { return std::isfinite(x); }) &&
                      at(3, 0) == 0.0 && at(3, 1) == 0.0 && at(3, 2) == 0.0 && at(3, 3) == 1.0;
  return {defect, volume < 0.0, finite};
}

bool isPose(const double* pose) {
  const PoseDefect defect = poseDefect(pose);
  return defect.finite && !defect.reflected && defect.orthonormality <= kRounding;
}

}  // namespace generative_ik::verify
