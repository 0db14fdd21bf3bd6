/// One iteration of damped least squares, as a template over the number type.
///
/// The error of orientation is the chord 2 sin(angle / 2) along the axis of rotation, from unit
/// quaternions: no inverse trigonometric function, and 180 degrees need no special case. The
/// damping grows with the squared error (T. Sugihara, Solvability-unconcerned inverse kinematics
/// by the Levenberg-Marquardt method, IEEE T-RO 27(5), 2011). Joints at a limit that would be
/// pushed beyond it are left out of the step.
#pragma once

#include "../simd/vector3.hpp"
#include "lane_problem.hpp"

namespace generative_ik {

using simd::select;
using simd::Vector3;

template <class Number>
struct Quaternion {
  Number x, y, z, w;
};

template <class Number>
GENERATIVE_IK_DEVICE inline Quaternion<Number> product(const Quaternion<Number>& a,
                                                       const Quaternion<Number>& b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
          a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

template <class Number>
struct Frame {
  Vector3<Number> p;
  Quaternion<Number> q;

  /// Moves the frame on by a pose that is given in it.
  GENERATIVE_IK_DEVICE inline void move(const LanePose& by) {
    const Number x = by.p[0];
    const Number y = by.p[1];
    const Number z = by.p[2];
    const Number two = 2.0;
    const Number tx = two * (q.y * z - q.z * y);
    const Number ty = two * (q.z * x - q.x * z);
    const Number tz = two * (q.x * y - q.y * x);
    p = {p.x + x + q.w * tx + q.y * tz - q.z * ty, p.y + y + q.w * ty + q.z * tx - q.x * tz,
         p.z + z + q.w * tz + q.x * ty - q.y * tx};
    q = product(q, {by.q[0], by.q[1], by.q[2], by.q[3]});
  }
};

/// The iteration for the lanes from `first` on that a `Number` holds.
template <class Number>
class DampedStep {
 public:
  GENERATIVE_IK_DEVICE DampedStep(const LaneProblem& problem, const LaneRows& rows, int first)
      : problem_(problem), rows_(rows), first_(first) {}

  /// Computes tip and errors.
  GENERATIVE_IK_DEVICE inline void evaluate() const;
  /// Moves the configurations.
  GENERATIVE_IK_DEVICE inline void advance() const;

 private:
  // Damping at zero error: it keeps the normal equations solvable at a singularity.
  static constexpr double kLeastDamping = 1e-9;
  // Longer steps than this come from lanes without a seed.
  static constexpr double kLongestStep = 10.0;

  [[nodiscard]] GENERATIVE_IK_DEVICE inline Number load(const LaneRow& row) const {
    Number value;
    __builtin_memcpy(&value, row.lane + first_, sizeof value);
    return value;
  }

  GENERATIVE_IK_DEVICE inline void store(LaneRow& row, const Number& value) const {
    __builtin_memcpy(row.lane + first_, &value, sizeof value);
  }

  // Writes the weighted geometric Jacobian, six rows for each variable: linear, then angular.
  GENERATIVE_IK_DEVICE inline void writeJacobian() const;
  // Sets the columns of variables at a limit that would be pushed beyond it to 0.
  GENERATIVE_IK_DEVICE inline void holdAtLimits(const Number* e) const;
  // Solves (J J^T + damping I) y = e by a factorisation L D L^T; y replaces e.
  GENERATIVE_IK_DEVICE inline void solve(const Number& damping, Number* e) const;

  const LaneProblem& problem_;
  const LaneRows& rows_;
  int first_;
};

template <class Number>
GENERATIVE_IK_DEVICE inline void DampedStep<Number>::evaluate() const {
  const Number zero = 0.0;
  const Number one = 1.0;
  const Number two = 2.0;
  Frame<Number> frame = {{zero, zero, zero}, {zero, zero, zero, one}};
  for (long j = 0; j < problem_.num_joints; ++j) {
    const LaneJoint& joint = problem_.joints[j];
    frame.move(joint.origin);
    Quaternion<Number>& q = frame.q;
    Vector3<Number>& p = frame.p;
    const Vector3<Number> axis = {two * (q.x * q.z + q.w * q.y), two * (q.y * q.z - q.w * q.x),
                                  one - two * (q.x * q.x + q.y * q.y)};
    LaneRow* row = rows_.axes + 6 * j;
    store(row[0], axis.x);
    store(row[1], axis.y);
    store(row[2], axis.z);
    store(row[3], p.x);
    store(row[4], p.y);
    store(row[5], p.z);
    const Number position =
        load(rows_.q[joint.variable]) * Number(joint.multiplier) + Number(joint.offset);
    if (joint.prismatic) {
      p = {p.x + axis.x * position, p.y + axis.y * position, p.z + axis.z * position};
    } else {
      Number s;
      Number c;
      simd::halfAngle(position, s, c);
      q = {q.x * c + q.y * s, q.y * c - q.x * s, q.z * c + q.w * s, q.w * c - q.z * s};
    }
  }
  frame.move(problem_.tip);
  store(rows_.tip[0], frame.p.x);
  store(rows_.tip[1], frame.p.y);
  store(rows_.tip[2], frame.p.z);
  const LanePose& target = problem_.target;
  const Vector3<Number> e = {target.p[0] - frame.p.x, target.p[1] - frame.p.y,
                             target.p[2] - frame.p.z};
  const Quaternion<Number> goal = {target.q[0], target.q[1], target.q[2], target.q[3]};
  const Quaternion<Number> turn = product(goal, {-frame.q.x, -frame.q.y, -frame.q.z, frame.q.w});
  const Number chord = select(turn.w < zero, -two, two);
  const Vector3<Number> o = {turn.x * chord, turn.y * chord, turn.z * chord};
  store(rows_.error[0], e.x);
  store(rows_.error[1], e.y);
  store(rows_.error[2], e.z);
  store(rows_.error[3], o.x);
  store(rows_.error[4], o.y);
  store(rows_.error[5], o.z);
  store(*rows_.position_squared, e.x * e.x + e.y * e.y + e.z * e.z);
  store(*rows_.orientation_squared, o.x * o.x + o.y * o.y + o.z * o.z);
}

template <class Number>
GENERATIVE_IK_DEVICE inline void DampedStep<Number>::writeJacobian() const {
  for (long i = 0; i < 6 * problem_.num_variables; ++i) {
    store(rows_.jacobian[i], Number(0.0));
  }
  const Vector3<Number> tip = {load(rows_.tip[0]), load(rows_.tip[1]), load(rows_.tip[2])};
  for (long j = 0; j < problem_.num_joints; ++j) {
    const LaneJoint& joint = problem_.joints[j];
    const LaneRow* row = rows_.axes + 6 * j;
    const Vector3<Number> axis = {load(row[0]), load(row[1]), load(row[2])};
    const double unit = joint.multiplier * problem_.scale[joint.variable];
    const Number linear = problem_.position_weight * unit;
    const Number angular = problem_.orientation_weight * unit;
    LaneRow* column = rows_.jacobian + 6 * joint.variable;
    Vector3<Number> v = axis;
    if (!joint.prismatic) {
      const Vector3<Number> arm = {tip.x - load(row[3]), tip.y - load(row[4]),
                                   tip.z - load(row[5])};
      v = {axis.y * arm.z - axis.z * arm.y, axis.z * arm.x - axis.x * arm.z,
           axis.x * arm.y - axis.y * arm.x};
      store(column[3], load(column[3]) + axis.x * angular);
      store(column[4], load(column[4]) + axis.y * angular);
      store(column[5], load(column[5]) + axis.z * angular);
    }
    store(column[0], load(column[0]) + v.x * linear);
    store(column[1], load(column[1]) + v.y * linear);
    store(column[2], load(column[2]) + v.z * linear);
  }
}

template <class Number>
GENERATIVE_IK_DEVICE inline void DampedStep<Number>::holdAtLimits(const Number* e) const {
  const Number zero = 0.0;
  const Number one = 1.0;
  for (long v = 0; v < problem_.num_variables; ++v) {
    LaneRow* column = rows_.jacobian + 6 * v;
    Number push = load(column[0]) * e[0];
    for (int k = 1; k < 6; ++k) {
      push += load(column[k]) * e[k];
    }
    const Number q = load(rows_.q[v]);
    const Number up = select(q < Number(problem_.upper[v]), one, zero);
    const Number down = select(Number(problem_.lower[v]) < q, one, zero);
    const Number free = select(zero < push, up, down);
    for (int k = 0; k < 6; ++k) {
      store(column[k], load(column[k]) * free);
    }
  }
}

template <class Number>
GENERATIVE_IK_DEVICE inline void DampedStep<Number>::solve(const Number& damping,
                                                           Number* e) const {
  Number a[6][6];  // NOLINT(*-avoid-c-arrays)
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k <= i; ++k) {
      a[i][k] = i == k ? damping : Number(0.0);
    }
  }
  for (long v = 0; v < problem_.num_variables; ++v) {
    const LaneRow* column = rows_.jacobian + 6 * v;
    Number j[6];  // NOLINT(*-avoid-c-arrays)
    for (int i = 0; i < 6; ++i) {
      j[i] = load(column[i]);
      for (int k = 0; k <= i; ++k) {
        a[i][k] += j[i] * j[k];
      }
    }
  }
  Number inverse[6];  // NOLINT(*-avoid-c-arrays)
  for (int k = 0; k < 6; ++k) {
    inverse[k] = Number(1.0) / a[k][k];
    for (int i = k + 1; i < 6; ++i) {
      const Number factor = a[i][k] * inverse[k];
      for (int m = k + 1; m <= i; ++m) {
        a[i][m] -= factor * a[m][k];
      }
      e[i] -= factor * e[k];
    }
  }
  for (int i = 5; i >= 0; --i) {
    for (int k = i + 1; k < 6; ++k) {
      e[i] -= a[k][i] * e[k];
    }
    e[i] *= inverse[i];
  }
}

template <class Number>
GENERATIVE_IK_DEVICE inline void DampedStep<Number>::advance() const {
  Number e[6];  // NOLINT(*-avoid-c-arrays)
  Number squared = 0.0;
  for (int k = 0; k < 6; ++k) {
    e[k] = load(rows_.error[k]) *
           Number(k < 3 ? problem_.position_weight : problem_.orientation_weight);
    squared += e[k] * e[k];
  }
  writeJacobian();
  holdAtLimits(e);
  solve(squared * Number(problem_.damping) + Number(kLeastDamping), e);
  const Number moving = load(*rows_.moving);
  const Number longest = kLongestStep;
  for (long v = 0; v < problem_.num_variables; ++v) {
    const LaneRow* column = rows_.jacobian + 6 * v;
    Number step = load(column[0]) * e[0];
    for (int k = 1; k < 6; ++k) {
      step += load(column[k]) * e[k];
    }
    step = simd::clamp(step, -longest, longest);
    const Number q = load(rows_.q[v]) + step * moving * Number(problem_.scale[v]);
    store(rows_.q[v], simd::clamp(q, Number(problem_.lower[v]), Number(problem_.upper[v])));
  }
}

/// The iteration of all lanes, with as many at a time as a `Number` holds.
template <class Number>
LaneKernel laneKernelOf(const char* instruction_set) {
  constexpr int kAtOnce = sizeof(Number) / sizeof(double);
  return {instruction_set,
          [](const LaneProblem& problem, const LaneRows& rows) {
            for (int first = 0; first < kLanes; first += kAtOnce) {
              DampedStep<Number>(problem, rows, first).evaluate();
            }
          },
          [](const LaneProblem& problem, const LaneRows& rows) {
            for (int first = 0; first < kLanes; first += kAtOnce) {
              DampedStep<Number>(problem, rows, first).advance();
            }
          }};
}

}  // namespace generative_ik
