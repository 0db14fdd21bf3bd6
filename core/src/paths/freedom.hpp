/// In which ways the poses of a path hold the tip, and in which they leave it free.
///
/// A way in which a tip is held is a row of a linear and an angular part, in the base: its
/// velocity along it is 0. A pose without a region holds the tip in six.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "task.hpp"

namespace generative_ik::paths {

using Six = std::array<double, 6>;
using SixFlags = std::array<bool, 6>;

/// What is the same for all tips of a task: the chain, weights and tolerances.
struct TipNumbers {
  verify::RodriguesChain chain;
  Six weight;     ///< What a unit of each coordinate counts; 0: nothing.
  Six tolerance;  ///< Bounds that are closer to each other than two of these leave no room.
};

/// How configurations hold their tips, within regions where there are some. Of a tree it knows
/// nothing: its goals say themselves what they hold (`NullSpace`).
class HeldTips {
 public:
  /// Args: positions: the configurations. poses: of each of them.
  HeldTips(const PathTask& task, const TipNumbers& numbers, const Rows& positions,
           const std::vector<std::int64_t>& poses);

  /// The ways (6, 6) in which a tip is held.
  [[nodiscard]] const double* ways(std::int64_t row) const {
    return ways_[tips_.empty() ? 0 : at(row)].data();
  }

  /// Holds what is at a bound and would leave it on the way to other configurations as well, of
  /// each configuration the coordinate that would leave it furthest. Returns whether there is any.
  bool stop(const Rows& moved);

 private:
  struct Tip {
    verify::Region region;
    verify::Frame<double> target;
    verify::Frame<double> frame;
    SixFlags room;   ///< Which coordinates have more than one value.
    SixFlags stops;  ///< Which of them have bounds to stop at.
    Six lower;
    Six upper;
    Six before;
  };

  void writeWays(std::int64_t row);
  [[nodiscard]] SixFlags beyond(const Tip& tip, const verify::Frame<double>& moved) const;

  const TipNumbers& numbers_;
  std::vector<Tip> tips_;
  std::vector<std::array<double, 36>> ways_;
};

/// Constraints of the tip's velocity at each pose of a task.
class Freedom {
 public:
  /// Keeps the task by reference.
  explicit Freedom(const PathTask& task);

  /// The largest dimension of the joints' null space at any pose. Approximations are minima of an
  /// error, so it holds them as well.
  [[nodiscard]] std::int64_t nullity() const { return nullity_; }
  [[nodiscard]] const verify::RodriguesChain& chain() const { return numbers_.chain; }
  [[nodiscard]] HeldTips at(const Rows& positions, const std::vector<std::int64_t>& poses) const {
    return {task_, numbers_, positions, poses};
  }

 private:
  const PathTask& task_;
  TipNumbers numbers_;
  std::int64_t nullity_;
};

}  // namespace generative_ik::paths
