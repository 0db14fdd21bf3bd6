/// `Sensitivity` as a template over the number type.
///
/// If a joint moves by the distance at which solutions are told apart, and the others so that the
/// error is least, that error is the distance over the root of (A^-1)_vv, where A = J^T J and the
/// Jacobian J is in tolerances per distance.
#pragma once

#include "../select/full_turns.hpp"
#include "../simd/constants.hpp"
#include "sensitivity.hpp"

namespace generative_ik::answers {

template <class Number>
class Sensitivity {
 public:
  GENERATIVE_IK_INLINE Sensitivity(const RodriguesChain& chain, const Accuracy& accuracy)
      : chain_(chain), accuracy_(accuracy) {}

  /// Writes the Jacobian of configurations, and returns their tips.
  // NOLINTNEXTLINE(*-avoid-c-arrays)
  GENERATIVE_IK_INLINE verify::Frame<Number> place(const Number (&q)[kJoints]) {
    using simd::Vector3;
    Vector3<Number> axes[kJoints];     // NOLINT(*-avoid-c-arrays)
    Vector3<Number> origins[kJoints];  // NOLINT(*-avoid-c-arrays)
    auto frame = verify::Frame<Number>::identity();
    for (int j = 0; j < kJoints; ++j) {
      axes[j] = frame.turned(verify::axisOf(chain_, j));
      verify::passJoint(chain_, j, q[j], frame);
      origins[j] = frame.origin;
    }
    verify::passPose(chain_.tip, frame);
    const double per_linear = accuracy_.distance / accuracy_.position_tolerance;
    const double per_angular = accuracy_.distance / accuracy_.orientation_tolerance;
    for (int j = 0; j < kJoints; ++j) {
      const bool slides = chain_.prismatic[j] != 0;
      const Vector3<Number> way = slides ? axes[j] : cross(axes[j], frame.origin - origins[j]);
      const Number linear = per_linear;
      const Number angular = slides ? 0.0 : per_angular;
      put(j, 0, linear * way);
      put(j, 3, angular * axes[j]);
    }
    return frame;
  }

  /// The least error of any joint, 0 where the configuration is singular; writes what
  /// `squaredReach` returns.
  GENERATIVE_IK_INLINE Number leastError() {
    const Number one = 1.0;
    Number singular = 0.0;
    // Cholesky's factor, with the reciprocals of the diagonal on it.
    for (int i = 0; i < kJoints; ++i) {
      for (int j = 0; j <= i; ++j) {
        Number total = 0.0;
        for (int r = 0; r < kWays; ++r) {
          total += jacobian_[i][r] * jacobian_[j][r];
        }
        for (int k = 0; k < j; ++k) {
          total -= factor_[i][k] * factor_[j][k];
        }
        if (i > j) {
          factor_[i][j] = total * factor_[j][j];
        } else {
          const auto regular = Number(kSingular) < total;
          singular = select(regular, singular, one);
          factor_[i][i] = one / simd::squareRoot(select(regular, total, one));
        }
      }
    }
    // Columns of its inverse, whose squared lengths are the diagonal of A^-1.
    Number most = 0.0;
    for (int j = 0; j < kJoints; ++j) {
      Number column[kJoints];  // NOLINT(*-avoid-c-arrays)
      const Number own = factor_[j][j];
      Number square = own * own;
      for (int i = j + 1; i < kJoints; ++i) {
        Number total = factor_[i][j] * own;
        for (int k = j + 1; k < i; ++k) {
          total += factor_[i][k] * column[k];
        }
        column[i] = total * factor_[i][i] * Number(-1.0);
        square += column[i] * column[i];
      }
      squares_[j] = square;
      most = simd::larger(most, square);
    }
    return select(singular < Number(0.5), one / simd::squareRoot(most), Number(0.0));
  }

  /// (A^-1)_vv.
  [[nodiscard]] GENERATIVE_IK_INLINE const Number& squaredReach(int joint) const {
    return squares_[joint];
  }

  /// What a full turn a little outside the limits may do, as a number: see `Doubt`.
  // NOLINTNEXTLINE(*-avoid-c-arrays)
  GENERATIVE_IK_INLINE Number doubt(const Number (&q)[kJoints], const JointBounds& bounds,
                                    double slack) const {
    Number result = 0.0;
    for (int v = 0; v < kJoints; ++v) {
      const double lower = bounds.soft_lower[v];
      const double upper = bounds.soft_upper[v];
      if (!bounds.periodic[v] || !(upper - lower < __builtin_inf())) {
        continue;
      }
      const Number kind = bounds.circular[v] ? 1.0 : 2.0;
      const Number reach = simd::squareRoot(squares_[v]) * Number(kRegular * accuracy_.distance);
      // NOLINTNEXTLINE(*-avoid-c-arrays)
      const Number turns[] = {(q[v] - lower) * (1.0 / kTurn), (upper - q[v]) * (1.0 / kTurn)};
      for (const Number& inside : turns) {
        // By how much the nearest turn outside the limit is outside it.
        const Number outside = (1.0 - (inside - floorOf(inside))) * kTurn;
        const Number near = select(outside < reach, simd::larger(result, kind), result);
        result = select(Number(slack) < outside, near, result);
      }
    }
    return result;
  }

 private:
  static constexpr int kWays = 6;
  // Where the square of an error, in tolerances, is below this, it is taken for none.
  static constexpr double kSingular = 1e-6;

  GENERATIVE_IK_INLINE static Number floorOf(const Number& number) {
    // Adding and subtracting it rounds to an integer.
    constexpr double kRounder = 6755399441055744.0;
    const Number nearest = (number + Number(kRounder)) - Number(kRounder);
    return nearest - select(number < nearest, Number(1.0), Number(0.0));
  }

  GENERATIVE_IK_INLINE void put(int joint, int row, const simd::Vector3<Number>& column) {
    jacobian_[joint][row] = column.x;
    jacobian_[joint][row + 1] = column.y;
    jacobian_[joint][row + 2] = column.z;
  }

  const RodriguesChain& chain_;
  const Accuracy& accuracy_;
  // NOLINTBEGIN(*-avoid-c-arrays)
  Number jacobian_[kJoints][kWays];
  Number factor_[kJoints][kJoints];
  Number squares_[kJoints];
  // NOLINTEND(*-avoid-c-arrays)
};

template <class Number>
Doubt sensitivityOf(const RodriguesChain& chain, const JointBounds& bounds,
                    const Accuracy& accuracy, double slack, const double* tip_pose, int count,
                    BranchRows& rows) {
  constexpr int kAtOnce = simd::kWidth<Number>;
  double doubt = 0.0;
  Sensitivity<Number> sensitivity(chain, accuracy);
  for (int first = 0; first < count; first += kAtOnce) {
    Number q[kJoints];  // NOLINT(*-avoid-c-arrays)
    for (int v = 0; v < kJoints; ++v) {
      // The last row fills the lanes behind it.
      q[v] = simd::lanesOf<Number>(
          [&](int k) { return rows.q[first + k < count ? first + k : count - 1][v]; });
    }
    const verify::Frame<Number> tip = sensitivity.place(q);
    Number distance;
    Number chord;
    verify::squaredGaps(
        tip, [tip_pose](int i, int j) { return tip_pose[4 * i + j]; }, distance, chord);
    const Number least = sensitivity.leastError();
    const Number doubts = sensitivity.doubt(q, bounds, slack);
    for (int lane = 0; lane < kAtOnce && first + lane < count; ++lane) {
      const int k = first + lane;
      rows.least[k] = simd::lane(least, lane);
      rows.gap[k] = verify::gapOfSquares(simd::lane(distance, lane), simd::lane(chord, lane));
      doubt = simd::larger(doubt, simd::lane(doubts, lane));
      if (rows.least[k] <= kRegular) {
        int loosest = 0;
        for (int v = 1; v < kJoints; ++v) {
          const double most = simd::lane(sensitivity.squaredReach(loosest), lane);
          loosest = simd::lane(sensitivity.squaredReach(v), lane) > most ? v : loosest;
        }
        rows.loosest[k] = loosest;
      }
    }
  }
  return static_cast<Doubt>(static_cast<int>(doubt));
}

}  // namespace generative_ik::answers
