#include "probe.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "../select/full_turns.hpp"
#include "sensitivity.hpp"

namespace generative_ik::answers {
namespace {

// Steps along a curve, in distances by which solutions are told apart.
constexpr double kAhead = 1.02;
constexpr int kMostSteps = 10;
// The least error is found where a step is shorter than the one, and is not where one is longer
// than the other [rad or m].
constexpr double kStill = 1e-8;
constexpr double kFar = 0.5;
// A further direction has to make so large an error, squared, within the distance.
constexpr double kWeak = 100.0;

constexpr int kWays = 6;

using Joints = std::array<double, kJoints>;
using Ways = std::array<double, kWays>;
using Jacobian = std::array<Ways, kJoints>;  // a column for each joint

struct LeastError {
  double error;  // in tolerances; below 0 if it is not found
  PoseGap gap;
};

/// Writes the geometric Jacobian and what is missing of the pose: translation and, nearly,
/// rotation vector. Returns the tip's gap.
PoseGap linearize(const RodriguesChain& chain, const double* pose, const Joints& q,
                  Jacobian& jacobian, Ways& missing) {
  std::array<simd::Vector3<double>, kJoints> axes{};
  std::array<simd::Vector3<double>, kJoints> origins{};
  auto frame = verify::Frame<double>::identity();
  for (std::size_t j = 0; j < kJoints; ++j) {
    const auto joint = static_cast<std::int64_t>(j);
    axes[j] = frame.turned(verify::axisOf(chain, joint));
    verify::passJoint(chain, joint, q[j], frame);
    origins[j] = frame.origin;
  }
  verify::passPose(chain.tip, frame);
  for (std::size_t j = 0; j < kJoints; ++j) {
    const auto& axis = axes[j];
    if (chain.prismatic[j] != 0) {
      jacobian[j] = {axis.x, axis.y, axis.z, 0.0, 0.0, 0.0};
    } else {
      const auto way = cross(axis, frame.origin - origins[j]);
      jacobian[j] = {way.x, way.y, way.z, axis.x, axis.y, axis.z};
    }
  }
  missing = {pose[3] - frame.origin.x, pose[7] - frame.origin.y, pose[11] - frame.origin.z};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto column = [&](const simd::Vector3<double>& row) {
      return k == 0 ? row.x : (k == 1 ? row.y : row.z);
    };
    const double x = column(frame.rows[0]);
    const double y = column(frame.rows[1]);
    const double z = column(frame.rows[2]);
    const double a = pose[k];
    const double b = pose[4 + k];
    const double c = pose[8 + k];
    missing[3] += (y * c - z * b) / 2.0;
    missing[4] += (z * a - x * c) / 2.0;
    missing[5] += (x * b - y * a) / 2.0;
  }
  double distance = 0.0;
  double chord = 0.0;
  verify::squaredGaps(
      frame, [pose](int i, int j) { return pose[4 * i + j]; }, distance, chord);
  return verify::gapOfSquares(distance, chord);
}

/// Writes the step of all joints but one that makes errors least, by Cholesky's factor; returns
/// whether there is one: each joint has to make errors that the others do not.
bool solveWithout(std::size_t held, Jacobian& jacobian, const Ways& errors, Joints& step) {
  jacobian[held].fill(0.0);
  std::array<Joints, kJoints> factor{};
  for (std::size_t i = 0; i < kJoints; ++i) {
    step[i] = 0.0;
    for (std::size_t r = 0; r < kWays; ++r) {
      step[i] += jacobian[i][r] * errors[r];
    }
    for (std::size_t j = 0; j <= i; ++j) {
      double total = 0.0;
      for (std::size_t r = 0; r < kWays; ++r) {
        total += jacobian[i][r] * jacobian[j][r];
      }
      for (std::size_t k = 0; k < j; ++k) {
        total -= factor[i][k] * factor[j][k];
      }
      if (i == held && j == held) {
        total = kWeak;
      }
      if (i > j) {
        factor[i][j] = total / factor[j][j];
      } else if (total < kWeak) {
        return false;
      } else {
        factor[i][i] = std::sqrt(total);
      }
    }
    for (std::size_t k = 0; k < i; ++k) {
      step[i] -= factor[i][k] * step[k];
    }
    step[i] /= factor[i][i];
  }
  for (std::size_t i = kJoints; i-- > 0;) {
    for (std::size_t j = i + 1; j < kJoints; ++j) {
      step[i] -= factor[j][i] * step[j];
    }
    step[i] /= factor[i][i];
  }
  return true;
}

/// Moves all joints but one so that they make the least error, by Gauss and Newton's method.
LeastError minimize(const BranchProblem& problem, const double* pose, std::size_t held,
                    Joints& q) {
  const Accuracy& accuracy = problem.accuracy;
  Jacobian jacobian{};
  Joints step{};
  Ways errors{};
  for (int attempt = 0; attempt < kMostSteps; ++attempt) {
    const PoseGap gap = linearize(problem.chain.verifier(), pose, q, jacobian, errors);
    for (std::size_t r = 0; r < kWays; ++r) {
      const double unit = r < 3 ? accuracy.position_tolerance : accuracy.orientation_tolerance;
      errors[r] /= unit;
      for (Ways& column : jacobian) {
        column[r] *= accuracy.distance / unit;
      }
    }
    if (!solveWithout(held, jacobian, errors, step)) {
      break;
    }
    double most = 0.0;
    for (const double one : step) {
      most = std::max(most, accuracy.distance * std::abs(one));
    }
    if (most > kFar) {
      break;
    }
    if (most < kStill) {
      double squared = 0.0;
      for (const double one : errors) {
        squared += one * one;
      }
      return {std::sqrt(squared), gap};
    }
    for (std::size_t v = 0; v < kJoints; ++v) {
      q[v] += accuracy.distance * step[v];
    }
  }
  return {-1.0,
          {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}};
}

/// Writes a configuration at its turn nearest to the reference; returns whether it is within the
/// bounds.
bool turnInside(const JointBounds& bounds, const Joints& q, double* turned) {
  bool inside = true;
  for (std::size_t v = 0; v < kJoints; ++v) {
    turned[v] = q[v];
    if (bounds.circular[v]) {
      turned[v] = turnTowards(q[v], bounds.reference[v], bounds.lower[v], bounds.upper[v]);
    } else {
      inside = inside && bounds.lower[v] <= q[v] && q[v] <= bounds.upper[v];
    }
  }
  return inside;
}

}  // namespace

Probe follow(const BranchProblem& problem, const double* tip_pose, int row, int count,
             BranchRows& rows) {
  const Accuracy& accuracy = problem.accuracy;
  const int start = count;
  bool alone = true;
  for (const double way : {-1.0, 1.0}) {
    Joints here{};
    std::copy_n(rows.q[row], kJoints, here.begin());
    Joints before = here;
    auto joint = static_cast<std::size_t>(rows.loosest[row]);
    double ahead = way;
    const int first = count;
    for (;;) {
      for (std::size_t v = 0; v < kJoints; ++v) {
        const double last = here[v];
        // The first time there is no direction to go on in.
        here[v] += here[v] - before[v];
        before[v] = last;
      }
      here[joint] = before[joint] + kAhead * accuracy.distance * ahead;
      const auto [error, gap] = minimize(problem, tip_pose, joint, here);
      if (error < 0.0 || count == problem.mostRows()) {
        return {start, false, false};
      }
      alone = alone && (count > first || error > kRegular);
      const bool exact = gap.distance <= accuracy.position_tolerance &&
                         gap.angle <= accuracy.orientation_tolerance;
      if (!turnInside(problem.bounds, here, rows.q[count]) || !exact) {
        break;
      }
      rows.gap[count] = gap;
      ++count;
      for (std::size_t v = 0; v < kJoints; ++v) {
        if (std::abs(here[v] - before[v]) > std::abs(here[joint] - before[joint])) {
          joint = v;
        }
      }
      ahead = std::copysign(1.0, here[joint] - before[joint]);
    }
  }
  return {count, alone, true};
}

}  // namespace generative_ik::answers
