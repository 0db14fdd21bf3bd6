/// Configurations that meet one error of a pose exactly and the other one as nearly as possible.
///
/// Where an arm has too few joints for a pose, or a pose is out of its reach, position and
/// orientation compete. Here one of them is preferred: its error is 0, and the square of the other
/// one is at a local minimum among the configurations within the limits for which it is. It is
/// found by sequential quadratic programming (J. Nocedal, S. Wright, Numerical optimization, 2006,
/// chapter 18) with exact second derivatives, which a chain of joints has in closed form, damped
/// where it is not convex; limits are an active set. One that has ended is a minimum to second
/// order, no saddle.
#pragma once

#include <vector>

#include "lane_problem.hpp"

namespace generative_ik {

/// Which error is 0.
enum class Preferred : std::int64_t { kPosition = 1, kOrientation = 2 };

/// Minimises the other error of seeds in lanes, one after the other.
class LeastError {
 public:
  /// Args: options: weights of both errors, and the tolerance of the preferred one. rows: the
  /// lanes', which must outlive this.
  LeastError(const LaneChain& chain, const LaneOptions& options, const LaneRows& rows,
             Preferred preferred);

  /// Moves the configuration of a lane whose preferred error is small, after it was measured, to
  /// a minimum, and measures it there. Says whether it has come to one.
  bool minimise(int lane, const double* lower, const double* upper);

 private:
  // What steps are judged by.
  struct Merit {
    double cost;       // half of the squared other error
    double violation;  // length of the preferred error
    [[nodiscard]] double with(double penalty) const { return cost + penalty * violation; }
  };

  // Whether the preferred error is 0, or all of it that a step could change.
  [[nodiscard]] bool isExact(const Merit& now) const;
  // Measures the lane; returns its errors.
  Merit measure();
  // Writes gradient, constraints and errors of what was measured.
  void linearize();
  // Writes the second derivatives of the Lagrangian function.
  void writeHessian();
  // Makes the constraints' rows orthonormal where variables are free; writes what they ask for,
  // and their multipliers.
  void factorConstraints();
  // Writes the step to the minimum of the quadratic model, damped so far that there is one.
  void solveModel();
  // Factors the model's matrix with a damping; returns whether it is positive definite.
  bool factorModel(double damping);
  // Replaces a vector by the factored matrix' inverse times it.
  void substitute(std::vector<double>& x) const;
  // Removes what would change the preferred error, and variables that are held.
  void project(std::vector<double>& x) const;
  // Writes a step within the face of the limits, after holding what would leave them.
  void stepInFace();
  // What is left of the cost's gradient along the constraints and limits.
  double slope();
  // Frees the variable whose limit keeps it most from a lower cost; false if there is none.
  bool release();
  // Takes as much of a step as limits allow, and back to the constraints; returns its merit.
  Merit tryStep();
  // Takes what makes the preferred error vanish.
  void restore();
  void moveTo(const std::vector<double>& q);
  // Writes the shortest step that changes the constraints by so much.
  void solveConstraints(const double* sides, std::vector<double>& step) const;

  [[nodiscard]] double& at(std::vector<double>& matrix, std::int64_t i, std::int64_t k) const {
    return matrix[static_cast<std::size_t>(i * size_ + k)];
  }
  [[nodiscard]] double at(const std::vector<double>& matrix, std::int64_t i,
                          std::int64_t k) const {
    return matrix[static_cast<std::size_t>(i * size_ + k)];
  }

  static constexpr int kConstraints = 3;

  const LaneChain chain_;
  const LaneOptions options_;
  const LaneRows rows_;
  const Preferred preferred_;
  const std::int64_t size_;
  int lane_ = 0;
  const double* lower_ = nullptr;
  const double* upper_ = nullptr;
  double damping_ = 0.0;
  double multipliers_[kConstraints]{};             // NOLINT(*-avoid-c-arrays)
  double triangle_[kConstraints][kConstraints]{};  // NOLINT(*-avoid-c-arrays): of the constraints
  double sides_[kConstraints]{};                   // NOLINT(*-avoid-c-arrays): what they ask for
  std::vector<double> constraints_;                // (3, variables) their derivatives
  std::vector<double> rows_of_;                    // (3, variables) the same, orthonormal
  std::vector<double> gradient_;                   // (variables) of the cost
  std::vector<double> hessian_;                    // (variables, variables)
  std::vector<double> model_;                      // (variables, variables)
  std::vector<double> factor_;                     // (variables, variables) lower triangle
  std::vector<double> normal_;                     // (variables) what makes the error vanish
  std::vector<double> tangent_;                    // (variables) what lowers the cost
  std::vector<double> from_;                       // (variables) where a step begins [rad or m]
  std::vector<double> trial_;                      // (variables) where it ends [rad or m]
  std::vector<char> held_;                         // (variables) at a limit
};

}  // namespace generative_ik
