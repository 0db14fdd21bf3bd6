/// Null-space smoothing of a path: shorter, without leaving poses, limits or free space.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "freedom.hpp"
#include "motion_check.hpp"
#include "null_space.hpp"
#include "objective.hpp"

namespace generative_ik::paths {

/// Which motions of a path collide by the shapes themselves; -1 is its first pose.
using Hits = std::function<std::vector<std::int64_t>(const Rows& path)>;

/// Shortens paths. Every configuration may move along the self-motions of its pose; to first order
/// the sum of the weighted squares of the motions is then quadratic in these moves, and its
/// minimum follows from a block tridiagonal system, whose blocks are as large as the null space.
class Smoother {
 public:
  /// Keeps both by reference.
  Smoother(const PathTask& task, const MotionCheck& motions)
      : task_(task), motions_(motions), freedom_(task) {}

  [[nodiscard]] std::int64_t nullity() const { return freedom_.nullity(); }

  /// A better path through the same poses than a valid one, or the same path. Args: held: which
  /// configurations stay.
  [[nodiscard]] Rows improve(const Rows& path, std::vector<char> held,
                             const Comparison& comparison, const Hits& hits) const;

  /// A shorter path through the same poses, or the same. The path is valid but for collisions that
  /// spheres cannot tell; on these nothing is decided here. Args: even: whether the largest
  /// motions are made smaller, rather than the sum of all.
  [[nodiscard]] Rows shorten(Rows path, const std::vector<char>& held, bool even) const;

  /// A path through the same poses with another end, or none: the difference is spread over the
  /// whole path. Limits and steps are kept; collisions are not looked at.
  [[nodiscard]] std::optional<Rows> bend(Rows path, const double* end) const;

 private:
  [[nodiscard]] Rows moves(const Rows& path, const std::vector<double>& stiffness,
                           const std::vector<char>& held) const;
  void step(const Rows& path, const std::vector<double>& stiffness, const std::vector<char>& held,
            const std::vector<char>& stopped, const HeldTips& tips, Rows& moves) const;
  [[nodiscard]] Rows moved(const Rows& path, const Rows& moves, double reach,
                           std::vector<std::int64_t>& stuck) const;

  const PathTask& task_;
  const MotionCheck& motions_;
  Freedom freedom_;
};

}  // namespace generative_ik::paths
