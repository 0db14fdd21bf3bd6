#include "singular_values.hpp"

#include <Eigen/SVD>
#include <algorithm>

namespace generative_ik {

Eigen::Index SingularValues::rank(double share) const {
  return values.size() > 0 ? (values.array() > share * values[0]).count() : 0;
}

SingularValues singularValuesOf(const Eigen::MatrixXd& matrix) {
  // With zeros it is square: what Eigen does with others takes most of the time to compile.
  const Eigen::Index larger = std::max(matrix.rows(), matrix.cols());
  const Eigen::Index less = std::min(matrix.rows(), matrix.cols());
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(larger, larger);
  square.topLeftCorner(matrix.rows(), matrix.cols()) = matrix;
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> decomposed(
      square, Eigen::ComputeFullU);
  return {decomposed.matrixU(), decomposed.singularValues().head(less)};
}

}  // namespace generative_ik
