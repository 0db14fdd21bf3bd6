/// Minima of a quadratic function within bounds, by an active set.
#pragma once

#include <cstdint>
#include <vector>

namespace generative_ik::tracking {

/// Minimises y' H y / 2 - b' y where lower <= y <= upper, for a positive definite H.
///
/// A primal active set method (J. Nocedal, S. Wright, Numerical Optimization, 2006, 16.5): what it
/// has after any number of iterations is within the bounds, and each is no worse than the one
/// before. It begins with the variables at bounds that were there last, and allocates nothing.
class BoundedQuadratic {
 public:
  explicit BoundedQuadratic(std::size_t size);

  /// The matrix H (size, size), row by row; of which `solve` reads the lower triangle.
  [[nodiscard]] double* matrix() { return matrix_.data(); }

  /// Minimises. Args: y: (size) where to begin; becomes the minimum.
  void solve(const double* b, const double* lower, const double* upper, double* y);

  /// Solves H y = b for the variables that `solve` left between their bounds; 0 for the others.
  void solveFree(const double* b, double* y) const;

  /// Prepares `solveFree` for the variables that another minimisation left between their bounds.
  void factorLike(const BoundedQuadratic& other);

  /// Factors H, and returns the logarithm of its determinant.
  double logDeterminant();

  /// Whether the minimum is at a bound of a variable that keeps it from a lower value: -1 the
  /// lower one, 1 the upper one, else 0.
  [[nodiscard]] int boundOf(std::size_t variable) const { return at_bound_[variable]; }

  /// Forgets which variables were at bounds.
  void forget();

 private:
  // Lists the variables between their bounds and factors their part of H.
  void factor();
  // Solves for them with that factor; `rows` (free) is replaced by the solution.
  void substitute(double* rows) const;
  // Writes b - H y.
  void writeResidual(const double* b, const double* y);
  // Moves to the minimum over the free variables, or to the first bound in between. Returns
  // whether it came to the minimum.
  bool advance(const double* lower, const double* upper, double* y);
  // Frees the variable whose bound keeps it from the steepest descent; false if there is none.
  bool release(const double* lower, const double* upper);

  std::size_t size_;
  std::vector<double> matrix_;
  std::vector<double> factor_;  ///< (free, free) lower triangle, the diagonal inverted.
  std::vector<double> residual_;
  std::vector<double> step_;
  std::vector<std::size_t> free_;
  std::vector<std::int8_t> at_bound_;
};

}  // namespace generative_ik::tracking
