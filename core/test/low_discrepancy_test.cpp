// The values of the Python package come from a file that the test running this program writes:
//   random_seed dimensions count, then count times: point(dimensions), until the end.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <generative_ik/low_discrepancy.hpp>

namespace generative_ik::test {
namespace {

TEST(LowDiscrepancy, PointsAreTheShiftPlusMultiplesOfTheRatios) {
  // The golden ratio is the root of x^2 = x + 1; numpy.random.default_rng(0).random() is the
  // shift.
  const LowDiscrepancy sequence(0, 1);
  EXPECT_NEAR(sequence.fraction(1), 0.6180339887498949, 1e-15);
  EXPECT_NEAR(sequence.point(1)[0], 0.6180339887498949 + 0.6369616873214543 - 1.0, 1e-15);
  EXPECT_NEAR(sequence.fractions(2)[0], 2 * 0.6180339887498949 - 1.0, 1e-15);
}

TEST(LowDiscrepancy, FillsTheUnitSquareEvenly) {
  const LowDiscrepancy sequence(3, 2);
  int inside = 0;
  constexpr int kPoints = 4096;
  for (int k = 1; k <= kPoints; ++k) {
    const Eigen::VectorXd point = sequence.point(k);
    ASSERT_TRUE((point.array() >= 0.0).all() && (point.array() < 1.0).all());
    inside += point[0] < 0.25 && point[1] < 0.5 ? 1 : 0;
  }
  // An eighth of the area. Independent random points would be off by 21 with probability 1/3.
  EXPECT_NEAR(inside, kPoints / 8, 8);
}

TEST(LowDiscrepancy, EqualsThePythonPackage) {
  // The environment is never modified.
  const char* file = std::getenv("GENERATIVE_IK_SEQUENCE_FILE");  // NOLINT(concurrency-mt-unsafe)
  if (file == nullptr) {
    GTEST_SKIP() << "no reference file: GENERATIVE_IK_SEQUENCE_FILE is not set";
  }
  std::ifstream in(file);
  int compared = 0;
  std::uint64_t random_seed = 0;
  Eigen::Index dimensions = 0;
  int count = 0;
  while (in >> random_seed >> dimensions >> count) {
    const LowDiscrepancy sequence(random_seed, dimensions);
    for (int k = 1; k <= count; ++k) {
      const Eigen::VectorXd point = sequence.point(k);
      for (Eigen::Index j = 0; j < dimensions; ++j) {
        double expected = 0.0;
        ASSERT_TRUE(in >> expected);
        EXPECT_NEAR(point[j], expected, 1e-12) << random_seed << ", point " << k;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace generative_ik::test
