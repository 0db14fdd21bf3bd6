/// Where the tips of a tree are, and how far from their targets or regions.
#pragma once

#include "bounded_rotation.hpp"

namespace generative_ik {

/// Computes the errors of configurations, for `GoalStep`.
template <class Number>
class GoalErrors {
 public:
  GENERATIVE_IK_INLINE GoalErrors(const GoalTree& tree, const LaneOptions& options,
                                  const GoalRows& rows, int first)
      : tree_(tree), options_(options), rows_(rows), view_(first) {}

  GENERATIVE_IK_INLINE void measure() const;

 private:
  /// Lengths of the errors of a goal.
  struct Gap {
    Number position;     // [m]
    Number orientation;  // chord [rad]
  };

  // Stores each joint's axis and origin, and the moved frames from which others begin.
  GENERATIVE_IK_INLINE void placeJoints() const;
  // The frame in a slot, or of the base.
  [[nodiscard]] GENERATIVE_IK_INLINE Frame<Number> frameIn(std::int64_t slot) const;
  // A goal's tip and target in the base.
  [[nodiscard]] GENERATIVE_IK_INLINE Frame<Number> tipOf(std::int64_t goal) const;
  [[nodiscard]] GENERATIVE_IK_INLINE Frame<Number> targetOf(std::int64_t goal) const;
  // Stores the errors of a goal: in the base's axes, but where its region leaves room in the
  // directions that are constrained, which are stored as well.
  GENERATIVE_IK_INLINE Gap gapOf(std::int64_t goal, const Frame<Number>& tip,
                                 const Frame<Number>& target) const;
  [[nodiscard]] GENERATIVE_IK_INLINE Vector3<Number> gapToBox(std::int64_t goal,
                                                              const Axes<Number>& axes,
                                                              const Vector3<Number>& gap) const;
  // Of a coordinate in the target's frame; and in which direction it is constrained.
  [[nodiscard]] GENERATIVE_IK_INLINE Number gapToBounds(std::int64_t goal, int coordinate,
                                                        const Vector3<Number>& axis,
                                                        const Vector3<Number>& gap) const;
  [[nodiscard]] GENERATIVE_IK_INLINE RotationGap<Number> gapOfRotation(
      std::int64_t goal, const Quaternion<Number>& tip, const Quaternion<Number>& target) const;

  [[nodiscard]] GENERATIVE_IK_INLINE const LaneRow* targetRow(std::int64_t goal) const {
    return rows_.target + GoalRows::kTargetSize * goal;
  }
  [[nodiscard]] GENERATIVE_IK_INLINE const LaneRow* regionRow(std::int64_t goal) const {
    return targetRow(goal) + 7;
  }

  // Copies, so that the compiler knows that no row overlaps them.
  const GoalTree tree_;
  const LaneOptions options_;
  const GoalRows rows_;
  LaneView<Number> view_;
};

template <class Number>
GENERATIVE_IK_INLINE void GoalErrors<Number>::measure() const {
  placeJoints();
  Number largest = 0.0;
  Number widest = 0.0;
  Number total = 0.0;
  for (std::int64_t g = 0; g < tree_.num_goals; ++g) {
    const Frame<Number> tip = tipOf(g);
    view_.store(rows_.tip + 3 * g, tip.p);
    const Gap gap = gapOf(g, tip, targetOf(g));
    largest = simd::larger(largest, gap.position);
    widest = simd::larger(widest, gap.orientation);
    const Number linear = gap.position * options_.position_weight;
    const Number angular = gap.orientation * options_.orientation_weight;
    total += linear * linear + angular * angular;
  }
  view_.store(rows_.seeds.position_error, largest);
  view_.store(rows_.seeds.orientation_error, widest);
  view_.store(rows_.error, total);
}

template <class Number>
GENERATIVE_IK_INLINE void GoalErrors<Number>::placeJoints() const {
  Frame<Number> frame = Frame<Number>::identity();
  Vector3<Number> axis = zAxisOf(frame.q);
  for (std::int64_t j = 0; j < tree_.num_joints; ++j) {
    if (tree_.begin[j] != GoalTree::kBefore) {
      frame = frameIn(tree_.begin[j]);
      axis = zAxisOf(frame.q);
    }
    frame.moveToNext(tree_.origins + 7 * j, axis);
    axis = zAxisOf(frame.q);
    view_.store(rows_.axes + 6 * j, axis);
    view_.store(rows_.axes + 6 * j + 3, frame.p);
    const Number position =
        view_.load(rows_.seeds.q + tree_.variable[j]) * tree_.multiplier[j] + tree_.offset[j];
    if (tree_.prismatic[j] != 0) {
      frame.p = frame.p + position * axis;
    } else {
      frame.turnAboutZ(position);
    }
    if (tree_.slot[j] >= 0) {
      view_.store(rows_.slots + 7 * tree_.slot[j], frame);
    }
  }
}

template <class Number>
GENERATIVE_IK_INLINE Frame<Number> GoalErrors<Number>::frameIn(std::int64_t slot) const {
  return slot < 0 ? Frame<Number>::identity() : view_.frame(rows_.slots + 7 * slot);
}

template <class Number>
GENERATIVE_IK_INLINE Frame<Number> GoalErrors<Number>::tipOf(std::int64_t goal) const {
  Frame<Number> tip = frameIn(tree_.tip_slot[goal]);
  tip.move(tree_.tip + 7 * goal);
  return tip;
}

template <class Number>
GENERATIVE_IK_INLINE Frame<Number> GoalErrors<Number>::targetOf(std::int64_t goal) const {
  const Frame<Number> target = view_.frame(targetRow(goal));
  if (tree_.reference_slot[goal] == GoalTree::kIdentity) {
    return target;
  }
  Frame<Number> reference = frameIn(tree_.reference_slot[goal]);
  reference.move(tree_.reference + 7 * goal);
  reference.move(target);
  return reference;
}

template <class Number>
GENERATIVE_IK_INLINE typename GoalErrors<Number>::Gap GoalErrors<Number>::gapOf(
    std::int64_t goal, const Frame<Number>& tip, const Frame<Number>& target) const {
  const std::int64_t bounded = tree_.bounded[goal];
  Vector3<Number> gap = target.p - tip.p;
  if ((bounded & kBoundedRoom) != 0) {
    gap = gapToBox(goal, axesOf(target.q), gap);
  }
  view_.store(rows_.gap + 6 * goal, gap);
  Vector3<Number> turn{};
  Number chord = 0.0;
  if ((bounded & kBoundedTurns) != 0) {
    const RotationGap<Number> found = gapOfRotation(goal, tip.q, target.q);
    for (int k = 0; k < 3; ++k) {
      view_.store(rows_.directions + 18 * goal + 9 + 3 * k, found.axes[k]);
    }
    turn = found.error;
    chord = found.chord;
  } else {
    turn = chordBetween(tip.q, target.q);
    chord = lengthOf(turn);
  }
  view_.store(rows_.gap + 6 * goal + 3, turn);
  return {lengthOf(gap), chord};
}

template <class Number>
GENERATIVE_IK_INLINE Vector3<Number> GoalErrors<Number>::gapToBox(
    std::int64_t goal, const Axes<Number>& axes, const Vector3<Number>& gap) const {
  return {gapToBounds(goal, 0, axes.x, gap), gapToBounds(goal, 1, axes.y, gap),
          gapToBounds(goal, 2, axes.z, gap)};
}

template <class Number>
GENERATIVE_IK_INLINE Number GoalErrors<Number>::gapToBounds(std::int64_t goal, int coordinate,
                                                            const Vector3<Number>& axis,
                                                            const Vector3<Number>& gap) const {
  const Number lower = view_.load(regionRow(goal) + RegionRow::kLower + coordinate);
  const Number upper = view_.load(regionRow(goal) + RegionRow::kUpper + coordinate);
  const Number value = -dot(axis, gap);
  const Number constrained =
      select(simd::both(lower < value, value < upper), Number(0.0), Number(1.0));
  view_.store(rows_.directions + 18 * goal + 3 * coordinate, constrained * axis);
  return simd::clamp(value, lower, upper) - value;
}

template <class Number>
GENERATIVE_IK_INLINE RotationGap<Number> GoalErrors<Number>::gapOfRotation(
    std::int64_t goal, const Quaternion<Number>& tip, const Quaternion<Number>& target) const {
  const LaneRow* region = regionRow(goal);
  const Number zero = 0.0;
  const Number kind = view_.load(region + RegionRow::kKind);
  // Lanes whose region leaves all rotations free have no error here.
  const Number held = select(kind < Number(0.5), Number(1.0), zero);
  const Vector3<Number> turn = held * chordBetween(tip, target);
  RotationGap<Number> gap = {
      turn, {{held, zero, zero}, {zero, held, zero}, {zero, zero, held}}, lengthOf(turn)};
  if ((tree_.bounded[goal] & kBoundedCone) != 0) {
    const MaskOf<Number> in_cone = simd::both(Number(1.5) < kind, kind < Number(2.5));
    gap = select(in_cone, gapToCone(view_, region, axesOf(target), axesOf(tip)), gap);
  }
  if ((tree_.bounded[goal] & kBoundedAngles) != 0) {
    gap = select(Number(2.5) < kind, gapToAngles(view_, region, target, tip), gap);
  }
  return gap;
}

}  // namespace generative_ik
