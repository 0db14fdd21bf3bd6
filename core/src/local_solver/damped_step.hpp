/// One iteration of damped least squares, as a template over the number type.
///
/// The error of orientation is the chord 2 sin(angle / 2) along the axis of rotation, from unit
/// quaternions: no inverse trigonometric function, and 180 degrees need no special case. The
/// damping grows with the squared error (T. Sugihara, Solvability-unconcerned inverse kinematics
/// by the Levenberg-Marquardt method, IEEE T-RO 27(5), 2011). Joints at a limit that would be
/// pushed beyond it are left out of the step.
#pragma once

#include "damped_equations.hpp"
#include "lane_problem.hpp"
#include "lane_view.hpp"

namespace generative_ik {

using simd::Frame;
using simd::select;
using simd::Vector3;

/// The iteration for the lanes from `first` on that a `Number` holds.
template <class Number>
class DampedStep {
 public:
  GENERATIVE_IK_INLINE DampedStep(const LaneChain& chain, const LaneRows& rows, int first)
      : chain_(chain), rows_(rows), view_(first) {}

  /// Computes tip and errors.
  GENERATIVE_IK_INLINE void measure() const;
  /// Moves the configurations.
  GENERATIVE_IK_INLINE void advance(const LaneOptions& options, const double* lower,
                                    const double* upper) const;
  /// Writes the weighted geometric Jacobian after `measure`, six rows for each variable: linear,
  /// then angular.
  GENERATIVE_IK_INLINE void writeJacobian(const LaneOptions& options) const;

 private:
  // Sets the columns of variables at a limit that would be pushed beyond it to 0.
  GENERATIVE_IK_INLINE void holdAtLimits(const Number* e, const double* lower,
                                         const double* upper) const;

  // Copies, so that the compiler knows that no row overlaps them.
  const LaneChain chain_;
  const LaneRows rows_;
  LaneView<Number> view_;
};

template <class Number>
GENERATIVE_IK_INLINE void DampedStep<Number>::measure() const {
  Frame<Number> frame = Frame<Number>::identity();
  for (std::int64_t j = 0; j < chain_.num_joints; ++j) {
    frame.move(chain_.origins + kPoseNumbers * j);
    const Vector3<Number> axis = zAxisOf(frame.q);
    view_.store(rows_.axes + 6 * j, axis);
    view_.store(rows_.axes + 6 * j + 3, frame.p);
    const Number position =
        view_.load(rows_.seeds.q + chain_.variable[j]) * Number(chain_.multiplier[j]) +
        Number(chain_.offset[j]);
    if (chain_.prismatic[j] != 0) {
      frame.p = frame.p + position * axis;
    } else {
      frame.turnAboutZ(position);
    }
  }
  frame.move(chain_.tip);
  view_.store(rows_.tip, frame.p);
  const Frame<Number> target = view_.frame(rows_.target);
  const Vector3<Number> gap = target.p - frame.p;
  const Vector3<Number> turn = chordBetween(frame.q, target.q);
  view_.store(rows_.error, gap);
  view_.store(rows_.error + 3, turn);
  view_.store(rows_.seeds.position_error, lengthOf(gap));
  view_.store(rows_.seeds.orientation_error, lengthOf(turn));
}

template <class Number>
GENERATIVE_IK_INLINE void DampedStep<Number>::writeJacobian(const LaneOptions& options) const {
  for (std::int64_t i = 0; i < 6 * chain_.num_variables; ++i) {
    view_.store(rows_.jacobian + i, Number(0.0));
  }
  const Vector3<Number> tip = view_.vector(rows_.tip);
  for (std::int64_t j = 0; j < chain_.num_joints; ++j) {
    const std::int64_t variable = chain_.variable[j];
    const double unit = chain_.multiplier[j] * chain_.scale[variable];
    LaneRow* column = rows_.jacobian + 6 * variable;
    const Vector3<Number> axis = view_.vector(rows_.axes + 6 * j);
    Vector3<Number> velocity = axis;
    if (chain_.prismatic[j] == 0) {
      velocity = cross(axis, tip - view_.vector(rows_.axes + 6 * j + 3));
      const double angular = options.orientation_weight * unit;
      view_.store(column + 3, view_.vector(column + 3) + angular * axis);
    }
    const double linear = options.position_weight * unit;
    view_.store(column, view_.vector(column) + linear * velocity);
  }
}

template <class Number>
GENERATIVE_IK_INLINE void DampedStep<Number>::holdAtLimits(const Number* e, const double* lower,
                                                           const double* upper) const {
  const Number zero = 0.0;
  const Number one = 1.0;
  for (std::int64_t v = 0; v < chain_.num_variables; ++v) {
    LaneRow* column = rows_.jacobian + 6 * v;
    Number push = view_.load(column) * e[0];
    for (int k = 1; k < 6; ++k) {
      push += view_.load(column + k) * e[k];
    }
    const Number q = view_.load(rows_.seeds.q + v);
    const Number up = select(q < Number(upper[v]), one, zero);
    const Number down = select(Number(lower[v]) < q, one, zero);
    const Number free = select(zero < push, up, down);
    for (int k = 0; k < 6; ++k) {
      view_.store(column + k, view_.load(column + k) * free);
    }
  }
}

template <class Number>
GENERATIVE_IK_INLINE void DampedStep<Number>::advance(const LaneOptions& options,
                                                      const double* lower,
                                                      const double* upper) const {
  const Number linear = options.position_weight;
  const Number angular = view_.load(rows_.seeds.stretch) * Number(options.orientation_weight);
  Number sides[1][6];  // NOLINT(*-avoid-c-arrays)
  Number* e = sides[0];
  Number squared_error = 0.0;
  for (int k = 0; k < 6; ++k) {
    e[k] = view_.load(rows_.error + k) * (k < 3 ? linear : angular);
    squared_error += e[k] * e[k];
  }
  writeJacobian(options);
  holdAtLimits(e, lower, upper);
  solveDamped([this](std::int64_t v, int i) { return view_.load(rows_.jacobian + 6 * v + i); },
              chain_.num_variables,
              squared_error * view_.load(rows_.seeds.damping) + Number(kLeastDamping), sides);
  const Number moving = view_.load(rows_.seeds.moving);
  const Number longest = options.max_step;
  for (std::int64_t v = 0; v < chain_.num_variables; ++v) {
    const LaneRow* column = rows_.jacobian + 6 * v;
    Number step = view_.load(column) * e[0];
    for (int k = 1; k < 6; ++k) {
      step += view_.load(column + k) * e[k];
    }
    step = simd::clamp(step, -longest, longest);
    const Number q = view_.load(rows_.seeds.q + v) + step * moving * Number(chain_.scale[v]);
    view_.store(rows_.seeds.q + v, simd::clamp(q, Number(lower[v]), Number(upper[v])));
  }
}

}  // namespace generative_ik
