// Null spaces of matrices whose rank is known.
#include "../src/model/null_basis.hpp"

#include <gtest/gtest.h>

#include <array>

#include "../src/simd/row_vectors.hpp"

namespace generative_ik {
namespace {

constexpr std::int64_t kSize = 4;

TEST(NullBasis, HasTheDirectionsThatRowsLeaveThenRowsOfZero) {
  // The third row depends on the others, and the fourth is 0.
  const std::array<double, 4 * kSize> given = {1.0, 2.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0,
                                               2.0, 5.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0};
  std::array<double, 4 * kSize> rows = given;
  std::array<double, 3 * kSize> basis{};
  writeNullBasis(rows.data(), 4, kSize, 3, basis.data());
  for (std::int64_t a = 0; a < 3; ++a) {
    const double* one = basis.data() + a * kSize;
    for (std::int64_t r = 0; r < 4; ++r) {
      EXPECT_NEAR(simd::innerProduct(one, given.data() + r * kSize, kSize), 0.0, 1e-14);
    }
    EXPECT_NEAR(simd::innerProduct(one, one, kSize), a < 2 ? 1.0 : 0.0, 1e-14);
  }
  EXPECT_NEAR(simd::innerProduct(basis.data(), basis.data() + kSize, kSize), 0.0, 1e-14);
}

TEST(NullBasis, MakesTheRowsOrthonormal) {
  std::array<double, 4> rows = {3.0, 1.0, 1.0, 2.0};
  std::array<double, 2> basis{};
  writeNullBasis(rows.data(), 2, 2, 1, basis.data());
  EXPECT_NEAR(simd::innerProduct(rows.data(), rows.data(), 2), 1.0, 1e-14);
  EXPECT_NEAR(simd::innerProduct(rows.data(), rows.data() + 2, 2), 0.0, 1e-14);
  EXPECT_EQ(basis[0], 0.0);
  EXPECT_EQ(basis[1], 0.0);
}

}  // namespace
}  // namespace generative_ik
