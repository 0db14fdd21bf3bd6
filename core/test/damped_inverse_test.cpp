// The damped inverse against what defines it.
#include <gtest/gtest.h>

#include <generative_ik/damped_inverse.hpp>
#include <limits>
#include <random>
#include <stdexcept>

#include "allocations.hpp"
#include "robots.hpp"

namespace generative_ik::test {
namespace {

Jacobian jacobianOf(const Chain& chain, const Vector& q) {
  Jacobian jacobian;
  chain.tipInBase(q, jacobian);
  return jacobian;
}

// By the four conditions of R. Penrose (1955).
TEST(DampedInverse, WithoutDampingItIsThePseudoinverse) {
  std::mt19937 random(3);
  for (const Chain& chain : {twoLinks(), ur10(), panda()}) {
    for (int i = 0; i < 20; ++i) {
      const Jacobian a = jacobianOf(chain, randomPosition(chain, random));
      JacobianInverse x;
      ASSERT_TRUE(dampedInverse(a, 0.0, x));
      const Eigen::MatrixXd ax = a * x;
      const Eigen::MatrixXd xa = x * a;
      const double tolerance = 1e-10 * x.squaredNorm();
      EXPECT_LT((ax * a - a).norm(), tolerance);
      EXPECT_LT((xa * x - x).norm(), tolerance * x.norm());
      EXPECT_LT((ax - ax.transpose()).norm(), tolerance);
      EXPECT_LT((xa - xa.transpose()).norm(), tolerance);
    }
  }
}

TEST(DampedInverse, JointVelocitiesMinimizeTheDampedError) {
  std::mt19937 random(4);
  const Twist twist = (Twist() << 0.1, -0.2, 0.3, 0.5, 0.4, -0.6).finished();
  for (const Chain& chain : {twoLinks(), ur10(), panda()}) {
    // Stretched out, all of them are singular.
    for (const Vector& q : {randomPosition(chain, random), Vector::Zero(chain.size()).eval()}) {
      const Jacobian jacobian = jacobianOf(chain, q);
      JacobianInverse inverse;
      ASSERT_TRUE(dampedInverse(jacobian, 5e-6, inverse));
      const Vector velocities = inverse * twist;
      const Vector gradient = jacobian.transpose() * (jacobian * velocities - twist);
      EXPECT_LT((gradient + 5e-6 * velocities).norm(), 1e-9);
    }
  }
}

TEST(DampedInverse, ASingularityWithoutDampingHasNone) {
  JacobianInverse inverse = JacobianInverse::Constant(6, 6, 2.0);
  EXPECT_FALSE(dampedInverse(jacobianOf(ur10(), Vector::Zero(6)), 0.0, inverse));
  EXPECT_FALSE(dampedInverse(Jacobian::Zero(6, 7), 0.0, inverse));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(dampedInverse(Jacobian::Constant(6, 6, nan), 1.0, inverse));
  EXPECT_EQ(inverse, JacobianInverse::Constant(6, 6, 2.0));
  for (const double damping : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW((void)dampedInverse(Jacobian::Ones(6, 6), damping, inverse),
                 std::invalid_argument);
  }
}

TEST(DampedInverse, AllocatesNothing) {
  for (const Chain& chain : {twoLinks(), ur10(), panda()}) {
    const Jacobian jacobian = jacobianOf(chain, Vector::Constant(chain.size(), 0.3));
    JacobianInverse inverse(chain.size(), 6);
    const long before = allocations();
    const bool found = dampedInverse(jacobian, 5e-6, inverse);
    EXPECT_EQ(allocations(), before);
    EXPECT_TRUE(found);
  }
}

}  // namespace
}  // namespace generative_ik::test
