// Elementary functions and products of single precision, against those of double precision.
#include "../src/simd/float_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "../src/learned/chunk.hpp"
#include "../src/learned/mixture.hpp"

namespace generative_ik {
namespace {

template <int kWidth>
float laneOf(const simd::FloatLanes<kWidth>& lanes, int index) {
  if constexpr (kWidth == 1) {
    return lanes.value;
  } else {
    return lanes.lane(index % kWidth);
  }
}

template <class Floats, class Function, class Exact>
void expectNear(const Function& function, const Exact& exact, float from, float to, double least,
                double share) {
  constexpr int kSteps = 4001;
  for (int i = 0; i < kSteps; ++i) {
    const float x = from + (to - from) * static_cast<float>(i) / (kSteps - 1);
    const auto wanted = static_cast<double>(exact(static_cast<double>(x)));
    const Floats found = function(Floats(x));
    EXPECT_NEAR(laneOf(found, i), wanted, least + share * std::fabs(wanted)) << x;
  }
}

template <class Floats>
void expectThatOfDoubles() {
  expectNear<Floats>([](Floats x) { return simd::exponential(x); },
                     [](double x) { return std::exp(x); }, -79.0F, 79.0F, 0.0, 8e-6);
  expectNear<Floats>([](Floats x) { return simd::softplus(x); },
                     [](double x) { return std::log1p(std::exp(x)); }, -20.0F, 20.0F, 0.0, 1e-4);
  expectNear<Floats>([](Floats x) { return simd::sineOf(x); },
                     [](double x) { return std::sin(x); }, -kHalfTurn, kHalfTurn, 3e-7, 0.0);
  expectNear<Floats>([](Floats x) { return simd::cosineOf(x); },
                     [](double x) { return std::cos(x); }, -kHalfTurn, kHalfTurn, 3e-7, 0.0);
  expectNear<Floats>([](Floats x) { return simd::floorOf(x); },
                     [](double x) { return std::floor(x); }, -3.0F, 3.0F, 0.0, 0.0);
  expectNear<Floats>([](Floats x) { return simd::halfTurnNearest(x); },
                     [](double x) { return std::remainder(x, 2.0 * std::numbers::pi); }, -3.0F,
                     3.0F, 1e-6, 0.0);
  expectNear<Floats>([](Floats x) { return simd::squareRoot(x * x); },
                     [](double x) { return std::fabs(x); }, -2.0F, 2.0F, 0.0, 1e-6);
  for (const float y : {-2.0F, -1e-3F, 0.0F, 0.7F}) {
    expectNear<Floats>([y](Floats x) { return simd::arcTangent(Floats(y), x); },
                       [y](double x) { return std::atan2(static_cast<double>(y), x); }, -1.501F,
                       1.5F, 1e-6, 0.0);
  }
}

TEST(FloatMath, IsThatOfDoublesToRounding) {
  expectThatOfDoubles<simd::FloatLanes<4>>();
  expectThatOfDoubles<simd::FloatLanes<1>>();
}

TEST(FloatMath, TheQuantileOfTheNormalDistributionIsItsInverse) {
  for (double x = -4.2; x < 4.2; x += 0.01) {
    const double unit = 0.5 * std::erfc(-x / std::numbers::sqrt2);
    EXPECT_NEAR(learned::normalQuantile(unit), x, 2e-5) << x;
  }
}

TEST(Chunk, ProductsAreSums) {
  constexpr int kInputs = 7;
  constexpr int kOutputs = 6;
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same numbers each time
  std::normal_distribution<float> normal;
  const auto draw = [&](std::size_t count) {
    std::vector<float> numbers(count);
    for (float& number : numbers) {
      number = normal(random);
    }
    return numbers;
  };
  const std::vector<float> rows = draw(kInputs * learned::kChunk);
  const std::vector<float> weights = draw(2 * kInputs * learned::kBlock);
  const learned::BlockedMatrix matrix = {weights.data(), kInputs, kOutputs};
  int written = 0;
  const auto expect = [&](std::int64_t output, int seed, const auto& sums) {
    for (int k = 0; k < sums.kWidth; ++k) {
      double sum = 0.0;
      for (int i = 0; i < kInputs; ++i) {
        const auto block = static_cast<int>(output) / learned::kBlock;
        const auto column = static_cast<int>(output) % learned::kBlock;
        const int weight = (block * kInputs + i) * learned::kBlock + column;
        const int number = i * learned::kChunk + seed + k;
        sum += static_cast<double>(weights.at(static_cast<std::size_t>(weight))) *
               static_cast<double>(rows.at(static_cast<std::size_t>(number)));
      }
      EXPECT_NEAR(laneOf(sums, k), sum, 1e-5);
      ++written;
    }
  };
  constexpr learned::SeedsInLanes<simd::FloatLanes<4>> kSeeds = {};
  learned::multiply(kSeeds, matrix, learned::Blocks::all(matrix), rows.data(), expect);
  EXPECT_EQ(written, kOutputs * learned::kChunk);
  // A thread for each seed and block.
  const learned::SeedOfThread seed_of_thread = {learned::kChunk};
  for (int seed = 0; seed < learned::kChunk; ++seed) {
    for (std::int64_t block = 0; block < matrix.blocks(); ++block) {
      learned::multiply(seed_of_thread, matrix, {block, block + 1}, rows.data() + seed,
                        [&](std::int64_t output, int /*first*/, const auto& sums) {
                          expect(output, seed, sums);
                        });
    }
  }
  EXPECT_EQ(written, 2 * kOutputs * learned::kChunk);
}

}  // namespace
}  // namespace generative_ik
