#include "tight_balls.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "../parallel/for_each.hpp"

namespace generative_ik::collision {
namespace {

using Coordinates = std::array<double, 3>;

// Growth of radii against rounding, as a share and [m].
constexpr double kShare = 1e-9;
constexpr double kLeast = 1e-12;
// How far from the middle of the points a centre may begin, in radii.
constexpr std::array<double, 4> kStarts = {1.0, 2.0, 4.0, 8.0};
// Points that a thread takes at a time.
constexpr std::int64_t kPointsAtOnce = 1024;

double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double squaredDistance(const double* a, const double* b) {
  const Coordinates apart = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return dot(apart.data(), apart.data());
}

/// The search for the ball of one group.
class TightBall {
 public:
  TightBall(const std::vector<DepthGrid>& grids, const TightBallSearch& search)
      : grids_(grids), search_(search) {}

  void around(const double* points, const double* reach, std::int64_t count, double* ball) {
    takeOutermost(points, reach, count);
    const Coordinates center = found();
    double radius = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
      radius =
          std::max(radius, std::sqrt(squaredDistance(points + 3 * i, center.data())) + reach[i]);
    }
    std::copy(center.begin(), center.end(), ball);
    ball[3] = radius * (1.0 + kShare) + kLeast;
  }

 private:
  void takeOutermost(const double* points, const double* reach, std::int64_t count) {
    std::vector<std::int64_t> taken;
    for (std::int64_t d = 0; d < search_.num_directions; ++d) {
      std::int64_t outermost = 0;
      double most = -std::numeric_limits<double>::infinity();
      for (std::int64_t i = 0; i < count; ++i) {
        const double along = dot(points + 3 * i, search_.directions + 3 * d) + reach[i];
        if (along > most) {
          most = along;
          outermost = i;
        }
      }
      taken.push_back(outermost);
    }
    // A point may be the outermost in several directions.
    std::sort(taken.begin(), taken.end());
    taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
    for (const std::int64_t i : taken) {
      hull_.push_back({points[3 * i], points[3 * i + 1], points[3 * i + 2], reach[i]});
      flat_ = flat_ && reach[i] == 0.0;
    }
  }

  /// The radius of a ball around the outermost points.
  [[nodiscard]] double radiusAt(const Coordinates& center) const {
    double most = 0.0;
    for (const std::array<double, 4>& small : hull_) {
      const double squared = squaredDistance(small.data(), center.data());
      most = std::max(most, flat_ ? squared : std::sqrt(squared) + small[3]);
    }
    return flat_ ? std::sqrt(most) : most;
  }

  /// How far such a ball reaches beyond the solid [m].
  [[nodiscard]] double excessAt(const Coordinates& center) const {
    double deepest = -std::numeric_limits<double>::infinity();
    for (const DepthGrid& grid : grids_) {
      deepest = std::max(deepest, grid.at(center.data()));
    }
    return radiusAt(center) - (grids_.empty() ? 0.0 : deepest);
  }

  [[nodiscard]] Coordinates middle() const {
    Coordinates lower{};
    Coordinates upper{};
    lower.fill(std::numeric_limits<double>::infinity());
    upper.fill(-std::numeric_limits<double>::infinity());
    for (const std::array<double, 4>& small : hull_) {
      for (std::size_t k = 0; k < 3; ++k) {
        lower.at(k) = std::min(lower.at(k), small.at(k));
        upper.at(k) = std::max(upper.at(k), small.at(k));
      }
    }
    return {(lower[0] + upper[0]) / 2.0, (lower[1] + upper[1]) / 2.0, (lower[2] + upper[2]) / 2.0};
  }

  /// Moves the centre to the best of the places at some distance from `around`, if it is better.
  bool tryAround(const Coordinates& around, double distance, Coordinates& best,
                 double& least) const {
    bool better = false;
    for (std::int64_t s = 0; s < search_.num_steps; ++s) {
      const double* step = search_.steps + 3 * s;
      const Coordinates trial = {around[0] + distance * step[0], around[1] + distance * step[1],
                                 around[2] + distance * step[2]};
      const double excess = excessAt(trial);
      if (excess < least) {
        least = excess;
        best = trial;
        better = true;
      }
    }
    return better;
  }

  [[nodiscard]] Coordinates found() const {
    const Coordinates start = middle();
    const double radius = radiusAt(start) + kShare;
    Coordinates best = start;
    double least = excessAt(start);
    // The deepest places may be far from the surface that the points are on.
    const std::size_t starts = grids_.empty() ? 1 : kStarts.size();
    for (std::size_t k = 0; k < starts; ++k) {
      tryAround(start, radius * kStarts.at(k), best, least);
    }
    double distance = radius / 2.0;
    for (int round = 0; round < search_.rounds; ++round) {
      const Coordinates around = best;
      if (!tryAround(around, distance, best, least)) {
        distance /= 2.0;
      }
    }
    return best;
  }

  const std::vector<DepthGrid>& grids_;
  const TightBallSearch& search_;
  std::vector<std::array<double, 4>> hull_;
  bool flat_ = true;
};

}  // namespace

double DepthGrid::at(const double* point) const {
  std::array<std::array<double, 2>, 3> shares{};
  std::array<std::array<std::int64_t, 2>, 3> cells{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double last = static_cast<double>(counts.at(k) - 1);
    const double along = (point[k] - origin.at(k)) / size;
    const double place = along > 0.0 ? std::min(along, last) : 0.0;  // 0 for NaN
    const double low = std::floor(place);
    shares.at(k) = {1.0 - (place - low), place - low};
    const auto cell = static_cast<std::int64_t>(low);
    cells.at(k) = {cell, std::min(cell + 1, counts.at(k) - 1)};
  }
  double total = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      const double* row = depth + (cells[0].at(i) * counts[1] + cells[1].at(j)) * counts[2];
      total += shares[0].at(i) * shares[1].at(j) *
               (shares[2][0] * row[cells[2][0]] + shares[2][1] * row[cells[2][1]]);
    }
  }
  return total;
}

void tightBalls(const BallGroups& groups, const std::vector<DepthGrid>& grids,
                const TightBallSearch& search, double* balls) {
  const auto take = [&](std::int64_t group) {
    const std::int64_t first = groups.first[group];
    TightBall(grids, search)
        .around(groups.points + 3 * first, groups.reach + first, groups.first[group + 1] - first,
                balls + 4 * group);
  };
  parallel::forEach(groups.count, take, {});
}

void ballsAt(const double* points, std::int64_t count, const double* balls, std::int64_t num_balls,
             std::int64_t* found) {
  const auto take = [&](std::int64_t piece) {
    const std::int64_t last = std::min(count, kPointsAtOnce * (piece + 1));
    for (std::int64_t i = kPointsAtOnce * piece; i < last; ++i) {
      double least = std::numeric_limits<double>::infinity();
      found[i] = 0;
      for (std::int64_t k = 0; k < num_balls; ++k) {
        const double* ball = balls + 4 * k;
        const double squared = squaredDistance(points + 3 * i, ball);
        // The root of what is surely no better need not be known.
        const double within = least + ball[3];
        if (within > 0.0 && squared < within * within) {
          least = std::sqrt(squared) - ball[3];
          found[i] = k;
        }
      }
    }
  };
  parallel::forEach((count + kPointsAtOnce - 1) / kPointsAtOnce, take, {});
}

}  // namespace generative_ik::collision
