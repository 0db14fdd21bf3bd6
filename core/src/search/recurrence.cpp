#include "recurrence.hpp"

#include <array>
#include <cmath>

namespace generative_ik::search {
namespace {

// NumPy's SeedSequence (after M. E. O'Neill's seed_seq alternative), for one seed of 64 bits.
class SeedSequence {
 public:
  explicit SeedSequence(std::uint64_t seed) {
    const std::array<std::uint32_t, 4> words = {static_cast<std::uint32_t>(seed),
                                                static_cast<std::uint32_t>(seed >> 32U), 0, 0};
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      pool_[i] = hash(words[i]);
    }
    for (std::size_t from = 0; from < pool_.size(); ++from) {
      for (std::size_t to = 0; to < pool_.size(); ++to) {
        if (from != to) {
          pool_[to] = mix(pool_[to], hash(pool_[from]));
        }
      }
    }
  }

  // Four numbers for the state of a generator.
  [[nodiscard]] std::array<std::uint64_t, 4> state() const {
    std::array<std::uint64_t, 4> result{};
    std::uint32_t multiplier = 0x8b51f9ddU;
    for (std::size_t i = 0; i < 2 * result.size(); ++i) {
      std::uint32_t value = pool_[i % pool_.size()] ^ multiplier;
      multiplier *= 0x58f38dedU;
      value *= multiplier;
      value ^= value >> 16U;
      result[i / 2] |= static_cast<std::uint64_t>(value) << (i % 2 == 0 ? 0U : 32U);
    }
    return result;
  }

 private:
  std::uint32_t hash(std::uint32_t value) {
    value ^= multiplier_;
    multiplier_ *= 0x931e8875U;
    value *= multiplier_;
    return value ^ (value >> 16U);
  }

  static std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
    const std::uint32_t value = 0xca01f9ddU * x - 0x4973f715U * y;
    return value ^ (value >> 16U);
  }

  std::array<std::uint32_t, 4> pool_{};
  std::uint32_t multiplier_ = 0x43b0d7e5U;
};

// NumPy's default generator, PCG64 (M. E. O'Neill, PCG, 2014: XSL RR 128/64).
class Pcg64 {
 public:
  explicit Pcg64(std::uint64_t seed) {
    const std::array<std::uint64_t, 4> words = SeedSequence(seed).state();
    increment_ = (join(words[2], words[3]) << 1U) | 1U;
    advance();
    state_ += join(words[0], words[1]);
    advance();
  }

  // A number in [0, 1) with 53 random bits.
  double uniform() {
    advance();
    const auto folded =
        static_cast<std::uint64_t>(state_ >> 64U) ^ static_cast<std::uint64_t>(state_);
    const auto turn = static_cast<unsigned>(state_ >> 122U);
    const std::uint64_t bits = (folded >> turn) | (folded << ((64U - turn) % 64U));
    return static_cast<double>(bits >> 11U) * 0x1p-53;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  static Wide join(std::uint64_t high, std::uint64_t low) {
    return (static_cast<Wide>(high) << 64U) | low;
  }

  void advance() { state_ = state_ * join(0x2360ED051FC65DA4U, 0x4385DF649FCCF645U) + increment_; }

  Wide state_ = 0;
  Wide increment_ = 0;
};

constexpr int kRootIterations = 60;

}  // namespace

void writeRecurrence(std::uint64_t random_seed, std::int64_t dimensions, double* shift,
                     double* ratios) {
  double root = 2.0;
  for (int i = 0; i < kRootIterations; ++i) {
    root = std::pow(1.0 + root, 1.0 / static_cast<double>(dimensions + 1));
  }
  Pcg64 random(random_seed);
  for (std::int64_t j = 0; j < dimensions; ++j) {
    shift[j] = random.uniform();
    ratios[j] = std::pow(root, -static_cast<double>(j + 1));
  }
}

}  // namespace generative_ik::search
