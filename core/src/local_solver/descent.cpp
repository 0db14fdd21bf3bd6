#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <generative_ik/descent.hpp>
#include <limits>

namespace generative_ik {
namespace {

constexpr int kMaxIterations = 60;
// The squared error has to fall to this fraction within so many iterations.
constexpr int kStallWindow = 6;
constexpr double kStallRatio = 0.5;
// The damping is proportional to the squared error, plus a constant for singular configurations.
constexpr double kDampingFactor = 0.5;
constexpr double kDampingFloor = 1e-10;
// A descent continues to this fraction of the tolerance, as a margin for rounding elsewhere.
constexpr double kMargin = 0.1;
constexpr double kLargestStep = 0.7;

using Weights = Eigen::Matrix<double, 6, 1>;

// A free part of the pose has weight 0; the characteristic length is weighted like 1 rad.
Weights weightsOf(const Tolerance& tolerance, double length) {
  Weights weights;
  weights.head<3>().setConstant(std::isinf(tolerance.position) ? 0.0 : 1.0 / length);
  weights.tail<3>().setConstant(std::isinf(tolerance.orientation) ? 0.0 : 1.0);
  return weights;
}

// Step of the weighted least squares problem. Variables that are at a limit and would be moved
// beyond it are excluded one after another.
Vector step(Jacobian& jacobian, const Twist& error, double damping, const Vector& scale,
            const Vector& q, const SearchBox& box) {
  Vector move;
  for (Eigen::Index tries = 0; tries <= q.size(); ++tries) {
    Eigen::Matrix<double, 6, 6> normal = jacobian * jacobian.transpose();
    normal.diagonal().array() += damping;
    move = jacobian.transpose() * normal.ldlt().solve(error);
    move.array() *= scale.array();
    bool blocked = false;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      if ((q[i] <= box.lower()[i] && move[i] < 0.0) || (q[i] >= box.upper()[i] && move[i] > 0.0)) {
        jacobian.col(i).setZero();
        blocked = true;
      }
    }
    if (!blocked) {
      break;
    }
  }
  const double largest = move.cwiseQuotient(scale).cwiseAbs().maxCoeff();
  return largest > kLargestStep ? Vector(move * (kLargestStep / largest)) : move;
}

}  // namespace

Descent descend(const Chain& chain, const Eigen::Isometry3d& target_in_base, const Vector& start,
                const SearchBox& box, const Tolerance& tolerance, const Deadline& deadline) {
  const double length = chain.characteristicLength();
  const Weights weights = weightsOf(tolerance, length);
  const Tolerance aim{kMargin * tolerance.position, kMargin * tolerance.orientation};
  const Vector scale = chain.stepUnits();

  Vector q = box.clamp(start);
  double best_squared = std::numeric_limits<double>::infinity();
  double checkpoint = best_squared;
  Descent best{q, Twist::Constant(best_squared), false};
  Jacobian jacobian;
  for (int iteration = 0; iteration <= kMaxIterations; ++iteration) {
    const Eigen::Isometry3d tip_in_base = chain.tipInBase(q, jacobian);
    const Twist error = poseError(tip_in_base, target_in_base);
    const Twist weighted = weights.cwiseProduct(error);
    const double squared = weighted.squaredNorm();
    if (squared < best_squared) {
      best_squared = squared;
      best = Descent{q, error, isWithin(error, tolerance)};
    }
    if (isWithin(error, aim) || (iteration > 0 && deadline.passed())) {
      break;
    }
    if (iteration % kStallWindow == 0) {
      if (best_squared > kStallRatio * checkpoint) {
        break;
      }
      checkpoint = best_squared;
    }
    jacobian = weights.asDiagonal() * jacobian * scale.asDiagonal();
    const double damping = kDampingFactor * squared + kDampingFloor;
    q = box.clamp(q + step(jacobian, weighted, damping, scale, q, box));
  }
  return best;
}

}  // namespace generative_ik
