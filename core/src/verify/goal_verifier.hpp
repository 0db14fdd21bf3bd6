/// Measures how far the tips of a tree are from their targets, or the regions about them.
#pragma once

#include <cstdint>

#include "../parallel/checkpoint.hpp"
#include "region.hpp"
#include "rodrigues_tree.hpp"

namespace generative_ik::verify {

/// Regions about the targets of a call: one for all, or one for each.
struct Regions {
  std::int64_t count;           // R
  const double* numbers;        // (R, G, 14), see `Region`
  const std::int64_t* bounded;  // (G) 0 where the goal is a pose

  [[nodiscard]] GENERATIVE_IK_INLINE const double* of(std::int64_t target,
                                                      std::int64_t goals) const {
    return numbers + (count > 1 ? target * goals * Region::kSize : 0);
  }
};

/// The largest errors of all goals.
struct GoalGap {
  PoseGap gap;
  bool inside;  // whether all tips keep the bounds that leave room
};

/// Narrower bounds need not be kept exactly.
struct Tolerances {
  double position;     // [m]
  double orientation;  // [rad]
};

/// Measures one configuration (n) against a target: the poses (G, 4, 4) of its goals. `slots` is
/// memory for the frames of the tree's slots.
GoalGap measureGoals(const RodriguesTree& tree, const Regions& regions,
                     const Tolerances& tolerances, const double* q, const double* targets,
                     std::int64_t target, Frame<double>* slots);

/// Measures a tip in the base (4, 4), which `placeTips` has written, against the region about a
/// target (4, 4).
GoalGap measureTip(const Region& region, const Tolerances& tolerances, const double* tip,
                   const double* target);

/// Writes the largest distance [m] and angle [rad] of each of `count` configurations (n) from
/// target `target_of_row` of it, of targets (T, G, 4, 4); of many by all threads.
void measureGoals(const RodriguesTree& tree, const Regions& regions, const double* positions,
                  std::int64_t num_variables, std::int64_t count, const double* targets,
                  const std::int64_t* target_of_row, PoseGap* gaps,
                  const parallel::StopWhen& stop = {});

}  // namespace generative_ik::verify
