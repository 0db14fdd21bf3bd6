#include "singular_values.hpp"

#include <Eigen/SVD>

namespace generative_ik {

Eigen::Index SingularValues::rank(double share) const {
  return values.size() > 0 ? (values.array() > share * values[0]).count() : 0;
}

SingularValues singularValuesOf(const Eigen::MatrixXd& matrix) {
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::HouseholderQRPreconditioner> decomposed(
      matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {decomposed.matrixU(), decomposed.singularValues(), decomposed.matrixV()};
}

}  // namespace generative_ik
