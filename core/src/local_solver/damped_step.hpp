/// One iteration of damped least squares, as a template over the number type.
///
/// The error of orientation is the chord 2 sin(angle / 2) along the axis of rotation, from unit
/// quaternions: no inverse trigonometric function, and 180 degrees need no special case. The
/// damping grows with the squared error (T. Sugihara, Solvability-unconcerned inverse kinematics
/// by the Levenberg-Marquardt method, IEEE T-RO 27(5), 2011). Joints at a limit that would be
/// pushed beyond it are left out of the step.
#pragma once

#include "../simd/unrolled.hpp"
#include "damped_equations.hpp"
#include "lane_problem.hpp"
#include "lane_view.hpp"

namespace generative_ik {

using simd::Frame;
using simd::select;
using simd::Vector3;

/// How the iteration in lanes sees a chain of any joints, whose rows are in memory. Another layout
/// has the same types and functions: a GPU's threads have their own.
template <class Number>
struct InLanes {
  using Scalar = double;  ///< Of the chain, the options and the bounds.
  using Row = LaneRow;
  using View = LaneView<Number>;

  GENERATIVE_IK_INLINE static std::int64_t joints(const LaneChain& chain) {
    return chain.num_joints;
  }
  GENERATIVE_IK_INLINE static std::int64_t variables(const LaneChain& chain) {
    return chain.num_variables;
  }
  /// Which variable drives a joint.
  GENERATIVE_IK_INLINE static std::int64_t variable(const LaneChain& chain, std::int64_t joint) {
    return chain.variable[joint];
  }
};

/// The iteration for the lanes from `first` on that a `Number` holds.
template <class Number, class Layout = InLanes<Number>>
class DampedStep {
 public:
  using Scalar = typename Layout::Scalar;
  using Row = typename Layout::Row;

  GENERATIVE_IK_INLINE DampedStep(const StepChain<Scalar>& chain, const StepRows<Row>& rows,
                                  int first)
      : chain_(chain), rows_(rows), view_(first) {}

  /// Computes tip and errors.
  GENERATIVE_IK_INLINE void measure() const;
  /// Moves the configurations.
  GENERATIVE_IK_INLINE void advance(const StepOptions<Scalar>& options, const Scalar* lower,
                                    const Scalar* upper) const;
  /// Writes the weighted geometric Jacobian after `measure`, six rows for each variable: linear,
  /// then angular.
  GENERATIVE_IK_INLINE void writeJacobian(const StepOptions<Scalar>& options) const;

 private:
  // Sets the columns of variables at a limit that would be pushed beyond it to 0.
  GENERATIVE_IK_INLINE void holdAtLimits(const Number* e, const Scalar* lower,
                                         const Scalar* upper) const;

  // Copies, so that the compiler knows that no row overlaps them.
  const StepChain<Scalar> chain_;
  const StepRows<Row> rows_;
  typename Layout::View view_;
};

template <class Number, class Layout>
GENERATIVE_IK_INLINE void DampedStep<Number, Layout>::measure() const {
  Frame<Number> frame = Frame<Number>::identity();
  Vector3<Number> axis = zAxisOf(frame.q);
  // GCC would call it, with all lanes in memory.
  const auto pass = [&](auto j) __attribute__((always_inline)) {
    frame.moveToNext(chain_.origins + kPoseNumbers * j, axis);
    axis = zAxisOf(frame.q);
    view_.store(rows_.axes + 6 * j, axis);
    view_.store(rows_.axes + 6 * j + 3, frame.p);
    const Number position =
        view_.load(rows_.seeds.q + Layout::variable(chain_, j)) * Number(chain_.multiplier[j]) +
        Number(chain_.offset[j]);
    if (chain_.prismatic[j] != 0) {
      frame.p = frame.p + position * axis;
    } else {
      frame.turnAboutZ(position);
    }
  };
  simd::forEach(Layout::joints(chain_), pass);
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

template <class Number, class Layout>
GENERATIVE_IK_INLINE void DampedStep<Number, Layout>::writeJacobian(
    const StepOptions<Scalar>& options) const {
  // Where each variable drives one joint, there is nothing to add to.
  const bool adds = Layout::joints(chain_) != Layout::variables(chain_);
  const Vector3<Number> zero = {Number(Scalar(0.0)), Number(Scalar(0.0)), Number(Scalar(0.0))};
  if (adds) {
    simd::forEach(Layout::variables(chain_), [&](auto v) {
      view_.store(rows_.jacobian + 6 * v, zero);
      view_.store(rows_.jacobian + 6 * v + 3, zero);
    });
  }
  const Vector3<Number> tip = view_.vector(rows_.tip);
  simd::forEach(Layout::joints(chain_), [&](auto j) {
    const auto variable = Layout::variable(chain_, j);
    const Scalar unit = chain_.multiplier[j] * chain_.scale[variable];
    Row* column = rows_.jacobian + 6 * variable;
    const auto put = [&](Row* rows, const Vector3<Number>& part) __attribute__((always_inline)) {
      view_.store(rows, adds ? view_.vector(rows) + part : part);
    };
    const Vector3<Number> axis = view_.vector(rows_.axes + 6 * j);
    const Scalar linear = options.position_weight * unit;
    if (chain_.prismatic[j] == 0) {
      const Scalar angular = options.orientation_weight * unit;
      put(column, linear * cross(axis, tip - view_.vector(rows_.axes + 6 * j + 3)));
      put(column + 3, angular * axis);
    } else {
      put(column, linear * axis);
      put(column + 3, zero);
    }
  });
}

template <class Number, class Layout>
GENERATIVE_IK_INLINE void DampedStep<Number, Layout>::holdAtLimits(const Number* e,
                                                                   const Scalar* lower,
                                                                   const Scalar* upper) const {
  const Number zero = Scalar(0.0);
  const Number one = Scalar(1.0);
  simd::forEach(Layout::variables(chain_), [&](auto v) {
    Row* column = rows_.jacobian + 6 * v;
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
  });
}

template <class Number, class Layout>
GENERATIVE_IK_INLINE void DampedStep<Number, Layout>::advance(const StepOptions<Scalar>& options,
                                                              const Scalar* lower,
                                                              const Scalar* upper) const {
  const Number linear = options.position_weight;
  const Number angular = view_.load(rows_.seeds.stretch) * Number(options.orientation_weight);
  Number sides[1][6];  // NOLINT(*-avoid-c-arrays)
  Number* e = sides[0];
  Number squared_error = Scalar(0.0);
  for (int k = 0; k < 6; ++k) {
    e[k] = view_.load(rows_.error + k) * (k < 3 ? linear : angular);
    squared_error += e[k] * e[k];
  }
  writeJacobian(options);
  holdAtLimits(e, lower, upper);
  solveDamped(
      [this](auto v, int i) { return view_.load(rows_.jacobian + 6 * v + i); },
      Layout::variables(chain_),
      squared_error * view_.load(rows_.seeds.damping) + Number(Scalar(kLeastDamping<Number>)),
      sides);
  const Number moving = view_.load(rows_.seeds.moving);
  const Number longest = options.max_step;
  simd::forEach(Layout::variables(chain_), [&](auto v) {
    const Row* column = rows_.jacobian + 6 * v;
    Number step = view_.load(column) * e[0];
    for (int k = 1; k < 6; ++k) {
      step += view_.load(column + k) * e[k];
    }
    step = simd::clamp(step, -longest, longest);
    const Number q = view_.load(rows_.seeds.q + v) + step * moving * Number(chain_.scale[v]);
    view_.store(rows_.seeds.q + v, simd::clamp(q, Number(lower[v]), Number(upper[v])));
  });
}

}  // namespace generative_ik
