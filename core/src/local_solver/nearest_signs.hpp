/// What is seen of all lanes that step towards the solutions nearest to references.
///
/// Which lane has come how far cannot be predicted by a processor that meets a branch for each:
/// all are looked at side by side.
#pragma once

#include "../simd/masks.hpp"
#include "lane_view.hpp"

namespace generative_ik {

/// Looks at the lanes from `first` on that a `Number` holds, after `DampedStep::measure`, and
/// counts the steps that they will have taken next time.
template <class Number>
GENERATIVE_IK_INLINE NearestSigns signsOf(const LaneOptions& options, const NearestRules& rules,
                                          const LaneRows& rows, const NearestRows& nearest,
                                          int first) {
  const LaneView<Number> view(first);
  const auto less = [](const Number& a, const Number& b) { return simd::bitsWhereLess(a, b); };
  const Number one = 1.0;
  const Number steps = view.load(nearest.steps);
  const Number position =
      view.load(rows.seeds.position_error) * Number(options.position_weight == 0.0 ? 0.0 : 1.0);
  const Number chord = view.load(rows.seeds.orientation_error) *
                       Number(options.orientation_weight == 0.0 ? 0.0 : 1.0);
  const Number error = select(position < chord, chord, position);
  const Number left = view.load(nearest.left);
  const Number distance = view.load(nearest.distance);
  const auto share_of_distance = [&](double share) {
    return distance * Number(share * share) + Number(rules.tiny * rules.tiny);
  };
  const unsigned began = less(Number(0.5), steps);
  const unsigned almost = began & less(error, Number(rules.almost));
  const unsigned at_first = less(steps, Number(0.5)) & less(Number(rules.far_error), error);
  const unsigned then = less(Number(rules.first_steps - 0.5), steps) &
                        less(steps, Number(rules.first_steps + 0.5)) &
                        less(Number(rules.near_error), error);
  // Errors are squared with each step, but for a factor: that of the last one.
  const Number before = view.load(nearest.worst);
  const Number cube = error * error * error * Number(rules.margin);
  const Number square = before * before;
  NearestSigns signs;
  signs.sure = almost & less(cube, square * Number(rules.exact));
  signs.close = almost & less(left, share_of_distance(rules.left_share)) &
                less(error * error, share_of_distance(rules.error_share));
  signs.known = signs.close & less(error * error, share_of_distance(rules.known_share));
  signs.soon =
      signs.close & less(cube * cube, square * square * share_of_distance(rules.known_share));
  signs.exact = less(error, Number(rules.exact));
  signs.far = (at_first | then) & less(Number(0.5), view.load(nearest.brief));
  signs.due = less(view.load(nearest.check_at) - Number(0.5), steps);
  signs.late = less(Number(rules.most_steps - 0.5), steps);
  view.store(nearest.worst, error);
  view.store(nearest.steps, steps + one);
  return signs;
}

}  // namespace generative_ik
