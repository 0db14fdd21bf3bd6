#include <Eigen/Cholesky>
#include <cmath>
#include <generative_ik/damped_inverse.hpp>
#include <limits>
#include <stdexcept>

namespace generative_ik {
namespace {

constexpr int kRows = 6;
// Room for six rows and columns at most, so without memory of its own.
using Gram = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kRows, kRows>;
using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kRows, 1>;

// As exact as doubles can be, at least to the first digit.
bool isInvertible(const Eigen::LLT<Gram>& factors) {
  return factors.info() == Eigen::Success &&
         factors.rcond() > std::numeric_limits<double>::epsilon();
}

}  // namespace

bool dampedInverse(const Jacobian& jacobian, double damping, JacobianInverse& inverse) {
  if (!(damping >= 0.0) || std::isinf(damping)) {
    throw std::invalid_argument("damping must be finite, and 0 or more");
  }
  const Eigen::Index size = jacobian.cols();
  if (size == 0 || !jacobian.allFinite()) {
    return false;
  }
  // J^T (J J^T + damping I)^-1 is the same matrix; the smaller one to invert has full rank.
  const bool redundant = size > kRows;
  Gram gram;
  if (redundant) {
    gram = jacobian.lazyProduct(jacobian.transpose());
  } else {
    gram = jacobian.transpose().lazyProduct(jacobian);
  }
  gram.diagonal().array() += damping;
  const Eigen::LLT<Gram> factors(gram);
  if (!isInvertible(factors)) {
    return false;
  }
  inverse.resize(size, kRows);
  Column column;
  for (Eigen::Index i = 0; i < (redundant ? size : kRows); ++i) {
    if (redundant) {
      column = jacobian.col(i);
      factors.solveInPlace(column);
      inverse.row(i) = column;
    } else {
      column = jacobian.row(i);
      factors.solveInPlace(column);
      inverse.col(i) = column;
    }
  }
  return true;
}

}  // namespace generative_ik
