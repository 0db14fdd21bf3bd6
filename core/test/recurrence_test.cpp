// The values of numpy come from a file that the test running this program writes:
//   random_seed dimensions shift(dimensions), until the end.

#include "../src/search/recurrence.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "reference_files.hpp"

namespace generative_ik::search {
namespace {

struct Recurrence {
  Recurrence(std::uint64_t random_seed, std::size_t dimensions)
      : shift(dimensions), ratios(dimensions) {
    writeRecurrence(random_seed, static_cast<std::int64_t>(dimensions), shift.data(),
                    ratios.data());
  }
  [[nodiscard]] double point(std::int64_t k, std::size_t j) const {
    return recurrencePoint(k, ratios[j], shift[j]);
  }

  std::vector<double> shift;
  std::vector<double> ratios;
};

TEST(Recurrence, PointsAreTheShiftPlusMultiplesOfTheRatios) {
  // The golden ratio is the root of x^2 = x + 1; numpy.random.default_rng(0).random() is the
  // shift.
  const Recurrence sequence(0, 1);
  EXPECT_NEAR(recurrencePoint(1, sequence.ratios[0]), 0.6180339887498949, 1e-15);
  EXPECT_NEAR(sequence.point(1, 0), 0.6180339887498949 + 0.6369616873214543 - 1.0, 1e-15);
  EXPECT_NEAR(recurrencePoint(2, sequence.ratios[0]), 2 * 0.6180339887498949 - 1.0, 1e-15);
}

TEST(Recurrence, FillsTheUnitSquareEvenly) {
  const Recurrence sequence(3, 2);
  int inside = 0;
  constexpr int kPoints = 4096;
  for (int k = 1; k <= kPoints; ++k) {
    const double x = sequence.point(k, 0);
    const double y = sequence.point(k, 1);
    ASSERT_TRUE(0.0 <= x && x < 1.0 && 0.0 <= y && y < 1.0);
    inside += x < 0.25 && y < 0.5 ? 1 : 0;
  }
  // An eighth of the area. Independent random points would be off by 21 with probability 1/3.
  EXPECT_NEAR(inside, kPoints / 8, 8);
}

TEST(Recurrence, RandomSeedsChooseTheShiftsOfNumpy) {
  const std::string file = test::environment("GENERATIVE_IK_SHIFTS_FILE");
  if (file.empty()) {
    GTEST_SKIP() << "no reference file: GENERATIVE_IK_SHIFTS_FILE is not set";
  }
  std::ifstream in(file);
  int compared = 0;
  std::uint64_t random_seed = 0;
  std::size_t dimensions = 0;
  while (in >> random_seed >> dimensions) {
    const Recurrence sequence(random_seed, dimensions);
    for (std::size_t j = 0; j < dimensions; ++j) {
      double expected = 0.0;
      ASSERT_TRUE(in >> expected);
      EXPECT_EQ(sequence.shift[j], expected) << random_seed << ", dimension " << j;
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace generative_ik::search
