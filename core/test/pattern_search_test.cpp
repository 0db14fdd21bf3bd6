// The pattern search on functions whose maxima are known.
#include "../src/optimize/pattern_search.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

namespace generative_ik::optimize {
namespace {

constexpr double kFirstRadius = 0.25;

// Searches a plane, or a line (dimension 1), along its axes; the answer is where it ends.
std::array<double, 2> maximize(const std::function<double(double, double)>& score,
                               std::array<double, 2> at, std::int64_t dimension) {
  PatternSearch search(score(at[0], at[1]), kFirstRadius);
  std::array<double, 2> direction{};
  while (!search.isOver()) {
    if (search.direction() == PatternSearch::Direction::kPolled) {
      direction = {search.polled() == 0 ? 1.0 : 0.0, search.polled() == 0 ? 0.0 : 1.0};
    }
    const double length = search.length();
    const std::array<double, 2> trial = {at[0] + length * direction[0],
                                         at[1] + length * direction[1]};
    const bool backward = length < 0.0;
    if (search.judge(score(trial[0], trial[1]), dimension)) {
      at = trial;
      if (backward && search.direction() == PatternSearch::Direction::kOnward) {
        direction = {-direction[0], -direction[1]};
      }
    }
  }
  EXPECT_EQ(search.value(), score(at[0], at[1]));
  return at;
}

TEST(PatternSearch, FindsTheVertexOfAParabola) {
  const auto found =
      maximize([](double x, double) { return 2.0 - (x - 0.7) * (x - 0.7); }, {-1.0, 0.0}, 1);
  EXPECT_NEAR(found[0], 0.7, 1e-3);
}

TEST(PatternSearch, FindsWhereTheLesserOfTwoIsLargest) {
  const auto lesser = [](double x, double y) {
    return 1.0 - std::abs(x - 0.3) - 2.0 * std::abs(y + 0.4);
  };
  const auto found = maximize(lesser, {1.0, 1.0}, 2);
  EXPECT_GT(lesser(found[0], found[1]), 0.98);
}

TEST(PatternSearch, EndsAtOnceWhereAllIsAlikeOrNothingCanMove) {
  PatternSearch flat(1.0, kFirstRadius);
  EXPECT_FALSE(flat.judge(1.0, 1));
  EXPECT_FALSE(flat.isOver());
  EXPECT_FALSE(flat.judge(1.0, 1));
  EXPECT_TRUE(flat.isOver());
  PatternSearch fixed(1.0, kFirstRadius);
  EXPECT_FALSE(fixed.judge(1.0, 0));
  EXPECT_TRUE(fixed.isOver());
}

}  // namespace
}  // namespace generative_ik::optimize
