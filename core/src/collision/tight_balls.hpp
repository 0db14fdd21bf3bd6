/// Balls around parts of a solid that reach little beyond it: the covers of collision bodies.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace generative_ik::collision {

/// How deep points lie in a shape, on a grid.
struct DepthGrid {
  /// Between the cells' centres linear, beyond the outermost ones constant [m].
  [[nodiscard]] double at(const double* point) const;

  std::array<double, 3> origin;        ///< the centre of the first cell [m]
  double size;                         ///< the edge of a cell [m]
  std::array<std::int64_t, 3> counts;  ///< of cells, each at least 1
  const double* depth;                 ///< (counts), of the cells' centres; below 0 outside [m]
};

/// Small balls in groups.
struct BallGroups {
  const double* points;       ///< (N, 3), their centres [m]
  const double* reach;        ///< (N,), their radii, 0 for points [m]
  const std::int64_t* first;  ///< (groups + 1), where each group begins; none is empty
  std::int64_t count;         ///< of groups
};

/// How a ball is looked for.
struct TightBallSearch {
  const double* directions;  ///< (D, 3), in which a group's outermost points are taken for it
  std::int64_t num_directions;
  const double* steps;  ///< (S, 3), directions in which the centre moves
  std::int64_t num_steps;
  int rounds;
};

/// Writes a ball (4) for each group that contains all its small balls. Of all that do, the one is
/// looked for, by a pattern search, that reaches least beyond what `grids` are of: that is not the
/// smallest. One centred on a flat surface stands out of it by its radius, and one with its centre
/// deep inside, through the same points, hardly at all. Without grids the smallest is looked for.
void tightBalls(const BallGroups& groups, const std::vector<DepthGrid>& grids,
                const TightBallSearch& search, double* balls);

/// Writes for each of the points (count, 3) the ball, of (num_balls, 4), that it is deepest in or
/// least outside of.
void ballsAt(const double* points, std::int64_t count, const double* balls, std::int64_t num_balls,
             std::int64_t* found);

}  // namespace generative_ik::collision
