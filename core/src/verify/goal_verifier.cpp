#include "goal_verifier.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "../parallel/for_each.hpp"

namespace generative_ik::verify {
namespace {

// Configurations that a thread measures at a time.
constexpr std::int64_t kGoalsPiece = 2048;

// NaN if either is.
double largest(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

// A pose (4, 4).
Frame<double> frameOf(const double* pose) {
  return {{{pose[0], pose[1], pose[2]}, {pose[4], pose[5], pose[6]}, {pose[8], pose[9], pose[10]}},
          {pose[3], pose[7], pose[11]}};
}

// Of a tip as it is seen from its target.
GoalGap gapOf(const Region& region, const Tolerances& tolerances, const Frame<double>& tip) {
  const RegionGap position = outsideBox(region, tip.origin, tolerances.position);
  const RegionGap angle = region.isCone() ? outsideCone(region, tip, tolerances.orientation)
                                          : outsideAngles(region, tip, tolerances.orientation);
  return {{position.excess, angle.excess}, position.inside && angle.inside};
}

// What `measureGoals` returns, of joints as they were placed.
GoalGap gapsOf(const RodriguesTree& tree, const Regions& regions, const Tolerances& tolerances,
               const double* targets, std::int64_t target, const Frame<double>* slots) {
  const double* poses = targets + 16 * tree.num_goals * target;
  const double* numbers = regions.of(target, tree.num_goals);
  GoalGap all = {{0.0, 0.0}, true};
  for (std::int64_t g = 0; g < tree.num_goals; ++g) {
    const double* pose = poses + 16 * g;
    const Frame<double> tip = tipInTarget(
        tree, g, [pose](int i, int j) { return pose[4 * i + j]; }, slots);
    const GoalGap one = regions.bounded[g] == 0
                            ? GoalGap{{lengthOf(tip.origin), angleOf(tip)}, true}
                            : gapOf({numbers + Region::kSize * g}, tolerances, tip);
    all.gap.distance = largest(all.gap.distance, one.gap.distance);
    all.gap.angle = largest(all.gap.angle, one.gap.angle);
    all.inside = all.inside && one.inside;
  }
  return all;
}

void place(const RodriguesTree& tree, const double* q, Frame<double>* slots) {
  placeSlots<double>(
      tree, [q](std::int64_t v) { return q[v]; }, slots);
}

}  // namespace

bool countSlots(RodriguesTree& tree) {
  const std::int64_t joints = tree.joints.num_joints;
  std::int64_t last = -1;
  for (std::int64_t j = 0; j < joints; ++j) {
    if (tree.slot[j] >= joints) {
      return false;
    }
    last = std::max(last, tree.slot[j]);
  }
  tree.num_slots = last + 1;
  const auto all_known = [last](const std::int64_t* slots, std::int64_t count) {
    return std::all_of(slots, slots + count, [last](std::int64_t slot) { return slot <= last; });
  };
  return last < joints && all_known(tree.begin, joints) &&
         all_known(tree.tip_slot, tree.num_goals) &&
         all_known(tree.reference_slot, tree.num_goals);
}

GoalGap measureGoals(const RodriguesTree& tree, const Regions& regions,
                     const Tolerances& tolerances, const double* q, const double* targets,
                     std::int64_t target, Frame<double>* slots) {
  place(tree, q, slots);
  return gapsOf(tree, regions, tolerances, targets, target, slots);
}

GoalGap measureTip(const Region& region, const Tolerances& tolerances, const double* tip,
                   const double* target) {
  return gapOf(region, tolerances, seenFrom(frameOf(target), frameOf(tip)));
}

void measureGoals(const RodriguesTree& tree, const Regions& regions, const double* positions,
                  std::int64_t num_variables, std::int64_t count, const double* targets,
                  const std::int64_t* target_of_row, PoseGap* gaps,
                  const parallel::StopWhen& stop) {
  const auto measure_some = [&](std::int64_t first, std::int64_t last) {
    std::vector<Frame<double>> slots(static_cast<std::size_t>(tree.num_slots));
    for (std::int64_t s = first; s < last; ++s) {
      const double* q = positions + num_variables * s;
      // One configuration is often measured against several targets in turn.
      if (s == first || !std::equal(q, q + num_variables, q - num_variables)) {
        place(tree, q, slots.data());
      }
      gaps[s] = gapsOf(tree, regions, {0.0, 0.0}, targets, target_of_row[s], slots.data()).gap;
    }
  };
  parallel::forRanges(count, kGoalsPiece, measure_some, stop);
}

}  // namespace generative_ik::verify
