/// Newton steps on a six-joint chain of lines: branches that are nearly right made exact.
#pragma once

#include <cstdint>
#include <string_view>

#include "../simd/constants.hpp"
#include "branches.hpp"
#include "parameters.hpp"

namespace generative_ik::closed_form {

/// Most branches of an arm without a formula for them.
inline constexpr int kMostBranches = 16;
/// The family of arms that are of no other, see `ClosedForm::name`.
inline constexpr std::string_view kGeneralArm = "general_arm";

/// Corrects the six angles of branches, each in a lane. The parameters begin with a point on each
/// axis.
template <class Number>
class NewtonSteps {
 public:
  GENERATIVE_IK_INLINE NewtonSteps(const Parameters& parameters, const Motion& motion)
      : parameters_(parameters), motion_(motion), columns_(transposed(motion.rotation)) {}

  /// Returns the least pivot of each one's Jacobian, or -1 if the angles have not become right.
  GENERATIVE_IK_INLINE Number correct(JointValues<Number>& angles) {
    constexpr int kSteps = 8;
    // A branch is right if its error is below this [rad and shares of the arm's length].
    constexpr double kRight = 1e-11;
    // One that has to move further than this was none [rad].
    constexpr double kFar = 0.3;
    MaskOf<Number> under_way = everywhere<Number>(true);
    Number moved = 0.0;
    Number result = -1.0;
    for (int step = 0; step < kSteps; ++step) {
      const Number error = linearize(angles);
      const Number least = solve();
      const MaskOf<Number> right = both(under_way, error < Number(kRight));
      result = select(right, least, result);
      under_way = both(under_way, negated(either(right, least < Number(kSingular))));
      for (int j = 0; j < kJoints; ++j) {
        const Number correction = select(under_way, system_[j][kJoints], Number(0.0));
        angles[j] += correction;
        moved = simd::larger(moved, absolute(correction));
      }
      under_way = both(under_way, negated(Number(kFar) < moved));
      if (!simd::anywhere(under_way)) {
        break;
      }
    }
    return result;
  }

 private:
  static constexpr double kSingular = 1e-13;

  GENERATIVE_IK_INLINE void putColumn(int j, const Vector3<Number>& upper,
                                      const Vector3<Number>& lower) {
    system_[0][j] = upper.x;
    system_[1][j] = upper.y;
    system_[2][j] = upper.z;
    system_[3][j] = lower.x;
    system_[4][j] = lower.y;
    system_[5][j] = lower.z;
  }

  // Writes the twists of the joints and the one that is missing; returns how large it is.
  GENERATIVE_IK_INLINE Number linearize(const JointValues<Number>& angles);
  // Solves the six equations; returns the least pivot.
  GENERATIVE_IK_INLINE Number solve();

  Parameters parameters_;
  Motion motion_;
  Rotation columns_;                     // of the rotation
  Number system_[kJoints][kJoints + 1];  // NOLINT(*-avoid-c-arrays)
};

template <class Number>
GENERATIVE_IK_INLINE Number NewtonSteps<Number>::linearize(const JointValues<Number>& angles) {
  const Number zero = 0.0;
  const Number one = 1.0;
  Vector3<Number> columns[3] = {// NOLINT(*-avoid-c-arrays): of what the joints make
                                {one, zero, zero},
                                {zero, one, zero},
                                {zero, zero, one}};
  Vector3<Number> at = {zero, zero, zero};
  Vector3<Number> lines[kJoints];   // NOLINT(*-avoid-c-arrays)
  Vector3<Number> places[kJoints];  // NOLINT(*-avoid-c-arrays)
  for (int j = kJoints - 1; j >= 0; --j) {
    const Vector3<double> axis = parameters_.axis(j);
    const Vector3<double> foot = parameters_.own(j);
    const Angle<Number> angle = simd::angleOf(angles[j]);
    for (Vector3<Number>& column : columns) {
      column = turn(axis, angle, column);
    }
    at = turn(axis, angle, at - foot) + foot;
    // Joints further out, as this one turns them with it.
    for (int i = j + 1; i < kJoints; ++i) {
      lines[i] = turn(axis, angle, lines[i]);
      places[i] = turn(axis, angle, places[i] - foot) + foot;
    }
    lines[j] = {axis.x, axis.y, axis.z};
    places[j] = {foot.x, foot.y, foot.z};
  }
  for (int i = 0; i < kJoints; ++i) {
    putColumn(i, lines[i], cross(lines[i], at - places[i]));
  }
  const Vector3<double> goals[3] = {columns_.x, columns_.y, columns_.z};  // NOLINT(*-c-arrays)
  Number most = zero;
  Vector3<Number> missing = {zero, zero, zero};
  for (int i = 0; i < 3; ++i) {
    missing = missing + cross(columns[i], goals[i]);
    const Vector3<Number> apart = goals[i] - columns[i];
    most = simd::larger(most, dot(apart, apart));
  }
  const Vector3<Number> gap = motion_.shift - at;
  putColumn(kJoints, 0.5 * missing, gap);
  return simd::squareRoot(simd::larger(most, dot(gap, gap)));
}

template <class Number>
GENERATIVE_IK_INLINE Number NewtonSteps<Number>::solve() {
  Number least = kInfinity;
  for (int i = 0; i < kJoints; ++i) {
    Number top = absolute(system_[i][i]);
    for (int k = i + 1; k < kJoints; ++k) {
      // The largest comes up, row by row, as each lane has a pivot of its own.
      const Number other = absolute(system_[k][i]);
      const MaskOf<Number> swap = top < other;
      for (int j = i; j <= kJoints; ++j) {
        const Number above = system_[i][j];
        const Number below = system_[k][j];
        system_[i][j] = select(swap, below, above);
        system_[k][j] = select(swap, above, below);
      }
      top = select(swap, other, top);
    }
    least = simd::smaller(least, top);
    const Number pivot = 1.0 / select(top < Number(kSingular), Number(1.0), system_[i][i]);
    for (int k = 0; k < kJoints; ++k) {
      if (k != i) {
        const Number factor = system_[k][i] * pivot;
        for (int j = i; j <= kJoints; ++j) {
          system_[k][j] -= factor * system_[i][j];
        }
      }
    }
    for (int j = i; j <= kJoints; ++j) {
      system_[i][j] *= pivot;
    }
  }
  return least;
}

/// The branches that are written for one pose.
class BranchList {
 public:
  GENERATIVE_IK_INLINE BranchList(double* out, bool mirrored) : out_(out), mirrored_(mirrored) {}

  [[nodiscard]] GENERATIVE_IK_INLINE std::int64_t count() const { return count_; }
  /// Whether all that were to be added were regular and new ones.
  [[nodiscard]] GENERATIVE_IK_INLINE bool sure() const { return sure_; }

  /// Adds the first of some branches that are nearly right, made exact. Those are left out that do
  /// not become right, that are known, and what is beyond sixteen.
  template <class Number>
  GENERATIVE_IK_INLINE void add(const Parameters& parameters, const Motion& motion, int size,
                                JointValues<Number>& angles) {
    // Where the Jacobian has a smaller pivot the arm is as good as singular.
    constexpr double kRegular = 1e-6;
    const Number least = NewtonSteps<Number>(parameters, motion).correct(angles);
    for (int k = 0; k < size; ++k) {
      const double pivot = simd::lane(least, k);
      sure_ = sure_ && pivot >= kRegular;
      if (pivot < 0.0) {
        continue;
      }
      JointValues<double> branch;
      for (int j = 0; j < kJoints; ++j) {
        branch[mirrored_ ? kJoints - 1 - j : j] = simd::lane(angles[j], k);
      }
      if (isKnown(branch)) {
        sure_ = false;
      } else if (count_ < kMostBranches) {
        for (int j = 0; j < kJoints; ++j) {
          out_[kJoints * count_ + j] = branch[j];
        }
        ++count_;
      }
    }
  }

 private:
  GENERATIVE_IK_INLINE bool isKnown(const double* branch) const {
    // Branches no further apart than this are one [rad].
    constexpr double kSame = 1e-6;
    for (std::int64_t i = 0; i < count_; ++i) {
      double apart = 0.0;
      for (int j = 0; j < kJoints; ++j) {
        const double gap = out_[kJoints * i + j] - branch[j];
        apart = simd::larger(apart, std::fabs(gap - kTurn * std::floor(gap / kTurn + 0.5)));
      }
      if (apart < kSame) {
        return true;
      }
    }
    return false;
  }

  double* out_;
  bool mirrored_;
  std::int64_t count_ = 0;
  bool sure_ = true;
};

}  // namespace generative_ik::closed_form
