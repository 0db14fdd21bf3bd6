#include "freedom.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../simd/constants.hpp"

namespace generative_ik::paths {
namespace {

using verify::Frame;
using verify::Region;
using verify::Vector3;

// A coordinate that is so many tolerances from a bound is at it: solutions keep one from it.
constexpr double kNear = 3.0;
// A coordinate that moves less, in its unit, leaves no bound.
constexpr double kAtRest = 1e-9;
// Two axes of rotation are one if so little is left of the second beside the first.
constexpr double kSame = 1e-6;
// Bounds of an angle without any.
constexpr double kFreeAngle = 4.0;

Vector3<double> column(const Frame<double>& frame, int k) {
  const auto element = [k](const Vector3<double>& row) {
    return k == 0 ? row.x : k == 1 ? row.y : row.z;
  };
  return {element(frame.rows[0]), element(frame.rows[1]), element(frame.rows[2])};
}

double lengthOf(const Vector3<double>& vector) {
  return std::sqrt(dot(vector, vector));
}

// Whether a region is a cone without width, in which the tip turns about its axis.
bool spins(const Region& region) {
  return region.isCone() && region.halfAngle() == 0.0;
}

// Of cones an angle between axes, first, and two that turn the tip.
SixFlags roomOf(const Region& region, const Six& tolerance) {
  SixFlags room{};
  for (int k = 0; k < 6; ++k) {
    room.at(static_cast<std::size_t>(k)) =
        region.upper(k) - region.lower(k) > 2.0 * tolerance.at(static_cast<std::size_t>(k));
  }
  room[3] = room[3] || region.isCone();
  room[4] = room[4] && !spins(region);
  room[5] = room[5] && !spins(region);
  return room;
}

// Of cones with width, the angle between the axes.
void writeBounds(const Region& region, Six& lower, Six& upper) {
  for (std::size_t k = 0; k < 6; ++k) {
    lower.at(k) = region.lower(static_cast<int>(k));
    upper.at(k) = region.upper(static_cast<int>(k));
    if (k >= 3 && (region.isCone() || lower.at(k) == -kFreeAngle)) {
      lower.at(k) = -kInfinity;
      upper.at(k) = kInfinity;
    }
  }
  if (region.isCone() && region.halfAngle() > 0.0) {
    upper[3] = region.halfAngle();
  }
}

// x, y, z, roll, pitch and yaw of a tip in its target, near the bounds. Of cones, the angle
// between the axes, and NaN twice.
Six coordinatesOf(const Region& region, const Frame<double>& target, const Frame<double>& tip) {
  const Frame<double> gap = seenFrom(target, tip);
  const Vector3<double>& x = gap.rows[0];
  const Vector3<double>& y = gap.rows[1];
  const Vector3<double>& z = gap.rows[2];
  Six found = {gap.origin.x, gap.origin.y, gap.origin.z, 0.0, 0.0, 0.0};
  if (region.isCone()) {
    const int k = region.coneAxis();
    const double cosine = k == 0 ? x.x : k == 1 ? y.y : z.z;
    found[3] = std::acos(std::clamp(cosine, -1.0, 1.0));
    found[4] = found[5] = std::numeric_limits<double>::quiet_NaN();
    return found;
  }
  const double roll = std::atan2(z.y, z.z);
  const double pitch = std::atan2(-z.x, std::hypot(x.x, y.x));
  const double yaw = std::atan2(y.x, x.x);
  double least = kInfinity;
  // The same rotation has another triple of angles.
  for (const std::array<double, 3>& triple :
       {std::array{roll, pitch, yaw}, std::array{roll + kPi, kPi - pitch, yaw + kPi}}) {
    std::array<double, 3> angles{};
    double off = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double lower = region.lower(static_cast<int>(k) + 3);
      const double upper = region.upper(static_cast<int>(k) + 3);
      angles.at(k) =
          triple.at(k) - kTurn * std::rint((triple.at(k) - 0.5 * (lower + upper)) / kTurn);
      off += std::max({lower - angles.at(k), angles.at(k) - upper, 0.0});
    }
    if (off < least) {
      least = off;
      std::copy(angles.begin(), angles.end(), found.begin() + 3);
    }
  }
  return found;
}

// The axes of roll, pitch and yaw.
std::array<Vector3<double>, 3> axesOf(const Frame<double>& target, const Frame<double>& tip) {
  const Vector3<double> x = column(tip, 0);
  const Vector3<double> z = column(target, 2);
  const Vector3<double> in_plane = x - dot(x, z) * z;
  const double length = lengthOf(in_plane);
  // Where roll and yaw have one axis, that of pitch is the tip's, as if yaw were all of it.
  return {x, length > kSame ? cross(z, (1.0 / length) * in_plane) : column(tip, 1), z};
}

using Matrix3 = std::array<std::array<double, 3>, 3>;

// Takes from what a matrix projects onto what lies along a vector.
void project(Matrix3& matrix, const Vector3<double>& axis) {
  std::array<double, 3> left{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& row = matrix.at(i);
    left.at(i) = row[0] * axis.x + row[1] * axis.y + row[2] * axis.z;
  }
  const double length = std::sqrt(left[0] * left[0] + left[1] * left[1] + left[2] * left[2]);
  if (length > kSame) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        matrix.at(i).at(k) -= left.at(i) * left.at(k) / (length * length);
      }
    }
  }
}

// About which axes the tip's rotation is held: the rows of a matrix.
Matrix3 heldTurns(const Region& region, const Frame<double>& target, const Frame<double>& tip,
                  const SixFlags& room) {
  Matrix3 turns{};
  if (region.isCone() && !spins(region)) {
    if (!room[3]) {
      const int k = region.coneAxis();
      const Vector3<double> normal = cross(column(target, k), column(tip, k));
      const double scale = 1.0 / std::max(lengthOf(normal), 1e-12);
      const std::array<double, 3> unit = {scale * normal.x, scale * normal.y, scale * normal.z};
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          turns.at(i).at(j) = unit.at(i) * unit.at(j);
        }
      }
    }
    return turns;
  }
  const bool is_free = region.lower(3) == -kFreeAngle && region.lower(4) == -kFreeAngle &&
                       region.lower(5) == -kFreeAngle;
  if (is_free && !region.isCone()) {
    return turns;
  }
  turns = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  std::array<Vector3<double>, 3> axes = axesOf(target, tip);
  if (region.isCone()) {
    axes[0] = column(tip, region.coneAxis());
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (room.at(3 + k)) {
      project(turns, axes.at(k));
    }
  }
  return turns;
}

Frame<double> frameOf(const double* pose) {
  Frame<double> frame = Frame<double>::identity();
  verify::passPose<double>(pose, frame);
  return frame;
}

Frame<double> placed(const verify::RodriguesChain& chain, const double* q) {
  return verify::placeTip<double>(chain, [q](std::int64_t v) { return q[v]; });
}

}  // namespace

HeldTips::HeldTips(const PathTask& task, const TipNumbers& numbers, const Rows& positions,
                   const std::vector<std::int64_t>& poses)
    : numbers_(numbers) {
  if (task.goals == nullptr || task.isTree()) {
    ways_.resize(1);
    for (std::size_t k = 0; k < 6; ++k) {
      ways_[0].at(7 * k) = numbers.weight.at(k) > 0.0 ? 1.0 : 0.0;
    }
    return;
  }
  ways_.resize(poses.size());
  for (std::int64_t s = 0; s < positions.size(); ++s) {
    const std::int64_t pose = poses[paths::at(s)];
    Tip tip{{task.goals->checks.of(pose, 1)},
            frameOf(task.targets + 16 * pose),
            placed(numbers.chain, positions[s]),
            {},
            {},
            {},
            {},
            {}};
    tip.room = roomOf(tip.region, numbers.tolerance);
    writeBounds(tip.region, tip.lower, tip.upper);
    tip.before = coordinatesOf(tip.region, tip.target, tip.frame);
    for (std::size_t k = 0; k < 6; ++k) {
      tip.stops.at(k) = tip.room.at(k) && numbers.weight.at(k) > 0.0 &&
                        (std::isfinite(tip.lower.at(k)) || std::isfinite(tip.upper.at(k)));
    }
    tips_.push_back(tip);
    writeWays(s);
  }
}

void HeldTips::writeWays(std::int64_t row) {
  const Tip& tip = tips_[paths::at(row)];
  std::array<double, 36>& ways = ways_[paths::at(row)];
  ways.fill(0.0);
  const Matrix3 turns = heldTurns(tip.region, tip.target, tip.frame, tip.room);
  for (std::size_t k = 0; k < 3; ++k) {
    if (!tip.room.at(k) && numbers_.weight.at(k) > 0.0) {
      const Vector3<double> axis = column(tip.target, static_cast<int>(k));
      ways.at(6 * k) = axis.x;
      ways.at(6 * k + 1) = axis.y;
      ways.at(6 * k + 2) = axis.z;
    }
    if (numbers_.weight.at(3 + k) > 0.0) {
      std::copy(turns.at(k).begin(), turns.at(k).end(),
                ways.begin() + static_cast<std::ptrdiff_t>(6 * (3 + k) + 3));
    }
  }
}

SixFlags HeldTips::beyond(const Tip& tip, const Frame<double>& moved) const {
  const Six after = coordinatesOf(tip.region, tip.target, moved);
  SixFlags found{};
  Six by{};
  double most = 0.0;
  for (std::size_t k = 0; k < 6; ++k) {
    const double near = kNear * numbers_.tolerance.at(k);
    by.at(k) = (after.at(k) - tip.before.at(k)) * numbers_.weight.at(k);
    const bool below = tip.before.at(k) <= tip.lower.at(k) + near && by.at(k) < -kAtRest;
    const bool above = tip.before.at(k) >= tip.upper.at(k) - near && by.at(k) > kAtRest;
    found.at(k) = (below || above) && tip.stops.at(k);
    most = found.at(k) ? std::max(most, std::abs(by.at(k))) : most;
  }
  for (std::size_t k = 0; k < 6; ++k) {
    found.at(k) = found.at(k) && std::abs(by.at(k)) == most;
  }
  return found;
}

bool HeldTips::stop(const Rows& moved) {
  bool any = false;
  for (std::int64_t s = 0; s < static_cast<std::int64_t>(tips_.size()); ++s) {
    Tip& tip = tips_[paths::at(s)];
    if (std::none_of(tip.stops.begin(), tip.stops.end(), [](bool stops) { return stops; })) {
      continue;
    }
    const SixFlags found = beyond(tip, placed(numbers_.chain, moved[s]));
    if (std::none_of(found.begin(), found.end(), [](bool one) { return one; })) {
      continue;
    }
    any = true;
    for (std::size_t k = 0; k < 6; ++k) {
      tip.room.at(k) = tip.room.at(k) && !found.at(k);
      tip.stops.at(k) = tip.stops.at(k) && !found.at(k);
    }
    writeWays(s);
  }
  return any;
}

Freedom::Freedom(const PathTask& task) : task_(task), numbers_{}, nullity_(task.freedom) {
  if (task.isTree()) {
    return;
  }
  const PathTask exact = task.exactly();
  const LaneChain chain = unpackChain(task.chain.floats, task.chain.ints);
  std::vector<LaneRow> memory(paths::at(countRows(chain.num_joints, chain.num_variables)));
  const search::ChainProblem problem(exact.chain, exact.targets, memory.data());
  const LaneOptions weights =
      task.approximates() ? search::ApproximateProblem::weighted(problem.options(), task.chain)
                          : problem.options();
  numbers_.chain = problem.verifier();
  for (std::size_t k = 0; k < 3; ++k) {
    numbers_.weight.at(k) = weights.position_weight;
    numbers_.weight.at(3 + k) = weights.orientation_weight;
    numbers_.tolerance.at(k) = problem.positionTolerance();
    numbers_.tolerance.at(3 + k) = problem.orientationTolerance();
  }
  std::int64_t least = 6;
  const std::int64_t count = task.goals == nullptr ? 1 : task.goals->checks.count;
  for (std::int64_t r = 0; r < count; ++r) {
    const SixFlags room =
        task.goals == nullptr
            ? SixFlags{}
            : roomOf({task.goals->checks.numbers + Region::kSize * r}, numbers_.tolerance);
    std::int64_t held = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      held += !room.at(k) && numbers_.weight.at(k) > 0.0 ? 1 : 0;
    }
    least = std::min(least, held);
  }
  nullity_ = std::max<std::int64_t>(task.size - least, 0);
}

}  // namespace generative_ik::paths
