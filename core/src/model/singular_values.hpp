/// The singular value decomposition of small matrices of any size, compiled once: of all that
/// Eigen decomposes this is the most that is asked for, and its templates take long to compile.
#pragma once

#include <Eigen/Core>

namespace generative_ik {

/// Of a matrix (m, n).
struct SingularValues {
  /// (k, k), k the larger of m and n, orthonormal. If m >= n, the last columns are orthogonal to
  /// the matrix.
  Eigen::MatrixXd left;
  Eigen::VectorXd values;  ///< (min(m, n)), the largest first

  /// How many values are above a share of the largest.
  [[nodiscard]] Eigen::Index rank(double share) const;
};

/// Decomposes a matrix of finite numbers, by Jacobi rotations.
SingularValues singularValuesOf(const Eigen::MatrixXd& matrix);

}  // namespace generative_ik
