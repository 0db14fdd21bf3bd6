// The error of orientation is the chord 2 sin(angle / 2) along the axis of rotation, from unit
// quaternions: no inverse trigonometric function, and 180 degrees need no special case. The
// damping grows with the squared error (T. Sugihara, Solvability-unconcerned inverse kinematics by
// the Levenberg-Marquardt method, IEEE T-RO 27(5), 2011). Joints at a limit that would be pushed
// beyond it are left out of the step.
#include "lane_kernel.hpp"

#ifndef GENERATIVE_IK_KERNEL
#define GENERATIVE_IK_KERNEL laneKernelBaseline
#endif

namespace generative_ik {
namespace {

// As many lanes as fit into a register; wider vectors would live in memory.
#if defined(__AVX512F__)
constexpr int kWidth = 8;
#elif defined(__AVX__)
constexpr int kWidth = 4;
#else
constexpr int kWidth = 2;
#endif

// A vector type of GCC and Clang, whose operators work lane by lane.
using Lanes = double __attribute__((vector_size(kWidth * sizeof(double))));

struct Vector3 {
  Lanes x, y, z;
};

struct Quaternion {
  Lanes x, y, z, w;
};

struct Frame {
  Vector3 p;
  Quaternion q;
};

constexpr double kLeastDamping = 1e-9;
constexpr double kPi = 3.1415926535897931;
constexpr double kPiRest = 1.2246467991473532e-16;
// Adding and subtracting it rounds to an integer.
constexpr double kRounder = 6755399441055744.0;

inline Lanes spread(double value) {
  return Lanes{} + value;
}

inline Lanes clamp(const Lanes& value, const Lanes& lower, const Lanes& upper) {
  const Lanes above = value < lower ? lower : value;
  return above > upper ? upper : above;
}

inline Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
          a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

// The frame moved on by a fixed pose.
inline Frame moved(const Frame& frame, const LanePose& by) {
  const Quaternion& q = frame.q;
  const double x = by.p[0];
  const double y = by.p[1];
  const double z = by.p[2];
  const Lanes tx = 2.0 * (q.y * z - q.z * y);
  const Lanes ty = 2.0 * (q.z * x - q.x * z);
  const Lanes tz = 2.0 * (q.x * y - q.y * x);
  const Vector3 p = {frame.p.x + x + q.w * tx + q.y * tz - q.z * ty,
                     frame.p.y + y + q.w * ty + q.z * tx - q.x * tz,
                     frame.p.z + z + q.w * tz + q.x * ty - q.y * tx};
  return {p, product(q, {spread(by.q[0]), spread(by.q[1]), spread(by.q[2]), spread(by.q[3])})};
}

// Sine and cosine of half an angle up to one common sign, which a rotation does not see: Taylor's
// series between -pi/2 and pi/2.
inline void halfAngle(const Lanes& angle, Lanes& sine, Lanes& cosine) {
  const Lanes half = 0.5 * angle;
  const Lanes turns = (half * (1.0 / kPi) + kRounder) - kRounder;
  const Lanes x = (half - turns * kPi) - turns * kPiRest;
  const Lanes s = x * x;
  sine = spread(-1.0 / 121645100408832000.0);
  cosine = s * (1.0 / 2432902008176640000.0) - 1.0 / 6402373705728000.0;
  // NOLINTBEGIN(*-avoid-c-arrays)
  constexpr double kSine[] = {1.0 / 355687428096000.0,
                              -1.0 / 1307674368000.0,
                              1.0 / 6227020800.0,
                              -1.0 / 39916800.0,
                              1.0 / 362880.0,
                              -1.0 / 5040.0,
                              1.0 / 120.0,
                              -1.0 / 6.0,
                              1.0};
  constexpr double kCosine[] = {1.0 / 20922789888000.0,
                                -1.0 / 87178291200.0,
                                1.0 / 479001600.0,
                                -1.0 / 3628800.0,
                                1.0 / 40320.0,
                                -1.0 / 720.0,
                                1.0 / 24.0,
                                -1.0 / 2.0,
                                1.0};
  // NOLINTEND(*-avoid-c-arrays)
  for (int k = 0; k < 9; ++k) {
    sine = sine * s + kSine[k];
    cosine = cosine * s + kCosine[k];
  }
  sine *= x;
}

// The lanes from `first` on that fill a register.
struct Part {
  const LaneProblem& problem;
  const LaneRows& rows;
  int first;

  inline void evaluate() const;
  inline void advance() const;

  [[nodiscard]] inline Lanes load(const LaneRow& row) const {
    Lanes value;
    __builtin_memcpy(&value, row.lane + first, sizeof value);
    return value;
  }

  inline void store(LaneRow& row, const Lanes& value) const {
    __builtin_memcpy(row.lane + first, &value, sizeof value);
  }

 private:
  // Writes the weighted geometric Jacobian, six rows for each variable: linear, then angular.
  inline void writeJacobian() const;
  // Sets the columns of variables at a limit that would be pushed beyond it to 0.
  inline void holdAtLimits(const Lanes* e) const;
  // Solves (J J^T + damping I) y = e by a factorisation L D L^T; y replaces e.
  inline void solve(const Lanes& damping, Lanes* e) const;
};

inline void Part::evaluate() const {
  Frame frame = {{Lanes{}, Lanes{}, Lanes{}}, {Lanes{}, Lanes{}, Lanes{}, spread(1.0)}};
  for (long j = 0; j < problem.num_joints; ++j) {
    const LaneJoint& joint = problem.joints[j];
    frame = moved(frame, joint.origin);
    Quaternion& q = frame.q;
    Vector3& p = frame.p;
    const Vector3 axis = {2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x),
                          1.0 - 2.0 * (q.x * q.x + q.y * q.y)};
    LaneRow* row = rows.axes + 6 * j;
    store(row[0], axis.x);
    store(row[1], axis.y);
    store(row[2], axis.z);
    store(row[3], p.x);
    store(row[4], p.y);
    store(row[5], p.z);
    const Lanes position = load(rows.q[joint.variable]) * joint.multiplier + joint.offset;
    if (joint.prismatic) {
      p = {p.x + axis.x * position, p.y + axis.y * position, p.z + axis.z * position};
    } else {
      Lanes s;
      Lanes c;
      halfAngle(position, s, c);
      q = {q.x * c + q.y * s, q.y * c - q.x * s, q.z * c + q.w * s, q.w * c - q.z * s};
    }
  }
  frame = moved(frame, problem.tip);
  store(rows.tip[0], frame.p.x);
  store(rows.tip[1], frame.p.y);
  store(rows.tip[2], frame.p.z);
  const LanePose& target = problem.target;
  const Vector3 e = {target.p[0] - frame.p.x, target.p[1] - frame.p.y, target.p[2] - frame.p.z};
  const Quaternion goal = {spread(target.q[0]), spread(target.q[1]), spread(target.q[2]),
                           spread(target.q[3])};
  const Quaternion turn = product(goal, {-frame.q.x, -frame.q.y, -frame.q.z, frame.q.w});
  const Lanes chord = turn.w < 0.0 ? spread(-2.0) : spread(2.0);
  const Vector3 o = {turn.x * chord, turn.y * chord, turn.z * chord};
  store(rows.error[0], e.x);
  store(rows.error[1], e.y);
  store(rows.error[2], e.z);
  store(rows.error[3], o.x);
  store(rows.error[4], o.y);
  store(rows.error[5], o.z);
  store(*rows.position_squared, e.x * e.x + e.y * e.y + e.z * e.z);
  store(*rows.orientation_squared, o.x * o.x + o.y * o.y + o.z * o.z);
}

inline void Part::writeJacobian() const {
  for (long i = 0; i < 6 * problem.num_variables; ++i) {
    store(rows.jacobian[i], Lanes{});
  }
  const Vector3 tip = {load(rows.tip[0]), load(rows.tip[1]), load(rows.tip[2])};
  for (long j = 0; j < problem.num_joints; ++j) {
    const LaneJoint& joint = problem.joints[j];
    const LaneRow* row = rows.axes + 6 * j;
    const Vector3 axis = {load(row[0]), load(row[1]), load(row[2])};
    const double unit = joint.multiplier * problem.scale[joint.variable];
    const double linear = problem.position_weight * unit;
    const double angular = problem.orientation_weight * unit;
    LaneRow* column = rows.jacobian + 6 * joint.variable;
    Vector3 v = axis;
    if (!joint.prismatic) {
      const Vector3 arm = {tip.x - load(row[3]), tip.y - load(row[4]), tip.z - load(row[5])};
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

inline void Part::holdAtLimits(const Lanes* e) const {
  for (long v = 0; v < problem.num_variables; ++v) {
    LaneRow* column = rows.jacobian + 6 * v;
    Lanes push = load(column[0]) * e[0];
    for (int k = 1; k < 6; ++k) {
      push += load(column[k]) * e[k];
    }
    const Lanes q = load(rows.q[v]);
    const Lanes one = spread(1.0);
    const Lanes up = q < problem.upper[v] ? one : Lanes{};
    const Lanes down = q > problem.lower[v] ? one : Lanes{};
    const Lanes free = push > 0.0 ? up : down;
    for (int k = 0; k < 6; ++k) {
      store(column[k], load(column[k]) * free);
    }
  }
}

inline void Part::solve(const Lanes& damping, Lanes* e) const {
  Lanes a[6][6];  // NOLINT(*-avoid-c-arrays)
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k <= i; ++k) {
      a[i][k] = i == k ? damping : Lanes{};
    }
  }
  for (long v = 0; v < problem.num_variables; ++v) {
    const LaneRow* column = rows.jacobian + 6 * v;
    Lanes j[6];  // NOLINT(*-avoid-c-arrays)
    for (int i = 0; i < 6; ++i) {
      j[i] = load(column[i]);
      for (int k = 0; k <= i; ++k) {
        a[i][k] += j[i] * j[k];
      }
    }
  }
  Lanes inverse[6];  // NOLINT(*-avoid-c-arrays)
  for (int k = 0; k < 6; ++k) {
    inverse[k] = 1.0 / a[k][k];
    for (int i = k + 1; i < 6; ++i) {
      const Lanes factor = a[i][k] * inverse[k];
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

inline void Part::advance() const {
  Lanes e[6];  // NOLINT(*-avoid-c-arrays)
  Lanes squared{};
  for (int k = 0; k < 6; ++k) {
    e[k] = load(rows.error[k]) * (k < 3 ? problem.position_weight : problem.orientation_weight);
    squared += e[k] * e[k];
  }
  writeJacobian();
  holdAtLimits(e);
  solve(squared * problem.damping + kLeastDamping, e);
  const Lanes moving = load(*rows.moving);
  // Longer steps than this come from lanes without a seed.
  const Lanes longest = spread(10.0);
  for (long v = 0; v < problem.num_variables; ++v) {
    const LaneRow* column = rows.jacobian + 6 * v;
    Lanes step = load(column[0]) * e[0];
    for (int k = 1; k < 6; ++k) {
      step += load(column[k]) * e[k];
    }
    step = clamp(step, -longest, longest);
    const Lanes q = load(rows.q[v]) + step * moving * problem.scale[v];
    store(rows.q[v], clamp(q, spread(problem.lower[v]), spread(problem.upper[v])));
  }
}

void evaluate(const LaneProblem& problem, const LaneRows& rows) {
  for (int first = 0; first < kLanes; first += kWidth) {
    Part{problem, rows, first}.evaluate();
  }
}

void advance(const LaneProblem& problem, const LaneRows& rows) {
  for (int first = 0; first < kLanes; first += kWidth) {
    Part{problem, rows, first}.advance();
  }
}

}  // namespace

LaneKernel GENERATIVE_IK_KERNEL() {
  return {&evaluate, &advance};
}

}  // namespace generative_ik
