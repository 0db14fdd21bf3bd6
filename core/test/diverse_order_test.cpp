// What is the same in the most diverse order; the order itself is held against the definition in
// test/core/test_select.py.
#include "../src/select/diverse_order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace generative_ik::test {
namespace {

TEST(DiverseOrder, DuplicatesComeLast) {
  constexpr std::array<bool, 3> turning = {true, false, true};
  constexpr std::array<double, 3> unit = {1.0, 0.1, 1.0};
  constexpr std::array<double, 3> lower = {-3.0, -1.0, -3.0};
  constexpr std::array<double, 3> upper = {3.0, 1.0, 3.0};
  const std::vector<double> rows = {1.0, 0.5, 2.0, 1.0, 0.5, 2.0, 0.0, 0.0, 0.0};
  const DiverseRows diverse = {rows.data(),    3,          3, lower.data(), upper.data(),
                               turning.data(), unit.data()};
  std::array<std::int64_t, 3> order{};
  std::vector<float> memory;
  diverseOrder(diverse, 3, kOrderWork, memory, order.data());
  EXPECT_EQ(order, (std::array<std::int64_t, 3>{2, 0, 1}));
}

}  // namespace
}  // namespace generative_ik::test
