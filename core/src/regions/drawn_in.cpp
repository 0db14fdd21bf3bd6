// What a closed form takes of a region, drawn in by the tolerances: poses all over it, or its one
// free coordinate.
#include <algorithm>
#include <cmath>

#include "../search/recurrence.hpp"
#include "../simd/constants.hpp"
#include "region_numbers.hpp"

namespace generative_ik::regions {
namespace {

using Six = TaskSpaceRegion::Bounds;

// Largest pitch beside which roll and yaw are bounded, too: beyond, small turns of the tip are
// large ones of these angles [rad].
constexpr double kEvenPitch = kPi / 3.0;
// Small turns of the tip may be larger ones of an angle that is not alone.
constexpr double kTangled = 4.0;
// A whole turn of samples begins beside half a turn [rad]: none is then at 90 degrees, where roll
// and yaw of who measures pitch are arbitrary.
constexpr double kBeside = 0.01;

// Bounds inside a region's, so that what is off by no more than the tolerances is inside it.
struct InnerBounds {
  Six lower;
  Six upper;
  double half_angle;
};

struct Recurrence {
  std::array<double, PoseSequence::kCoordinates> shifts;
  std::array<double, PoseSequence::kCoordinates> ratios;
};

// Those of so many dimensions. They take a microsecond to write, as long as some calls.
const std::array<Recurrence, PoseSequence::kCoordinates + 1>& recurrences() {
  static const auto all = [] {
    std::array<Recurrence, PoseSequence::kCoordinates + 1> of_dimensions{};
    for (std::size_t n = 1; n < of_dimensions.size(); ++n) {
      search::writeRecurrence(0, static_cast<std::int64_t>(n), of_dimensions.at(n).shifts.data(),
                              of_dimensions.at(n).ratios.data());
    }
    return of_dimensions;
  }();
  return all;
}

std::optional<InnerBounds> innerBoundsOf(const TaskSpaceRegion& region,
                                         const Tolerance& tolerance) {
  const BoundedRotation rotation = BoundedRotation::of(region);
  const AngleBounds angles = AngleBounds::of(region);
  InnerBounds inner = {region.lower(), region.upper(),
                       std::max(rotation.half_angle - tolerance.orientation, 0.0)};
  double turn = tolerance.orientation;
  int num_wide = 0;
  bool turned = false;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const bool free = angles.upper[k] == kFreeAngle;
    inner.lower[3 + k] = free ? -kPi : angles.lower[k];
    inner.upper[3 + k] = free ? kPi : angles.upper[k];
    const bool wide = inner.upper[3 + k] > inner.lower[3 + k];
    num_wide += wide ? 1 : 0;
    turned = turned || (!wide && inner.lower[3 + k] != 0.0);
  }
  if (rotation.kind == RotationKind::kAngles && (num_wide != 1 || turned)) {
    if (std::max(-inner.lower[4], inner.upper[4]) > kEvenPitch) {
      return std::nullopt;
    }
    turn *= kTangled;
  }
  for (Eigen::Index k = 0; k < 6; ++k) {
    const double room = inner.upper[k] - inner.lower[k];
    if (k < 3 || room < kTurn) {
      const double inwards = std::min(k < 3 ? tolerance.position : turn, 0.5 * room);
      inner.lower[k] += inwards;
      inner.upper[k] -= inwards;
    }
  }
  return inner;
}

}  // namespace

std::optional<FreeCoordinate> FreeCoordinate::of(const TaskSpaceRegion& region,
                                                 const Tolerance& tolerance) {
  const auto [kind, axis, half_angle] = BoundedRotation::of(region);
  Eigen::Vector3d lower = region.lower().head<3>();
  Eigen::Vector3d upper = region.upper().head<3>();
  const bool slides = kind == RotationKind::kExact;
  if (!slides) {
    if (!lower.isZero(0.0) || !upper.isZero(0.0)) {
      return std::nullopt;
    }
    if (kind == RotationKind::kCone && half_angle == 0.0) {
      return FreeCoordinate{axis, false, kBeside - kPi, kBeside + kPi};
    }
    if (kind != RotationKind::kAngles) {
      return std::nullopt;
    }
    const AngleBounds angles = AngleBounds::of(region);
    lower = angles.lower;
    upper = angles.upper;
  }
  int free = -1;
  for (int k = 0; k < 3; ++k) {
    const bool room = upper[k] > lower[k];
    if ((room && free >= 0) || (!room && lower[k] != 0.0)) {
      return std::nullopt;
    }
    free = room ? k : free;
  }
  if (free < 0 || !std::isfinite(upper[free] - lower[free])) {
    return std::nullopt;
  }
  const double drawn = std::min(slides ? tolerance.position : tolerance.orientation,
                                0.5 * (upper[free] - lower[free]));
  return FreeCoordinate{free, slides, lower[free] + drawn, upper[free] - drawn};
}

std::optional<PoseSequence> sequenceOf(const TaskSpaceRegion& region, const Tolerance& tolerance,
                                       double reach, bool own) {
  const std::optional<InnerBounds> inner = innerBoundsOf(region, tolerance);
  if (!inner) {
    return std::nullopt;
  }
  const BoundedRotation rotation = BoundedRotation::of(region);
  std::array<bool, PoseSequence::kCoordinates> free{};
  for (std::size_t k = 0; k < 6; ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    free.at(k) = inner->upper[row] > inner->lower[row];
  }
  if (rotation.kind == RotationKind::kCone) {
    free[3] = true;
    free[4] = free[5] = inner->half_angle > 0.0;
  } else if (rotation.kind != RotationKind::kAngles) {
    free[3] = free[4] = free[5] = rotation.kind == RotationKind::kFree;
  }
  free[PoseSequence::kOwnCoordinate] = own;

  PoseSequence sequence{};
  sequence.rotation = rotation.kind;
  sequence.cone_axis = rotation.axis;
  sequence.cosine = std::cos(inner->half_angle);
  sequence.reach = reach;
  std::copy_n(inner->lower.data(), 6, sequence.lower);
  std::copy_n(inner->upper.data(), 6, sequence.upper);
  // What has only one value takes no dimension of the sequence.
  const auto dimensions = static_cast<std::size_t>(std::count(free.begin(), free.end(), true));
  const Recurrence& recurrence = recurrences().at(dimensions);
  std::size_t used = 0;
  for (std::size_t k = 0; k < free.size(); ++k) {
    if (free.at(k)) {
      sequence.shift[k] = recurrence.shifts.at(used);
      sequence.ratio[k] = recurrence.ratios.at(used);
      ++used;
    }
  }
  return sequence;
}

}  // namespace generative_ik::regions
