#include "pose_check.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "../parallel/for_each.hpp"

namespace generative_ik::verify {
namespace {

// Rotations that are less exact than this are made so.
constexpr double kRotationRounding = 1e-12;
// Poses that a thread checks at a time: about 0.1 ms.
constexpr std::int64_t kPosesPiece = 4096;

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
  return defect.finite && !defect.reflected && defect.orthonormality <= kRotationRounding;
}

bool arePoses(const double* poses, std::int64_t count) {
  const auto are = [poses](std::int64_t first, std::int64_t last) {
    for (std::int64_t t = first; t < last; ++t) {
      if (!isPose(poses + 16 * t)) {
        return false;
      }
    }
    return true;
  };
  if (count <= kPosesPiece) {
    return are(0, count);
  }
  std::atomic<bool> all{true};
  const auto check = [&](std::int64_t piece) {
    if (all.load(std::memory_order_relaxed) &&
        !are(piece * kPosesPiece, std::min((piece + 1) * kPosesPiece, count))) {
      all = false;
    }
  };
  parallel::forEach((count + kPosesPiece - 1) / kPosesPiece, check, {});
  return all;
}

}  // namespace generative_ik::verify
