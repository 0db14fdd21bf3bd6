#include "singular_values.hpp"

#include <Eigen/SVD>

namespace generative_ik {

Eigen::Index SingularValues::rank(double share) const {
  return values.size() > 0 ? (values.array() > share * values[0]).count() : 0;
}

SingularValues singularValuesOf(const Eigen::MatrixXd& matrix) {
  // With columns of zeros it is square: what Eigen does with others takes most of the time to
  // compile.
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(matrix.rows(), matrix.rows());
  square.leftCols(matrix.cols()) = matrix;
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> decomposed(
      square, Eigen::ComputeFullU);
  return {decomposed.matrixU(), decomposed.singularValues().head(matrix.cols())};
}

}  // namespace generative_ik
