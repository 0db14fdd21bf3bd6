#include "tight_balls.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace generative_ik::collision::building {
namespace {

// Growth of radii against rounding, as a share and [m].
constexpr double kShare = 1e-9;
constexpr double kLeast = 1e-12;
// How far from the middle of the points a centre may begin, in radii.
constexpr std::array<double, 4> kStarts = {1.0, 2.0, 4.0, 8.0};
constexpr int kRounds = 24;
constexpr int kSteps = 14;

/// The search for the ball of one group.
class TightBall {
 public:
  TightBall(std::vector<Sphere> hull, const std::vector<Depths>& grids)
      : hull_(std::move(hull)), grids_(grids) {
    for (const Depths& grid : grids) {
      deepest_ = std::max(deepest_, grid.deepest);
    }
  }

  [[nodiscard]] Point found() {
    Bounds bounds;
    for (const Sphere& small : hull_) {
      bounds.add(small.centre);
    }
    best_ = bounds.middle();
    const Point start = best_;
    double radius = 0.0;
    for (const Sphere& small : hull_) {
      radius = std::max(radius, between(small.centre, start) + small.radius);
    }
    least_ = radius - depthAt(start);
    radius += kShare;
    // The deepest places may be far from the surface that the points are on.
    const std::size_t starts = grids_.empty() ? 1 : kStarts.size();
    for (std::size_t k = 0; k < starts; ++k) {
      tryAround(start, radius * kStarts.at(k));
    }
    double distance = radius / 2.0;
    for (int round = 0; round < kRounds; ++round) {
      if (!tryAround(best_, distance)) {
        distance /= 2.0;
      }
    }
    return best_;
  }

 private:
  [[nodiscard]] double depthAt(const Point& center) const {
    if (grids_.empty()) {
      return 0.0;
    }
    double deepest = -kInfinity;
    for (const Depths& grid : grids_) {
      deepest = std::max(deepest, grid.at(center));
    }
    return deepest;
  }

  /// Whether a ball around the outermost points reaches less beyond the solid than the best one;
  /// it is the best one then.
  bool isBetter(const Point& center) {
    // What rules out one place rules out most, wherever it is.
    if (between(hull_[0].centre, center) + hull_[0].radius >= least_ + deepest_) {
      return false;
    }
    const double depth = depthAt(center);
    const double most = least_ + depth;
    double radius = 0.0;
    for (std::size_t k = 0; k < hull_.size(); ++k) {
      const double reach = between(hull_[k].centre, center) + hull_[k].radius;
      if (reach >= most) {
        std::swap(hull_[k], hull_[k / 2]);
        return false;
      }
      radius = std::max(radius, reach);
    }
    least_ = radius - depth;
    best_ = center;
    return true;
  }

  /// Moves the centre to the best of the places at some distance from `around`, if it is better.
  bool tryAround(const Point around, double distance) {
    static const std::vector<Point> steps = spreadDirections(kSteps);
    bool better = false;
    for (const Point& step : steps) {
      better = isBetter(around + distance * step) || better;
    }
    return better;
  }

  std::vector<Sphere> hull_;
  const std::vector<Depths>& grids_;
  Point best_{};
  double least_ = 0.0;
  double deepest_ = 0.0;  // of all places
};

}  // namespace

const std::vector<Point>& hullDirections() {
  static const std::vector<Point> directions = spreadDirections(kHullDirections);
  return directions;
}

void Outermost::add(const Sphere& ball) {
  const std::vector<Point>& directions = hullDirections();
  if (along_.empty()) {
    along_.assign(directions.size(), -kInfinity);
    balls_.assign(directions.size(), ball);
  }
  for (std::size_t d = 0; d < along_.size(); ++d) {
    const double along = dot(ball.centre, directions[d]) + ball.radius;
    if (along > along_[d]) {
      along_[d] = along;
      balls_[d] = ball;
    }
  }
}

void Outermost::add(const Outermost& other) {
  if (along_.empty()) {
    *this = other;
    return;
  }
  for (std::size_t d = 0; d < other.along_.size(); ++d) {
    if (other.along_[d] > along_[d]) {
      along_[d] = other.along_[d];
      balls_[d] = other.balls_[d];
    }
  }
}

std::vector<Sphere> Outermost::balls() const {
  std::vector<Sphere> once;
  for (const Sphere& ball : balls_) {
    const auto is_same = [&ball](const Sphere& other) {
      return squared(ball.centre - other.centre) == 0.0 && ball.radius == other.radius;
    };
    if (std::none_of(once.begin(), once.end(), is_same)) {
      once.push_back(ball);
    }
  }
  return once;
}

Point tightCentre(std::vector<Sphere> outermost, const std::vector<Depths>& grids) {
  return TightBall(std::move(outermost), grids).found();
}

double grown(double radius) {
  return radius * (1.0 + kShare) + kLeast;
}

std::vector<std::int64_t> ballsAt(const std::vector<Point>& points,
                                  const std::vector<Sphere>& balls) {
  // Around eight balls each: their centres, and the largest radius.
  struct Eight {
    Sphere around;
    double largest;
  };
  std::vector<Eight> eights;
  for (std::size_t k = 0; k < balls.size(); k += kSiblings) {
    const std::size_t last = std::min(k + kSiblings, balls.size());
    Bounds bounds;
    double largest = -kInfinity;
    for (std::size_t i = k; i < last; ++i) {
      if (balls[i].radius >= 0.0) {
        bounds.add(balls[i].centre);
        largest = std::max(largest, balls[i].radius);
      }
    }
    const bool any = largest >= 0.0;
    eights.push_back(
        {{any ? bounds.middle() : Point{}, any ? lengthOf(bounds.extent()) / 2.0 : 0.0}, largest});
  }
  std::vector<std::int64_t> found(points.size());
  std::int64_t best = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    // The ball of the last point is mostly that of this one, or near it.
    const Sphere& guess = balls[static_cast<std::size_t>(best)];
    double least =
        guess.radius >= 0.0 ? between(points[p], guess.centre) - guess.radius : kInfinity;
    const auto can_be_nearer = [&](const Point& centre, double reach) {
      const double within = least + reach;
      return within > 0.0 && squared(points[p] - centre) < within * within;
    };
    for (std::size_t g = 0; g < eights.size(); ++g) {
      if (!can_be_nearer(eights[g].around.centre, eights[g].around.radius + eights[g].largest)) {
        continue;
      }
      const std::size_t last = std::min(kSiblings * (g + 1), balls.size());
      for (std::size_t k = kSiblings * g; k < last; ++k) {
        if (balls[k].radius >= 0.0 && can_be_nearer(balls[k].centre, balls[k].radius)) {
          least = between(points[p], balls[k].centre) - balls[k].radius;
          best = static_cast<std::int64_t>(k);
        }
      }
    }
    found[p] = best;
  }
  return found;
}

}  // namespace generative_ik::collision::building
